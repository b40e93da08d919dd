use std::convert::Infallible;

use coldflow::{BoxFlow, FlowExt, LocalBoxFlow, empty, flow_of};

use crate::support::Step::{Emit, Fail, Wait};
use crate::support::{Driver, Probe, Trace, block_on};

#[test]
fn flows_of_several_types_become_one() {
    let flows: Vec<BoxFlow<'static, i32, Infallible>> =
        vec![flow_of([1, 2]).boxed(), empty().boxed(), flow_of(0..10).filter(|n| n % 5 == 0).boxed()];
    let items: Vec<_> = flows.into_iter().map(|flow| block_on(flow.to_vec()).unwrap()).collect();
    assert_eq!(items, [vec![1, 2], vec![], vec![0, 5]]);
}

#[test]
fn boxed_twice_is_fine() {
    assert_eq!(block_on(flow_of([1]).boxed().boxed().boxed_local().to_vec()), Ok(vec![1]));
}

#[test]
fn it_can_be_retried() {
    let source: LocalBoxFlow<'_, _, _> = Probe::of(&[Fail("failed")]).and_then_runs(&[Emit(1)]).boxed_local();
    assert_eq!(block_on(source.retry(1).to_vec()), Ok(vec![1]));
}

#[test]
fn chain_with_makes_the_next_flow_when_this_one_has_ended() {
    let trace = Trace::new();
    let made = trace.clone();
    let first = Probe::new(&trace, &[Emit(1)]).named("first");
    let all = first.boxed().chain_with(move || {
        made.note("made");
        Probe::new(&made, &[Emit(2)]).named("second").boxed()
    });
    assert_eq!(block_on(all.to_vec()), Ok(vec![1, 2]));
    assert_eq!(trace.take(), ["start first", "emit 1", "drop first", "made", "start second", "emit 2", "drop second"]);
}

#[test]
fn chain_with_does_not_go_on_after_a_failure_nor_after_a_stop() {
    let never = || -> BoxFlow<'static, i32, &'static str> { unreachable!() };
    let mut stream = Driver::new(Probe::of(&[Emit(1), Fail("failed")]).boxed().chain_with(never));
    assert_eq!(stream.rest(), [Ok(1), Err("failed")]);
    assert!(stream.is_terminated());
    let mut stream = Driver::new(Probe::of(&[Emit(1), Wait]).boxed().chain_with(never));
    assert_eq!(stream.next(), Some(Ok(1)));
    stream.stop();
    assert_eq!(stream.next(), None);
    let mut stream = Driver::new(Probe::of(&[Emit(1)]).boxed().chain_with(never));
    stream.stop();
    assert_eq!(stream.next(), None);
}

#[test]
fn chain_with_several_times_and_within_what_is_made() {
    let one = |n: i32| flow_of([n]).boxed();
    let all = one(1)
        .chain_with(move || one(2).chain_with(move || one(3)).chain_with(move || one(4)))
        .chain_with(move || one(5).chain_with(move || one(6)))
        .chain_with(move || one(7));
    let mut stream = Driver::new(all);
    for _ in 0..3 {
        assert_eq!(stream.rest(), [1, 2, 3, 4, 5, 6, 7].map(Ok));
        stream.restart();
        for polls in 0..7 {
            for _ in 0..polls {
                let _ = stream.next();
            }
            stream.restart();
        }
    }
}

#[test]
fn chain_with_frees_each_part_when_it_has_ended() {
    fn from(trace: &Trace, n: i32) -> BoxFlow<'static, i32, &'static str> {
        let (part, again) = (Probe::new(trace, &[Emit(n)]).boxed(), trace.clone());
        if n == 5 { part } else { part.chain_with(move || from(&again, n + 1)) }
    }
    let trace = Trace::new();
    let mut stream = Driver::new(from(&trace, 1));
    while stream.next().is_some() {
        assert!(trace.live().len() <= 1, "{:?}", trace.live());
    }
    assert!(trace.live().is_empty());
}
