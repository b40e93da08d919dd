use core::pin::Pin;
use core::task::Context;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`map_err`](crate::FlowExt::map_err).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct MapErr<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`map_err`](crate::FlowExt::map_err).
    #[must_use = "streams do nothing unless polled"]
    pub struct MapErrStream<S, Op> {
        #[pin]
        stream: S,
        op: Op,
    }
}

debug_fields!(MapErr<F, Op> { flow: F });
debug_fields!(MapErrStream<S, Op> { stream: S });

impl<F, Op> MapErr<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        MapErr { flow, op }
    }
}

impl<F, Op, E> Flow for MapErr<F, Op>
where
    F: Flow,
    Op: FnMut(F::Error) -> E,
{
    type Item = F::Item;
    type Error = E;
    type Stream = MapErrStream<F::Stream, Op>;

    fn into_stream(self) -> Self::Stream {
        MapErrStream { stream: self.flow.into_stream(), op: self.op }
    }
}

impl<S, Op, T, E, E2> Stream for MapErrStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(E) -> E2,
{
    type Item = Result<T, E2>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E2> {
        let this = self.project();
        this.stream.poll_next(cx).map_err(this.op)
    }

    forward!(size_hint);
}

impl<S, Op, T, E, E2> FusedStream for MapErrStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(E) -> E2,
{
    forward!(is_terminated);
}

impl<S, Op, T, E, E2> FlowStream for MapErrStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(E) -> E2,
{
    forward!(poll_progress, stop);
}

impl<S, Op, T, E, E2> Restart for MapErrStream<S, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(E) -> E2,
{
    forward!(restart);
}
