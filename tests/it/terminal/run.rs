use coldflow::{FlowExt, flow_of};

use crate::support::Step::{Emit, Fail, Yield};
use crate::support::{Probe, block_on};

#[test]
fn it_runs_to_the_end() {
    let source = Probe::of(&[Emit(1), Yield, Emit(2)]);
    let trace = source.trace();
    assert_eq!(block_on(source.run()), Ok(()));
    assert_eq!(trace.take(), ["start source", "emit 1", "emit 2", "drop source"]);
}

#[test]
fn a_failure_comes_out() {
    assert_eq!(block_on(Probe::of(&[Emit(1), Fail("failed")]).run()), Err("failed"));
}

#[test]
fn what_cannot_fail_needs_no_unwrap() {
    let Ok(()) = block_on(flow_of([1]).run());
}
