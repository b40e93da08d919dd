//! `launch_in` and `produce_in`. Kotlin's tests are `LaunchInTest` and those of `produceIn` in `ChannelFlowTest`.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use coldflow::{FlowExt, StreamFlowExt, failed, flow_of, once_ok};
use futures::StreamExt;
use tokio::task::{JoinSet, yield_now};

async fn settle() {
    for _ in 0..200 {
        yield_now().await;
    }
}

#[tokio::test]
async fn a_launched_flow_runs_to_its_end_and_its_failure_is_the_tasks() {
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&seen);
    let mut set = JoinSet::new();
    flow_of(0..5)
        .inspect(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        })
        .launch_in(&mut set);
    assert_eq!(set.join_next().await.unwrap().unwrap(), Ok(()));
    assert_eq!(seen.load(Ordering::Relaxed), 5);
    let mut set = JoinSet::new();
    failed::<u8, _>("over").launch_in(&mut set);
    assert_eq!(set.join_next().await.unwrap().unwrap(), Err("over"));
}

#[tokio::test]
async fn a_launched_flow_can_be_aborted() {
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let mut set = JoinSet::new();
    let handle = once_ok(move || {
        let held = Arc::clone(&held);
        async move {
            std::future::pending::<()>().await;
            drop(held);
        }
    })
    .launch_in(&mut set);
    settle().await;
    handle.abort();
    assert!(set.join_next().await.unwrap().unwrap_err().is_cancelled());
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[tokio::test]
async fn what_is_produced_runs_ahead_by_64_and_comes_in_order() {
    let made = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&made);
    let mut set = JoinSet::new();
    let produced = flow_of(0..1_000)
        .inspect(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        })
        .produce_in(&mut set);
    settle().await;
    assert_eq!(made.load(Ordering::Relaxed), 65, "64 in the channel and one in hand");
    assert_eq!(produced.into_try_flow().to_vec().await, Ok((0..1_000).collect::<Vec<_>>()));
    assert!(set.join_next().await.unwrap().is_ok());
}

#[tokio::test]
async fn a_failure_comes_behind_the_items() {
    let mut set = JoinSet::new();
    let produced = flow_of([1, 2]).fallible().chain(failed("over")).produce_in(&mut set);
    assert_eq!(produced.collect::<Vec<_>>().await, [Ok(1), Ok(2), Err("over")]);
}

#[tokio::test]
async fn dropping_what_is_produced_ends_the_task_also_while_the_flow_waits() {
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let mut set = JoinSet::new();
    let waiting = once_ok(move || {
        let held = Arc::clone(&held);
        async move {
            std::future::pending::<()>().await;
            drop(held);
        }
    });
    let produced = waiting.produce_in(&mut set);
    settle().await;
    drop(produced);
    assert!(set.join_next().await.unwrap().is_ok());
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[tokio::test]
async fn dropping_the_set_ends_what_is_produced() {
    let mut set = JoinSet::new();
    let mut produced = flow_of(0..).produce_in(&mut set);
    assert_eq!(produced.next().await, Some(Ok::<_, Infallible>(0)));
    drop(set);
    let rest = produced.count().await;
    assert!(rest <= 65, "{rest}");
}
