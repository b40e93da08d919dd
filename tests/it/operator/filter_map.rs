use coldflow::{FlowExt, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, block_on};

// FilterTest.testFilterNotNull, testMapNotNull, testFilterIsInstance: one operator here.
#[test]
fn it_keeps_what_is_some() {
    let Ok(items) = block_on(flow_of([Some(1), None, Some(2)]).filter_map(|item| item).to_vec());
    assert_eq!(items, [1, 2]);
    let Ok(items) = block_on(flow_of([Some(1), None]).filter_map(|item| Some(item.is_none())).to_vec());
    assert_eq!(items, [false, true]);
}

#[test]
fn an_error_passes_though_no_item_does() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Fail("failed")]).filter_map(|_| None::<()>));
    assert_eq!(stream.rest(), [Err("failed")]);
}
