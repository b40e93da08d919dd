use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::FusedFuture;
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::FlowStream;

pin_project! {
    /// The future of [`run`](crate::FlowExt::run).
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct Run<S> {
        #[pin]
        stream: S,
        done: bool,
    }
}

debug_fields!(Run<S> { stream: S });

impl<S> Run<S> {
    pub(crate) fn new(stream: S) -> Self {
        Run { stream, done: false }
    }
}

impl<S, T, E> Future for Run<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Output = Result<(), E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if *this.done {
            return Poll::Pending;
        }
        let mut turns = Turns::of_a_collection();
        loop {
            match ready!(this.stream.as_mut().poll_next(cx)) {
                Some(Ok(item)) => {
                    drop(item);
                }
                Some(Err(error)) => {
                    *this.done = true;
                    return Poll::Ready(Err(error));
                }
                None => {
                    *this.done = true;
                    return Poll::Ready(Ok(()));
                }
            }
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
    }
}

impl<S, T, E> FusedFuture for Run<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        self.done
    }
}
