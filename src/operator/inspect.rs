use core::pin::Pin;
use core::task::Context;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`inspect`](crate::FlowExt::inspect).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Inspect<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`inspect`](crate::FlowExt::inspect).
    #[must_use = "streams do nothing unless polled"]
    pub struct InspectStream<S, Op> {
        #[pin]
        stream: S,
        op: Op,
    }
}

debug_fields!(Inspect<F, Op> { flow: F });
debug_fields!(InspectStream<S, Op> { stream: S });

impl<F, Op> Inspect<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        Inspect { flow, op }
    }
}

impl<F, Op> Flow for Inspect<F, Op>
where
    F: Flow,
    Op: FnMut(&F::Item),
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = InspectStream<F::Stream, Op>;

    fn into_stream(self) -> Self::Stream {
        InspectStream { stream: self.flow.into_stream(), op: self.op }
    }
}

impl<S, Op, T, E> Stream for InspectStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(&T),
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let this = self.project();
        this.stream.poll_next(cx).map_ok(|item| {
            (this.op)(&item);
            item
        })
    }

    forward!(size_hint);
}

impl<S, Op, T, E> FusedStream for InspectStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(&T),
{
    forward!(is_terminated);
}

impl<S, Op, T, E> FlowStream for InspectStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(&T),
{
    forward!(poll_progress, stop);
}

impl<S, Op, T, E> Restart for InspectStream<S, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(&T),
{
    forward!(restart);
}
