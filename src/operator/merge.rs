use alloc::vec;
use alloc::vec::Vec;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::concurrent::{BufferConfig, Flows, Outbox, PROGRESS, RestartStreams, Streams, WokenSet};
use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// Collects several flows at once and emits what any of them emits: a tuple, an array or a `Vec` of flows.
///
#[cfg_attr(doc, doc = include_str!("../../docs/timelines/merge.svg"))]
//  a  ─1─────2───────|
//  b  ────a─────b─|
//     ─1──a──2──b────|
///
/// The order of each flow is kept; between them it is that of time, and one that is always ready does not starve the
/// others. Each runs ahead of a busy consumer into a buffer of 64 places, or of the size of a
/// [`buffer`](crate::FlowExt::buffer) directly below. It ends when all have ended. When one fails, the others are dropped
/// at once, and the error comes behind the items before it.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, flow_of, merge};
///
/// # futures::executor::block_on(async {
/// let Ok(mut all) = merge([flow_of([1, 2]), flow_of([7, 8])]).to_vec().await;
/// all.sort();
/// assert_eq!(all, [1, 2, 7, 8]);
/// # });
/// ```
///
/// Kotlin: `merge`.
pub fn merge<Fs: Flows>(flows: Fs) -> Merge<Fs> {
    Merge { flows }
}

/// The flow of [`merge`].
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Merge<Fs> {
    flows: Fs,
}

pin_project! {
    /// The stream of [`merge`].
    #[must_use = "streams do nothing unless polled"]
    pub struct MergeStream<Ss: Streams> {
        outbox: Outbox<Ss::Item>,
        streams: Ss,
        sources: Vec<Source>,
        woken: WokenSet,
        phase: Phase<Ss::Error>,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Source {
    Running,
    /// Its last item is in hand.
    Blocked,
    Ended,
}

enum Phase<E> {
    Fresh,
    Running {
        left: usize,
    },
    /// A source has failed; the error comes behind the items.
    Failed(E),
    Done,
}

debug_fields!(Merge<Fs> { flows: Fs });

impl<Ss: Streams> core::fmt::Debug for MergeStream<Ss> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("MergeStream").field("streams", &self.streams.count()).finish_non_exhaustive()
    }
}

impl<Fs: Flows> Flow for Merge<Fs> {
    type Item = Fs::Item;
    type Error = Fs::Error;
    type Stream = MergeStream<Fs::Streams>;

    fn into_stream(self) -> Self::Stream {
        let streams = self.flows.into_streams();
        MergeStream {
            outbox: Outbox::new(BufferConfig::default()),
            sources: vec![Source::Running; streams.count()],
            woken: WokenSet::of(streams.count()),
            streams,
            phase: Phase::Fresh,
        }
    }
}

impl<Ss: Streams> MergeStream<Ss> {
    fn stop_all(self: Pin<&mut Self>) {
        let this = self.project();
        for index in 0..this.streams.count() {
            this.streams.stop_at(index);
        }
        this.woken.clear();
    }

    /// Takes an item that has been waiting for the consumer.
    fn take(self: Pin<&mut Self>) -> Option<Ss::Item> {
        let this = self.project();
        let (item, admitted) = this.outbox.take()?;
        if let Some(source) = admitted {
            this.sources[source] = Source::Running;
            this.woken.push(source);
        }
        Some(item)
    }

    /// Polls the sources that have woken until one has an item or the merged flow ends.
    #[inline]
    fn poll_sources(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<(usize, Ss::Item), Ss::Error> {
        let this = self.as_mut().project();
        let Phase::Running { left } = this.phase else {
            return Poll::Ready(None);
        };
        let mut turns = Turns::new();
        while *left > 0 {
            let Some((index, waker)) = this.woken.pop() else {
                return Poll::Pending;
            };
            let source_cx = &mut Context::from_waker(waker);
            match this.sources[index] {
                Source::Running => match this.streams.poll_next_at(index, source_cx) {
                    Poll::Pending => {}
                    Poll::Ready(Some(Ok(item))) => {
                        this.woken.push(index);
                        return Poll::Ready(Some(Ok((index, item))));
                    }
                    Poll::Ready(Some(Err(error))) => {
                        self.stop_all();
                        return Poll::Ready(Some(Err(error)));
                    }
                    Poll::Ready(None) => {
                        this.sources[index] = Source::Ended;
                        *left -= 1;
                    }
                },
                Source::Blocked => {
                    let _ = this.streams.poll_progress_at(index, source_cx);
                }
                Source::Ended => {}
            }
            if turns.used_up(cx) {
                return Poll::Pending;
            }
        }
        Poll::Ready(None)
    }
}

impl<Ss: Streams> Stream for MergeStream<Ss> {
    type Item = Result<Ss::Item, Ss::Error>;

    #[inline]
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<Ss::Item, Ss::Error> {
        let this = self.as_mut().project();
        if let Phase::Fresh = this.phase {
            let left = this.streams.count();
            this.woken.begin(left);
            *this.phase = Phase::Running { left };
        }
        if !this.outbox.is_empty() {
            return Poll::Ready(self.take().map(Ok));
        }
        if let Phase::Running { .. } = this.phase {
            this.woken.gather(cx);
            let item = ready!(self.as_mut().poll_sources(cx));
            if !matches!(item, Some(Ok(_))) {
                *self.project().phase = Phase::Done;
            }
            return Poll::Ready(item.map(|item| item.map(|(_, item)| item)));
        }
        match mem::replace(this.phase, Phase::Done) {
            Phase::Failed(error) => Poll::Ready(Some(Err(error))),
            _ => Poll::Ready(None),
        }
    }
}

impl<Ss: Streams> FusedStream for MergeStream<Ss> {
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done) && self.outbox.is_empty()
    }
}

impl<Ss: Streams> FlowStream for MergeStream<Ss> {
    fn poll_progress(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.as_mut().project();
        if !matches!(this.phase, Phase::Running { .. }) {
            return Poll::Ready(());
        }
        this.woken.gather(cx);
        for _ in 0..PROGRESS {
            let end = match ready!(self.as_mut().poll_sources(cx)) {
                Some(Ok((source, item))) => {
                    let this = self.as_mut().project();
                    if !this.outbox.put(source, item) {
                        this.sources[source] = Source::Blocked;
                    }
                    continue;
                }
                Some(Err(error)) => Phase::Failed(error),
                None => Phase::Done,
            };
            *self.project().phase = end;
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn stop(mut self: Pin<&mut Self>) {
        self.as_mut().stop_all();
        let this = self.project();
        this.outbox.clear();
        *this.phase = Phase::Done;
    }

    fn absorb(self: Pin<&mut Self>, buffer: BufferConfig) -> bool {
        self.project().outbox.fuse(buffer);
        true
    }
}

impl<Ss: RestartStreams> Restart for MergeStream<Ss> {
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.outbox.clear();
        this.streams.restart();
        this.woken.clear();
        this.sources.fill(Source::Running);
        *this.phase = Phase::Fresh;
    }
}
