use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::FusedFuture;
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::FlowStream;

pin_project! {
    /// The future of [`reduce`](crate::FlowExt::reduce).
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct Reduce<S, T, Op> {
        #[pin]
        stream: S,
        reduced: Option<T>,
        op: Op,
        done: bool,
    }
}

debug_fields!(Reduce<S, T, Op> { stream: S });

impl<S, T, Op> Reduce<S, T, Op> {
    pub(crate) fn new(stream: S, op: Op) -> Self {
        Reduce { stream, reduced: None, op, done: false }
    }
}

impl<S, T, Op, E> Future for Reduce<S, T, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T, T) -> T,
{
    type Output = Result<Option<T>, E>;

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
                    *this.reduced = Some(match this.reduced.take() {
                        Some(reduced) => (this.op)(reduced, item),
                        None => item,
                    });
                }
                Some(Err(error)) => {
                    *this.done = true;
                    return Poll::Ready(Err(error));
                }
                None => {
                    *this.done = true;
                    return Poll::Ready(Ok(this.reduced.take()));
                }
            }
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
    }
}

impl<S, T, Op, E> FusedFuture for Reduce<S, T, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T, T) -> T,
{
    fn is_terminated(&self) -> bool {
        self.done
    }
}
