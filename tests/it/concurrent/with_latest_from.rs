//! `with_latest_from`.

use coldflow::{FlowExt, flow_of};

use super::clock::{Emit, Fail, Hang, Wait, script, seen, traced};
use crate::support::Trace;

#[tokio::test(start_paused = true)]
async fn an_item_gets_the_latest_of_the_other() {
    let main = script([Wait(10), Emit(1), Wait(20), Emit(2), Wait(20), Emit(3)]);
    let other = script([Wait(5), Emit(10), Wait(20), Emit(20), Emit(21), Wait(60), Emit(30)]);
    assert_eq!(seen(main.with_latest_from(other), 0).await, ["10 (1, 10)", "30 (2, 21)", "50 (3, 21)", "50 |"]);
}

#[tokio::test(start_paused = true)]
async fn items_before_the_first_of_the_other_are_dropped() {
    let main = script([Emit(1), Wait(10), Emit(2)]);
    assert_eq!(seen(main.with_latest_from(script([Wait(5), Emit(10)])), 0).await, ["10 (2, 10)", "10 |"]);
}

#[tokio::test(start_paused = true)]
async fn it_ends_with_the_first_flow_and_drops_the_other() {
    let trace = Trace::new();
    let other = traced(&trace, "other", [Emit(10), Hang]);
    assert_eq!(seen(script([Wait(5), Emit(1)]).with_latest_from(other), 0).await, ["5 (1, 10)", "5 |"]);
    assert_eq!(trace.take(), ["start other", "other after 10", "drop other"]);
}

#[tokio::test(start_paused = true)]
async fn the_other_may_end_before() {
    let main = script([Wait(5), Emit(1), Wait(5), Emit(2)]);
    let pairs = main.with_latest_from(flow_of([7]).fallible());
    assert_eq!(seen(pairs, 0).await, ["5 (1, 7)", "10 (2, 7)", "10 |"]);
}

#[tokio::test(start_paused = true)]
async fn the_other_runs_on_while_the_consumer_is_busy() {
    let main = script([Wait(1), Emit(1), Emit(2)]);
    let other = script([Emit(10), Wait(50), Emit(20)]);
    assert_eq!(seen(main.with_latest_from(other), 100).await, ["1 (1, 10)", "101 (2, 20)", "201 |"]);
}

#[tokio::test(start_paused = true)]
async fn the_failure_of_either_drops_the_remaining_one_at_once() {
    let trace = Trace::new();
    let main = traced(&trace, "main", [Hang]);
    assert_eq!(seen(main.with_latest_from(script([Wait(5), Fail("over")])), 0).await, ["5 !\"over\""]);
    assert_eq!(trace.take(), ["start main", "drop main"]);
    let other = traced(&trace, "other", [Emit(1), Hang]);
    assert_eq!(seen(script([Wait(5), Fail("over")]).with_latest_from(other), 0).await, ["5 !\"over\""]);
    assert_eq!(trace.take(), ["start other", "other after 1", "drop other"]);
}
