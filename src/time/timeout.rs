use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::{Alarm, Intake};
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
        intake: Intake<T, E>,
    }
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
        TimeoutStream { alarm: Alarm::new(), stream: self.flow.into_stream(), limit: self.limit, intake: Intake::new() }
    }
}

impl<S, T, E> Stream for TimeoutStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = Result<T, TimeoutError<E>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, TimeoutError<E>> {
        let mut this = self.project();
        if this.intake.is_ended() {
            return Poll::Ready(None);
        }
        let elapses_at_once = this.limit.is_zero();
        if !elapses_at_once {
            if let Poll::Ready(item) = this.intake.poll_next(this.stream.as_mut(), cx) {
                this.alarm.clear();
                return Poll::Ready(item.map(|item| item.map_err(TimeoutError::Upstream)));
            }
            if !this.alarm.is_set() {
                this.alarm.as_mut().set(*this.limit);
            }
        }
        if elapses_at_once || this.alarm.poll_ring(cx).is_ready() {
            *this.intake = Intake::ended();
            this.stream.stop();
            return Poll::Ready(Some(Err(TimeoutError::Elapsed)));
        }
        Poll::Pending
    }
}

impl<S, T, E> FusedStream for TimeoutStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        self.intake.is_ended()
    }
}

impl<S, T, E> FlowStream for TimeoutStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn poll_progress(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        this.intake.poll_progress(this.stream, cx)
    }

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        this.stream.stop();
        *this.intake = Intake::ended();
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
        *this.intake = Intake::new();
    }
}
