use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::Alarm;
use crate::error::TimeoutError;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`timeout`](crate::FlowExt::timeout).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Timeout<F> {
    flow: F,
    limit: Duration,
}

pin_project! {
    /// The stream of [`timeout`](crate::FlowExt::timeout).
    #[must_use = "streams do nothing unless polled"]
    pub struct TimeoutStream<S, T, E> {
        #[pin]
        alarm: Alarm,
        #[pin]
        stream: S,
        limit: Duration,
        // What upstream has emitted while the consumer was busy, and with which it waits.
        in_hand: Option<T>,
        phase: Phase<E>,
    }
}

enum Phase<E> {
    Fresh,
    Running,
    Failed(E),
    Done,
}

debug_fields!(Timeout<F> { flow: F });
debug_fields!(TimeoutStream<S, T, E> { stream: S });

impl<F> Timeout<F> {
    pub(crate) fn new(flow: F, limit: Duration) -> Self {
        Timeout { flow, limit }
    }
}

impl<F: Flow> Flow for Timeout<F> {
    type Item = F::Item;
    type Error = TimeoutError<F::Error>;
    type Stream = TimeoutStream<F::Stream, F::Item, F::Error>;

    fn into_stream(self) -> Self::Stream {
        TimeoutStream {
            alarm: Alarm::new(),
            stream: self.flow.into_stream(),
            limit: self.limit,
            in_hand: None,
            phase: Phase::Fresh,
        }
    }
}

impl<S, T, E> Stream for TimeoutStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = Result<T, TimeoutError<E>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, TimeoutError<E>> {
        let mut this = self.project();
        if let Some(item) = this.in_hand.take() {
            this.alarm.clear();
            return Poll::Ready(Some(Ok(item)));
        }
        match mem::replace(this.phase, Phase::Done) {
            Phase::Fresh | Phase::Running => {}
            Phase::Failed(error) => return Poll::Ready(Some(Err(TimeoutError::Upstream(error)))),
            Phase::Done => return Poll::Ready(None),
        }
        let received = if this.limit.is_zero() { Poll::Pending } else { this.stream.as_mut().poll_next(cx) };
        match received {
            Poll::Ready(Some(Ok(item))) => {
                *this.phase = Phase::Running;
                this.alarm.clear();
                Poll::Ready(Some(Ok(item)))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(TimeoutError::Upstream(error)))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                if !this.alarm.is_set() {
                    this.alarm.as_mut().set(*this.limit);
                }
                if this.limit.is_zero() || this.alarm.poll_ring(cx).is_ready() {
                    this.stream.stop();
                    return Poll::Ready(Some(Err(TimeoutError::Elapsed)));
                }
                *this.phase = Phase::Running;
                Poll::Pending
            }
        }
    }
}

impl<S, T, E> FusedStream for TimeoutStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done) && self.in_hand.is_none()
    }
}

impl<S, T, E> FlowStream for TimeoutStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn poll_progress(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut this = self.project();
        if !matches!(this.phase, Phase::Running) {
            return Poll::Ready(());
        }
        if this.in_hand.is_none() {
            match this.stream.as_mut().poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(item))) => *this.in_hand = Some(item),
                Poll::Ready(Some(Err(error))) => *this.phase = Phase::Failed(error),
                Poll::Ready(None) => *this.phase = Phase::Done,
            }
        }
        this.stream.poll_progress(cx)
    }

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        this.stream.stop();
        *this.in_hand = None;
        *this.phase = Phase::Done;
    }
}

impl<S, T, E> Restart for TimeoutStream<S, T, E>
where
    S: Restart<Item = Result<T, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        this.stream.restart();
        *this.in_hand = None;
        *this.phase = Phase::Fresh;
    }
}
