use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use core::time::Duration;

use futures_core::FusedFuture;
use pin_project_lite::pin_project;
use tokio::time::Instant;

use super::diagram::{FRAME, Mark, Timeline};
use super::marble::whole_millis;
use crate::coop::Turns;
use crate::flow::{Flow, FlowStream};
use crate::time::Alarm;

/// Collects a flow, and resolves to its diagram: what it did, and in which frame.
///
/// The signs are those of [`marble`](super::marble()). The times count from the first poll, on Tokio's clock, which has
/// to be paused from its start, `start_paused = true`: one that was running before lets timers go off up to a
/// millisecond late, and that is no frame. The consumer is never busy. An item is shown by its `Display`, which should
/// be one character; an error is a `#`, whichever it is.
///
/// A flow that has not ended after 1,000 frames, or as many as [`frames`](ToMarble::frames) says, is dropped, and its
/// diagram is open: that is how one without end compares equal to `"-a-"`.
///
/// # Panics
///
/// When the flow waits outside of a Tokio runtime.
///
/// # Examples
///
/// ```
/// use coldflow::test_util::{marble, to_marble};
/// use coldflow::{FlowExt, merge};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let one = "a--b----|  ";
/// let two = "-x---y-----#";
/// let all = "ax-b-y-----#";
/// assert_eq!(to_marble(merge((marble(one), marble(two)))).await, all);
/// # }
/// ```
pub fn to_marble<F: Flow<Item: fmt::Display>>(flow: F) -> ToMarble<F::Stream> {
    ToMarble { alarm: Alarm::new(), stream: flow.into_stream(), frame: FRAME, frames: 1_000, phase: Phase::Fresh }
}

pin_project! {
    /// The future of [`to_marble`].
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct ToMarble<S> {
        #[pin]
        alarm: Alarm,
        #[pin]
        stream: S,
        frame: Duration,
        frames: u32,
        phase: Phase,
    }
}

enum Phase {
    Fresh,
    Watching { began: Instant, marks: Vec<(Duration, Mark)> },
    Done,
}

debug_fields!(ToMarble<S> { stream: S });

impl<S> ToMarble<S> {
    /// How long a frame is, in whole milliseconds; 10 ms where nothing is said.
    ///
    /// # Panics
    ///
    /// When that is not so, or it is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, interval};
    /// use coldflow::test_util::to_marble;
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let ticks = interval(Duration::from_secs(60)).take(3);
    /// assert_eq!(to_marble(ticks).frame(Duration::from_secs(30)).await, "0-1-(2|)");
    /// # }
    /// ```
    #[track_caller]
    pub fn frame(mut self, frame: Duration) -> Self {
        self.frame = whole_millis(frame);
        self
    }

    /// How many frames it watches: what would happen after them does not.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::interval;
    /// use coldflow::test_util::to_marble;
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let ticks = interval(Duration::from_millis(30));
    /// assert_eq!(to_marble(ticks).frames(8).await, "0--1--2-");
    /// # }
    /// ```
    pub fn frames(mut self, frames: u32) -> Self {
        self.frames = frames;
        self
    }
}

impl<S, T, E> Future for ToMarble<S>
where
    S: FlowStream<Item = Result<T, E>>,
    T: fmt::Display,
{
    type Output = Timeline;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Timeline> {
        let mut this = self.project();
        if let Phase::Fresh = this.phase {
            *this.phase = Phase::Watching { began: Instant::now(), marks: Vec::new() };
        }
        let Phase::Watching { began, marks } = this.phase else {
            return Poll::Pending;
        };
        let limit = this.frame.saturating_mul(*this.frames);
        let mut turns = Turns::of_a_collection();
        loop {
            let now = began.elapsed();
            if now >= limit {
                break;
            }
            let mark = match this.stream.as_mut().poll_next(cx) {
                Poll::Ready(Some(Ok(item))) => Mark::Item(item.to_string()),
                Poll::Ready(Some(Err(_))) => Mark::Failure,
                Poll::Ready(None) => Mark::End,
                Poll::Pending => {
                    if !this.alarm.is_set() {
                        this.alarm.as_mut().set(limit.saturating_sub(now));
                    }
                    ready!(this.alarm.as_mut().poll_ring(cx));
                    continue;
                }
            };
            let last = mark.is_last();
            marks.push((now, mark));
            if last {
                break;
            }
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
        let timeline = Timeline::new(*this.frame, core::mem::take(marks));
        this.alarm.clear();
        this.stream.stop();
        *this.phase = Phase::Done;
        Poll::Ready(timeline)
    }
}

impl<S, T, E> FusedFuture for ToMarble<S>
where
    S: FlowStream<Item = Result<T, E>>,
    T: fmt::Display,
{
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }
}
