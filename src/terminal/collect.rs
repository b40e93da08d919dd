use core::future::Future;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::FusedFuture;
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::FlowStream;

pin_project! {
    /// The future of [`collect`](crate::FlowExt::collect).
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct Collect<S, C> {
        #[pin]
        stream: S,
        collection: C,
        done: bool,
    }
}

debug_fields!(Collect<S, C> { stream: S });

impl<S, C> Collect<S, C> {
    pub(crate) fn new(stream: S, collection: C) -> Self {
        Collect { stream, collection, done: false }
    }
}

impl<S, C, T, E> Future for Collect<S, C>
where
    S: FlowStream<Item = Result<T, E>>,
    C: Default + Extend<T>,
{
    type Output = Result<C, E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if *this.done {
            return Poll::Pending;
        }
        let mut turns = Turns::of_a_collection();
        // It is filled as a local variable and put back where the poll ends without it.
        let mut collection = mem::take(this.collection);
        loop {
            match this.stream.as_mut().poll_next(cx) {
                Poll::Ready(Some(Ok(item))) => collection.extend(Some(item)),
                Poll::Ready(Some(Err(error))) => {
                    *this.done = true;
                    return Poll::Ready(Err(error));
                }
                Poll::Ready(None) => {
                    *this.done = true;
                    return Poll::Ready(Ok(collection));
                }
                Poll::Pending => break,
            }
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                break;
            }
        }
        *this.collection = collection;
        Poll::Pending
    }
}

impl<S, C, T, E> FusedFuture for Collect<S, C>
where
    S: FlowStream<Item = Result<T, E>>,
    C: Default + Extend<T>,
{
    fn is_terminated(&self) -> bool {
        self.done
    }
}
