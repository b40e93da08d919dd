use coldflow::{FlowExt, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, block_on};

// IndexedTest.testWithIndex
#[test]
fn it_counts_from_zero() {
    let Ok(items) = block_on(flow_of(['a', 'b', 'c']).enumerate().to_vec());
    assert_eq!(items, [(0, 'a'), (1, 'b'), (2, 'c')]);
}

// IndexedTest.testWithIndexEmpty
#[test]
fn nothing_stays_nothing() {
    assert_eq!(block_on(flow_of([0; 0]).enumerate().count()), Ok(0));
}

#[test]
fn each_run_counts_anew() {
    let mut stream = Driver::new(Probe::of(&[Emit(7), Emit(8), Fail("failed")]).enumerate().retry(1));
    assert_eq!(stream.rest(), [Ok((0, 7)), Ok((1, 8)), Ok((0, 7)), Ok((1, 8)), Err("failed")]);
}
