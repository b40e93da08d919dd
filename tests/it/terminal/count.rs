//! The Kotlin test in question is named above each test that has one: `CountTest`.

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Probe, block_on};

// testCount
#[test]
fn how_many_there_are() {
    assert_eq!(block_on(flow_of([239, 240]).count()), Ok(2));
}

// testNoValues
#[test]
fn of_nothing_it_is_zero() {
    assert_eq!(block_on(empty::<u8>().count()), Ok(0));
    assert_eq!(block_on(empty::<u8>().count_where(|_| true)), Ok(0));
}

// testException, testExceptionAfterValue
#[test]
fn a_failure_comes_out() {
    assert_eq!(block_on(Probe::of(&[Fail("failed")]).count()), Err("failed"));
    assert_eq!(block_on(Probe::of(&[Emit(1), Fail("failed")]).count()), Err("failed"));
}

#[test]
fn only_those_for_which_the_predicate_holds() {
    assert_eq!(block_on(flow_of(0..10).count_where(|n| n % 3 == 0)), Ok(4));
}
