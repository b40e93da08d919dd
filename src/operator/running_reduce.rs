use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`running_reduce`](crate::FlowExt::running_reduce).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct RunningReduce<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`running_reduce`](crate::FlowExt::running_reduce).
    #[must_use = "streams do nothing unless polled"]
    pub struct RunningReduceStream<S, T, Op> {
        #[pin]
        stream: S,
        accumulated: Option<T>,
        op: Op,
    }
}

debug_fields!(RunningReduce<F, Op> { flow: F });
debug_fields!(RunningReduceStream<S, T, Op> { stream: S });

impl<F, Op> RunningReduce<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        RunningReduce { flow, op }
    }
}

impl<F, Op> Flow for RunningReduce<F, Op>
where
    F: Flow,
    F::Item: Clone,
    Op: FnMut(F::Item, F::Item) -> F::Item,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = RunningReduceStream<F::Stream, F::Item, Op>;

    fn into_stream(self) -> Self::Stream {
        RunningReduceStream { stream: self.flow.into_stream(), accumulated: None, op: self.op }
    }
}

impl<S, T, Op, E> Stream for RunningReduceStream<S, T, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    T: Clone,
    Op: FnMut(T, T) -> T,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let this = self.project();
        let Some(item) = ready!(this.stream.poll_next(cx)?) else {
            return Poll::Ready(None);
        };
        let next = match this.accumulated.take() {
            Some(accumulated) => (this.op)(accumulated, item),
            None => item,
        };
        *this.accumulated = Some(next.clone());
        Poll::Ready(Some(Ok(next)))
    }
}

impl<S, T, Op, E> FusedStream for RunningReduceStream<S, T, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    T: Clone,
    Op: FnMut(T, T) -> T,
{
    forward!(is_terminated);
}

impl<S, T, Op, E> FlowStream for RunningReduceStream<S, T, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    T: Clone,
    Op: FnMut(T, T) -> T,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.stop();
        *this.accumulated = None;
    }
}

impl<S, T, Op, E> Restart for RunningReduceStream<S, T, Op>
where
    S: Restart<Item = Result<T, E>>,
    T: Clone,
    Op: FnMut(T, T) -> T,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.restart();
        *this.accumulated = None;
    }
}
