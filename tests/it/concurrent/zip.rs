//! `zip`. Kotlin's tests are `ZipTest`; its tests of cancellation are covered by those of errors, since ours has only these.

use std::future::ready;

use coldflow::{FlowExt, flow_of};
use tokio::runtime::Handle;

use super::clock::{Emit, Fail, Hang, Wait, burst, items, pause, script, seen, traced};
use crate::support::{Driver, Trace, block_on};

/// Kotlin: `testZip`, `testUnevenZip`, `testEmptyFlows`, `testEmpty`, `testEmptyOther`, `testNulls`, `testNullsOther`.
#[test]
fn pairs_by_position_until_either_ends() {
    let pairs = |first: &[i32], second: &[i32]| {
        let both = flow_of(first.to_vec()).zip(flow_of(second.to_vec()));
        let Ok(pairs) = block_on(both.to_vec());
        pairs
    };
    assert_eq!(pairs(&[1, 2, 3], &[7, 8, 9]), [(1, 7), (2, 8), (3, 9)]);
    assert_eq!(pairs(&[1, 2, 3, 4], &[7, 8, 9]), [(1, 7), (2, 8), (3, 9)]);
    assert_eq!(pairs(&[1, 2, 3], &[7, 8, 9, 10]), [(1, 7), (2, 8), (3, 9)]);
    for (first, second) in [(&[][..], &[][..]), (&[], &[1]), (&[1], &[])] {
        assert_eq!(pairs(first, second), []);
    }
    let nulls = flow_of([Some(1), None]).zip(flow_of([None, Some(2)])).to_vec();
    assert_eq!(block_on(nulls), Ok(vec![(Some(1), None), (None, Some(2))]));
}

/// Kotlin: `testCancelWhenFlowIsDone`: the code behind the second's last paired emission is never reached.
#[test]
fn the_first_ends_and_the_second_is_dropped_in_its_emission() {
    let trace = Trace::new();
    let both = script(burst(2)).zip(traced(&trace, "second", [Emit(1), Emit(2), Emit(3), Emit(4)]));
    let mut stream = Driver::new(both);
    assert_eq!(stream.rest(), [Ok((1, 1)), Ok((2, 2))]);
    let events = trace.take();
    assert!(!events.contains(&"second after 3".to_owned()), "{events:?}");
    assert_eq!(events.last().unwrap(), "drop second");
}

/// Kotlin: `testCancelWhenFlowIsDone2`.
#[test]
fn the_second_ends_and_the_first_is_dropped_in_its_emission() {
    let trace = Trace::new();
    let mut stream = Driver::new(traced(&trace, "first", burst(9)).zip(script(burst(2))));
    assert_eq!(stream.rest(), [Ok((1, 1)), Ok((2, 2))]);
    let events = trace.take();
    assert!(!events.contains(&"first after 3".to_owned()), "{events:?}");
    assert_eq!(events.last().unwrap(), "drop first");
}

/// Kotlin: `testCancelWhenFlowIsDoneReversed`, `testCancellationOfCollector`.
#[tokio::test(start_paused = true)]
async fn an_end_of_either_does_not_wait_for_one_that_hangs() {
    let trace = Trace::new();
    let hanging = traced(&trace, "hanging", [Emit(1), Hang]);
    assert_eq!(seen(script([Emit(1), Wait(5)]).zip(hanging.clone()), 0).await, ["0 (1, 1)", "5 |"]);
    assert_eq!(seen(hanging.clone().zip(script([Emit(1), Wait(5)])), 0).await, ["0 (1, 1)", "5 |"]);
    assert_eq!(seen(script([Hang]).zip(script([])), 0).await, ["0 |"]);
    assert!(trace.live().is_empty());
}

/// Kotlin: `testContextIsIsolated`.
#[tokio::test(start_paused = true)]
async fn both_in_tasks() {
    let handle = Handle::current();
    let both = script(burst(2)).flow_on(&handle).zip(script(burst(3)).flow_on(&handle));
    assert_eq!(items(both.flow_on(&handle), 0).await, ["(1, 1)", "(2, 2)"]);
}

/// Kotlin: `testErrorInDownstreamCancelsUpstream`, `testCancellationDownstream`.
#[test]
fn an_error_below_drops_both() {
    let trace = Trace::new();
    let both = traced(&trace, "a", [Emit(1), Hang]).zip(traced(&trace, "b", [Emit(1), Hang]));
    assert_eq!(block_on(both.try_for_each(|_| ready(Err("below")))), Err("below"));
    assert!(trace.live().is_empty());
}

/// Kotlin: `testErrorCancelsSibling`, `testCancellationUpstream`.
#[tokio::test(start_paused = true)]
async fn an_error_of_either_drops_the_other() {
    let trace = Trace::new();
    let failing = script([Wait(5), Fail("over")]);
    let hanging = traced(&trace, "hanging", [Emit(1), Hang]);
    assert_eq!(seen(failing.clone().zip(hanging.clone()), 0).await, ["5 !\"over\""]);
    assert!(trace.live().is_empty());
    assert_eq!(seen(hanging.zip(failing), 0).await, ["5 !\"over\""]);
    assert!(trace.live().is_empty());
    pause(1).await;
}

#[test]
fn neither_runs_ahead_by_more_than_one() {
    let trace = Trace::new();
    let (first, second) = (traced(&trace, "first", burst(9)), traced(&trace, "second", burst(9)));
    let mut stream = Driver::new(first.zip(second));
    assert_eq!(stream.next(), Some(Ok((1, 1))));
    for _ in 0..5 {
        let _ = stream.progress();
    }
    let returned: Vec<_> = trace.take().into_iter().filter(|event| event.contains("after")).collect();
    assert_eq!(returned, ["second after 1"], "the second is one ahead, the first where it was");
}
