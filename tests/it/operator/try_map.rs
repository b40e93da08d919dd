use coldflow::{FlowExt, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe};

#[test]
fn its_failure_ends_the_flow_and_drops_the_source_first() {
    let source = Probe::of(&[Emit(1), Emit(2), Emit(3)]);
    let trace = source.trace();
    let mut stream = Driver::new(source.try_map(|n| if n == 2 { Err("two") } else { Ok(n) }));
    assert_eq!(stream.next(), Some(Ok(1)));
    assert_eq!(stream.next(), Some(Err("two")));
    assert!(stream.is_terminated());
    assert_eq!(trace.take(), ["start source", "emit 1", "emit 2", "drop source"]);
    assert_eq!(stream.next(), None);
}

#[test]
fn an_error_from_above_does_not_call_it() {
    let mut stream = Driver::new(Probe::of(&[Fail("above")]).try_map(|_| -> Result<(), _> { unreachable!() }));
    assert_eq!(stream.rest(), [Err("above")]);
}

#[test]
fn a_retry_below_it_sees_its_failure() {
    let mut calls = 0;
    let outcome = crate::support::block_on(
        flow_of([1, 2])
            .fallible()
            .try_map(|n| {
                calls += 1;
                if calls < 4 && n == 2 { Err("not yet") } else { Ok(n) }
            })
            .retry(5)
            .to_vec(),
    );
    assert_eq!((outcome, calls), (Ok(vec![1, 1, 2]), 4));
}
