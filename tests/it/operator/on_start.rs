//! The Kotlin test in question is named above each test that has one: `OnStartTest`.

use std::future::ready;

use coldflow::{FlowExt, flow_of};

use crate::support::Step::{Emit, Wait};
use crate::support::{Driver, Probe, Trace, block_on};

// testEmitExample
#[test]
fn what_it_emits_comes_first() {
    let all = flow_of(["a", "b", "c"]).on_start(async |mut emitter| emitter.emit("Begin").await);
    assert_eq!(block_on(all.to_vec()), Ok(vec!["Begin", "a", "b", "c"]));
}

#[test]
fn it_runs_before_the_source_is_started() {
    let source = Probe::of(&[Emit(1)]);
    let trace = source.trace();
    let noted = trace.clone();
    let all = source.on_start(move |_| {
        noted.note("action");
        ready(())
    });
    assert_eq!(block_on(all.run()), Ok(()));
    assert_eq!(trace.take(), ["action", "start source", "emit 1", "drop source"]);
}

#[test]
fn when_it_fails_the_source_is_never_started() {
    let source = Probe::of(&[Emit(1)]);
    let trace = source.trace();
    let mut stream = Driver::new(source.on_start(async |mut emitter| {
        emitter.emit(0).await;
        Err("failed")
    }));
    assert_eq!(stream.rest(), [Ok(0), Err("failed")]);
    assert!(trace.take().is_empty());
}

#[test]
fn of_several_the_one_applied_last_runs_first() {
    let trace = Trace::new();
    let note = |name: &'static str| {
        let trace = trace.clone();
        move |_| {
            trace.note(name);
            ready(())
        }
    };
    let Ok(()) = block_on(flow_of([1]).on_start(note("first")).on_start(note("last")).run());
    assert_eq!(trace.take(), ["last", "first"]);
}

#[test]
fn it_runs_again_with_each_retry() {
    let mut started = 0;
    let outcome = block_on(
        coldflow::failed::<u8, _>("failed")
            .on_start(|_| {
                started += 1;
                ready(())
            })
            .retry(2)
            .run(),
    );
    assert_eq!((outcome, started), (Err("failed"), 3));
}

#[test]
fn its_error_can_be_retried() {
    let mut started = 0;
    let items = block_on(
        Probe::of(&[Emit(1)])
            .on_start(|_| {
                started += 1;
                ready(if started < 3 { Err("not yet") } else { Ok(()) })
            })
            .retry(5)
            .to_vec(),
    );
    assert_eq!(items, Ok(vec![1]));
}

#[test]
fn dropped_while_it_runs_the_source_is_never_started() {
    let source = Probe::of(&[Emit(1)]);
    let (trace, gate) = (source.trace(), Probe::of(&[Wait]).gate());
    let mut stream = Driver::new(source.on_start(move |_| {
        let gate = gate.clone();
        async move { gate.pass().await }
    }));
    assert!(stream.poll().is_pending());
    drop(stream);
    assert!(trace.take().is_empty());
}
