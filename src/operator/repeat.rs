use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`repeat`](crate::FlowExt::repeat).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Repeat<F> {
    flow: F,
    count: usize,
}

pin_project! {
    /// The stream of [`repeat`](crate::FlowExt::repeat).
    #[must_use = "streams do nothing unless polled"]
    pub struct RepeatStream<S> {
        #[pin]
        stream: S,
        count: usize,
        left: usize,
    }
}

debug_fields!(Repeat<F> { flow: F });
debug_fields!(RepeatStream<S> { stream: S });

impl<F> Repeat<F> {
    pub(crate) fn new(flow: F, count: usize) -> Self {
        Repeat { flow, count }
    }
}

impl<F> Flow for Repeat<F>
where
    F: Flow<Stream: Restart>,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = RepeatStream<F::Stream>;

    fn into_stream(self) -> Self::Stream {
        RepeatStream { stream: self.flow.into_stream(), count: self.count, left: self.count }
    }
}

impl<S, T, E> Stream for RepeatStream<S>
where
    S: Restart<Item = Result<T, E>>,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        let mut turns = Turns::new();
        while *this.left > 0 {
            match ready!(this.stream.as_mut().poll_next(cx)) {
                Some(Err(error)) => {
                    *this.left = 0;
                    return Poll::Ready(Some(Err(error)));
                }
                Some(item) => return Poll::Ready(Some(item)),
                None => {
                    *this.left -= 1;
                    if *this.left > 0 {
                        this.stream.as_mut().restart();
                    }
                }
            }
            if turns.used_up(cx) {
                return Poll::Pending;
            }
        }
        Poll::Ready(None)
    }
}

impl<S, T, E> FusedStream for RepeatStream<S>
where
    S: Restart<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        self.left == 0
    }
}

impl<S, T, E> FlowStream for RepeatStream<S>
where
    S: Restart<Item = Result<T, E>>,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.stop();
        *this.left = 0;
    }
}

impl<S, T, E> Restart for RepeatStream<S>
where
    S: Restart<Item = Result<T, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.restart();
        *this.left = *this.count;
    }
}
