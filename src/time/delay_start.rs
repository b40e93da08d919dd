use core::pin::Pin;
use core::task::{Context, ready};
use core::time::Duration;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::Alarm;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`delay_start`](crate::FlowExt::delay_start).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct DelayStart<F> {
    flow: F,
    delay: Duration,
}

pin_project! {
    /// The stream of [`delay_start`](crate::FlowExt::delay_start).
    #[must_use = "streams do nothing unless polled"]
    pub struct DelayStartStream<S> {
        #[pin]
        alarm: Alarm,
        #[pin]
        stream: S,
        delay: Duration,
        phase: Phase,
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Fresh,
    Waiting,
    Running,
}

debug_fields!(DelayStart<F> { flow: F });
debug_fields!(DelayStartStream<S> { stream: S });

impl<F> DelayStart<F> {
    pub(crate) fn new(flow: F, delay: Duration) -> Self {
        DelayStart { flow, delay }
    }
}

impl<F: Flow> Flow for DelayStart<F> {
    type Item = F::Item;
    type Error = F::Error;
    type Stream = DelayStartStream<F::Stream>;

    fn into_stream(self) -> Self::Stream {
        DelayStartStream {
            alarm: Alarm::new(),
            stream: self.flow.into_stream(),
            delay: self.delay,
            phase: Phase::Fresh,
        }
    }
}

impl<S, T, E> Stream for DelayStartStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = Result<T, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        if *this.phase == Phase::Fresh {
            this.alarm.as_mut().set(*this.delay);
            *this.phase = Phase::Waiting;
        }
        if *this.phase == Phase::Waiting {
            ready!(this.alarm.poll_ring(cx));
            *this.phase = Phase::Running;
        }
        this.stream.poll_next(cx)
    }
}

impl<S, T, E> FusedStream for DelayStartStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        self.phase == Phase::Running && self.stream.is_terminated()
    }
}

impl<S, T, E> FlowStream for DelayStartStream<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        this.stream.stop();
        *this.phase = Phase::Running;
    }
}

impl<S, T, E> Restart for DelayStartStream<S>
where
    S: Restart<Item = Result<T, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        this.stream.restart();
        *this.phase = Phase::Fresh;
    }
}
