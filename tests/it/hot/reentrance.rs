//! No user code and no wake runs under a lock. Values whose `Clone`, `Drop` and `PartialEq`, and wakers whose `wake` and
//! `Drop`, use the flow themselves: each of these tests hangs if one of them is called with the lock held.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use coldflow::hot::{SharedFlowStream, Subscription};
use coldflow::{Flow, FlowExt, MutableSharedFlow, MutableStateFlow, Overflow, SharedConfig};
use futures::Stream;

use super::{shared, suspending, within_a_minute};
use crate::support::Polling;

type Hook = Rc<dyn Fn()>;

thread_local! {
    static HOOK: RefCell<Option<Hook>> = const { RefCell::new(None) };
    static WITHIN: Cell<bool> = const { Cell::new(false) };
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// Calls the hook, but not from within itself.
fn meddle() {
    let hook = HOOK.with_borrow(Clone::clone);
    if let Some(hook) = hook {
        if !WITHIN.replace(true) {
            CALLS.set(CALLS.get() + 1);
            hook();
            WITHIN.set(false);
        }
    }
}

/// A value all of whose methods meddle.
#[derive(Debug)]
struct Meddler(i32);

impl Clone for Meddler {
    fn clone(&self) -> Self {
        meddle();
        Meddler(self.0)
    }
}

impl Drop for Meddler {
    fn drop(&mut self) {
        meddle();
    }
}

impl PartialEq for Meddler {
    fn eq(&self, other: &Self) -> bool {
        meddle();
        self.0 == other.0
    }
}

/// A waker all of whose methods meddle.
struct MeddlingWaker;

impl Wake for MeddlingWaker {
    fn wake(self: Arc<Self>) {
        meddle();
    }
}

impl Drop for MeddlingWaker {
    fn drop(&mut self) {
        meddle();
    }
}

fn waker() -> Waker {
    Waker::from(Arc::new(MeddlingWaker))
}

fn poll<S: Stream>(stream: std::pin::Pin<&mut S>) -> Poll<Option<S::Item>> {
    stream.poll_next(&mut Context::from_waker(&waker()))
}

/// Takes what there is; not for ever, since the waker may bring about more.
fn take_all<S: Stream>(mut stream: std::pin::Pin<&mut S>) {
    for _ in 0..20 {
        if poll(stream.as_mut()).is_pending() {
            break;
        }
    }
}

/// Runs `test` with `hook` called by every meddler. How often it was.
fn with_hook(hook: impl Fn() + 'static, test: impl FnOnce()) -> usize {
    CALLS.set(0);
    HOOK.set(Some(Rc::new(hook)));
    test();
    HOOK.set(None);
    CALLS.get()
}

/// Everything that can be done to a shared flow.
fn use_it(flow: &MutableSharedFlow<Meddler>) {
    let _ = flow.try_emit(Meddler(100));
    let mut emission = Polling::new(flow.emit(Meddler(101)));
    let _ = emission.poll();
    let mut subscription = pin!(flow.as_shared().subscribe().into_stream());
    drop(poll(subscription.as_mut()));
    drop(poll(subscription.as_mut()));
    drop(emission);
    drop(flow.as_shared().replay_cache());
    drop(flow.clone());
    assert!(flow.subscription_count().value() > 0);
}

fn a_shared_flow(config: SharedConfig) {
    let flow = MutableSharedFlow::new(config);
    let within = flow.clone();
    let calls = with_hook(
        move || use_it(&within),
        || {
            for _ in 0..3 {
                let mut slow = Box::pin(flow.as_shared().subscribe().into_stream());
                let mut fast = Box::pin(flow.as_shared().subscribe().into_stream());
                let mut idle = Box::pin(flow.as_shared().into_stream());
                let mut counts = pin!(flow.subscription_count().into_stream());
                take_all(counts.as_mut());
                let mut emissions: Vec<_> = Vec::new();
                for n in 0..6 {
                    for _ in 0..3 {
                        drop(poll(fast.as_mut()));
                        drop(poll(idle.as_mut()));
                    }
                    let _ = flow.try_emit(Meddler(n));
                    let mut emission = Box::pin(flow.emit(Meddler(n + 10)));
                    for _ in 0..2 {
                        // With another waker each time: the one before is dropped.
                        let _ = emission.as_mut().poll(&mut Context::from_waker(&waker()));
                    }
                    emissions.push(emission);
                    drop(poll(slow.as_mut()));
                    if n == 3 {
                        drop(emissions.remove(1));
                        drop(emissions.remove(0));
                        flow.reset_replay_cache();
                    }
                    drop(flow.as_shared().replay_cache());
                }
                drop(idle);
                drop(slow);
                drop(emissions);
                drop(fast);
            }
        },
    );
    assert!(calls > 50, "the hook ran {calls} times");
    drop(flow);
}

#[test]
fn a_shared_flow_runs_no_user_code_under_its_lock() {
    for overflow in [Overflow::Suspend, Overflow::DropOldest, Overflow::DropLatest] {
        for (replay, extra_capacity) in [(0, 0), (1, 0), (0, 1), (1, 1), (2, 1)] {
            if overflow == Overflow::Suspend || replay + extra_capacity > 0 {
                within_a_minute(move || a_shared_flow(SharedConfig { replay, extra_capacity, overflow }));
            }
        }
    }
}

#[test]
fn a_shared_flow_that_ends_wakes_outside_of_its_lock() {
    within_a_minute(|| {
        let flow = suspending(1, 1);
        let reading = flow.as_shared();
        let mut waiting = Box::pin(reading.clone().into_stream());
        assert!(poll(waiting.as_mut()).is_pending());
        let calls = with_hook(
            move || {
                drop(reading.subscribe());
                drop(reading.replay_cache());
            },
            || {
                let _ = flow.try_emit(Meddler(1));
                drop(flow);
            },
        );
        assert!(calls > 0);
    });
}

#[test]
fn the_wakers_of_a_count_are_woken_and_dropped_outside_of_every_lock() {
    within_a_minute(|| {
        let flow = suspending::<i32>(1, 1);
        let state = MutableStateFlow::new(0);
        let mut of_flow = Box::pin(flow.subscription_count().into_stream());
        let mut of_state = Box::pin(state.subscription_count().into_stream());
        let (inner_flow, inner_state) = (flow.clone(), state.clone());
        let calls = with_hook(
            move || {
                drop(inner_flow.as_shared().subscribe());
                drop(inner_state.as_state().subscribe());
                assert!(inner_flow.subscription_count().value() + inner_state.subscription_count().value() < 9);
                let _ = inner_flow.try_emit(1);
                inner_state.update(|n| n + 1);
            },
            || {
                for _ in 0..3 {
                    take_all(of_flow.as_mut());
                    take_all(of_state.as_mut());
                    let subscribed = (flow.as_shared().subscribe(), state.as_state().subscribe());
                    take_all(of_flow.as_mut());
                    take_all(of_state.as_mut());
                    drop(subscribed);
                }
                drop((of_flow, of_state));
            },
        );
        assert!(calls >= 12, "{calls}");
    });
}

fn use_state(state: &MutableStateFlow<Meddler>, mut next: impl FnMut() -> i32) {
    drop(state.value());
    state.set(Meddler(next()));
    state.update(|old| Meddler(old.0 + 1));
    let _ = state.compare_and_set(&Meddler(1), Meddler(next()));
    let mut subscription = pin!(state.as_state().subscribe().into_stream());
    drop(poll(subscription.as_mut()));
    drop(poll(subscription.as_mut()));
    drop(state.clone());
}

#[test]
fn a_state_runs_no_user_code_under_its_lock() {
    within_a_minute(|| {
        let state = MutableStateFlow::new(Meddler(0));
        let (within, at) = (state.clone(), AtomicUsize::new(1000));
        let calls = with_hook(
            move || {
                // It gives up in the end, so that an update is not disturbed for ever.
                if at.load(Ordering::Relaxed) < 2000 {
                    use_state(&within, || i32::try_from(at.fetch_add(1, Ordering::Relaxed)).unwrap());
                }
            },
            || {
                let mut subscriber = Box::pin(state.as_state().into_stream());
                let mut mapped = Box::pin(state.as_state().map_state(Clone::clone).into_stream());
                let mut made = Box::pin(state.as_state().subscribe().into_stream());
                for n in 0..5 {
                    for _ in 0..2 {
                        drop(poll(subscriber.as_mut()));
                        drop(poll(mapped.as_mut()));
                        drop(poll(made.as_mut()));
                    }
                    state.set(Meddler(n));
                    drop(state.update_and_get(|old| Meddler(old.0 + 1)));
                    drop(state.get_and_update(|old| Meddler(old.0 + 1)));
                    let _ = state.compare_and_set(&Meddler(n), Meddler(n + 1));
                    drop(state.value());
                }
                drop((subscriber, mapped, made));
            },
        );
        assert!(calls > 50, "the hook ran {calls} times");
        drop(state);
    });
}

#[test]
fn a_state_that_ends_wakes_outside_of_its_lock() {
    within_a_minute(|| {
        let state = MutableStateFlow::new(1);
        let reading = state.as_state();
        let mut waiting = Box::pin(reading.clone().into_stream());
        assert!(poll(waiting.as_mut()).is_ready());
        assert!(poll(waiting.as_mut()).is_pending());
        let calls = with_hook(
            move || {
                drop(reading.subscribe());
                assert_eq!(reading.value(), 1);
            },
            || drop(state),
        );
        assert!(calls > 0);
    });
}

/// Holds a subscription that its `Drop` gives up.
#[derive(Clone)]
struct Holds(Arc<Mutex<Option<Subscription<SharedFlowStream<Holds>>>>>);

#[test]
fn a_value_may_hold_a_subscription_to_its_own_flow() {
    within_a_minute(|| {
        let flow = shared(1, 0, Overflow::DropOldest);
        for _ in 0..3 {
            let subscription = flow.as_shared().subscribe();
            assert!(flow.try_emit(Holds(Arc::new(Mutex::new(Some(subscription))))));
        }
        assert_eq!(flow.subscription_count().value(), 1, "those of the values before are gone");
        let last = flow.as_shared().replay_cache().remove(0);
        flow.reset_replay_cache();
        assert_eq!(flow.subscription_count().value(), 1, "the last one is owed the value that holds it");
        let subscription = last.0.lock().unwrap().take();
        drop(subscription);
        assert_eq!(flow.subscription_count().value(), 0);
    });
}

#[test]
fn two_flows_that_emit_into_each_other_from_their_wakers() {
    within_a_minute(|| {
        let (a, b) = (suspending::<i32>(0, 9), suspending::<i32>(0, 9));
        let mut of_a = Box::pin(a.as_shared().into_stream());
        let mut of_b = Box::pin(b.as_shared().into_stream());
        let (into_a, into_b) = (a.clone(), b.clone());
        let calls = with_hook(
            move || {
                let _ = into_a.try_emit(1);
                let _ = into_b.try_emit(2);
            },
            || {
                for _ in 0..3 {
                    take_all(of_a.as_mut());
                    take_all(of_b.as_mut());
                    let _ = a.try_emit(3);
                    let _ = b.try_emit(4);
                }
            },
        );
        assert!(calls > 3);
        let flow = a.as_shared().take(1);
        drop(flow);
    });
}
