//! `chunks_timeout`.

use std::time::Duration;

use coldflow::{FlowExt, flow_of};

use super::clock::{Emit, Fail, Hang, Wait, burst, ms, script, seen};

#[tokio::test(start_paused = true)]
async fn a_chunk_is_full_or_its_time_has_passed() {
    let source = script([Emit(1), Emit(2), Emit(3), Wait(10), Emit(4), Wait(100), Emit(5)]);
    let lines = seen(source.chunks_timeout(2, ms(50)), 0).await;
    assert_eq!(lines, ["0 [1, 2]", "50 [3, 4]".replace("50", "10").as_str(), "110 [5]", "110 |"]);
}

#[tokio::test(start_paused = true)]
async fn the_time_begins_with_the_first_item_of_a_chunk() {
    let source = script([Wait(30), Emit(1), Wait(40), Emit(2), Hang]);
    let lines =
        tokio::time::timeout(ms(500), seen(source.take_until(super::clock::pause(200)).chunks_timeout(5, ms(50)), 0));
    assert_eq!(lines.await.unwrap(), ["80 [1, 2]", "200 |"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_makes_no_chunk() {
    assert_eq!(seen(script([Wait(500)]).chunks_timeout(5, ms(50)), 0).await, ["500 |"]);
}

#[tokio::test(start_paused = true)]
async fn the_open_chunk_comes_before_the_end_and_before_an_error() {
    assert_eq!(seen(script([Emit(1), Wait(10)]).chunks_timeout(5, ms(50)), 0).await, ["10 [1]", "10 |"]);
    let failing = script([Emit(1), Wait(10), Fail("over")]).chunks_timeout(5, ms(50));
    assert_eq!(seen(failing, 0).await, ["10 [1]", "10 !\"over\""]);
}

#[tokio::test(start_paused = true)]
async fn behind_a_busy_consumer_the_open_chunk_fills_and_then_upstream_waits() {
    let lines = seen(script(burst(5)).chunks_timeout(2, ms(50)), 100).await;
    assert_eq!(lines, ["0 [1, 2]", "100 [3, 4]", "200 [5]", "300 |"]);
}

#[tokio::test(start_paused = true)]
async fn a_time_that_passes_while_the_consumer_is_busy_is_up_when_it_comes_back() {
    let source = script([Emit(1), Emit(2), Wait(10), Emit(3), Wait(500)]);
    assert_eq!(seen(source.chunks_timeout(2, ms(50)), 100).await, ["0 [1, 2]", "100 [3]", "510 |"]);
}

#[test]
#[should_panic(expected = "`size` of `chunks_timeout` must be at least 1, got 0")]
fn a_size_of_none() {
    let _ = flow_of([1]).chunks_timeout(0, Duration::ZERO);
}
