//! The Kotlin test in question is named above each test that has one: `DistinctUntilChangedTest`.

use coldflow::{FlowExt, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, block_on};

#[derive(Clone, Debug, PartialEq)]
struct Boxed(u8);

// testDistinctUntilChanged
#[test]
fn it_compares_by_value() {
    let values = [Boxed(1), Boxed(1), Boxed(2), Boxed(1)];
    let Ok(items) = block_on(flow_of(values).distinct_until_changed().to_vec());
    assert_eq!(items, [Boxed(1), Boxed(2), Boxed(1)]);
}

// testDistinctUntilChangedKeySelector
#[test]
fn by_key_it_compares_what_the_key_is() {
    let Ok(items) = block_on(flow_of([1, 11, 2, 12, 21]).distinct_until_changed_by_key(|n| n % 10).to_vec());
    assert_eq!(items, [1, 2, 21]);
}

// testDistinctUntilChangedAreEquivalent
#[test]
fn by_a_comparison_the_last_one_passed_on_comes_first() {
    let mut compared = Vec::new();
    let Ok(items) = block_on(
        flow_of([1, 2, 3, 9])
            .distinct_until_changed_by(|last, n| {
                compared.push((*last, *n));
                n - last < 3
            })
            .to_vec(),
    );
    assert_eq!(items, [1, 9]);
    assert_eq!(compared, [(1, 2), (1, 3), (1, 9)], "with the last one passed on, not the last one seen");
}

// testDistinctUntilChangedAreEquivalentSingleValue
#[test]
fn the_comparison_is_not_called_for_the_first_item() {
    assert_eq!(block_on(flow_of([1]).distinct_until_changed_by(|_, _| unreachable!()).to_vec()), Ok(vec![1]));
}

// testNulls
#[test]
fn none_is_a_value_like_any_other() {
    let Ok(items) = block_on(flow_of([None, None, Some(1), None, None]).distinct_until_changed().to_vec());
    assert_eq!(items, [None, Some(1), None]);
}

// testThrowingKeySelector, testThrowingAreEquivalent: the lambdas cannot fail here; a `try_map` before it can.
#[test]
fn the_key_is_asked_for_once_per_item() {
    let mut asked = 0;
    let Ok(()) = block_on(
        flow_of([1, 1, 2])
            .distinct_until_changed_by_key(|n| {
                asked += 1;
                *n
            })
            .run(),
    );
    assert_eq!(asked, 3);
}

// testDistinctUntilChangedOnStateFlow and the two on double application: applied twice it still does the same.
#[test]
fn applied_twice_it_does_the_same() {
    let Ok(items) = block_on(flow_of([1, 1, 2]).distinct_until_changed().distinct_until_changed().to_vec());
    assert_eq!(items, [1, 2]);
}

#[test]
fn each_run_forgets_the_last_item() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Emit(1), Fail("failed")]).distinct_until_changed().retry(1));
    assert_eq!(stream.rest(), [Ok(1), Ok(1), Err("failed")]);
}

#[test]
fn what_is_not_equal_to_itself_always_changes() {
    let Ok(items) = block_on(flow_of([f64::NAN, f64::NAN]).distinct_until_changed().count());
    assert_eq!(items, 2);
}
