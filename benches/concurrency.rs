//! What concurrency costs: merging, flattening, the parallel maps, zip, combine, buffers and channels, beside those of
//! futures-util, tokio-stream, futures-concurrency and futures-rx.
//!
//! Two kinds of work. *Always ready*: the sources have all their items at hand, so a row is what the operator costs per
//! item. *Waking*: one source at a time gets an item, wakes, and the task polls until nothing is left, so a row is what a
//! wake costs; the operator is built once, and the same wakes go to all ways.

use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::future::{Future, ready};
use std::hint::black_box;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use coldflow::{Flow, FlowExt, Overflow, StreamFlowExt, channel_flow, combine, combine_latest, flow_of, merge};
use coldflow_benches::{Bench, Row, drive, on_tokio};
use futures::stream::{self, Stream, StreamExt};
use tokio::sync::mpsc;

/// How many items the ready sources have in all.
const ITEMS: u64 = 10_000;

/// How many wakes a run of a waking row takes.
const WAKES: u32 = 100;

/// What a way gives: a number, or a flow's result of one.
trait Value {
    fn value(self) -> u64;
}

impl Value for u64 {
    fn value(self) -> u64 {
        self
    }
}

impl Value for (u64, u64) {
    fn value(self) -> u64 {
        self.0.wrapping_mul(3) ^ self.1
    }
}

impl<T: Value, E: Debug> Value for Result<T, E> {
    fn value(self) -> u64 {
        self.expect("nothing fails here").value()
    }
}

/// The terminal of all rows. The ways differ in the order in which they take ready items, so it does not depend on that.
fn add(sum: u64, item: impl Value) -> u64 {
    sum.wrapping_add(black_box(item.value()))
}

async fn sum<S: Stream<Item: Value>>(items: S) -> u64 {
    items.fold(0, |sum, item| ready(add(sum, item))).await
}

async fn sum_flow<F: Flow<Item: Value, Error: Debug>>(items: F) -> u64 {
    items.fold(0, |sum, item| ready(add(sum, item))).await.expect("nothing fails here")
}

/// The numbers of the source at `index` of so many.
fn numbers(index: u64, sources: u64) -> std::ops::Range<u64> {
    let each = black_box(ITEMS) / sources;
    index * each..(index + 1) * each
}

fn streams(sources: u64) -> impl Iterator<Item = stream::Iter<std::ops::Range<u64>>> {
    (0..sources).map(move |index| stream::iter(numbers(index, sources)))
}

fn flows(sources: u64) -> Vec<coldflow::source::FlowOf<std::ops::Range<u64>>> {
    (0..sources).map(|index| flow_of(numbers(index, sources))).collect()
}

/// Streams as `StreamMap` has them.
fn keyed<S: Stream + Unpin>(streams: impl Iterator<Item = S>) -> impl Stream<Item = S::Item> {
    streams.enumerate().collect::<tokio_stream::StreamMap<_, _>>().map(|(_, item)| item)
}

fn row(name: impl Into<String>, items: u64) -> Row {
    Row::new(name, u32::try_from(items).expect("a small number"))
}

fn merge_rows() -> Vec<Row> {
    let mut rows = vec![
        row("2 flows", ITEMS)
            .case("coldflow", || {
                drive(async {
                    let [a, b] = [0, 1].map(|index| flow_of(numbers(index, 2)));
                    sum_flow(merge((a, b))).await
                })
            })
            .case("select_all", || drive(sum(stream::select_all(streams(2)))))
            .case("StreamMap", || drive(sum(keyed(streams(2)))))
            .case("futures-concurrency", || {
                drive(async {
                    let [a, b] = [0, 1].map(|index| stream::iter(numbers(index, 2)));
                    sum(futures_concurrency::stream::Merge::merge((a, b))).await
                })
            })
            .case("tokio merge", || {
                drive(async {
                    let [a, b] = [0, 1].map(|index| stream::iter(numbers(index, 2)));
                    sum(tokio_stream::StreamExt::merge(a, b)).await
                })
            })
            .case("select", || {
                drive(async {
                    let [a, b] = [0, 1].map(|index| stream::iter(numbers(index, 2)));
                    sum(stream::select(a, b)).await
                })
            }),
    ];
    for sources in [2, 8, 100, 1_000, 10_000] {
        let name = if sources == 2 { "2 in a Vec".to_owned() } else { format!("{sources}") };
        rows.push(
            row(name, ITEMS)
                .case("coldflow", move || drive(sum_flow(merge(flows(sources)))))
                .case("select_all", move || drive(sum(stream::select_all(streams(sources)))))
                .case("StreamMap", move || drive(sum(keyed(streams(sources)))))
                .case("futures-concurrency", move || {
                    let streams: Vec<_> = streams(sources).collect();
                    drive(sum(futures_concurrency::stream::Merge::merge(streams)))
                }),
        );
    }
    rows
}

/// Sources that have an item only when they are told to.
#[derive(Clone)]
struct Board {
    slots: Rc<Vec<Slot>>,
    fired: Rc<Cell<usize>>,
}

#[derive(Default)]
struct Slot {
    full: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

/// One of them. It never ends.
struct Signal {
    board: Board,
    index: usize,
}

impl Board {
    fn new(sources: usize) -> Self {
        Board { slots: Rc::new((0..sources).map(|_| Slot::default()).collect()), fired: Rc::default() }
    }

    fn signals(&self) -> impl Iterator<Item = Signal> {
        let board = self.clone();
        (0..board.slots.len()).map(move |index| Signal { board: board.clone(), index })
    }

    /// Gives a source an item and wakes it.
    fn fire(&self, index: usize) {
        let slot = &self.slots[index];
        slot.full.set(true);
        self.fired.set(index);
        let waker = slot.waker.borrow_mut().take();
        waker.expect("it waits").wake();
    }
}

impl Stream for Signal {
    type Item = u64;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<u64>> {
        let slot = &self.board.slots[self.index];
        if slot.full.take() {
            return Poll::Ready(Some(self.index as u64));
        }
        let mut waker = slot.waker.borrow_mut();
        if !waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            *waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }
}

/// The least that a wake can cost: it knows by magic which source is to be polled.
struct Magic {
    sources: Vec<Pin<Box<Signal>>>,
    begun: bool,
}

impl Magic {
    fn new(sources: Vec<Signal>) -> Self {
        Magic { sources: sources.into_iter().map(Box::pin).collect(), begun: false }
    }
}

impl Stream for Magic {
    type Item = u64;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<u64>> {
        if !self.begun {
            self.begun = true;
            self.sources.iter_mut().for_each(|source| assert!(source.poll_next_unpin(cx).is_pending()));
        }
        let fired = self.sources[0].board.fired.get();
        self.sources[fired].poll_next_unpin(cx)
    }
}

/// A task, as far as its waker goes: it counts.
#[derive(Default)]
struct Task {
    woken: AtomicU64,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.fetch_add(1, Ordering::Release);
    }
}

/// A way to do the work of a waking row. It is built when it first runs.
fn waking<S>(sources: usize, merge: impl FnOnce(Vec<Signal>) -> S) -> impl FnMut() -> u64
where
    S: Stream<Item: Value> + 'static,
{
    let (mut merge, mut run) = (Some(merge), None);
    move || {
        let run = run.get_or_insert_with(|| wakes(sources, merge.take().expect("it is built once")));
        run()
    }
}

/// Some wakes on sources in no order, each followed by polls until none has more.
fn wakes<S>(sources: usize, merge: impl FnOnce(Vec<Signal>) -> S) -> impl FnMut() -> u64
where
    S: Stream<Item: Value> + 'static,
{
    let board = Board::new(sources);
    let mut merged = Box::pin(merge(board.signals().collect()));
    let task = Arc::new(Task::default());
    let waker = Waker::from(Arc::clone(&task));
    let mut random = 1_u64;
    let mut poll_all = move || {
        let mut cx = Context::from_waker(&waker);
        let mut sum = 0;
        loop {
            let woken = task.woken.load(Ordering::Acquire);
            while let Poll::Ready(Some(item)) = merged.as_mut().poll_next(&mut cx) {
                sum = add(sum, item);
            }
            if task.woken.load(Ordering::Acquire) == woken {
                return sum;
            }
        }
    };
    poll_all();
    // Where two flows are combined, both must have emitted once.
    for index in 0..sources.min(10) {
        board.fire(index);
        poll_all();
    }
    move || {
        let mut sum: u64 = 0;
        for _ in 0..WAKES {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let index = (random >> 33) % black_box(sources as u64);
            board.fire(usize::try_from(index).expect("an index"));
            sum = sum.wrapping_add(poll_all());
        }
        sum
    }
}

/// The first two of the signals.
fn two(signals: Vec<Signal>) -> (Signal, Signal) {
    let mut signals = signals.into_iter();
    (signals.next().expect("one"), signals.next().expect("another"))
}

fn flows_of(signals: Vec<Signal>) -> Vec<coldflow::source::FromStream<Signal>> {
    signals.into_iter().map(StreamFlowExt::into_flow).collect()
}

fn waking_merge_rows() -> Vec<Row> {
    let mut rows = vec![
        Row::new("2 flows, waking", WAKES)
            .case(
                "coldflow",
                waking(2, |signals| {
                    let (a, b) = two(signals);
                    merge((a.into_flow(), b.into_flow())).into_stream()
                }),
            )
            .case("select_all", waking(2, stream::select_all))
            .case("StreamMap", waking(2, |signals| keyed(signals.into_iter())))
            .case("futures-concurrency", waking(2, |signals| futures_concurrency::stream::Merge::merge(two(signals))))
            .case(
                "tokio merge",
                waking(2, |signals| {
                    let (a, b) = two(signals);
                    tokio_stream::StreamExt::merge(a, b)
                }),
            )
            .case(
                "select",
                waking(2, |signals| {
                    let (a, b) = two(signals);
                    stream::select(a, b)
                }),
            )
            .case("magic", waking(2, Magic::new)),
    ];
    for sources in [2, 8, 10, 100, 1_000, 10_000] {
        let name = if sources == 2 { "2 in a Vec, waking".to_owned() } else { format!("{sources}, waking") };
        rows.push(
            Row::new(name, WAKES)
                .case("coldflow", waking(sources, |signals| merge(flows_of(signals)).into_stream()))
                .case("select_all", waking(sources, stream::select_all))
                .case("StreamMap", waking(sources, |signals| keyed(signals.into_iter())))
                .case("futures-concurrency", waking(sources, futures_concurrency::stream::Merge::merge))
                .case("magic", waking(sources, Magic::new)),
        );
    }
    rows
}

/// Inner flows, one for each source, in a flattening operator that takes them all.
fn waking_flatten_rows() -> Vec<Row> {
    [10, 100, 1_000, 10_000]
        .map(|sources| {
            Row::new(format!("{sources} inner flows"), WAKES)
                .case(
                    "coldflow",
                    waking(sources, |signals| {
                        let outer = stream::iter(signals).into_flow();
                        outer.flat_map_merge(usize::MAX, StreamFlowExt::into_flow).into_stream()
                    }),
                )
                .case("flatten_unordered", waking(sources, |signals| stream::iter(signals).flatten_unordered(None)))
        })
        .into()
}

/// One of the changing sources in `combine`.
fn waking_combine_rows() -> Vec<Row> {
    vec![
        Row::new("combine 2 flows, waking", WAKES)
            .case(
                "combine",
                waking(2, |signals| {
                    let (a, b) = two(signals);
                    combine((a.into_flow(), b.into_flow())).into_stream()
                }),
            )
            .case(
                "combine_latest",
                waking(2, |signals| {
                    let (a, b) = two(signals);
                    combine_latest((a.into_flow(), b.into_flow())).into_stream()
                }),
            )
            .case(
                "by hand over select",
                waking(2, |signals| {
                    let (a, b) = two(signals);
                    latest_by_hand(a, b)
                }),
            )
            .case(
                "futures-rx",
                waking(2, |signals| {
                    let (a, b) = two(signals);
                    futures_rx::CombineLatest2::new(a, b)
                }),
            ),
    ]
}

/// How it is written without an operator for it.
fn latest_by_hand<A, B>(a: A, b: B) -> impl Stream<Item = (u64, u64)>
where
    A: Stream<Item = u64>,
    B: Stream<Item = u64>,
{
    let changes = stream::select(a.map(Ok), b.map(Err));
    let (mut left, mut right) = (None, None);
    changes.filter_map(move |change| {
        match change {
            Ok(item) => left = Some(item),
            Err(item) => right = Some(item),
        }
        ready(left.zip(right))
    })
}

fn combine_rows() -> Vec<Row> {
    let sources = || [0, 1].map(|index| numbers(index, 2));
    vec![
        row("combine 2 flows", ITEMS)
            .case("combine_latest", move || {
                let [a, b] = sources().map(flow_of);
                drive(sum_flow(combine_latest((a, b))))
            })
            .case("by hand over select", move || {
                let [a, b] = sources().map(stream::iter);
                drive(sum(latest_by_hand(a, b)))
            }),
    ]
}

fn zip_rows() -> Vec<Row> {
    let sources = || [0, 1].map(|index| numbers(index, 2));
    vec![
        row("zip, ready", ITEMS / 2)
            .case("coldflow", move || {
                let [a, b] = sources().map(flow_of);
                drive(sum_flow(a.zip(b)))
            })
            .case("futures-util", move || {
                let [a, b] = sources().map(stream::iter);
                drive(sum(a.zip(b)))
            })
            .case("futures-concurrency", move || {
                let [a, b] = sources().map(stream::iter);
                drive(sum(futures_concurrency::stream::Zip::zip((a, b))))
            }),
        row("zip, each pending once per item", 1_000)
            .case("coldflow", || {
                let [a, b] = [yielding(1_000), yielding(1_000)];
                drive(sum_flow(a.into_flow().zip(b.into_flow())))
            })
            .case("futures-util", || {
                let [a, b] = [yielding(1_000), yielding(1_000)];
                drive(sum(a.zip(b)))
            })
            .case("futures-concurrency", || {
                let [a, b] = [yielding(1_000), yielding(1_000)];
                drive(sum(futures_concurrency::stream::Zip::zip((a, b))))
            }),
    ]
}

/// A future that is pending once.
struct PendingOnce {
    polled: bool,
}

impl Future for PendingOnce {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.polled {
            return Poll::Ready(());
        }
        self.polled = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

fn pending_once() -> PendingOnce {
    PendingOnce { polled: false }
}

/// A stream that is pending once before each of its items.
struct Yielding {
    left: u64,
    pended: bool,
}

fn yielding(items: u64) -> Yielding {
    Yielding { left: items, pended: false }
}

impl Stream for Yielding {
    type Item = u64;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<u64>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        self.pended = !self.pended;
        if self.pended {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.left -= 1;
        Poll::Ready(Some(self.left))
    }
}

fn flatten_rows() -> Vec<Row> {
    const OUTER: u64 = 1_000;
    let mut rows = Vec::new();
    for concurrency in [2, 16, 256, 1_000] {
        rows.push(
            row(format!("ready, {concurrency} at a time"), ITEMS)
                .case("coldflow", move || {
                    let outer = flow_of(0..black_box(OUTER));
                    drive(sum_flow(outer.flat_map_merge(concurrency, |n| flow_of(n..n + 10))))
                })
                .case("flat_map_unordered", move || {
                    let outer = stream::iter(0..black_box(OUTER));
                    drive(sum(outer.flat_map_unordered(concurrency, |n| stream::iter(n..n + 10))))
                }),
        );
    }
    for concurrency in [2, 16, 256, 1_000] {
        rows.push(
            row(format!("pending once per item, {concurrency} at a time"), ITEMS)
                .case("coldflow", move || {
                    let outer = flow_of(0..black_box(OUTER));
                    drive(sum_flow(outer.flat_map_merge(concurrency, |_| yielding(10).into_flow())))
                })
                .case("flat_map_unordered", move || {
                    let outer = stream::iter(0..black_box(OUTER));
                    drive(sum(outer.flat_map_unordered(concurrency, |_| yielding(10))))
                }),
        );
    }
    rows
}

fn parallel_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for limit in [2, 16, 256] {
        rows.push(
            row(format!("ready, {limit} at a time"), ITEMS)
                .case("ordered", move || {
                    let items = flow_of(numbers(0, 1));
                    drive(sum_flow(items.then_concurrent(limit, |n| ready(n ^ 5))))
                })
                .case("buffered", move || {
                    let items = stream::iter(numbers(0, 1));
                    drive(sum(items.map(|n| ready(n ^ 5)).buffered(limit)))
                })
                .case("unordered", move || {
                    let items = flow_of(numbers(0, 1));
                    drive(sum_flow(items.then_concurrent_unordered(limit, |n| ready(n ^ 5))))
                })
                .case("buffer_unordered", move || {
                    let items = stream::iter(numbers(0, 1));
                    drive(sum(items.map(|n| ready(n ^ 5)).buffer_unordered(limit)))
                }),
        );
    }
    for limit in [2, 16, 256] {
        rows.push(
            row(format!("pending once, {limit} at a time"), ITEMS)
                .case("ordered", move || {
                    let items = flow_of(numbers(0, 1));
                    drive(sum_flow(items.then_concurrent(limit, async |n| {
                        pending_once().await;
                        n ^ 5
                    })))
                })
                .case("buffered", move || {
                    let items = stream::iter(numbers(0, 1));
                    let futures = items.map(|n| async move {
                        pending_once().await;
                        n ^ 5
                    });
                    drive(sum(futures.buffered(limit)))
                })
                .case("unordered", move || {
                    let items = flow_of(numbers(0, 1));
                    drive(sum_flow(items.then_concurrent_unordered(limit, async |n| {
                        pending_once().await;
                        n ^ 5
                    })))
                })
                .case("buffer_unordered", move || {
                    let items = stream::iter(numbers(0, 1));
                    let futures = items.map(|n| async move {
                        pending_once().await;
                        n ^ 5
                    });
                    drive(sum(futures.buffer_unordered(limit)))
                }),
        );
    }
    rows
}

/// What somebody writes who wants a producer to run ahead: a task of its own and a channel.
async fn spawned_ahead<Body, Fut>(mut body: Body) -> u64
where
    Body: FnMut(u64) -> Fut,
    Fut: Future<Output = ()>,
{
    let (sender, mut receiver) = mpsc::channel(64);
    tokio::spawn(async move {
        for n in numbers(0, 1) {
            if sender.send(n).await.is_err() {
                break;
            }
        }
    });
    let mut sum = 0;
    while let Some(n) = receiver.recv().await {
        sum = add(sum, n);
        body(n).await;
    }
    sum
}

async fn buffered<Body, Fut>(mut body: Body) -> u64
where
    Body: FnMut(u64) -> Fut,
    Fut: Future<Output = ()>,
{
    let mut sum = 0;
    let items = flow_of(numbers(0, 1)).buffer(64, Overflow::Suspend);
    let Ok(()) = items
        .for_each(|n| {
            sum = add(sum, n);
            body(n)
        })
        .await;
    sum
}

fn buffer_rows() -> Vec<Row> {
    vec![
        row("a consumer that is ready", ITEMS)
            .case("coldflow", || on_tokio(buffered(|_| ready(()))))
            .case("a task and mpsc", || on_tokio(spawned_ahead(|_| ready(())))),
        row("a consumer that awaits once per item", ITEMS)
            .case("coldflow", || on_tokio(buffered(|_| pending_once())))
            .case("a task and mpsc", || on_tokio(spawned_ahead(|_| pending_once()))),
    ]
}

/// A producer and a consumer in one task.
async fn joined_tokio(capacity: usize) -> u64 {
    let (sender, mut receiver) = mpsc::channel(capacity);
    let produce = async move {
        for n in numbers(0, 1) {
            sender.send(n).await.expect("it is received");
        }
    };
    let consume = async {
        let mut sum = 0;
        while let Some(n) = receiver.recv().await {
            sum = add(sum, n);
        }
        sum
    };
    futures::join!(produce, consume).1
}

async fn joined_futures(capacity: usize) -> u64 {
    use futures::SinkExt;

    let (mut sender, receiver) = futures::channel::mpsc::channel(capacity);
    let produce = async move {
        for n in numbers(0, 1) {
            sender.send(n).await.expect("it is received");
        }
    };
    futures::join!(produce, sum(receiver)).1
}

async fn spawned_tokio(capacity: usize) -> u64 {
    let (sender, mut receiver) = mpsc::channel(capacity);
    tokio::spawn(async move {
        for n in numbers(0, 1) {
            sender.send(n).await.expect("it is received");
        }
    });
    let mut sum = 0;
    while let Some(n) = receiver.recv().await {
        sum = add(sum, n);
    }
    sum
}

async fn spawned_futures(capacity: usize) -> u64 {
    use futures::SinkExt;

    let (mut sender, receiver) = futures::channel::mpsc::channel(capacity);
    tokio::spawn(async move {
        for n in numbers(0, 1) {
            sender.send(n).await.expect("it is received");
        }
    });
    sum(receiver).await
}

fn channel_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for capacity in [1, 64] {
        rows.push(
            row(format!("in one task, {capacity} places"), ITEMS)
                .case("coldflow", move || {
                    let items = channel_flow(|sender| async move {
                        for n in numbers(0, 1) {
                            sender.send(n).await.expect("it is received");
                        }
                    });
                    on_tokio(sum_flow(items.buffer(capacity, Overflow::Suspend)))
                })
                .case("tokio mpsc", move || on_tokio(joined_tokio(capacity)))
                .case("futures mpsc", move || on_tokio(joined_futures(capacity))),
        );
    }
    for capacity in [1, 64] {
        rows.push(
            row(format!("from another task, {capacity} places"), ITEMS)
                .case("coldflow", move || {
                    let items = channel_flow(|sender| {
                        tokio::spawn(async move {
                            for n in numbers(0, 1) {
                                sender.send(n).await.expect("it is received");
                            }
                        });
                        ready(())
                    });
                    on_tokio(sum_flow(items.buffer(capacity, Overflow::Suspend)))
                })
                .case("tokio mpsc", move || on_tokio(spawned_tokio(capacity)))
                .case("futures mpsc", move || on_tokio(spawned_futures(capacity))),
        );
    }
    rows
}

fn main() {
    let bench = Bench::default();
    bench.table("`merge`, always ready", merge_rows());
    bench.table("`merge`, one source waking at a time, per wake", waking_merge_rows());
    bench.table("`flat_map_merge` over 1,000 inner flows of 10 items", flatten_rows());
    bench.table("`flat_map_merge`, one inner flow waking at a time, per wake", waking_flatten_rows());
    bench.table("`then_concurrent` and `then_concurrent_unordered`", parallel_rows());
    bench.table("`zip`", zip_rows());
    bench.table("`combine_latest`, always ready", combine_rows());
    bench.table("`combine`, one of two sources waking at a time, per wake", waking_combine_rows());
    bench.table("`buffer` of 64 places", buffer_rows());
    bench.table("`channel_flow`", channel_rows());
}
