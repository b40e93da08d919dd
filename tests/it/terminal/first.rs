//! The Kotlin test in question is named above each test that has one: `FirstTest`.

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail, Wait};
use crate::support::{Probe, block_on};

// testFirst, testFirstOrNull
#[test]
fn the_first_of_several() {
    assert_eq!(block_on(flow_of([1, 2, 3]).first()), Ok(Some(1)));
}

// testNulls, testFirstOrNullWithNullElement
#[test]
fn an_item_that_is_none_is_an_item() {
    assert_eq!(block_on(flow_of([None, Some(1)]).first()), Ok(Some(None)));
    assert_eq!(block_on(flow_of([None, Some(1)]).first_where(Option::is_some)), Ok(Some(Some(1))));
    assert_eq!(block_on(flow_of([Some(1), None]).first_where(Option::is_none)), Ok(Some(None)));
}

// testFirstWithPredicate, testFirstOrNullWithPredicate
#[test]
fn the_first_for_which_the_predicate_holds() {
    let above = |limit: i32| block_on(flow_of([1, 2, 3]).first_where(move |n| *n > limit));
    assert_eq!(above(0), Ok(Some(1)));
    assert_eq!(above(1), Ok(Some(2)));
    assert_eq!(above(3), Ok(None));
}

// testFirstCancellation, testFirstOrNullCancellation
#[test]
fn the_source_is_dropped_before_it_returns() {
    let source = Probe::of(&[Emit(1), Wait]);
    let trace = source.trace();
    let first = source.first();
    let mut first = std::pin::pin!(first);
    assert_eq!(block_on(first.as_mut()), Ok(Some(1)));
    assert!(trace.live().is_empty(), "though the future is still there");
    assert_eq!(trace.take(), ["start source", "emit 1", "drop source"]);
}

// testEmptyFlow, testFirstOrNullWithEmptyFlow: Kotlin's `first` fails; difference 4.
#[test]
fn of_nothing_it_is_none() {
    assert_eq!(block_on(empty::<u8>().first()), Ok(None));
    assert_eq!(block_on(empty::<u8>().first_where(|_| true)), Ok(None));
}

// testErrorCancelsUpstream, testFirstOrNullWhenErrorCancelsUpstream
#[test]
fn a_lambda_that_fails_drops_the_source_and_a_following_first_works() {
    let source = Probe::of(&[Emit(1), Wait]);
    let trace = source.trace();
    assert_eq!(block_on(source.clone().try_map(|_| Err::<(), _>("predicate")).first()), Err("predicate"));
    assert!(trace.live().is_empty());
    assert_eq!(block_on(source.first()), Ok(Some(1)));
}

// testBadClass
#[test]
fn the_item_is_not_compared_with_anything() {
    let item = std::rc::Rc::new(());
    let first = block_on(flow_of([std::rc::Rc::clone(&item)]).first()).unwrap().unwrap();
    assert!(std::rc::Rc::ptr_eq(&first, &item));
}

#[test]
fn a_failure_before_it_comes_out_and_one_behind_it_does_not() {
    assert_eq!(block_on(Probe::of(&[Fail("failed")]).first()), Err("failed"));
    assert_eq!(block_on(Probe::of(&[Emit(1), Fail("failed")]).first()), Ok(Some(1)));
    assert_eq!(block_on(Probe::of(&[Emit(1), Fail("failed")]).first_where(|n| *n > 1)), Err("failed"));
}
