//! The Kotlin test in question is named above each test that has one: `DropWhileTest`.

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, block_on};

// testDropWhile
#[test]
fn from_the_first_that_does_not_hold() {
    let rest = |limit| block_on(flow_of([1, 2, 3, 1]).skip_while(|n| *n < limit).to_vec());
    assert_eq!(rest(0), Ok(vec![1, 2, 3, 1]));
    assert_eq!(rest(2), Ok(vec![2, 3, 1]));
    assert_eq!(rest(9), Ok(vec![]));
}

// testEmptyFlow
#[test]
fn of_nothing_is_nothing() {
    assert_eq!(block_on(empty::<i32>().skip_while(|_| true).count()), Ok(0));
}

#[test]
fn the_predicate_is_not_called_again_after_it_did_not_hold() {
    let mut calls = 0;
    let Ok(items) = block_on(
        flow_of([1, 2, 3])
            .skip_while(|n| {
                calls += 1;
                *n < 2
            })
            .to_vec(),
    );
    assert_eq!((items, calls), (vec![2, 3], 2));
}

#[test]
fn each_run_skips_anew() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Emit(2), Fail("failed")]).skip_while(|n| *n < 2).retry(1));
    assert_eq!(stream.rest(), [Ok(2), Ok(2), Err("failed")]);
}
