use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`running_fold`](crate::FlowExt::running_fold).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct RunningFold<F, A, Op> {
    flow: F,
    initial: A,
    op: Op,
}

pin_project! {
    /// The stream of [`running_fold`](crate::FlowExt::running_fold).
    #[must_use = "streams do nothing unless polled"]
    pub struct RunningFoldStream<S, A, Op> {
        #[pin]
        stream: S,
        initial: A,
        phase: Phase<A>,
        op: Op,
    }
}

#[derive(Debug)]
enum Phase<A> {
    Fresh,
    Folding(A),
    Done,
}

debug_fields!(RunningFold<F, A, Op> { flow: F });
debug_fields!(RunningFoldStream<S, A, Op> { stream: S });

impl<F, A, Op> RunningFold<F, A, Op> {
    pub(crate) fn new(flow: F, initial: A, op: Op) -> Self {
        RunningFold { flow, initial, op }
    }
}

impl<F, A, Op> Flow for RunningFold<F, A, Op>
where
    F: Flow,
    A: Clone,
    Op: FnMut(A, F::Item) -> A,
{
    type Item = A;
    type Error = F::Error;
    type Stream = RunningFoldStream<F::Stream, A, Op>;

    fn into_stream(self) -> Self::Stream {
        RunningFoldStream { stream: self.flow.into_stream(), initial: self.initial, phase: Phase::Fresh, op: self.op }
    }
}

impl<S, A, Op, T, E> Stream for RunningFoldStream<S, A, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    A: Clone,
    Op: FnMut(A, T) -> A,
{
    type Item = Result<A, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<A, E> {
        let this = self.project();
        let next = match mem::replace(this.phase, Phase::Done) {
            Phase::Fresh => this.initial.clone(),
            Phase::Folding(accumulated) => match this.stream.poll_next(cx) {
                Poll::Ready(Some(Ok(item))) => (this.op)(accumulated, item),
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => {
                    *this.phase = Phase::Folding(accumulated);
                    return Poll::Pending;
                }
            },
            Phase::Done => return Poll::Ready(None),
        };
        *this.phase = Phase::Folding(next.clone());
        Poll::Ready(Some(Ok(next)))
    }
}

impl<S, A, Op, T, E> FusedStream for RunningFoldStream<S, A, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    A: Clone,
    Op: FnMut(A, T) -> A,
{
    fn is_terminated(&self) -> bool {
        match self.phase {
            Phase::Fresh => false,
            Phase::Folding(_) => self.stream.is_terminated(),
            Phase::Done => true,
        }
    }
}

impl<S, A, Op, T, E> FlowStream for RunningFoldStream<S, A, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    A: Clone,
    Op: FnMut(A, T) -> A,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.stop();
        *this.phase = Phase::Done;
    }
}

impl<S, A, Op, T, E> Restart for RunningFoldStream<S, A, Op>
where
    S: Restart<Item = Result<T, E>>,
    A: Clone,
    Op: FnMut(A, T) -> A,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.restart();
        *this.phase = Phase::Fresh;
    }
}
