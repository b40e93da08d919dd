//! What an inner flow costs in `flat_map_merge(n)`, whatever n is: a million short ones, beside futures-util's
//! `flatten_unordered` and `buffer_unordered`.
//!
//! Each has one item. *Ready* ones have it at hand; *pending* ones are pending once before it, so that so many at a
//! time are in fact under way.

use std::convert::Infallible;
use std::future::{Future, ready};
use std::hint::black_box;
use std::pin::Pin;
use std::task::{Context, Poll};

use coldflow::{Flow, FlowExt, flow_of, once_ok};
use coldflow_benches::{Bench, Row, drive, grouped};
use futures::stream::{self, Stream, StreamExt};

async fn sum<S: Stream<Item = u64>>(items: S) -> u64 {
    items.fold(0, |sum, item| ready(add(sum, item))).await
}

async fn sum_flow<F: Flow<Item = u64, Error = Infallible>>(items: F) -> u64 {
    let Ok(sum) = items.fold(0, |sum, item| ready(add(sum, item))).await;
    sum
}

/// The ways differ in the order of the items, so the result does not depend on that.
fn add(sum: u64, item: u64) -> u64 {
    sum.wrapping_add(black_box(item))
}

/// The item of an inner flow. It may be pending once.
struct Item {
    value: u64,
    pending: bool,
}

impl Future for Item {
    type Output = u64;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u64> {
        if self.pending {
            self.pending = false;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(self.value)
    }
}

/// So many inner flows, from none to `limit` at a time.
fn row(kind: &str, inner: u64, limit: u64, pending: bool) -> Row {
    let name = format!("{kind}, {} at a time", grouped(limit));
    let limit = usize::try_from(limit).expect("it fits");
    let item = move |value| Item { value, pending };
    let outer = move || 0..black_box(inner);
    Row::new(name, u32::try_from(inner).expect("a few millions"))
        .case("flat_map_merge", move || {
            drive(sum_flow(flow_of(outer()).flat_map_merge(limit, move |n| once_ok(move || item(n)))))
        })
        .case("then_concurrent_unordered", move || {
            drive(sum_flow(flow_of(outer()).then_concurrent_unordered(limit, item)))
        })
        .case("flatten_unordered", move || {
            let inner = stream::iter(outer()).map(move |n| stream::once(item(n)));
            drive(sum(inner.flatten_unordered(limit)))
        })
        .case("buffer_unordered", move || drive(sum(stream::iter(outer()).map(item).buffer_unordered(limit))))
}

fn main() {
    let bench = Bench::of_rounds(20);
    let inner = *bench.sizes(&[1_000, 1_000_000]).last().expect("at least a thousand");
    let limits = bench.sizes(&[1, 16, 1_000, 100_000]);
    let rows = |kind, pending| limits.iter().map(|&limit| row(kind, inner, limit, pending)).collect();
    bench.table("Inner flows of one ready item", rows("ready", false));
    bench.table("Inner flows of one item that is pending once", rows("pending", true));
}
