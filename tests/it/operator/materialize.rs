use coldflow::Event::{Completed, Failed, Item};
use coldflow::FlowExt;

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe};

#[test]
fn the_end_is_an_event() {
    let mut stream = Driver::new(Probe::of(&[Emit(1)]).materialize());
    assert_eq!(stream.rest(), [Ok(Item(1)), Ok(Completed)]);
}

#[test]
fn a_failure_is_an_event_and_the_last_one() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Fail("failed")]).materialize());
    assert_eq!(stream.rest(), [Ok(Item(1)), Ok(Failed("failed"))]);
}

#[test]
fn what_ran_above_is_dropped_before_the_last_event_is_seen() {
    let source = Probe::of(&[]);
    let trace = source.trace();
    let mut stream = Driver::new(source.materialize());
    assert_eq!(stream.next(), Some(Ok(Completed)));
    assert!(trace.live().is_empty());
    assert!(stream.is_terminated());
}
