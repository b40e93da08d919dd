//! `merge`. Kotlin's tests are `MergeTest`; its tests of a source that throws a cancellation have no counterpart, since
//! every error of ours surfaces.

use coldflow::test_util::{marble, to_marble};
use coldflow::{FlowExt, empty, flow_of, merge};
use tokio::runtime::Handle;

use super::clock::{Emit, Fail, Hang, Wait, burst, items, pause, script, seen, traced};
use crate::support::{Driver, Trace, block_on};

/// Kotlin: `testMerge`.
#[test]
fn a_hundred_flows_of_one_item() {
    let Ok(sum) = block_on(merge((1..=100).map(|n| flow_of([n])).collect::<Vec<_>>()).fold(0, async |sum, n| sum + n));
    assert_eq!(sum, 5_050);
}

/// Kotlin: `testSingle`, `testNulls`, and the forms that ours has.
#[test]
fn groups_of_every_kind() {
    let one = merge((empty().boxed(), flow_of([42]), empty().boxed())).single();
    assert_eq!(block_on(one), Ok(42));
    let nothing = merge([flow_of([Some(1)]), flow_of([None]), flow_of([Some(2)])]).to_vec();
    assert_eq!(block_on(nothing), Ok(vec![Some(1), None, Some(2)]));
    assert_eq!(block_on(merge(Vec::<coldflow::BoxFlow<'static, u8, ()>>::new()).to_vec()), Ok(vec![]));
    let many = merge((
        flow_of([1]),
        flow_of([2]),
        flow_of([3]),
        flow_of([4]),
        flow_of([5]),
        flow_of([6]),
        flow_of([7]),
        flow_of([8]),
        flow_of([9]),
        flow_of([10]),
        flow_of([11]),
        flow_of([12]),
    ));
    assert_eq!(block_on(many.to_vec()), Ok((1..=12).collect()));
}

/// Kotlin: `testContext`, `testIsolatedContext`: each source can run on a runtime of its own.
#[tokio::test(start_paused = true)]
async fn sources_in_tasks() {
    let sources = [1, 2].map(|n| script([Emit(n)]).flow_on(&Handle::current()));
    assert_eq!(items(merge(sources), 0).await, ["1", "2"]);
}

/// Kotlin: `testOneSourceCancelled`, where the source ends alone. Ours fails with it, and drops the others.
#[tokio::test(start_paused = true)]
async fn one_that_fails_fails_the_whole() {
    let trace = Trace::new();
    let sources = merge([script([Emit(1), Wait(5), Fail("over")]), traced(&trace, "other", [Emit(2), Hang])]);
    assert_eq!(seen(sources, 0).await, ["0 1", "0 2", "5 !\"over\""]);
    assert!(trace.live().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_order_is_that_of_time_and_within_a_source_its_own() {
    let one = "a-b-(c|)";
    let two = "-x-(y|)";
    let all = "axby(c|)";
    assert_eq!(to_marble(merge([marble(one), marble(two)])).await, all);
}

#[test]
fn sources_that_are_all_ready_take_turns() {
    let mut stream = Driver::new(merge([script(burst(3)), script([Emit(7), Emit(8)])]));
    assert_eq!(stream.rest(), [1, 7, 2, 8, 3].map(Ok));
}

#[tokio::test(start_paused = true)]
async fn it_ends_with_the_last() {
    assert_eq!(to_marble(merge([marble("|"), marble("---|"), marble("(a|)")])).await, "a--|");
}

#[tokio::test(start_paused = true)]
async fn enough_drops_all() {
    let trace = Trace::new();
    let sources = [traced(&trace, "a", [Emit(1), Hang]), traced(&trace, "b", [Wait(5), Emit(2), Hang])];
    assert_eq!(merge(sources).take(2).to_vec().await, Ok(vec![1, 2]));
    assert!(trace.live().is_empty());
    pause(1).await;
}
