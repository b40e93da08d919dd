use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`chain`](crate::FlowExt::chain).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Chain<F, G> {
    flow: F,
    next: G,
}

pin_project! {
    /// The stream of [`chain`](crate::FlowExt::chain).
    #[must_use = "streams do nothing unless polled"]
    pub struct ChainStream<S, N> {
        #[pin]
        stream: S,
        #[pin]
        next: N,
        phase: Phase,
    }
}

#[derive(Debug)]
enum Phase {
    First,
    Next,
}

debug_fields!(Chain<F, G> { flow: F });
debug_fields!(ChainStream<S, N> { stream: S });

impl<F, G> Chain<F, G> {
    pub(crate) fn new(flow: F, next: G) -> Self {
        Chain { flow, next }
    }
}

impl<F, G> Flow for Chain<F, G>
where
    F: Flow,
    G: Flow<Item = F::Item, Error = F::Error>,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = ChainStream<F::Stream, G::Stream>;

    fn into_stream(self) -> Self::Stream {
        ChainStream { stream: self.flow.into_stream(), next: self.next.into_stream(), phase: Phase::First }
    }
}

impl<S, N, T, E> Stream for ChainStream<S, N>
where
    S: FlowStream<Item = Result<T, E>>,
    N: FlowStream<Item = Result<T, E>>,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let this = self.project();
        if let Phase::First = this.phase {
            match ready!(this.stream.poll_next(cx)) {
                Some(Err(error)) => {
                    this.next.stop();
                    *this.phase = Phase::Next;
                    return Poll::Ready(Some(Err(error)));
                }
                Some(item) => return Poll::Ready(Some(item)),
                None => *this.phase = Phase::Next,
            }
        }
        this.next.poll_next(cx)
    }
}

impl<S, N, T, E> FusedStream for ChainStream<S, N>
where
    S: FlowStream<Item = Result<T, E>>,
    N: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Next) && self.next.is_terminated()
    }
}

impl<S, N, T, E> FlowStream for ChainStream<S, N>
where
    S: FlowStream<Item = Result<T, E>>,
    N: FlowStream<Item = Result<T, E>>,
{
    fn poll_progress(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        match this.phase {
            Phase::First => this.stream.poll_progress(cx),
            Phase::Next => this.next.poll_progress(cx),
        }
    }

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.stop();
        this.next.stop();
        *this.phase = Phase::Next;
    }
}

impl<S, N, T, E> Restart for ChainStream<S, N>
where
    S: Restart<Item = Result<T, E>>,
    N: Restart<Item = Result<T, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.restart();
        this.next.restart();
        *this.phase = Phase::First;
    }
}
