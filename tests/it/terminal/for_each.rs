use std::future::ready;
use std::time::Duration;

use coldflow::{FlowExt, flow_of};
use tokio::time::{Instant, sleep};

use crate::support::Step::{Emit, Fail, Yield};
use crate::support::{Polling, Probe, block_on, yield_now};

#[tokio::test(start_paused = true)]
async fn the_bodies_run_one_after_the_other() {
    let began = Instant::now();
    let mut seen = Vec::new();
    let Ok(()) = flow_of([2, 1])
        .for_each(|n| {
            seen.push((n, began.elapsed().as_secs()));
            sleep(Duration::from_secs(n))
        })
        .await;
    assert_eq!((seen, began.elapsed().as_secs()), (vec![(2, 0), (1, 2)], 3));
}

#[test]
fn the_source_goes_on_when_the_body_is_done() {
    let source = Probe::of(&[Emit(1), Emit(2)]);
    let trace = source.trace();
    let noted = trace.clone();
    let all = source.for_each(move |_| {
        let guard = noted.guard("body");
        async move {
            let _guard = guard;
            yield_now().await;
        }
    });
    assert_eq!(block_on(all), Ok(()));
    let expected =
        ["start source", "emit 1", "start body", "drop body", "emit 2", "start body", "drop body", "drop source"];
    assert_eq!(trace.take(), expected);
}

// Difference 3: Kotlin cancels a body that is busy when the source fails behind a buffer.
#[test]
fn a_failure_does_not_cut_off_the_body_of_the_item_before_it() {
    let mut done = 0;
    let outcome =
        block_on(Probe::of(&[Emit(1), Fail("failed")]).buffer(1, coldflow::Overflow::Suspend).for_each(|_| {
            done += 1;
            async {
                for _ in 0..5 {
                    yield_now().await;
                }
            }
        }));
    assert_eq!((outcome, done), (Err("failed"), 1));
}

#[test]
fn a_body_that_fails_is_the_error_and_drops_the_source() {
    let source = Probe::of(&[Emit(1), Yield, Emit(2), Emit(3)]);
    let trace = source.trace();
    let outcome = block_on(source.try_for_each(|n| ready(if n == 2 { Err("two") } else { Ok(()) })));
    assert_eq!(outcome, Err("two"));
    assert_eq!(trace.take(), ["start source", "emit 1", "emit 2", "drop source"]);
}

#[test]
fn the_body_may_borrow_from_outside() {
    let names = [String::from("a"), String::from("b")];
    let mut lengths = 0;
    let Ok(()) = block_on(flow_of(&names).for_each(|name| {
        lengths += name.len();
        ready(())
    }));
    assert_eq!(lengths, 2);
}

#[test]
fn dropped_midway_the_body_goes_before_the_source() {
    let source = Probe::of(&[Emit(1)]);
    let trace = source.trace();
    let noted = trace.clone();
    let mut polling = Polling::new(source.for_each(move |_| {
        let guard = noted.guard("body");
        async move {
            let _guard = guard;
            std::future::pending::<()>().await;
        }
    }));
    assert!(polling.poll().is_pending());
    drop(polling);
    assert_eq!(trace.take(), ["start source", "emit 1", "start body", "drop body", "drop source"]);
}
