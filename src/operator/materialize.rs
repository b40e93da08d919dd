use core::convert::Infallible;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`materialize`](crate::FlowExt::materialize).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Materialize<F> {
    flow: F,
}

pin_project! {
    /// The stream of [`materialize`](crate::FlowExt::materialize).
    #[must_use = "streams do nothing unless polled"]
    pub struct MaterializeStream<S> {
        #[pin]
        stream: S,
        done: bool,
    }
}

/// What a flow does: an item, or how it ends. Of [`materialize`](crate::FlowExt::materialize).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event<T, E> {
    /// It emitted a value.
    Item(T),
    /// It failed. Nothing follows.
    Failed(E),
    /// It ended normally. Nothing follows.
    Completed,
}

debug_fields!(Materialize<F> { flow: F });
debug_fields!(MaterializeStream<S> { stream: S });

impl<F> Materialize<F> {
    pub(crate) fn new(flow: F) -> Self {
        Materialize { flow }
    }
}

impl<F> Flow for Materialize<F>
where
    F: Flow,
{
    type Item = Event<F::Item, F::Error>;
    type Error = Infallible;
    type Stream = MaterializeStream<F::Stream>;

    fn into_stream(self) -> Self::Stream {
        MaterializeStream { stream: self.flow.into_stream(), done: false }
    }
}

impl<S, T, E> Stream for MaterializeStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = Result<Event<T, E>, Infallible>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<Event<T, E>, Infallible> {
        let this = self.project();
        if *this.done {
            return Poll::Ready(None);
        }
        let event = match ready!(this.stream.poll_next(cx)) {
            Some(Ok(item)) => Event::Item(item),
            Some(Err(error)) => Event::Failed(error),
            None => Event::Completed,
        };
        *this.done = !matches!(event, Event::Item(_));
        Poll::Ready(Some(Ok(event)))
    }
}

impl<S, T, E> FusedStream for MaterializeStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        self.done
    }
}

impl<S, T, E> FlowStream for MaterializeStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.stop();
        *this.done = true;
    }
}

impl<S, T, E> Restart for MaterializeStream<S>
where
    S: Restart<Item = Result<T, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.restart();
        *this.done = false;
    }
}
