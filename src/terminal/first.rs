use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::FusedFuture;
use pin_project_lite::pin_project;

use crate::flow::FlowStream;

pin_project! {
    /// The future of [`first`](crate::FlowExt::first).
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct First<S> {
        #[pin]
        stream: S,
        done: bool,
    }
}

debug_fields!(First<S> { stream: S });

impl<S> First<S> {
    pub(crate) fn new(stream: S) -> Self {
        First { stream, done: false }
    }
}

impl<S, T, E> Future for First<S>
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
        let item = ready!(this.stream.as_mut().poll_next(cx));
        *this.done = true;
        this.stream.stop();
        Poll::Ready(item.transpose())
    }
}

impl<S, T, E> FusedFuture for First<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        self.done
    }
}
