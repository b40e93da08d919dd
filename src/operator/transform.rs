use core::fmt;
use core::future::Future;
use core::marker::PhantomData;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::emitter::{EmitRun, Emitter, Step};
use crate::flow::{Flow, FlowStream, PollItem, Restart};
use crate::source::{GoesOn, LambdaOutput};

/// The flow of [`transform`](crate::FlowExt::transform) and [`transform_while`](crate::FlowExt::transform_while).
#[must_use = "flows do nothing unless collected"]
pub struct Transform<F, U, Op> {
    flow: F,
    op: Op,
    item: PhantomData<fn() -> U>,
}

pin_project! {
    /// The stream of [`transform`](crate::FlowExt::transform) and [`transform_while`](crate::FlowExt::transform_while).
    #[must_use = "streams do nothing unless polled"]
    pub struct TransformStream<S, U, Fut: Future, Op> {
        #[pin]
        run: EmitRun<U, Fut>,
        #[pin]
        stream: S,
        op: Op,
    }
}

debug_fields!(Transform<F, U, Op> { flow: F });
impl<S: fmt::Debug, U, Fut: Future, Op> fmt::Debug for TransformStream<S, U, Fut, Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransformStream").field("stream", &self.stream).finish_non_exhaustive()
    }
}

impl<F: Clone, U, Op: Clone> Clone for Transform<F, U, Op> {
    fn clone(&self) -> Self {
        Transform::new(self.flow.clone(), self.op.clone())
    }
}

impl<F, U, Op> Transform<F, U, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        Transform { flow, op, item: PhantomData }
    }
}

impl<F, U, Op, Fut> Flow for Transform<F, U, Op>
where
    F: Flow,
    Op: FnMut(F::Item, Emitter<U>) -> Fut,
    Fut: Future<Output: LambdaOutput<F::Error, Value: GoesOn>>,
{
    type Item = U;
    type Error = F::Error;
    type Stream = TransformStream<F::Stream, U, Fut, Op>;

    fn into_stream(self) -> Self::Stream {
        TransformStream { stream: self.flow.into_stream(), run: EmitRun::new(), op: self.op }
    }
}

impl<S, U, Fut, Op, T, E> Stream for TransformStream<S, U, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T, Emitter<U>) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value: GoesOn>>,
{
    type Item = Result<U, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<U, E> {
        let mut this = self.project();
        let mut turns = Turns::new();
        loop {
            if this.run.is_running() {
                match this.run.as_mut().poll_step(cx) {
                    Poll::Pending => {
                        let _ = this.stream.poll_progress(cx);
                        return Poll::Pending;
                    }
                    Poll::Ready(Step::Item(item)) => return Poll::Ready(Some(Ok(item))),
                    Poll::Ready(Step::Done(output)) => {
                        let output = output.into_result().map(GoesOn::goes_on);
                        if !matches!(output, Ok(true)) {
                            this.stream.stop();
                            return Poll::Ready(output.err().map(Err));
                        }
                    }
                }
            }
            let Some(item) = ready!(this.stream.as_mut().poll_next(cx)?) else {
                return Poll::Ready(None);
            };
            this.run.as_mut().start(|emitter| (this.op)(item, emitter));
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
    }
}

impl<S, U, Fut, Op, T, E> FusedStream for TransformStream<S, U, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T, Emitter<U>) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value: GoesOn>>,
{
    fn is_terminated(&self) -> bool {
        !self.run.is_running() && self.stream.is_terminated()
    }
}

impl<S, U, Fut, Op, T, E> FlowStream for TransformStream<S, U, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T, Emitter<U>) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value: GoesOn>>,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.run.cancel();
        this.stream.stop();
    }
}

impl<S, U, Fut, Op, T, E> Restart for TransformStream<S, U, Fut, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(T, Emitter<U>) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value: GoesOn>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.run.cancel();
        this.stream.restart();
    }
}
