use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`take`](crate::FlowExt::take).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Take<F> {
    flow: F,
    count: usize,
}

pin_project! {
    /// The stream of [`take`](crate::FlowExt::take).
    #[must_use = "streams do nothing unless polled"]
    pub struct TakeStream<S> {
        #[pin]
        stream: S,
        count: usize,
        left: usize,
    }
}

debug_fields!(Take<F> { flow: F });
debug_fields!(TakeStream<S> { stream: S });

impl<F> Take<F> {
    pub(crate) fn new(flow: F, count: usize) -> Self {
        Take { flow, count }
    }
}

impl<F> Flow for Take<F>
where
    F: Flow,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = TakeStream<F::Stream>;

    fn into_stream(self) -> Self::Stream {
        TakeStream { stream: self.flow.into_stream(), count: self.count, left: self.count }
    }
}

impl<S, T, E> Stream for TakeStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let this = self.project();
        if *this.left == 0 {
            this.stream.stop();
            return Poll::Ready(None);
        }
        let item = ready!(this.stream.poll_next(cx));
        *this.left -= 1;
        Poll::Ready(item)
    }
}

impl<S, T, E> FusedStream for TakeStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    forward!(is_terminated);
}

impl<S, T, E> FlowStream for TakeStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    forward!(poll_progress, stop);
}

impl<S, T, E> Restart for TakeStream<S>
where
    S: Restart<Item = Result<T, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.restart();
        *this.left = *this.count;
    }
}
