//! `timeout`. Kotlin's tests are `TimeoutTest`, all 17 of them.

use std::future::ready;
use std::time::Duration;

use coldflow::test_util::{marble, to_marble};
use coldflow::{FlowExt, TimeoutError, channel_flow};
use tokio::runtime::Handle;

use super::clock::{Emit, Fail, Hang, Wait, items, ms, paced, pause, script, seen, traced};
use crate::support::Trace;

/// Kotlin: `testBasic`.
#[tokio::test(start_paused = true)]
async fn when_the_time_has_passed_it_fails_and_drops_what_is_above() {
    let trace = Trace::new();
    let source = traced(&trace, "source", [Emit(1), Wait(100), Emit(2), Wait(100), Emit(3), Hang]);
    assert_eq!(seen(source.timeout(ms(300)), 0).await, ["0 1", "100 2", "200 3", "500 !Elapsed"]);
    assert_eq!(trace.take().last().unwrap(), "drop source");
}

/// Kotlin: `testSingleNull`, `testDelayedFirst`, `testEmpty`, `testScalar`.
#[tokio::test(start_paused = true)]
async fn what_is_in_time_passes() {
    for diagram in ["a|", "-(a|)", "|", "(abc|)"] {
        assert_eq!(to_marble(marble(diagram).timeout(ms(11))).await, diagram);
    }
}

/// Kotlin: `testBasicCustomAction`.
#[tokio::test(start_paused = true)]
async fn it_can_be_caught() {
    let source = script([Emit(1), Emit(2), Hang]).timeout(ms(30));
    let caught = source.catch(async |cause, mut emitter| {
        assert_eq!(cause, TimeoutError::Elapsed);
        emitter.emit(-1).await;
    });
    assert_eq!(seen(caught, 0).await, ["0 1", "0 2", "30 -1", "30 |"]);
}

/// Kotlin: `testUpstreamError`, `testUpstreamErrorTimeoutException`, `testUpstreamErrorCancellationException`.
#[tokio::test(start_paused = true)]
async fn an_error_above_passes_as_it_is() {
    assert_eq!(items(script([Emit(1), Fail("above")]).timeout(ms(9)), 0).await, ["1", "!Upstream(\"above\")"]);
    let inner = script([Emit(1), Hang]).timeout(ms(5)).timeout(ms(9));
    assert_eq!(seen(inner, 0).await, ["0 1", "5 !Upstream(Elapsed)"]);
}

/// Kotlin: `testUpstreamExceptionsTakingPriority`: there a failing cleanup wins. Ours is dropped, and cannot fail.
#[tokio::test(start_paused = true)]
async fn cleaning_up_is_a_drop_that_comes_before_the_error() {
    let trace = Trace::new();
    let source = traced(&trace, "source", [Hang]).timeout(ms(5)).map_err(|error| {
        trace.note("error");
        error
    });
    assert_eq!(source.run().await, Err(TimeoutError::Elapsed));
    assert_eq!(trace.take(), ["start source", "drop source", "error"]);
}

/// Kotlin: `testDownstreamError`.
#[tokio::test(start_paused = true)]
async fn an_error_below_drops_what_is_above() {
    let trace = Trace::new();
    let source = traced(&trace, "source", [Emit(1), Hang]).timeout(ms(50));
    let end = source.try_for_each(|_| ready(Err(TimeoutError::Upstream("below")))).await;
    assert_eq!(end, Err(TimeoutError::Upstream("below")));
    assert!(trace.live().is_empty());
}

/// Kotlin: `testUpstreamTimeoutIsolatedContext`, `testUpstreamTimeoutActionIsolatedContext`.
#[tokio::test(start_paused = true)]
async fn over_a_flow_in_a_task() {
    let trace = Trace::new();
    let source = || traced(&trace, "source", [Emit(1), Wait(20), Emit(2), Hang]).flow_on(&Handle::current());
    assert_eq!(seen(source().timeout(ms(100)), 0).await, ["0 1", "20 2", "120 !Elapsed"]);
    let caught = source().timeout(ms(100)).catch(async |_, _| ());
    assert_eq!(items(caught, 0).await, ["1", "2"]);
    pause(1).await;
    assert!(trace.live().is_empty());
}

/// Kotlin: `testSharedFlowTimeout`, `testSharedFlowCancelledNoTimeout`, here over a channel.
#[tokio::test(start_paused = true)]
async fn over_a_channel_that_is_silent_or_busy() {
    let silent = channel_flow(async |sender: coldflow::Sender<i32>| {
        std::future::pending::<()>().await;
        drop(sender);
    });
    assert_eq!(seen(silent.timeout(ms(100)), 0).await, ["100 !Elapsed"]);
    assert_eq!(items(script(paced(10, 50)).timeout(ms(100)), 0).await.len(), 10);
}

/// Kotlin: `testImmediateTimeout`.
#[tokio::test(start_paused = true)]
async fn no_time_at_all_fails_at_once_and_runs_nothing() {
    let trace = Trace::new();
    let source = traced(&trace, "source", [Emit(1)]);
    assert_eq!(seen(source.timeout(Duration::ZERO), 0).await, ["0 !Elapsed"]);
    assert!(trace.take().is_empty());
    assert_eq!(seen(script([]).timeout(Duration::ZERO), 0).await, ["0 !Elapsed"]);
}

/// Kotlin: `testClosing`.
#[tokio::test(start_paused = true)]
async fn without_a_limit_the_failure_of_a_channel_comes_out() {
    let closed = channel_flow(|_: coldflow::Sender<i32>| ready(Err("closed")));
    assert_eq!(items(closed.timeout(Duration::MAX), 0).await, ["!Upstream(\"closed\")"]);
}

#[tokio::test(start_paused = true)]
async fn each_item_has_the_whole_time_and_the_end_too() {
    assert_eq!(to_marble(marble("abc|").timeout(ms(11))).await, "abc|");
    assert_eq!(seen(script([Emit(1), Wait(11)]).timeout(ms(10)), 0).await, ["0 1", "10 !Elapsed"]);
}

#[tokio::test(start_paused = true)]
async fn retried_it_has_its_time_again() {
    let slow = script([Emit(1), Wait(11), Emit(2)]).timeout(ms(10)).retry(2);
    assert_eq!(seen(slow, 0).await, ["0 1", "10 1", "20 1", "30 !Elapsed"]);
}
