use coldflow::FlowExt;

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, block_on};

#[test]
fn the_error_is_the_last_item() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Fail("failed")]).map_to_result());
    assert_eq!(stream.rest(), [Ok(Ok(1)), Ok(Err("failed"))]);
}

#[test]
fn it_cannot_fail_so_its_outcome_needs_no_unwrap() {
    let Ok(results) = block_on(Probe::of(&[Emit(1)]).map_to_result().to_vec());
    assert_eq!(results, [Ok(1)]);
}
