//! Races that shared flows are known to lose, here and elsewhere: step by step, and between threads.

use std::sync::Barrier;
use std::task::Poll;
use std::thread;

use coldflow::FlowExt;
use futures::executor::block_on;

use super::{drained, got, subscriber, suspending, within_a_minute};
use crate::support::Polling;

#[test]
fn an_emission_and_a_subscriber_that_leave_in_either_order_let_the_next_emission_in() {
    for (replay, extra) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        for emission_first in [true, false] {
            let flow = suspending(replay, extra);
            let mut leaving = subscriber(&flow);
            let mut staying = subscriber(&flow);
            for n in 0..replay + extra {
                assert!(flow.try_emit(n));
            }
            drop(drained(&mut staying));
            let mut cancelled = Polling::new(flow.emit(10));
            let mut queued = Polling::new(flow.emit(11));
            assert!(cancelled.poll().is_pending() && queued.poll().is_pending());
            assert_eq!(got(&mut staying).is_ready(), replay + extra == 0);
            assert!(got(&mut staying).is_pending());
            let _ = staying.woken();
            if emission_first {
                drop(cancelled);
                drop(leaving);
            } else {
                drop(leaving);
                drop(cancelled);
            }
            assert!(staying.woken(), "the queued value is there");
            assert_eq!(drained(&mut staying).last(), Some(&11));
            assert!(queued.woken() && queued.poll().is_ready());
            leaving = subscriber(&flow);
            drop(drained(&mut leaving));
        }
    }
}

#[test]
fn without_room_a_slow_subscriber_that_takes_its_value_shows_the_next_one_to_a_fast_one() {
    let flow = suspending(0, 0);
    let mut fast = subscriber(&flow);
    let mut slow = subscriber(&flow);
    let mut first = Polling::new(flow.emit(1));
    let mut second = Polling::new(flow.emit(2));
    assert!(first.poll().is_pending() && second.poll().is_pending());
    assert_eq!(drained(&mut fast), [1]);
    assert_eq!(got(&mut slow), Poll::Ready(Some(1)));
    assert!(first.woken() && !second.woken());
    assert!(fast.woken(), "the second emission is offered now");
    assert_eq!(drained(&mut fast), [2]);
    drop(slow);
    assert!(second.woken());
}

#[test]
fn a_newcomer_to_a_flow_without_room_holds_up_the_emission_that_is_offered() {
    let flow = suspending(0, 0);
    let mut slow = subscriber(&flow);
    let mut emission = Polling::new(flow.emit(1));
    assert!(emission.poll().is_pending());
    let mut newcomer = subscriber(&flow);
    assert_eq!(drained(&mut slow), [1]);
    assert!(!emission.woken());
    assert_eq!(drained(&mut newcomer), [1]);
    assert!(emission.woken() && emission.poll().is_ready());
}

/// A subscriber and an emission leave at once while another emission waits: it must reach the subscriber who stays.
fn leave_at_once(replay: usize, extra: usize) {
    for _ in 0..300 {
        let flow = suspending(replay, extra);
        let leaving = subscriber(&flow);
        let staying = flow.as_shared().subscribe();
        for n in 0..replay + extra {
            assert!(flow.try_emit(n));
        }
        let mut cancelled = Polling::new(flow.emit(10));
        assert!(cancelled.poll().is_pending());
        let start = Barrier::new(4);
        thread::scope(|scope| {
            scope.spawn(|| {
                start.wait();
                drop(leaving);
            });
            scope.spawn(|| {
                start.wait();
                drop(cancelled);
            });
            scope.spawn(|| {
                start.wait();
                block_on(flow.emit(11));
            });
            start.wait();
            assert_eq!(block_on(staying.first_where(|n| *n == 11)), Ok(Some(11)));
        });
        assert_eq!(flow.subscription_count().value(), 0);
        assert!(flow.try_emit(12));
    }
}

#[test]
fn leaving_at_once_without_room() {
    within_a_minute(|| leave_at_once(0, 0));
}

#[test]
fn leaving_at_once_with_room() {
    within_a_minute(|| leave_at_once(1, 0));
    within_a_minute(|| leave_at_once(0, 2));
}

#[test]
fn the_only_subscriber_leaves_while_two_emissions_are_queued() {
    within_a_minute(|| {
        for _ in 0..300 {
            let flow = suspending(1, 0);
            let only = subscriber(&flow);
            assert!(flow.try_emit(0));
            thread::scope(|scope| {
                for n in 1..=2 {
                    let flow = &flow;
                    scope.spawn(move || block_on(flow.emit(n)));
                }
                drop(only);
            });
            assert_ne!(flow.as_shared().replay_cache(), [0]);
            assert!(flow.try_emit(3));
        }
    });
}

#[test]
fn a_slow_and_a_fast_subscriber_between_threads() {
    within_a_minute(|| {
        for (replay, extra) in [(0, 0), (1, 0), (0, 1)] {
            let flow = suspending(replay, extra);
            let (fast, slow) = (flow.as_shared().subscribe(), flow.as_shared().subscribe());
            thread::scope(|scope| {
                scope.spawn(move || assert_eq!(block_on(fast.to_vec()).unwrap(), (0..2000).collect::<Vec<_>>()));
                scope.spawn(move || {
                    let all = slow.then(|n| async move {
                        if n % 64 == 0 {
                            thread::yield_now();
                        }
                        n
                    });
                    assert_eq!(block_on(all.to_vec()).unwrap(), (0..2000).collect::<Vec<_>>());
                });
                for n in 0..2000 {
                    block_on(flow.emit(n));
                }
                drop(flow);
            });
        }
    });
}
