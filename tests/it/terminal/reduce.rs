//! The Kotlin test in question is named above each test that has one: `ReduceTest`.

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Probe, block_on};

// testReduce
#[test]
fn all_items_into_one() {
    assert_eq!(block_on(flow_of([1, 2, 3]).reduce(|sum, n| sum * 10 + n)), Ok(Some(123)));
}

// testEmptyReduce: Kotlin fails; difference 4.
#[test]
fn of_nothing_it_is_none() {
    assert_eq!(block_on(empty::<i32>().reduce(|_, _| unreachable!())), Ok(None));
}

// testNullableReduce
#[test]
fn one_item_is_the_result_without_a_call() {
    assert_eq!(block_on(flow_of([None::<u8>]).reduce(|_, _| unreachable!())), Ok(Some(None)));
}

// testErrorCancelsUpstream
#[test]
fn a_failure_comes_out() {
    let source = Probe::of(&[Emit(1), Emit(2), Fail("failed")]);
    let trace = source.trace();
    assert_eq!(block_on(source.reduce(|sum, n| sum + n)), Err("failed"));
    assert!(trace.live().is_empty());
}
