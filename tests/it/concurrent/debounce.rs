//! `debounce` and `debounce_by`. Kotlin's tests are `DebounceTest`, all 19 of them.

use std::cell::Cell;
use std::future::ready;
use std::time::Duration;

use coldflow::test_util::{Marble, marble, to_marble};
use coldflow::{FlowExt, flow_of, once_ok};
use tokio::runtime::Handle;

use super::clock::{Emit, Fail, Hang, Wait, burst, items, ms, script, seen, traced};
use crate::support::{Trace, block_on};

/// Kotlin's timeline.
fn timeline() -> Marble {
    marble("a-----b-cd-------(e|)").frame(FRAME)
}

const FRAME: Duration = Duration::from_millis(250);

/// Kotlin: `testBasic`, `testDurationBasic`, `testBasicWithNulls`.
#[tokio::test(start_paused = true)]
async fn the_last_of_a_burst_is_emitted_and_the_very_last_at_the_end() {
    let settled = timeline().debounce(4 * FRAME);
    assert_eq!(to_marble(settled).frame(FRAME).await, "----a--------d---(e|)");
}

/// Kotlin: `testSingleNull`.
#[tokio::test(start_paused = true)]
async fn a_single_item_comes_out_at_the_end_however_long_the_time() {
    assert_eq!(seen(flow_of([None::<i32>]).debounce(Duration::MAX), 0).await, ["0 None", "0 |"]);
}

/// Kotlin: `testEmpty`, `testScalar`.
#[tokio::test(start_paused = true)]
async fn empty_stays_empty_and_a_burst_is_its_last() {
    assert_eq!(to_marble(marble("|").debounce(ms(1_000))).await, "|");
    assert_eq!(to_marble(marble("(abc|)").debounce(ms(1_000))).await, "(c|)");
}

/// Kotlin: `testPace`.
#[tokio::test(start_paused = true)]
async fn the_pace_decides() {
    let fast = (1..=10).flat_map(|n| [Emit(n), Wait(99)]);
    let slow = (11..=20).flat_map(|n| [Emit(n), Wait(101)]);
    let expected: Vec<_> = (11..=20).map(|n| n.to_string()).collect();
    // The tenth is followed by a pause of 99 and the eleventh.
    assert_eq!(items(script(fast.chain(slow).collect::<Vec<_>>()).debounce(ms(100)), 0).await, expected);
}

/// Kotlin: `testUpstreamError`, `testUpstreamErrorCancellation`, `testUpstreamErrorIsolatedContext`; the consumer of ours
/// is not cut off.
#[tokio::test(start_paused = true)]
async fn an_error_above_comes_out_behind_the_item_that_the_consumer_has() {
    let source = || script([Emit(1), Wait(20), Fail("above")]);
    assert_eq!(seen(source().debounce(ms(10)), 50).await, ["10 1", "60 !\"above\""]);
    assert_eq!(seen(source().flow_on(&Handle::current()).debounce(ms(10)), 50).await, ["10 1", "60 !\"above\""]);
}

/// Kotlin: `testUpstreamErrorDebounceNotTriggered`, and with an isolated context.
#[tokio::test(start_paused = true)]
async fn an_error_before_the_time_has_passed_loses_the_item() {
    let source = || script([Emit(1), Wait(5), Fail("above")]);
    assert_eq!(seen(source().debounce(ms(10)), 0).await, ["5 !\"above\""]);
    assert_eq!(seen(source().flow_on(&Handle::current()).debounce(ms(10)), 0).await, ["5 !\"above\""]);
}

/// Kotlin: `testDownstreamError`, `testDownstreamErrorIsolatedContext`.
#[tokio::test(start_paused = true)]
async fn an_error_below_drops_what_hangs_above() {
    let trace = Trace::new();
    let source = || traced(&trace, "source", [Emit(1), Hang]);
    assert_eq!(source().debounce(ms(10)).try_for_each(|_| ready(Err("below"))).await, Err("below"));
    assert!(trace.live().is_empty());
    let isolated = source().flow_on(&Handle::current()).debounce(ms(10));
    assert_eq!(isolated.try_for_each(|_| ready(Err("below"))).await, Err("below"));
    super::clock::pause(1).await;
    assert!(trace.live().is_empty());
}

/// Kotlin: `testDebounceSelectorBasic`, `testDebounceDurationSelectorBasic`.
#[tokio::test(start_paused = true)]
async fn the_time_can_depend_on_the_item_and_is_asked_for_once() {
    let source = script([Emit(1), Wait(90), Emit(2), Wait(90), Emit(3), Wait(1_010), Emit(4), Wait(1_010), Emit(5)]);
    let asked = Cell::new(0);
    let times = source.debounce_by(|n| {
        asked.set(asked.get() + 1);
        if *n == 1 { Duration::ZERO } else { ms(1_000) }
    });
    assert_eq!(seen(times, 0).await, ["0 1", "1180 3", "2190 4", "2200 5", "2200 |"]);
    assert_eq!(asked.get(), 5);
    let duration = timeline().debounce_by(|letter| if *letter == 'c' { Duration::ZERO } else { 4 * FRAME });
    assert_eq!(to_marble(duration).frame(FRAME).await, "----a---c----d---(e|)");
}

/// Kotlin: `testZeroDebounceTime`, `testZeroDebounceTimeSelector`. An item of zero drops the one whose time runs.
#[tokio::test(start_paused = true)]
async fn no_time_lets_everything_pass() {
    assert_eq!(items(script(burst(3)).debounce(Duration::ZERO), 0).await, ["1", "2", "3"]);
    assert_eq!(items(script(burst(3)).debounce_by(|_| Duration::ZERO), 0).await, ["1", "2", "3"]);
    assert_eq!(items(script(burst(3)).debounce_by(|n| ms(10 * (3 - u64::try_from(*n).unwrap()))), 0).await, ["3"]);
}

/// Kotlin: `testFailsWithIllegalArgument` for a negative time, which a `Duration` cannot be. Without a time there is no
/// timer, so no runtime is needed either.
#[test]
fn no_time_needs_no_runtime() {
    assert_eq!(block_on(script(burst(3)).debounce(Duration::ZERO).to_vec()), Ok(vec![1, 2, 3]));
}

#[tokio::test(start_paused = true)]
async fn an_item_at_the_very_moment_is_the_one_that_counts() {
    // Unspecified in Kotlin (#1434); ours looks above first.
    let source = script([Emit(1), Wait(10), Emit(2), Wait(50)]);
    assert_eq!(items(source.debounce(ms(10)), 0).await.last().unwrap(), "2");
}

#[tokio::test(start_paused = true)]
async fn under_a_retry_the_item_that_waited_does_not_come_out_of_the_next_run() {
    let mut run = 0;
    let flaky = once_ok(|| {
        run += 1;
        ready(run)
    })
    .fallible()
    .flat_map_concat(|run| {
        script(if run == 1 { vec![Emit(1), Wait(5), Fail("again")] } else { vec![Emit(2), Wait(50)] })
    });
    assert_eq!(seen(flaky.debounce(ms(10)).retry(1), 0).await, ["15 2", "55 |"]);
}
