//! What runs between a subscription and its first value.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll::{Pending, Ready};

use coldflow::{FlowExt, MutableStateFlow};

use super::{drained, got, suspending};
use crate::support::{Driver, Gate, Trace};

// testOnSubscription: one of each, since an `on_subscription` has none below it.
#[test]
fn it_runs_after_on_start_and_before_the_replay() {
    let flow = suspending(1, 9);
    assert!(flow.try_emit("replay"));
    let trace = Trace::new();
    let (into, noted) = (flow.clone(), trace.clone());
    let (early, started) = (flow.clone(), trace.clone());
    let collection = flow
        .as_shared()
        .on_subscription(move |mut emitter| {
            noted.note("on_subscription");
            assert_eq!(into.subscription_count().value(), 1);
            assert!(into.try_emit("into the flow"));
            async move { emitter.emit("by on_subscription").await }
        })
        .on_start(move |mut emitter| {
            started.note("on_start");
            assert_eq!(early.subscription_count().value(), 0);
            assert!(early.try_emit("kept by the replay only"));
            async move { emitter.emit("by on_start").await }
        });
    let mut collection = Driver::new(collection);
    assert!(trace.take().is_empty());
    let seen = drained(&mut collection);
    assert_eq!(seen, ["by on_start", "by on_subscription", "kept by the replay only", "into the flow"]);
    assert_eq!(trace.take(), ["on_start", "on_subscription"]);
    // Once per subscription.
    collection.restart();
    assert_eq!(flow.subscription_count().value(), 0);
    assert_eq!(drained(&mut collection).len(), 4);
}

// onSubscriptionThrows: a body cannot fail here, but it can panic.
#[test]
fn a_body_that_panics_leaves_no_subscription_behind() {
    let flow = suspending(1, 0);
    assert!(flow.try_emit(1));
    let mut collection = Driver::new(flow.as_shared().on_subscription(|_| async { panic!("no") }));
    assert!(catch_unwind(AssertUnwindSafe(|| got(&mut collection))).is_err());
    drop(collection);
    assert_eq!(flow.subscription_count().value(), 0);
}

#[test]
fn dropping_it_in_the_middle_of_its_body_unsubscribes() {
    let flow = suspending(0, 0);
    let gate = Gate::default();
    let closed = gate.clone();
    let mut collection = Driver::new(flow.as_shared().on_subscription(move |_| {
        let gate = closed.clone();
        async move { gate.pass().await }
    }));
    assert_eq!(got(&mut collection), Pending);
    assert_eq!(flow.subscription_count().value(), 1);
    // It is a subscriber: without room an emission waits for it.
    assert!(!flow.try_emit(1));
    collection.stop();
    assert!(flow.try_emit(1));
    collection.restart();
    gate.open();
    assert_eq!(got(&mut collection), Pending);
    assert_eq!(flow.subscription_count().value(), 1);
    drop(collection);
    assert_eq!(flow.subscription_count().value(), 0);
}

// StateFlowTest, onSubscription on a StateFlow
#[test]
fn of_a_state_the_body_comes_first_and_then_only_the_value_of_now() {
    let state = MutableStateFlow::new(0);
    let setter = state.clone();
    let mut collection = Driver::new(state.as_state().on_subscription(move |mut emitter| {
        setter.set(1);
        setter.set(2);
        async move {
            emitter.emit(-1).await;
            emitter.emit(-2).await;
        }
    }));
    assert_eq!(drained(&mut collection), [-1, -2, 2]);
    state.set(3);
    assert_eq!(got(&mut collection), Ready(Some(3)));
    assert_eq!(state.subscription_count().value(), 1);
}
