use alloc::vec::Vec;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`chunks`](crate::FlowExt::chunks).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Chunks<F> {
    flow: F,
    size: usize,
}

pin_project! {
    /// The stream of [`chunks`](crate::FlowExt::chunks).
    #[must_use = "streams do nothing unless polled"]
    pub struct ChunksStream<S, T> {
        #[pin]
        stream: S,
        size: usize,
        open: Vec<T>,
    }
}

/// A chunk of a huge size grows as it fills.
const MAX_RESERVED: usize = 1024;

debug_fields!(Chunks<F> { flow: F });
debug_fields!(ChunksStream<S, T> { stream: S });

impl<F> Chunks<F> {
    pub(crate) fn new(flow: F, size: usize) -> Self {
        Chunks { flow, size }
    }
}

impl<F> Flow for Chunks<F>
where
    F: Flow,
{
    type Item = Vec<F::Item>;
    type Error = F::Error;
    type Stream = ChunksStream<F::Stream, F::Item>;

    fn into_stream(self) -> Self::Stream {
        ChunksStream { stream: self.flow.into_stream(), size: self.size, open: Vec::new() }
    }
}

impl<S, T, E> Stream for ChunksStream<S, T>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = Result<Vec<T>, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<Vec<T>, E> {
        let mut this = self.project();
        let mut turns = Turns::new();
        // It is filled as a local variable and put back where the poll ends without it.
        let mut open = mem::take(this.open);
        loop {
            match this.stream.as_mut().poll_next(cx) {
                Poll::Ready(Some(Ok(item))) => {
                    if open.is_empty() {
                        open = Vec::with_capacity((*this.size).min(MAX_RESERVED));
                    }
                    open.push(item);
                    if open.len() == *this.size {
                        return Poll::Ready(Some(Ok(open)));
                    }
                    if !turns.used_up(cx) {
                        continue;
                    }
                    let _ = this.stream.poll_progress(cx);
                }
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(None) if open.is_empty() => return Poll::Ready(None),
                Poll::Ready(None) => return Poll::Ready(Some(Ok(open))),
                Poll::Pending => {}
            }
            *this.open = open;
            return Poll::Pending;
        }
    }
}

impl<S, T, E> FusedStream for ChunksStream<S, T>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        self.stream.is_terminated() && self.open.is_empty()
    }
}

impl<S, T, E> FlowStream for ChunksStream<S, T>
where
    S: FlowStream<Item = Result<T, E>>,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.stop();
        *this.open = Vec::new();
    }
}

impl<S, T, E> Restart for ChunksStream<S, T>
where
    S: Restart<Item = Result<T, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.restart();
        *this.open = Vec::new();
    }
}
