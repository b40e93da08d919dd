use coldflow::{FlowExt, empty, flow};

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, block_on};

#[test]
fn as_often_as_it_says_one_after_the_other() {
    let source = Probe::of(&[Emit(1)]).and_then_runs(&[Emit(2)]).and_then_runs(&[Emit(3)]);
    let trace = source.trace();
    assert_eq!(block_on(source.repeat(3).to_vec()), Ok(vec![1, 2, 3]));
    let expected = ["start source", "emit 1", "drop source", "start source", "emit 2", "drop source"];
    assert_eq!(trace.take()[..6], expected);
}

#[test]
fn repeat_0_is_empty_and_starts_nothing() {
    let source = Probe::of(&[Emit(1)]);
    let trace = source.trace();
    assert_eq!(block_on(source.repeat(0).to_vec()), Ok(vec![]));
    assert!(trace.take().is_empty());
}

#[test]
fn a_failure_ends_it() {
    let source = Probe::of(&[Emit(1)]).and_then_runs(&[Fail("failed")]);
    let mut stream = Driver::new(source.repeat(5));
    assert_eq!(stream.rest(), [Ok(1), Err("failed")]);
}

#[test]
fn after_the_last_run_nothing_is_started() {
    let mut runs = 0;
    let twice = flow(|mut emitter| {
        runs += 1;
        let run = runs;
        async move { emitter.emit(run).await }
    });
    assert_eq!(block_on(twice.repeat(2).to_vec()), Ok(vec![1, 2]));
    assert_eq!(runs, 2);
}

#[test]
fn of_nothing_it_still_gives_way_and_ends() {
    assert_eq!(block_on(empty::<u8>().repeat(1000).count()), Ok(0));
}
