//! The Kotlin test in question is named above each test that has one: `ScanTest`.

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, block_on};

// testScan
#[test]
fn as_many_emissions_as_items() {
    assert_eq!(block_on(flow_of([1, 2, 3, 4]).running_reduce(|sum, n| sum + n).to_vec()), Ok(vec![1, 3, 6, 10]));
}

// testFewElements
#[test]
fn the_first_item_passes_as_it_is_and_nothing_stays_nothing() {
    let reduced = |items: Vec<i32>| block_on(flow_of(items).running_reduce(|_, _| unreachable!()).to_vec());
    assert_eq!(reduced(vec![]), Ok(vec![]));
    assert_eq!(reduced(vec![1]), Ok(vec![1]));
    assert_eq!(block_on(empty::<i32>().running_reduce(|a, b| a + b).count()), Ok(0));
}

#[test]
fn each_run_begins_with_its_first_item() {
    let mut stream =
        Driver::new(Probe::of(&[Emit(1), Emit(2), Fail("failed")]).running_reduce(|sum, n| sum + n).retry(1));
    assert_eq!(stream.rest(), [Ok(1), Ok(3), Ok(1), Ok(3), Err("failed")]);
}
