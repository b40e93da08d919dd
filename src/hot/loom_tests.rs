//! Every interleaving of what two or three threads do to a hot flow.
//!
//! Nothing blocks in these models: each thread polls once, and at the end whoever was pending must have been woken if
//! there is something for it. A waker that is lost is a model that fails, not one that hangs.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::task::Wake;
use alloc::vec::Vec;
use core::future::Future;
use core::pin::Pin;
use core::sync::atomic::{AtomicBool, Ordering};
use core::task::{Context, Poll, Waker};

use futures_core::Stream;
use loom::thread;

use super::buffer::SharedConfig;
use super::shared::{MutableSharedFlow, SharedFlowStream};
use super::state::{MutableStateFlow, StateFlowStream};
use crate::concurrent::Overflow;
use crate::flow::Flow;

/// Whether a task was woken. It is not loom's: it is looked at, and does not take part.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A stream that is polled by hand.
struct Subscriber<S> {
    stream: Pin<Box<S>>,
    woken: Arc<Woken>,
    pending: bool,
}

impl<S: Stream> Subscriber<S> {
    fn new<F: Flow<Stream = S>>(flow: F) -> Self {
        Subscriber { stream: Box::pin(flow.into_stream()), woken: Arc::default(), pending: false }
    }

    fn poll(&mut self) -> Poll<Option<S::Item>> {
        let waker = Waker::from(Arc::clone(&self.woken));
        self.woken.0.store(false, Ordering::SeqCst);
        let polled = self.stream.as_mut().poll_next(&mut Context::from_waker(&waker));
        self.pending = polled.is_pending();
        polled
    }

    /// What there is, while others are still at work.
    fn take<T>(&mut self) -> Vec<T>
    where
        S: Stream<Item = Result<T, core::convert::Infallible>>,
    {
        core::iter::from_fn(|| match self.poll() {
            Poll::Ready(Some(Ok(value))) => Some(value),
            _ => None,
        })
        .collect()
    }

    /// What there is when all others have done their work: what it finds without having been woken was missed.
    fn settle<T>(&mut self) -> Vec<T>
    where
        S: Stream<Item = Result<T, core::convert::Infallible>>,
    {
        let told = !self.pending || self.woken.0.load(Ordering::SeqCst);
        let values = self.take();
        assert!(told || (values.is_empty() && self.pending), "there is something, and nobody says so");
        values
    }
}

fn subscribed<T: Clone>(flow: &MutableSharedFlow<T>) -> Subscriber<SharedFlowStream<T>> {
    Subscriber::new(flow.as_shared().subscribe())
}

fn flow<T>(replay: usize, extra_capacity: usize, overflow: Overflow) -> MutableSharedFlow<T> {
    MutableSharedFlow::new(SharedConfig { replay, extra_capacity, overflow })
}

fn poll_once<Fut: Future>(future: Pin<&mut Fut>, woken: &Arc<Woken>) -> Poll<Fut::Output> {
    let waker = Waker::from(Arc::clone(woken));
    future.poll(&mut Context::from_waker(&waker))
}

const SIZES: [(usize, usize); 3] = [(0, 0), (1, 0), (0, 1)];

#[test]
fn poll_and_emit() {
    for (replay, extra) in SIZES {
        loom::model(move || {
            let flow = flow(replay, extra, Overflow::Suspend);
            let mut subscriber = subscribed(&flow);
            let reader = thread::spawn(move || {
                let first = subscriber.poll();
                (subscriber, first)
            });
            let woken = Arc::default();
            let mut emission = Box::pin(flow.emit(1));
            let done = poll_once(emission.as_mut(), &woken).is_ready();
            let (mut subscriber, first) = reader.join().unwrap();
            let rest = subscriber.settle();
            assert_eq!(usize::from(first.is_ready()) + rest.len(), 1);
            assert!(done || woken.0.load(Ordering::SeqCst), "the emission is over, and nobody says so");
            assert!(poll_once(emission.as_mut(), &woken).is_ready());
        });
    }
}

#[test]
fn subscribe_and_emit() {
    for (replay, extra) in SIZES {
        loom::model(move || {
            let flow = flow(replay, extra, Overflow::Suspend);
            let reading = flow.as_shared();
            let reader = thread::spawn(move || {
                let mut subscriber = Subscriber::new(reading);
                let first = subscriber.poll().is_ready();
                (subscriber, first)
            });
            let woken = Arc::default();
            let mut emission = Box::pin(flow.emit(1));
            let done = poll_once(emission.as_mut(), &woken).is_ready();
            let (mut subscriber, first) = reader.join().unwrap();
            let all = usize::from(first) + subscriber.settle().len();
            // Without replay it may have come too late.
            assert!(all == 1 || (all == 0 && replay == 0 && done));
            assert!(poll_once(emission.as_mut(), &woken).is_ready());
        });
    }
}

#[test]
fn emit_and_the_only_subscriber_leaves() {
    for (replay, extra) in SIZES {
        loom::model(move || {
            let flow = flow(replay, extra, Overflow::Suspend);
            let subscriber = subscribed(&flow);
            for n in 0..replay + extra {
                assert!(flow.try_emit(n));
            }
            let leaving = thread::spawn(move || drop(subscriber));
            let woken = Arc::default();
            let mut emission = Box::pin(flow.emit(9));
            let done = poll_once(emission.as_mut(), &woken).is_ready();
            leaving.join().unwrap();
            assert!(done || woken.0.load(Ordering::SeqCst));
            assert!(poll_once(emission.as_mut(), &woken).is_ready());
            assert_eq!(flow.as_shared().replay_cache(), &[9][..replay]);
        });
    }
}

#[test]
fn the_only_subscriber_leaves_beside_two_emissions() {
    loom::model(|| {
        let flow = flow(1, 0, Overflow::Suspend);
        let subscriber = subscribed(&flow);
        assert!(flow.try_emit(0));
        let emitting = thread::spawn({
            let flow = flow.clone();
            move || {
                // Given up, if it has to wait.
                let mut emission = Box::pin(flow.emit(1));
                let _ = poll_once(emission.as_mut(), &Arc::default());
            }
        });
        let leaving = thread::spawn(move || drop(subscriber));
        let woken = Arc::default();
        let mut emission = Box::pin(flow.emit(2));
        let done = poll_once(emission.as_mut(), &woken).is_ready();
        leaving.join().unwrap();
        emitting.join().unwrap();
        assert!(done || woken.0.load(Ordering::SeqCst));
        assert!(poll_once(emission.as_mut(), &woken).is_ready());
        let replay = flow.as_shared().replay_cache();
        assert!(replay == [2] || replay == [1], "{replay:?}");
    });
}

#[test]
fn a_subscriber_and_an_emission_leave_at_once() {
    for (replay, extra) in SIZES {
        loom::model(move || {
            let flow = flow(replay, extra, Overflow::Suspend);
            let leaving = subscribed(&flow);
            let mut staying = subscribed(&flow);
            for n in 0..replay + extra {
                assert!(flow.try_emit(n));
            }
            let before = staying.settle();
            assert_eq!(before.len(), replay + extra);
            let woken = Arc::default();
            let queued = Arc::default();
            let mut emission = Box::pin(flow.emit(10));
            assert!(poll_once(emission.as_mut(), &woken).is_pending());
            let mut next = Box::pin(flow.emit(11));
            assert!(poll_once(next.as_mut(), &queued).is_pending());
            let leaving = thread::spawn(move || drop(leaving));
            drop(emission);
            leaving.join().unwrap();
            let after = staying.settle();
            assert_eq!(after.last(), Some(&11));
            assert!(queued.0.load(Ordering::SeqCst));
            assert!(poll_once(next.as_mut(), &queued).is_ready());
        });
    }
}

#[test]
fn a_slow_subscriber_lets_in_what_a_fast_one_waits_for() {
    for (replay, extra) in SIZES {
        loom::model(move || {
            let flow = flow(replay, extra, Overflow::Suspend);
            let mut slow = subscribed(&flow);
            let mut fast = subscribed(&flow);
            for n in 0..replay + extra {
                assert!(flow.try_emit(n));
            }
            let woken = Arc::default();
            let mut emission = Box::pin(flow.emit(9));
            assert!(poll_once(emission.as_mut(), &woken).is_pending());
            let reader = thread::spawn(move || {
                let mut values = fast.take();
                values.extend(fast.take());
                (fast, values)
            });
            let mut of_slow = slow.settle();
            let (mut fast, mut of_fast) = reader.join().unwrap();
            of_fast.extend(fast.settle());
            of_slow.extend(slow.settle());
            assert_eq!(of_fast, of_slow);
            assert_eq!(of_fast.last(), Some(&9));
            assert!(woken.0.load(Ordering::SeqCst));
        });
    }
}

#[test]
fn two_that_emit_and_one_that_polls() {
    for (replay, extra) in [(0, 0), (1, 1)] {
        loom::model(move || {
            let flow = flow(replay, extra, Overflow::Suspend);
            let mut subscriber = subscribed(&flow);
            let other = thread::spawn({
                let flow = flow.clone();
                move || flow.try_emit(1)
            });
            let reader = thread::spawn(move || {
                let first = subscriber.poll().is_ready();
                (subscriber, first)
            });
            let woken = Arc::default();
            let mut emission = Box::pin(flow.emit(2));
            let done = poll_once(emission.as_mut(), &woken).is_ready();
            let emitted = other.join().unwrap();
            let (mut subscriber, first) = reader.join().unwrap();
            let all = usize::from(first) + subscriber.settle().len();
            assert_eq!(all, 1 + usize::from(emitted));
            assert!(done || woken.0.load(Ordering::SeqCst));
        });
    }
}

#[test]
fn try_emit_reset_and_subscribe() {
    loom::model(|| {
        let flow = flow(1, 1, Overflow::DropOldest);
        assert!(flow.try_emit(0));
        let resetting = thread::spawn({
            let flow = flow.clone();
            move || flow.reset_replay_cache()
        });
        let reading = flow.as_shared();
        let reader = thread::spawn(move || {
            let mut subscriber = Subscriber::new(reading);
            let first = subscriber.take::<i32>();
            (subscriber, first)
        });
        assert!(flow.try_emit(1));
        resetting.join().unwrap();
        let (mut subscriber, mut all) = reader.join().unwrap();
        all.extend(subscriber.settle::<i32>());
        assert!([&[][..], &[0], &[1], &[0, 1]].contains(&&all[..]), "{all:?}");
        let replay = flow.as_shared().replay_cache();
        assert!(replay.is_empty() || replay == [1]);
        if all.is_empty() {
            assert!(replay.is_empty(), "it came after the value and the reset");
        }
    });
}

#[test]
fn the_last_emitting_half_goes_while_somebody_polls() {
    loom::model(|| {
        let flow = flow(0, 2, Overflow::Suspend);
        let mut subscriber = subscribed(&flow);
        let other = flow.clone();
        let reader = thread::spawn(move || {
            let first = subscriber.poll();
            (subscriber, first)
        });
        let dropping = thread::spawn(move || {
            assert!(other.try_emit(1));
            drop(other);
        });
        drop(flow);
        dropping.join().unwrap();
        let (mut subscriber, first) = reader.join().unwrap();
        let all = usize::from(matches!(first, Poll::Ready(Some(_)))) + subscriber.settle::<i32>().len();
        assert_eq!(all, 1);
        assert!(subscriber.poll().is_ready(), "it has ended");
    });
}

#[test]
fn every_step_of_a_count_is_seen() {
    loom::model(|| {
        let flow = flow::<i32>(0, 1, Overflow::Suspend);
        let mut counts = Subscriber::new(flow.subscription_count());
        assert_eq!(counts.settle::<usize>(), [0]);
        let coming = thread::spawn({
            let reading = flow.as_shared();
            move || drop(reading.subscribe())
        });
        let seen = thread::spawn(move || {
            let seen = counts.take::<usize>();
            (counts, seen)
        });
        drop(flow.as_shared().subscribe());
        coming.join().unwrap();
        let (mut counts, mut seen) = seen.join().unwrap();
        seen.extend(counts.settle::<usize>());
        assert!(seen == [1, 0, 1, 0] || seen == [1, 2, 1, 0], "{seen:?}");
    });
}

#[test]
fn set_and_poll() {
    loom::model(|| {
        let state = MutableStateFlow::new(0);
        let mut subscriber: Subscriber<StateFlowStream<i32>> = Subscriber::new(state.as_state());
        let setting = thread::spawn({
            let state = state.clone();
            move || state.set(1)
        });
        let reader = thread::spawn(move || {
            let mut values = subscriber.take();
            values.extend(subscriber.take());
            (subscriber, values)
        });
        state.update(|n| n + 10);
        setting.join().unwrap();
        let (mut subscriber, mut values) = reader.join().unwrap();
        values.extend(subscriber.settle());
        assert_eq!(values.last(), Some(&state.value()));
        assert!([1, 11].contains(&state.value()));
    });
}

#[test]
fn no_update_is_lost() {
    loom::model(|| {
        let state = MutableStateFlow::new(0);
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let state = state.clone();
                thread::spawn(move || state.update(|n| n + 1))
            })
            .collect();
        let swapped = state.compare_and_set(&0, 100);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(state.value(), if swapped { 102 } else { 2 });
    });
}

#[test]
fn the_last_setting_half_goes_while_somebody_polls() {
    loom::model(|| {
        let state = MutableStateFlow::new(0);
        let mut subscriber = Subscriber::new(state.as_state());
        let reader = thread::spawn(move || {
            let values = subscriber.take::<i32>();
            (subscriber, values)
        });
        state.set(1);
        drop(state);
        let (mut subscriber, mut values) = reader.join().unwrap();
        values.extend(subscriber.settle::<i32>());
        assert_eq!(values.last(), Some(&1));
        assert!(subscriber.poll().is_ready(), "it has ended");
    });
}
