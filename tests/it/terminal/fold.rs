//! The Kotlin test in question is named above each test that has one: `FoldTest`.

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail, Wait};
use crate::support::{Probe, block_on, yield_now};

// testFold
#[test]
fn all_items_into_one_value() {
    assert_eq!(block_on(flow_of([1, 2]).fold(2, async |sum, n| sum + n)), Ok(5));
}

// testEmptyFold
#[test]
fn of_nothing_it_is_the_initial_value() {
    assert_eq!(block_on(empty::<i32>().fold(42, async |_, _| unreachable!())), Ok(42));
}

// testErrorCancelsUpstream
#[test]
fn a_lambda_that_fails_drops_the_source() {
    let source = Probe::of(&[Emit(1), Emit(2), Wait]);
    let trace = source.trace();
    let outcome = block_on(source.try_fold(0, async |sum, n| {
        yield_now().await;
        if n == 2 { Err("two") } else { Ok(sum + n) }
    }));
    assert_eq!(outcome, Err("two"));
    assert!(trace.live().is_empty());
}

#[test]
fn a_failure_comes_out() {
    assert_eq!(block_on(Probe::of(&[Emit(1), Fail("failed")]).fold(0, async |sum, n| sum + n)), Err("failed"));
}

#[test]
fn the_value_moves_through_and_need_not_be_clone() {
    struct Total(i32);
    let Ok(total) = block_on(flow_of([1, 2]).fold(Total(0), async |total, n| {
        yield_now().await;
        Total(total.0 + n)
    }));
    assert_eq!(total.0, 3);
}

#[test]
fn the_value_may_itself_be_a_result() {
    let Ok(outcome) = block_on(flow_of([1, -1, 2]).fold(Ok(0), async |sum: Result<i32, String>, n| {
        let sum = sum?;
        if n < 0 { Err("negative".to_owned()) } else { Ok(sum + n) }
    }));
    assert_eq!(outcome, Err("negative".to_owned()));
}
