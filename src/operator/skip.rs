use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`skip`](crate::FlowExt::skip).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Skip<F> {
    flow: F,
    count: usize,
}

pin_project! {
    /// The stream of [`skip`](crate::FlowExt::skip).
    #[must_use = "streams do nothing unless polled"]
    pub struct SkipStream<S> {
        #[pin]
        stream: S,
        count: usize,
        left: usize,
    }
}

debug_fields!(Skip<F> { flow: F });
debug_fields!(SkipStream<S> { stream: S });

impl<F> Skip<F> {
    pub(crate) fn new(flow: F, count: usize) -> Self {
        Skip { flow, count }
    }
}

impl<F> Flow for Skip<F>
where
    F: Flow,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = SkipStream<F::Stream>;

    fn into_stream(self) -> Self::Stream {
        SkipStream { stream: self.flow.into_stream(), count: self.count, left: self.count }
    }
}

impl<S, T, E> Stream for SkipStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
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
            if *this.left == 0 {
                return Poll::Ready(Some(Ok(item)));
            }
            *this.left -= 1;
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
    }
}

impl<S, T, E> FusedStream for SkipStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    forward!(is_terminated);
}

impl<S, T, E> FlowStream for SkipStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    forward!(poll_progress, stop);
}

impl<S, T, E> Restart for SkipStream<S>
where
    S: Restart<Item = Result<T, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.restart();
        *this.left = *this.count;
    }
}
