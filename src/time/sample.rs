use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::Alarm;
use crate::concurrent::PROGRESS;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`sample`](crate::FlowExt::sample).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Sample<F> {
    flow: F,
    period: Duration,
}

pin_project! {
    /// The stream of [`sample`](crate::FlowExt::sample).
    #[must_use = "streams do nothing unless polled"]
    pub struct SampleStream<S, T, E> {
        #[pin]
        alarm: Alarm,
        #[pin]
        stream: S,
        period: Duration,
        latest: Option<T>,
        phase: Phase<E>,
    }
}

enum Phase<E> {
    Fresh,
    Running,
    Failed(E),
    Done,
}

debug_fields!(Sample<F> { flow: F });
debug_fields!(SampleStream<S, T, E> { stream: S });

impl<F> Sample<F> {
    pub(crate) fn new(flow: F, period: Duration) -> Self {
        Sample { flow, period }
    }
}

impl<F: Flow> Flow for Sample<F> {
    type Item = F::Item;
    type Error = F::Error;
    type Stream = SampleStream<F::Stream, F::Item, F::Error>;

    fn into_stream(self) -> Self::Stream {
        SampleStream {
            alarm: Alarm::new(),
            stream: self.flow.into_stream(),
            period: self.period,
            latest: None,
            phase: Phase::Fresh,
        }
    }
}

impl<S, T, E> SampleStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    /// Keeps the latest item. Pending while upstream is, or may be, still running.
    fn drive(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut this = self.project();
        for _ in 0..PROGRESS {
            *this.phase = match this.stream.as_mut().poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(item))) => {
                    *this.latest = Some(item);
                    continue;
                }
                Poll::Ready(Some(Err(error))) => Phase::Failed(error),
                Poll::Ready(None) => Phase::Done,
            };
            // What no tick has taken is lost with the end.
            *this.latest = None;
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<S, T, E> Stream for SampleStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = Result<T, E>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        if let Phase::Fresh = self.phase {
            let this = self.as_mut().project();
            this.alarm.set(*this.period);
            *this.phase = Phase::Running;
        }
        if let Phase::Running = self.phase {
            if self.as_mut().drive(cx).is_pending() {
                let mut this = self.project();
                while this.alarm.as_mut().poll_ring(cx).is_ready() {
                    this.alarm.as_mut().set(*this.period);
                    if let Some(item) = this.latest.take() {
                        return Poll::Ready(Some(Ok(item)));
                    }
                }
                return Poll::Pending;
            }
        }
        let this = self.project();
        this.alarm.clear();
        match mem::replace(this.phase, Phase::Done) {
            Phase::Failed(error) => Poll::Ready(Some(Err(error))),
            _ => Poll::Ready(None),
        }
    }
}

impl<S, T, E> FusedStream for SampleStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }
}

impl<S, T, E> FlowStream for SampleStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn poll_progress(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if let Phase::Running = self.phase { self.drive(cx) } else { Poll::Ready(()) }
    }

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        this.stream.stop();
        *this.latest = None;
        *this.phase = Phase::Done;
    }
}

impl<S, T, E> Restart for SampleStream<S, T, E>
where
    S: Restart<Item = Result<T, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        this.stream.restart();
        *this.latest = None;
        *this.phase = Phase::Fresh;
    }
}
