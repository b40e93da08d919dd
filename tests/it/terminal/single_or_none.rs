//! The Kotlin test in question is named above each test that has one: `SingleTest`.

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail, Wait};
use crate::support::{Probe, block_on};

// testSingle, testMultipleValues, testNoValues, testNullableSingle
#[test]
fn one_item_or_none() {
    assert_eq!(block_on(flow_of([239]).single_or_none()), Ok(Some(239)));
    assert_eq!(block_on(flow_of([239, 240]).single_or_none()), Ok(None));
    assert_eq!(block_on(empty::<u8>().single_or_none()), Ok(None));
    assert_eq!(block_on(flow_of([None::<u8>]).single_or_none()), Ok(Some(None)));
}

// testException, testExceptionAfterValue
#[test]
fn a_failure_comes_out_also_after_the_item() {
    assert_eq!(block_on(Probe::of(&[Fail("failed")]).single_or_none()), Err("failed"));
    assert_eq!(block_on(Probe::of(&[Emit(1), Fail("failed")]).single_or_none()), Err("failed"));
}

// testSingleNoWait
#[test]
fn it_does_not_wait_behind_a_second_item_and_drops_the_source() {
    let source = Probe::of(&[Emit(1), Emit(2), Wait]);
    let trace = source.trace();
    assert_eq!(block_on(source.single_or_none()), Ok(None));
    assert_eq!(trace.take(), ["start source", "emit 1", "emit 2", "drop source"]);
}
