use core::pin::Pin;
use core::task::Context;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`enumerate`](crate::FlowExt::enumerate).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Enumerate<F> {
    flow: F,
}

pin_project! {
    /// The stream of [`enumerate`](crate::FlowExt::enumerate).
    #[must_use = "streams do nothing unless polled"]
    pub struct EnumerateStream<S> {
        #[pin]
        stream: S,
        index: usize,
    }
}

debug_fields!(Enumerate<F> { flow: F });
debug_fields!(EnumerateStream<S> { stream: S });

impl<F> Enumerate<F> {
    pub(crate) fn new(flow: F) -> Self {
        Enumerate { flow }
    }
}

impl<F> Flow for Enumerate<F>
where
    F: Flow,
{
    type Item = (usize, F::Item);
    type Error = F::Error;
    type Stream = EnumerateStream<F::Stream>;

    fn into_stream(self) -> Self::Stream {
        EnumerateStream { stream: self.flow.into_stream(), index: 0 }
    }
}

impl<S, T, E> Stream for EnumerateStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = Result<(usize, T), E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<(usize, T), E> {
        let this = self.project();
        this.stream.poll_next(cx).map_ok(|item| {
            let index = *this.index;
            *this.index += 1;
            (index, item)
        })
    }

    forward!(size_hint);
}

impl<S, T, E> FusedStream for EnumerateStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    forward!(is_terminated);
}

impl<S, T, E> FlowStream for EnumerateStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    forward!(poll_progress, stop);
}

impl<S, T, E> Restart for EnumerateStream<S>
where
    S: Restart<Item = Result<T, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.restart();
        *this.index = 0;
    }
}
