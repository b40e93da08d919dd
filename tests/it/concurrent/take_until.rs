//! `take_until`.

use std::future::{pending, ready};

use coldflow::{Flow, FlowExt, flow_of};
use tokio::sync::oneshot;

use super::clock::{Emit, Fail, Hang, Wait, pause, script, seen, traced};
use crate::support::{Driver, Trace};

#[tokio::test(start_paused = true)]
async fn it_ends_when_the_future_does_and_drops_what_runs_above() {
    let trace = Trace::new();
    let source = traced(&trace, "source", [Emit(1), Wait(10), Emit(2), Hang]);
    assert_eq!(seen(source.take_until(pause(25)), 0).await, ["0 1", "10 2", "25 |"]);
    assert_eq!(trace.take(), ["start source", "source after 1", "source after 2", "drop source"]);
}

#[tokio::test(start_paused = true)]
async fn an_item_in_the_consumers_hands_is_not_cut_off() {
    assert_eq!(seen(flow_of([1, 2]).take_until(pause(50)), 100).await, ["0 1", "100 |"]);
}

#[test]
fn a_future_that_is_ready_makes_an_empty_flow_and_starts_nothing() {
    let trace = Trace::new();
    let mut stream = Driver::new(traced(&trace, "source", [Emit(1)]).take_until(ready(())));
    assert_eq!(stream.rest(), []);
    assert!(stream.is_terminated());
    assert!(trace.take().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_end_or_a_failure_comes_first_and_drops_the_future() {
    let (held, mut dropped) = oneshot::channel::<()>();
    let future = async move {
        let _held = held;
        pending::<()>().await;
    };
    assert_eq!(seen(script([Emit(1), Wait(5), Fail("over")]).take_until(future), 0).await, ["0 1", "5 !\"over\""]);
    assert!(dropped.try_recv().is_err_and(|error| error == oneshot::error::TryRecvError::Closed));
    assert_eq!(seen(flow_of([1]).take_until(pending::<()>()), 0).await, ["0 1", "0 |"]);
}

#[test]
fn the_future_is_polled_only_while_the_consumer_waits() {
    let mut polls = 0;
    let until = std::future::poll_fn(|_| {
        polls += 1;
        std::task::Poll::<()>::Pending
    });
    let mut stream = Driver::new(flow_of([1, 2]).take_until(until));
    assert_eq!(stream.next(), Some(Ok(1)));
    let _ = stream.progress();
    let _ = stream.progress();
    assert_eq!(stream.next(), Some(Ok(2)));
    drop(stream);
    assert_eq!(polls, 2);
}

#[tokio::test(start_paused = true)]
async fn a_retry_goes_above() {
    let flow = script([Wait(10), Fail("over")]).retry(u64::MAX).take_until(pause(35));
    let stream = flow.into_stream();
    drop(stream);
    let flow = script([Wait(10), Fail("over")]).retry(u64::MAX).take_until(pause(35));
    assert_eq!(seen(flow, 0).await, ["35 |"]);
}
