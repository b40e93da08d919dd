//! `for_each_latest`. Kotlin's tests are `CollectLatestTest`.

use std::cell::RefCell;

use coldflow::{FlowExt, Overflow};

use super::clock::{Emit, Fail, Hang, Wait, Yield, burst, pause, script, traced};
use crate::support::{Polling, Trace, block_on, yield_now};

/// Kotlin: `testNoSuspension`.
#[test]
fn bodies_that_never_wait_all_finish() {
    let done = RefCell::new(Vec::new());
    let end = script(burst(3)).for_each_latest(async |n| done.borrow_mut().push(n));
    assert_eq!(block_on(end), Ok(()));
    assert_eq!(*done.borrow(), [1, 2, 3]);
}

/// Kotlin: `testSuspension`.
#[test]
fn of_those_that_wait_only_the_last_finishes() {
    let (begun, done) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
    let end = script(burst(3)).for_each_latest(async |n| {
        begun.borrow_mut().push(n);
        yield_now().await;
        done.borrow_mut().push(n);
    });
    assert_eq!(block_on(end), Ok(()));
    assert_eq!((begun.into_inner(), done.into_inner()), (vec![1, 2, 3], vec![3]));
}

/// Kotlin: `testUpstreamErrorSuspension`.
#[tokio::test(start_paused = true)]
async fn an_error_above_cuts_the_body_off() {
    let trace = Trace::new();
    let end = script([Emit(1), Wait(5), Fail("above")]).for_each_latest(|_| {
        let guard = trace.guard("body");
        async move {
            let _guard = guard;
            pause(100).await;
        }
    });
    assert_eq!(end.await, Err("above"));
    assert_eq!(trace.take(), ["start body", "drop body"]);
}

/// Kotlin: `testDownstreamError`; a body of ours cannot fail, but it can be dropped with the whole.
#[test]
fn dropped_the_body_goes_before_the_flow() {
    let trace = Trace::new();
    let mut end = Polling::new(traced(&trace, "source", [Emit(1), Hang]).for_each_latest(|_| {
        let guard = trace.guard("body");
        async move {
            let _guard = guard;
            std::future::pending::<()>().await;
        }
    }));
    assert!(end.poll().is_pending());
    drop(end);
    let events = trace.take();
    assert_eq!(events[events.len() - 2..], ["drop body", "drop source"]);
}

#[tokio::test(start_paused = true)]
async fn what_stands_above_runs_on_beside_the_body() {
    let trace = Trace::new();
    let source = traced(&trace, "source", [Emit(1), Wait(10), Emit(2), Wait(10)]).buffer(4, Overflow::Suspend);
    let end = source.for_each_latest(|_| pause(50));
    assert_eq!(end.await, Ok(()));
    assert_eq!(trace.take().last().unwrap(), "drop source");
}

#[test]
fn the_old_body_is_gone_before_the_new_one_begins() {
    let trace = Trace::new();
    let end = script([Emit(1), Yield, Emit(2)]).for_each_latest(|_| {
        let guard = trace.guard("body");
        async move {
            let _guard = guard;
            yield_now().await;
            yield_now().await;
        }
    });
    assert_eq!(block_on(end), Ok(()));
    assert_eq!(trace.take(), ["start body", "drop body", "start body", "drop body"]);
}
