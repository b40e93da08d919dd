//! The Kotlin test in question is named above each test that has one: `TakeWhileTest`.

use coldflow::{FlowExt, empty};

use crate::support::Step::{Emit, Fail, Wait};
use crate::support::{Driver, Probe, block_on};

// testTakeWhile
#[test]
fn until_the_first_that_does_not_hold() {
    let source = || Probe::of(&[Emit(1), Emit(2)]);
    assert_eq!(block_on(source().take_while(|_| true).to_vec()), Ok(vec![1, 2]));
    assert_eq!(block_on(source().take_while(|n| *n < 2).to_vec()), Ok(vec![1]));
    assert_eq!(block_on(source().skip(1).take_while(|n| *n < 3).to_vec()), Ok(vec![2]));
    assert_eq!(block_on(source().skip(1).take_while(|n| *n < 2).to_vec()), Ok(vec![]));
}

// testEmptyFlow
#[test]
fn of_nothing_is_nothing() {
    assert_eq!(block_on(empty::<i32>().take_while(|_| true).count()), Ok(0));
}

// testCancelUpstream
#[test]
fn the_source_is_dropped_with_the_item_that_does_not_hold() {
    let source = Probe::of(&[Emit(1), Emit(2), Wait]);
    let trace = source.trace();
    let mut stream = Driver::new(source.take_while(|n| *n < 2));
    assert_eq!((stream.next(), stream.next()), (Some(Ok(1)), None));
    assert!(stream.is_terminated());
    assert_eq!(trace.take(), ["start source", "emit 1", "emit 2", "drop source"]);
}

#[test]
fn the_predicate_is_not_called_again_after_it_did_not_hold() {
    let mut calls = 0;
    let mut stream = Driver::new(Probe::of(&[Emit(1), Emit(2), Emit(3)]).take_while(|_| {
        calls += 1;
        false
    }));
    assert_eq!((stream.next(), stream.next(), stream.next()), (None, None, None));
    drop(stream);
    assert_eq!(calls, 1);
}

// testErrorCancelsUpstream: the predicate cannot fail here.
#[test]
fn a_failure_passes_while_it_holds() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Fail("failed")]).take_while(|_| true));
    assert_eq!(stream.rest(), [Ok(1), Err("failed")]);
}
