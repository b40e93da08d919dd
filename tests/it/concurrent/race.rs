//! `race`.

use coldflow::test_util::{marble, to_marble};
use coldflow::{FlowExt, empty, race};

use super::clock::{Emit, Fail, Hang, Wait, ms, script, seen, traced};
use crate::support::Trace;

#[tokio::test(start_paused = true)]
async fn the_first_to_emit_goes_on_alone() {
    let slow = "--a--------|";
    let fast = "-b--(c|)";
    assert_eq!(to_marble(race([marble(slow), marble(fast)])).await, fast);
}

#[tokio::test(start_paused = true)]
async fn the_losers_are_dropped_before_the_first_item_is_seen() {
    let trace = Trace::new();
    let slow = traced(&trace, "slow", [Hang]);
    let fast = traced(&trace, "fast", [Wait(10), Emit(2)]);
    let noted = trace.clone();
    let flow = race((slow, fast)).inspect(move |_| noted.note("seen"));
    assert_eq!(seen(flow, 0).await, ["10 2", "10 |"]);
    assert_eq!(trace.take(), ["start slow", "start fast", "drop slow", "seen", "fast after 2", "drop fast"]);
}

#[tokio::test(start_paused = true)]
async fn an_end_wins_and_so_does_a_failure() {
    assert_eq!(to_marble(race((marble("-a"), empty().fallible()))).await, "|");
    assert_eq!(seen(race([script([Wait(5), Emit(1)]), script([Wait(3), Fail("over")])]), 0).await, ["3 !\"over\""]);
}

#[tokio::test(start_paused = true)]
async fn the_earlier_wins_a_tie() {
    assert_eq!(to_marble(race([marble("-(a|)"), marble("-(b|)")])).await, "-(a|)");
}

#[tokio::test(start_paused = true)]
async fn no_flows_are_an_empty_flow() {
    assert_eq!(race(Vec::<super::clock::Script>::new()).count().await, Ok(0));
}

#[tokio::test(start_paused = true)]
async fn a_retry_races_again() {
    let failing = || script([Wait(5), Fail("over")]);
    let began = tokio::time::Instant::now();
    assert_eq!(race([failing(), script([Wait(9), Emit(1)])]).retry(2).to_vec().await, Err("over"));
    assert_eq!(began.elapsed(), ms(15));
}
