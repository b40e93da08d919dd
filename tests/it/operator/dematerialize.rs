use coldflow::Event::{Completed, Failed, Item};
use coldflow::{FlowExt, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, block_on};

#[test]
fn it_undoes_materialize() {
    for script in [&[Emit(1), Emit(2)][..], &[], &[Emit(1), Fail("failed")], &[Fail("failed")]] {
        let there = Driver::new(Probe::of(script)).rest();
        assert_eq!(Driver::new(Probe::of(script).materialize().dematerialize()).rest(), there);
    }
}

#[test]
fn the_first_event_that_is_an_end_is_the_end_and_drops_the_source() {
    let source = Probe::of(&[Emit(1), Emit(2), Emit(3)]);
    let trace = source.trace();
    let mut stream = Driver::new(
        source.catch(async |_, _| ()).map(|n| if n == 2 { Failed("two") } else { Item(n) }).dematerialize(),
    );
    assert_eq!(stream.next(), Some(Ok(1)));
    assert_eq!(stream.next(), Some(Err("two")));
    assert!(trace.live().is_empty());
    assert_eq!(stream.next(), None);
    assert_eq!(block_on(flow_of([Item(1), Completed, Failed("late")]).dematerialize().to_vec()), Ok(vec![1]));
}

#[test]
fn events_that_just_stop_are_a_normal_end() {
    assert_eq!(block_on(flow_of([Item::<_, ()>(1)]).dematerialize().to_vec()), Ok(vec![1]));
}
