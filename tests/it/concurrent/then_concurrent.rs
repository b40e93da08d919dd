//! `then_concurrent` and `then_concurrent_unordered`.

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use coldflow::{FlowExt, flow_of};

use super::clock::{Emit, Fail, Wait, burst, pause, script, seen};
use crate::support::{Driver, Trace};

/// Waits 10 ms for each unit of the item.
async fn slow(n: i32) -> i32 {
    pause(10 * u64::try_from(n).unwrap()).await;
    n
}

#[tokio::test(start_paused = true)]
async fn outputs_come_in_the_order_of_their_items_or_as_they_are_ready() {
    let numbers = flow_of([3, 1, 2]);
    assert_eq!(seen(numbers.clone().then_concurrent(3, slow), 0).await, ["30 3", "30 1", "30 2", "30 |"]);
    assert_eq!(seen(numbers.then_concurrent_unordered(3, slow), 0).await, ["10 1", "20 2", "30 3", "30 |"]);
}

#[tokio::test(start_paused = true)]
async fn no_more_run_at_once_than_the_limit() {
    let running = Rc::new(Cell::new(0));
    let most = Rc::new(Cell::new(0));
    for (limit, took) in [(1, 100), (3, 40), (10, 10), (usize::MAX, 10)] {
        let work = |_| {
            let (running, most) = (running.clone(), most.clone());
            async move {
                running.set(running.get() + 1);
                most.set(most.get().max(running.get()));
                pause(10).await;
                running.set(running.get() - 1);
            }
        };
        let lines = seen(flow_of(0..10).then_concurrent(limit, work), 0).await;
        assert_eq!(lines.last().unwrap(), &format!("{took} |"), "limit {limit}");
        assert_eq!(most.take(), limit.min(10));
    }
}

#[tokio::test(start_paused = true)]
async fn an_output_that_waits_for_its_turn_keeps_its_place() {
    // 5 holds the first place for 50 ms; the second is free for another item only when its output has been taken.
    let began = Trace::new();
    let noted = began.clone();
    let flow = flow_of([5, 1, 1]).inspect(move |n| noted.note(format!("item {n}"))).then_concurrent(2, slow);
    assert_eq!(seen(flow, 0).await, ["50 5", "50 1", "60 1", "60 |"]);
}

#[tokio::test(start_paused = true)]
async fn they_run_on_while_the_consumer_is_busy() {
    let lines = seen(flow_of([1, 1, 1, 1]).then_concurrent(2, slow), 100).await;
    assert_eq!(lines, ["10 1", "110 1", "210 1", "310 1", "410 |"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_drops_what_runs_and_comes_behind_what_is_ready() {
    let trace = Trace::new();
    let work = |n| {
        let guard = trace.guard("work");
        async move {
            let _guard = guard;
            slow(n).await
        }
    };
    let failing = || script([Emit(1), Emit(4), Emit(1), Wait(20), Fail("over")]);
    assert_eq!(seen(failing().then_concurrent(4, work), 0).await, ["10 1", "20 !\"over\""]);
    assert!(trace.live().is_empty());
    assert_eq!(seen(failing().then_concurrent_unordered(4, work), 0).await, ["10 1", "10 1", "20 !\"over\""]);
    assert!(trace.live().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_failure_behind_a_busy_consumer_comes_behind_the_outputs_that_are_ready() {
    let failing = script([Emit(1), Emit(1), Wait(50), Fail("over")]);
    assert_eq!(seen(failing.then_concurrent(3, slow), 100).await, ["10 1", "110 1", "210 !\"over\""]);
}

#[tokio::test(start_paused = true)]
async fn what_is_ready_at_once_comes_before_a_failure_of_the_same_moment() {
    let failing = || script([Emit(1), Emit(2), Fail("over")]);
    assert_eq!(seen(failing().then_concurrent(4, std::future::ready), 0).await, ["0 1", "0 2", "0 !\"over\""]);
    assert_eq!(
        seen(failing().then_concurrent_unordered(4, std::future::ready), 0).await,
        ["0 1", "0 2", "0 !\"over\""]
    );
}

#[tokio::test(start_paused = true)]
async fn upstream_waits_for_a_place() {
    let trace = Trace::new();
    let source = super::clock::traced(&trace, "source", burst(3));
    let lines = seen(source.then_concurrent(1, slow), 0).await;
    assert_eq!(lines, ["10 1", "30 2", "60 3", "60 |"]);
}

#[test]
#[should_panic(expected = "`limit` of `then_concurrent` must be at least 1, got 0")]
fn a_limit_of_none() {
    let _ = flow_of([1]).then_concurrent(0, slow);
}

#[test]
#[should_panic(expected = "`limit` of `then_concurrent_unordered` must be at least 1, got 0")]
fn an_unordered_limit_of_none() {
    let _ = flow_of([1]).then_concurrent_unordered(0, slow);
}

/// Tokio lets so many sleeps of a task end in a turn; what is polled beyond that is polled in vain.
#[test]
fn outputs_that_are_ready_are_taken_before_others_are_polled_again() {
    let polls = Rc::new(Cell::new(0));
    let work = |n| {
        let polls = polls.clone();
        poll_fn(move |cx| {
            if n < 2 {
                return Poll::Ready(n);
            }
            polls.set(polls.get() + 1);
            cx.waker().wake_by_ref();
            Poll::Pending
        })
    };
    let mut outputs = Driver::new(flow_of(0..3).then_concurrent_unordered(3, work));
    assert_eq!([outputs.next(), outputs.next()], [Some(Ok(0)), Some(Ok(1))]);
    assert_eq!(polls.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_at_once() {
    let lines = seen(flow_of(0..10_000).then_concurrent_unordered(10_000, |_| pause(10)), 0).await;
    assert_eq!(lines.len(), 10_001);
    assert_eq!(lines.last().unwrap(), "10 |");
}
