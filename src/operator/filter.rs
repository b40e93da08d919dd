use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`filter`](crate::FlowExt::filter).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Filter<F, P> {
    flow: F,
    predicate: P,
}

pin_project! {
    /// The stream of [`filter`](crate::FlowExt::filter).
    #[must_use = "streams do nothing unless polled"]
    pub struct FilterStream<S, P> {
        #[pin]
        stream: S,
        predicate: P,
    }
}

debug_fields!(Filter<F, P> { flow: F });
debug_fields!(FilterStream<S, P> { stream: S });

impl<F, P> Filter<F, P> {
    pub(crate) fn new(flow: F, predicate: P) -> Self {
        Filter { flow, predicate }
    }
}

impl<F, P> Flow for Filter<F, P>
where
    F: Flow,
    P: FnMut(&F::Item) -> bool,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = FilterStream<F::Stream, P>;

    fn into_stream(self) -> Self::Stream {
        FilterStream { stream: self.flow.into_stream(), predicate: self.predicate }
    }
}

impl<S, P, T, E> Stream for FilterStream<S, P>
where
    S: FlowStream<Item = Result<T, E>>,
    P: FnMut(&T) -> bool,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        let mut turns = Turns::new();
        loop {
            let Some(item) = ready!(this.stream.as_mut().poll_next(cx)?) else {
                return Poll::Ready(None);
            };
            if (this.predicate)(&item) {
                return Poll::Ready(Some(Ok(item)));
            }
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
    }
}

impl<S, P, T, E> FusedStream for FilterStream<S, P>
where
    S: FlowStream<Item = Result<T, E>>,
    P: FnMut(&T) -> bool,
{
    forward!(is_terminated);
}

impl<S, P, T, E> FlowStream for FilterStream<S, P>
where
    S: FlowStream<Item = Result<T, E>>,
    P: FnMut(&T) -> bool,
{
    forward!(poll_progress, stop);
}

impl<S, P, T, E> Restart for FilterStream<S, P>
where
    S: Restart<Item = Result<T, E>>,
    P: FnMut(&T) -> bool,
{
    forward!(restart);
}
