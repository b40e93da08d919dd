//! The Kotlin test in question is named above each test that has one: `RetryTest`.

use coldflow::FlowExt;

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, Trace, block_on};

/// Emits 1 and fails, in the first three runs.
fn three_failures(trace: &Trace) -> Probe {
    let run = [Emit(1), Fail("failed")];
    Probe::new(trace, &run).and_then_runs(&run).and_then_runs(&run).and_then_runs(&[Emit(1)])
}

// testRetry
#[test]
fn enough_retries_succeed_and_too_few_fail() {
    let trace = Trace::new();
    let Ok(sum) = block_on(three_failures(&trace).retry(4).fold(0, async |sum, n| sum + n)) else { unreachable!() };
    assert_eq!((sum, trace.count("start source")), (4, 4));
    let trace = Trace::new();
    assert_eq!(block_on(three_failures(&trace).run()), Err("failed"));
    let trace = Trace::new();
    assert_eq!(block_on(three_failures(&trace).retry(2).run()), Err("failed"));
    assert_eq!(trace.count("start source"), 3);
}

// Kotlin refuses `retry(0)`.
#[test]
fn retry_0_is_no_retry() {
    let trace = Trace::new();
    assert_eq!(block_on(three_failures(&trace).retry(0).run()), Err("failed"));
    assert_eq!(trace.count("start source"), 1);
}

// testRetryExceptionFromDownstream
#[test]
fn an_error_raised_below_is_not_retried() {
    let mut mapped = 0;
    let outcome = block_on(
        Probe::of(&[Emit(1)])
            .retry(42)
            .try_map(|_| {
                mapped += 1;
                Err::<(), _>("below")
            })
            .run(),
    );
    assert_eq!((outcome, mapped), (Err("below"), 1));
}

#[test]
fn of_a_retry_multiplies() {
    let source = Probe::of(&[Fail("failed")]);
    let trace = source.trace();
    assert_eq!(block_on(source.retry(2).retry(3).run()), Err("failed"));
    assert_eq!(trace.count("start source"), 3 * 4);
}

#[test]
fn the_first_error_goes_on_only_when_the_retries_are_over() {
    let source = Probe::of(&[Fail("a")]).and_then_runs(&[Fail("b")]).and_then_runs(&[Fail("c")]);
    assert_eq!(block_on(source.retry(1).run()), Err("b"));
}

#[test]
fn a_terminated_source_ends_it() {
    let mut stream = Driver::new(Probe::of(&[Emit(1)]).eager().retry(5));
    assert_eq!(stream.next(), Some(Ok(1)));
    assert!(stream.is_terminated());
}
