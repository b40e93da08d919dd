use std::cell::Cell;
use std::rc::Rc;

use coldflow::{FlowExt, LocalBoxFlow, flow_of};

use crate::support::Step::{Emit, Fail, Wait, Yield};
use crate::support::{Driver, Probe, Trace, block_on};

/// The flow, and how often it was cancelled.
fn counted(source: Probe) -> (LocalBoxFlow<'static, i32, &'static str>, Rc<Cell<u32>>) {
    let cancelled = Rc::new(Cell::new(0));
    let count = Rc::clone(&cancelled);
    (source.on_cancel(move || count.set(count.get() + 1)).boxed_local(), cancelled)
}

#[test]
fn it_runs_when_a_collection_that_has_started_is_dropped() {
    let (flow, cancelled) = counted(Probe::of(&[Emit(1), Wait]));
    let mut stream = Driver::new(flow);
    assert_eq!(stream.next(), Some(Ok(1)));
    assert!(stream.poll().is_pending());
    assert_eq!(cancelled.get(), 0);
    drop(stream);
    assert_eq!(cancelled.get(), 1);
}

#[test]
fn it_does_not_run_when_nothing_was_started() {
    let (flow, cancelled) = counted(Probe::of(&[Emit(1)]));
    drop(flow);
    let (flow, started) = counted(Probe::of(&[Emit(1)]));
    drop(Driver::new(flow));
    assert_eq!((cancelled.get(), started.get()), (0, 0));
}

#[test]
fn it_does_not_run_after_the_end_nor_after_a_failure() {
    for script in [&[Emit(1), Yield][..], &[], &[Emit(1), Fail("failed")], &[Fail("failed")]] {
        let (flow, cancelled) = counted(Probe::of(script));
        let mut stream = Driver::new(flow);
        stream.rest();
        drop(stream);
        assert_eq!(cancelled.get(), 0, "{script:?}");
    }
}

#[test]
fn it_does_not_run_when_the_end_was_known_with_the_last_item() {
    let (flow, cancelled) = counted(Probe::of(&[Emit(1)]).eager());
    assert_eq!(block_on(flow.first()), Ok(Some(1)));
    assert_eq!(cancelled.get(), 0);
}

#[test]
fn a_restart_and_a_stop_cancel_what_runs_and_once_each() {
    let (flow, cancelled) = counted(Probe::of(&[Emit(1), Wait]));
    let mut stream = Driver::new(flow);
    assert_eq!(stream.next(), Some(Ok(1)));
    stream.restart();
    stream.restart();
    assert_eq!(cancelled.get(), 1);
    assert_eq!(stream.next(), Some(Ok(1)));
    stream.stop();
    stream.stop();
    assert_eq!(cancelled.get(), 2);
    drop(stream);
    assert_eq!(cancelled.get(), 2);
}

#[test]
fn a_retry_below_it_is_not_a_cancellation_of_a_run_that_failed() {
    let (flow, cancelled) = counted(Probe::of(&[Emit(1), Fail("failed")]));
    assert_eq!(block_on(flow.retry(3).run()), Err("failed"));
    assert_eq!(cancelled.get(), 0);
}

#[test]
fn what_ran_above_is_dropped_before_it_runs() {
    let source = Probe::of(&[Emit(1), Wait]);
    let trace = source.trace();
    let noted = trace.clone();
    let mut stream = Driver::new(source.on_cancel(move || noted.note("cancelled")));
    assert_eq!(stream.next(), Some(Ok(1)));
    drop(stream);
    assert_eq!(trace.take(), ["start source", "emit 1", "drop source", "cancelled"]);
}

#[test]
fn a_terminal_or_a_take_that_has_seen_enough_cancels_it() {
    let (flow, cancelled) = counted(Probe::of(&[Emit(1), Emit(2), Emit(3)]));
    assert_eq!(block_on(flow.first()), Ok(Some(1)));
    assert_eq!(cancelled.get(), 1);
    let (flow, cancelled) = counted(Probe::of(&[Emit(1), Emit(2), Emit(3)]));
    assert_eq!(block_on(flow.take(2).to_vec()), Ok(vec![1, 2]));
    assert_eq!(cancelled.get(), 1);
}

#[test]
fn an_error_raised_below_cancels_it() {
    let (flow, cancelled) = counted(Probe::of(&[Emit(1), Emit(2)]));
    assert_eq!(block_on(flow.try_map(|_| Err::<(), _>("below")).run()), Err("below"));
    assert_eq!(cancelled.get(), 1);
}

#[test]
fn of_several_the_inner_one_runs_first() {
    let trace = Trace::new();
    let (upper, lower) = (trace.clone(), trace.clone());
    let first = flow_of(1..).on_cancel(move || upper.note("upper")).on_cancel(move || lower.note("lower")).first();
    assert_eq!(block_on(first), Ok(Some(1)));
    assert_eq!(trace.take(), ["upper", "lower"]);
}
