use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::emitter::{EmitRun, Emitter, Step};
use crate::flow::{Flow, FlowStream, PollItem, Restart};
use crate::source::LambdaOutput;

/// The flow of [`on_completion`](crate::FlowExt::on_completion).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct OnCompletion<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`on_completion`](crate::FlowExt::on_completion).
    #[must_use = "streams do nothing unless polled"]
    pub struct OnCompletionStream<S, T, E, Fut: Future, Op> {
        #[pin]
        run: EmitRun<T, Fut>,
        #[pin]
        stream: S,
        op: Op,
        error: Option<E>,
        phase: Phase,
    }
}

#[derive(Debug)]
enum Phase {
    Upstream,
    Acting,
    Done,
}

debug_fields!(OnCompletion<F, Op> { flow: F });
impl<S: fmt::Debug, T, E, Fut: Future, Op> fmt::Debug for OnCompletionStream<S, T, E, Fut, Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnCompletionStream").field("stream", &self.stream).finish_non_exhaustive()
    }
}

impl<F, Op> OnCompletion<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        OnCompletion { flow, op }
    }
}

impl<F, Op, Fut> Flow for OnCompletion<F, Op>
where
    F: Flow,
    Op: FnMut(Option<&F::Error>, Emitter<F::Item>) -> Fut,
    Fut: Future<Output: LambdaOutput<F::Error, Value = ()>>,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = OnCompletionStream<F::Stream, F::Item, F::Error, Fut, Op>;

    fn into_stream(self) -> Self::Stream {
        OnCompletionStream {
            stream: self.flow.into_stream(),
            run: EmitRun::new(),
            op: self.op,
            error: None,
            phase: Phase::Upstream,
        }
    }
}

impl<S, T, E, Fut, Op> Stream for OnCompletionStream<S, T, E, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(Option<&E>, Emitter<T>) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        loop {
            match this.phase {
                Phase::Upstream => match ready!(this.stream.as_mut().poll_next(cx)) {
                    Some(Ok(item)) => return Poll::Ready(Some(Ok(item))),
                    end => {
                        *this.error = end.and_then(Result::err);
                        let cause = this.error.as_ref();
                        this.run.as_mut().start(|emitter| (this.op)(cause, emitter));
                        *this.phase = Phase::Acting;
                    }
                },
                Phase::Acting => match ready!(this.run.as_mut().poll_step(cx)) {
                    Step::Item(item) if this.error.is_none() => return Poll::Ready(Some(Ok(item))),
                    Step::Item(_) => {
                        // Nothing may follow the error that is due: the action ends at its emission.
                        this.run.cancel();
                        *this.phase = Phase::Done;
                        return Poll::Ready(this.error.take().map(Err));
                    }
                    Step::Done(output) => {
                        *this.phase = Phase::Done;
                        let cause = this.error.take();
                        return Poll::Ready(output.into_result().err().or(cause).map(Err));
                    }
                },
                Phase::Done => return Poll::Ready(None),
            }
        }
    }
}

impl<S, T, E, Fut, Op> FusedStream for OnCompletionStream<S, T, E, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(Option<&E>, Emitter<T>) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }
}

impl<S, T, E, Fut, Op> FlowStream for OnCompletionStream<S, T, E, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(Option<&E>, Emitter<T>) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.run.cancel();
        this.stream.stop();
        *this.error = None;
        *this.phase = Phase::Done;
    }
}

impl<S, T, E, Fut, Op> Restart for OnCompletionStream<S, T, E, Fut, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(Option<&E>, Emitter<T>) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.run.cancel();
        this.stream.restart();
        *this.error = None;
        *this.phase = Phase::Upstream;
    }
}
