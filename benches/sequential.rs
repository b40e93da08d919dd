//! What an item costs in each sequential operator: beside futures-util, tokio-stream and a plain iterator.
//!
//! Each way does the whole work as its users would write it, source and terminal included, over the same numbers.

use std::convert::Infallible;
use std::future::ready;
use std::hint::black_box;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use coldflow::{FlowExt, flow, flow_of};
use coldflow_benches::{Bench, Row, drive, on_tokio, spawned_on_tokio};
use futures::stream::{self, Stream, StreamExt, TryStreamExt};

/// How many items the source has.
const ITEMS: u64 = 10_000;

/// What a way gives: a number, or a flow's result of one.
trait Value {
    fn value(self) -> u64;
}

impl Value for u64 {
    fn value(self) -> u64 {
        self
    }
}

impl<E: std::fmt::Debug> Value for Result<u64, E> {
    fn value(self) -> u64 {
        self.expect("nothing fails here")
    }
}

/// The terminal of all rows: it depends on each item and on their order, and no compiler finds a formula for it.
fn mix(sum: u64, item: u64) -> u64 {
    sum.rotate_left(5) ^ item
}

fn items() -> std::ops::Range<u64> {
    0..black_box(ITEMS)
}

fn flow_items() -> coldflow::source::FlowOf<std::ops::Range<u64>> {
    flow_of(items())
}

fn stream_items() -> stream::Iter<std::ops::Range<u64>> {
    stream::iter(items())
}

fn tokio_items() -> tokio_stream::Iter<std::ops::Range<u64>> {
    tokio_stream::iter(items())
}

/// A row of the table. A way that a crate does not offer is left out.
macro_rules! row {
    ($name:literal, $drive:ident, $($way:literal => $work:expr),+ $(,)?) => {
        Row::new($name, u32::try_from(ITEMS).expect("a small number"))$(.case($way, move || $drive($work).value()))+
    };
}

macro_rules! rows {
    ($drive:ident) => {
        vec![
            row!("fold", $drive,
                "futures-util" => stream_items().fold(0, |sum, n| ready(mix(sum, n))),
                "coldflow" => flow_items().fold(0, |sum, n| ready(mix(sum, n))),
                "tokio-stream" => tokio_stream::StreamExt::fold(tokio_items(), 0, mix),
                "iterator" => async { items().fold(0, mix) },
            ),
            row!("for_each", $drive,
                "futures-util" => async {
                    let mut sum = 0;
                    stream_items().for_each(|n| { sum = mix(sum, n); ready(()) }).await;
                    sum
                },
                "coldflow" => async {
                    let mut sum = 0;
                    flow_items().for_each(|n| { sum = mix(sum, n); ready(()) }).await.map(|()| sum)
                },
                "tokio-stream" => async {
                    let (mut sum, mut items) = (0, tokio_items());
                    while let Some(n) = tokio_stream::StreamExt::next(&mut items).await {
                        sum = mix(sum, n);
                    }
                    sum
                },
                "iterator" => async { let mut sum = 0; items().for_each(|n| sum = mix(sum, n)); sum },
            ),
            row!("map ×3", $drive,
                "futures-util" => stream_items().map(|n| n ^ 5).map(|n| n.wrapping_mul(3)).map(|n| n ^ 9)
                    .fold(0, |sum, n| ready(mix(sum, n))),
                "coldflow" => flow_items().map(|n| n ^ 5).map(|n| n.wrapping_mul(3)).map(|n| n ^ 9)
                        .fold(0, |sum, n| ready(mix(sum, n))),
                "tokio-stream" => {
                    use tokio_stream::StreamExt as Ext;
                    let mapped = Ext::map(Ext::map(Ext::map(tokio_items(), |n| n ^ 5), |n| n.wrapping_mul(3)), |n| n ^ 9);
                    Ext::fold(mapped, 0, mix)
                },
                "iterator" => async {
                    items().map(|n| n ^ 5).map(|n| n.wrapping_mul(3)).map(|n| n ^ 9).fold(0, mix)
                },
            ),
            row!("filter", $drive,
                "futures-util" => stream_items().filter(|n| ready(n % 2 == 0)).fold(0, |sum, n| ready(mix(sum, n))),
                "coldflow" => flow_items().filter(|n| n % 2 == 0).fold(0, |sum, n| ready(mix(sum, n))),
                "tokio-stream" => {
                    tokio_stream::StreamExt::fold(tokio_stream::StreamExt::filter(tokio_items(), |n| n % 2 == 0), 0, mix)
                },
                "iterator" => async { items().filter(|n| n % 2 == 0).fold(0, mix) },
            ),
            row!("take", $drive,
                "futures-util" => stream::iter(0..).take(black_box(10_000)).fold(0, |sum, n| ready(mix(sum, n))),
                "coldflow" => flow_of(0..).take(black_box(10_000)).fold(0, |sum, n| ready(mix(sum, n))),
                "tokio-stream" => {
                    let taken = tokio_stream::StreamExt::take(tokio_stream::iter(0..), black_box(10_000));
                    tokio_stream::StreamExt::fold(taken, 0, mix)
                },
                "iterator" => async { (0..).take(black_box(10_000)).fold(0, mix) },
            ),
            row!("skip half", $drive,
                "futures-util" => stream_items().skip(black_box(5_000)).fold(0, |sum, n| ready(mix(sum, n))),
                "coldflow" => flow_items().skip(black_box(5_000)).fold(0, |sum, n| ready(mix(sum, n))),
                "tokio-stream" => {
                    let left = tokio_stream::StreamExt::skip(tokio_items(), black_box(5_000));
                    tokio_stream::StreamExt::fold(left, 0, mix)
                },
                "iterator" => async { items().skip(black_box(5_000)).fold(0, mix) },
            ),
            row!("enumerate", $drive,
                "futures-util" => stream_items().enumerate().fold(0, |sum, (i, n)| ready(mix(sum, n.wrapping_mul(3) ^ i as u64))),
                "coldflow" => flow_items().enumerate().fold(0, |sum, (i, n)| ready(mix(sum, n.wrapping_mul(3) ^ i as u64))),
                "iterator" => async { items().enumerate().fold(0, |sum, (i, n)| mix(sum, n.wrapping_mul(3) ^ i as u64)) },
            ),
            row!("chunks of 10", $drive,
                "futures-util" => stream_items().chunks(10).fold(0, |sum, chunk| ready(mix(sum, chunk[0] ^ chunk[9]))),
                "coldflow" => flow_items().chunks(10).fold(0, |sum, chunk| ready(mix(sum, chunk[0] ^ chunk[9]))),
            ),
            row!("flat_map, 10 each", $drive,
                "futures-util" => stream::iter(0..black_box(1_000)).flat_map(|n| stream::iter(n..n + 10))
                    .fold(0, |sum, n| ready(mix(sum, n))),
                "coldflow" => flow_of(0..black_box(1_000)).flat_map_concat(|n| flow_of(n..n + 10))
                        .fold(0, |sum, n| ready(mix(sum, n))),
                "iterator" => async { (0..black_box(1_000)).flat_map(|n| n..n + 10).fold(0, mix) },
            ),
            row!("then, ready", $drive,
                "futures-util" => stream_items().then(|n| ready(n ^ 5)).fold(0, |sum, n| ready(mix(sum, n))),
                "coldflow" => flow_items().then(|n| ready(n ^ 5)).fold(0, |sum, n| ready(mix(sum, n))),
                "tokio-stream" => {
                    let then = tokio_stream::StreamExt::then(tokio_items(), |n| ready(n ^ 5));
                    async { let then = pin!(then); tokio_stream::StreamExt::fold(then, 0, mix).await }
                },
            ),
            row!("then, async block", $drive,
                "futures-util" => stream_items().then(|n| async move { n ^ 5 }).fold(0, |sum, n| ready(mix(sum, n))),
                "coldflow" => flow_items().then(|n| async move { n ^ 5 }).fold(0, |sum, n| ready(mix(sum, n))),
                "tokio-stream" => {
                    let then = tokio_stream::StreamExt::then(tokio_items(), |n| async move { n ^ 5 });
                    async { let then = pin!(then); tokio_stream::StreamExt::fold(then, 0, mix).await }
                },
            ),
            row!("and_then, ready", $drive,
                "futures-util" => stream_items().map(Ok::<_, Infallible>).and_then(|n| ready(Ok(n ^ 5)))
                    .try_fold(0, |sum, n| ready(Ok(mix(sum, n)))),
                "coldflow" => flow_items().and_then(|n| ready(Ok(n ^ 5))).fold(0, |sum, n| ready(mix(sum, n))),
            ),
            row!("filter_map", $drive,
                "futures-util" => stream_items().filter_map(|n| ready((n % 2 == 0).then_some(n ^ 5)))
                    .fold(0, |sum, n| ready(mix(sum, n))),
                "coldflow" => flow_items().filter_map(|n| (n % 2 == 0).then_some(n ^ 5))
                    .fold(0, |sum, n| ready(mix(sum, n))),
                "tokio-stream" => {
                    let even = tokio_stream::StreamExt::filter_map(tokio_items(), |n| (n % 2 == 0).then_some(n ^ 5));
                    tokio_stream::StreamExt::fold(even, 0, mix)
                },
                "iterator" => async { items().filter_map(|n| (n % 2 == 0).then_some(n ^ 5)).fold(0, mix) },
            ),
            row!("inspect", $drive,
                "futures-util" => stream_items().inspect(|n| { black_box(n); }).fold(0, |sum, n| ready(mix(sum, n))),
                "coldflow" => flow_items().inspect(|n| { black_box(n); }).fold(0, |sum, n| ready(mix(sum, n))),
                "iterator" => async { items().inspect(|n| { black_box(n); }).fold(0, mix) },
            ),
            row!("take_while", $drive,
                "futures-util" => stream::iter(0..).take_while(|n| ready(*n < black_box(10_000)))
                    .fold(0, |sum, n| ready(mix(sum, n))),
                "coldflow" => flow_of(0..).take_while(|n| *n < black_box(10_000)).fold(0, |sum, n| ready(mix(sum, n))),
                "tokio-stream" => {
                    let taken = tokio_stream::StreamExt::take_while(tokio_stream::iter(0..), |n| *n < black_box(10_000));
                    tokio_stream::StreamExt::fold(taken, 0, mix)
                },
                "iterator" => async { (0..black_box(20_000)).take_while(|n| *n < black_box(10_000)).fold(0, mix) },
            ),
            row!("skip_while half", $drive,
                "futures-util" => stream_items().skip_while(|n| ready(*n < 5_000)).fold(0, |sum, n| ready(mix(sum, n))),
                "coldflow" => flow_items().skip_while(|n| *n < 5_000).fold(0, |sum, n| ready(mix(sum, n))),
                "tokio-stream" => {
                    let left = tokio_stream::StreamExt::skip_while(tokio_items(), |n| *n < 5_000);
                    tokio_stream::StreamExt::fold(left, 0, mix)
                },
                "iterator" => async { items().skip_while(|n| *n < 5_000).fold(0, mix) },
            ),
            row!("running_reduce", $drive,
                "futures-util" => stream_items()
                    .scan(0, |last, n| { *last = mix(*last, n); ready(Some(*last)) })
                    .fold(0, |sum, n| ready(mix(sum, n))),
                "coldflow" => flow_items().running_reduce(mix).fold(0, |sum, n| ready(mix(sum, n))),
                "iterator" => async {
                    items().scan(0, |last, n| { *last = mix(*last, n); Some(*last) }).fold(0, mix)
                },
            ),
            row!("chain", $drive,
                "futures-util" => stream::iter(0..black_box(5_000)).chain(stream::iter(5_000..black_box(10_000)))
                    .fold(0, |sum, n| ready(mix(sum, n))),
                "coldflow" => flow_of(0..black_box(5_000)).chain(flow_of(5_000..black_box(10_000)))
                    .fold(0, |sum, n| ready(mix(sum, n))),
                "tokio-stream" => {
                    let both = tokio_stream::StreamExt::chain(
                        tokio_stream::iter(0..black_box(5_000)),
                        tokio_stream::iter(5_000..black_box(10_000)),
                    );
                    tokio_stream::StreamExt::fold(both, 0, mix)
                },
                "iterator" => async { (0..black_box(5_000)).chain(5_000..black_box(10_000)).fold(0, mix) },
            ),
            row!("distinct_until_changed", $drive,
                "futures-util" => {
                    let mut last = None;
                    stream_items().map(|n| n / 2).filter(move |n| ready(last.replace(*n) != Some(*n)))
                        .fold(0, |sum, n| ready(mix(sum, n)))
                },
                "coldflow" => flow_items().map(|n| n / 2).distinct_until_changed().fold(0, |sum, n| ready(mix(sum, n))),
            ),
            row!("collect", $drive,
                "futures-util" => async { stream_items().collect::<Vec<_>>().await[9_999] },
                "coldflow" => async { flow_items().to_vec().await.map(|items| items[9_999]) },
                "tokio-stream" => async {
                    tokio_stream::StreamExt::collect::<Vec<_>>(tokio_items()).await[9_999]
                },
                "iterator" => async { items().collect::<Vec<_>>()[9_999] },
            ),
        ]
    };
}

/// A body that emits, beside `stream!`; both once with their own crate's terminal, and as streams in the same one.
macro_rules! emitter_rows {
    ($drive:ident) => {
        vec![
            row!("collected", $drive,
                "stream!" => async_stream::stream! { for n in items() { yield n; } }
                    .fold(0, |sum, n| ready(mix(sum, n))),
                "flow { emit }" => flow(async |mut emitter| { for n in items() { emitter.emit(n).await; } })
                    .fold(0, |sum, n| ready(mix(sum, n))),
            ),
            row!("as a stream", $drive,
                "stream!" => async_stream::stream! { for n in items() { yield n; } }
                    .fold(0, |sum, n| ready(mix(sum, n))),
                "flow { emit }" => {
                    let numbers = flow(async |mut emitter| { for n in items() { emitter.emit(n).await; } });
                    coldflow::Flow::into_stream(numbers).fold(0, |sum, n| ready(mix(sum, n.value())))
                },
            ),
            row!("through transform, two each", $drive,
                "stream!" => async_stream::stream! {
                    for await n in stream::iter(0..black_box(5_000)) { yield n; yield n ^ 5; }
                }.fold(0, |sum, n| ready(mix(sum, n))),
                "flow { emit }" => flow_of(0..black_box(5_000))
                    .transform(async |n, mut emitter| { emitter.emit(n).await; emitter.emit(n ^ 5).await; })
                    .fold(0, |sum, n| ready(mix(sum, n))),
            ),
            row!("that can fail", $drive,
                "stream!" => async_stream::try_stream! { for n in items() { yield checked(n)?; } }
                    .try_fold(0, |sum, n| ready(Ok::<u64, u8>(mix(sum, n)))),
                "flow { emit }" => flow(async |mut emitter| {
                    for n in items() { emitter.emit(checked(n)?).await; }
                    Ok::<(), u8>(())
                })
                .fold(0, |sum, n| ready(mix(sum, n))),
            ),
        ]
    };
}

fn checked(n: u64) -> Result<u64, u8> {
    if n == u64::MAX { Err(1) } else { Ok(n) }
}

/// What it costs to let the executor in every so many items, in a terminal written by hand.
struct Yielding<S> {
    stream: S,
    every: u32,
    sum: u64,
}

impl<S: Stream<Item = u64> + Unpin> Future for Yielding<S> {
    type Output = u64;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u64> {
        let mut left = self.every;
        while let Poll::Ready(item) = self.stream.poll_next_unpin(cx) {
            let Some(n) = item else { return Poll::Ready(self.sum) };
            self.sum = mix(self.sum, n);
            left -= 1;
            if left == 0 {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
        Poll::Pending
    }
}

macro_rules! yield_row {
    ($name:literal, $drive:ident) => {
        row!($name, $drive,
            "never" => Yielding { stream: stream_items(), every: u32::MAX, sum: 0 },
            "every 1024" => Yielding { stream: stream_items(), every: 1024, sum: 0 },
            "every 256" => Yielding { stream: stream_items(), every: 256, sum: 0 },
            "every 128" => Yielding { stream: stream_items(), every: 128, sum: 0 },
            "every 32" => Yielding { stream: stream_items(), every: 32, sum: 0 },
        )
    };
}

fn main() {
    let bench = Bench::default();
    bench.table("An item, polled in a bare loop", rows!(drive));
    bench.table("An item, in Tokio's `block_on`", rows!(on_tokio));
    bench.table("An item, in a task spawned on Tokio", rows!(spawned_on_tokio));
    bench.table("An emitted item, polled in a bare loop", emitter_rows!(drive));
    bench.table("An emitted item, in Tokio's `block_on`", emitter_rows!(on_tokio));
    bench.table(
        "What it costs to let the executor in",
        vec![
            yield_row!("a bare loop", drive),
            yield_row!("Tokio's block_on", on_tokio),
            yield_row!("a task spawned on Tokio", spawned_on_tokio),
        ],
    );
}
