use core::future::Future;
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
        value: Option<T>,
        done: bool,
    }
}

debug_fields!(SingleOrNone<S, T> { stream: S });

impl<S, T> SingleOrNone<S, T> {
    pub(crate) fn new(stream: S) -> Self {
        SingleOrNone { stream, value: None, done: false }
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
        if *this.done {
            return Poll::Pending;
        }
        let outcome = loop {
            match ready!(this.stream.as_mut().poll_next(cx)) {
                Some(Ok(_)) if this.value.is_some() => {
                    this.stream.stop();
                    *this.value = None;
                    break Ok(None);
                }
                Some(Ok(value)) => *this.value = Some(value),
                Some(Err(error)) => {
                    *this.value = None;
                    break Err(error);
                }
                None => break Ok(this.value.take()),
            }
        };
        *this.done = true;
        Poll::Ready(outcome)
    }
}

impl<S, T, E> FusedFuture for SingleOrNone<S, T>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        self.done
    }
}
