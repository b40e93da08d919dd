//! `sample`. Kotlin's tests are `SampleTest`, all 19 of them.

use std::future::ready;
use std::time::Duration;

use coldflow::test_util::{marble, to_marble};
use coldflow::{FlowExt, flow_of};
use tokio::runtime::Handle;

use super::clock::{Do, Emit, Fail, Hang, Wait, burst, items, ms, pause, script, seen, traced};
use crate::support::Trace;

/// Kotlin's timeline: 1 at 0, 2 at 1500, 3 at 2000, 4 at 2250, 5 and the end at 4250.
fn timeline() -> [Do; 9] {
    [Emit(1), Wait(1_500), Emit(2), Wait(500), Emit(3), Wait(250), Emit(4), Wait(2_000), Emit(5)]
}

/// Kotlin: `testBasic`, `testDurationBasic`, `testBasicWithNulls`. 3 is there at the very moment of the tick of 2000.
#[tokio::test(start_paused = true)]
async fn the_latest_at_each_tick_and_not_the_last() {
    let mut source = timeline();
    source[3] = Wait(501);
    let times = seen(script(source).sample(ms(1_000)), 0).await;
    assert_eq!(times, ["1000 1", "2000 2", "3000 4", "4251 |"]);
}

/// Kotlin: `testDelayedFirst`.
#[tokio::test(start_paused = true)]
async fn a_first_item_that_comes_late() {
    assert_eq!(to_marble(marble("------a-----|").sample(ms(100))).await, "----------a-|");
}

/// Kotlin: `testBasic2`.
#[tokio::test(start_paused = true)]
async fn several_within_a_period() {
    let source = [
        Emit(1),
        Emit(2),
        Wait(501),
        Emit(3),
        Wait(100),
        Emit(4),
        Wait(100),
        Emit(5),
        Emit(6),
        Wait(301),
        Emit(7),
        Wait(501),
    ];
    assert_eq!(seen(script(source).sample(ms(500)), 0).await, ["500 2", "1000 6", "1500 7", "1503 |"]);
}

/// Kotlin: `testFixedDelay`.
#[tokio::test(start_paused = true)]
async fn the_last_is_lost() {
    assert_eq!(to_marble(marble("a--------------(b|)").sample(ms(100))).await, "----------a----|");
}

/// Kotlin: `testSingleNull`.
#[tokio::test(start_paused = true)]
async fn no_value_is_a_value() {
    let source = script([Emit(1), Wait(2)]).map(|_| None::<i32>);
    assert_eq!(seen(source.sample(ms(1)), 0).await, ["1 None", "2 |"]);
}

/// Kotlin: `testEmpty`, `testScalar`.
#[tokio::test(start_paused = true)]
async fn nothing_comes_of_what_ends_before_the_first_tick() {
    assert_eq!(to_marble(marble("|").sample(Duration::MAX)).await, "|");
    assert_eq!(to_marble(flow_of([1, 2, 3]).sample(Duration::MAX)).await, "|");
}

/// Kotlin: `testLongWait`.
#[tokio::test(start_paused = true)]
async fn it_ticks_on_while_nothing_comes() {
    let source = script([Emit(1), Wait(3_500), Emit(2), Wait(900), Emit(3), Wait(3_000)]);
    assert_eq!(seen(source.sample(ms(1_000)), 0).await, ["1000 1", "4000 2", "5000 3", "7400 |"]);
}

/// Kotlin: `testPace`, with times that do not fall together.
#[tokio::test(start_paused = true)]
async fn the_pace_decides() {
    let fast = [0, -1, -2, -3].map(|n| [Emit(n), Wait(50)]).concat();
    let slow = (0..4).flat_map(|n| [Emit(n), Wait(100)]);
    let source: Vec<Do> = [Wait(1)].into_iter().chain(fast).chain(slow).collect();
    assert_eq!(items(script(source).sample(ms(100)), 0).await, ["-1", "-3", "0", "1", "2", "3"]);
}

/// Kotlin: `testUpstreamError`, `testUpstreamErrorCancellationException`, `testUpstreamErrorIsolatedContext`; the consumer
/// of ours is not cut off.
#[tokio::test(start_paused = true)]
async fn an_error_above_comes_out_behind_the_item_that_the_consumer_has() {
    let source = || script([Emit(1), Wait(20), Fail("above")]);
    assert_eq!(seen(source().sample(ms(10)), 50).await, ["10 1", "60 !\"above\""]);
    assert_eq!(seen(source().flow_on(&Handle::current()).sample(ms(10)), 50).await, ["10 1", "60 !\"above\""]);
}

/// Kotlin: `testUpstreamErrorSampleNotTriggered`, and with an isolated context.
#[tokio::test(start_paused = true)]
async fn an_error_before_the_tick_loses_the_item() {
    let source = || script([Emit(1), Wait(5), Fail("above")]);
    assert_eq!(seen(source().sample(ms(10)), 0).await, ["5 !\"above\""]);
    assert_eq!(seen(source().flow_on(&Handle::current()).sample(ms(10)), 0).await, ["5 !\"above\""]);
}

/// Kotlin: `testDownstreamError`, `testDownstreamErrorIsolatedContext`.
#[tokio::test(start_paused = true)]
async fn an_error_below_drops_what_hangs_above() {
    let trace = Trace::new();
    let source = || traced(&trace, "source", [Emit(1), Hang]);
    assert_eq!(source().sample(ms(10)).try_for_each(|_| ready(Err("below"))).await, Err("below"));
    assert!(trace.live().is_empty());
    let isolated = source().flow_on(&Handle::current()).sample(ms(10));
    assert_eq!(isolated.try_for_each(|_| ready(Err("below"))).await, Err("below"));
    pause(1).await;
    assert!(trace.live().is_empty());
}

/// Kotlin's `testFailsWithIllegalArgument` checks `debounce` by mistake; this is what it was meant to.
#[test]
#[should_panic(expected = "`period` of `sample` must be longer than zero")]
fn a_period_of_zero_panics_at_the_call() {
    let _ = script(burst(1)).sample(Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_tick_without_a_new_item_gives_nothing() {
    assert_eq!(to_marble(marble("a-------|").sample(ms(20))).await, "--a-----|");
}
