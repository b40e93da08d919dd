use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::concurrent::{Flows, RestartStreams, Streams};
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// Collects several flows at once and goes on with the one that is first to emit, to fail or to end: a tuple, an array or
/// a `Vec` of flows.
///
#[cfg_attr(doc, doc = include_str!("../../docs/timelines/race.svg"))]
//  a  ───────1──2──|
//  b  ───a──b────c───|
//     ───a──b────c───|
///
/// The others are dropped at that moment, before its item is passed on. Of those that are first at the same time, the
/// earlier in the list wins. No flows at all are an empty flow.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, once_ok, race};
/// use std::time::Duration;
/// use tokio::time::sleep;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let answer_after = |millis| {
///     once_ok(move || async move {
///         sleep(Duration::from_millis(millis)).await;
///         millis
///     })
/// };
/// assert_eq!(race([answer_after(30), answer_after(10), answer_after(20)]).single().await, Ok(10));
/// # }
/// ```
///
/// Kotlin: none; Rx: `amb`.
#[doc(alias = "amb")]
pub fn race<Fs: Flows>(flows: Fs) -> Race<Fs> {
    Race { flows }
}

/// The flow of [`race`].
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Race<Fs> {
    flows: Fs,
}

pin_project! {
    /// The stream of [`race`].
    #[must_use = "streams do nothing unless polled"]
    pub struct RaceStream<Ss: Streams> {
        streams: Ss,
        phase: Phase,
    }
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Fresh,
    Racing,
    Won { winner: usize },
    Done,
}

debug_fields!(Race<Fs> { flows: Fs });

impl<Ss: Streams> fmt::Debug for RaceStream<Ss> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RaceStream").field("phase", &self.phase).finish_non_exhaustive()
    }
}

impl<Fs: Flows> Flow for Race<Fs> {
    type Item = Fs::Item;
    type Error = Fs::Error;
    type Stream = RaceStream<Fs::Streams>;

    fn into_stream(self) -> Self::Stream {
        RaceStream { streams: self.flows.into_streams(), phase: Phase::Fresh }
    }
}

impl<Ss: Streams> RaceStream<Ss> {
    /// Stops all but the winner.
    fn stop_losers(self: Pin<&mut Self>, winner: Option<usize>) {
        let streams = self.project().streams;
        for index in (0..streams.count()).filter(|index| Some(*index) != winner) {
            streams.stop_at(index);
        }
    }
}

impl<Ss: Streams> Stream for RaceStream<Ss> {
    type Item = Result<Ss::Item, Ss::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<Ss::Item, Ss::Error> {
        let this = self.as_mut().project();
        let runners = match *this.phase {
            Phase::Fresh | Phase::Racing => 0..this.streams.count(),
            Phase::Won { winner } => winner..winner + 1,
            Phase::Done => return Poll::Ready(None),
        };
        if runners.is_empty() {
            *this.phase = Phase::Done;
            return Poll::Ready(None);
        }
        for index in runners {
            let Poll::Ready(first) = this.streams.poll_next_at(index, cx) else {
                continue;
            };
            let racing = !matches!(this.phase, Phase::Won { .. });
            *this.phase = if let Some(Ok(_)) = first { Phase::Won { winner: index } } else { Phase::Done };
            if racing {
                self.stop_losers(Some(index));
            }
            return Poll::Ready(first);
        }
        if let Phase::Fresh = this.phase {
            *this.phase = Phase::Racing;
        }
        Poll::Pending
    }
}

impl<Ss: Streams> FusedStream for RaceStream<Ss> {
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }
}

impl<Ss: Streams> FlowStream for RaceStream<Ss> {
    fn poll_progress(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        match *this.phase {
            Phase::Won { winner } => this.streams.poll_progress_at(winner, cx),
            Phase::Fresh | Phase::Racing | Phase::Done => Poll::Ready(()),
        }
    }

    fn stop(mut self: Pin<&mut Self>) {
        self.as_mut().stop_losers(None);
        *self.project().phase = Phase::Done;
    }
}

impl<Ss: RestartStreams> Restart for RaceStream<Ss> {
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.streams.restart();
        *this.phase = Phase::Fresh;
    }
}
