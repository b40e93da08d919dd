use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem};

/// The flow of [`take_until`](crate::FlowExt::take_until).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct TakeUntil<F, Fut> {
    flow: F,
    future: Fut,
}

pin_project! {
    /// The stream of [`take_until`](crate::FlowExt::take_until).
    #[must_use = "streams do nothing unless polled"]
    pub struct TakeUntilStream<S, Fut> {
        #[pin]
        stream: S,
        #[pin]
        future: Option<Fut>,
    }
}

debug_fields!(TakeUntil<F, Fut> { flow: F });

impl<S: fmt::Debug, Fut> fmt::Debug for TakeUntilStream<S, Fut> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TakeUntilStream").field("stream", &self.stream).finish_non_exhaustive()
    }
}

impl<F, Fut> TakeUntil<F, Fut> {
    pub(crate) fn new(flow: F, future: Fut) -> Self {
        TakeUntil { flow, future }
    }
}

impl<F, Fut> Flow for TakeUntil<F, Fut>
where
    F: Flow,
    Fut: Future,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = TakeUntilStream<F::Stream, Fut>;

    fn into_stream(self) -> Self::Stream {
        TakeUntilStream { stream: self.flow.into_stream(), future: Some(self.future) }
    }
}

impl<S, Fut, T, E> Stream for TakeUntilStream<S, Fut>
where
    S: FlowStream<Item = Result<T, E>>,
    Fut: Future,
{
    type Item = Result<T, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        let stopped = match this.future.as_mut().as_pin_mut() {
            Some(future) => future.poll(cx).is_ready(),
            None => true,
        };
        if stopped {
            this.future.set(None);
            this.stream.stop();
            return Poll::Ready(None);
        }
        let item = this.stream.poll_next(cx);
        if matches!(item, Poll::Ready(None | Some(Err(_)))) {
            this.future.set(None);
        }
        item
    }
}

impl<S, Fut, T, E> FusedStream for TakeUntilStream<S, Fut>
where
    S: FlowStream<Item = Result<T, E>>,
    Fut: Future,
{
    fn is_terminated(&self) -> bool {
        self.future.is_none() || self.stream.is_terminated()
    }
}

impl<S, Fut, T, E> FlowStream for TakeUntilStream<S, Fut>
where
    S: FlowStream<Item = Result<T, E>>,
    Fut: Future,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.stream.stop();
        this.future.set(None);
    }
}
