//! The Kotlin test in question is named above each test that has one: `LastTest`.

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Probe, block_on};

// testLast
#[test]
fn the_last_of_several() {
    assert_eq!(block_on(flow_of([1, 2, 3]).last()), Ok(Some(3)));
}

// testNulls, testNullsLastOrNull
#[test]
fn an_item_that_is_none_is_an_item() {
    assert_eq!(block_on(flow_of([Some(1), None]).last()), Ok(Some(None)));
    assert_eq!(block_on(flow_of([None, Some(1)]).last()), Ok(Some(Some(1))));
}

// testEmptyFlow: Kotlin's `last` fails; difference 4.
#[test]
fn of_nothing_it_is_none() {
    assert_eq!(block_on(empty::<u8>().last()), Ok(None));
}

// testBadClass
#[test]
fn the_item_is_not_compared_with_anything() {
    let item = std::rc::Rc::new(());
    let last = block_on(flow_of([std::rc::Rc::clone(&item)]).last()).unwrap().unwrap();
    assert!(std::rc::Rc::ptr_eq(&last, &item));
}

#[test]
fn a_failure_loses_it() {
    assert_eq!(block_on(Probe::of(&[Emit(1), Fail("failed")]).last()), Err("failed"));
}
