use coldflow::{FlowExt, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, block_on};

#[test]
fn each_with_the_one_before() {
    assert_eq!(block_on(flow_of([1, 2, 3]).pairwise().to_vec()), Ok(vec![(1, 2), (2, 3)]));
    assert_eq!(block_on(flow_of([1]).pairwise().to_vec()), Ok(vec![]));
}

#[test]
fn each_run_begins_anew() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Emit(2), Fail("failed")]).pairwise().retry(1));
    assert_eq!(stream.rest(), [Ok((1, 2)), Ok((1, 2)), Err("failed")]);
}
