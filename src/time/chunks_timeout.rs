use alloc::vec::Vec;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::Alarm;
use crate::concurrent::PROGRESS;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`chunks_timeout`](crate::FlowExt::chunks_timeout).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct ChunksTimeout<F> {
    flow: F,
    size: usize,
    period: Duration,
}

pin_project! {
    /// The stream of [`chunks_timeout`](crate::FlowExt::chunks_timeout).
    #[must_use = "streams do nothing unless polled"]
    pub struct ChunksTimeoutStream<S, T, E> {
        // Set while a chunk is open.
        #[pin]
        alarm: Alarm,
        #[pin]
        stream: S,
        size: usize,
        period: Duration,
        open: Vec<T>,
        phase: Phase<E>,
    }
}

enum Phase<E> {
    Fresh,
    Running,
    /// Upstream has failed; the error comes behind the open chunk.
    Failed(E),
    Done,
}

debug_fields!(ChunksTimeout<F> { flow: F });
debug_fields!(ChunksTimeoutStream<S, T, E> { stream: S });

impl<F> ChunksTimeout<F> {
    pub(crate) fn new(flow: F, size: usize, period: Duration) -> Self {
        ChunksTimeout { flow, size, period }
    }
}

impl<F: Flow> Flow for ChunksTimeout<F> {
    type Item = Vec<F::Item>;
    type Error = F::Error;
    type Stream = ChunksTimeoutStream<F::Stream, F::Item, F::Error>;

    fn into_stream(self) -> Self::Stream {
        ChunksTimeoutStream {
            alarm: Alarm::new(),
            stream: self.flow.into_stream(),
            size: self.size,
            period: self.period,
            open: Vec::new(),
            phase: Phase::Fresh,
        }
    }
}

impl<S, T, E> ChunksTimeoutStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    /// Fills the open chunk. Ready when it is full, or upstream has ended.
    fn fill(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut this = self.project();
        for _ in 0..PROGRESS {
            if !matches!(this.phase, Phase::Running) || this.open.len() == *this.size {
                return Poll::Ready(());
            }
            match this.stream.as_mut().poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(item))) => {
                    if this.open.is_empty() {
                        this.alarm.as_mut().set(*this.period);
                    }
                    this.open.push(item);
                }
                Poll::Ready(Some(Err(error))) => *this.phase = Phase::Failed(error),
                Poll::Ready(None) => *this.phase = Phase::Done,
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<S, T, E> Stream for ChunksTimeoutStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = Result<Vec<T>, E>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<Vec<T>, E> {
        if let Phase::Fresh = self.phase {
            *self.as_mut().project().phase = Phase::Running;
        }
        let filled = self.as_mut().fill(cx);
        let mut this = self.project();
        if filled.is_pending() && this.alarm.as_mut().poll_ring(cx).is_pending() {
            return Poll::Pending;
        }
        if !this.open.is_empty() {
            this.alarm.clear();
            return Poll::Ready(Some(Ok(mem::take(this.open))));
        }
        match mem::replace(this.phase, Phase::Done) {
            Phase::Failed(error) => Poll::Ready(Some(Err(error))),
            _ => Poll::Ready(None),
        }
    }
}

impl<S, T, E> FusedStream for ChunksTimeoutStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done) && self.open.is_empty()
    }
}

impl<S, T, E> FlowStream for ChunksTimeoutStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn poll_progress(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if let Phase::Running = self.phase {
            if self.as_mut().fill(cx).is_pending() {
                return Poll::Pending;
            }
            return self.project().stream.poll_progress(cx);
        }
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        this.stream.stop();
        *this.open = Vec::new();
        *this.phase = Phase::Done;
    }
}

impl<S, T, E> Restart for ChunksTimeoutStream<S, T, E>
where
    S: Restart<Item = Result<T, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        this.stream.restart();
        *this.open = Vec::new();
        *this.phase = Phase::Fresh;
    }
}
