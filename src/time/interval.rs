use core::convert::Infallible;
use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use core::time::Duration;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;
use tokio::time::Instant;

use super::Alarm;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// A flow that emits 0, 1, 2 and so on, the first at once and each further one a `period` after the last was due.
///
#[cfg_attr(doc, doc = include_str!("../../docs/timelines/interval.svg"))]
///
/// It never ends. Ticks that pass while the consumer is busy are dropped, so it never falls behind: the next one comes
/// when it is due in the same rhythm. To count from the first period on, put
/// [`delay_start`](crate::FlowExt::delay_start) behind it.
///
/// # Panics
///
/// When `period` is zero.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, interval};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let began = tokio::time::Instant::now();
/// assert_eq!(interval(Duration::from_secs(60)).take(3).to_vec().await, Ok(vec![0, 1, 2]));
/// assert_eq!(began.elapsed().as_secs(), 120);
/// # }
/// ```
///
/// Kotlin: none; Rx: `interval`.
#[doc(alias = "ticker")]
#[track_caller]
pub fn interval(period: Duration) -> Interval {
    assert!(!period.is_zero(), "`period` of `interval` must be longer than zero");
    Interval { period }
}

/// The flow of [`interval`].
#[derive(Clone, Copy, Debug)]
#[must_use = "flows do nothing unless collected"]
pub struct Interval {
    period: Duration,
}

pin_project! {
    /// The stream of [`interval`].
    #[must_use = "streams do nothing unless polled"]
    pub struct IntervalStream {
        #[pin]
        alarm: Alarm,
        period: Duration,
        phase: Phase,
        ticks: u64,
    }
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Fresh,
    Ticking { last: Instant },
    Done,
}

impl fmt::Debug for IntervalStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntervalStream")
            .field("period", &self.period)
            .field("ticks", &self.ticks)
            .finish_non_exhaustive()
    }
}

impl Flow for Interval {
    type Item = u64;
    type Error = Infallible;
    type Stream = IntervalStream;

    fn into_stream(self) -> Self::Stream {
        IntervalStream { alarm: Alarm::new(), period: self.period, phase: Phase::Fresh, ticks: 0 }
    }
}

impl Stream for IntervalStream {
    type Item = Result<u64, Infallible>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<u64, Infallible> {
        let mut this = self.project();
        let last = match *this.phase {
            Phase::Fresh => Instant::now(),
            Phase::Ticking { last } => {
                if !this.alarm.is_set() {
                    this.alarm.as_mut().set(this.period.saturating_sub(last.elapsed()));
                }
                ready!(this.alarm.poll_ring(cx));
                // What is left over of the time since then is how late this is: the rhythm stays.
                let late = last.elapsed().as_nanos() % this.period.as_nanos();
                Instant::now() - Duration::from_nanos(u64::try_from(late).unwrap_or(0))
            }
            Phase::Done => return Poll::Ready(None),
        };
        *this.phase = Phase::Ticking { last };
        *this.ticks += 1;
        Poll::Ready(Some(Ok(*this.ticks - 1)))
    }
}

impl FusedStream for IntervalStream {
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }
}

impl FlowStream for IntervalStream {
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        *this.phase = Phase::Done;
    }
}

impl Restart for IntervalStream {
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        *this.ticks = 0;
        *this.phase = Phase::Fresh;
    }
}
