//! `combine` and `combine_latest`. Kotlin's tests are `CombineTest`, `CombineParametersTest`.

use std::future::ready;

use coldflow::{FlowExt, combine, combine_latest, flow_of};
use tokio::runtime::Handle;

use super::clock::{Emit, Fail, Hang, Wait, Yield, burst, items, pause, script, seen, traced};
use crate::support::{Trace, block_on};

/// Kotlin: `testCombineLatest`, `testNulls`, `testNullsOther`.
#[test]
fn flows_that_are_ready_pair_up() {
    let both = combine((flow_of(["a", "b", "c"]), flow_of([1, 2, 3]))).to_vec();
    assert_eq!(block_on(both), Ok(vec![("a", 1), ("b", 2), ("c", 3)]));
    let nulls = combine((flow_of([Some(1), None]), flow_of([None, Some(2)]))).to_vec();
    assert_eq!(block_on(nulls), Ok(vec![(Some(1), None), (None, Some(2))]));
}

/// Kotlin: `testEmpty`, `testFirstIsEmpty`, `testSecondIsEmpty`: nothing comes, but the other is awaited.
#[tokio::test(start_paused = true)]
async fn one_that_is_empty_makes_nothing_but_the_others_are_awaited() {
    let slow = script([Emit(1), Wait(20)]);
    assert_eq!(seen(combine((script([]), script([]))), 0).await, ["0 |"]);
    assert_eq!(seen(combine((script([]), slow.clone())), 0).await, ["20 |"]);
    assert_eq!(seen(combine((slow, script([]))), 0).await, ["20 |"]);
}

/// Kotlin: `testPreservingOrder`, `testPreservingOrderReversed`.
#[test]
fn the_order_of_each_is_kept() {
    let (letters, numbers) = (script([1, 2, 3].map(Emit)), script([Emit(7), Yield, Yield, Emit(8), Yield, Emit(9)]));
    let both = block_on(combine((letters.clone(), numbers.clone())).to_vec());
    assert_eq!(both, Ok(vec![(1, 7), (2, 7), (3, 7), (3, 8), (3, 9)]));
    let reversed = block_on(combine((numbers, letters)).to_vec());
    assert_eq!(reversed, Ok(vec![(7, 1), (7, 2), (7, 3), (8, 3), (9, 3)]));
}

/// Kotlin: `testContextIsIsolated`.
#[tokio::test(start_paused = true)]
async fn sources_in_tasks() {
    let sources = [1, 2].map(|n| script([Wait(1), Emit(n)]).flow_on(&Handle::current()));
    assert_eq!(items(combine(sources).flow_on(&Handle::current()), 0).await, ["[1, 2]"]);
}

/// Kotlin: `testErrorInDownstreamCancelsUpstream`, `testCancellationExceptionDownstream`.
#[test]
fn an_error_below_drops_all() {
    let trace = Trace::new();
    let both = combine([traced(&trace, "a", [Emit(1), Hang]), traced(&trace, "b", [Emit(1), Hang])]);
    assert_eq!(block_on(both.try_for_each(|_| ready(Err("below")))), Err("below"));
    assert!(trace.live().is_empty());
}

/// Kotlin: `testErrorCancelsSibling`, `testCancellationExceptionUpstream`.
#[tokio::test(start_paused = true)]
async fn an_error_of_one_drops_the_others() {
    let trace = Trace::new();
    let both = combine([traced(&trace, "a", [Emit(1), Hang]), script([Emit(1), Wait(5), Fail("over")])]);
    assert_eq!(seen(both, 0).await, ["0 [1, 1]", "5 !\"over\""]);
    assert!(trace.live().is_empty());
}

/// Kotlin: `testCancelledCombine` of a scope that is cancelled already.
#[test]
fn dropped_before_its_first_poll_nothing_ran() {
    let trace = Trace::new();
    drop(combine([traced(&trace, "a", [Emit(1)]), traced(&trace, "b", [Emit(1)])]).to_vec());
    assert!(trace.take().is_empty());
}

/// Kotlin: `CombineParametersTest`: numbers of flows, kinds of groups.
#[test]
fn groups_of_every_kind() {
    let one = || flow_of([1]);
    assert_eq!(block_on(combine((one(), flow_of(["2"]), flow_of([None::<u8>]))).to_vec()), Ok(vec![(1, "2", None)]));
    assert_eq!(block_on(combine((one(), one(), one(), one())).single()), Ok((1, 1, 1, 1)));
    let twelve =
        combine((one(), one(), one(), one(), one(), one(), one(), one(), one(), one(), one(), flow_of(["12"])));
    assert_eq!(block_on(twelve.single()).unwrap().11, "12");
    assert_eq!(block_on(combine([one(), one()]).single()), Ok(vec![1, 1]));
    assert_eq!(block_on(combine(vec![flow_of([1, 2, 3])]).to_vec()), Ok(vec![vec![1], vec![2], vec![3]]));
    assert_eq!(block_on(combine(Vec::<coldflow::BoxFlow<'_, u8, ()>>::new()).to_vec()), Ok(vec![]));
    assert_eq!(block_on(combine([(); 0].map(|()| one())).to_vec()), Ok(vec![]));
}

/// Kotlin: `testFairness`.
#[test]
fn the_nth_of_each_together() {
    for flows in 2..=5 {
        for count in 1..=5 {
            let all = combine((0..flows).map(|_| script(burst(count))).collect::<Vec<_>>()).to_vec();
            let expected: Vec<_> = (1..=count).map(|n| vec![n; flows]).collect();
            assert_eq!(block_on(all), Ok(expected), "{flows} flows of {count}");
        }
    }
}

/// Kotlin: `testEpochOverflow`.
#[test]
fn more_batches_than_a_byte_can_count() {
    let numbers = flow_of(0..1_024);
    let Ok(sums) = block_on(combine((numbers.clone(), numbers)).map(|(a, b)| a + b).to_vec());
    assert_eq!(sums, (0..1_024).map(|n| n * 2).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn changes_over_time_give_an_item_each() {
    let both = combine((
        script([Emit(1), Wait(20), Emit(2), Wait(20), Emit(3)]),
        script([Wait(10), Emit(7), Wait(20), Emit(8)]),
    ));
    assert_eq!(seen(both, 0).await, ["10 (1, 7)", "20 (2, 7)", "30 (2, 8)", "40 (3, 8)", "40 |"]);
}

#[tokio::test(start_paused = true)]
async fn a_busy_consumer_gets_batches_and_with_combine_latest_every_change() {
    let sources = || (script([Emit(1), Wait(10), Emit(2), Wait(10), Emit(3)]), script([Emit(7), Wait(15), Emit(8)]));
    let batched = items(combine(sources()), 100).await;
    let every = items(combine_latest(sources()), 100).await;
    assert_eq!(batched.first(), every.first());
    assert_eq!(every, ["(1, 7)", "(2, 7)", "(2, 8)", "(3, 8)"]);
    assert!(batched.len() < every.len() && batched.last() == every.last(), "{batched:?}");
    pause(1).await;
}

/// The rule of the batch: it ends with the second change of the same flow.
#[tokio::test(start_paused = true)]
async fn a_batch_ends_with_the_second_change_of_a_flow() {
    let both = combine((script([Emit(1), Emit(2), Emit(3), Emit(4)]), script([Emit(7), Wait(50)])));
    // While the consumer has (1, 7), 2 and 3 have the two places, and 4 is in hand.
    assert_eq!(seen(both, 100).await, ["0 (1, 7)", "100 (3, 7)", "200 (4, 7)", "300 |"]);
}

/// Not in Kotlin: an item for every change, whatever is there at once.
#[test]
fn combine_latest_skips_nothing() {
    let all = combine_latest((flow_of([1, 2, 3]), flow_of([7, 8]))).to_vec();
    assert_eq!(block_on(all), Ok(vec![(1, 7), (2, 7), (2, 8), (3, 8)]));
}
