//! Kotlin's `StateFlowTest` and `StateInTest`.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll::{Pending, Ready};
use std::thread;
use std::time::Duration;

use coldflow::hot::StateFlowStream;
use coldflow::{
    Flow, FlowExt, MutableStateFlow, NoFirstValue, SharingStarted, StateFlow, empty, flow, flow_of, once_ok,
};
use futures::FutureExt;
use tokio::time::sleep;

use super::{drained, got, to_the_end};
use crate::support::{Driver, Polling, Trace, block_on, yield_now};

fn subscriber<T: Clone>(state: &MutableStateFlow<T>) -> Driver<StateFlowStream<T>> {
    Driver::new(state.as_state())
}

// testNormalAndNull
#[test]
fn each_change_is_seen_and_an_equal_value_is_none() {
    let state = MutableStateFlow::new(Some(0));
    let mut one = subscriber(&state);
    assert_eq!(drained(&mut one), [Some(0)]);
    for value in [Some(1), None, Some(2)] {
        state.set(value);
        assert!(one.woken());
        assert_eq!(drained(&mut one), [value]);
        state.set(value);
        assert!(!one.woken());
        assert_eq!(got(&mut one), Pending);
    }
    assert_eq!(state.value(), Some(2));
}

// testEqualsConflation
#[test]
fn a_change_and_back_while_the_subscriber_is_busy_is_no_change() {
    let state = MutableStateFlow::new(0);
    let mut one = subscriber(&state);
    let mut seen = drained(&mut one);
    for values in [&[1, 0][..], &[3, 2], &[2], &[5, 4]] {
        for value in values {
            state.set(*value);
        }
        seen.extend(drained(&mut one));
    }
    assert_eq!(seen, [0, 2, 4]);
}

// testDataModel
#[test]
fn a_counter_that_is_read_with_take() {
    let state = MutableStateFlow::new(0);
    let sum = state.as_state().take(11).fold(0, async |sum, n| sum + n);
    let count = async {
        for _ in 0..10 {
            yield_now().await;
            state.update(|n| n + 1);
        }
    };
    let (Ok(sum), ()) = block_on(async { futures::join!(sum, count) });
    assert_eq!(sum, 55);
}

// testOnSubscriptionWithException, as far as a failing `on_start` goes.
#[test]
fn a_collection_that_fails_at_its_start_leaves_no_subscription() {
    let state = MutableStateFlow::new(0);
    let subscribed = state.as_state().subscribe();
    assert_eq!(state.subscription_count().value(), 1);
    let failing = subscribed.fallible().on_start(|_| async { Err("no") });
    assert_eq!(block_on(failing.to_vec()), Err("no"));
    assert_eq!(state.subscription_count().value(), 0);
}

// testOperatorFusion: there is no identity to compare, but these change nothing that is seen.
#[test]
fn operators_that_a_state_has_no_need_of_change_nothing() {
    fn seen(make: fn(StateFlow<i32>) -> coldflow::BoxFlow<'static, i32, std::convert::Infallible>) -> Vec<i32> {
        let state = MutableStateFlow::new(0);
        let mut one = Driver::new(make(state.as_state()));
        let mut seen = drained(&mut one);
        for value in [1, 1, 2] {
            state.set(value);
            seen.extend(drained(&mut one));
        }
        for value in [3, 4] {
            state.set(value);
        }
        seen.extend(drained(&mut one));
        seen
    }
    assert_eq!(seen(FlowExt::boxed), [0, 1, 2, 4]);
    assert_eq!(seen(|state| state.distinct_until_changed().boxed()), [0, 1, 2, 4]);
    assert_eq!(seen(|state| state.conflate().boxed()), [0, 1, 2, 4]);
    assert_eq!(seen(|state| state.buffer(0, coldflow::Overflow::Suspend).boxed()), [0, 1, 2, 4]);
}

// testUpdate
#[test]
fn updates() {
    let state = MutableStateFlow::new(0);
    state.update(|n| n + 2);
    assert_eq!(state.value(), 2);
    assert_eq!(state.update_and_get(|n| n + 3), 5);
    assert_eq!(state.get_and_update(|n| n + 1), 5);
    assert_eq!(state.value(), 6);
}

#[test]
fn compare_and_set_goes_by_equality_and_keeps_the_instance_that_is_there() {
    #[derive(Clone, Debug)]
    struct Data(i32, &'static str);
    let state = MutableStateFlow::with_equality(Data(1, "old"), |a, b| a.0 == b.0);
    assert!(!state.compare_and_set(&Data(2, "?"), Data(3, "new")));
    assert!(state.compare_and_set(&Data(1, "?"), Data(1, "new")), "nothing had to be done");
    assert_eq!(state.value().1, "old");
    assert!(state.compare_and_set(&Data(1, "?"), Data(2, "new")));
    assert_eq!(state.value().1, "new");
    state.set(Data(2, "equal"));
    assert_eq!(state.value().1, "new");
    let mut one = subscriber(&state);
    assert_eq!(drained(&mut one).len(), 1);
    state.set(Data(3, "a"));
    state.set(Data(2, "b"));
    assert!(drained(&mut one).is_empty(), "the same equality decides what a subscriber sees");
}

#[test]
fn a_state_for_which_nothing_is_equal_tells_every_value() {
    let state = MutableStateFlow::with_equality(f64::NAN, |_, _| false);
    let mut one = subscriber(&state);
    assert_eq!(drained(&mut one).len(), 1);
    state.set(f64::NAN);
    assert_eq!(drained(&mut one).len(), 1);
    state.set(1.0);
    state.set(1.0);
    assert_eq!(drained(&mut one), [1.0]);
    assert!(!state.compare_and_set(&1.0, 2.0), "not even with itself");
    // With the equality of `f64` a NaN is always a change.
    let state = MutableStateFlow::new(f64::NAN);
    let mut one = subscriber(&state);
    assert_eq!(drained(&mut one).len(), 1);
    state.set(f64::NAN);
    assert_eq!(drained(&mut one).len(), 1);
}

// testSubscriptionByFirstSuspensionInStateFlow
#[test]
fn a_collection_that_was_polled_has_subscribed() {
    let state = MutableStateFlow::new(0);
    let mut changes = Driver::new(state.subscription_count());
    assert_eq!(drained(&mut changes), [0]);
    let mut collection = Driver::new(state.as_state().map(|n| n * 10));
    assert_eq!(state.subscription_count().value(), 0);
    assert_eq!(drained(&mut collection), [0]);
    assert_eq!(state.subscription_count().value(), 1);
    state.set(1);
    assert_eq!(drained(&mut collection), [10]);
    drop(collection);
    drop(state.as_state().subscribe());
    assert_eq!(drained(&mut changes), [1, 0, 1, 0]);
}

#[test]
fn a_subscription_begins_with_the_value_of_its_first_poll() {
    let state = MutableStateFlow::new(0);
    let subscribed = state.as_state().subscribe();
    state.set(1);
    assert_eq!(drained(&mut Driver::new(subscribed)), [1]);
}

// Where we differ: a state ends with the last half that can set it.
#[test]
fn when_the_last_setting_half_is_gone_the_latest_value_is_received_and_then_the_end() {
    let state = MutableStateFlow::new(0);
    let other = state.clone();
    let reading = state.as_state();
    let mut behind = subscriber(&state);
    let mut idle = subscriber(&state);
    assert_eq!(drained(&mut behind), [0]);
    other.set(1);
    assert_eq!(drained(&mut idle), [1]);
    drop(state);
    assert!(!idle.woken());
    drop(other);
    assert!(idle.woken());
    assert_eq!(got(&mut idle), Ready(None));
    assert!(idle.is_terminated());
    assert_eq!(behind.rest(), [Ok(1)]);
    assert_eq!(reading.value(), 1);
    assert_eq!(to_the_end(reading.clone()), [1]);
    assert_eq!(to_the_end(reading.map_state(|n| n + 1)), [2]);
    assert_eq!(to_the_end(MutableStateFlow::new(7)), [7], "collecting the setting half gives it up");
}

#[test]
fn collecting_again_begins_with_the_value_of_now() {
    let state = MutableStateFlow::new(0);
    let mut one = subscriber(&state);
    assert_eq!(drained(&mut one), [0]);
    one.restart();
    assert_eq!(state.subscription_count().value(), 0);
    assert_eq!(drained(&mut one), [0]);
    let mut mapped = Driver::new(state.as_state().map_state(|n| n / 2));
    assert_eq!(drained(&mut mapped), [0]);
    mapped.restart();
    assert_eq!(drained(&mut mapped), [0]);
    mapped.stop();
    assert!(mapped.is_terminated());
    assert_eq!(state.subscription_count().value(), 1);
}

#[test]
fn a_mapped_state_tells_what_differs_after_mapping() {
    let state = MutableStateFlow::new(1);
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let half = state.as_state().map_state(move |n| {
        counted.fetch_add(1, Ordering::Relaxed);
        n / 2
    });
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    assert_eq!(half.value(), 0);
    let mut one = Driver::new(half.clone());
    assert_eq!(drained(&mut one), [0]);
    state.set(0);
    assert!(drained(&mut one).is_empty());
    state.set(2);
    state.set(3);
    assert_eq!(drained(&mut one), [1]);
    // Once for `value`, then for each value that the subscriber looked at.
    assert_eq!(calls.load(Ordering::Relaxed), 4);
    assert_eq!(half.value(), 1);
}

#[test]
fn values_are_dropped_when_they_are_replaced() {
    let alive = Arc::new(());
    let state = MutableStateFlow::with_equality(Arc::clone(&alive), |_, _| false);
    let idle = state.as_state().subscribe();
    for _ in 0..10 {
        state.set(Arc::clone(&alive));
    }
    assert_eq!(Arc::strong_count(&alive), 2);
    drop(idle);
    drop(state);
    assert_eq!(Arc::strong_count(&alive), 1);
}

// StateFlowUpdate: update, updateAndGet, getAndUpdate
#[test]
fn no_increment_is_lost_between_threads() {
    let updates: [fn(&MutableStateFlow<usize>); 3] = [
        |state| state.update(|n| n + 1),
        |state| assert!(state.update_and_get(|n| n + 1) > 0),
        |state| assert!(state.get_and_update(|n| n + 1) < 8000),
    ];
    for update in updates {
        let state = MutableStateFlow::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..2000).for_each(|_| update(&state)));
            }
        });
        assert_eq!(state.value(), 8000);
    }
    let state = MutableStateFlow::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..500 {
                    loop {
                        let now = state.value();
                        if state.compare_and_set(&now, now + 1) {
                            break;
                        }
                    }
                }
            });
        }
    });
    assert_eq!(state.value(), 2000);
}

#[test]
fn update_and_get_gives_every_value_once() {
    let state = MutableStateFlow::new(0);
    let seen = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mine: Vec<usize> = (0..1000).map(|_| state.update_and_get(|n| n + 1)).collect();
                assert!(mine.is_sorted());
                seen.lock().unwrap().extend(mine);
            });
        }
    });
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    assert_eq!(seen, (1..=4000).collect::<Vec<_>>());
}

async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

// stateIn.testUpstreamCompletedNoInitialValue
#[tokio::test(start_paused = true)]
async fn state_in_first_waits_for_the_first_value_and_keeps_the_last() {
    let trace = Trace::new();
    let inner = trace.clone();
    let upstream = flow(move |mut emitter| {
        let trace = inner.clone();
        async move {
            let _guard = trace.guard("upstream");
            sleep(Duration::from_millis(100)).await;
            emitter.emit("OK").await;
            sleep(Duration::from_millis(100)).await;
            emitter.emit("OK 2").await;
        }
    });
    let began = tokio::time::Instant::now();
    let state = upstream.state_in_first().await.unwrap();
    assert_eq!(began.elapsed().as_millis(), 100);
    assert_eq!(state.value(), "OK");
    assert_eq!(trace.count("start upstream"), 1);
    let mut one = Driver::new(state.clone());
    assert_eq!(drained(&mut one), ["OK"]);
    sleep(Duration::from_millis(200)).await;
    assert_eq!(drained(&mut one), ["OK 2"]);
    // It has completed; subscribers go on waiting.
    assert!(trace.live().is_empty());
    assert_eq!(state.value(), "OK 2");
    assert_eq!(got(&mut one), Pending);
    assert_eq!(trace.count("start upstream"), 1);
}

// stateIn.testUpstreamCompletedWithInitialValue
#[tokio::test(start_paused = true)]
async fn state_in_has_its_initial_value_until_there_is_one() {
    let state = once_ok(async || {
        sleep(Duration::from_millis(10)).await;
        Some("OK")
    })
    .state_in(SharingStarted::Eagerly, None);
    let mut one = Driver::new(state.clone());
    assert_eq!(drained(&mut one), [None]);
    sleep(Duration::from_millis(20)).await;
    assert_eq!(drained(&mut one), [Some("OK")]);
    assert_eq!(state.value(), Some("OK"));
    assert_eq!(got(&mut one), Pending);
}

// stateIn.testUpstreamFailedNoInitialValue, testUpstreamFailedImmediatelyWithInitialValue: an upstream cannot fail, but
// it can panic.
#[tokio::test]
async fn a_panic_before_the_first_value_reaches_the_caller_and_one_after_it_the_subscribers() {
    let at_once = once_ok(async || -> i32 { panic!("no first value") });
    let panic = AssertUnwindSafe(at_once.state_in_first()).catch_unwind().await.unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"no first value"));
    let later = flow(async |mut emitter| {
        emitter.emit("OK").await;
        panic!("after the first value");
    });
    let state = later.state_in_first().await.unwrap();
    let mut waiting = Driver::new(state.clone());
    assert_eq!(got(&mut waiting), Ready(Some("OK")));
    settle().await;
    let panic = std::panic::catch_unwind(AssertUnwindSafe(|| got(&mut waiting))).unwrap_err();
    assert!(panic.downcast_ref::<&str>().unwrap().contains("`state_in` panicked"));
    assert_eq!(got(&mut waiting), Ready(None), "once is enough");
    assert_eq!(state.value(), "OK", "the value stays");
    assert_eq!(state.subscription_count().value(), 0);
}

// stateIn.testSubscriptionByFirstSuspension
#[tokio::test]
async fn the_first_value_is_there_at_once() {
    let state = flow_of([1]).state_in_first().await.unwrap();
    assert_eq!(got(&mut Driver::new(state)), Ready(Some(1)));
}

// stateIn, cancelled scope: here, the caller goes away.
#[tokio::test(start_paused = true)]
async fn dropping_state_in_first_drops_the_upstream() {
    let trace = Trace::new();
    let inner = trace.clone();
    let mut waiting = Polling::new(
        once_ok(move || {
            let guard = inner.guard("upstream");
            async move {
                sleep(Duration::from_secs(1)).await;
                drop(guard);
            }
        })
        .state_in_first(),
    );
    assert!(waiting.poll().is_pending());
    assert_eq!(trace.live(), ["upstream"]);
    drop(waiting);
    assert!(trace.live().is_empty());
}

// stateIn, empty upstream
#[tokio::test]
async fn state_in_first_of_an_empty_flow_says_so() {
    assert_eq!(empty::<u8>().state_in_first().await.unwrap_err(), NoFirstValue);
    assert!(!NoFirstValue.to_string().is_empty());
}

// Kotlin's stateIn(Lazily, 42): ShareInTest.testShouldStartScalar
#[tokio::test]
async fn a_lazy_state_has_its_initial_value_for_the_first_subscriber() {
    let state = flow_of([239]).state_in(SharingStarted::Lazily, 42);
    settle().await;
    assert_eq!(state.value(), 42);
    assert_eq!(state.clone().first().await, Ok(Some(42)));
    settle().await;
    assert_eq!(state.value(), 239);
    assert_eq!(state.clone().first().await, Ok(Some(239)));
}

#[tokio::test(start_paused = true)]
async fn a_state_is_set_to_its_initial_value_when_it_expires() {
    let started = SharingStarted::while_subscribed(Duration::from_millis(100), Duration::from_millis(200));
    let state = flow_of([7]).state_in(started, 0);
    assert_eq!(state.clone().first_where(|n| *n == 7).await, Ok(Some(7)));
    sleep(Duration::from_millis(250)).await;
    assert_eq!(state.value(), 7);
    sleep(Duration::from_millis(100)).await;
    assert_eq!(state.value(), 0);
    assert_eq!(state.clone().first_where(|n| *n == 7).await, Ok(Some(7)));
}

#[test]
fn a_stream_of_a_state_is_named() {
    let state = MutableStateFlow::new(0);
    let stream: StateFlowStream<i32> = state.as_state().into_stream();
    assert!(format!("{stream:?}").starts_with("StateFlowStream"));
}
