//! `buffer` and `conflate`. Kotlin's tests are `BufferTest`, `BufferConflationTest` and `ConflateTest`; their sums and
//! defaults are in `fusion`.

use coldflow::{FlowExt, Overflow, flow_of};

use super::clock::{Emit, Fail, Hang, Wait, burst, items, paced, script, seen, traced};
use crate::support::{Driver, Trace, block_on};

/// Kotlin: `testNoBuffer…`: without one, emission and consumer take turns.
#[test]
fn without_a_buffer_they_take_turns() {
    let trace = Trace::new();
    let collected = traced(&trace, "source", burst(3)).for_each(|n| {
        trace.note(format!("got {n}"));
        std::future::ready(())
    });
    assert_eq!(block_on(collected), Ok(()));
    let turns = ["got 1", "source after 1", "got 2", "source after 2", "got 3", "source after 3"];
    assert_eq!(trace.take()[1..7], turns);
}

/// Kotlin: `ConflateTest.testExample`.
#[tokio::test(start_paused = true)]
async fn thirty_items_conflated_for_a_slow_consumer() {
    assert_eq!(items(script(paced(30, 100)).conflate(), 1_000).await, ["1", "10", "20", "30"]);
}

#[tokio::test(start_paused = true)]
async fn a_full_buffer_holds_the_source_up() {
    let source = script(burst(5)).buffer(1, Overflow::Suspend);
    assert_eq!(seen(source, 10).await, ["0 1", "10 2", "20 3", "30 4", "40 5", "50 |"]);
    // The source takes 10 for each and is held up only once.
    let source = script(paced(4, 10)).buffer(1, Overflow::Suspend);
    assert_eq!(seen(source, 25).await, ["0 1", "25 2", "50 3", "75 4", "100 |"]);
}

#[tokio::test(start_paused = true)]
async fn drop_latest_keeps_the_earliest() {
    let source = script(paced(10, 10)).buffer(2, Overflow::DropLatest);
    // 2 and 3 fill it while the consumer has 1; at 45 there is room for 6.
    assert_eq!(items(source, 45).await, ["1", "2", "3", "6", "10"]);
}

#[tokio::test(start_paused = true)]
async fn the_end_and_a_failure_wait_for_the_queue() {
    let lines = seen(script([Emit(1), Emit(2), Fail("over")]).buffer(8, Overflow::Suspend), 10).await;
    assert_eq!(lines, ["0 1", "10 2", "20 !\"over\""]);
}

/// Kotlin: `testTakeCancelsProducer`, `testFailureInConsumer`.
#[tokio::test(start_paused = true)]
async fn a_consumer_that_stops_drops_the_source_and_what_is_buffered() {
    let trace = Trace::new();
    let source = traced(&trace, "source", paced(9, 10)).buffer(8, Overflow::Suspend);
    let end = source.try_for_each(|n| {
        let failed = n == 2;
        async move {
            super::clock::pause(35).await;
            if failed { Err("consumer") } else { Ok(()) }
        }
    });
    assert_eq!(end.await, Err("consumer"));
    assert!(trace.live().is_empty());
}

#[test]
fn an_empty_flow_and_an_early_failure_pass() {
    for capacity in [0, 1, 64] {
        assert_eq!(Driver::new(script([]).buffer(capacity, Overflow::Suspend)).rest(), []);
        let failed = Driver::new(script([Fail("first")]).buffer(capacity, Overflow::Suspend)).rest();
        assert_eq!(failed, [Err("first")]);
    }
    assert_eq!(Driver::new(script([]).conflate()).rest(), []);
}

#[test]
fn the_room_of_a_burst_by_capacity() {
    // 64 without a number; one is with the consumer, and one emission behind the queue has not returned.
    let trace = Trace::new();
    let mut stream = Driver::new(traced(&trace, "source", burst(100)).buffer(None, Overflow::Suspend));
    stream.next();
    let _ = stream.progress();
    assert_eq!(trace.take().len(), 1 + 65);
}

#[test]
fn a_stream_that_exists_can_be_buffered_too() {
    let numbers = coldflow::from_stream(futures::stream::iter(1..5)).buffer(2, Overflow::Suspend);
    assert_eq!(block_on(numbers.to_vec()), Ok(vec![1, 2, 3, 4]));
    let Ok(all) = block_on(flow_of(0..1_000).buffer(8, Overflow::Suspend).count());
    assert_eq!(all, 1_000);
}

#[tokio::test(start_paused = true)]
async fn what_a_timeout_drops_is_gone() {
    let trace = Trace::new();
    let source = traced(&trace, "source", [Emit(1), Wait(5), Emit(2), Hang]).buffer(3, Overflow::Suspend);
    let collected = tokio::time::timeout(super::clock::ms(20), source.to_vec());
    assert!(collected.await.is_err());
    assert!(trace.live().is_empty());
}
