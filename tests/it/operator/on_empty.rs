//! The Kotlin test in question is named above each test that has one: `OnEmptyTest`.

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail, Wait, Yield};
use crate::support::{Driver, Gate, Probe, block_on};

// testOnEmptyInvoked
#[test]
fn it_emits_for_an_empty_flow() {
    assert_eq!(block_on(empty().on_empty(async |mut emitter| emitter.emit(1).await).to_vec()), Ok(vec![1]));
    let late = Probe::of(&[Yield, Yield]);
    assert_eq!(block_on(late.on_empty(async |mut emitter| emitter.emit(1).await).to_vec()), Ok(vec![1]));
}

// testOnEmptyNotInvoked
#[test]
fn it_does_not_run_when_there_was_an_item() {
    assert_eq!(block_on(flow_of([1]).on_empty(async |_| unreachable!() as ()).to_vec()), Ok(vec![1]));
}

// testOnEmptyNotInvokedOnError
#[test]
fn it_does_not_run_after_a_failure() {
    let failing = Probe::of(&[Fail("failed")]).on_empty(async |_| unreachable!() as ());
    assert_eq!(block_on(failing.to_vec()), Err("failed"));
}

// testOnEmptyNotInvokedOnCancellation
#[test]
fn it_does_not_run_when_the_collection_is_dropped() {
    let mut stream = Driver::new(Probe::of(&[Wait]).on_empty(async |_| unreachable!() as ()));
    assert!(stream.poll().is_pending());
    drop(stream);
}

// testOnEmptyCancellation
#[test]
fn dropped_while_it_runs_its_later_emission_is_not_delivered() {
    let gate = Gate::default();
    let inner = gate.clone();
    let mut stream = Driver::new(empty().on_empty(move |mut emitter| {
        let gate = inner.clone();
        async move {
            emitter.emit(1).await;
            gate.pass().await;
            emitter.emit(2).await;
        }
    }));
    assert_eq!(stream.next(), Some(Ok(1)));
    assert!(stream.poll().is_pending());
    stream.stop();
    gate.open();
    assert_eq!(stream.next(), None);
}

#[test]
fn it_may_fail() {
    let mut stream = Driver::new(Probe::of(&[]).on_empty(async |_| Err("nothing there")));
    assert_eq!(stream.rest(), [Err("nothing there")]);
}

#[test]
fn a_filter_that_lets_nothing_through_makes_a_flow_empty() {
    let items = flow_of([1, 3]).filter(|n| n % 2 == 0).on_empty(async |mut emitter| emitter.emit(0).await);
    assert_eq!(block_on(items.to_vec()), Ok(vec![0]));
}

#[test]
fn an_item_of_an_earlier_run_does_not_count() {
    let source = Probe::of(&[Emit(1), Fail("failed")]).and_then_runs(&[]);
    let items = source.on_empty(async |mut emitter| emitter.emit(7).await).retry(1);
    assert_eq!(block_on(items.to_vec()), Ok(vec![1, 7]));
}
