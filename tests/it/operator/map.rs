use std::convert::Infallible;

use coldflow::{FlowExt, flow_of};

use crate::support::Step::{Emit, Fail, Wait};
use crate::support::{Driver, Probe, block_on};

#[test]
fn one_item_for_each() {
    let items: Result<Vec<_>, Infallible> = block_on(flow_of([1, 2]).map(|n| n.to_string()).to_vec());
    assert_eq!(items, Ok(vec!["1".to_owned(), "2".to_owned()]));
}

#[test]
fn an_error_passes_behind_the_items_before_it() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Fail("failed")]).map(|n| n * 2));
    assert_eq!(stream.rest(), [Ok(2), Err("failed")]);
}

#[test]
fn it_waits_with_the_source() {
    let source = Probe::of(&[Wait, Emit(1)]);
    let gate = source.gate();
    let mut stream = Driver::new(source.map(|n| n * 2));
    assert!(stream.poll().is_pending());
    assert!(!stream.woken());
    gate.open();
    assert!(stream.woken());
    assert_eq!(stream.rest(), [Ok(2)]);
}

#[test]
fn items_need_not_be_clone_nor_static() {
    struct Opaque<'a>(&'a str);
    let text = String::from("a b");
    let Ok(lengths) = block_on(flow_of(text.split(' ')).map(Opaque).map(|opaque| opaque.0.len()).to_vec());
    assert_eq!(lengths, [1, 1]);
}

#[test]
fn stacked_the_order_is_item_by_item() {
    let seen = std::cell::RefCell::new(Vec::new());
    let note = |name: &'static str| {
        let seen = &seen;
        move |n: i32| {
            seen.borrow_mut().push(format!("{name} {n}"));
            n
        }
    };
    let Ok(()) = block_on(flow_of([1, 2]).map(note("a")).map(note("b")).run());
    assert_eq!(*seen.borrow(), ["a 1", "b 1", "a 2", "b 2"]);
}
