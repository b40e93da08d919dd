//! Many of everything: the stack does not grow, and the time per item stays what it is. These run with the stack of
//! a test thread, 2 MiB.

use std::convert::Infallible;
use std::future::ready;
use std::time::{Duration, Instant};

use coldflow::{BoxFlow, Flow, FlowExt, defer, flow, flow_of, once};

use crate::support::block_on;

type Numbers = BoxFlow<'static, u64, Infallible>;

#[test]
fn a_million_retries() {
    let mut attempts = 0_u64;
    let outcome = block_on(
        once(|| {
            attempts += 1;
            ready(if attempts <= 1_000_000 { Err(attempts) } else { Ok(attempts) })
        })
        .retry_when(async |_, _| Ok(()))
        .single(),
    );
    assert_eq!(outcome, Ok(1_000_001));
}

#[test]
fn a_million_retries_of_a_body() {
    let mut attempts = 0_u64;
    let body = flow(|mut emitter| {
        attempts += 1;
        let attempt = attempts;
        async move {
            if attempt <= 1_000_000 {
                return Err("again");
            }
            emitter.emit(attempt).await;
            Ok(())
        }
    });
    assert_eq!(block_on(body.retry(u64::MAX).single()), Ok(1_000_001));
}

#[test]
fn a_concatenation_of_100_000_flows() {
    let flows = flow_of(0..100_000_u64).map(|n| flow_of([n]));
    assert_eq!(block_on(flows.flatten_concat().fold(0, async |sum, n| sum + n)), Ok(4_999_950_000));
    let empty = flow_of(0..100_000_u64).map(|_| flow_of([0; 0]));
    assert_eq!(block_on(empty.flatten_concat().count()), Ok(0));
}

#[test]
fn a_flow_repeated_100_000_times() {
    assert_eq!(block_on(flow_of([1]).repeat(100_000).count()), Ok(100_000));
}

/// Identity, `depth` times, each boxed.
fn stacked(depth: usize, items: u64) -> Numbers {
    (0..depth).fold(flow_of(0..items).boxed(), |numbers, _| numbers.map(|n| n).boxed())
}

#[test]
fn a_thousand_stacked_operators() {
    assert_eq!(block_on(stacked(1000, 10).count()), Ok(10));
}

#[test]
fn a_thousand_stacked_operators_of_every_loop() {
    let deep = (0..250).fold(flow_of(0..10_u64).boxed(), |numbers, _| {
        let numbers = numbers.filter(|_| true).boxed();
        let numbers = numbers.then(ready).boxed();
        let numbers = numbers.flat_map_concat(|n| flow_of([n])).boxed();
        numbers.transform(async |n, mut emitter| emitter.emit(n).await).boxed()
    });
    assert_eq!(block_on(deep.count()), Ok(10));
}

#[test]
fn a_thousand_stacked_retries() {
    let mut runs = 0_u64;
    let failing = once(move || {
        runs += 1;
        ready(if runs < 1500 { Err("again") } else { Ok(runs) })
    });
    let deep = (0..1000).fold(failing.boxed(), |flow, _| flow.retry(1).boxed());
    assert_eq!(block_on(deep.single()), Ok(1500));
}

/// Counts down from `depth`, going on with itself.
fn continued(depth: u64) -> Numbers {
    let now = flow_of([depth]).boxed();
    if depth == 0 { now } else { now.chain_with(move || continued(depth - 1)) }
}

#[test]
fn a_recursive_flow_10_000_deep() {
    assert_eq!(block_on(continued(10_000).count()), Ok(10_001));
    assert_eq!(block_on(continued(10_000).repeat(2).count()), Ok(20_002));
    assert_eq!(block_on(continued(10_000).map(|n| n + 1).boxed().take(5_000).count()), Ok(5_000));
}

#[test]
fn a_recursive_flow_that_fails_at_the_bottom_is_retried_from_the_top() {
    fn failing(depth: u64) -> BoxFlow<'static, u64, u64> {
        let now = flow_of([depth]).fallible().boxed();
        if depth == 0 { now.chain(coldflow::failed(depth)).boxed() } else { now.chain_with(move || failing(depth - 1)) }
    }
    let mut stream = crate::support::Driver::new(failing(1_000).retry(2));
    let items = stream.rest();
    assert_eq!(items.len(), 3 * 1_001 + 1);
    assert_eq!(items.last(), Some(&Err(0)));
    assert_eq!((items[1_001], items[2_002]), (Ok(1_000), Ok(1_000)));
}

#[test]
fn the_time_per_level_of_a_recursive_flow_does_not_grow() {
    assert_linear(|depth| {
        let Ok(count) = block_on(continued(depth).count());
        assert_eq!(count as u64, depth + 1);
    });
}

/// The same by `chain`, where each level polls and drops the next from within its own call: that is not flat.
fn chained(depth: u64) -> Numbers {
    if depth == 0 {
        return flow_of([0]).boxed();
    }
    flow_of([depth]).chain(defer(move || chained(depth - 1).into_stream())).boxed()
}

#[test]
fn a_recursive_flow_1_000_deep_by_chain() {
    assert_eq!(block_on(chained(1_000).count()), Ok(1_001));
}

/// The same by `flat_map_concat`.
fn flat_mapped(depth: u64) -> Numbers {
    flow_of([depth, u64::MAX])
        .flat_map_concat(move |n| match n {
            u64::MAX if depth > 0 => flat_mapped(depth - 1),
            u64::MAX => flow_of([0; 0]).boxed(),
            n => flow_of([n]).boxed(),
        })
        .boxed()
}

#[test]
fn a_recursive_flow_1_000_deep_by_flat_map_concat() {
    assert_eq!(block_on(flat_mapped(1_000).count()), Ok(1_001));
}

/// The same with a body that emits what the flow of the rest emits.
fn emitted(depth: u64) -> Numbers {
    flow(move |mut emitter| async move {
        emitter.emit(depth).await;
        if depth > 0 {
            let Ok(()) = emitted(depth - 1).for_each_into(&mut emitter).await;
        }
    })
    .boxed()
}

trait ForEachInto {
    async fn for_each_into(self, emitter: &mut coldflow::Emitter<u64>) -> Result<(), Infallible>;
}

impl ForEachInto for Numbers {
    async fn for_each_into(self, emitter: &mut coldflow::Emitter<u64>) -> Result<(), Infallible> {
        let mut items = std::pin::pin!(self.into_stream());
        while let Some(Ok(item)) = futures::StreamExt::next(&mut items).await {
            emitter.emit(item).await;
        }
        Ok(())
    }
}

#[test]
fn a_recursive_body_100_deep() {
    // By hand each item passes every level above it, so this one is quadratic, as it is in Kotlin.
    assert_eq!(block_on(emitted(100).count()), Ok(101));
}

fn time_of(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

/// Ten times a small amount of work must take about as long as one of ten times the size. Quadratic growth would make
/// that one ten times as long. The shortest times count, as of a machine that has other things to do.
#[track_caller]
fn assert_linear(mut work: impl FnMut(u64)) {
    let (mut small, mut large) = (Duration::MAX, Duration::MAX);
    for _ in 0..50 {
        small = small.min(time_of(|| (0..10).for_each(|_| work(1_000))));
        large = large.min(time_of(|| work(10_000)));
        if large < small.saturating_mul(3) {
            return;
        }
    }
    panic!("{small:?} in ten parts, {large:?} in one");
}

#[test]
fn the_time_per_retry_does_not_grow() {
    assert_linear(|retries| {
        let mut attempts = 0;
        let chain = once(|| {
            attempts += 1;
            ready(if attempts <= retries { Err(()) } else { Ok(()) })
        });
        block_on(chain.retry_when(async |(), _| Ok(())).single()).unwrap();
    });
}

#[test]
fn the_time_per_concatenated_flow_does_not_grow() {
    assert_linear(|flows| {
        let Ok(count) = block_on(flow_of(0..flows).map(|n| flow_of([n])).flatten_concat().count());
        assert_eq!(count as u64, flows);
    });
}

#[test]
fn the_time_per_item_of_a_body_does_not_grow() {
    assert_linear(|items| {
        let Ok(count) = block_on(
            flow(async |mut emitter| {
                for n in 0..items {
                    emitter.emit(n).await;
                }
            })
            .count(),
        );
        assert_eq!(count as u64, items);
    });
}

#[test]
fn the_time_per_item_of_a_stack_grows_with_its_height_only() {
    // A poll at the top polls each level once, not each level as often as there are levels below it.
    assert_linear(|height| {
        let height = usize::try_from(height).unwrap() / 100;
        assert_eq!(block_on(stacked(height, 300).count()), Ok(300));
    });
}
