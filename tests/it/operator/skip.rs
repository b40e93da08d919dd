//! The Kotlin test in question is named above each test that has one: `DropTest`.

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, block_on};

// testDrop
#[test]
fn all_but_the_first_ones() {
    let rest = |count| block_on(flow_of([1, 2]).skip(count).to_vec());
    assert_eq!(rest(2), Ok(vec![]));
    assert_eq!(rest(usize::MAX), Ok(vec![]));
    assert_eq!(rest(0), Ok(vec![1, 2]));
    assert_eq!(rest(1), Ok(vec![2]));
}

// testEmptyFlow
#[test]
fn of_nothing_is_nothing() {
    assert_eq!(block_on(empty::<i32>().skip(1).count()), Ok(0));
}

// testErrorCancelsUpstream
#[test]
fn a_failure_among_the_skipped_passes() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Fail("failed")]).skip(5));
    assert_eq!(stream.rest(), [Err("failed")]);
}

#[test]
fn each_run_skips_anew() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Emit(2), Fail("failed")]).skip(1).retry(1));
    assert_eq!(stream.rest(), [Ok(2), Ok(2), Err("failed")]);
}
