use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::FusedFuture;
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::FlowStream;

pin_project! {
    /// The future of [`count`](crate::FlowExt::count).
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct Count<S> {
        #[pin]
        stream: S,
        counted: usize,
        done: bool,
    }
}

debug_fields!(Count<S> { stream: S });

impl<S> Count<S> {
    pub(crate) fn new(stream: S) -> Self {
        Count { stream, counted: 0, done: false }
    }
}

impl<S, T, E> Future for Count<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Output = Result<usize, E>;

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
                    *this.counted += 1;
                }
                Some(Err(error)) => {
                    *this.done = true;
                    return Poll::Ready(Err(error));
                }
                None => {
                    *this.done = true;
                    return Poll::Ready(Ok(*this.counted));
                }
            }
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
    }
}

impl<S, T, E> FusedFuture for Count<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        self.done
    }
}
