use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::{Alarm, Intake};
use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// Which item of a period [`throttle`](crate::FlowExt::throttle) lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Edge {
    /// The first, at once.
    Leading,
    /// The latest, at the end of the period.
    Trailing,
    /// The first at once and, if others followed it, the latest at the end.
    Both,
}

/// The flow of [`throttle`](crate::FlowExt::throttle).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Throttle<F> {
    flow: F,
    period: Duration,
    edge: Edge,
}

pin_project! {
    /// The stream of [`throttle`](crate::FlowExt::throttle).
    #[must_use = "streams do nothing unless polled"]
    pub struct ThrottleStream<S, T, E> {
        // Set while a period lasts.
        #[pin]
        alarm: Alarm,
        #[pin]
        stream: S,
        period: Duration,
        edge: Edge,
        // What is due at the end of the period.
        trailing: Option<T>,
        intake: Intake<T, E>,
    }
}

debug_fields!(Throttle<F> { flow: F });
debug_fields!(ThrottleStream<S, T, E> { stream: S });

impl<F> Throttle<F> {
    pub(crate) fn new(flow: F, period: Duration, edge: Edge) -> Self {
        Throttle { flow, period, edge }
    }
}

impl<F: Flow> Flow for Throttle<F> {
    type Item = F::Item;
    type Error = F::Error;
    type Stream = ThrottleStream<F::Stream, F::Item, F::Error>;

    fn into_stream(self) -> Self::Stream {
        ThrottleStream {
            alarm: Alarm::new(),
            stream: self.flow.into_stream(),
            period: self.period,
            edge: self.edge,
            trailing: None,
            intake: Intake::new(),
        }
    }
}

impl<S, T, E> ThrottleStream<S, T, E> {
    /// Forgets the items and the period.
    fn clear(self: Pin<&mut Self>, intake: Intake<T, E>) {
        let this = self.project();
        this.alarm.clear();
        *this.trailing = None;
        *this.intake = intake;
    }
}

impl<S, T, E> Stream for ThrottleStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = Result<T, E>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut turns = Turns::new();
        loop {
            let mut this = self.as_mut().project();
            if this.alarm.as_mut().poll_ring(cx).is_ready() {
                if let Some(item) = this.trailing.take() {
                    this.alarm.set(*this.period);
                    return Poll::Ready(Some(Ok(item)));
                }
            }
            match this.intake.poll_next(this.stream.as_mut(), cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(item))) => {
                    let opens = !this.alarm.is_set();
                    if opens {
                        this.alarm.set(*this.period);
                    }
                    match this.edge {
                        Edge::Leading | Edge::Both if opens => return Poll::Ready(Some(Ok(item))),
                        Edge::Leading => {}
                        Edge::Trailing | Edge::Both => *this.trailing = Some(item),
                    }
                }
                Poll::Ready(Some(Err(error))) => {
                    self.clear(Intake::ended());
                    return Poll::Ready(Some(Err(error)));
                }
                Poll::Ready(None) => {
                    let last = this.trailing.take();
                    self.clear(Intake::ended());
                    return Poll::Ready(last.map(Ok));
                }
            }
            if turns.used_up(cx) {
                return Poll::Pending;
            }
        }
    }
}

impl<S, T, E> FusedStream for ThrottleStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        self.intake.is_ended() && self.trailing.is_none()
    }
}

impl<S, T, E> FlowStream for ThrottleStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn poll_progress(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        this.intake.poll_progress(this.stream, cx)
    }

    fn stop(mut self: Pin<&mut Self>) {
        self.as_mut().clear(Intake::ended());
        self.project().stream.stop();
    }
}

impl<S, T, E> Restart for ThrottleStream<S, T, E>
where
    S: Restart<Item = Result<T, E>>,
{
    fn restart(mut self: Pin<&mut Self>) {
        self.as_mut().clear(Intake::new());
        self.project().stream.restart();
    }
}
