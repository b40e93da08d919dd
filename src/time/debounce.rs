use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::{Alarm, Intake};
use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`debounce`](crate::FlowExt::debounce) and [`debounce_by`](crate::FlowExt::debounce_by).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Debounce<F, D> {
    flow: F,
    time: D,
}

pin_project! {
    /// The stream of [`debounce`](crate::FlowExt::debounce) and [`debounce_by`](crate::FlowExt::debounce_by).
    #[must_use = "streams do nothing unless polled"]
    pub struct DebounceStream<S, T, E, D> {
        #[pin]
        alarm: Alarm,
        #[pin]
        stream: S,
        time: D,
        // The item for which the timer runs.
        settling: Option<T>,
        intake: Intake<T, E>,
    }
}

/// How long an item must stay the latest one: a `Duration`, or a closure that tells it for each item.
pub trait DebounceTime<T> {
    /// The time for `item`.
    fn time(&mut self, item: &T) -> Duration;
}

impl<T> DebounceTime<T> for Duration {
    fn time(&mut self, _: &T) -> Duration {
        *self
    }
}

impl<T, Op: FnMut(&T) -> Duration> DebounceTime<T> for Op {
    fn time(&mut self, item: &T) -> Duration {
        self(item)
    }
}

debug_fields!(Debounce<F, D> { flow: F });
debug_fields!(DebounceStream<S, T, E, D> { stream: S });

impl<F, D> Debounce<F, D> {
    pub(crate) fn new(flow: F, time: D) -> Self {
        Debounce { flow, time }
    }
}

impl<F, D> Flow for Debounce<F, D>
where
    F: Flow,
    D: DebounceTime<F::Item>,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = DebounceStream<F::Stream, F::Item, F::Error, D>;

    fn into_stream(self) -> Self::Stream {
        DebounceStream {
            alarm: Alarm::new(),
            stream: self.flow.into_stream(),
            time: self.time,
            settling: None,
            intake: Intake::new(),
        }
    }
}

impl<S, T, E, D> DebounceStream<S, T, E, D> {
    /// Forgets the items and the timer.
    fn clear(self: Pin<&mut Self>, intake: Intake<T, E>) {
        let this = self.project();
        this.alarm.clear();
        *this.settling = None;
        *this.intake = intake;
    }
}

impl<S, T, E, D> Stream for DebounceStream<S, T, E, D>
where
    S: FlowStream<Item = Result<T, E>>,
    D: DebounceTime<T>,
{
    type Item = Result<T, E>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut turns = Turns::new();
        loop {
            let mut this = self.as_mut().project();
            match this.intake.poll_next(this.stream.as_mut(), cx) {
                Poll::Ready(Some(Ok(item))) => {
                    let time = this.time.time(&item);
                    if time.is_zero() {
                        this.alarm.clear();
                        *this.settling = None;
                        return Poll::Ready(Some(Ok(item)));
                    }
                    *this.settling = Some(item);
                    this.alarm.set(time);
                }
                Poll::Ready(Some(Err(error))) => {
                    self.clear(Intake::ended());
                    return Poll::Ready(Some(Err(error)));
                }
                Poll::Ready(None) => {
                    let last = this.settling.take();
                    self.clear(Intake::ended());
                    return Poll::Ready(last.map(Ok));
                }
                Poll::Pending => {
                    return match this.settling.take() {
                        Some(item) if this.alarm.poll_ring(cx).is_ready() => Poll::Ready(Some(Ok(item))),
                        settling => {
                            *this.settling = settling;
                            Poll::Pending
                        }
                    };
                }
            }
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
    }
}

impl<S, T, E, D> FusedStream for DebounceStream<S, T, E, D>
where
    S: FlowStream<Item = Result<T, E>>,
    D: DebounceTime<T>,
{
    fn is_terminated(&self) -> bool {
        self.intake.is_ended() && self.settling.is_none()
    }
}

impl<S, T, E, D> FlowStream for DebounceStream<S, T, E, D>
where
    S: FlowStream<Item = Result<T, E>>,
    D: DebounceTime<T>,
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

impl<S, T, E, D> Restart for DebounceStream<S, T, E, D>
where
    S: Restart<Item = Result<T, E>>,
    D: DebounceTime<T>,
{
    fn restart(mut self: Pin<&mut Self>) {
        self.as_mut().clear(Intake::new());
        self.project().stream.restart();
    }
}
