//! `throttle`.

use std::time::Duration;

use coldflow::{Edge, FlowExt, flow_of};

use super::clock::{Do, Emit, Fail, Wait, burst, ms, paced, script, seen};

/// 1, 2 and 3 at 0, 30 and 60; 4 alone at 200; 5 and the end at 260.
fn timeline() -> [Do; 9] {
    [Emit(1), Wait(30), Emit(2), Wait(30), Emit(3), Wait(140), Emit(4), Wait(60), Emit(5)]
}

#[tokio::test(start_paused = true)]
async fn the_first_of_a_period() {
    let flow = script(timeline()).throttle(ms(100), Edge::Leading);
    assert_eq!(seen(flow, 0).await, ["0 1", "200 4", "260 |"]);
}

#[tokio::test(start_paused = true)]
async fn the_latest_at_the_end_of_a_period_and_the_last_at_the_end() {
    let flow = script(timeline()).throttle(ms(100), Edge::Trailing);
    // 3 at 100 opens another period, which ends without an item; 4 opens one, and 5 is due when the flow ends.
    assert_eq!(seen(flow, 0).await, ["100 3", "260 5", "260 |"]);
}

#[tokio::test(start_paused = true)]
async fn the_first_and_the_latest() {
    let flow = script(timeline()).throttle(ms(100), Edge::Both);
    assert_eq!(seen(flow, 0).await, ["0 1", "100 3", "200 4", "260 5", "260 |"]);
}

#[tokio::test(start_paused = true)]
async fn an_item_alone_comes_once() {
    for (edge, time) in [(Edge::Leading, 0), (Edge::Trailing, 100), (Edge::Both, 0)] {
        let flow = script([Emit(1), Wait(500)]).throttle(ms(100), edge);
        assert_eq!(seen(flow, 0).await, [format!("{time} 1"), "500 |".to_owned()], "{edge:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn two_emissions_are_never_closer_than_the_period() {
    for edge in [Edge::Leading, Edge::Trailing, Edge::Both] {
        let lines = seen(script(paced(100, 7)).throttle(ms(50), edge), 0).await;
        let times: Vec<u64> =
            lines[..lines.len() - 2].iter().map(|line| line.split_once(' ').unwrap().0.parse().unwrap()).collect();
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 50), "{edge:?}: {lines:?}");
        assert!(times.len() >= 9, "{edge:?}: {lines:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_loses_the_item_that_is_due() {
    let flow = script([Emit(1), Emit(2), Wait(10), Fail("over")]).throttle(ms(100), Edge::Both);
    assert_eq!(seen(flow, 0).await, ["0 1", "10 !\"over\""]);
}

#[tokio::test(start_paused = true)]
async fn behind_a_busy_consumer_upstream_waits_with_one_item() {
    let flow = script(burst(3)).throttle(ms(100), Edge::Leading);
    // 2 was in hand when the consumer came back at 250, and opens a period; 3 falls into it.
    assert_eq!(seen(flow, 250).await, ["0 1", "250 2", "500 3", "750 |"]);
}

#[test]
#[should_panic(expected = "`period` of `throttle` must be longer than zero")]
fn a_period_of_zero() {
    let _ = flow_of([1]).throttle(Duration::ZERO, Edge::Leading);
}
