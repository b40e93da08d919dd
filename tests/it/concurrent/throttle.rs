//! `throttle`.

use std::time::Duration;

use coldflow::test_util::{marble, to_marble};
use coldflow::{Edge, FlowExt, flow_of};

use super::clock::{Emit, Fail, Wait, burst, ms, paced, script, seen};

/// Three in a period; one alone; and one with the end. A frame is 10 ms.
const TIMELINE: &str = "a--b--c-------------d-----(e|)";

#[tokio::test(start_paused = true)]
async fn the_first_of_a_period() {
    let leading = "a-------------------d-----|";
    assert_eq!(to_marble(marble(TIMELINE).throttle(ms(100), Edge::Leading)).await, leading);
}

#[tokio::test(start_paused = true)]
async fn the_latest_at_the_end_of_a_period_and_the_last_at_the_end() {
    // `c` at 100 opens another period, which ends without an item; `d` opens one, and `e` is due when the flow ends.
    let trailing = "----------c---------------(e|)";
    assert_eq!(to_marble(marble(TIMELINE).throttle(ms(100), Edge::Trailing)).await, trailing);
}

#[tokio::test(start_paused = true)]
async fn the_first_and_the_latest() {
    let both = "a---------c---------d-----(e|)";
    assert_eq!(to_marble(marble(TIMELINE).throttle(ms(100), Edge::Both)).await, both);
}

#[tokio::test(start_paused = true)]
async fn an_item_alone_comes_once() {
    for (edge, once) in [(Edge::Leading, "a----|"), (Edge::Trailing, "-a---|"), (Edge::Both, "a----|")] {
        let flow = marble("a----|").frame(ms(100)).throttle(ms(100), edge);
        assert_eq!(to_marble(flow).frame(ms(100)).await, once, "{edge:?}");
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
