//! The Kotlin test in question is named above each test that has one: `FlatMapBaseTest`, `FlatMapConcatTest`,
//! `FlattenConcatTest`.

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail, Wait, Yield};
use crate::support::{Driver, Probe, Trace, block_on};

// testFlatMap
#[test]
fn a_hundred_flows_of_growing_length() {
    let all = flow_of(0..100).flat_map_concat(|n| flow_of(0..=n).map(|m| m + 1));
    assert_eq!(block_on(all.fold(0, async |sum, n| sum + n)), Ok(171_700));
}

// testSingle
#[test]
fn only_one_of_them_has_an_item() {
    let all = flow_of(0..100).flat_map_concat(|n| flow_of((n == 50).then_some(42)));
    assert_eq!(block_on(all.single()), Ok(42));
}

// testNulls
#[test]
fn items_that_are_none() {
    let all = flow_of([1, 2]).flat_map_concat(|_| flow_of([None::<u8>, None]));
    assert_eq!(block_on(all.count()), Ok(4));
}

// testFlatMapConcurrency
#[test]
fn one_at_a_time_and_the_next_item_is_not_asked_for_meanwhile() {
    let source = Probe::of(&[Emit(1), Emit(2)]);
    let trace = source.trace();
    let inner = trace.clone();
    let mut stream = Driver::new(source.flat_map_concat(move |_| Probe::new(&inner, &[Wait]).named("inner")));
    assert!(stream.poll().is_pending());
    assert_eq!(trace.take(), ["start source", "emit 1", "start inner"]);
}

// testCancellation: an inner failure is a failure of the whole, whatever its kind.
#[test]
fn an_inner_failure_drops_the_inner_flow_then_the_outer_and_comes_out() {
    let source = Probe::of(&[Emit(1), Emit(2)]);
    let trace = source.trace();
    let inner = trace.clone();
    let mut stream = Driver::new(
        source.flat_map_concat(move |n| Probe::new(&inner, &[Emit(n * 10), Yield, Fail("inner")]).named("inner")),
    );
    assert_eq!(stream.rest(), [Ok(10), Err("inner")]);
    assert_eq!(trace.take(), ["start source", "emit 1", "start inner", "emit 10", "drop inner", "drop source"]);
}

#[test]
fn an_outer_failure_comes_behind_the_inner_items() {
    let source = Probe::of(&[Emit(1), Fail("outer")]);
    let mut stream = Driver::new(source.flat_map_concat(|n| flow_of([n, n]).fallible()));
    assert_eq!(stream.rest(), [Ok(1), Ok(1), Err("outer")]);
}

#[test]
fn an_inner_flow_is_gone_before_the_next_item_is_asked_for() {
    let source = Probe::of(&[Emit(1), Emit(2)]);
    let trace = source.trace();
    let inner = trace.clone();
    let all = source.flat_map_concat(move |n| Probe::new(&inner, &[Emit(n)]).named("inner"));
    assert_eq!(block_on(all.to_vec()), Ok(vec![1, 2]));
    let expected = [
        "start source",
        "emit 1",
        "start inner",
        "emit 1",
        "drop inner",
        "emit 2",
        "start inner",
        "emit 2",
        "drop inner",
        "drop source",
    ];
    assert_eq!(trace.take(), expected);
}

#[test]
fn an_empty_outer_flow_and_empty_inner_flows() {
    assert_eq!(block_on(empty::<i32>().flat_map_concat(|n| flow_of([n])).count()), Ok(0));
    assert_eq!(block_on(flow_of([1, 2]).flat_map_concat(|_| empty::<i32>()).count()), Ok(0));
}

#[test]
fn an_inner_flow_may_be_one_that_can_be_collected_only_once() {
    use coldflow::StreamFlowExt;
    let all = flow_of([1, 2]).flat_map_concat(|n| futures::stream::iter(0..n).into_flow()).boxed();
    assert_eq!(block_on(all.repeat(2).to_vec()), Ok(vec![0, 0, 1, 0, 0, 1]));
}

#[test]
fn a_retry_inside_retries_one_inner_flow_and_one_below_them_all() {
    let trace = Trace::new();
    let flaky = |trace: &Trace| Probe::new(trace, &[Emit(1), Fail("again")]).and_then_runs(&[Emit(2)]);
    let inside = trace.clone();
    let all = flow_of([(); 2]).fallible().flat_map_concat(move |()| flaky(&inside).retry(1));
    assert_eq!(block_on(all.to_vec()), Ok(vec![1, 2, 1, 2]));
    trace.take();
    let below = trace.clone();
    let all = flow_of([(); 2]).fallible().flat_map_concat(move |()| flaky(&below)).retry(1);
    assert_eq!(block_on(all.to_vec()), Err("again"), "each inner flow is made anew, so it fails again");
    assert_eq!(trace.count("start source"), 2);
}

#[test]
fn flattened_the_flows_are_items() {
    let flows = flow_of([flow_of(vec![1, 2]), flow_of(vec![]), flow_of(vec![3])]);
    assert_eq!(block_on(flows.flatten_concat().to_vec()), Ok(vec![1, 2, 3]));
}
