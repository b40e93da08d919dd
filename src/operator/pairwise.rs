use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`pairwise`](crate::FlowExt::pairwise).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Pairwise<F> {
    flow: F,
}

pin_project! {
    /// The stream of [`pairwise`](crate::FlowExt::pairwise).
    #[must_use = "streams do nothing unless polled"]
    pub struct PairwiseStream<S, T> {
        #[pin]
        stream: S,
        last: Option<T>,
    }
}

debug_fields!(Pairwise<F> { flow: F });
debug_fields!(PairwiseStream<S, T> { stream: S });

impl<F> Pairwise<F> {
    pub(crate) fn new(flow: F) -> Self {
        Pairwise { flow }
    }
}

impl<F> Flow for Pairwise<F>
where
    F: Flow,
    F::Item: Clone,
{
    type Item = (F::Item, F::Item);
    type Error = F::Error;
    type Stream = PairwiseStream<F::Stream, F::Item>;

    fn into_stream(self) -> Self::Stream {
        PairwiseStream { stream: self.flow.into_stream(), last: None }
    }
}

impl<S, T, E> Stream for PairwiseStream<S, T>
where
    S: FlowStream<Item = Result<T, E>>,
    T: Clone,
{
    type Item = Result<(T, T), E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<(T, T), E> {
        let mut this = self.project();
        let mut turns = Turns::new();
        loop {
            let Some(item) = ready!(this.stream.as_mut().poll_next(cx)?) else {
                return Poll::Ready(None);
            };
            if let Some(last) = this.last.replace(item.clone()) {
                return Poll::Ready(Some(Ok((last, item))));
            }
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
    }
}

impl<S, T, E> FusedStream for PairwiseStream<S, T>
where
    S: FlowStream<Item = Result<T, E>>,
    T: Clone,
{
    forward!(is_terminated);
}

impl<S, T, E> FlowStream for PairwiseStream<S, T>
where
    S: FlowStream<Item = Result<T, E>>,
    T: Clone,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.stop();
        *this.last = None;
    }
}

impl<S, T, E> Restart for PairwiseStream<S, T>
where
    S: Restart<Item = Result<T, E>>,
    T: Clone,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.restart();
        *this.last = None;
    }
}
