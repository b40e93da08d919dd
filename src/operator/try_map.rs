use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`try_map`](crate::FlowExt::try_map).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct TryMap<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`try_map`](crate::FlowExt::try_map).
    #[must_use = "streams do nothing unless polled"]
    pub struct TryMapStream<S, Op> {
        #[pin]
        stream: S,
        op: Op,
    }
}

debug_fields!(TryMap<F, Op> { flow: F });
debug_fields!(TryMapStream<S, Op> { stream: S });

impl<F, Op> TryMap<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        TryMap { flow, op }
    }
}

impl<F, Op, U> Flow for TryMap<F, Op>
where
    F: Flow,
    Op: FnMut(F::Item) -> Result<U, F::Error>,
{
    type Item = U;
    type Error = F::Error;
    type Stream = TryMapStream<F::Stream, Op>;

    fn into_stream(self) -> Self::Stream {
        TryMapStream { stream: self.flow.into_stream(), op: self.op }
    }
}

impl<S, Op, T, U, E> Stream for TryMapStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Result<U, E>,
{
    type Item = Result<U, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<U, E> {
        let mut this = self.project();
        let Some(item) = ready!(this.stream.as_mut().poll_next(cx)?) else {
            return Poll::Ready(None);
        };
        let mapped = (this.op)(item);
        if mapped.is_err() {
            this.stream.stop();
        }
        Poll::Ready(Some(mapped))
    }
}

impl<S, Op, T, U, E> FusedStream for TryMapStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Result<U, E>,
{
    forward!(is_terminated);
}

impl<S, Op, T, U, E> FlowStream for TryMapStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Result<U, E>,
{
    forward!(poll_progress, stop);
}

impl<S, Op, T, U, E> Restart for TryMapStream<S, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(T) -> Result<U, E>,
{
    forward!(restart);
}
