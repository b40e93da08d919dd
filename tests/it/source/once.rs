use std::task::Poll;

use coldflow::{FlowExt, once, once_ok};

use crate::support::{Driver, Gate, Trace, block_on};

// FlowBuildersTest.testFunctionAsFlow, testSuspendFunctionAsFlow
#[test]
fn exactly_one_value_made_anew_for_each_collection() {
    let mut calls = 0;
    let mut stream = Driver::new(once_ok(|| {
        calls += 1;
        std::future::ready(calls)
    }));
    assert_eq!(stream.rest(), [Ok(1)]);
    stream.restart();
    assert_eq!(stream.rest(), [Ok(2)]);
}

#[test]
fn or_exactly_one_error() {
    let mut stream = Driver::new(once(async || Err::<u8, _>("failed")));
    assert_eq!(stream.next(), Some(Err("failed")));
    assert!(stream.is_terminated());
    assert_eq!(stream.next(), None);
}

#[test]
fn the_future_is_dropped_before_its_value_is_seen() {
    let trace = Trace::new();
    let noted = trace.clone();
    let mut stream = Driver::new(once_ok(move || {
        let guard = noted.guard("future");
        async move {
            let _guard = guard;
            1
        }
    }));
    assert_eq!(stream.next(), Some(Ok(1)));
    assert!(trace.live().is_empty());
}

#[test]
fn it_waits_with_its_future_and_is_dropped_with_it() {
    let (trace, gate) = (Trace::new(), Gate::default());
    let (noted, inner) = (trace.clone(), gate.clone());
    let mut stream = Driver::new(once_ok(move || {
        let (guard, gate) = (noted.guard("future"), inner.clone());
        async move {
            let _guard = guard;
            gate.pass().await;
        }
    }));
    assert_eq!(stream.poll(), Poll::Pending);
    assert!(!stream.woken());
    stream.restart();
    assert_eq!(trace.take(), ["start future", "drop future"]);
    assert_eq!(stream.poll(), Poll::Pending);
    gate.open();
    assert!(stream.woken());
    assert_eq!(stream.rest(), [Ok(())]);
}

#[test]
fn a_function_fits() {
    async fn fetch() -> Result<u8, String> {
        Ok(7)
    }
    assert_eq!(block_on(once(fetch).single()), Ok(7));
}
