use core::future::Future;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

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
        let mut turns = Turns::new();
        loop {
            match ready!(this.stream.as_mut().poll_next(cx)) {
                Some(Ok(item)) => {
                    this.collection.extend(Some(item));
                }
                Some(Err(error)) => {
                    *this.done = true;
                    return Poll::Ready(Err(error));
                }
                None => {
                    *this.done = true;
                    return Poll::Ready(Ok(mem::take(this.collection)));
                }
            }
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
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
