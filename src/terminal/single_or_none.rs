use core::future::Future;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::FusedFuture;
use pin_project_lite::pin_project;

use crate::flow::FlowStream;

pin_project! {
    /// The future of [`single_or_none`](crate::FlowExt::single_or_none).
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct SingleOrNone<S, T> {
        #[pin]
        stream: S,
        found: Found<T>,
    }
}

enum Found<T> {
    Nothing,
    One(T),
    /// The outcome has been told.
    Told,
}

debug_fields!(SingleOrNone<S, T> { stream: S });

impl<S, T> SingleOrNone<S, T> {
    pub(crate) fn new(stream: S) -> Self {
        SingleOrNone { stream, found: Found::Nothing }
    }
}

impl<S, T, E> Future for SingleOrNone<S, T>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Output = Result<Option<T>, E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if let Found::Told = this.found {
            return Poll::Pending;
        }
        let outcome = loop {
            let item = ready!(this.stream.as_mut().poll_next(cx));
            match (item, mem::replace(this.found, Found::Told)) {
                (Some(Ok(_)), Found::One(_)) => {
                    this.stream.stop();
                    break Ok(None);
                }
                (Some(Ok(value)), _) => *this.found = Found::One(value),
                (Some(Err(error)), _) => break Err(error),
                (None, Found::One(value)) => break Ok(Some(value)),
                (None, _) => break Ok(None),
            }
        };
        Poll::Ready(outcome)
    }
}

impl<S, T, E> FusedFuture for SingleOrNone<S, T>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        matches!(self.found, Found::Told)
    }
}
