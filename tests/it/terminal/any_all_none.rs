//! The Kotlin test in question is named above each test that has one: `BooleanTerminationTest`.

use coldflow::{FlowExt, empty, flow, flow_of};

use crate::support::Step::{Emit, Fail, Wait};
use crate::support::{Probe, block_on};

// testAnyNominal, testAllNominal, testNoneNominal
#[test]
fn what_their_names_say() {
    let numbers = || flow_of([1, 2, 3]);
    assert_eq!(block_on(numbers().any(|n| n > 2)), Ok(true));
    assert_eq!(block_on(numbers().any(|n| n > 3)), Ok(false));
    assert_eq!(block_on(numbers().all(|n| n > 0)), Ok(true));
    assert_eq!(block_on(numbers().all(|n| n > 1)), Ok(false));
    assert_eq!(block_on(numbers().none(|n| n > 3)), Ok(true));
    assert_eq!(block_on(numbers().none(|n| n > 2)), Ok(false));
}

// testAnyEmpty, testAllEmpty, testNoneEmpty
#[test]
fn of_nothing() {
    assert_eq!(block_on(empty::<u8>().any(|_| true)), Ok(false));
    assert_eq!(block_on(empty::<u8>().all(|_| false)), Ok(true));
    assert_eq!(block_on(empty::<u8>().none(|_| true)), Ok(true));
}

// testAnyInfinite, testAllInfinite, testNoneInfinite
#[test]
fn an_endless_flow_is_cut_short() {
    assert_eq!(block_on(flow_of(0..).any(|n| n == 5)), Ok(true));
    assert_eq!(block_on(flow_of(0..).all(|n| n < 5)), Ok(false));
    assert_eq!(block_on(flow_of(0..).none(|n| n == 5)), Ok(false));
}

// testAnyShortCircuit, testAllShortCircuit, testNoneShortCircuit
#[test]
fn what_follows_the_deciding_emission_does_not_run() {
    let body = || {
        flow(async |mut emitter| {
            emitter.emit(1).await;
            emitter.emit(2).await;
            unreachable!("it is decided")
        })
    };
    assert_eq!(block_on(body().any(|n| n == 2)), Ok(true));
    assert_eq!(block_on(body().all(|n| n < 2)), Ok(false));
    assert_eq!(block_on(body().none(|n| n == 2)), Ok(false));
}

#[test]
fn the_source_is_dropped_before_they_return() {
    let source = Probe::of(&[Emit(1), Wait]);
    let trace = source.trace();
    assert_eq!(block_on(source.any(|_| true)), Ok(true));
    assert_eq!(trace.take(), ["start source", "emit 1", "drop source"]);
}

#[test]
fn a_failure_before_the_decision_comes_out() {
    let source = || Probe::of(&[Emit(1), Fail("failed")]);
    assert_eq!(block_on(source().any(|n| n > 1)), Err("failed"));
    assert_eq!(block_on(source().all(|_| true)), Err("failed"));
    assert_eq!(block_on(source().none(|n| n > 1)), Err("failed"));
    assert_eq!(block_on(source().any(|n| n == 1)), Ok(true));
}
