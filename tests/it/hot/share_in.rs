//! Kotlin's `ShareInTest`, `ShareInBufferTest`, `ShareInConflationTest` and `ShareInFusionTest`, and to whom the sharing
//! task belongs.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll::{Pending, Ready};
use std::time::Duration;

use coldflow::hot::{SharedFlowStream, Subscription};
use coldflow::{
    BoxFlow, Flow, FlowExt, Overflow, SharedFlow, SharingCommand, SharingPolicy, SharingStarted, SubscriptionCount,
    channel_flow, empty, flow, flow_of,
};
use tokio::time::sleep;

use super::random::Random;
use super::{drained, got};
use crate::support::{Driver, Gate, Trace};

async fn settle() {
    for _ in 0..30 {
        tokio::task::yield_now().await;
    }
}

fn millis(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Notes in the trace when it runs.
fn traced(trace: &Trace) -> BoxFlow<'static, &'static str, Infallible> {
    let trace = trace.clone();
    flow(move |mut emitter| {
        let trace = trace.clone();
        async move {
            let _guard = trace.guard("upstream");
            emitter.emit("OK").await;
            sleep(millis(100)).await;
            emitter.emit("DONE").await;
        }
    })
    .boxed()
}

/// One subscriber, then nine more, then what they got to the end.
async fn ten_subscribers(started: SharingStarted, replay: usize) -> (Vec<&'static str>, Vec<Vec<&'static str>>) {
    let trace = Trace::new();
    let shared = traced(&trace).share_in(started, replay);
    settle().await;
    let before = trace.count("start upstream");
    assert_eq!(before, usize::from(started == SharingStarted::Eagerly));
    let mut first = Driver::new(shared.clone());
    let mut got_first = drained(&mut first);
    settle().await;
    got_first.extend(drained(&mut first));
    let mut later: Vec<_> = (0..9).map(|_| Driver::new(shared.clone())).collect();
    let mut all: Vec<_> = later.iter_mut().map(drained).collect();
    sleep(millis(200)).await;
    got_first.extend(drained(&mut first));
    for (subscriber, got) in later.iter_mut().zip(&mut all) {
        got.extend(drained(subscriber));
    }
    assert_eq!(trace.count("start upstream"), 1);
    assert!(trace.live().is_empty());
    (got_first, all)
}

// testReplay0Eager
#[tokio::test(start_paused = true)]
async fn eagerly_without_replay_loses_what_nobody_waits_for() {
    assert_eq!(ten_subscribers(SharingStarted::Eagerly, 0).await, (vec!["DONE"], vec![vec!["DONE"]; 9]));
}

// testReplay0Lazy
#[tokio::test(start_paused = true)]
async fn lazily_without_replay_only_the_first_gets_the_first() {
    assert_eq!(ten_subscribers(SharingStarted::Lazily, 0).await, (vec!["OK", "DONE"], vec![vec!["DONE"]; 9]));
}

// testReplay1Lazy
#[tokio::test(start_paused = true)]
async fn lazily_with_replay_all_get_all() {
    assert_eq!(ten_subscribers(SharingStarted::Lazily, 1).await, (vec!["OK", "DONE"], vec![vec!["OK", "DONE"]; 9]));
}

// testUpstreamCompleted; an upstream cannot fail, hence no testUpstreamFailed
#[tokio::test]
async fn when_the_upstream_has_ended_subscribers_wait_and_the_replay_stays() {
    let shared = flow_of(["OK"]).share_in(SharingStarted::Eagerly, 1);
    let mut early = Driver::new(shared.clone());
    settle().await;
    assert_eq!(drained(&mut early), ["OK"]);
    assert_eq!(shared.replay_cache(), ["OK"]);
    settle().await;
    assert_eq!(got(&mut early), Pending);
    assert_eq!(drained(&mut Driver::new(shared.clone())), ["OK"]);
    let nothing = empty::<i32>().share_in(SharingStarted::Lazily, 1);
    assert_eq!(got(&mut Driver::new(nothing)), Pending);
}

/// Runs while at least so many have subscribed.
#[derive(Clone, Copy)]
struct AtLeast(usize);

impl SharingPolicy for AtLeast {
    type Commands = BoxFlow<'static, SharingCommand, Infallible>;

    fn commands(self, subscribers: SubscriptionCount) -> Self::Commands {
        subscribers
            .map(move |count| if count >= self.0 { SharingCommand::Start } else { SharingCommand::Stop })
            .distinct_until_changed()
            .boxed()
    }
}

async fn five_cycles(policy: impl SharingPolicy<Commands: Flow<Stream: Send + 'static>>, threshold: usize) {
    let trace = Trace::new();
    let inner = trace.clone();
    let upstream = flow(move |mut emitter| {
        let trace = inner.clone();
        async move {
            let _guard = trace.guard("upstream");
            emitter.emit("OK").await;
            std::future::pending::<()>().await;
        }
    });
    let shared = upstream.share_in(policy, 0);
    for cycle in 0..5 {
        assert!(trace.live().is_empty());
        let mut subscribers = Vec::new();
        for count in 1..=threshold + 2 {
            let mut subscriber = Driver::new(shared.clone());
            assert_eq!(got(&mut subscriber), Pending);
            subscribers.push(subscriber);
            settle().await;
            assert_eq!(trace.live().len(), usize::from(count >= threshold));
            assert_eq!(trace.count("start upstream"), cycle + usize::from(count >= threshold));
        }
        for (at, subscriber) in subscribers.iter_mut().enumerate() {
            let expected: &[&str] = if at < threshold { &["OK"] } else { &[] };
            assert_eq!(drained(subscriber), expected);
        }
        while subscribers.pop().is_some() {
            settle().await;
            assert_eq!(trace.live().len(), usize::from(subscribers.len() >= threshold));
        }
        sleep(millis(50)).await;
    }
    assert_eq!(trace.count("start upstream"), 5);
}

// testWhileSubscribedBasic
#[tokio::test(start_paused = true)]
async fn while_subscribed_runs_while_there_is_a_subscriber() {
    five_cycles(SharingStarted::while_subscribed(Duration::ZERO, Duration::MAX), 1).await;
}

// testWhileSubscribedCustomAtLeast1, testWhileSubscribedCustomAtLeast2
#[tokio::test(start_paused = true)]
async fn a_policy_of_ones_own_decides_when_it_runs() {
    five_cycles(AtLeast(1), 1).await;
    five_cycles(AtLeast(2), 2).await;
}

// testShouldStart
#[tokio::test]
async fn a_subscriber_that_leaves_at_once_still_starts_it_lazily() {
    let ran = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&ran);
    let shared = flow_of(0..3)
        .inspect(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        })
        .share_in(SharingStarted::Lazily, 0);
    drop(shared.subscribe());
    settle().await;
    assert_eq!(ran.load(Ordering::Relaxed), 3, "the upstream runs to its end");
}

// testSubscriptionByFirstSuspensionInSharedFlow
#[tokio::test]
async fn the_first_subscriber_gets_the_first_value_without_replay() {
    let shared = flow_of([1]).share_in(SharingStarted::Lazily, 0);
    assert_eq!(shared.clone().first().await, Ok(Some(1)));
}

/// How many items the upstream has begun to emit while a subscriber takes nothing.
async fn runs_ahead<F>(replay: usize, make: impl FnOnce(BoxFlow<'static, usize, Infallible>) -> F) -> usize
where
    F: Flow<Item = usize, Error = Infallible, Stream: coldflow::Restart + Send + 'static>,
{
    let begun = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&begun);
    let upstream = flow(move |mut emitter| {
        let begun = Arc::clone(&counted);
        async move {
            for n in 0..1000 {
                begun.fetch_add(1, Ordering::Relaxed);
                emitter.emit(n).await;
            }
        }
    });
    let shared = make(upstream.boxed()).share_in(SharingStarted::Lazily, replay);
    let busy = shared.subscribe();
    settle().await;
    settle().await;
    let ahead = begun.load(Ordering::Relaxed);
    // What it takes, the upstream may go on by.
    let mut busy = Driver::new(busy);
    for n in 0..10 {
        assert_eq!(got(&mut busy), Ready(Some(n)));
        settle().await;
    }
    assert_eq!(begun.load(Ordering::Relaxed), ahead + 10);
    ahead
}

// ShareInBufferTest: the capacity, and the one that waits
#[tokio::test]
async fn the_upstream_runs_ahead_as_far_as_its_buffer_says() {
    assert_eq!(runs_ahead(0, |up| up).await, 64 + 1);
    assert_eq!(runs_ahead(1, |up| up).await, 64 + 1);
    assert_eq!(runs_ahead(10, |up| up).await, 64 + 1);
    assert_eq!(runs_ahead(100, |up| up).await, 100 + 1);
    assert_eq!(runs_ahead(0, |up| up.buffer(None, Overflow::Suspend)).await, 64 + 1);
    assert_eq!(runs_ahead(0, |up| up.buffer(10, Overflow::Suspend)).await, 10 + 1);
    assert_eq!(runs_ahead(11, |up| up.buffer(10, Overflow::Suspend).buffer(20, Overflow::Suspend)).await, 41 + 1);
}

#[tokio::test]
async fn without_any_buffer_the_upstream_emits_one_at_a_time() {
    assert_eq!(runs_ahead(0, |up| up.buffer(0, Overflow::Suspend)).await, 1);
}

#[tokio::test]
async fn operators_below_a_buffer_keep_it_their_own() {
    // Nothing to absorb: the buffer is not the last.
    assert_eq!(runs_ahead(0, |up| up.buffer(10, Overflow::Suspend).map(|n| n)).await, 64 + 1 + 10 + 1);
    // Through a box the buffer is found.
    assert_eq!(runs_ahead(0, |up| up.buffer(10, Overflow::Suspend).boxed()).await, 10 + 1);
}

/// What is left for the first subscriber of a hundred items that are emitted at once.
async fn survive<F>(replay: usize, make: impl FnOnce(BoxFlow<'static, usize, Infallible>) -> F) -> Vec<usize>
where
    F: Flow<Item = usize, Error = Infallible, Stream: coldflow::Restart + Send + 'static>,
{
    let upstream = flow(async |mut emitter| {
        for n in 0..100 {
            emitter.emit(n).await;
        }
    });
    let shared = make(upstream.boxed()).share_in(SharingStarted::Lazily, replay);
    let subscribed = shared.subscribe();
    settle().await;
    drained(&mut Driver::new(subscribed))
}

fn latest(count: usize) -> Vec<usize> {
    (100 - count..100).collect()
}

fn oldest(count: usize) -> Vec<usize> {
    (0..count).collect()
}

// ShareInConflationTest
#[tokio::test]
async fn the_latest_survive_a_conflated_upstream() {
    use Overflow::{DropOldest, Suspend};
    for (replay, kept) in [(1, 1), (0, 1), (5, 5)] {
        assert_eq!(survive(replay, FlowExt::conflate).await, latest(kept), "conflate, replay {replay}");
    }
    for (replay, kept) in [(1, 1), (0, 1), (10, 10)] {
        assert_eq!(survive(replay, |up| up.buffer(None, DropOldest)).await, latest(kept), "replay {replay}");
    }
    assert_eq!(survive(0, |up| up.buffer(20, DropOldest)).await, latest(20));
    assert_eq!(survive(11, |up| up.buffer(7, DropOldest)).await, latest(18));
    assert_eq!(survive(1, |up| up.buffer(23, Suspend).conflate()).await, latest(1));
    assert_eq!(survive(1, |up| up.buffer(23, Suspend).buffer(None, DropOldest)).await, latest(1));
}

// ShareInConflationTest
#[tokio::test]
async fn the_oldest_survive_an_upstream_that_drops_the_latest() {
    use Overflow::{DropLatest, Suspend};
    for (replay, kept) in [(0, 1), (1, 1), (10, 10)] {
        assert_eq!(survive(replay, |up| up.buffer(None, DropLatest)).await, oldest(kept), "replay {replay}");
    }
    assert_eq!(survive(0, |up| up.buffer(5, DropLatest)).await, oldest(5));
    assert_eq!(survive(10, |up| up.buffer(5, DropLatest)).await, oldest(15));
    assert_eq!(survive(0, |up| up.buffer(23, Suspend).buffer(None, DropLatest)).await, oldest(1));
}

// ShareInFusionTest.testChannelFlowBufferShareIn
#[tokio::test]
async fn a_channel_flow_keeps_its_own_channel() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let upstream = channel_flow(move |sender| {
        let sent = Arc::clone(&counted);
        async move {
            for n in 0..10 {
                if sender.try_send(n).is_ok() {
                    sent.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    });
    let shared = upstream.buffer(10, Overflow::Suspend).share_in(SharingStarted::Lazily, 0);
    let subscribed = shared.subscribe();
    settle().await;
    assert_eq!(sent.load(Ordering::Relaxed), 10);
    assert_eq!(drained(&mut Driver::new(subscribed)), (0..10).collect::<Vec<_>>());
}

// ShareInFusionTest.testOperatorFusion, as far as reading halves go: there is no way back to the emitting one.
static_assertions::assert_not_impl_any!(SharedFlow<i32>: Into<coldflow::MutableSharedFlow<i32>>);

// SharingStartedWhileSubscribedTest.testShouldRestart
#[tokio::test(start_paused = true)]
async fn after_the_timeout_it_starts_again() {
    let trace = Trace::new();
    let shared = traced(&trace).share_in(SharingStarted::while_subscribed(millis(100), Duration::MAX), 0);
    assert_eq!(shared.clone().first().await, Ok(Some("OK")));
    sleep(millis(200)).await;
    assert!(trace.live().is_empty());
    assert_eq!(shared.clone().first().await, Ok(Some("OK")));
    assert_eq!(trace.count("start upstream"), 2);
}

// SharingStartedWhileSubscribedTest.testImmediateUnsubscribe
#[tokio::test(start_paused = true)]
async fn subscribers_that_come_before_the_timeout_find_it_running() {
    let trace = Trace::new();
    let inner = trace.clone();
    let upstream = flow(move |mut emitter| {
        let trace = inner.clone();
        async move {
            let _guard = trace.guard("upstream");
            emitter.emit("OK").await;
            sleep(Duration::from_secs(1000)).await;
        }
    });
    let shared = upstream.share_in(SharingStarted::while_subscribed(millis(400), Duration::ZERO), 1);
    for _ in 0..5 {
        assert_eq!(shared.clone().first().await, Ok(Some("OK")));
        sleep(millis(100)).await;
    }
    assert_eq!(trace.take(), ["start upstream"]);
    sleep(millis(400)).await;
    assert_eq!(trace.take(), ["drop upstream"]);
    assert!(shared.replay_cache().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_replay_stays_until_it_expires() {
    let started = SharingStarted::while_subscribed(millis(100), millis(100));
    let shared = flow_of([1]).share_in(started, 1);
    assert_eq!(shared.clone().first().await, Ok(Some(1)));
    sleep(millis(150)).await;
    assert_eq!(shared.replay_cache(), [1]);
    sleep(millis(100)).await;
    assert!(shared.replay_cache().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_upstream_that_has_ended_runs_again_after_a_stop() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let upstream = flow(move |mut emitter| {
        let run = counted.fetch_add(1, Ordering::Relaxed);
        async move { emitter.emit(run).await }
    });
    let shared = upstream.share_in(SharingStarted::while_subscribed(Duration::ZERO, Duration::ZERO), 1);
    for run in 0..5 {
        assert_eq!(shared.clone().first().await, Ok(Some(run)));
        sleep(millis(10)).await;
    }
    assert_eq!(runs.load(Ordering::Relaxed), 5);
}

#[tokio::test(start_paused = true)]
async fn a_stop_withdraws_the_emission_that_waits() {
    // 65 items: one waits.
    let shared = flow_of(0..1000).share_in(AtLeast(1), 0);
    let busy = shared.subscribe();
    settle().await;
    drop(busy);
    settle().await;
    let mut next = Driver::new(shared.clone());
    assert_eq!(got(&mut next), Pending);
    settle().await;
    assert_eq!(drained(&mut next)[..3], [0, 1, 2], "from the start, and nothing of the run before");
}

#[tokio::test]
async fn a_subscriber_that_leaves_frees_the_emission_that_waits() {
    let emitted = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&emitted);
    let shared = flow_of(0..1000)
        .inspect(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        })
        .buffer(1, Overflow::Suspend)
        .share_in(SharingStarted::Lazily, 0);
    let slow = shared.subscribe();
    let fast = shared.subscribe();
    settle().await;
    assert!(emitted.load(Ordering::Relaxed) < 5);
    drop(slow);
    let mut fast = Driver::new(fast);
    let mut all = Vec::new();
    while all.len() < 1000 {
        all.extend(drained(&mut fast));
        tokio::task::yield_now().await;
    }
    assert_eq!(all, (0..1000).collect::<Vec<_>>());
}

/// An upstream that says whether it runs twice.
fn exclusive(live: &Arc<AtomicUsize>, twice: &Arc<AtomicUsize>) -> BoxFlow<'static, u64, Infallible> {
    struct Live(Arc<AtomicUsize>);
    impl Drop for Live {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let (live, twice) = (Arc::clone(live), Arc::clone(twice));
    let mut next = 0;
    flow(move |mut emitter| {
        twice.fetch_add(live.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
        let guard = Live(Arc::clone(&live));
        let from = next;
        next += 1_000_000;
        async move {
            let _guard = guard;
            for n in from.. {
                emitter.emit(n).await;
                if n % 4 == 3 {
                    sleep(millis(1)).await;
                } else {
                    tokio::task::yield_now().await;
                }
            }
        }
    })
    .boxed()
}

/// Subscribers come and go at random. For each, the order increases.
async fn random_subscribers<P>(policy: P, replay: usize, seed: u64, subscribers: usize, rounds: usize)
where
    P: SharingPolicy<Commands: Flow<Stream: Send + 'static>>,
{
    let (live, twice) = (Arc::default(), Arc::default());
    let shared = exclusive(&live, &twice).share_in(policy, replay);
    let tasks: Vec<_> = (0..subscribers)
        .map(|n| {
            let (shared, mut random) = (shared.clone(), Random::new(seed * 100 + n as u64));
            tokio::spawn(async move {
                let mut last = None;
                for _ in 0..rounds {
                    sleep(millis(random.below(60) as u64)).await;
                    let wanted = 1 + random.below(30);
                    let Ok(values) = shared.clone().take(wanted).to_vec().await;
                    assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{values:?}");
                    // The replay may repeat what it has had.
                    let newest = values.last().copied();
                    assert!(replay > 0 || last < newest);
                    last = last.max(newest);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(shared.subscription_count().value(), 0);
    drop(shared);
    for _ in 0..10_000 {
        if live.load(Ordering::SeqCst) == 0 {
            break;
        }
        sleep(millis(1)).await;
    }
    assert_eq!(live.load(Ordering::SeqCst), 0, "the task is aborted");
    assert_eq!(twice.load(Ordering::SeqCst), 0, "two upstreams at once");
}

// SharingStressTest
#[tokio::test(start_paused = true)]
async fn never_two_upstreams_at_once() {
    for seed in 1..6 {
        for replay in [0, 3] {
            random_subscribers(SharingStarted::Lazily, replay, seed, 5, 20).await;
            for (stop, expiration) in [(0, 0), (0, u64::MAX), (20, 0), (50, 100)] {
                let started = SharingStarted::while_subscribed(millis(stop), millis(expiration));
                random_subscribers(started, replay, seed, 5, 20).await;
            }
            random_subscribers(AtLeast(1), replay, seed, 5, 20).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn never_two_upstreams_at_once_between_threads() {
    random_subscribers(SharingStarted::while_subscribed(Duration::ZERO, Duration::ZERO), 0, 7, 4, 5).await;
    random_subscribers(AtLeast(1), 1, 8, 4, 5).await;
}

#[tokio::test(start_paused = true)]
async fn the_task_ends_with_the_last_handle_and_subscriber() {
    let policies = [
        SharingStarted::Eagerly,
        SharingStarted::Lazily,
        SharingStarted::while_subscribed(Duration::ZERO, Duration::ZERO),
        SharingStarted::while_subscribed(Duration::MAX, Duration::ZERO),
        SharingStarted::while_subscribed(millis(500), millis(500)),
    ];
    for policy in policies {
        for of_state in [false, true] {
            let trace = Trace::new();
            let alive = Arc::new(());
            let (held, item) = (Arc::clone(&alive), Arc::clone(&alive));
            let inner = trace.clone();
            let upstream = flow(move |mut emitter| {
                let (guard, _held, item) = (inner.guard("upstream"), Arc::clone(&held), Arc::clone(&item));
                async move {
                    let _guard = guard;
                    emitter.emit(item).await;
                    std::future::pending::<()>().await;
                }
            });
            let (mut first, mut second, handle): (Driver<_>, Driver<_>, Box<dyn std::any::Any>);
            if of_state {
                let state = upstream.state_in(policy, Arc::default());
                first = Driver::new(state.clone().boxed());
                second = Driver::new(state.clone().boxed());
                handle = Box::new(state);
            } else {
                let shared = upstream.share_in(policy, 1);
                first = Driver::new(shared.clone().boxed());
                second = Driver::new(shared.clone().boxed());
                handle = Box::new(shared);
            }
            drop((got(&mut first), got(&mut second)));
            settle().await;
            drop((got(&mut first), got(&mut second)));
            assert_eq!(trace.live(), ["upstream"], "{policy:?}");
            drop(handle);
            settle().await;
            assert_eq!(trace.live(), ["upstream"], "{policy:?}: there are subscribers");
            drop(first);
            settle().await;
            assert_eq!(trace.live(), ["upstream"], "{policy:?}: there is a subscriber");
            drop(second);
            settle().await;
            assert!(trace.live().is_empty(), "{policy:?}: the task is left behind");
            assert_eq!(Arc::strong_count(&alive), 1, "{policy:?}: items or the upstream are left behind");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_task_ends_with_its_last_handle_while_a_timeout_runs() {
    for wait in [10, 250] {
        let alive = Arc::new(());
        let held = Arc::clone(&alive);
        let upstream = flow(move |mut emitter| {
            let held = Arc::clone(&held);
            async move {
                emitter.emit(Arc::clone(&held)).await;
                std::future::pending::<()>().await;
            }
        });
        let shared = upstream.share_in(SharingStarted::while_subscribed(millis(200), millis(300)), 1);
        assert!(shared.clone().first().await.is_ok());
        sleep(millis(wait)).await;
        assert!(Arc::strong_count(&alive) > 1);
        drop(shared);
        settle().await;
        assert_eq!(Arc::strong_count(&alive), 1);
    }
}

#[tokio::test]
async fn a_panic_upstream_reaches_the_subscribers() {
    let gate = Gate::default();
    let opened = gate.clone();
    let upstream = flow(move |mut emitter| {
        let gate = opened.clone();
        async move {
            emitter.emit(1).await;
            gate.pass().await;
            panic!("upstream");
        }
    });
    let shared = upstream.share_in(SharingStarted::Lazily, 1);
    let mut waiting = Driver::new(shared.clone());
    assert_eq!(got(&mut waiting), Pending);
    let mut behind = Driver::new(shared.subscribe());
    settle().await;
    assert_eq!(got(&mut waiting), Ready(Some(1)));
    assert_eq!(got(&mut waiting), Pending);
    let _ = waiting.woken();
    gate.open();
    settle().await;
    assert!(waiting.woken());
    for subscriber in [&mut waiting, &mut behind, &mut Driver::new(shared.subscribe())] {
        // What they are owed comes first.
        while let Ok(Ready(Some(n))) = catch_unwind(AssertUnwindSafe(|| got(subscriber))) {
            assert_eq!(n, 1);
        }
        assert_eq!(got(subscriber), Ready(None), "the panic comes once");
    }
    let mut late = Driver::new(shared.clone());
    assert_eq!(got(&mut late), Ready(Some(1)));
    let panic = catch_unwind(AssertUnwindSafe(|| got(&mut late))).unwrap_err();
    assert!(panic.downcast_ref::<&str>().unwrap().contains("`share_in` panicked"));
    assert_eq!(shared.subscription_count().value(), 0);
}

#[tokio::test]
async fn a_panicking_policy_reaches_the_subscribers() {
    struct Panics;
    impl SharingPolicy for Panics {
        type Commands = BoxFlow<'static, SharingCommand, Infallible>;
        fn commands(self, subscribers: SubscriptionCount) -> Self::Commands {
            subscribers.filter(|count| *count > 0).map(|_| panic!("policy")).boxed()
        }
    }
    let shared = flow_of([1]).share_in(Panics, 0);
    let mut waiting = Driver::new(shared.clone());
    assert_eq!(got(&mut waiting), Pending);
    settle().await;
    assert!(waiting.woken());
    assert!(catch_unwind(AssertUnwindSafe(|| got(&mut waiting))).is_err());
}

#[tokio::test]
async fn a_policy_that_ends_leaves_it_running_and_one_that_says_nothing_never_starts_it() {
    use SharingCommand::{Start, Stop, StopAndResetReplayCache};

    struct Says(Vec<SharingCommand>);
    impl SharingPolicy for Says {
        type Commands = coldflow::source::FlowOf<Vec<SharingCommand>>;
        fn commands(self, _: SubscriptionCount) -> Self::Commands {
            flow_of(self.0)
        }
    }
    let cases: [(Vec<SharingCommand>, usize, &[i32]); 5] = [
        (vec![], 0, &[]),
        (vec![Start], 1, &[1]),
        (vec![Start, Start, Start], 1, &[1]),
        (vec![Stop, StopAndResetReplayCache], 0, &[]),
        (vec![Start, Stop], 0, &[]),
    ];
    for (commands, at_most, replay) in cases {
        let trace = Trace::new();
        let inner = trace.clone();
        let upstream = flow(move |mut emitter| {
            let guard = inner.guard("upstream");
            async move {
                let _guard = guard;
                emitter.emit(1).await;
                std::future::pending::<()>().await;
            }
        });
        let name = format!("{commands:?}");
        let shared = upstream.share_in(Says(commands), 1);
        settle().await;
        assert_eq!(trace.live().len(), at_most, "{name}");
        assert_eq!(shared.replay_cache(), replay, "{name}");
    }
}

/// Does what it is told.
struct Told(Subscription<SharedFlowStream<SharingCommand>>);
impl SharingPolicy for Told {
    type Commands = Subscription<SharedFlowStream<SharingCommand>>;
    fn commands(self, _: SubscriptionCount) -> Self::Commands {
        self.0
    }
}

#[tokio::test]
async fn the_stopped_upstream_is_gone_before_the_next_begins() {
    let trace = Trace::new();
    let commands = coldflow::MutableSharedFlow::new(coldflow::SharedConfig { extra_capacity: 9, ..Default::default() });
    let shared = traced(&trace).share_in(Told(commands.as_shared().subscribe()), 1);
    for command in [SharingCommand::Start, SharingCommand::Stop, SharingCommand::Start] {
        commands.emit(command).await;
        settle().await;
    }
    assert_eq!(trace.take(), ["start upstream", "drop upstream", "start upstream"]);
    commands.emit(SharingCommand::StopAndResetReplayCache).await;
    settle().await;
    assert_eq!(trace.take(), ["drop upstream"]);
    assert!(shared.replay_cache().is_empty());
}

#[tokio::test(start_paused = true)]
async fn launch_in_runs_a_flow_in_a_set_of_tasks() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let mut set = tokio::task::JoinSet::new();
    traced(&Trace::new()).inspect(move |n| noted.lock().unwrap().push(*n)).launch_in(&mut set);
    assert!(seen.lock().unwrap().is_empty());
    assert!(matches!(set.join_next().await, Some(Ok(Ok(())))));
    assert_eq!(*seen.lock().unwrap(), ["OK", "DONE"]);
    let trace = Trace::new();
    traced(&trace).launch_in(&mut set);
    settle().await;
    assert_eq!(trace.live(), ["upstream"]);
    drop(set);
    settle().await;
    assert!(trace.live().is_empty());
    let mut set = tokio::task::JoinSet::new();
    coldflow::failed::<i32, _>("failed").launch_in(&mut set);
    assert!(matches!(set.join_next().await, Some(Ok(Err("failed")))));
}

#[test]
fn outside_of_a_runtime_it_panics_at_the_call() {
    assert!(catch_unwind(|| flow_of([1]).share_in(SharingStarted::Lazily, 0)).is_err());
    assert!(catch_unwind(|| flow_of([1]).state_in(SharingStarted::Lazily, 0)).is_err());
}
