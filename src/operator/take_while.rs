use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`take_while`](crate::FlowExt::take_while).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct TakeWhile<F, P> {
    flow: F,
    predicate: P,
}

pin_project! {
    /// The stream of [`take_while`](crate::FlowExt::take_while).
    #[must_use = "streams do nothing unless polled"]
    pub struct TakeWhileStream<S, P> {
        #[pin]
        stream: S,
        predicate: P,
    }
}

debug_fields!(TakeWhile<F, P> { flow: F });
debug_fields!(TakeWhileStream<S, P> { stream: S });

impl<F, P> TakeWhile<F, P> {
    pub(crate) fn new(flow: F, predicate: P) -> Self {
        TakeWhile { flow, predicate }
    }
}

impl<F, P> Flow for TakeWhile<F, P>
where
    F: Flow,
    P: FnMut(&F::Item) -> bool,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = TakeWhileStream<F::Stream, P>;

    fn into_stream(self) -> Self::Stream {
        TakeWhileStream { stream: self.flow.into_stream(), predicate: self.predicate }
    }
}

impl<S, P, T, E> Stream for TakeWhileStream<S, P>
where
    S: FlowStream<Item = Result<T, E>>,
    P: FnMut(&T) -> bool,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        match ready!(this.stream.as_mut().poll_next(cx)) {
            Some(Ok(item)) if !(this.predicate)(&item) => {
                this.stream.stop();
                Poll::Ready(None)
            }
            other => Poll::Ready(other),
        }
    }
}

impl<S, P, T, E> FusedStream for TakeWhileStream<S, P>
where
    S: FlowStream<Item = Result<T, E>>,
    P: FnMut(&T) -> bool,
{
    forward!(is_terminated);
}

impl<S, P, T, E> FlowStream for TakeWhileStream<S, P>
where
    S: FlowStream<Item = Result<T, E>>,
    P: FnMut(&T) -> bool,
{
    forward!(poll_progress, stop);
}

impl<S, P, T, E> Restart for TakeWhileStream<S, P>
where
    S: Restart<Item = Result<T, E>>,
    P: FnMut(&T) -> bool,
{
    forward!(restart);
}
