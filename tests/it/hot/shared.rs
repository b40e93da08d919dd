//! Kotlin's `SharedFlowTest`, and how a shared flow ends, which Kotlin's does not.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::task::Poll::{Pending, Ready};

use coldflow::{ColdFlow, Flow, FlowExt, MutableSharedFlow, Overflow, SharedConfig, SharedFlow, flow};
use futures::executor::LocalPool;
use futures::task::LocalSpawnExt;

use super::random::Random;
use super::{drained, got, shared, subscriber, suspending, to_the_end};
use crate::support::{Driver, Polling, block_on};

#[track_caller]
fn emits<T>(flow: &MutableSharedFlow<T>, value: T) {
    assert!(Polling::new(flow.emit(value)).poll().is_ready());
}

fn count<T>(flow: &MutableSharedFlow<T>) -> usize {
    flow.subscription_count().value()
}

// testRendezvousSharedFlowBasic
#[test]
fn without_room_each_value_goes_from_hand_to_hand() {
    let flow = suspending::<Option<i32>>(0, 0);
    assert_eq!(count(&flow), 0);
    // Nobody is there: it is lost.
    emits(&flow, Some(1));
    assert!(flow.as_shared().replay_cache().is_empty());
    let mut first = subscriber(&flow);
    assert_eq!(count(&flow), 1);
    assert_eq!(got(&mut first), Pending);
    let mut emission = Polling::new(flow.emit(Some(2)));
    assert!(emission.poll().is_pending());
    assert!(first.woken());
    assert_eq!(got(&mut first), Ready(Some(Some(2))));
    assert!(emission.woken());
    assert!(emission.poll().is_ready());
    let mut second = subscriber(&flow);
    assert_eq!(count(&flow), 2);
    let mut emission = Polling::new(flow.emit(None));
    assert!(emission.poll().is_pending());
    assert_eq!(got(&mut second), Ready(Some(None)));
    assert!(!emission.woken() && emission.poll().is_pending(), "the other has not got it yet");
    assert_eq!(got(&mut second), Pending);
    assert_eq!(got(&mut first), Ready(Some(None)));
    assert!(emission.woken());
    assert!(emission.poll().is_ready());
    drop(first);
    assert_eq!(count(&flow), 1);
    let mut emission = Polling::new(flow.emit(Some(3)));
    assert!(emission.poll().is_pending());
    assert!(flow.as_shared().replay_cache().is_empty());
    assert!(second.woken());
    assert_eq!(got(&mut second), Ready(Some(Some(3))));
    assert!(emission.poll().is_ready());
    drop(second);
    assert_eq!(count(&flow), 0);
    emits(&flow, Some(4));
}

// testRendezvousSharedFlowReset
#[test]
fn without_room_a_reset_changes_nothing() {
    let flow = suspending(0, 0);
    let mut one = subscriber(&flow);
    // Also an idle subscriber refuses what need not wait.
    assert_eq!(got(&mut one), Pending);
    assert!(!flow.try_emit(1));
    assert!(!one.woken());
    let mut emission = Polling::new(flow.emit(1));
    assert!(emission.poll().is_pending());
    flow.reset_replay_cache();
    assert!(!flow.try_emit(2));
    assert!(emission.poll().is_pending());
    assert_eq!(got(&mut one), Ready(Some(1)));
    assert!(emission.poll().is_ready());
    assert!(!flow.try_emit(2));
}

// testReplay1SharedFlowBasic
#[test]
fn the_last_value_is_kept_for_whoever_comes() {
    let flow = suspending(1, 0);
    emits(&flow, 1);
    emits(&flow, 2);
    assert_eq!(flow.as_shared().replay_cache(), [2]);
    let mut first = subscriber(&flow);
    assert_eq!(drained(&mut first), [2]);
    emits(&flow, 3);
    assert!(first.woken());
    assert_eq!(drained(&mut first), [3]);
    let mut second = subscriber(&flow);
    assert_eq!(drained(&mut second), [3]);
    drop((first, second));
    emits(&flow, 17);
    let third = subscriber(&flow);
    assert_eq!(count(&flow), 1);
    drop(third);
    assert_eq!(flow.as_shared().replay_cache(), [17]);
}

// testReplay1
#[test]
fn a_reset_makes_no_room() {
    let flow = suspending(1, 0);
    let mut busy = subscriber(&flow);
    emits(&flow, 5);
    let mut emission = Polling::new(flow.emit(6));
    assert!(emission.poll().is_pending());
    assert_eq!(flow.as_shared().replay_cache(), [5]);
    flow.reset_replay_cache();
    assert!(flow.as_shared().replay_cache().is_empty());
    assert!(!flow.try_emit(7));
    assert!(emission.poll().is_pending());
    assert_eq!(drained(&mut busy), [5, 6]);
    assert!(emission.woken() && emission.poll().is_ready());
    assert_eq!(flow.as_shared().replay_cache(), [6]);
}

// testReplay2Extra1
#[test]
fn what_is_owed_survives_a_reset() {
    let flow = suspending(2, 1);
    let mut busy = subscriber(&flow);
    assert!(flow.try_emit(1));
    assert!(flow.try_emit(2));
    assert!(flow.try_emit(3));
    assert!(!flow.try_emit(4));
    assert_eq!(flow.as_shared().replay_cache(), [2, 3]);
    flow.reset_replay_cache();
    assert!(flow.as_shared().replay_cache().is_empty());
    assert!(!flow.try_emit(4));
    assert_eq!(got(&mut busy), Ready(Some(1)));
    assert!(flow.try_emit(4));
    assert_eq!(flow.as_shared().replay_cache(), [4]);
    assert!(!flow.try_emit(5));
    assert_eq!(drained(&mut busy), [2, 3, 4]);
    for n in 5..8 {
        assert!(flow.try_emit(n));
    }
    assert_eq!(flow.as_shared().replay_cache(), [6, 7]);
    assert_eq!(drained(&mut busy), [5, 6, 7]);
}

// testBufferNoReplayCancelWhileBuffering
#[test]
fn a_slow_subscriber_that_leaves_lets_the_emission_go_on() {
    let flow = suspending(0, 5);
    for _ in 0..3 {
        let mut slow = subscriber(&flow);
        emits(&flow, 0);
        assert_eq!(drained(&mut slow), [0]);
        for n in 1..=5 {
            assert!(flow.try_emit(n));
        }
        let mut emission = Polling::new(flow.emit(6));
        assert!(emission.poll().is_pending());
        drop(slow);
        assert!(emission.woken() && emission.poll().is_ready());
        assert_eq!(count(&flow), 0);
        assert!(drained(&mut subscriber(&flow)).is_empty(), "nothing was kept");
    }
}

// testRepeatedResetWithReplay
#[test]
fn resets_while_a_slow_subscriber_holds_the_emitter_up() {
    let flow = suspending(10, 0);
    let mut slow = subscriber(&flow);
    let mut received = Vec::new();
    let mut expected = Vec::new();
    for round in 0..4 {
        let values: Vec<i32> = (round * 20..round * 20 + 20).collect();
        for value in &values {
            let mut emission = Polling::new(flow.emit(*value));
            if emission.poll().is_pending() {
                flow.reset_replay_cache();
                assert!(flow.as_shared().replay_cache().is_empty());
                assert!(emission.poll().is_pending());
                let Ready(Some(oldest)) = got(&mut slow) else { panic!("it is owed ten") };
                received.push(oldest);
                assert!(emission.woken() && emission.poll().is_ready());
                assert_eq!(flow.as_shared().replay_cache(), [*value]);
            }
        }
        expected.extend(values);
    }
    // Every value was owed to it, in order, the resets notwithstanding.
    received.extend(drained(&mut slow));
    assert_eq!(received, expected);
}

// testSynchronousSharedFlowEmitterCancel
#[test]
fn without_room_a_withdrawn_emission_is_passed_over_by_those_who_have_it() {
    let flow = suspending(0, 0);
    let mut fast = subscriber(&flow);
    let mut slow = subscriber(&flow);
    let mut first = Polling::new(flow.emit(1));
    assert!(first.poll().is_pending());
    assert_eq!(drained(&mut fast), [1]);
    assert_eq!(got(&mut slow), Ready(Some(1)));
    assert!(first.poll().is_ready());
    let mut second = Polling::new(flow.emit(2));
    assert!(second.poll().is_pending());
    assert!(fast.woken());
    assert_eq!(drained(&mut fast), [2]);
    drop(second);
    drop(slow);
    let mut third = Polling::new(flow.emit(3));
    assert!(third.poll().is_pending());
    assert!(fast.woken());
    assert_eq!(drained(&mut fast), [3]);
    assert!(third.woken() && third.poll().is_ready());
}

// testDifferentBufferedFlowCapacities
#[test]
fn all_sizes() {
    for replay in 0..=10 {
        for extra in 0..=5 {
            let flow = suspending(replay, extra);
            for n in 0..replay + 3 {
                emits(&flow, n);
            }
            for _ in 0..3 {
                let before = flow.as_shared().replay_cache();
                assert_eq!(before.len(), replay);
                let mut subscribers: Vec<_> = (0..10).map(|_| (subscriber(&flow), Vec::new())).collect();
                for n in 0..42 {
                    let mut emission = Polling::new(flow.emit(n));
                    while emission.poll().is_pending() {
                        for (at, (subscriber, received)) in subscribers.iter_mut().enumerate() {
                            // Some are slower than others.
                            let taken: Vec<_> = std::iter::from_fn(|| match got(subscriber) {
                                Ready(value) => value,
                                Pending => None,
                            })
                            .take(1 + at % 3)
                            .collect();
                            received.extend(taken);
                        }
                    }
                }
                for (subscriber, received) in &mut subscribers {
                    received.extend(drained(subscriber));
                    let expected: Vec<usize> = before.iter().copied().chain(0..42).collect();
                    assert_eq!(*received, expected, "replay {replay}, extra {extra}");
                }
                drop(subscribers);
                let kept: Vec<usize> = (42 - replay..42).collect();
                assert_eq!(flow.as_shared().replay_cache(), kept);
            }
        }
    }
}

fn drops(overflow: Overflow) -> (i32, Vec<i32>) {
    let flow = shared(1, 0, overflow);
    emits(&flow, 1);
    emits(&flow, 2);
    assert_eq!(flow.as_shared().replay_cache(), [2], "without subscribers the last is kept");
    let mut busy = subscriber(&flow);
    assert_eq!(drained(&mut busy), [2]);
    emits(&flow, 3);
    assert_eq!(drained(&mut busy), [3]);
    emits(&flow, 4);
    assert!(flow.try_emit(5));
    let cache = flow.as_shared().replay_cache();
    assert_eq!(cache.len(), 1);
    let received = drained(&mut busy);
    drop(busy);
    emits(&flow, 6);
    emits(&flow, 7);
    assert_eq!(flow.as_shared().replay_cache(), [7], "without subscribers the last is kept");
    (cache[0], received)
}

// testDropLatest
#[test]
fn drop_latest_ignores_what_finds_no_room() {
    assert_eq!(drops(Overflow::DropLatest), (4, vec![4]));
}

// testDropOldest
#[test]
fn drop_oldest_moves_the_slow_on() {
    assert_eq!(drops(Overflow::DropOldest), (5, vec![5]));
}

// testOnSubscription, as far as a subscription made in time goes: what is emitted after it is received.
#[test]
fn what_is_emitted_before_the_first_poll_of_a_subscription_is_received() {
    let flow = suspending(0, 9);
    let log = Arc::new(Mutex::new(Vec::new()));
    let (started, inner) = (Arc::clone(&log), flow.clone());
    let collection = flow
        .as_shared()
        .subscribe()
        .on_start(move |mut emitter| {
            started.lock().unwrap().push("started");
            assert!(inner.try_emit("emitted meanwhile"));
            async move { emitter.emit("from on_start").await }
        })
        .take(2)
        .to_vec();
    assert_eq!(block_on(collection), Ok(vec!["from on_start", "emitted meanwhile"]));
    assert_eq!(*log.lock().unwrap(), ["started"]);
    // Without it the collection subscribes after `on_start`, and loses the value.
    let (inner, lost) = (flow.clone(), flow.as_shared());
    let lost = lost.on_start(move |_| {
        assert!(inner.try_emit("lost"));
        async {}
    });
    let mut lost = Driver::new(lost);
    assert_eq!(lost.poll(), Pending);
    assert!(flow.try_emit("kept"));
    assert_eq!(lost.poll(), Ready(Some(Ok("kept"))));
}

// onSubscriptionThrows, as far as a failing `on_start` goes.
#[test]
fn a_collection_that_fails_at_its_start_leaves_no_subscription() {
    let flow = suspending(1, 0);
    emits(&flow, 1);
    let failing = flow.as_shared().subscribe().fallible().on_start(|_| async { Err("no") });
    assert_eq!(count(&flow), 1);
    assert_eq!(block_on(failing.to_vec()), Err("no"));
    assert_eq!(count(&flow), 0);
}

/// Subscribers come and go at random, all see consecutive values.
fn many_subscribers(replay: usize, extra: usize) {
    let flow = suspending(replay, extra);
    let mut random = Random::new(42);
    let mut subscribers = Vec::new();
    for n in 0..100 {
        subscribers.push((subscriber(&flow), Vec::new()));
        if n > 10 && random.below(3) == 0 {
            let at = random.below(subscribers.len());
            subscribers.swap_remove(at);
        }
        let mut emission = Polling::new(flow.emit(n));
        loop {
            let done = emission.poll().is_ready();
            for (subscriber, received) in &mut subscribers {
                if random.flip() {
                    received.extend(drained(subscriber));
                }
            }
            if done {
                break;
            }
        }
    }
    for (mut subscriber, mut received) in subscribers {
        received.extend(drained(&mut subscriber));
        assert!(received.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{received:?}");
        assert_eq!(received.last(), Some(&99));
        if replay >= 100 {
            assert_eq!(received.len(), 100);
        }
    }
    assert_eq!(count(&flow), 0);
}

// testBigReplayManySubscribers
#[test]
fn a_large_replay_and_many_subscribers() {
    many_subscribers(100, 0);
}

// testBigBufferManySubscribers
#[test]
fn a_large_buffer_and_many_subscribers() {
    many_subscribers(0, 100);
    many_subscribers(0, 1);
    many_subscribers(0, 0);
}

// testIllegalArgumentException; negative sizes cannot be written.
#[test]
fn dropping_without_room_is_refused_where_it_is_asked_for() {
    for overflow in [Overflow::DropOldest, Overflow::DropLatest] {
        let config = SharedConfig { overflow, ..SharedConfig::default() };
        let panic = catch_unwind(|| MutableSharedFlow::<i32>::new(config)).unwrap_err();
        let message = panic.downcast_ref::<&str>().unwrap();
        assert!(message.contains("`replay` or `extra_capacity` must be at least 1"), "{message}");
    }
}

// testOperatorFusion: there is no identity to compare, but a buffer of nothing adds no place.
#[test]
fn a_buffer_of_the_same_size_adds_nothing_that_is_seen() {
    let flow = suspending(0, 0);
    let mut buffered = Driver::new(flow.as_shared().buffer(0, Overflow::Suspend));
    assert_eq!(buffered.poll(), Pending);
    let mut emission = Polling::new(flow.emit(1));
    assert!(emission.poll().is_pending());
    assert!(buffered.woken());
    assert_eq!(buffered.poll(), Ready(Some(Ok(1))));
    assert!(emission.poll().is_ready());
}

// testReplayCancellability, testEmitCancellability
#[test]
fn a_subscriber_that_leaves_at_the_third_value_gets_no_other() {
    for replay in [0, 5] {
        let flow = suspending(replay, 5 - replay);
        let mut early = (replay == 0).then(|| subscriber(&flow));
        for n in 1..=5 {
            emits(&flow, n);
        }
        let mut leaving = early.take().unwrap_or_else(|| subscriber(&flow));
        for n in 1..=3 {
            assert_eq!(got(&mut leaving), Ready(Some(n)));
        }
        leaving.stop();
        assert!(leaving.is_terminated());
        assert_eq!(got(&mut leaving), Ready(None));
        assert_eq!(count(&flow), 0);
    }
}

// testSubscriptionCount
#[test]
fn every_change_of_the_count_is_seen() {
    let flow = suspending::<i32>(0, 0);
    let mut changes = Driver::new(flow.subscription_count());
    assert_eq!(drained(&mut changes), [0]);
    let a = subscriber(&flow);
    let b = subscriber(&flow);
    drop(a);
    assert!(changes.woken());
    assert_eq!(drained(&mut changes), [1, 2, 1]);
    // One that comes and leaves while nobody looks.
    drop(subscriber(&flow));
    drop(b);
    assert_eq!(drained(&mut changes), [2, 1, 0]);
    assert_eq!(drained(&mut Driver::new(flow.subscription_count())), [0], "a new one begins with the number of now");
    // The collection of a count is no subscriber of the flow.
    assert_eq!(count(&flow), 0);
    // It ends when the flow is gone.
    drop(flow);
    assert_eq!(got(&mut changes), Ready(None));
}

// testSubscriptionByFirstSuspensionInSharedFlow
#[test]
fn a_collection_that_was_polled_has_subscribed() {
    for replay in 0..2 {
        let flow = suspending(replay, 1);
        let mut collection = Driver::new(flow.as_shared().map(|n: i32| n * 10));
        assert_eq!(count(&flow), 0, "nothing happens before the first poll");
        assert_eq!(collection.poll(), Pending);
        assert_eq!(count(&flow), 1);
        assert!(flow.try_emit(1));
        assert!(collection.woken());
        assert_eq!(collection.poll(), Ready(Some(Ok(10))));
    }
}

// testCancellingSubscriberAndEmitterWithNoBuffer
#[test]
fn a_subscriber_and_an_emission_that_leave_together_leave_a_usable_flow() {
    let flow = suspending(0, 0);
    for round in 0..10 {
        let mut leaving = subscriber(&flow);
        assert_eq!(got(&mut leaving), Pending);
        let mut emission = Polling::new(flow.emit(round));
        assert!(emission.poll().is_pending());
        if round % 2 == 0 {
            drop(leaving);
            drop(emission);
        } else {
            drop(emission);
            drop(leaving);
        }
        let mut other = subscriber(&flow);
        let mut emission = Polling::new(flow.emit(100));
        assert!(emission.poll().is_pending());
        assert_eq!(drained(&mut other), [100]);
        assert!(emission.poll().is_ready());
    }
    assert_eq!(count(&flow), 0);
}

// Where we differ: a flow ends with the last half that can emit.
#[test]
fn when_the_last_emitting_half_is_gone_what_is_owed_is_received_and_then_the_end() {
    let flow = suspending(1, 2);
    let other = flow.clone();
    let reading = flow.as_shared();
    let mut owed = subscriber(&flow);
    let mut idle = subscriber(&flow);
    for n in 1..=3 {
        emits(&flow, n);
    }
    assert_eq!(drained(&mut idle), [1, 2, 3]);
    drop(flow);
    assert!(!idle.woken(), "there is another half");
    drop(other);
    assert!(idle.woken());
    assert_eq!(got(&mut idle), Ready(None));
    assert!(idle.is_terminated());
    assert_eq!(got(&mut idle), Ready(None));
    assert_eq!(owed.rest(), [Ok(1), Ok(2), Ok(3)]);
    // Also who comes later gets the replay.
    assert_eq!(to_the_end(reading.clone()), [3]);
    assert_eq!(to_the_end(reading.subscribe()), [3]);
    assert_eq!(reading.subscription_count().value(), 0);
    assert_eq!(reading.replay_cache(), [3]);
}

#[test]
fn collecting_the_emitting_half_gives_it_up() {
    let flow = suspending(2, 0);
    emits(&flow, 1);
    emits(&flow, 2);
    assert_eq!(to_the_end(flow), [1, 2]);
}

#[test]
fn collecting_again_subscribes_again() {
    fn is_cold<F: ColdFlow>(flow: F) -> F {
        flow
    }
    let flow = suspending(1, 3);
    let reading = is_cold(flow.as_shared());
    emits(&flow, 1);
    let mut collection = Driver::new(reading.clone());
    assert_eq!(drained(&mut collection), [1]);
    emits(&flow, 2);
    emits(&flow, 3);
    collection.restart();
    assert_eq!(count(&flow), 0, "a fresh collection has not subscribed");
    assert_eq!(drained(&mut collection), [3]);
    assert_eq!(count(&flow), 1);
    // Restarting a subscription that was made at once subscribes anew, too.
    let mut subscribed = Driver::new(reading.subscribe());
    assert_eq!(count(&flow), 2);
    subscribed.restart();
    assert_eq!(count(&flow), 1);
    assert_eq!(drained(&mut subscribed), [3]);
    // And after the end.
    drop((flow, reading));
    assert_eq!(got(&mut collection), Ready(None));
    collection.restart();
    assert_eq!(collection.rest(), [Ok(3)]);
}

#[test]
fn a_retry_above_a_hot_flow_subscribes_anew() {
    let flow = suspending(1, 3);
    emits(&flow, 1);
    let mut failures = 0;
    let checked = flow.as_shared().fallible::<&str>().try_map(move |n| {
        failures += 1;
        if failures < 3 { Err("again") } else { Ok(n) }
    });
    let mut retried = Driver::new(checked.retry(5));
    assert_eq!(retried.poll(), Ready(Some(Ok(1))));
    assert_eq!(count(&flow), 1);
}

#[test]
fn while_let_and_for_each_both_read_it() {
    use futures::StreamExt;
    let flow = suspending(3, 0);
    for n in 1..=3 {
        emits(&flow, n);
    }
    let (looped, each) = (flow.as_shared(), flow.as_shared());
    drop(flow);
    block_on(async {
        let mut stream = std::pin::pin!(looped.into_stream());
        let mut sum = 0;
        while let Some(Ok(n)) = stream.next().await {
            sum += n;
        }
        assert_eq!(sum, 6);
        let seen = Mutex::new(Vec::new());
        let Ok(()) = each
            .for_each(|n| {
                seen.lock().unwrap().push(n);
                std::future::ready(())
            })
            .await;
        assert_eq!(seen.into_inner().unwrap(), [1, 2, 3]);
    });
}

#[test]
fn an_emission_that_was_never_polled_emits_nothing() {
    let flow = suspending(1, 0);
    drop(flow.emit(1));
    assert!(flow.as_shared().replay_cache().is_empty());
    let mut busy = subscriber(&flow);
    emits(&flow, 2);
    let mut late = Polling::new(flow.emit(4));
    let mut early = Polling::new(flow.emit(3));
    assert!(early.poll().is_pending());
    assert!(late.poll().is_pending(), "it is the first poll that gives a place in the queue");
    assert_eq!(drained(&mut busy), [2, 3, 4]);
    assert!(early.poll().is_ready() && late.poll().is_ready());
}

#[test]
fn an_emission_wakes_the_task_that_polled_it_last() {
    let flow = suspending(0, 1);
    let mut busy = subscriber(&flow);
    emits(&flow, 1);
    let mut first = Polling::new(flow.emit(2));
    assert!(first.poll().is_pending());
    let _ = got(&mut busy);
    assert!(first.woken());
    let mut subscriber = subscriber(&flow);
    assert_eq!(got(&mut subscriber), Pending);
    subscriber.change_waker();
    assert_eq!(got(&mut subscriber), Pending);
    drop(busy);
    assert!(!subscriber.woken());
    emits(&flow, 3);
    assert!(subscriber.woken());
}

#[test]
fn a_value_is_dropped_as_soon_as_nobody_is_owed_it() {
    let flow = suspending(1, 2);
    let value = Arc::new(());
    let alive = |value: &Arc<()>| Arc::strong_count(value) - 1;
    let mut slow = subscriber(&flow);
    let mut fast = subscriber(&flow);
    for _ in 0..3 {
        emits(&flow, Arc::clone(&value));
    }
    let mut withdrawn = Polling::new(flow.emit(Arc::clone(&value)));
    assert!(withdrawn.poll().is_pending());
    assert_eq!(alive(&value), 4);
    drop(withdrawn);
    assert_eq!(alive(&value), 3);
    drop(drained(&mut fast));
    assert_eq!(alive(&value), 3);
    drop(got(&mut slow));
    assert_eq!(alive(&value), 2);
    drop(slow);
    assert_eq!(alive(&value), 1, "the replay");
    flow.reset_replay_cache();
    assert_eq!(alive(&value), 0);
    let _ = flow.try_emit(Arc::clone(&value));
    drop((flow, fast));
    assert_eq!(alive(&value), 0);
}

#[test]
fn a_clone_that_panics_leaves_a_usable_flow() {
    #[derive(Debug)]
    struct Panics(i32);
    impl Clone for Panics {
        fn clone(&self) -> Self {
            assert_ne!(self.0, 1, "will not be cloned");
            Panics(self.0)
        }
    }
    let flow = suspending(3, 0);
    let mut subscriber = subscriber(&flow);
    for n in 0..3 {
        emits(&flow, Panics(n));
    }
    assert!(matches!(got(&mut subscriber), Ready(Some(Panics(0)))));
    assert!(catch_unwind(AssertUnwindSafe(|| got(&mut subscriber))).is_err());
    assert!(matches!(got(&mut subscriber), Ready(Some(Panics(2)))));
    emits(&flow, Panics(7));
    assert!(matches!(got(&mut subscriber), Ready(Some(Panics(7)))));
}

// SharedFlow below an executor of one's own: no Tokio is needed.
#[test]
fn any_executor_will_do() {
    let mut pool = LocalPool::new();
    let flow = suspending(0, 0);
    let reading: SharedFlow<i32> = flow.as_shared();
    let received = Arc::new(Mutex::new(Vec::new()));
    for _ in 0..3 {
        let (subscribed, received) = (reading.subscribe(), Arc::clone(&received));
        pool.spawner()
            .spawn_local(async move {
                let Ok(all) = subscribed.to_vec().await;
                received.lock().unwrap().push(all);
            })
            .unwrap();
    }
    pool.spawner()
        .spawn_local(async move {
            for n in 0..4 {
                flow.emit(n).await;
            }
        })
        .unwrap();
    pool.run();
    assert_eq!(*received.lock().unwrap(), vec![vec![0, 1, 2, 3]; 3]);
}

#[test]
fn a_flow_that_emits_into_another() {
    let flow_of_values = flow(async |mut emitter| {
        for n in 0..3 {
            emitter.emit(n).await;
        }
    });
    let hot = suspending(3, 0);
    let target = hot.clone();
    let fill = flow_of_values.for_each(move |n| {
        let target = target.clone();
        async move { target.emit(n).await }
    });
    assert_eq!(block_on(fill), Ok(()));
    assert_eq!(to_the_end(hot), [0, 1, 2]);
}
