use core::convert::Infallible;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};
use crate::operator::Event;

/// The flow of [`dematerialize`](crate::FlowExt::dematerialize).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Dematerialize<F> {
    flow: F,
}

pin_project! {
    /// The stream of [`dematerialize`](crate::FlowExt::dematerialize).
    #[must_use = "streams do nothing unless polled"]
    pub struct DematerializeStream<S> {
        #[pin]
        stream: S,
    }
}

debug_fields!(Dematerialize<F> { flow: F });
debug_fields!(DematerializeStream<S> { stream: S });

impl<F> Dematerialize<F> {
    pub(crate) fn new(flow: F) -> Self {
        Dematerialize { flow }
    }
}

impl<F, T, E> Flow for Dematerialize<F>
where
    F: Flow<Item = Event<T, E>, Error = Infallible>,
{
    type Item = T;
    type Error = E;
    type Stream = DematerializeStream<F::Stream>;

    fn into_stream(self) -> Self::Stream {
        DematerializeStream { stream: self.flow.into_stream() }
    }
}

impl<S, T, E> Stream for DematerializeStream<S>
where
    S: FlowStream<Item = Result<Event<T, E>, Infallible>>,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        let Some(Ok(event)) = ready!(this.stream.as_mut().poll_next(cx)) else {
            return Poll::Ready(None);
        };
        Poll::Ready(match event {
            Event::Item(item) => Some(Ok(item)),
            Event::Failed(error) => {
                this.stream.stop();
                Some(Err(error))
            }
            Event::Completed => {
                this.stream.stop();
                None
            }
        })
    }
}

impl<S, T, E> FusedStream for DematerializeStream<S>
where
    S: FlowStream<Item = Result<Event<T, E>, Infallible>>,
{
    forward!(is_terminated);
}

impl<S, T, E> FlowStream for DematerializeStream<S>
where
    S: FlowStream<Item = Result<Event<T, E>, Infallible>>,
{
    forward!(poll_progress, stop);
}

impl<S, T, E> Restart for DematerializeStream<S>
where
    S: Restart<Item = Result<Event<T, E>, Infallible>>,
{
    forward!(restart);
}
