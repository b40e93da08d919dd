//! The Kotlin test in question is named above each test that has one: `OnCompletionTest`.

use std::future::{pending, ready};

use coldflow::{FlowExt, SingleError, empty, flow_of};

use crate::support::Step::{Emit, Fail, Wait};
use crate::support::{Driver, Probe, Trace, block_on};

// testOnCompletion
#[test]
fn the_order_is_source_upper_lower_source_action() {
    let trace = Trace::new();
    let [a, b, c, d] = [(); 4].map(|()| trace.clone());
    let numbers = coldflow::flow(move |mut emitter| {
        let a = a.clone();
        async move {
            a.note("emit");
            emitter.emit(1).await;
            a.note("emitted");
        }
    });
    let Ok(()) = block_on(
        numbers
            .inspect(move |_| b.note("upper"))
            .inspect(move |_| c.note("lower"))
            .on_completion(move |cause, _| {
                d.note(format!("completed with {cause:?}"));
                ready(())
            })
            .run(),
    );
    assert_eq!(trace.take(), ["emit", "upper", "lower", "emitted", "completed with None"]);
}

// testOnCompletionWithException
#[test]
fn it_sees_a_failure_from_above_which_then_goes_on() {
    let trace = Trace::new();
    let (noted, caught) = (trace.clone(), trace.clone());
    let numbers = Probe::of(&[Emit(1), Fail("failed")])
        .on_completion(move |cause, _| {
            noted.note(format!("completed with {cause:?}"));
            ready(())
        })
        .catch(move |cause, _| {
            caught.note(format!("caught {cause:?}"));
            ready(())
        });
    assert_eq!(block_on(numbers.to_vec()), Ok(vec![1]));
    assert_eq!(trace.take(), ["completed with Some(\"failed\")", "caught \"failed\""]);
}

// testOnCompletionWithExceptionDownstream, testFailedEmit: here an error raised below is a cancellation of what is
// above it, which only `on_cancel` sees.
#[test]
fn an_error_raised_below_is_a_cancellation_and_does_not_run_it() {
    let mut cancelled = 0;
    let outcome = block_on(
        Probe::of(&[Emit(1)])
            .on_completion(|_, _| async { unreachable!() as () })
            .on_cancel(|| cancelled += 1)
            .try_map(|_| Err::<(), _>("below"))
            .run(),
    );
    assert_eq!((outcome, cancelled), (Err("below"), 1));
}

// testMultipleOnCompletions
#[test]
fn several_run_from_top_to_bottom_and_see_the_same_failure() {
    let trace = Trace::new();
    let note = |name: &'static str| {
        let trace = trace.clone();
        move |cause: Option<&&'static str>, _| {
            trace.note(format!("{name} {cause:?}"));
            ready(())
        }
    };
    let numbers = Probe::of(&[Fail("failed")]);
    assert_eq!(block_on(numbers.on_completion(note("upper")).on_completion(note("lower")).run()), Err("failed"));
    assert_eq!(trace.take(), ["upper Some(\"failed\")", "lower Some(\"failed\")"]);
}

// testExceptionFromOnCompletion
#[test]
fn its_own_error_replaces_that_from_above() {
    let fails = || |_: Option<&&'static str>, _| ready(Err::<(), _>("of the action"));
    assert_eq!(block_on(Probe::of(&[Fail("failed")]).on_completion(fails()).run()), Err("of the action"));
    let mut stream = Driver::new(Probe::of(&[Emit(1)]).on_completion(fails()));
    assert_eq!(stream.rest(), [Ok(1), Err("of the action")]);
}

// testEmitExample
#[test]
fn it_may_emit_after_a_normal_end() {
    let all = flow_of(["a", "b", "c"]).on_completion(|cause, mut emitter| {
        assert!(cause.is_none());
        async move { emitter.emit("Done").await }
    });
    assert_eq!(block_on(all.to_vec()), Ok(vec!["a", "b", "c", "Done"]));
}

// testCrashedEmit
#[test]
fn an_emission_after_a_failure_is_not_delivered_and_ends_the_action() {
    let trace = Trace::new();
    let noted = trace.clone();
    let mut stream =
        Driver::new(flow_of(1..=10).fallible().try_map(|n| if n == 6 { Err("six") } else { Ok(n) }).on_completion(
            move |cause, mut emitter| {
                assert_eq!(cause, Some(&"six"));
                let noted = noted.clone();
                async move {
                    let _guard = noted.guard("action");
                    emitter.emit(42).await;
                    noted.note("not reached");
                }
            },
        ));
    assert_eq!(stream.rest(), [Ok(1), Ok(2), Ok(3), Ok(4), Ok(5), Err("six")]);
    assert_eq!(trace.take(), ["start action", "drop action"]);
}

// testCancelledEmit
#[test]
fn dropped_it_does_not_run() {
    let source = Probe::of(&[Emit(1), Wait]);
    let trace = source.trace();
    let mut stream = Driver::new(source.on_completion(|_, _| async { unreachable!() as () }));
    assert_eq!(stream.next(), Some(Ok(1)));
    assert!(stream.poll().is_pending());
    drop(stream);
    assert!(trace.live().is_empty());
}

// testFirst: Kotlin runs the action with the abort signal as its cause.
#[test]
fn first_stops_it_before_its_end_so_it_does_not_run() {
    let first = flow_of([239]).on_completion(|_, _| async { unreachable!() as () }).first();
    assert_eq!(block_on(first), Ok(Some(239)));
}

// testSingle: Kotlin fails with IllegalArgumentException.
#[test]
fn single_sees_its_emission_as_a_second_item() {
    let single = flow_of([239])
        .on_completion(|cause, mut emitter| {
            assert!(cause.is_none());
            async move { emitter.emit(42).await }
        })
        .single();
    assert_eq!(block_on(single), Err(SingleError::MoreThanOne));
}

// testEmptySingleInterference
#[test]
fn single_takes_its_emission_after_an_empty_flow() {
    let single = empty().on_completion(|_, mut emitter| async move { emitter.emit(42).await }).single();
    assert_eq!(block_on(single), Ok(42));
}

// testTakeOnCompletion
#[test]
fn below_a_take_it_sees_a_normal_end() {
    let all = flow_of(1..).take(5).on_completion(|cause, mut emitter| {
        assert!(cause.is_none());
        async move { emitter.emit(-1).await }
    });
    assert_eq!(block_on(all.to_vec()), Ok(vec![1, 2, 3, 4, 5, -1]));
}

// testCancelledEmitAllFlow, testCancelledEmitAllChannel
#[test]
fn a_take_below_cuts_off_an_action_that_would_never_end() {
    let all = flow_of([1]).on_completion(|_, _| pending::<()>()).take(1).to_vec();
    assert_eq!(block_on(all), Ok(vec![1]));
}

// testOnCompletionBetweenLimitingOperators, for the operators that are here: a limiter below cancels, one above ends.
#[test]
fn between_limiters_only_the_upper_one_completes_it() {
    let trace = Trace::new();
    let note = |name: &'static str| {
        let (completed, cancelled) = (trace.clone(), trace.clone());
        (
            move |cause: Option<&std::convert::Infallible>, _| {
                completed.note(format!("{name} completed, {}", cause.is_none()));
                ready(())
            },
            move || cancelled.note(format!("{name} cancelled")),
        )
    };
    let (completed, cancelled) = note("take under take");
    let Ok(items) = block_on(flow_of(1..).take(2).on_completion(completed).on_cancel(cancelled).take(1).to_vec());
    assert_eq!(items, [1]);
    let (completed, cancelled) = note("first under take");
    let first = block_on(flow_of(1..).take(2).on_completion(completed).on_cancel(cancelled).first());
    assert_eq!(first, Ok(Some(1)));
    let (completed, cancelled) = note("take over its whole");
    let Ok(items) = block_on(flow_of(1..).take(2).on_completion(completed).on_cancel(cancelled).take(3).to_vec());
    assert_eq!(items, [1, 2]);
    assert_eq!(
        trace.take(),
        ["take under take cancelled", "first under take cancelled", "take over its whole completed, true"]
    );
}

// testEmittingElementsAfterCancellation
#[test]
fn first_gives_the_first_item_though_the_action_would_emit() {
    let first =
        flow_of([1, 2, 3]).take(100).on_completion(|_, mut emitter| async move { emitter.emit(4).await }).first();
    assert_eq!(block_on(first), Ok(Some(1)));
}

#[test]
fn the_source_is_dropped_before_it_runs() {
    let source = Probe::of(&[Emit(1)]);
    let trace = source.trace();
    let noted = trace.clone();
    let completed = source.on_completion(move |_, _| {
        noted.note("action");
        ready(())
    });
    assert_eq!(block_on(completed.run()), Ok(()));
    assert_eq!(trace.take(), ["start source", "emit 1", "drop source", "action"]);
}

#[test]
fn a_restart_or_a_stop_while_it_runs_drops_the_error_that_was_to_go_on() {
    let error = std::sync::Arc::new("failed");
    let failing = coldflow::failed::<u8, _>(std::sync::Arc::clone(&error));
    let mut stream = Driver::new(failing.on_completion(|_, _| pending::<()>()));
    for end in [Driver::restart, Driver::stop] {
        assert!(stream.poll().is_pending());
        assert_eq!(std::sync::Arc::strong_count(&error), 3, "here, in the source, and on its way");
        end(&mut stream);
        assert_eq!(std::sync::Arc::strong_count(&error), 2);
    }
}

#[test]
fn the_error_that_goes_on_is_the_very_same() {
    let error = std::sync::Arc::new("failed");
    let failed = coldflow::failed::<u8, _>(std::sync::Arc::clone(&error));
    let outcome = block_on(failed.on_completion(|_, _| ready(())).run());
    assert!(std::sync::Arc::ptr_eq(&outcome.unwrap_err(), &error));
}
