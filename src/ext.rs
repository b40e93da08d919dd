//! The operators and terminals, as methods of every flow.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::convert::{Infallible, identity};
use core::future::Future;
#[cfg(feature = "time")]
use core::time::Duration;

#[cfg(feature = "rt")]
use tokio::runtime::Handle;
#[cfg(feature = "rt")]
use tokio::task::{AbortHandle, JoinSet};

use crate::boxed::{BoxFlow, LocalBoxFlow};
#[cfg(feature = "std")]
use crate::concurrent::{BufferConfig, Overflow};
use crate::emitter::Emitter;
#[cfg(feature = "rt")]
use crate::flow::Restart;
use crate::flow::{ColdFlow, Flow};
#[cfg(all(doc, feature = "rt"))]
use crate::hot::SharingStarted;
#[cfg(feature = "rt")]
use crate::hot::{CannotFail, Produced, SharedFlow, SharingPolicy, StateFlow, StateInFirst, produce, share};
#[cfg(feature = "rt")]
use crate::operator::FlowOn;
use crate::operator::{
    AndThen, Catch, Chain, Chunks, Dematerialize, DistinctUntilChangedBy, Enumerate, Equality, Event, Filter,
    FilterMap, FilterStream, FlatMapConcat, Inspect, Itself, Map, MapErr, MapToResult, Materialize, OnCancel,
    OnCompletion, OnEach, OnEmpty, OnStart, Pairwise, Repeat, RunningFold, RunningReduce, Skip, SkipWhile, Take,
    TakeUntil, TakeWhile, Then, Transform, TryMap, Zip,
};
#[cfg(feature = "std")]
use crate::operator::{
    BodyBlock, Buffer, FlatMapMerge, FlowBlock, FutureBlock, Latest, Merge, ThenConcurrent, WithLatestFrom, merge,
};
#[cfg(feature = "time")]
use crate::retry::{AttemptTimeout, Retry, RetryWith};
use crate::retry::{RetryAtMost, RetryIf, RetryWhen};
use crate::source::{BodyOutput, FlowOf, LambdaOutput, flow_of};
use crate::terminal::{Any, Collect, Count, First, Fold, ForEach, ForEachLatest, Reduce, Run, Single, SingleOrNone};
#[cfg(feature = "time")]
use crate::time::{ChunksTimeout, Debounce, DelayStart, Edge, Sample, Throttle, Timeout};

/// The operators and terminals of every [`Flow`].
///
/// Import it to use them: `use coldflow::FlowExt;`. It can stand beside the extension traits of `futures` and
/// `tokio_stream`, since a flow is not a `Stream`.
///
/// # What holds for all of them
///
/// - **Operators only describe.** Nothing runs before a terminal is awaited or a stream is polled, and each collection
///   begins with fresh counters and buffers.
/// - **An error passes every operator** and ends the collection, after the items that were emitted before it. Only
///   [`catch`](Self::catch) and the retries handle one, and only from above them.
/// - **Dropping is cancellation**, at once. A terminal that is dropped before it is done drops the collection with all
///   that runs in it; items that were on their way are lost. Dropping a recipe does nothing. All terminals are
///   cancel safe in this sense, and none can be resumed. Polled after its end, a terminal stays pending; it is a
///   `FusedFuture`.
/// - **Closures are `FnMut`,** so a counter is a captured variable. Async ones are closures that return a future:
///   `async |x| ..` does as long as it does not change what it captures; otherwise `|x| { seen += 1; async move { .. } }`.
/// - **Loops that stay ready** give way to other tasks from time to time.
pub trait FlowExt: Flow {
    /// Turns each item into another.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(squares) = flow_of(1..4).map(|n| n * n).to_vec().await;
    /// assert_eq!(squares, [1, 4, 9]);
    /// # });
    /// ```
    ///
    /// Kotlin: `map`.
    fn map<U, Op>(self, op: Op) -> Map<Self, Op>
    where
        Op: FnMut(Self::Item) -> U,
    {
        Map::new(self, op)
    }

    /// Turns each item into another or fails. After a failure the flow has ended and what ran above has been dropped.
    ///
    /// The error is that of the flow: give an infallible one an error type first, by [`fallible`](Self::fallible).
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::num::ParseIntError;
    ///
    /// # futures::executor::block_on(async {
    /// let parsed = flow_of(["1", "x", "3"]).fallible::<ParseIntError>().try_map(str::parse::<u8>);
    /// assert_eq!(parsed.clone().first().await, Ok(Some(1)));
    /// assert!(parsed.to_vec().await.is_err());
    /// # });
    /// ```
    ///
    /// Kotlin: `map` with a lambda that throws.
    fn try_map<U, Op>(self, op: Op) -> TryMap<Self, Op>
    where
        Op: FnMut(Self::Item) -> Result<U, Self::Error>,
    {
        TryMap::new(self, op)
    }

    /// Turns each item into the output of a future, one after the other.
    ///
    /// What runs concurrently above, such as a `buffer`, makes progress meanwhile.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(doubled) = flow_of(1..4).then(async |n| n * 2).to_vec().await;
    /// assert_eq!(doubled, [2, 4, 6]);
    /// # });
    /// ```
    ///
    /// Kotlin: `map` with a suspending lambda.
    fn then<Op, Fut>(self, op: Op) -> Then<Self, Op>
    where
        Op: FnMut(Self::Item) -> Fut,
        Fut: Future,
    {
        Then::new(self, op)
    }

    /// Turns each item into the output of a future that may fail, one after the other.
    ///
    /// What runs concurrently above, such as a `buffer`, makes progress meanwhile. After a failure the flow has ended
    /// and what ran above has been dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let halves = flow_of([8, 6, 5])
    ///     .fallible()
    ///     .and_then(async |n| if n % 2 == 0 { Ok(n / 2) } else { Err("odd") });
    /// assert_eq!(halves.clone().take(2).to_vec().await, Ok(vec![4, 3]));
    /// assert_eq!(halves.to_vec().await, Err("odd"));
    /// # });
    /// ```
    ///
    /// Kotlin: `map` with a suspending lambda that throws.
    fn and_then<U, Op, Fut>(self, op: Op) -> AndThen<Self, Op>
    where
        Op: FnMut(Self::Item) -> Fut,
        Fut: Future<Output = Result<U, Self::Error>>,
    {
        AndThen::new(self, op)
    }

    /// Passes on the items for which `predicate` holds, and drops the others.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(even) = flow_of(1..6).filter(|n| n % 2 == 0).to_vec().await;
    /// assert_eq!(even, [2, 4]);
    /// # });
    /// ```
    ///
    /// Kotlin: `filter`.
    #[doc(alias = "filterNot")]
    fn filter<P>(self, predicate: P) -> Filter<Self, P>
    where
        P: FnMut(&Self::Item) -> bool,
    {
        Filter::new(self, predicate)
    }

    /// Turns each item into another or drops it.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(numbers) = flow_of(["1", "x", "3"]).filter_map(|word| word.parse::<u8>().ok()).to_vec().await;
    /// assert_eq!(numbers, [1, 3]);
    /// # });
    /// ```
    ///
    /// Kotlin: `mapNotNull`, `filterNotNull`, `filterIsInstance`.
    #[doc(alias = "mapNotNull")]
    #[doc(alias = "filterIsInstance")]
    fn filter_map<U, Op>(self, op: Op) -> FilterMap<Self, Op>
    where
        Op: FnMut(Self::Item) -> Option<U>,
    {
        FilterMap::new(self, op)
    }

    /// Looks at each item as it passes.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let mut seen = Vec::new();
    /// let Ok(count) = flow_of(1..4).inspect(|n| seen.push(*n)).count().await;
    /// assert_eq!((count, seen), (3, vec![1, 2, 3]));
    /// # });
    /// ```
    ///
    /// Kotlin: `onEach`.
    fn inspect<Op>(self, op: Op) -> Inspect<Self, Op>
    where
        Op: FnMut(&Self::Item),
    {
        Inspect::new(self, op)
    }

    /// Runs a future for each item, to its end, before the item is passed on.
    ///
    /// The future cannot borrow the item: copy out of it what the future needs. What runs concurrently above makes
    /// progress meanwhile.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let began = tokio::time::Instant::now();
    /// let slow = flow_of(1..4).on_each(|_| tokio::time::sleep(Duration::from_secs(1)));
    /// assert_eq!(slow.to_vec().await, Ok(vec![1, 2, 3]));
    /// assert_eq!(began.elapsed().as_secs(), 3);
    /// # }
    /// ```
    ///
    /// Kotlin: `onEach`.
    #[doc(alias = "onEach")]
    #[doc(alias = "delayEach")]
    fn on_each<Op, Fut>(self, op: Op) -> OnEach<Self, Op>
    where
        Op: FnMut(&Self::Item) -> Fut,
        Fut: Future<Output = ()>,
    {
        OnEach::new(self, op)
    }

    /// Pairs each item with its index, from 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(indexed) = flow_of(['a', 'b']).enumerate().to_vec().await;
    /// assert_eq!(indexed, [(0, 'a'), (1, 'b')]);
    /// # });
    /// ```
    ///
    /// Kotlin: `withIndex`.
    #[doc(alias = "withIndex")]
    fn enumerate(self) -> Enumerate<Self> {
        Enumerate::new(self)
    }

    /// Emits `initial`, before anything runs above, and then for each item what `op` makes of the last emission and the
    /// item: one emission more than there are items.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(sums) = flow_of([1, 2, 3]).running_fold(0, |sum, n| sum + n).to_vec().await;
    /// assert_eq!(sums, [0, 1, 3, 6]);
    /// # });
    /// ```
    ///
    /// Kotlin: `runningFold`, `scan`.
    #[doc(alias = "scan")]
    #[doc(alias = "runningFold")]
    fn running_fold<A, Op>(self, initial: A, op: Op) -> RunningFold<Self, A, Op>
    where
        A: Clone,
        Op: FnMut(A, Self::Item) -> A,
    {
        RunningFold::new(self, initial, op)
    }

    /// Emits the first item as it is, and then for each item what `op` makes of the last emission and the item.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(highest) = flow_of([3, 1, 4]).running_reduce(i32::max).to_vec().await;
    /// assert_eq!(highest, [3, 3, 4]);
    /// # });
    /// ```
    ///
    /// Kotlin: `runningReduce`.
    #[doc(alias = "scan")]
    #[doc(alias = "runningReduce")]
    fn running_reduce<Op>(self, op: Op) -> RunningReduce<Self, Op>
    where
        Self::Item: Clone,
        Op: FnMut(Self::Item, Self::Item) -> Self::Item,
    {
        RunningReduce::new(self, op)
    }

    /// Drops each item that equals the last one passed on.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(changes) = flow_of([1, 1, 2, 2, 1]).distinct_until_changed().to_vec().await;
    /// assert_eq!(changes, [1, 2, 1]);
    /// # });
    /// ```
    ///
    /// Kotlin: `distinctUntilChanged`.
    #[doc(alias = "distinctUntilChanged")]
    #[doc(alias = "dedup")]
    fn distinct_until_changed(self) -> DistinctUntilChangedBy<Self, Itself, Equality>
    where
        Self::Item: Clone + PartialEq,
    {
        DistinctUntilChangedBy::new(self, Itself, Equality)
    }

    /// Drops each item that is the `same` as the last one passed on. `same` gets that one first, and is not called for
    /// the first item.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let steps = flow_of([0, 1, 5, 6, 11]).distinct_until_changed_by(|last: &i32, n| n - last < 5);
    /// assert_eq!(steps.to_vec().await, Ok(vec![0, 5, 11]));
    /// # });
    /// ```
    ///
    /// Kotlin: `distinctUntilChanged(areEquivalent)`.
    #[doc(alias = "dedup_by")]
    fn distinct_until_changed_by<P>(self, same: P) -> DistinctUntilChangedBy<Self, Itself, P>
    where
        Self::Item: Clone,
        P: FnMut(&Self::Item, &Self::Item) -> bool,
    {
        DistinctUntilChangedBy::new(self, Itself, same)
    }

    /// Drops each item whose `key` equals that of the last one passed on.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(words) = flow_of(["ant", "ape", "bee"]).distinct_until_changed_by_key(|word| word.len()).to_vec().await;
    /// assert_eq!(words, ["ant"]);
    /// # });
    /// ```
    ///
    /// Kotlin: `distinctUntilChangedBy`.
    #[doc(alias = "distinctUntilChangedBy")]
    #[doc(alias = "dedup_by_key")]
    fn distinct_until_changed_by_key<K, Op>(self, key: Op) -> DistinctUntilChangedBy<Self, Op, Equality>
    where
        K: PartialEq,
        Op: FnMut(&Self::Item) -> K,
    {
        DistinctUntilChangedBy::new(self, key, Equality)
    }

    /// Passes on the first `count` items, then ends.
    ///
    /// What runs above is dropped when the consumer asks for more, so when it is done with the last item, and not before.
    /// `take(0)` is an empty flow and starts nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(some) = flow_of(0..).take(3).to_vec().await;
    /// assert_eq!(some, [0, 1, 2]);
    /// # });
    /// ```
    ///
    /// Kotlin: `take`, which refuses 0.
    fn take(self, count: usize) -> Take<Self> {
        Take::new(self, count)
    }

    /// Passes items on while `predicate` holds, then ends. The first item for which it does not hold is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(small) = flow_of(0..).take_while(|n| *n < 3).to_vec().await;
    /// assert_eq!(small, [0, 1, 2]);
    /// # });
    /// ```
    ///
    /// Kotlin: `takeWhile`.
    #[doc(alias = "takeWhile")]
    fn take_while<P>(self, predicate: P) -> TakeWhile<Self, P>
    where
        P: FnMut(&Self::Item) -> bool,
    {
        TakeWhile::new(self, predicate)
    }

    /// Drops the first `count` items.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(rest) = flow_of(0..5).skip(3).to_vec().await;
    /// assert_eq!(rest, [3, 4]);
    /// # });
    /// ```
    ///
    /// Kotlin: `drop`.
    #[doc(alias = "drop")]
    fn skip(self, count: usize) -> Skip<Self> {
        Skip::new(self, count)
    }

    /// Drops items while `predicate` holds; from the first one on for which it does not, all are passed on.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(rest) = flow_of([1, 2, 9, 1]).skip_while(|n| *n < 5).to_vec().await;
    /// assert_eq!(rest, [9, 1]);
    /// # });
    /// ```
    ///
    /// Kotlin: `dropWhile`.
    #[doc(alias = "dropWhile")]
    fn skip_while<P>(self, predicate: P) -> SkipWhile<Self, P>
    where
        P: FnMut(&Self::Item) -> bool,
    {
        SkipWhile::new(self, predicate)
    }

    /// Runs a body for each item, which emits any number of others. The bodies run one after the other.
    ///
    /// The body returns `()`, or a `Result` of the flow's error, and then `?` works in it. What runs concurrently above
    /// makes progress while a body waits. One allocation per collection.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(twice) = flow_of([1, 2])
    ///     .transform(async |n, mut emitter| {
    ///         emitter.emit(n).await;
    ///         emitter.emit(n * 10).await;
    ///     })
    ///     .to_vec()
    ///     .await;
    /// assert_eq!(twice, [1, 10, 2, 20]);
    /// # });
    /// ```
    ///
    /// Kotlin: `transform`.
    fn transform<U, Op, Fut>(self, op: Op) -> Transform<Self, U, Op>
    where
        Op: FnMut(Self::Item, Emitter<U>) -> Fut,
        Fut: Future<Output: LambdaOutput<Self::Error, Value = ()>>,
    {
        Transform::new(self, op)
    }

    /// Runs a body for each item, which emits any number of others and says whether to go on: after the first `false`
    /// the flow ends. This is "take until, inclusive".
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(progress) = flow_of([0, 50, 100, 147])
    ///     .transform_while(async |percent, mut emitter| {
    ///         emitter.emit(percent).await;
    ///         percent < 100
    ///     })
    ///     .to_vec()
    ///     .await;
    /// assert_eq!(progress, [0, 50, 100]);
    /// # });
    /// ```
    ///
    /// Kotlin: `transformWhile`.
    #[doc(alias = "transformWhile")]
    fn transform_while<U, Op, Fut>(self, op: Op) -> Transform<Self, U, Op>
    where
        Op: FnMut(Self::Item, Emitter<U>) -> Fut,
        Fut: Future<Output: LambdaOutput<Self::Error, Value = bool>>,
    {
        Transform::new(self, op)
    }

    /// Collects items into vectors of `size`. The last one may be shorter; none is empty.
    ///
    /// When the flow fails, the items of the open chunk are lost.
    ///
    /// # Panics
    ///
    /// When `size` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(chunks) = flow_of(1..6).chunks(2).to_vec().await;
    /// assert_eq!(chunks, [vec![1, 2], vec![3, 4], vec![5]]);
    /// # });
    /// ```
    ///
    /// Kotlin: `chunked`.
    #[doc(alias = "chunked")]
    #[track_caller]
    fn chunks(self, size: usize) -> Chunks<Self> {
        assert!(size > 0, "`size` of `chunks` must be at least 1, got 0");
        Chunks::new(self, size)
    }

    /// Pairs each item with the one before it.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(pairs) = flow_of([1, 2, 3]).pairwise().to_vec().await;
    /// assert_eq!(pairs, [(1, 2), (2, 3)]);
    /// # });
    /// ```
    ///
    /// Kotlin: none; `zipWithNext` of sequences.
    #[doc(alias = "zipWithNext")]
    fn pairwise(self) -> Pairwise<Self>
    where
        Self::Item: Clone,
    {
        Pairwise::new(self)
    }

    /// Collects the flow that `op` makes of each item, one after the other, in order.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/flat_map_concat.svg"))]
    ///
    /// The inner flows have the error of this one. Where this one cannot fail and they can, call
    /// [`fallible`](Self::fallible) on this one, or handle their failures by [`catch`](Self::catch) in `op`; where both
    /// can, [`map_err`](Self::map_err) there.
    /// What runs concurrently above makes progress while an inner flow waits. When an inner flow fails it is dropped,
    /// then what runs above.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(all) = flow_of(1..4).flat_map_concat(|n| flow_of(0..n)).to_vec().await;
    /// assert_eq!(all, [0, 0, 1, 0, 1, 2]);
    /// # });
    /// ```
    ///
    /// Kotlin: `flatMapConcat`.
    #[doc(alias = "flatMapConcat")]
    #[doc(alias = "flat_map")]
    #[doc(alias = "concat_map")]
    fn flat_map_concat<G, Op>(self, op: Op) -> FlatMapConcat<Self, Op>
    where
        G: Flow<Error = Self::Error>,
        Op: FnMut(Self::Item) -> G,
    {
        FlatMapConcat::new(self, op)
    }

    /// Collects the flows that this flow emits, one after the other, in order.
    ///
    /// As [`flat_map_concat`](Self::flat_map_concat) of each to itself:
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/flat_map_concat.svg"))]
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(all) = flow_of([flow_of(1..3), flow_of(7..9)]).flatten_concat().to_vec().await;
    /// assert_eq!(all, [1, 2, 7, 8]);
    /// # });
    /// ```
    ///
    /// Kotlin: `flattenConcat`.
    #[doc(alias = "flattenConcat")]
    #[doc(alias = "flatten")]
    fn flatten_concat(self) -> FlatMapConcat<Self, fn(Self::Item) -> Self::Item>
    where
        Self::Item: Flow<Error = Self::Error>,
    {
        FlatMapConcat::new(self, identity)
    }

    /// Goes on with `next` when this flow has ended normally. When it fails, `next` does not start.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(all) = flow_of([1, 2]).chain(flow_of([3])).to_vec().await;
    /// assert_eq!(all, [1, 2, 3]);
    /// # });
    /// ```
    ///
    /// Kotlin: `onCompletion { if (it == null) emitAll(next) }`.
    #[doc(alias = "concatWith")]
    fn chain<G>(self, next: G) -> Chain<Self, G>
    where
        G: Flow<Item = Self::Item, Error = Self::Error>,
    {
        Chain::new(self, next)
    }

    /// Emits `items` before anything runs above.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(all) = flow_of([1, 2]).start_with([0]).to_vec().await;
    /// assert_eq!(all, [0, 1, 2]);
    /// # });
    /// ```
    ///
    /// Kotlin: `onStart { emit(item) }`.
    #[doc(alias = "startWith")]
    fn start_with<I>(self, items: I) -> Chain<MapErr<FlowOf<I>, fn(Infallible) -> Self::Error>, Self>
    where
        I: IntoIterator<Item = Self::Item> + Clone,
    {
        flow_of(items).fallible().chain(self)
    }

    /// Collects this flow `count` times in a row. A failure ends it.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(all) = flow_of([1, 2]).repeat(2).to_vec().await;
    /// assert_eq!(all, [1, 2, 1, 2]);
    /// # });
    /// ```
    ///
    /// Kotlin: none.
    fn repeat(self, count: usize) -> Repeat<Self>
    where
        Self: ColdFlow,
    {
        Repeat::new(self, count)
    }

    /// Turns what happens into items: each item, and then how the flow ended. The result cannot fail.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{Event, FlowExt, failed, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(events) = flow_of([1]).fallible().chain(failed("cut")).materialize().to_vec().await;
    /// assert_eq!(events, [Event::Item(1), Event::Failed("cut")]);
    /// # });
    /// ```
    ///
    /// Kotlin: none.
    fn materialize(self) -> Materialize<Self> {
        Materialize::new(self)
    }

    /// Undoes [`materialize`](Self::materialize): does what the events say, and ends with the first one that is an end.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{Event, FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let events = flow_of([Event::Item(1), Event::Failed("cut"), Event::Item(2)]);
    /// assert_eq!(events.dematerialize().to_vec().await, Err("cut"));
    /// # });
    /// ```
    ///
    /// Kotlin: none.
    fn dematerialize<T, E>(self) -> Dematerialize<Self>
    where
        Self: Flow<Item = Event<T, E>, Error = Infallible>,
    {
        Dematerialize::new(self)
    }

    /// Turns items and the error into items that are results. The result cannot fail; it ends behind an `Err` item.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, failed, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(results) = flow_of([1]).fallible().chain(failed("cut")).map_to_result().to_vec().await;
    /// assert_eq!(results, [Ok(1), Err("cut")]);
    /// # });
    /// ```
    ///
    /// Kotlin: none.
    fn map_to_result(self) -> MapToResult<Self> {
        MapToResult::new(self)
    }

    /// Runs a body before anything runs above. It may emit, and when it fails nothing above is started.
    ///
    /// Of several, the one applied last runs first.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(all) = flow_of(["a", "b"])
    ///     .on_start(async |mut emitter| emitter.emit("begin").await)
    ///     .to_vec()
    ///     .await;
    /// assert_eq!(all, ["begin", "a", "b"]);
    /// # });
    /// ```
    ///
    /// Kotlin: `onStart`.
    #[doc(alias = "onStart")]
    fn on_start<Op, Fut>(self, op: Op) -> OnStart<Self, Op>
    where
        Op: FnMut(Emitter<Self::Item>) -> Fut,
        Fut: Future<Output: LambdaOutput<Self::Error, Value = ()>>,
    {
        OnStart::new(self, op)
    }

    /// Runs a body when the flow ends: with `None` after its normal end, with the error after a failure.
    ///
    /// After a normal end the body may emit. After a failure the error comes out when the body is done; an emission then
    /// ends the body instead. When the body itself fails, its error comes out. What ran above has been dropped by then.
    /// A collection that is dropped before its end does not run it: that is [`on_cancel`](Self::on_cancel).
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(all) = flow_of(["a", "b"])
    ///     .on_completion(|cause, mut emitter| {
    ///         assert!(cause.is_none());
    ///         async move { emitter.emit("done").await }
    ///     })
    ///     .to_vec()
    ///     .await;
    /// assert_eq!(all, ["a", "b", "done"]);
    /// # });
    /// ```
    ///
    /// Kotlin: `onCompletion`, which also sees cancellation.
    #[doc(alias = "onCompletion")]
    #[doc(alias = "finally")]
    fn on_completion<Op, Fut>(self, op: Op) -> OnCompletion<Self, Op>
    where
        Op: FnMut(Option<&Self::Error>, Emitter<Self::Item>) -> Fut,
        Fut: Future<Output: LambdaOutput<Self::Error, Value = ()>>,
    {
        OnCompletion::new(self, op)
    }

    /// Calls `op` when a collection that has started is dropped, stopped or restarted before its end, after what ran above
    /// has been dropped.
    ///
    /// A `take` or a terminal below that has seen enough stops it, too.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let mut cancelled = false;
    /// let first = flow_of(0..).on_cancel(|| cancelled = true).first().await;
    /// assert_eq!(first, Ok(Some(0)));
    /// assert!(cancelled);
    /// # });
    /// ```
    ///
    /// Kotlin: `onCompletion` with a cancellation as its cause.
    fn on_cancel<Op>(self, op: Op) -> OnCancel<Self, Op>
    where
        Op: FnMut(),
    {
        OnCancel::new(self, op)
    }

    /// Runs a body when the flow has ended normally without an item. It may emit and may fail.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, empty};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(items) = empty().on_empty(async |mut emitter| emitter.emit("nothing").await).to_vec().await;
    /// assert_eq!(items, ["nothing"]);
    /// # });
    /// ```
    ///
    /// Kotlin: `onEmpty`.
    #[doc(alias = "onEmpty")]
    #[doc(alias = "default_if_empty")]
    fn on_empty<Op, Fut>(self, op: Op) -> OnEmpty<Self, Op>
    where
        Op: FnMut(Emitter<Self::Item>) -> Fut,
        Fut: Future<Output: LambdaOutput<Self::Error, Value = ()>>,
    {
        OnEmpty::new(self, op)
    }

    /// Runs a body when the flow above fails. It may emit, end normally, or fail with an error of any type; then the flow
    /// has ended.
    ///
    /// Errors raised below never reach it, nor does cancellation. What ran above has been dropped before it runs. A body
    /// that returns `()` makes the flow infallible. To handle only some errors, return the others: `Err(cause)`.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, failed, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let numbers = flow_of([1]).fallible().chain(failed("cut"));
    /// let Ok(all) = numbers.catch(async |_, mut emitter| emitter.emit(-1).await).to_vec().await;
    /// assert_eq!(all, [1, -1]);
    /// # });
    /// ```
    ///
    /// Kotlin: `catch`.
    #[doc(alias = "onErrorReturn")]
    #[doc(alias = "onErrorResume")]
    #[doc(alias = "or_else")]
    fn catch<Op, Fut>(self, op: Op) -> Catch<Self, Op>
    where
        Op: FnMut(Self::Error, Emitter<Self::Item>) -> Fut,
        Fut: Future<Output: BodyOutput>,
    {
        Catch::new(self, op)
    }

    /// Turns the error into another.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, failed};
    ///
    /// # futures::executor::block_on(async {
    /// let length = failed::<u8, _>("broken").map_err(|reason| reason.len());
    /// assert_eq!(length.to_vec().await, Err(6));
    /// # });
    /// ```
    ///
    /// Kotlin: `catch { throw other }`.
    fn map_err<E, Op>(self, op: Op) -> MapErr<Self, Op>
    where
        Op: FnMut(Self::Error) -> E,
    {
        MapErr::new(self, op)
    }

    /// Converts the error through `Into`.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, failed};
    ///
    /// # futures::executor::block_on(async {
    /// let owned = failed::<u8, _>("broken").err_into::<String>();
    /// assert_eq!(owned.to_vec().await, Err("broken".to_owned()));
    /// # });
    /// ```
    fn err_into<E>(self) -> MapErr<Self, fn(Self::Error) -> E>
    where
        Self::Error: Into<E>,
    {
        MapErr::new(self, Into::into)
    }

    /// Gives a flow that cannot fail an error type, so that it can be combined with those that can.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, failed, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let both = flow_of([1]).fallible::<&str>().chain(failed("over"));
    /// assert_eq!(both.to_vec().await, Err("over"));
    /// # });
    /// ```
    fn fallible<E>(self) -> MapErr<Self, fn(Infallible) -> E>
    where
        Self: Flow<Error = Infallible>,
    {
        MapErr::new(self, |never| match never {})
    }

    /// Collects the flow above again after a failure, as often as `predicate` says.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/retry_when.svg"))]
    ///
    /// When the flow fails, what ran above is dropped, and then `predicate` is awaited with the cause and the number of
    /// retries so far, 0 the first time. `Ok(())` collects again from the start; `Err(cause)` ends the flow with that
    /// error, unwrapped, and it may be another one. So the total number of runs is the number of retries and one more:
    /// a bound on the attempts is `if retried + 1 >= max_attempts { return Err(cause) }`. Waiting happens in the
    /// predicate. Its count never resets within a collection.
    ///
    /// Items that were delivered before a failure stay delivered. Errors raised below never reach the predicate.
    /// Captured variables of bodies and lambdas above live on across the retries, while the state of operators above (the
    /// count of a `take`, an open chunk) starts afresh.
    ///
    /// No allocation. Attempts that fail at once give way to other tasks after some, so a timeout around an endless retry
    /// fires.
    ///
    /// # Errors
    ///
    /// What the predicate ends with.
    ///
    /// # Cancel safety
    ///
    /// Dropping the collection stops the attempt, or the wait, at once; nothing is retried.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, once};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let mut attempts = 0;
    /// let outcome = once(|| {
    ///     attempts += 1;
    ///     let attempt = attempts;
    ///     async move { if attempt < 3 { Err("busy") } else { Ok("sunny") } }
    /// })
    /// .retry_when(async |cause, retried| {
    ///     if retried + 1 >= 5 {
    ///         return Err(cause);
    ///     }
    ///     tokio::time::sleep(Duration::from_secs(1 << retried)).await;
    ///     Ok(())
    /// })
    /// .single()
    /// .await;
    /// assert_eq!(outcome, Ok("sunny"));
    /// assert_eq!(attempts, 3);
    /// # }
    /// ```
    ///
    /// Kotlin: `retryWhen`.
    #[doc(alias = "retryWhen")]
    fn retry_when<P, Fut>(self, predicate: P) -> RetryWhen<Self, P>
    where
        Self: ColdFlow,
        P: FnMut(Self::Error, u64) -> Fut,
        Fut: Future<Output = Result<(), Self::Error>>,
    {
        RetryWhen::new(self, predicate)
    }

    /// Collects the flow above again after a failure, at once, at most `retries` times: `retries + 1` runs.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/retry.svg"))]
    ///
    /// See [`retry_when`](Self::retry_when).
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, once};
    ///
    /// # futures::executor::block_on(async {
    /// let mut runs = 0;
    /// let outcome = once(|| { runs += 1; async { Err::<(), _>("down") } }).retry(2).single().await;
    /// assert!(outcome.is_err());
    /// assert_eq!(runs, 3);
    /// # });
    /// ```
    ///
    /// Kotlin: `retry`, which refuses 0.
    fn retry(self, retries: u64) -> RetryWhen<Self, RetryAtMost>
    where
        Self: ColdFlow,
    {
        RetryWhen::new(self, RetryAtMost { retries })
    }

    /// Collects the flow above again after a failure, at once, while `predicate` holds for the cause and the number of
    /// retries so far.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/retry_if.svg"))]
    ///
    /// See [`retry_when`](Self::retry_when).
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, once};
    ///
    /// # futures::executor::block_on(async {
    /// let mut runs = 0;
    /// let outcome = once(|| { runs += 1; let run = runs; async move { Err::<(), _>(run) } })
    ///     .retry_if(|cause, retried| *cause < 4 && retried < 10)
    ///     .single()
    ///     .await;
    /// assert_eq!(outcome.unwrap_err().into_upstream(), Some(4));
    /// # });
    /// ```
    ///
    /// Kotlin: `retry` with a predicate.
    fn retry_if<P>(self, predicate: P) -> RetryWhen<Self, RetryIf<P>>
    where
        Self: ColdFlow,
        P: FnMut(&Self::Error, u64) -> bool,
    {
        RetryWhen::new(self, RetryIf { predicate })
    }

    /// Collects the flow above again after a failure, as the [policy](Retry) says: how many attempts, how long to wait
    /// between them, for how long in all.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/retry_with.svg"))]
    ///
    /// What is code follows it: [`when`](RetryWith::when) tells the errors that are worth a retry,
    /// [`hint`](RetryWith::hint) what a server asks to wait, [`budget`](RetryWith::budget) is shared with other calls,
    /// [`on_retry`](RetryWith::on_retry) and [`on_give_up`](RetryWith::on_give_up) hear of it, and
    /// [`explain`](RetryWith::explain) puts attempts, time and reason into the error. Without anything, every error is
    /// retried. Nothing lifts the policy's bound.
    ///
    /// When the flow fails, what ran above is dropped, and then the wait begins. Items that were delivered before stay
    /// delivered. Captured variables of bodies and lambdas above live on across the attempts, while the state of operators
    /// above starts afresh. A wait of no time lets other tasks in. The clock is Tokio's. No allocation.
    ///
    /// What comes out is a flow, and wants a terminal. Only where [`once`](crate::once()) or
    /// [`once_with`](crate::once_with()) is directly above may it be awaited as it stands, as by [`retry`](crate::retry()).
    ///
    /// # Errors
    ///
    /// The last cause, or what [`explain`](RetryWith::explain) makes of it. With an
    /// [`attempt_timeout`](Retry::attempt_timeout) the cause is a [`TimeoutError`](crate::TimeoutError).
    ///
    /// # Cancel safety
    ///
    /// Dropping the collection stops the attempt, or the wait, at once; nothing is retried.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{Emitter, FlowExt, Retry, flow};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let mut connections = 0;
    /// let events = flow(|mut emitter: Emitter<String>| {
    ///     connections += 1;
    ///     let connection = connections;
    ///     async move {
    ///         emitter.emit(format!("hello from {connection}")).await;
    ///         if connection < 3 { Err("lost") } else { Ok(()) }
    ///     }
    /// });
    /// let policy = Retry::exponential(5).deadline(Duration::from_secs(60));
    /// let greetings = events.retry_with(policy).when(|cause| *cause == "lost").to_vec().await;
    /// assert_eq!(greetings.unwrap(), ["hello from 1", "hello from 2", "hello from 3"]);
    /// # }
    /// ```
    ///
    /// Kotlin: `retryWhen` with a delay in its predicate.
    #[cfg(feature = "time")]
    fn retry_with<B, T>(self, policy: Retry<B, T>) -> RetryWith<Self, B, T>
    where
        Self: ColdFlow,
        B: IntoIterator<Item = Duration> + Clone,
        T: AttemptTimeout<Self::Error>,
    {
        RetryWith::new(self, policy)
    }

    /// Lets what is above run ahead of a busy consumer, into a buffer of `capacity` places: a number, or `None` for 64.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/buffer.svg"))]
    //  emits     ─1─2─3───────────|       buffer(1, Suspend), a consumer that takes 4 per item
    //  consumer  ─1───2───3───|
    ///
    /// A consumer that waits takes an item directly and uses no place. When the buffer is full, [`Overflow::Suspend`] lets
    /// the emission wait, so nothing is lost; [`Overflow::DropOldest`] and [`Overflow::DropLatest`] drop an item, and `None`
    /// is then 1 place. With `Suspend`, a capacity of 0 is a rendezvous: what is above runs on to its next emission and
    /// waits there. Nothing runs ahead before the first poll. An error comes out behind the items in the buffer.
    ///
    /// Directly adjacent buffers become one: capacities add where both are numbers, a dropping buffer replaces what is
    /// above it, and a plain one below a dropping one keeps the drop. Likewise a buffer directly below `merge`,
    /// `flat_map_merge`, a `_latest` operator or `channel_flow` sets the size of their buffer.
    ///
    /// It runs while the consumer awaits something in another operator or terminal of this crate. Through `into_stream`
    /// into a foreign combinator it stands still while the consumer is busy, as every stream does.
    ///
    /// # Panics
    ///
    /// When `capacity` is 0 and items are to be dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, Overflow, flow};
    /// use std::time::Duration;
    /// use tokio::time::{Instant, sleep};
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let began = Instant::now();
    /// let Ok(()) = flow(async |mut emitter| {
    ///     for n in 1..4 {
    ///         emitter.emit(n).await;
    ///         sleep(Duration::from_millis(100)).await;
    ///     }
    /// })
    /// .buffer(2, Overflow::Suspend)
    /// .for_each(|_| sleep(Duration::from_millis(300)))
    /// .await;
    /// assert_eq!(began.elapsed().as_millis(), 900); // 1200 without the buffer
    /// # }
    /// ```
    ///
    /// Kotlin: `buffer`.
    #[cfg(feature = "std")]
    #[track_caller]
    fn buffer(self, capacity: impl Into<Option<usize>>, overflow: Overflow) -> Buffer<Self> {
        let capacity = capacity.into();
        assert!(
            overflow == Overflow::Suspend || capacity != Some(0),
            "`capacity` of a `buffer` that drops items must be at least 1, got 0"
        );
        Buffer::new(self, BufferConfig { capacity, overflow })
    }

    /// Lets what is above run ahead of a busy consumer, and gives the consumer the latest item when it is ready: the ones
    /// between are dropped.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/conflate.svg"))]
    ///
    /// The same as a `buffer` of one place that drops the oldest; what is above never waits. A consumer that waits gets
    /// the first item of a burst.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::time::Duration;
    /// use tokio::time::sleep;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let fast = flow_of(1..=30).on_each(|_| sleep(Duration::from_millis(100)));
    /// let slow = fast.conflate().then(async |n| {
    ///     sleep(Duration::from_secs(1)).await;
    ///     n
    /// });
    /// assert_eq!(slow.to_vec().await, Ok(vec![1, 10, 20, 30]));
    /// # }
    /// ```
    ///
    /// Kotlin: `conflate`.
    #[cfg(feature = "std")]
    fn conflate(self) -> Buffer<Self> {
        Buffer::new(self, BufferConfig { capacity: Some(0), overflow: Overflow::DropOldest })
    }

    /// Collects the flows that `op` makes of the items, up to `concurrency` of them at once, and emits what any of them
    /// emits.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/flat_map_merge.svg"))]
    ///
    /// The order of each inner flow is kept; between them it is that of time. While `concurrency` flows run, the flow
    /// above waits with its next item. Inner flows run ahead of a busy consumer into a buffer of 64 places, or of the size
    /// of a [`buffer`](Self::buffer) directly below; with a `concurrency` of 1 this is
    /// [`flat_map_concat`](Self::flat_map_concat) and there is none. When a flow fails, the others are dropped at once, and
    /// the error comes behind the items before it. One wake costs the same however many flows there are.
    ///
    /// The inner flows have the error of this one; see [`flat_map_concat`](Self::flat_map_concat) for what to do where
    /// they have another.
    ///
    /// # Panics
    ///
    /// When `concurrency` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of, once_ok};
    /// use std::time::Duration;
    /// use tokio::time::sleep;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let finished = flow_of([30, 10, 20]).flat_map_merge(3, |millis| {
    ///     once_ok(move || async move {
    ///         sleep(Duration::from_millis(millis)).await;
    ///         millis
    ///     })
    /// });
    /// assert_eq!(finished.to_vec().await, Ok(vec![10, 20, 30]));
    /// # }
    /// ```
    ///
    /// Kotlin: `flatMapMerge`.
    #[doc(alias = "flatMapMerge")]
    #[doc(alias = "buffer_unordered")]
    #[cfg(feature = "std")]
    #[track_caller]
    fn flat_map_merge<G, Op>(self, concurrency: usize, op: Op) -> FlatMapMerge<Self, Op>
    where
        G: Flow<Error = Self::Error>,
        Op: FnMut(Self::Item) -> G,
    {
        assert!(concurrency > 0, "`concurrency` of `flat_map_merge` must be at least 1, got 0");
        FlatMapMerge::new(self, concurrency, op)
    }

    /// Collects the flows that this flow emits, up to `concurrency` of them at once.
    ///
    /// As [`flat_map_merge`](Self::flat_map_merge) of each to itself:
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/flat_map_merge.svg"))]
    ///
    /// # Panics
    ///
    /// When `concurrency` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(count) = flow_of([flow_of(0..3), flow_of(0..4)]).flatten_merge(2).count().await;
    /// assert_eq!(count, 7);
    /// # });
    /// ```
    ///
    /// Kotlin: `flattenMerge`.
    #[doc(alias = "flattenMerge")]
    #[cfg(feature = "std")]
    #[track_caller]
    fn flatten_merge(self, concurrency: usize) -> FlatMapMerge<Self, fn(Self::Item) -> Self::Item>
    where
        Self::Item: Flow<Error = Self::Error>,
    {
        assert!(concurrency > 0, "`concurrency` of `flatten_merge` must be at least 1, got 0");
        FlatMapMerge::new(self, concurrency, identity)
    }

    /// Collects the flow that `op` makes of the latest item: a new item drops the inner flow of the one before.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/flat_map_latest.svg"))]
    //     ─a───────b─────────c───|
    //  a   └─1─2─3┆
    //  b           └─1─2─3─4┆
    //  c                     └─1─2─|
    //     ──a1─a2─a3─b1─b2─b3─b4─c1─c2─|
    ///
    /// Items that an inner flow has emitted, and that wait in the buffer of 64 places for a busy consumer, are still
    /// delivered; an emission that waits for room goes with its flow. The last inner flow runs to its end. When the flow
    /// above fails, the inner flow is dropped at once.
    ///
    /// The inner flows have the error of this one; see [`flat_map_concat`](Self::flat_map_concat) for what to do where
    /// they have another.
    ///
    /// Below [`debounce`](Self::debounce) the inner flow runs on until the new item has settled.
    /// [`delay_start`](Self::delay_start) on the inner flow, in place of the `debounce`, drops it with the new item.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of, once_ok};
    /// use std::time::Duration;
    /// use tokio::time::sleep;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let typed = flow_of(["c", "co", "cold"]).on_each(|_| sleep(Duration::from_millis(50)));
    /// let found = typed.flat_map_latest(|text| {
    ///     once_ok(move || async move {
    ///         sleep(Duration::from_millis(80)).await; // a search that takes longer than the next key
    ///         text.len()
    ///     })
    /// });
    /// assert_eq!(found.to_vec().await, Ok(vec![4]));
    /// # }
    /// ```
    ///
    /// Kotlin: `flatMapLatest`.
    #[doc(alias = "flatMapLatest")]
    #[doc(alias = "switch_map")]
    #[cfg(feature = "std")]
    fn flat_map_latest<G, Op>(self, op: Op) -> Latest<Self, FlowBlock<Op>>
    where
        G: Flow<Error = Self::Error>,
        Op: FnMut(Self::Item) -> G,
    {
        Latest::new(self, FlowBlock { op })
    }

    /// Turns the latest item into the output of a future: a new item drops the future of the one before.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/map_latest.svg"))]
    ///
    /// Outputs that wait for a busy consumer, in a buffer of 64 places, are still delivered.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::time::Duration;
    /// use tokio::time::sleep;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let Ok(done) = flow_of([1, 2, 3])
    ///     .map_latest(async |n| {
    ///         sleep(Duration::from_millis(10)).await;
    ///         n
    ///     })
    ///     .to_vec()
    ///     .await;
    /// assert_eq!(done, [3]);
    /// # }
    /// ```
    ///
    /// Kotlin: `mapLatest`.
    #[doc(alias = "mapLatest")]
    #[cfg(feature = "std")]
    fn map_latest<Op, Fut>(self, op: Op) -> Latest<Self, FutureBlock<Op>>
    where
        Op: FnMut(Self::Item) -> Fut,
        Fut: Future,
    {
        Latest::new(self, FutureBlock { op })
    }

    /// Runs a body for the latest item, which emits any number of others: a new item drops the body of the one before.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/transform_latest.svg"))]
    ///
    /// What a body has emitted, and what waits in the buffer of 64 places for a busy consumer, is still delivered; an
    /// emission that waits for room goes with its body. One allocation per item.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::time::Duration;
    /// use tokio::time::sleep;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let Ok(steps) = flow_of(["a", "b"])
    ///     .transform_latest(async |name, mut emitter| {
    ///         emitter.emit(format!("{name} begun")).await;
    ///         sleep(Duration::from_millis(10)).await;
    ///         emitter.emit(format!("{name} done")).await;
    ///     })
    ///     .to_vec()
    ///     .await;
    /// assert_eq!(steps, ["a begun", "b begun", "b done"]);
    /// # }
    /// ```
    ///
    /// Kotlin: `transformLatest`.
    #[doc(alias = "transformLatest")]
    #[cfg(feature = "std")]
    fn transform_latest<U, Op, Fut>(self, op: Op) -> Latest<Self, BodyBlock<U, Op>>
    where
        Op: FnMut(Self::Item, Emitter<U>) -> Fut,
        Fut: Future<Output: LambdaOutput<Self::Error, Value = ()>>,
    {
        Latest::new(self, BodyBlock::new(op))
    }

    /// Pairs the items of two flows by their position. It ends when either ends, and drops the other then.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/zip.svg"))]
    ///
    /// Both run at once, and neither runs ahead of the other by more than one item. When one fails, the other is dropped
    /// at once. An item without a partner is lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(pairs) = flow_of([1, 2, 3]).zip(flow_of(["a", "b"])).to_vec().await;
    /// assert_eq!(pairs, [(1, "a"), (2, "b")]);
    /// # });
    /// ```
    ///
    /// Kotlin: `zip`.
    fn zip<G>(self, other: G) -> Zip<Self, G>
    where
        G: Flow<Error = Self::Error>,
    {
        Zip::new(self, other)
    }

    /// Emits an item once `time` has passed without another: the last one of a burst.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/debounce.svg"))]
    //     ─1─2─3──────────4───|
    //     ──────────3─────────4|     debounce(5)
    ///
    /// An item that another follows too soon is dropped. At the normal end the last item is emitted at once; a failure
    /// loses it. A `time` of zero passes everything on. While the consumer is busy no time runs: what is above runs on to
    /// its next emission and waits there, and that item's time begins when the consumer asks again.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::time::Duration;
    /// use tokio::time::sleep;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let typed = flow_of([("c", 0), ("co", 50), ("col", 500), ("cold", 50)])
    ///     .on_each(|(_, pause)| sleep(Duration::from_millis(*pause)))
    ///     .map(|(text, _)| text);
    /// let searched = typed.debounce(Duration::from_millis(200));
    /// assert_eq!(searched.to_vec().await, Ok(vec!["co", "cold"]));
    /// # }
    /// ```
    ///
    /// Kotlin: `debounce`.
    #[cfg(feature = "time")]
    fn debounce(self, time: Duration) -> Debounce<Self, Duration> {
        Debounce::new(self, time)
    }

    /// Emits an item once the time that `time` tells for it has passed without another.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/debounce_by.svg"))]
    ///
    /// `time` is called once for each item. See [`debounce`](Self::debounce).
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let urgent_first = flow_of([1, 2, 99, 3])
    ///     .debounce_by(|n| if *n > 9 { Duration::ZERO } else { Duration::from_secs(1) });
    /// assert_eq!(urgent_first.to_vec().await, Ok(vec![99, 3]));
    /// # }
    /// ```
    ///
    /// Kotlin: `debounce` with a selector.
    #[cfg(feature = "time")]
    fn debounce_by<Op>(self, time: Op) -> Debounce<Self, Op>
    where
        Op: FnMut(&Self::Item) -> Duration,
    {
        Debounce::new(self, time)
    }

    /// Looks every `period`, first after one, and emits the latest item if there is a new one.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/sample.svg"))]
    //     ─1─2───────3───4─5──|
    //     ─────2─────────4────|     sample(5)
    ///
    /// Items between are dropped, as is the last one when the flow ends before the next look. A look that is due while the
    /// consumer is busy waits for it, and the next one comes a period after that.
    ///
    /// # Panics
    ///
    /// When `period` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::time::Duration;
    /// use tokio::time::sleep;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let readings = flow_of(1..=10).on_each(|_| sleep(Duration::from_millis(100)));
    /// let shown = readings.sample(Duration::from_millis(350));
    /// assert_eq!(shown.to_vec().await, Ok(vec![3, 7]));
    /// # }
    /// ```
    ///
    /// Kotlin: `sample`.
    #[cfg(feature = "time")]
    #[track_caller]
    fn sample(self, period: Duration) -> Sample<Self> {
        assert!(!period.is_zero(), "`period` of `sample` must be longer than zero");
        Sample::new(self, period)
    }

    /// Fails when `limit` passes without an item or the end.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/timeout.svg"))]
    ///
    /// The clock runs only while the consumer waits, anew for each item; what is above meanwhile runs on to its next
    /// emission and waits there. When the time has passed, what runs above is dropped. A limit of zero fails at once.
    ///
    /// # Errors
    ///
    /// [`TimeoutError`](crate::TimeoutError): the time has passed, or the flow's own error.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, SingleError, TimeoutError, once_ok};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let stuck = once_ok(std::future::pending::<()>).timeout(Duration::from_secs(5));
    /// assert_eq!(stuck.single().await, Err(SingleError::Upstream(TimeoutError::Elapsed)));
    /// # }
    /// ```
    ///
    /// Kotlin: `timeout`.
    #[cfg(feature = "time")]
    fn timeout(self, limit: Duration) -> Timeout<Self> {
        Timeout::new(self, limit)
    }

    /// Emits what this flow and another emit, both collected at once.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/merge.svg"))]
    ///
    /// See [`merge`](crate::merge()) for the rules, and for more than two.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(count) = flow_of([1, 2]).merge(flow_of([3])).count().await;
    /// assert_eq!(count, 3);
    /// # });
    /// ```
    ///
    /// Kotlin: `merge`.
    #[cfg(feature = "std")]
    fn merge<G>(self, other: G) -> Merge<(Self, G)>
    where
        G: Flow<Item = Self::Item, Error = Self::Error>,
    {
        merge((self, other))
    }

    /// Pairs each item with the latest one of another flow, which runs beside this one.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/with_latest_from.svg"))]
    //        ─1────2─────3──|
    //  other ───a─────b───────c─|
    //        ──────2a────3b─|
    ///
    /// Items that come before the other flow has emitted are dropped, and so are those of the other between two items. It
    /// ends with this flow, and drops the other then; the other may end before. When either fails the remaining one is
    /// dropped at once.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(pairs) = flow_of([1, 2]).with_latest_from(flow_of(["a", "b"])).to_vec().await;
    /// assert_eq!(pairs, [(1, "b"), (2, "b")]);
    /// # });
    /// ```
    ///
    /// Kotlin: none; Rx: `withLatestFrom`.
    #[doc(alias = "withLatestFrom")]
    #[cfg(feature = "std")]
    fn with_latest_from<G>(self, other: G) -> WithLatestFrom<Self, G>
    where
        G: Flow<Item: Clone, Error = Self::Error>,
    {
        WithLatestFrom::new(self, other)
    }

    /// Passes items on until `future` completes, then drops what runs above and ends.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/take_until.svg"))]
    ///
    /// The future is polled while the consumer waits, so an item that is in the consumer's hands is not cut off. It runs
    /// once, so the flow can be collected only once: put retries above.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::time::Duration;
    /// use tokio::time::sleep;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let shutdown = sleep(Duration::from_millis(250));
    /// let ticks = flow_of(0..).on_each(|_| sleep(Duration::from_millis(100))).take_until(shutdown);
    /// assert_eq!(ticks.to_vec().await, Ok(vec![0, 1]));
    /// # }
    /// ```
    ///
    /// Kotlin: none; Rx: `takeUntil`.
    #[doc(alias = "takeUntil")]
    fn take_until<Fut>(self, future: Fut) -> TakeUntil<Self, Fut>
    where
        Fut: Future,
    {
        TakeUntil::new(self, future)
    }

    /// Turns each item into the output of a future, up to `limit` of them at once, in the order of the items.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/then_concurrent.svg"))]
    ///
    /// An output that is ready before its turn keeps its place among the `limit`. The futures run on while the consumer is
    /// busy. When the flow above fails, the futures that still run are dropped at once, with the outputs behind them; the
    /// error comes behind the outputs before.
    ///
    /// # Panics
    ///
    /// When `limit` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::time::Duration;
    /// use tokio::time::{Instant, sleep};
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let began = Instant::now();
    /// let fetched = flow_of([30, 10, 20]).then_concurrent(3, async |millis| {
    ///     sleep(Duration::from_millis(millis)).await;
    ///     millis
    /// });
    /// assert_eq!(fetched.to_vec().await, Ok(vec![30, 10, 20]));
    /// assert_eq!(began.elapsed().as_millis(), 30);
    /// # }
    /// ```
    ///
    /// Kotlin: none; Arrow: `parMap`.
    #[doc(alias = "parMap")]
    #[doc(alias = "buffered")]
    #[cfg(feature = "std")]
    #[track_caller]
    fn then_concurrent<Op, Fut>(self, limit: usize, op: Op) -> ThenConcurrent<Self, Op>
    where
        Op: FnMut(Self::Item) -> Fut,
        Fut: Future,
    {
        assert!(limit > 0, "`limit` of `then_concurrent` must be at least 1, got 0");
        ThenConcurrent::new(self, limit, true, op)
    }

    /// Turns each item into the output of a future, up to `limit` of them at once, in the order in which they are ready.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/then_concurrent_unordered.svg"))]
    ///
    /// The futures run on while the consumer is busy. When the flow above fails, the futures that still run are dropped at
    /// once; the error comes behind the outputs that are ready.
    ///
    /// # Panics
    ///
    /// When `limit` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::time::Duration;
    /// use tokio::time::sleep;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let fetched = flow_of([30, 10, 20]).then_concurrent_unordered(3, async |millis| {
    ///     sleep(Duration::from_millis(millis)).await;
    ///     millis
    /// });
    /// assert_eq!(fetched.to_vec().await, Ok(vec![10, 20, 30]));
    /// # }
    /// ```
    ///
    /// Kotlin: none; Arrow: `parMapUnordered`.
    #[doc(alias = "parMapUnordered")]
    #[doc(alias = "buffer_unordered")]
    #[cfg(feature = "std")]
    #[track_caller]
    fn then_concurrent_unordered<Op, Fut>(self, limit: usize, op: Op) -> ThenConcurrent<Self, Op>
    where
        Op: FnMut(Self::Item) -> Fut,
        Fut: Future,
    {
        assert!(limit > 0, "`limit` of `then_concurrent_unordered` must be at least 1, got 0");
        ThenConcurrent::new(self, limit, false, op)
    }

    /// Lets an item through at most once per `period`: the first, the latest, or both, as `edge` says.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/throttle.svg"))]
    //     ─1─2─3────────4──────|
    //     ─1────────────4──────|     throttle(5, Leading)
    //     ──────3───────────4──|     throttle(5, Trailing)
    //     ─1────3───────4──────|     throttle(5, Both)
    ///
    /// A period begins with the first item, and anew when an item comes out at its end. The other items are dropped. At the
    /// normal end an item that is due comes out at once; a failure loses it. While the consumer is busy, what is above runs
    /// on to its next emission and waits there.
    ///
    /// # Panics
    ///
    /// When `period` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{Edge, FlowExt, interval};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let fast = interval(Duration::from_millis(100)).take(8);
    /// let period = Duration::from_millis(260);
    /// assert_eq!(fast.clone().throttle(period, Edge::Leading).to_vec().await, Ok(vec![0, 3, 6]));
    /// assert_eq!(fast.clone().throttle(period, Edge::Trailing).to_vec().await, Ok(vec![2, 5, 7]));
    /// assert_eq!(fast.throttle(period, Edge::Both).to_vec().await, Ok(vec![0, 2, 5, 7]));
    /// # }
    /// ```
    ///
    /// Kotlin: none; Rx: `throttleFirst`, `throttleLatest`.
    #[doc(alias = "throttleFirst")]
    #[doc(alias = "throttleLatest")]
    #[cfg(feature = "time")]
    #[track_caller]
    fn throttle(self, period: Duration, edge: Edge) -> Throttle<Self> {
        assert!(!period.is_zero(), "`period` of `throttle` must be longer than zero");
        Throttle::new(self, period, edge)
    }

    /// Collects items into vectors of `size`, or of what has come until `period` has passed since a vector's first item.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/chunks_timeout.svg"))]
    ///
    /// None is empty. At the end and before an error the open vector comes out as it is. While the consumer is busy, what
    /// is above fills the open vector and then waits.
    ///
    /// # Panics
    ///
    /// When `size` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, interval};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let ticks = interval(Duration::from_millis(100)).take(6);
    /// let batches = ticks.chunks_timeout(3, Duration::from_millis(150));
    /// assert_eq!(batches.to_vec().await, Ok(vec![vec![0, 1], vec![2, 3], vec![4, 5]]));
    /// # }
    /// ```
    ///
    /// Kotlin: none; Reactor: `bufferTimeout`.
    #[doc(alias = "bufferTimeout")]
    #[cfg(feature = "time")]
    #[track_caller]
    fn chunks_timeout(self, size: usize, period: Duration) -> ChunksTimeout<Self> {
        assert!(size > 0, "`size` of `chunks_timeout` must be at least 1, got 0");
        ChunksTimeout::new(self, size, period)
    }

    /// Waits before anything runs above.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/delay_start.svg"))]
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let began = tokio::time::Instant::now();
    /// assert_eq!(flow_of([1]).delay_start(Duration::from_secs(2)).single().await, Ok(1));
    /// assert_eq!(began.elapsed().as_secs(), 2);
    /// # }
    /// ```
    ///
    /// Kotlin: `onStart { delay(time) }`.
    #[doc(alias = "delayFlow")]
    #[cfg(feature = "time")]
    fn delay_start(self, delay: Duration) -> DelayStart<Self> {
        DelayStart::new(self, delay)
    }

    /// Runs what is above in a task of its own on the runtime of `handle`, which is how it leaves the consumer's thread.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/flow_on.svg"))]
    ///
    /// Its items go through a buffer of 64 places, or of the size of a [`buffer`](Self::buffer) directly below. The task
    /// starts at the first poll and is aborted when the collection ends or is dropped; what is above is dropped as soon as
    /// the task lets go of it, which can be a moment later if it is just running. A restart waits for that moment, so
    /// there is never more than one run. An error comes out behind the items before it.
    ///
    /// Besides it only [`share_in`](Self::share_in), [`state_in`](Self::state_in), [`launch_in`](Self::launch_in) and
    /// [`produce_in`](Self::produce_in) spawn; all other operators run within the consumer's task.
    ///
    /// # Panics
    ///
    /// The collection panics when what runs above panics, with the same payload, and when the runtime is shut down before
    /// the flow has ended.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, once_ok};
    /// use tokio::runtime::Handle;
    ///
    /// # #[tokio::main(flavor = "multi_thread", worker_threads = 1)]
    /// # async fn main() {
    /// let here = std::thread::current().id();
    /// let there = once_ok(async || std::thread::current().id()).flow_on(&Handle::current());
    /// assert_ne!(there.single().await, Ok(here));
    /// # }
    /// ```
    ///
    /// Kotlin: `flowOn`.
    #[doc(alias = "flowOn")]
    #[doc(alias = "subscribe_on")]
    #[cfg(feature = "rt")]
    fn flow_on(self, handle: &Handle) -> FlowOn<Self>
    where
        Self: Flow<Item: Send + 'static, Error: Send + 'static, Stream: Send + 'static>,
    {
        FlowOn::new(self, handle.clone())
    }

    /// Collects the flow once, in a task, and shares its items among all who subscribe.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/share_in.svg"))]
    ///
    /// `started` says when the task collects it: see [`SharingStarted`], or [`SharingPolicy`] for a rule of one's own. New
    /// subscribers get the latest `replay` items first. The flow runs up to 64 items ahead of the slowest subscriber, the
    /// replay included; a [`buffer`](Self::buffer) directly above makes that `replay` and its capacity. When it has ended,
    /// subscribers go on waiting, since it may be collected again. There is never more than one collection.
    ///
    /// The task belongs to the handles: when the last [`SharedFlow`] and the last subscriber are gone it is aborted.
    ///
    /// The flow must be infallible: [`catch`](Self::catch) or [`map_to_result`](Self::map_to_result) its errors first.
    ///
    /// # Panics
    ///
    /// When called outside of a Tokio runtime. When the flow panics, so do its subscribers.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, SharingStarted, interval};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let clock = interval(Duration::from_secs(1)).share_in(SharingStarted::Lazily, 1);
    /// let (a, b) = tokio::join!(clock.clone().take(3).to_vec(), clock.clone().take(3).to_vec());
    /// assert_eq!(a, Ok(vec![0, 1, 2]));
    /// assert_eq!(b, a); // one clock for both
    /// # }
    /// ```
    ///
    /// Kotlin: `shareIn`.
    #[doc(alias = "shareIn")]
    #[doc(alias = "publish")]
    #[cfg(feature = "rt")]
    #[track_caller]
    fn share_in<P>(self, started: P, replay: usize) -> SharedFlow<Self::Item>
    where
        Self: Flow<Item: Send + Sync + 'static, Error: CannotFail, Stream: Restart + Send + 'static>,
        P: SharingPolicy<Commands: Flow<Stream: Send + 'static>>,
    {
        share::share_in(self, started, replay)
    }

    /// Collects the flow once, in a task, and shares its latest item as a state, `initial` until there is one.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/state_in.svg"))]
    ///
    /// See [`share_in`](Self::share_in) for `started`, the task and the errors. Subscribers get only the latest item when
    /// they are slow.
    ///
    /// # Panics
    ///
    /// When called outside of a Tokio runtime. When the flow panics, so do its subscribers.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, SharingStarted, once_ok};
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let config = once_ok(async || "loaded").state_in(SharingStarted::Eagerly, "loading");
    /// assert_eq!(config.value(), "loading");
    /// assert_eq!(config.clone().first_where(|state| *state != "loading").await, Ok(Some("loaded")));
    /// # }
    /// ```
    ///
    /// Kotlin: `stateIn`.
    #[doc(alias = "stateIn")]
    #[cfg(feature = "rt")]
    #[track_caller]
    fn state_in<P>(self, started: P, initial: Self::Item) -> StateFlow<Self::Item>
    where
        Self: Flow<Item: PartialEq + Send + Sync + 'static, Error: CannotFail, Stream: Restart + Send + 'static>,
        P: SharingPolicy<Commands: Flow<Stream: Send + 'static>>,
    {
        share::state_in(self, started, initial)
    }

    /// Waits for the first item of the flow, then goes on collecting it in a task and shares its latest item as a state.
    ///
    /// # Errors
    ///
    /// [`NoFirstValue`](crate::NoFirstValue) when the flow ends without an item.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the collection.
    ///
    /// # Panics
    ///
    /// When polled outside of a Tokio runtime. When the flow panics, so do its subscribers.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, NoFirstValue, empty, flow_of};
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let state = flow_of([7]).state_in_first().await.unwrap();
    /// assert_eq!(state.value(), 7);
    /// assert_eq!(empty::<u8>().state_in_first().await.unwrap_err(), NoFirstValue);
    /// # }
    /// ```
    ///
    /// Kotlin: `stateIn(scope)`.
    #[cfg(feature = "rt")]
    fn state_in_first(self) -> StateInFirst<Self::Stream>
    where
        Self: Flow<Item: PartialEq + Send + Sync + 'static, Error: CannotFail, Stream: Restart + Send + 'static>,
    {
        StateInFirst::new(self.into_stream())
    }

    /// Collects the flow in a task of `set`, for what it does.
    ///
    /// # Panics
    ///
    /// When called outside of a Tokio runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use tokio::task::JoinSet;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let mut set = JoinSet::new();
    /// flow_of(1..4).inspect(|n| assert!(*n < 4)).launch_in(&mut set);
    /// assert!(set.join_next().await.unwrap().is_ok());
    /// # }
    /// ```
    ///
    /// Kotlin: `launchIn`.
    #[doc(alias = "launchIn")]
    #[doc(alias = "subscribe")]
    #[cfg(feature = "rt")]
    #[track_caller]
    fn launch_in(self, set: &mut JoinSet<Result<(), Self::Error>>) -> AbortHandle
    where
        Self: Flow<Error: Send + 'static, Stream: Send + 'static>,
    {
        set.spawn(self.run())
    }

    /// Collects the flow in a task of `set`, from now on, up to 64 items ahead of whoever takes them.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/produce_in.svg"))]
    ///
    /// What is given back is a plain stream of results, and through
    /// [`into_try_flow`](crate::StreamFlowExt::into_try_flow) a flow that can be collected once. Dropping it ends the task.
    ///
    /// # Panics
    ///
    /// When called outside of a Tokio runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, StreamFlowExt, flow_of};
    /// use tokio::task::JoinSet;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let mut set = JoinSet::new();
    /// let numbers = flow_of(1..4).produce_in(&mut set);
    /// assert_eq!(numbers.into_try_flow().to_vec().await, Ok(vec![1, 2, 3]));
    /// # }
    /// ```
    ///
    /// Kotlin: `produceIn`.
    #[doc(alias = "produceIn")]
    #[cfg(feature = "rt")]
    #[track_caller]
    fn produce_in(self, set: &mut JoinSet<()>) -> Produced<Self::Item, Self::Error>
    where
        Self: Flow<Item: Send + 'static, Error: Send + 'static, Stream: Send + 'static>,
    {
        let (produced, task) = produce::produce(self.into_stream());
        set.spawn(task);
        produced
    }

    /// Erases the type of a cold flow that is `Send`. One allocation; it can still be retried.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{BoxFlow, FlowExt, empty, flow_of};
    ///
    /// fn numbers(any: bool) -> BoxFlow<'static, i32, std::convert::Infallible> {
    ///     if any { flow_of([1, 2]).boxed() } else { empty().boxed() }
    /// }
    ///
    /// # futures::executor::block_on(async {
    /// assert_eq!(numbers(true).to_vec().await, Ok(vec![1, 2]));
    /// assert_eq!(numbers(false).to_vec().await, Ok(vec![]));
    /// # });
    /// ```
    fn boxed<'a>(self) -> BoxFlow<'a, Self::Item, Self::Error>
    where
        Self: ColdFlow,
        Self::Stream: Send + 'a,
    {
        BoxFlow::new(Box::pin(self.into_stream()))
    }

    /// Erases the type of a cold flow. One allocation; it can still be retried.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, once_ok};
    /// use std::rc::Rc;
    ///
    /// # futures::executor::block_on(async {
    /// let shared = Rc::new(7); // not `Send`
    /// let flow = once_ok(|| { let shared = Rc::clone(&shared); async move { *shared } }).boxed_local();
    /// assert_eq!(flow.single().await, Ok(7));
    /// # });
    /// ```
    fn boxed_local<'a>(self) -> LocalBoxFlow<'a, Self::Item, Self::Error>
    where
        Self: ColdFlow,
        Self::Stream: 'a,
    {
        LocalBoxFlow::new(Box::pin(self.into_stream()))
    }

    /// Collects the flow and gives its one value, or says why there is not exactly one.
    ///
    /// At the second item it stops: what runs above is dropped before it returns. After the first it goes on to the end,
    /// and a failure there wins over the value.
    ///
    /// # Errors
    ///
    /// [`SingleError`](crate::SingleError): no item, more than one, or the flow's own error.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, SingleError, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// assert_eq!(flow_of([5]).single().await, Ok(5));
    /// assert_eq!(flow_of([5, 6]).single().await, Err(SingleError::MoreThanOne));
    /// assert_eq!(flow_of([0; 0]).single().await, Err(SingleError::Empty));
    /// # });
    /// ```
    ///
    /// Kotlin: `single`.
    fn single(self) -> Single<Self::Stream, Self::Item> {
        Single::new(self.into_stream())
    }

    /// Collects the flow and gives its one value; none, or several, give `None`.
    ///
    /// At the second item it stops, as [`single`](Self::single) does.
    ///
    /// # Errors
    ///
    /// The flow's own, also after the first item.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// assert_eq!(flow_of([5]).single_or_none().await, Ok(Some(5)));
    /// assert_eq!(flow_of([5, 6]).single_or_none().await, Ok(None));
    /// # });
    /// ```
    ///
    /// Kotlin: `singleOrNull`.
    #[doc(alias = "singleOrNull")]
    fn single_or_none(self) -> SingleOrNone<Self::Stream, Self::Item> {
        SingleOrNone::new(self.into_stream())
    }

    /// Gives the first item, or `None` when there is none. What runs above is dropped before it returns.
    ///
    /// # Errors
    ///
    /// The flow's own, if it fails before its first item.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// assert_eq!(flow_of(3..).first().await, Ok(Some(3)));
    /// # });
    /// ```
    ///
    /// Kotlin: `firstOrNull`.
    #[doc(alias = "firstOrNull")]
    #[doc(alias = "next")]
    fn first(self) -> First<Self::Stream> {
        First::new(self.into_stream())
    }

    /// Gives the first item for which `predicate` holds, or `None` when there is none. What runs above is dropped before
    /// it returns.
    ///
    /// # Errors
    ///
    /// The flow's own, if it fails before that item.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// assert_eq!(flow_of(3..).first_where(|n| n % 5 == 0).await, Ok(Some(5)));
    /// # });
    /// ```
    ///
    /// Kotlin: `firstOrNull` with a predicate.
    #[doc(alias = "find")]
    fn first_where<P>(self, predicate: P) -> First<FilterStream<Self::Stream, P>>
    where
        P: FnMut(&Self::Item) -> bool,
    {
        self.filter(predicate).first()
    }

    /// Gives the last item, or `None` when there is none.
    ///
    /// # Errors
    ///
    /// The flow's own.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// assert_eq!(flow_of(3..6).last().await, Ok(Some(5)));
    /// # });
    /// ```
    ///
    /// Kotlin: `lastOrNull`.
    #[doc(alias = "lastOrNull")]
    fn last(self) -> Reduce<Self::Stream, Self::Item, fn(Self::Item, Self::Item) -> Self::Item> {
        Reduce::new(self.into_stream(), |_, item| item)
    }

    /// Collects the flow, running a future for each item, one after the other.
    ///
    /// What runs concurrently above makes progress while the body waits.
    ///
    /// # Errors
    ///
    /// The flow's own. The body that is running then is not cut off: an error is seen when the next item is asked for.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::future::ready;
    ///
    /// # futures::executor::block_on(async {
    /// let mut seen = Vec::new();
    /// let Ok(()) = flow_of(1..4).for_each(|n| { seen.push(n); ready(()) }).await;
    /// assert_eq!(seen, [1, 2, 3]);
    /// # });
    /// ```
    ///
    /// Kotlin: `collect`.
    #[doc(alias = "collect")]
    #[doc(alias = "collectIndexed")]
    fn for_each<Op, Fut>(self, op: Op) -> ForEach<Self::Stream, Fut, Op>
    where
        Op: FnMut(Self::Item) -> Fut,
        Fut: Future<Output = ()>,
    {
        ForEach::new(self.into_stream(), op)
    }

    /// Collects the flow, running a future for each item that may fail, one after the other.
    ///
    /// What runs concurrently above makes progress while the body waits. When the body fails, what runs above is dropped
    /// before it returns.
    ///
    /// # Errors
    ///
    /// The flow's own or the body's.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let outcome = flow_of(1..)
    ///     .fallible()
    ///     .try_for_each(async |n| if n < 3 { Ok(()) } else { Err("enough") })
    ///     .await;
    /// assert_eq!(outcome, Err("enough"));
    /// # });
    /// ```
    ///
    /// Kotlin: `collect` with a lambda that throws.
    fn try_for_each<Op, Fut>(self, op: Op) -> ForEach<Self::Stream, Fut, Op>
    where
        Op: FnMut(Self::Item) -> Fut,
        Fut: Future<Output = Result<(), Self::Error>>,
    {
        ForEach::new(self.into_stream(), op)
    }

    /// Collects the flow, running a future for the latest item: a new item drops the future of the one before.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/for_each_latest.svg"))]
    ///
    /// After the last item its future runs to its end.
    ///
    /// # Errors
    ///
    /// The flow's own, which drops the future that is running at once.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::cell::RefCell;
    /// use std::time::Duration;
    /// use tokio::time::sleep;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let shown = RefCell::new(Vec::new());
    /// let Ok(()) = flow_of([1, 2, 3])
    ///     .for_each_latest(async |page| {
    ///         sleep(Duration::from_millis(10)).await; // drawing it
    ///         shown.borrow_mut().push(page);
    ///     })
    ///     .await;
    /// assert_eq!(shown.into_inner(), [3]);
    /// # }
    /// ```
    ///
    /// Kotlin: `collectLatest`.
    #[doc(alias = "collectLatest")]
    fn for_each_latest<Op, Fut>(self, op: Op) -> ForEachLatest<Self::Stream, Fut, Op>
    where
        Op: FnMut(Self::Item) -> Fut,
        Fut: Future<Output = ()>,
    {
        ForEachLatest::new(self.into_stream(), op)
    }

    /// Collects the flow for what it does, dropping its items.
    ///
    /// # Errors
    ///
    /// The flow's own.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let mut sum = 0;
    /// let Ok(()) = flow_of(1..4).inspect(|n| sum += n).run().await;
    /// assert_eq!(sum, 6);
    /// # });
    /// ```
    ///
    /// Kotlin: `collect()`.
    fn run(self) -> Run<Self::Stream> {
        Run::new(self.into_stream())
    }

    /// Collects the items into any collection, such as a `HashMap` or a `String`.
    ///
    /// # Errors
    ///
    /// The flow's own; the items until then are lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    /// use std::collections::BTreeSet;
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(set) = flow_of([3, 1, 3]).collect::<BTreeSet<_>>().await;
    /// assert_eq!(set, BTreeSet::from([1, 3]));
    /// # });
    /// ```
    ///
    /// Kotlin: `toCollection`, `toSet`, `associate`.
    #[doc(alias = "toSet")]
    #[doc(alias = "toCollection")]
    fn collect<C>(self) -> Collect<Self::Stream, C>
    where
        C: Default + Extend<Self::Item>,
    {
        Collect::new(self.into_stream(), C::default())
    }

    /// Collects the items into a vector.
    ///
    /// # Errors
    ///
    /// The flow's own; the items until then are lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// assert_eq!(flow_of(1..4).to_vec().await, Ok(vec![1, 2, 3]));
    /// # });
    /// ```
    ///
    /// Kotlin: `toList`.
    #[doc(alias = "toList")]
    fn to_vec(self) -> Collect<Self::Stream, Vec<Self::Item>> {
        self.collect()
    }

    /// Combines all items into one value, with a future for each.
    ///
    /// What runs concurrently above makes progress while the lambda waits.
    ///
    /// # Errors
    ///
    /// The flow's own.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let Ok(text) = flow_of(1..4).fold(String::new(), async |text, n| format!("{text}{n}")).await;
    /// assert_eq!(text, "123");
    /// # });
    /// ```
    ///
    /// Kotlin: `fold`.
    fn fold<A, Op, Fut>(self, initial: A, op: Op) -> Fold<Self::Stream, A, Fut, Op>
    where
        Op: FnMut(A, Self::Item) -> Fut,
        Fut: Future<Output = A>,
    {
        Fold::new(self.into_stream(), Some(initial), op)
    }

    /// Combines all items into one value, with a future for each that may fail.
    ///
    /// When it fails, what runs above is dropped before it returns.
    ///
    /// # Errors
    ///
    /// The flow's own or the lambda's.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// let sum = flow_of([100_u8, 100, 100])
    ///     .fallible()
    ///     .try_fold(0_u8, async |sum, n| sum.checked_add(n).ok_or("too much"))
    ///     .await;
    /// assert_eq!(sum, Err("too much"));
    /// # });
    /// ```
    ///
    /// Kotlin: `fold` with a lambda that throws.
    fn try_fold<A, Op, Fut>(self, initial: A, op: Op) -> Fold<Self::Stream, A, Fut, Op>
    where
        Op: FnMut(A, Self::Item) -> Fut,
        Fut: Future<Output = Result<A, Self::Error>>,
    {
        Fold::new(self.into_stream(), Some(initial), op)
    }

    /// Combines all items into one of their kind, beginning with the first; `None` when there is none.
    ///
    /// # Errors
    ///
    /// The flow's own.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// assert_eq!(flow_of([3, 1, 4]).reduce(i32::max).await, Ok(Some(4)));
    /// # });
    /// ```
    ///
    /// Kotlin: `reduce`, which fails on an empty flow.
    fn reduce<Op>(self, op: Op) -> Reduce<Self::Stream, Self::Item, Op>
    where
        Op: FnMut(Self::Item, Self::Item) -> Self::Item,
    {
        Reduce::new(self.into_stream(), op)
    }

    /// Counts the items.
    ///
    /// # Errors
    ///
    /// The flow's own.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// assert_eq!(flow_of(0..10).count().await, Ok(10));
    /// # });
    /// ```
    ///
    /// Kotlin: `count`.
    fn count(self) -> Count<Self::Stream> {
        Count::new(self.into_stream())
    }

    /// Counts the items for which `predicate` holds.
    ///
    /// # Errors
    ///
    /// The flow's own.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// assert_eq!(flow_of(0..10).count_where(|n| n % 3 == 0).await, Ok(4));
    /// # });
    /// ```
    ///
    /// Kotlin: `count` with a predicate.
    fn count_where<P>(self, predicate: P) -> Count<FilterStream<Self::Stream, P>>
    where
        P: FnMut(&Self::Item) -> bool,
    {
        self.filter(predicate).count()
    }

    /// Whether `predicate` holds for any item: stops at the first one. `false` for an empty flow.
    ///
    /// # Errors
    ///
    /// The flow's own, if it fails before that.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// assert_eq!(flow_of(0..).any(|n| n > 2).await, Ok(true));
    /// # });
    /// ```
    ///
    /// Kotlin: `any`.
    fn any<P>(self, predicate: P) -> Any<Self::Stream, P>
    where
        P: FnMut(Self::Item) -> bool,
    {
        Any::new(self.into_stream(), predicate, true, true)
    }

    /// Whether `predicate` holds for all items: stops at the first for which it does not. `true` for an empty flow.
    ///
    /// # Errors
    ///
    /// The flow's own, if it fails before that.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// assert_eq!(flow_of(0..).all(|n| n < 2).await, Ok(false));
    /// # });
    /// ```
    ///
    /// Kotlin: `all`.
    fn all<P>(self, predicate: P) -> Any<Self::Stream, P>
    where
        P: FnMut(Self::Item) -> bool,
    {
        Any::new(self.into_stream(), predicate, false, false)
    }

    /// Whether `predicate` holds for no item: stops at the first for which it does. `true` for an empty flow.
    ///
    /// # Errors
    ///
    /// The flow's own, if it fails before that.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow_of};
    ///
    /// # futures::executor::block_on(async {
    /// assert_eq!(flow_of(0..5).none(|n| n > 9).await, Ok(true));
    /// # });
    /// ```
    ///
    /// Kotlin: `none`.
    fn none<P>(self, predicate: P) -> Any<Self::Stream, P>
    where
        P: FnMut(Self::Item) -> bool,
    {
        Any::new(self.into_stream(), predicate, true, false)
    }
}

impl<F: Flow> FlowExt for F {}
