//! The Kotlin test in question is named above each test that has one: `ScanTest`.

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail, Wait};
use crate::support::{Driver, Probe, block_on};

// testScanWithInitial
#[test]
fn one_emission_more_than_there_are_items() {
    let Ok(items) = block_on(
        flow_of([1, 2, 3])
            .running_fold(Vec::new(), |mut all, n| {
                all.push(n);
                all
            })
            .to_vec(),
    );
    assert_eq!(items, [vec![], vec![1], vec![1, 2], vec![1, 2, 3]]);
}

// testEmpty
#[test]
fn the_initial_value_comes_for_an_empty_flow_too() {
    assert_eq!(block_on(empty::<i32>().running_fold(7, |sum, n| sum + n).to_vec()), Ok(vec![7]));
}

// testNulls
#[test]
fn the_accumulated_value_may_be_none() {
    let Ok(items) =
        block_on(flow_of([1, 2]).running_fold(None, |last: Option<i32>, n| last.is_none().then_some(n)).to_vec());
    assert_eq!(items, [None, Some(1), None]);
}

// testThrowsClosureAndInitialization, the part on the source
#[test]
fn the_initial_value_comes_before_the_source_is_started() {
    let source = Probe::of(&[Wait, Emit(1)]);
    let trace = source.trace();
    let mut stream = Driver::new(source.running_fold(0, |sum, n| sum + n));
    assert_eq!(stream.next(), Some(Ok(0)));
    assert!(trace.take().is_empty());
    assert!(stream.poll().is_pending());
}

#[test]
fn an_error_first_comes_behind_the_initial_value() {
    let mut stream = Driver::new(Probe::of(&[Fail("failed")]).running_fold(0, |sum, n| sum + n));
    assert_eq!(stream.rest(), [Ok(0), Err("failed")]);
}

#[test]
fn each_run_begins_with_the_initial_value() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Fail("failed")]).running_fold(10, |sum, n| sum + n).retry(1));
    assert_eq!(stream.rest(), [Ok(10), Ok(11), Ok(10), Ok(11), Err("failed")]);
}
