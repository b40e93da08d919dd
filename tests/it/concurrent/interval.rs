//! `interval` and `delay_start`.

use std::time::Duration;

use coldflow::test_util::to_marble;
use coldflow::{FlowExt, flow_of, interval};

use super::clock::{Emit, Fail, Wait, ms, script, seen, traced};
use crate::support::Trace;

#[tokio::test(start_paused = true)]
async fn the_first_tick_is_at_once() {
    assert_eq!(to_marble(interval(ms(30)).take(3)).await, "0--1--(2|)");
}

#[tokio::test(start_paused = true)]
async fn a_consumer_that_is_late_loses_ticks_and_not_the_rhythm() {
    assert_eq!(seen(interval(ms(100)).take(4), 250).await, ["0 0", "250 1", "500 2", "750 3", "1000 |"]);
    let late = interval(ms(100)).take(3).then(async |n| {
        super::clock::pause(if n == 0 { 130 } else { 0 }).await;
    });
    let lines = seen(late, 0).await;
    assert_eq!(lines, ["130 ()", "130 ()", "200 ()", "200 |"]);
}

#[tokio::test(start_paused = true)]
async fn collected_again_it_begins_again() {
    assert_eq!(to_marble(interval(ms(30)).take(2).repeat(2)).await, "0--(10)--(1|)");
}

#[tokio::test(start_paused = true)]
async fn a_period_beyond_the_clock_ticks_once() {
    let ticks = interval(Duration::MAX).take_until(super::clock::pause(1_000));
    assert_eq!(seen(ticks, 0).await, ["0 0", "1000 |"]);
}

#[test]
#[should_panic(expected = "`period` of `interval` must be longer than zero")]
fn a_period_of_zero() {
    let _ = interval(Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_delayed_start_starts_nothing_before() {
    let trace = Trace::new();
    let source = traced(&trace, "source", [Emit(1), Wait(5), Emit(2)]);
    let noted = trace.clone();
    let flow = source.delay_start(ms(20)).on_start(move |_| {
        noted.note("asked");
        std::future::ready(())
    });
    assert_eq!(seen(flow, 0).await, ["20 1", "25 2", "25 |"]);
    assert_eq!(trace.take()[..2], ["asked", "start source"]);
}

#[tokio::test(start_paused = true)]
async fn a_retry_waits_again() {
    let flow = script([Wait(1), Fail("over")]).delay_start(ms(20)).retry(2);
    assert_eq!(seen(flow, 0).await, ["63 !\"over\""]);
    assert_eq!(seen(flow_of([1]).delay_start(Duration::ZERO), 0).await, ["0 1", "0 |"]);
}
