use coldflow::FlowExt;

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe};

#[test]
fn its_items_come_before_anything_runs_above() {
    let source = Probe::of(&[Emit(3)]);
    let trace = source.trace();
    let mut stream = Driver::new(source.start_with([1, 2]));
    assert_eq!((stream.next(), stream.next()), (Some(Ok(1)), Some(Ok(2))));
    assert!(trace.take().is_empty());
    assert_eq!(stream.rest(), [Ok(3)]);
}

#[test]
fn they_come_again_with_each_run() {
    let mut stream = Driver::new(Probe::of(&[Fail("failed")]).start_with([1]).retry(1));
    assert_eq!(stream.rest(), [Ok(1), Ok(1), Err("failed")]);
}
