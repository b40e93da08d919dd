//! `Gate`: what it lets pass.

use coldflow::FlowExt;
use coldflow::test_util::{Gate, probe};
use std::task::Poll;

use crate::support::Driver;

#[test]
fn each_opening_lets_one_wait_pass() {
    let gate = Gate::new();
    let mut items = Driver::new(probe::<_, ()>().wait_for(&gate).emit(1).wait_for(&gate).emit(2));
    assert!(!gate.is_awaited());
    assert!(items.poll().is_pending());
    assert!(gate.is_awaited());
    assert!(!items.woken());
    gate.open();
    assert!(items.woken());
    assert!(!gate.is_awaited());
    assert_eq!(items.poll(), Poll::Ready(Some(Ok(1))));
    assert!(items.poll().is_pending());
    gate.clone().open();
    assert_eq!(items.rest(), [Ok(2)]);
}

#[test]
fn opened_before_it_is_awaited_it_does_not_hold_up() {
    let gate = Gate::default();
    gate.open();
    gate.open();
    let mut items = Driver::new(probe::<_, ()>().wait_for(&gate).wait_for(&gate).emit(1).wait_for(&gate));
    assert_eq!(items.poll(), Poll::Ready(Some(Ok(1))));
    assert!(items.poll().is_pending());
}

#[test]
fn it_wakes_the_task_that_polled_last() {
    let gate = Gate::new();
    let mut items = Driver::new(probe::<_, ()>().wait_for(&gate).emit(1).map(|n| n + 1));
    assert!(items.poll().is_pending());
    items.change_waker();
    assert!(items.poll().is_pending());
    gate.open();
    assert!(items.woken());
    assert_eq!(items.rest(), [Ok(2)]);
}

#[test]
fn it_says_whether_it_is_awaited() {
    assert_eq!(format!("{:?}", Gate::new()), "Gate { is_awaited: false, .. }");
}
