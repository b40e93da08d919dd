use coldflow::FlowExt;

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, yield_now};

#[test]
fn its_failure_drops_the_future_and_then_the_source() {
    let source = Probe::of(&[Emit(1), Emit(2), Emit(3)]);
    let trace = source.trace();
    let noted = trace.clone();
    let mut stream = Driver::new(source.and_then(move |n| {
        let guard = noted.guard("future");
        async move {
            let _guard = guard;
            yield_now().await;
            if n == 2 { Err("two") } else { Ok(n) }
        }
    }));
    assert_eq!(stream.rest(), [Ok(1), Err("two")]);
    let events = trace.take();
    assert_eq!(events[events.len() - 2..], ["drop future", "drop source"]);
    assert!(!events.contains(&"emit 3".to_owned()));
}

#[test]
fn an_error_from_above_does_not_call_it() {
    let mut stream = Driver::new(Probe::of(&[Fail("above")]).and_then(async |_| -> Result<(), _> { unreachable!() }));
    assert_eq!(stream.rest(), [Err("above")]);
}

#[test]
fn the_question_mark_works_in_it() {
    fn check(n: i32) -> Result<i32, &'static str> {
        if n > 1 { Err("large") } else { Ok(n) }
    }
    let mut stream = Driver::new(Probe::of(&[Emit(1), Emit(2)]).and_then(async |n| {
        yield_now().await;
        Ok(check(n)? * 10)
    }));
    assert_eq!(stream.rest(), [Ok(10), Err("large")]);
}
