//! What an emission and a subscriber cost, counted rather than timed where that can be.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use coldflow::{Flow, MutableSharedFlow, MutableStateFlow, Overflow};
use futures::Stream;

use super::{drained, got, shared, subscriber, suspending};
use crate::support::Driver;

/// Counts the wakes of many.
#[derive(Default)]
struct Counted(AtomicUsize);

impl Wake for Counted {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn an_emission_wakes_those_who_wait_once() {
    let flow = suspending(0, 100);
    let counted = Arc::new(Counted::default());
    let waker = Waker::from(Arc::clone(&counted));
    let idle: Vec<_> = (0..10_000).map(|_| flow.as_shared().subscribe()).collect();
    let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(flow.as_shared().into_stream())).collect();
    for stream in &mut waiting {
        assert!(stream.as_mut().poll_next(&mut Context::from_waker(&waker)).is_pending());
    }
    assert!(flow.try_emit(1));
    assert_eq!(counted.0.load(Ordering::Relaxed), 3);
    for n in 2..50 {
        assert!(flow.try_emit(n));
    }
    assert_eq!(counted.0.load(Ordering::Relaxed), 3, "nobody waits");
    drop(idle);
    for stream in &mut waiting {
        for n in 1..50 {
            assert_eq!(stream.as_mut().poll_next(&mut Context::from_waker(&waker)), Poll::Ready(Some(Ok(n))));
        }
    }
}

/// The shortest of some measurements, to leave the noise out.
fn shortest(mut measured: impl FnMut() -> Duration) -> Duration {
    (0..5).map(|_| measured()).min().unwrap()
}

fn emissions_beside_idle(idle: usize) -> Duration {
    let flow = shared(0, 4, Overflow::DropOldest);
    let idle: Vec<_> = (0..idle).map(|_| flow.as_shared().subscribe()).collect();
    let elapsed = shortest(|| {
        let began = Instant::now();
        for n in 0..2000 {
            assert!(flow.try_emit(n));
        }
        began.elapsed()
    });
    drop(idle);
    elapsed
}

#[test]
fn an_emission_costs_the_same_however_many_do_not_wait() {
    let (few, many) = (emissions_beside_idle(10), emissions_beside_idle(10_000));
    assert!(many < few * 20 + Duration::from_millis(1), "{few:?} beside 10, {many:?} beside 10,000");
}

fn updates_beside_idle(idle: usize) -> Duration {
    let state = MutableStateFlow::new(0);
    let idle: Vec<_> = (0..idle).map(|_| state.as_state().subscribe()).collect();
    let elapsed = shortest(|| {
        let began = Instant::now();
        (0..2000).for_each(|_| state.update(|n| n + 1));
        began.elapsed()
    });
    drop(idle);
    elapsed
}

#[test]
fn a_change_costs_the_same_however_many_do_not_wait() {
    let (few, many) = (updates_beside_idle(10), updates_beside_idle(10_000));
    assert!(many < few * 20 + Duration::from_millis(1), "{few:?} beside 10, {many:?} beside 10,000");
}

/// How long it takes so many subscribers to take ten values each, and to leave.
fn reading(flow: &MutableSharedFlow<u32>, subscribers: usize) -> Duration {
    let counted = Waker::from(Arc::new(Counted::default()));
    let mut cx = Context::from_waker(&counted);
    shortest(|| {
        let mut all: Vec<_> = (0..subscribers).map(|_| Box::pin(flow.as_shared().into_stream())).collect();
        let began = Instant::now();
        for stream in &mut all {
            while stream.as_mut().poll_next(&mut cx).is_ready() {}
        }
        for n in 0..10 {
            assert!(flow.try_emit(n));
            for stream in &mut all {
                assert_eq!(stream.as_mut().poll_next(&mut cx), Poll::Ready(Some(Ok(n))));
                assert!(stream.as_mut().poll_next(&mut cx).is_pending());
            }
        }
        drop(all);
        began.elapsed()
    })
}

#[test]
fn reading_costs_each_subscriber_the_same_however_many_there_are() {
    for (replay, extra) in [(0, 1), (1, 0), (4, 16)] {
        let flow = suspending(replay, extra);
        // The square would be 1600 times as long.
        let (some, many) = (reading(&flow, 500), reading(&flow, 20_000));
        assert!(many < some * 300, "{some:?} for 500, {many:?} for 20,000");
    }
}

#[test]
fn without_room_a_handover_to_ten_thousand_is_not_quadratic() {
    fn handover(subscribers: usize) -> Duration {
        let flow = suspending(0, 0);
        let mut all: Vec<_> = (0..subscribers).map(|_| subscriber(&flow)).collect();
        shortest(|| {
            let began = Instant::now();
            for n in 0..5 {
                let mut emission = crate::support::Polling::new(flow.emit(n));
                assert!(emission.poll().is_pending());
                for one in &mut all {
                    assert_eq!(got(one), Poll::Ready(Some(n)));
                    assert_eq!(got(one), Poll::Pending);
                }
                assert!(emission.poll().is_ready());
            }
            began.elapsed()
        })
    }
    // The square would be 1600 times as long.
    let (some, many) = (handover(500), handover(20_000));
    assert!(many < some * 300, "{some:?} for 500, {many:?} for 20,000");
}

#[test]
fn those_who_have_left_cost_nothing() {
    let flow = shared(1, 0, Overflow::DropOldest);
    let mut changes = Driver::new(flow.subscription_count());
    assert_eq!(drained(&mut changes), [0]);
    for _ in 0..100 {
        let mut all: Vec<_> = (0..100).map(|_| Driver::new(flow.as_shared())).collect();
        for one in &mut all {
            drop(drained(one));
        }
    }
    assert!(drained(&mut changes).len() > 10_000);
    let began = Instant::now();
    for n in 0..1000 {
        assert!(flow.try_emit(n));
    }
    assert!(began.elapsed() < Duration::from_secs(1));
}
