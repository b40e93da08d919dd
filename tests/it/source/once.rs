use std::fmt::Debug;
use std::future::pending;
use std::task::Poll;

use coldflow::{ColdFlow, FlowExt, once, once_ok};

use crate::support::{Driver, Gate, Trace, block_on, yield_now};

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

/// Each poll of the collection to its end and one beyond, as text, with what happened in it.
fn told<F>(flow: F, trace: &Trace) -> Vec<String>
where
    F: ColdFlow,
    F::Item: Debug + PartialEq,
    F::Error: Debug + PartialEq,
{
    let mut stream = Driver::new(flow);
    let mut told = Vec::new();
    for run in 0..2 {
        loop {
            let polled = stream.poll();
            told.push(format!("{run}: {polled:?}, {:?}, {}", trace.take(), stream.is_terminated()));
            if polled == Poll::Ready(None) {
                break;
            }
            assert!(polled.is_ready() || stream.woken());
            assert_eq!(stream.progress(), Poll::Ready(()));
        }
        stream.restart();
    }
    told
}

#[test]
fn its_own_retry_when_does_what_that_of_all_flows_does() {
    for (failures, limit, ready) in
        [(0, 3, false), (2, 3, false), (3, 3, false), (9, 3, false), (100, 200, true), (9, 3, true)]
    {
        let trace = Trace::new();
        let chain = |own: bool| {
            let (calls, decisions, mut runs) = (trace.clone(), trace.clone(), 0);
            let call = once(move || {
                runs += 1;
                let (outcome, trace) = (if runs % (failures + 1) == 0 { Ok(runs) } else { Err(runs) }, calls.clone());
                async move {
                    let _guard = trace.guard("call");
                    if !ready {
                        yield_now().await;
                    }
                    outcome
                }
            });
            let predicate = move |cause: u64, retried: u64| {
                let trace = decisions.clone();
                async move {
                    let _guard = trace.guard("decision");
                    if !ready {
                        yield_now().await;
                    }
                    if retried < limit { Ok(()) } else { Err(cause) }
                }
            };
            if own {
                told(call.retry_when(predicate), &trace)
            } else {
                told(FlowExt::retry_when(call, predicate), &trace)
            }
        };
        let own = chain(true);
        assert_eq!(own, chain(false), "{failures} failures, {limit} retries");
        assert!(own.len() > 2);
    }
}

#[test]
fn a_retry_of_it_that_is_stopped_or_dropped_drops_what_runs() {
    for decides in [false, true] {
        let trace = Trace::new();
        let (calls, decisions) = (trace.clone(), trace.clone());
        let chain = || {
            let (calls, decisions) = (calls.clone(), decisions.clone());
            once(move || {
                let guard = calls.guard("call");
                async move {
                    let _guard = guard;
                    if !decides {
                        pending::<()>().await;
                    }
                    Err::<u8, u8>(1)
                }
            })
            .retry_when(move |_, _| {
                let guard = decisions.guard("decision");
                async move {
                    let _guard = guard;
                    pending().await
                }
            })
        };
        let part = if decides { "decision" } else { "call" };
        let mut stream = Driver::new(chain());
        assert_eq!(stream.poll(), Poll::Pending);
        assert_eq!(trace.live(), [part]);
        stream.stop();
        assert!(trace.live().is_empty() && stream.is_terminated());
        assert_eq!(stream.poll(), Poll::Ready(None));
        stream.restart();
        assert_eq!(stream.poll(), Poll::Pending);
        assert_eq!(trace.live(), [part]);
        drop(stream);
        assert!(trace.live().is_empty());
    }
}
