use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::emitter::{EmitRun, Emitter, Step};
use crate::flow::{Flow, FlowStream, PollItem, Restart};
use crate::source::LambdaOutput;

/// The flow of [`on_empty`](crate::FlowExt::on_empty).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct OnEmpty<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`on_empty`](crate::FlowExt::on_empty).
    #[must_use = "streams do nothing unless polled"]
    pub struct OnEmptyStream<S, T, Fut: Future, Op> {
        #[pin]
        run: EmitRun<T, Fut>,
        #[pin]
        stream: S,
        op: Op,
        phase: Phase,
    }
}

#[derive(Debug)]
enum Phase {
    Upstream { empty: bool },
    Acting,
    Done,
}

debug_fields!(OnEmpty<F, Op> { flow: F });
impl<S: fmt::Debug, T, Fut: Future, Op> fmt::Debug for OnEmptyStream<S, T, Fut, Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnEmptyStream").field("stream", &self.stream).finish_non_exhaustive()
    }
}

impl<F, Op> OnEmpty<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        OnEmpty { flow, op }
    }
}

impl<F, Op, Fut> Flow for OnEmpty<F, Op>
where
    F: Flow,
    Op: FnMut(Emitter<F::Item>) -> Fut,
    Fut: Future<Output: LambdaOutput<F::Error, Value = ()>>,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = OnEmptyStream<F::Stream, F::Item, Fut, Op>;

    fn into_stream(self) -> Self::Stream {
        OnEmptyStream {
            stream: self.flow.into_stream(),
            run: EmitRun::new(),
            op: self.op,
            phase: Phase::Upstream { empty: true },
        }
    }
}

impl<S, T, Fut, Op, E> Stream for OnEmptyStream<S, T, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(Emitter<T>) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        loop {
            match this.phase {
                Phase::Upstream { empty } => match ready!(this.stream.as_mut().poll_next(cx)) {
                    Some(item) => {
                        *empty = false;
                        return Poll::Ready(Some(item));
                    }
                    None if *empty => {
                        this.run.as_mut().start(|emitter| (this.op)(emitter));
                        *this.phase = Phase::Acting;
                    }
                    None => {
                        *this.phase = Phase::Done;
                        return Poll::Ready(None);
                    }
                },
                Phase::Acting => match ready!(this.run.as_mut().poll_step(cx)) {
                    Step::Item(item) => return Poll::Ready(Some(Ok(item))),
                    Step::Done(output) => {
                        *this.phase = Phase::Done;
                        return Poll::Ready(output.into_result().err().map(Err));
                    }
                },
                Phase::Done => return Poll::Ready(None),
            }
        }
    }
}

impl<S, T, Fut, Op, E> FusedStream for OnEmptyStream<S, T, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(Emitter<T>) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    fn is_terminated(&self) -> bool {
        match self.phase {
            Phase::Upstream { empty } => !empty && self.stream.is_terminated(),
            Phase::Acting => false,
            Phase::Done => true,
        }
    }
}

impl<S, T, Fut, Op, E> FlowStream for OnEmptyStream<S, T, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(Emitter<T>) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.run.cancel();
        this.stream.stop();
        *this.phase = Phase::Done;
    }
}

impl<S, T, Fut, Op, E> Restart for OnEmptyStream<S, T, Fut, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(Emitter<T>) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.run.cancel();
        this.stream.restart();
        *this.phase = Phase::Upstream { empty: true };
    }
}
