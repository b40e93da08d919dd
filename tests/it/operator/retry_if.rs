use coldflow::FlowExt;

use crate::support::Step::{Emit, Fail};
use crate::support::{Probe, block_on};

// RetryTest.testRetryPredicate
#[test]
fn it_retries_only_what_the_predicate_is_for() {
    let source = || Probe::of(&[Emit(1), Fail("failed")]).and_then_runs(&[Emit(1)]);
    assert_eq!(block_on(source().retry_if(|cause, _| *cause == "failed").to_vec()), Ok(vec![1, 1]));
    assert_eq!(block_on(source().retry_if(|cause, _| *cause == "other").to_vec()), Err("failed"));
}

#[test]
fn the_predicate_sees_each_cause_and_the_retries_so_far() {
    let source = Probe::of(&[Fail("a")]).and_then_runs(&[Fail("b")]).and_then_runs(&[Fail("c")]);
    let mut seen = Vec::new();
    let outcome = block_on(
        source
            .retry_if(|cause, retried| {
                seen.push((*cause, retried));
                retried < 2
            })
            .run(),
    );
    assert_eq!(outcome, Err("c"));
    assert_eq!(seen, [("a", 0), ("b", 1), ("c", 2)]);
}
