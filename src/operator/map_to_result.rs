use core::convert::Infallible;
use core::pin::Pin;
use core::task::Context;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`map_to_result`](crate::FlowExt::map_to_result).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct MapToResult<F> {
    flow: F,
}

pin_project! {
    /// The stream of [`map_to_result`](crate::FlowExt::map_to_result).
    #[must_use = "streams do nothing unless polled"]
    pub struct MapToResultStream<S> {
        #[pin]
        stream: S,
    }
}

debug_fields!(MapToResult<F> { flow: F });
debug_fields!(MapToResultStream<S> { stream: S });

impl<F> MapToResult<F> {
    pub(crate) fn new(flow: F) -> Self {
        MapToResult { flow }
    }
}

impl<F> Flow for MapToResult<F>
where
    F: Flow,
{
    type Item = Result<F::Item, F::Error>;
    type Error = Infallible;
    type Stream = MapToResultStream<F::Stream>;

    fn into_stream(self) -> Self::Stream {
        MapToResultStream { stream: self.flow.into_stream() }
    }
}

impl<S, T, E> Stream for MapToResultStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = Result<Result<T, E>, Infallible>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<Result<T, E>, Infallible> {
        self.project().stream.poll_next(cx).map(|item| item.map(Ok))
    }

    forward!(size_hint);
}

impl<S, T, E> FusedStream for MapToResultStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    forward!(is_terminated);
}

impl<S, T, E> FlowStream for MapToResultStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    forward!(poll_progress, stop);
}

impl<S, T, E> Restart for MapToResultStream<S>
where
    S: Restart<Item = Result<T, E>>,
{
    forward!(restart);
}
