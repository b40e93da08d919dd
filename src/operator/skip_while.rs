use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`skip_while`](crate::FlowExt::skip_while).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct SkipWhile<F, P> {
    flow: F,
    predicate: P,
}

pin_project! {
    /// The stream of [`skip_while`](crate::FlowExt::skip_while).
    #[must_use = "streams do nothing unless polled"]
    pub struct SkipWhileStream<S, P> {
        #[pin]
        stream: S,
        predicate: P,
        skipping: bool,
    }
}

debug_fields!(SkipWhile<F, P> { flow: F });
debug_fields!(SkipWhileStream<S, P> { stream: S });

impl<F, P> SkipWhile<F, P> {
    pub(crate) fn new(flow: F, predicate: P) -> Self {
        SkipWhile { flow, predicate }
    }
}

impl<F, P> Flow for SkipWhile<F, P>
where
    F: Flow,
    P: FnMut(&F::Item) -> bool,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = SkipWhileStream<F::Stream, P>;

    fn into_stream(self) -> Self::Stream {
        SkipWhileStream { stream: self.flow.into_stream(), predicate: self.predicate, skipping: true }
    }
}

impl<S, P, T, E> Stream for SkipWhileStream<S, P>
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
            *this.skipping = *this.skipping && (this.predicate)(&item);
            if !*this.skipping {
                return Poll::Ready(Some(Ok(item)));
            }
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
    }
}

impl<S, P, T, E> FusedStream for SkipWhileStream<S, P>
where
    S: FlowStream<Item = Result<T, E>>,
    P: FnMut(&T) -> bool,
{
    forward!(is_terminated);
}

impl<S, P, T, E> FlowStream for SkipWhileStream<S, P>
where
    S: FlowStream<Item = Result<T, E>>,
    P: FnMut(&T) -> bool,
{
    forward!(poll_progress, stop);
}

impl<S, P, T, E> Restart for SkipWhileStream<S, P>
where
    S: Restart<Item = Result<T, E>>,
    P: FnMut(&T) -> bool,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.restart();
        *this.skipping = true;
    }
}
