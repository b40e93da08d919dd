use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail, Wait};
use crate::support::{Driver, Probe, Trace, block_on};

#[test]
fn the_second_starts_when_the_first_has_ended_and_is_gone() {
    let trace = Trace::new();
    let first = Probe::new(&trace, &[Emit(1)]).named("first");
    let second = Probe::new(&trace, &[Emit(2)]).named("second");
    assert_eq!(block_on(first.chain(second).to_vec()), Ok(vec![1, 2]));
    assert_eq!(trace.take(), ["start first", "emit 1", "drop first", "start second", "emit 2", "drop second"]);
}

#[test]
fn when_the_first_fails_the_second_does_not_start() {
    let trace = Trace::new();
    let first = Probe::new(&trace, &[Emit(1), Fail("failed")]).named("first");
    let mut stream = Driver::new(first.chain(Probe::new(&trace, &[Emit(2)]).named("second")));
    assert_eq!(stream.rest(), [Ok(1), Err("failed")]);
    assert_eq!(trace.take(), ["start first", "emit 1", "drop first"]);
    assert!(stream.is_terminated());
}

#[test]
fn when_the_second_fails_a_retry_begins_with_the_first() {
    let source = flow_of([1]).fallible().chain(Probe::of(&[Emit(2), Fail("failed")]).and_then_runs(&[Emit(3)]));
    assert_eq!(block_on(source.retry(1).to_vec()), Ok(vec![1, 2, 1, 3]));
}

#[test]
fn either_may_be_empty() {
    assert_eq!(block_on(empty().chain(flow_of([1])).to_vec()), Ok(vec![1]));
    assert_eq!(block_on(flow_of([1]).chain(empty()).to_vec()), Ok(vec![1]));
    assert_eq!(block_on(empty::<u8>().chain(empty()).to_vec()), Ok(vec![]));
}

#[test]
fn dropped_in_the_second() {
    let trace = Trace::new();
    let mut stream = Driver::new(Probe::new(&trace, &[]).chain(Probe::new(&trace, &[Wait]).named("second")));
    assert!(stream.poll().is_pending());
    assert_eq!(trace.live(), ["second"]);
    drop(stream);
    assert!(trace.live().is_empty());
}
