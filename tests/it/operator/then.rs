use std::time::Duration;

use coldflow::{FlowExt, flow_of};
use tokio::time::{Instant, sleep};

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Gate, Probe, Trace, block_on, yield_now};

#[tokio::test(start_paused = true)]
async fn the_futures_run_one_after_the_other() {
    let began = Instant::now();
    let slow = flow_of([3, 2, 1]).then(async |n| {
        sleep(Duration::from_secs(n)).await;
        (n, began.elapsed().as_secs())
    });
    assert_eq!(slow.to_vec().await, Ok(vec![(3, 3), (2, 5), (1, 6)]));
}

#[test]
fn the_next_item_is_asked_for_only_when_the_future_is_done() {
    let source = Probe::of(&[Emit(1), Emit(2)]);
    let trace = source.trace();
    let noted = trace.clone();
    let all = source.then(move |n| {
        let guard = noted.guard("future");
        async move {
            yield_now().await;
            drop(guard);
            n
        }
    });
    assert_eq!(block_on(all.to_vec()), Ok(vec![1, 2]));
    let expected = [
        "start source",
        "emit 1",
        "start future",
        "drop future",
        "emit 2",
        "start future",
        "drop future",
        "drop source",
    ];
    assert_eq!(trace.take(), expected);
}

#[test]
fn an_error_comes_behind_the_outputs_before_it() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Fail("failed")]).then(async |n| {
        yield_now().await;
        n
    }));
    assert_eq!(stream.rest(), [Ok(1), Err("failed")]);
}

#[test]
fn a_future_that_is_done_is_dropped_before_its_output_is_seen() {
    let trace = Trace::new();
    let noted = trace.clone();
    let mut stream = Driver::new(flow_of([1, 2]).then(move |n| {
        let guard = noted.guard("future");
        async move {
            let _guard = guard;
            n
        }
    }));
    assert_eq!(stream.next(), Some(Ok(1)));
    assert!(trace.live().is_empty());
}

#[test]
fn dropped_while_its_future_waits() {
    let (source, gate) = (Probe::of(&[Emit(1)]), Gate::default());
    let trace = source.trace();
    let noted = trace.clone();
    let mut stream = Driver::new(source.then(move |_| {
        let (guard, gate) = (noted.guard("future"), gate.clone());
        async move {
            gate.pass().await;
            drop(guard);
        }
    }));
    assert!(stream.poll().is_pending());
    drop(stream);
    assert_eq!(trace.take(), ["start source", "emit 1", "start future", "drop future", "drop source"]);
}
