//! `flat_map_merge` and `flatten_merge`, and what they share with `flat_map_concat`. Kotlin's tests are
//! `FlatMapMergeTest`, `FlatMapMergeFastPathTest`, `FlattenMergeTest`, `FlatMapConcatTest` and their bases.

use std::cell::Cell;

use coldflow::{BoxFlow, FlowExt, empty, flow, flow_of};
use tokio::runtime::Handle;

use super::clock::{Emit, Fail, Hang, Wait, burst, items, pause, script, seen, traced};
use crate::support::{Polling, Trace, block_on};

type Numbers = BoxFlow<'static, u64, &'static str>;

/// The five forms.
macro_rules! forms {
    ($up:expr, |$n:ident| $inner:expr) => {
        [
            ("concat", $up.flat_map_concat(|$n| $inner).boxed()),
            ("flatten_concat", $up.map(|$n| $inner).flatten_concat().boxed()),
            ("merge", $up.flat_map_merge(16, |$n| $inner).boxed()),
            ("merge of one", $up.flat_map_merge(1, |$n| $inner).boxed()),
            ("flatten_merge", $up.map(|$n| $inner).flatten_merge(16).boxed()),
        ]
    };
}

/// Kotlin: `testFlatMapConcat`/`testFlatMap`, `testSingle`, `testNulls` of the base.
#[test]
fn all_forms_deliver_everything() {
    let up = || flow_of(1..=100_u64).fallible::<&str>();
    for (name, flow) in forms!(up(), |n| flow_of(1..=n).fallible()) {
        let flow: Numbers = flow;
        assert_eq!(block_on(flow.fold(0, async |sum, n| sum + n)), Ok(171_700), "{name}");
    }
    for (name, flow) in forms!(up(), |n| if n == 42 { flow_of([n]).boxed() } else { empty().boxed() }.fallible()) {
        let flow: Numbers = flow;
        assert_eq!(block_on(flow.single()), Ok(42), "{name}");
    }
    for (name, flow) in forms!(flow_of([1, 2]).fallible::<&str>(), |n| flow_of([Some(n), None]).fallible()) {
        assert_eq!(block_on(flow.count_where(Option::is_none)), Ok(2), "{name}");
    }
}

/// Kotlin: `testContext`, `testIsolatedContext`.
#[tokio::test(start_paused = true)]
async fn with_parts_in_tasks() {
    let handle = Handle::current();
    let outer = script(burst(2)).flow_on(&handle);
    let inner = outer.flat_map_merge(4, |n| script([Emit(n), Emit(n * 10)]).flow_on(&Handle::current()));
    let mut all = items(inner.flow_on(&handle), 0).await;
    all.sort();
    assert_eq!(all, ["1", "10", "2", "20"]);
}

/// Kotlin: `testFlatMapConcurrency` of concat, `testConcurrencyLevel` of merge.
#[test]
fn as_many_run_as_may() {
    for (limit, running) in [(1, 1), (2, 2), (7, 7), (usize::MAX, 100)] {
        let trace = Trace::new();
        let mut future =
            Polling::new(flow_of(0..100).fallible().flat_map_merge(limit, |_| traced(&trace, "inner", [Hang])).run());
        while future.poll().is_pending() && future.woken() {}
        assert_eq!(trace.live().len(), running, "{limit}");
    }
    let trace = Trace::new();
    let mut future =
        Polling::new(flow_of(0..100).fallible().flat_map_concat(|_| traced(&trace, "inner", [Hang])).run());
    assert!(future.poll().is_pending());
    assert_eq!(trace.live().len(), 1);
}

/// Kotlin: `FlattenConcatTest.testCancellation`, `testFailureCancellation` and others.
#[tokio::test(start_paused = true)]
async fn an_inner_failure_drops_the_others() {
    let trace = Trace::new();
    let outer = traced(&trace, "outer", [Emit(1), Emit(2), Hang]);
    let flows = outer.flat_map_merge(4, |n| {
        if n == 1 { traced(&trace, "hanging", [Hang]) } else { script([Wait(5), Fail("over")]) }
    });
    assert_eq!(seen(flows, 0).await, ["5 !\"over\""]);
    let events = trace.take();
    assert_eq!(events[events.len() - 2..], ["drop hanging", "drop outer"], "inner before outer: {events:?}");
    assert!(events.contains(&"outer after 2".to_owned()), "the outer one was not held up");
}

/// Kotlin: `testConcurrentFailure`: the first wins, and the second never comes.
#[tokio::test(start_paused = true)]
async fn of_two_failures_the_first_counts() {
    let flows =
        script(burst(2)).flat_map_merge(4, |n| script([Wait(5), Fail(if n == 1 { "first" } else { "second" })]));
    assert_eq!(seen(flows, 0).await, ["5 !\"first\""]);
}

/// Kotlin: `testFailureInMapOperationCancellation`; a lambda of ours cannot fail, but what stands above it can.
#[tokio::test(start_paused = true)]
async fn an_outer_failure_drops_the_inner_flows() {
    let trace = Trace::new();
    let outer = script([Emit(1), Wait(5), Emit(2)]).try_map(|n| if n == 1 { Ok(n) } else { Err("mapping") });
    let flows = outer.flat_map_merge(4, |_| traced(&trace, "inner", [Hang]));
    assert_eq!(seen(flows, 0).await, ["5 !\"mapping\""]);
    assert!(trace.live().is_empty());
}

/// Kotlin: `testCancellationExceptionDownstream`, with concurrency 2 and `take(2)`.
#[test]
fn enough_stops_the_outer_flow_early() {
    let started = Cell::new(0);
    let outer = flow(async |mut emitter| {
        for n in 1..=5 {
            started.set(n);
            emitter.emit(n).await;
        }
    });
    let two = outer.flat_map_merge(2, |n| flow_of([n]).chain(coldflow::once_ok(std::future::pending))).take(2);
    assert_eq!(block_on(two.to_vec()), Ok(vec![1, 2]));
    assert!(started.get() < 5, "the outer flow got to {}", started.get());
}

/// Kotlin: `testContextPreservationAcrossFlows`.
#[test]
fn collected_within_a_flow_and_emitted_again() {
    let again = flow(async |mut emitter| {
        let inner = flow_of([1, 2]).flat_map_merge(2, |n| flow_of([n])).to_vec().await;
        for n in inner.unwrap() {
            emitter.emit(n).await;
        }
    });
    assert_eq!(block_on(again.to_vec()), Ok(vec![1, 2]));
}

/// Kotlin: `testAtomicStart`: what was never started is not cleaned up either.
#[test]
fn an_inner_flow_that_never_started_is_never_dropped() {
    let trace = Trace::new();
    let outer = traced(&trace, "outer", [Emit(1), Fail("over")]);
    let mut future = Polling::new(outer.flat_map_merge(2, |_| traced(&trace, "inner", [Hang])).run());
    assert!(future.poll().is_ready());
    assert_eq!(trace.take(), ["start outer", "outer after 1", "drop outer"]);
}

#[tokio::test(start_paused = true)]
async fn one_at_a_time_is_concat_with_no_buffer() {
    let trace = Trace::new();
    let flows = script(burst(2)).flat_map_merge(1, |n| traced(&trace, "inner", [Emit(n), Wait(5), Emit(n * 10)]));
    assert_eq!(seen(flows, 10).await, ["0 1", "15 10", "25 2", "40 20", "50 |"]);
    assert_eq!(trace.take().iter().filter(|event| *event == "start inner").count(), 2);
}

#[test]
#[should_panic(expected = "`concurrency` of `flat_map_merge` must be at least 1, got 0")]
fn none_at_a_time_panics_at_the_call() {
    let _ = script([]).flat_map_merge(0, |_| script([]));
}

#[test]
#[should_panic(expected = "`concurrency` of `flatten_merge` must be at least 1, got 0")]
fn none_at_a_time_panics_at_the_call_of_the_short_form() {
    let _ = flow_of([1]).map(|_| flow_of([1])).flatten_merge(0);
}

/// A place that an inner flow has left serves the next one, and a wake that comes late harms nobody.
#[tokio::test(start_paused = true)]
async fn places_are_used_again() {
    let flows = script(burst(50)).flat_map_merge(3, |n| script([Wait(1), Emit(n), Wait(2)]));
    let mut all: Vec<i32> = items(flows, 0).await.iter().map(|n| n.parse().unwrap()).collect();
    all.sort_unstable();
    assert_eq!(all, (1..=50).collect::<Vec<_>>());
    pause(5).await;
}
