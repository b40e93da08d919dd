use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::fmt;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::concurrent::{PROGRESS, WokenSet, at};
use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// Collects several flows at once and emits their latest values together: a tuple, an array or a `Vec` of flows.
///
#[cfg_attr(doc, doc = include_str!("../../docs/timelines/combine.svg"))]
//  a  ─1─────2─────────3─|
//  b  ────a─────b────|
//     ────1a─2a─2b─────3b|
///
/// Nothing is emitted until each flow has emitted, then a tuple (or a `Vec`) for every batch of changes. Changes that are
/// there at the same time make one batch, up to the second one of the same flow, so intermediate combinations can be
/// skipped: two flows of `n` items that are ready at once give the first with the first, the second with the second.
///
/// It ends when all flows have ended; one that ends without a value makes the result empty, yet the others are awaited.
/// When one fails, the others are dropped at once, and the error comes behind the items before it. No flows at all are an
/// empty flow.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, combine, flow_of};
///
/// # futures::executor::block_on(async {
/// let Ok(both) = combine((flow_of([1, 2]), flow_of(["a", "b"]))).to_vec().await;
/// assert_eq!(both, [(1, "a"), (2, "b")]);
/// # });
/// ```
///
/// Kotlin: `combine`.
pub fn combine<Fs: Combinable>(flows: Fs) -> Combine<Fs> {
    Combine { flows, batching: true }
}

/// Collects several flows at once and emits their latest values together for every change of any of them.
///
#[cfg_attr(doc, doc = include_str!("../../docs/timelines/combine_latest.svg"))]
///
/// Like [`combine`], but no combination is skipped: once each flow has emitted, there is an item for each further
/// emission.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, combine_latest, flow_of};
///
/// # futures::executor::block_on(async {
/// let Ok(both) = combine_latest((flow_of([1, 2]), flow_of(["a", "b"]))).to_vec().await;
/// assert_eq!(both, [(1, "a"), (2, "a"), (2, "b")]);
/// # });
/// ```
///
/// Kotlin: none; Rx: `combineLatest`.
#[doc(alias = "combineLatest")]
pub fn combine_latest<Fs: Combinable>(flows: Fs) -> Combine<Fs> {
    Combine { flows, batching: false }
}

/// The flow of [`combine`] and [`combine_latest`].
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Combine<Fs> {
    flows: Fs,
    batching: bool,
}

pin_project! {
    /// The stream of [`combine`] and [`combine_latest`].
    #[must_use = "streams do nothing unless polled"]
    pub struct CombineStream<Cs: CombinedStreams> {
        streams: Cs,
        // The changes on their way, by source, in order. As many have a place as there are sources.
        changes: VecDeque<usize>,
        // The sources whose change has found no place: it is in hand.
        hands: VecDeque<usize>,
        in_hand: Vec<bool>,
        // The number of the last batch in which each source has changed.
        batches: Vec<u64>,
        batch: u64,
        batching: bool,
        // How many sources have no value yet.
        missing: usize,
        woken: WokenSet,
        phase: Phase<Cs::Error>,
    }
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

/// Several flows with one kind of error whose latest values can be combined: a tuple of 2 to 12, an array or a `Vec`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a group of flows that can be combined",
    note = "it is a tuple of 2 to 12 flows, an array or a `Vec` of flows, all with the same error and items that are `Clone`",
    note = "an infallible flow gets the error of the others by `.fallible()`"
)]
pub trait Combinable {
    /// The latest values.
    type Item;
    /// What all of them fail with.
    type Error;
    /// Their collections.
    type Streams: CombinedStreams<Item = Self::Item, Error = Self::Error>;

    /// Makes a collection of each.
    fn into_streams(self) -> Self::Streams;
}

/// The collections of several flows, each with its latest value.
pub trait CombinedStreams {
    /// The latest values.
    type Item;
    /// What all of them fail with.
    type Error;

    /// How many there are.
    fn count(&self) -> usize;

    /// Polls the one at `index`, which is below [`count`](Self::count), for a change and keeps it.
    fn poll_change_at(&mut self, index: usize, cx: &mut Context<'_>) -> PollItem<(), Self::Error>;

    /// Gives progress to the one at `index`.
    fn poll_progress_at(&mut self, index: usize, cx: &mut Context<'_>);

    /// Makes the oldest change that is kept of the one at `index` its latest value. Whether it is the first one.
    fn apply_at(&mut self, index: usize) -> bool;

    /// Stops the one at `index`.
    fn stop_at(&mut self, index: usize);

    /// Drops the latest value of the one at `index`, and the changes that are kept.
    fn forget_at(&mut self, index: usize);

    /// The latest values, once each has one.
    fn latest(&self) -> Option<Self::Item>;
}

/// [`CombinedStreams`] that can be restarted.
pub trait RestartCombined: CombinedStreams {
    /// Restarts all of them.
    fn restart(&mut self);
}

/// A collection with its latest value and the changes that are to come.
#[derive(Debug)]
pub struct Latch<S, T> {
    stream: Pin<Box<S>>,
    latest: Option<T>,
    changes: VecDeque<T>,
    ended: bool,
}

debug_fields!(Combine<Fs> { flows: Fs });

impl<Cs: CombinedStreams> fmt::Debug for CombineStream<Cs> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CombineStream").field("streams", &self.streams.count()).finish_non_exhaustive()
    }
}

impl<Fs: Combinable> Flow for Combine<Fs> {
    type Item = Fs::Item;
    type Error = Fs::Error;
    type Stream = CombineStream<Fs::Streams>;

    fn into_stream(self) -> Self::Stream {
        let streams = self.flows.into_streams();
        let count = streams.count();
        CombineStream {
            woken: WokenSet::of(count),
            streams,
            changes: VecDeque::new(),
            hands: VecDeque::new(),
            in_hand: alloc::vec![false; count],
            batches: alloc::vec![0; count],
            batch: 0,
            batching: self.batching,
            missing: count,
            phase: Phase::Fresh,
        }
    }
}

impl<Cs: CombinedStreams> CombineStream<Cs> {
    /// Applies the changes that are there, up to the second one of a source, or just one where every change counts.
    /// Whether there were any.
    #[inline]
    fn apply_batch(self: Pin<&mut Self>) -> bool {
        let this = self.project();
        if this.changes.is_empty() {
            return false;
        }
        *this.batch += 1;
        while let Some(index) = this.changes.pop_front() {
            if let Some(admitted) = this.hands.pop_front() {
                this.changes.push_back(admitted);
                this.in_hand[admitted] = false;
                this.woken.push(admitted);
            }
            *this.missing -= usize::from(this.streams.apply_at(index));
            let again = mem::replace(&mut this.batches[index], *this.batch) == *this.batch;
            if again || !*this.batching {
                break;
            }
        }
        true
    }

    /// Gives each source that has woken one turn, as if each yielded behind its emission. Ends when all have ended.
    #[inline]
    fn poll_round(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<(), Cs::Error> {
        let this = self.as_mut().project();
        let Phase::Running { left } = this.phase else {
            return Poll::Ready(None);
        };
        this.woken.gather(cx);
        let mut changed = false;
        for _ in 0..this.woken.len() {
            let Some((index, waker)) = this.woken.pop() else { break };
            let source_cx = &mut Context::from_waker(waker);
            if this.in_hand[index] {
                this.streams.poll_progress_at(index, source_cx);
                continue;
            }
            match this.streams.poll_change_at(index, source_cx) {
                Poll::Pending => {}
                Poll::Ready(Some(Ok(()))) => {
                    changed = true;
                    if this.changes.len() < this.in_hand.len() {
                        this.changes.push_back(index);
                    } else {
                        this.hands.push_back(index);
                        this.in_hand[index] = true;
                    }
                    this.woken.push(index);
                }
                Poll::Ready(Some(Err(error))) => {
                    self.stop_all();
                    return Poll::Ready(Some(Err(error)));
                }
                Poll::Ready(None) => *left -= 1,
            }
        }
        match *left {
            _ if changed => Poll::Ready(Some(Ok(()))),
            0 => Poll::Ready(None),
            _ => Poll::Pending,
        }
    }

    fn stop_all(self: Pin<&mut Self>) {
        let this = self.project();
        for index in 0..this.streams.count() {
            this.streams.stop_at(index);
        }
        this.woken.clear();
    }

    /// Drops the values, and what is known about the sources.
    fn forget(self: Pin<&mut Self>) {
        let this = self.project();
        for index in 0..this.streams.count() {
            this.streams.forget_at(index);
        }
        *this.missing = this.streams.count();
        this.changes.clear();
        this.hands.clear();
        this.in_hand.fill(false);
        this.woken.clear();
    }
}

impl<Cs: CombinedStreams> Stream for CombineStream<Cs> {
    type Item = Result<Cs::Item, Cs::Error>;

    #[inline]
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<Cs::Item, Cs::Error> {
        if let Phase::Fresh = self.phase {
            let this = self.as_mut().project();
            let left = this.streams.count();
            this.woken.begin(left);
            *this.phase = Phase::Running { left };
        }
        let mut turns = Turns::new();
        loop {
            if self.as_mut().apply_batch() {
                if self.missing == 0 {
                    return Poll::Ready(self.streams.latest().map(Ok));
                }
            } else if let Phase::Running { .. } = self.phase {
                match ready!(self.as_mut().poll_round(cx)) {
                    Some(Ok(())) => {}
                    end => {
                        self.as_mut().forget();
                        *self.project().phase = Phase::Done;
                        return Poll::Ready(end.and_then(Result::err).map(Err));
                    }
                }
            } else {
                self.as_mut().forget();
                return match mem::replace(self.project().phase, Phase::Done) {
                    Phase::Failed(error) => Poll::Ready(Some(Err(error))),
                    _ => Poll::Ready(None),
                };
            }
            if turns.used_up(cx) {
                return Poll::Pending;
            }
        }
    }
}

impl<Cs: CombinedStreams> FusedStream for CombineStream<Cs> {
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done) && self.changes.is_empty()
    }
}

impl<Cs: CombinedStreams> FlowStream for CombineStream<Cs> {
    fn poll_progress(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if !matches!(self.phase, Phase::Running { .. }) {
            return Poll::Ready(());
        }
        for _ in 0..PROGRESS {
            let end = match ready!(self.as_mut().poll_round(cx)) {
                Some(Ok(())) => continue,
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
        self.as_mut().forget();
        *self.project().phase = Phase::Done;
    }
}

impl<Cs: RestartCombined> Restart for CombineStream<Cs> {
    fn restart(mut self: Pin<&mut Self>) {
        self.as_mut().project().streams.restart();
        self.as_mut().forget();
        *self.project().phase = Phase::Fresh;
    }
}

impl<S: FlowStream<Item = Result<T, E>>, T, E> Latch<S, T> {
    fn new(stream: S) -> Self {
        Latch { stream: Box::pin(stream), latest: None, changes: VecDeque::new(), ended: false }
    }

    fn restart(&mut self)
    where
        S: Restart,
    {
        self.stream.as_mut().restart();
        self.ended = false;
    }

    #[inline]
    fn poll_change(&mut self, cx: &mut Context<'_>) -> PollItem<(), E> {
        if self.ended {
            return Poll::Pending;
        }
        match ready!(self.stream.as_mut().poll_next(cx)) {
            Some(Ok(item)) => {
                self.changes.push_back(item);
                Poll::Ready(Some(Ok(())))
            }
            end => {
                self.ended = true;
                Poll::Ready(end.and_then(Result::err).map(Err))
            }
        }
    }

    fn poll_progress(&mut self, cx: &mut Context<'_>) {
        let _ = self.stream.as_mut().poll_progress(cx);
    }

    #[inline]
    fn apply(&mut self) -> bool {
        let change = self.changes.pop_front().expect("a change is listed for each that is kept");
        self.latest.replace(change).is_none()
    }

    fn stop(&mut self) {
        self.stream.as_mut().stop();
        self.ended = true;
    }

    fn forget(&mut self) {
        self.latest = None;
        self.changes.clear();
    }
}

impl<F> Combinable for Vec<F>
where
    F: Flow<Item: Clone>,
{
    type Item = Vec<F::Item>;
    type Error = F::Error;
    type Streams = Vec<Latch<F::Stream, F::Item>>;

    fn into_streams(self) -> Self::Streams {
        self.into_iter().map(|flow| Latch::new(flow.into_stream())).collect()
    }
}

impl<F, const N: usize> Combinable for [F; N]
where
    F: Flow<Item: Clone>,
{
    type Item = Vec<F::Item>;
    type Error = F::Error;
    type Streams = Vec<Latch<F::Stream, F::Item>>;

    fn into_streams(self) -> Self::Streams {
        self.into_iter().map(|flow| Latch::new(flow.into_stream())).collect()
    }
}

impl<S, T, E> CombinedStreams for Vec<Latch<S, T>>
where
    S: FlowStream<Item = Result<T, E>>,
    T: Clone,
{
    type Item = Vec<T>;
    type Error = E;

    fn count(&self) -> usize {
        self.len()
    }

    #[inline]
    fn poll_change_at(&mut self, index: usize, cx: &mut Context<'_>) -> PollItem<(), E> {
        self[index].poll_change(cx)
    }

    fn poll_progress_at(&mut self, index: usize, cx: &mut Context<'_>) {
        self[index].poll_progress(cx);
    }

    #[inline]
    fn apply_at(&mut self, index: usize) -> bool {
        self[index].apply()
    }

    fn stop_at(&mut self, index: usize) {
        self[index].stop();
    }

    fn forget_at(&mut self, index: usize) {
        self[index].forget();
    }

    fn latest(&self) -> Option<Vec<T>> {
        self.iter().map(|latch| latch.latest.clone()).collect()
    }
}

impl<S, T, E> RestartCombined for Vec<Latch<S, T>>
where
    S: Restart<Item = Result<T, E>>,
    T: Clone,
{
    fn restart(&mut self) {
        self.iter_mut().for_each(Latch::restart);
    }
}

/// Implements the traits for a tuple.
macro_rules! tuple {
    ($count:literal: $($flow:ident $stream:ident $item:ident $index:tt),+) => {
        impl<Error, $($flow),+> Combinable for ($($flow,)+)
        where
            $($flow: Flow<Item: Clone, Error = Error>,)+
        {
            type Item = ($($flow::Item,)+);
            type Error = Error;
            type Streams = ($(Latch<$flow::Stream, $flow::Item>,)+);

            fn into_streams(self) -> Self::Streams {
                ($(Latch::new(self.$index.into_stream()),)+)
            }
        }

        impl<Error, $($stream, $item),+> CombinedStreams for ($(Latch<$stream, $item>,)+)
        where
            $($stream: FlowStream<Item = Result<$item, Error>>, $item: Clone,)+
        {
            type Item = ($($item,)+);
            type Error = Error;

            fn count(&self) -> usize {
                $count
            }

            #[inline]
            fn poll_change_at(&mut self, index: usize, cx: &mut Context<'_>) -> PollItem<(), Error> {
                at!(self, index, latch => latch.poll_change(cx), $($index)+)
            }

            fn poll_progress_at(&mut self, index: usize, cx: &mut Context<'_>) {
                at!(self, index, latch => latch.poll_progress(cx), $($index)+)
            }

            #[inline]
            fn apply_at(&mut self, index: usize) -> bool {
                at!(self, index, latch => latch.apply(), $($index)+)
            }

            fn stop_at(&mut self, index: usize) {
                at!(self, index, latch => latch.stop(), $($index)+)
            }

            fn forget_at(&mut self, index: usize) {
                at!(self, index, latch => latch.forget(), $($index)+)
            }

            fn latest(&self) -> Option<Self::Item> {
                Some(($(self.$index.latest.clone()?,)+))
            }
        }

        impl<Error, $($stream, $item),+> RestartCombined for ($(Latch<$stream, $item>,)+)
        where
            $($stream: Restart<Item = Result<$item, Error>>, $item: Clone,)+
        {
            fn restart(&mut self) {
                $(self.$index.restart();)+
            }
        }
    };
}

for_each_tuple!(tuple);
