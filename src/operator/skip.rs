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
        if *this.left > 0 && ready!(drop_first(this.stream.as_mut(), this.left, cx)?).is_none() {
            return Poll::Ready(None);
        }
        this.stream.poll_next(cx)
    }
}

/// Drops as many items as are `left`, or all that there are, and says whether there may be more. It stands apart from
/// what each item passes afterwards.
#[inline(never)]
fn drop_first<S, T, E>(mut stream: Pin<&mut S>, left: &mut usize, cx: &mut Context<'_>) -> PollItem<(), E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    let mut turns = Turns::of_a_collection();
    while *left > 0 {
        if ready!(stream.as_mut().poll_next(cx)?).is_none() {
            return Poll::Ready(None);
        }
        *left -= 1;
        if turns.used_up(cx) {
            let _ = stream.poll_progress(cx);
            return Poll::Pending;
        }
    }
    Poll::Ready(Some(Ok(())))
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
