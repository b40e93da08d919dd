use coldflow::FlowExt;

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe};

// OnEachTest
#[test]
fn it_sees_an_item_before_what_is_below_does() {
    let source = Probe::of(&[Emit(1), Emit(2)]);
    let trace = source.trace();
    let (upper, lower) = (trace.clone(), trace.clone());
    let mut stream = Driver::new(
        source.inspect(move |n| upper.note(format!("upper {n}"))).inspect(move |n| lower.note(format!("lower {n}"))),
    );
    assert_eq!(stream.rest(), [Ok(1), Ok(2)]);
    assert_eq!(
        trace.take(),
        ["start source", "emit 1", "upper 1", "lower 1", "emit 2", "upper 2", "lower 2", "drop source"]
    );
}

#[test]
fn it_does_not_see_an_error() {
    let mut seen = 0;
    let mut stream = Driver::new(Probe::of(&[Emit(1), Fail("failed")]).inspect(|_| seen += 1));
    assert_eq!(stream.rest(), [Ok(1), Err("failed")]);
    drop(stream);
    assert_eq!(seen, 1);
}
