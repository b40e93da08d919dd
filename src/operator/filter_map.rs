use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`filter_map`](crate::FlowExt::filter_map).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct FilterMap<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`filter_map`](crate::FlowExt::filter_map).
    #[must_use = "streams do nothing unless polled"]
    pub struct FilterMapStream<S, Op> {
        #[pin]
        stream: S,
        op: Op,
    }
}

debug_fields!(FilterMap<F, Op> { flow: F });
debug_fields!(FilterMapStream<S, Op> { stream: S });

impl<F, Op> FilterMap<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        FilterMap { flow, op }
    }
}

impl<F, Op, U> Flow for FilterMap<F, Op>
where
    F: Flow,
    Op: FnMut(F::Item) -> Option<U>,
{
    type Item = U;
    type Error = F::Error;
    type Stream = FilterMapStream<F::Stream, Op>;

    fn into_stream(self) -> Self::Stream {
        FilterMapStream { stream: self.flow.into_stream(), op: self.op }
    }
}

impl<S, Op, T, U, E> Stream for FilterMapStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Option<U>,
{
    type Item = Result<U, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<U, E> {
        let mut this = self.project();
        let mut turns = Turns::new();
        loop {
            let Some(item) = ready!(this.stream.as_mut().poll_next(cx)?) else {
                return Poll::Ready(None);
            };
            if let Some(mapped) = (this.op)(item) {
                return Poll::Ready(Some(Ok(mapped)));
            }
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
    }
}

impl<S, Op, T, U, E> FusedStream for FilterMapStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Option<U>,
{
    forward!(is_terminated);
}

impl<S, Op, T, U, E> FlowStream for FilterMapStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Option<U>,
{
    forward!(poll_progress, stop);
}

impl<S, Op, T, U, E> Restart for FilterMapStream<S, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(T) -> Option<U>,
{
    forward!(restart);
}
