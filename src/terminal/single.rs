use core::future::Future;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::FusedFuture;
use pin_project_lite::pin_project;

use crate::error::SingleError;
use crate::flow::FlowStream;

pin_project! {
    /// The future of [`single`](crate::FlowExt::single).
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct Single<S, T> {
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

debug_fields!(Single<S, T> { stream: S });

impl<S, T> Single<S, T> {
    pub(crate) fn new(stream: S) -> Self {
        Single { stream, found: Found::Nothing }
    }
}

impl<S, T, E> Future for Single<S, T>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Output = Result<T, SingleError<E>>;

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
                    break Err(SingleError::MoreThanOne);
                }
                (Some(Ok(value)), _) if this.stream.is_terminated() => break Ok(value),
                (Some(Ok(value)), _) => *this.found = Found::One(value),
                (Some(Err(error)), _) => break Err(SingleError::Upstream(error)),
                (None, Found::One(value)) => break Ok(value),
                (None, _) => break Err(SingleError::Empty),
            }
        };
        Poll::Ready(outcome)
    }
}

impl<S, T, E> FusedFuture for Single<S, T>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        matches!(self.found, Found::Told)
    }
}
