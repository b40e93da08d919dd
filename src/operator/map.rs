use core::pin::Pin;
use core::task::Context;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`map`](crate::FlowExt::map).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Map<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`map`](crate::FlowExt::map).
    #[must_use = "streams do nothing unless polled"]
    pub struct MapStream<S, Op> {
        #[pin]
        stream: S,
        op: Op,
    }
}

debug_fields!(Map<F, Op> { flow: F });
debug_fields!(MapStream<S, Op> { stream: S });

impl<F, Op> Map<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        Map { flow, op }
    }
}

impl<F, Op, U> Flow for Map<F, Op>
where
    F: Flow,
    Op: FnMut(F::Item) -> U,
{
    type Item = U;
    type Error = F::Error;
    type Stream = MapStream<F::Stream, Op>;

    fn into_stream(self) -> Self::Stream {
        MapStream { stream: self.flow.into_stream(), op: self.op }
    }
}

impl<S, Op, T, U, E> Stream for MapStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> U,
{
    type Item = Result<U, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<U, E> {
        let this = self.project();
        this.stream.poll_next(cx).map_ok(this.op)
    }

    forward!(size_hint);
}

impl<S, Op, T, U, E> FusedStream for MapStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> U,
{
    forward!(is_terminated);
}

impl<S, Op, T, U, E> FlowStream for MapStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> U,
{
    forward!(poll_progress, stop);
}

impl<S, Op, T, U, E> Restart for MapStream<S, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(T) -> U,
{
    forward!(restart);
}
