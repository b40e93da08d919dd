//! The Kotlin test in question is named above each test that has one: `CatchTest`.

use std::future::{pending, ready};
use std::time::Duration;

use coldflow::{FlowExt, failed, flow_of, once};
use tokio::time::timeout;

use crate::support::Step::{Emit, Fail, Wait, Yield};
use crate::support::{Driver, Probe, block_on};

fn one_then_failure() -> Probe {
    Probe::of(&[Emit(1), Fail("failed")])
}

// testCatchEmit
#[test]
fn it_emits_in_place_of_the_failure() {
    let caught = one_then_failure().catch(async |cause, mut emitter| {
        assert_eq!(cause, "failed");
        emitter.emit(41).await;
    });
    assert_eq!(block_on(caught.fold(0, async |sum, n| sum + n)), Ok(42));
    assert_eq!(block_on(one_then_failure().run()), Err("failed"));
}

// testCatchEmitExceptionFromDownstream, testCatchEmitAllExceptionFromDownstream
#[test]
fn an_error_raised_below_it_does_not_reach_it_not_even_for_its_own_emission() {
    let mut mapped = 0;
    let outcome = block_on(
        failed::<i32, _>("above")
            .catch(async |_, mut emitter| {
                emitter.emit(42).await;
                Ok::<(), &str>(())
            })
            .try_map(|_| {
                mapped += 1;
                Err::<(), _>("below")
            })
            .run(),
    );
    assert_eq!((outcome, mapped), (Err("below"), 1));
}

// testCatchEmitAll
#[test]
fn it_goes_on_with_another_flow() {
    // There is no `emitAll`: what comes after a failure is a flow of its own.
    let Ok(items) = block_on(
        one_then_failure()
            .map_to_result()
            .flat_map_concat(|item| match item {
                Ok(item) => flow_of(vec![item]),
                Err(_) => flow_of(vec![2, 3]),
            })
            .to_vec(),
    );
    assert_eq!(items, [1, 2, 3]);
}

// testWithTimeoutCatch
#[tokio::test(start_paused = true)]
async fn a_timeout_inside_the_source_is_caught() {
    let value = once(|| timeout(Duration::from_millis(1), pending::<i32>()))
        .catch(async |_, mut emitter| emitter.emit(1).await);
    assert_eq!(value.single().await, Ok(1));
}

// testCancellationFromUpstreamCatch
#[test]
fn cancellation_does_not_reach_it() {
    let source = Probe::of(&[Wait]);
    let trace = source.trace();
    let mut stream = Driver::new(source.catch(async |_, _| unreachable!() as ()));
    assert!(stream.poll().is_pending());
    drop(stream);
    assert!(trace.live().is_empty());
}

// testUpstreamExceptionConcurrentWithDownstream and the two like it
#[test]
fn a_source_that_is_cut_off_by_an_error_below_is_not_caught() {
    let source = one_then_failure();
    let trace = source.trace();
    let outcome = block_on(
        source.catch(async |_, _| unreachable!() as Result<(), &str>).try_map(|_| Err::<(), _>("below")).run(),
    );
    assert_eq!(outcome, Err("below"));
    assert_eq!(trace.take(), ["start source", "emit 1", "drop source"]);
}

// testCatchContext, without its contexts
#[test]
fn several_pass_the_failure_on_from_top_to_bottom() {
    let trace = crate::support::Trace::new();
    let note = |name: &'static str| {
        let trace = trace.clone();
        move |cause: String, _| {
            trace.note(format!("{name}: {cause}"));
            ready(Err(format!("{cause} {name}")))
        }
    };
    let outcome =
        block_on(one_then_failure().err_into::<String>().catch(note("1")).catch(note("2")).catch(note("3")).to_vec());
    assert_eq!(outcome, Err("failed 1 2 3".to_owned()));
    assert_eq!(trace.take(), ["1: failed", "2: failed 1", "3: failed 1 2"]);
}

#[test]
fn it_may_end_the_flow_normally() {
    assert_eq!(block_on(one_then_failure().catch(async |_, _| ()).to_vec()), Ok(vec![1]));
}

#[test]
fn it_may_fail_with_another_type_of_error() {
    let outcome = block_on(one_then_failure().catch(async |cause, _| Err(cause.len())).to_vec());
    assert_eq!(outcome, Err(6));
}

#[test]
fn it_may_emit_and_then_fail() {
    let mut stream = Driver::new(one_then_failure().catch(async |cause, mut emitter| {
        emitter.emit(2).await;
        Err(cause)
    }));
    assert_eq!(stream.rest(), [Ok(1), Ok(2), Err("failed")]);
}

#[test]
fn the_source_is_dropped_before_it_runs_and_not_resumed() {
    let source = Probe::of(&[Emit(1), Fail("failed"), Emit(2)]);
    let trace = source.trace();
    let noted = trace.clone();
    let caught = source.catch(move |_, _| {
        noted.note("caught");
        ready(())
    });
    assert_eq!(block_on(caught.to_vec()), Ok(vec![1]));
    assert_eq!(trace.take(), ["start source", "emit 1", "drop source", "caught"]);
}

#[test]
fn without_a_failure_it_does_nothing() {
    let caught = Probe::of(&[Emit(1), Yield, Emit(2)]).catch(async |_, _| unreachable!() as ());
    assert_eq!(block_on(caught.to_vec()), Ok(vec![1, 2]));
}

#[test]
fn it_handles_some_errors_and_returns_the_others() {
    let handle = async |cause: &'static str, _| if cause == "failed" { Ok(()) } else { Err(cause) };
    assert_eq!(block_on(one_then_failure().catch(handle).to_vec()), Ok(vec![1]));
    assert_eq!(block_on(failed::<u8, _>("other").catch(async |cause, _| Err::<(), _>(cause)).run()), Err("other"));
}

#[test]
fn a_retry_below_it_runs_its_body_per_run() {
    let mut caught = 0;
    let outcome = block_on(
        failed::<u8, _>("above")
            .catch(|cause, _| {
                caught += 1;
                ready(Err::<(), _>(cause))
            })
            .retry(2)
            .run(),
    );
    assert_eq!((outcome, caught), (Err("above"), 3));
}
