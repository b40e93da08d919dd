use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::FusedFuture;
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::FlowStream;

pin_project! {
    /// The future of [`fold`](crate::FlowExt::fold) and [`try_fold`](crate::FlowExt::try_fold).
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct Fold<S, A, Fut, Op> {
        #[pin]
        future: Option<Fut>,
        #[pin]
        stream: S,
        accumulated: Option<A>,
        op: Op,
        done: bool,
    }
}

/// What the lambda of a fold returns: the accumulated value, or a result of it.
pub trait FoldOutput<A, E> {
    /// The same as a result.
    #[doc(hidden)]
    fn into_result(self) -> Result<A, E>;
}

impl<A, E> FoldOutput<A, E> for A {
    fn into_result(self) -> Result<A, E> {
        Ok(self)
    }
}

impl<A, E> FoldOutput<A, E> for Result<A, E> {
    fn into_result(self) -> Result<A, E> {
        self
    }
}

debug_fields!(Fold<S, A, Fut, Op> { stream: S });

impl<S, A, Fut, Op> Fold<S, A, Fut, Op> {
    pub(crate) fn new(stream: S, accumulated: Option<A>, op: Op) -> Self {
        Fold { stream, future: None, accumulated, op, done: false }
    }
}

impl<S, A, Fut, Op, T, E> Future for Fold<S, A, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(A, T) -> Fut,
    Fut: Future<Output: FoldOutput<A, E>>,
{
    type Output = Result<A, E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if *this.done {
            return Poll::Pending;
        }
        let mut turns = Turns::of_a_collection();
        // A local variable, put back where the poll ends without it, so that it can stay in a register between items.
        let mut accumulated = this.accumulated.take();
        loop {
            if let Some(value) = accumulated.take() {
                match this.stream.as_mut().poll_next(cx) {
                    Poll::Ready(Some(Ok(item))) => this.future.set(Some((this.op)(value, item))),
                    Poll::Ready(end) => {
                        *this.done = true;
                        return Poll::Ready(end.transpose().map(|_| value));
                    }
                    Poll::Pending => {
                        accumulated = Some(value);
                        break;
                    }
                }
            }
            let Some(future) = this.future.as_mut().as_pin_mut() else {
                unreachable!("either the value is here, or the lambda has it");
            };
            let Poll::Ready(output) = future.poll(cx) else {
                let _ = this.stream.poll_progress(cx);
                break;
            };
            this.future.set(None);
            match output.into_result() {
                Ok(value) => accumulated = Some(value),
                Err(error) => {
                    *this.done = true;
                    this.stream.stop();
                    return Poll::Ready(Err(error));
                }
            }
            if turns.used_up(cx) {
                let _ = this.stream.poll_progress(cx);
                break;
            }
        }
        *this.accumulated = accumulated;
        Poll::Pending
    }
}

impl<S, A, Fut, Op, T, E> FusedFuture for Fold<S, A, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(A, T) -> Fut,
    Fut: Future<Output: FoldOutput<A, E>>,
{
    fn is_terminated(&self) -> bool {
        self.done
    }
}
