use std::time::Duration;

use coldflow::{FlowExt, flow_of};
use tokio::time::{Instant, sleep};

use crate::support::Step::{Emit, Wait};
use crate::support::{Driver, Gate, Probe};

// OnEachTest
#[tokio::test(start_paused = true)]
async fn the_item_goes_on_when_its_future_is_done() {
    let began = Instant::now();
    let slow = flow_of([1, 2]).on_each(|n| sleep(Duration::from_secs(*n))).map(|n| (n, began.elapsed().as_secs()));
    assert_eq!(slow.to_vec().await, Ok(vec![(1, 1), (2, 3)]));
}

#[test]
fn the_item_is_dropped_with_what_waits_for_it() {
    let item = std::rc::Rc::new(());
    let (flow_item, gate) = (item.clone(), Gate::default());
    let mut stream = Driver::new(coldflow::once_ok(move || std::future::ready(flow_item.clone())).on_each(move |_| {
        let gate = gate.clone();
        async move { gate.pass().await }
    }));
    assert!(stream.poll().is_pending());
    assert_eq!(std::rc::Rc::strong_count(&item), 3);
    stream.stop();
    assert_eq!(std::rc::Rc::strong_count(&item), 2);
}

#[test]
fn a_restart_forgets_the_item_that_was_waiting() {
    let source = Probe::of(&[Emit(1), Wait]).and_then_runs(&[Emit(2)]);
    let gate = Gate::default();
    let inner = gate.clone();
    let mut stream = Driver::new(source.on_each(move |_| {
        let gate = inner.clone();
        async move { gate.pass().await }
    }));
    assert!(stream.poll().is_pending());
    stream.restart();
    gate.open();
    assert_eq!(stream.rest(), [Ok(2)]);
}
