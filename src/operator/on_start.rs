use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::emitter::{EmitRun, Emitter, Step};
use crate::flow::{Flow, FlowStream, PollItem, Restart};
use crate::source::LambdaOutput;

/// The flow of [`on_start`](crate::FlowExt::on_start).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct OnStart<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`on_start`](crate::FlowExt::on_start).
    #[must_use = "streams do nothing unless polled"]
    pub struct OnStartStream<S, T, Fut: Future, Op> {
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
    Fresh,
    Starting,
    Upstream,
}

debug_fields!(OnStart<F, Op> { flow: F });
impl<S: fmt::Debug, T, Fut: Future, Op> fmt::Debug for OnStartStream<S, T, Fut, Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnStartStream").field("stream", &self.stream).finish_non_exhaustive()
    }
}

impl<F, Op> OnStart<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        OnStart { flow, op }
    }
}

impl<F, Op, Fut> Flow for OnStart<F, Op>
where
    F: Flow,
    Op: FnMut(Emitter<F::Item>) -> Fut,
    Fut: Future<Output: LambdaOutput<F::Error, Value = ()>>,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = OnStartStream<F::Stream, F::Item, Fut, Op>;

    fn into_stream(self) -> Self::Stream {
        OnStartStream { stream: self.flow.into_stream(), run: EmitRun::new(), op: self.op, phase: Phase::Fresh }
    }
}

impl<S, T, Fut, Op, E> Stream for OnStartStream<S, T, Fut, Op>
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
                Phase::Fresh => {
                    this.run.as_mut().start(|emitter| (this.op)(emitter));
                    *this.phase = Phase::Starting;
                }
                Phase::Starting => match ready!(this.run.as_mut().poll_step(cx)) {
                    Step::Item(item) => return Poll::Ready(Some(Ok(item))),
                    Step::Done(output) => {
                        *this.phase = Phase::Upstream;
                        if let Err(error) = output.into_result() {
                            this.stream.stop();
                            return Poll::Ready(Some(Err(error)));
                        }
                    }
                },
                Phase::Upstream => return this.stream.poll_next(cx),
            }
        }
    }
}

impl<S, T, Fut, Op, E> FusedStream for OnStartStream<S, T, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(Emitter<T>) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Upstream) && self.stream.is_terminated()
    }
}

impl<S, T, Fut, Op, E> FlowStream for OnStartStream<S, T, Fut, Op>
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
        *this.phase = Phase::Upstream;
    }
}

impl<S, T, Fut, Op, E> Restart for OnStartStream<S, T, Fut, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(Emitter<T>) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.run.cancel();
        this.stream.restart();
        *this.phase = Phase::Fresh;
    }
}
