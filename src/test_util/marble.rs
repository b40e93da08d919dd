use alloc::sync::Arc;
use core::error::Error;
use core::fmt;
use core::pin::Pin;
use core::str::FromStr;
use core::task::{Context, Poll, ready};
use core::time::Duration;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;
use tokio::time::Instant;

use super::diagram::{FRAME, Mark, ParseMarbleError, parse};
use crate::flow::{Flow, FlowStream, PollItem, Restart};
use crate::time::Alarm;

/// A flow that does what a marble diagram shows.
///
/// Each character is a frame of 10 ms, or as long as [`frame`](Marble::frame) says:
///
/// | | in its frame |
/// |---|---|
/// | `-` | nothing happens |
/// | `a`, `7`, any other character | it is emitted |
/// | `#` | the flow fails, with a [`MarbleError`] |
/// | `\|` | the flow ends |
/// | `(ab\|)` | all of that happens, in one frame |
/// | a space | is no frame; it lets diagrams stand below each other |
///
/// Without an end the flow is silent for ever. The signs are those of `RxJS`, except that there a group takes as many
/// frames as it has characters, with which some timelines cannot be drawn. Its `^` and `!` belong to subscriptions, and
/// are not allowed.
///
/// The frames count from the first poll of the collection. When the consumer is busy in the frame of an item, it gets
/// the item as soon as it asks; those behind it keep their frames.
///
/// Items are characters; [`map`](crate::FlowExt::map) makes values of them, and
/// [`map_err`](crate::FlowExt::map_err) another error.
///
/// # Panics
///
/// When the text is not a diagram. [`parse`](str::parse) has an error for that: `"-a-|".parse::<Marble>()`.
///
/// # Examples
///
/// ```
/// use coldflow::FlowExt;
/// use coldflow::test_util::{marble, to_marble};
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let digits = marble("-1-(23)-|").map(|digit| digit.to_digit(10).unwrap());
/// let sums = digits.running_fold(0, |sum, digit| sum + digit);
/// assert_eq!(to_marble(sums).await, "01-(36)-|");
/// # }
/// ```
#[track_caller]
pub fn marble(diagram: &str) -> Marble {
    diagram.parse().unwrap_or_else(|error| panic!("`diagram` of `marble` must be a marble diagram: {error}"))
}

/// The flow of [`marble`].
#[derive(Clone, Debug)]
#[must_use = "flows do nothing unless collected"]
pub struct Marble {
    marks: Arc<[(u32, Mark)]>,
    frame: Duration,
}

pin_project! {
    /// The stream of [`marble`].
    #[must_use = "streams do nothing unless polled"]
    pub struct MarbleStream {
        #[pin]
        alarm: Alarm,
        marble: Marble,
        phase: Phase,
    }
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Fresh,
    Running { began: Instant, next: usize },
    Done,
}

impl fmt::Debug for MarbleStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MarbleStream").field("marble", &self.marble).field("phase", &self.phase).finish_non_exhaustive()
    }
}

impl Marble {
    /// How long a frame is, in whole milliseconds: Tokio's timers know no others.
    ///
    /// # Panics
    ///
    /// When that is not so, or it is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::FlowExt;
    /// use coldflow::test_util::marble;
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let began = tokio::time::Instant::now();
    /// assert_eq!(marble("-a-|").frame(Duration::from_secs(1)).run().await, Ok(()));
    /// assert_eq!(began.elapsed().as_secs(), 3);
    /// # }
    /// ```
    #[track_caller]
    pub fn frame(mut self, frame: Duration) -> Self {
        self.frame = whole_millis(frame);
        self
    }
}

/// The length of a frame, if it can be one.
#[track_caller]
pub(super) fn whole_millis(frame: Duration) -> Duration {
    let whole = !frame.is_zero() && frame.subsec_nanos() % 1_000_000 == 0;
    assert!(whole, "`frame` must be a number of whole milliseconds above zero, got {frame:?}");
    frame
}

impl FromStr for Marble {
    type Err = ParseMarbleError;

    fn from_str(diagram: &str) -> Result<Self, ParseMarbleError> {
        Ok(Marble { marks: parse(diagram)?.into(), frame: FRAME })
    }
}

impl Flow for Marble {
    type Item = char;
    type Error = MarbleError;
    type Stream = MarbleStream;

    fn into_stream(self) -> Self::Stream {
        MarbleStream { alarm: Alarm::new(), marble: self, phase: Phase::Fresh }
    }
}

impl Stream for MarbleStream {
    type Item = Result<char, MarbleError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<char, MarbleError> {
        let mut this = self.project();
        let (began, next) = match *this.phase {
            Phase::Fresh => (Instant::now(), 0),
            Phase::Running { began, next } => (began, next),
            Phase::Done => return Poll::Ready(None),
        };
        *this.phase = Phase::Running { began, next };
        let Some((frame, mark)) = this.marble.marks.get(next) else {
            return Poll::Pending;
        };
        let due = this.marble.frame.saturating_mul(*frame);
        loop {
            let left = due.saturating_sub(began.elapsed());
            if left.is_zero() {
                break;
            }
            if !this.alarm.is_set() {
                this.alarm.as_mut().set(left);
            }
            ready!(this.alarm.as_mut().poll_ring(cx));
        }
        this.alarm.clear();
        *this.phase = if mark.is_last() { Phase::Done } else { Phase::Running { began, next: next + 1 } };
        Poll::Ready(match mark {
            Mark::Item(text) => text.chars().next().map(Ok),
            Mark::Failure => Some(Err(MarbleError)),
            Mark::End => None,
        })
    }
}

impl FusedStream for MarbleStream {
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }
}

impl FlowStream for MarbleStream {
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        *this.phase = Phase::Done;
    }
}

impl Restart for MarbleStream {
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        *this.phase = Phase::Fresh;
    }
}

/// What a [`marble`] fails with at its `#`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MarbleError;

impl fmt::Display for MarbleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("failed at the `#` of a marble diagram")
    }
}

impl Error for MarbleError {}
