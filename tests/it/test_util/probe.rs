//! `probe`: it does what its script says, and counts what is done to it.

use std::convert::Infallible;
use std::future::ready;
use std::task::Poll;

use coldflow::test_util::{Gate, Probe, probe};
use coldflow::{Flow, FlowExt, Overflow};

use crate::concurrent::clock::{ms, pause, seen};
use crate::support::{Driver, block_on};

#[test]
fn it_does_one_step_after_the_other() {
    let gate = Gate::new();
    let source =
        probe().emit(1).yield_now().emit(2).yield_now().yield_now().wait_for(&gate).emit(3).fail("over").emit(4);
    let mut items = Driver::new(source);
    assert_eq!(items.poll(), Poll::Ready(Some(Ok(1))));
    assert!(items.poll().is_pending() && items.woken());
    assert_eq!(items.poll(), Poll::Ready(Some(Ok(2))));
    assert!(items.poll().is_pending() && items.woken());
    assert!(items.poll().is_pending() && items.woken());
    assert!(items.poll().is_pending() && !items.woken());
    gate.open();
    assert_eq!(items.rest(), [Ok(3), Err("over")]);
    assert_eq!(items.poll(), Poll::Ready(None));
}

#[test]
fn without_a_step_it_is_empty_and_hanging_it_never_ends() {
    assert_eq!(block_on(probe::<u8, Infallible>().to_vec()), Ok(vec![]));
    let mut items = Driver::new(probe::<_, Infallible>().emit(1).hang().emit(2));
    assert_eq!(items.poll(), Poll::Ready(Some(Ok(1))));
    for _ in 0..3 {
        assert!(items.poll().is_pending());
        assert!(!items.woken());
    }
}

#[tokio::test(start_paused = true)]
async fn it_waits_on_the_clock() {
    let source = probe().wait(ms(30)).emit(1).wait(ms(20)).emit(2).wait(ms(5)).fail("over");
    assert_eq!(seen(source.clone(), 0).await, ["30 1", "50 2", "55 !\"over\""]);
    assert_eq!(seen(source.clone(), 50).await, ["30 1", "100 2", "155 !\"over\""]);
    // Begun again in the middle of a wait, the wait is as long as before.
    let source = probe::<_, ()>().emit(1).wait(ms(30)).emit(2).next_run().wait(ms(30)).emit(3).timeout(ms(20)).retry(1);
    assert_eq!(seen(source, 0).await, ["0 1", "40 !Elapsed"]);
}

#[test]
fn each_run_has_its_script_and_the_last_is_for_all_further_runs() {
    let source = probe().fail(1).next_run().emit(7).fail(2).next_run().fail(3);
    let mut causes = Vec::new();
    let retried = source.clone().retry_when(|cause, retried| {
        causes.push(cause);
        ready(if retried < 3 { Ok(()) } else { Err(cause) })
    });
    let mut items = Driver::new(retried);
    assert_eq!(items.rest(), [Ok(7), Err(3)]);
    drop(items);
    assert_eq!(causes, [1, 2, 3, 3]);
    assert_eq!((source.starts(), source.restarts(), source.failures()), (4, 3, 4));
    // Another collection begins with the first script.
    assert_eq!(block_on(source.to_vec()), Err(1));
}

/// Starts, ends, failures, drops, and what is running.
fn counts<T, E>(source: &Probe<T, E>) -> [usize; 5] {
    [source.starts(), source.ends(), source.failures(), source.drops(), source.running()]
}

#[test]
fn it_counts_how_runs_are_over() {
    let source = probe().emit(1).yield_now().emit(2).next_run().fail("over");
    let mut items = Driver::new(source.clone());
    assert_eq!(counts(&source), [0; 5], "a fresh collection is no run");
    let _ = items.poll();
    assert_eq!(counts(&source), [1, 0, 0, 0, 1]);
    assert_eq!(items.rest(), [Ok(2)]);
    assert_eq!(counts(&source), [1, 1, 0, 0, 0]);
    items.restart();
    assert_eq!(counts(&source), [1, 1, 0, 0, 0], "restarted it is fresh");
    assert_eq!(items.rest(), [Err("over")]);
    assert_eq!(counts(&source), [2, 1, 1, 0, 0]);
    drop(items);
    assert_eq!(counts(&source), [2, 1, 1, 0, 0], "what is over is not dropped once more");
}

#[test]
fn dropped_stopped_or_restarted_before_its_end_it_counts_as_dropped() {
    let source = probe::<_, Infallible>().emit(1).hang();
    let mut items = Driver::new(source.clone());
    let _ = items.poll();
    items.restart();
    assert_eq!(counts(&source), [1, 0, 0, 1, 0]);
    items.restart();
    assert_eq!(source.restarts(), 0, "no run has begun since");
    let _ = items.poll();
    items.stop();
    assert_eq!((counts(&source), source.restarts()), ([2, 0, 0, 2, 0], 1));
    let mut others = [Driver::new(source.clone()), Driver::new(source.clone())];
    for other in &mut others {
        let _ = other.poll();
    }
    assert_eq!(counts(&source), [4, 0, 0, 2, 2]);
    drop(others);
    assert_eq!(counts(&source), [4, 0, 0, 4, 0]);
}

#[test]
fn it_counts_polls_and_those_for_progress_while_it_runs() {
    let source = probe::<_, Infallible>().emit(1).emit(2);
    let mut items = Driver::new(source.clone());
    let _ = items.progress();
    assert_eq!((source.polls(), source.progress_polls()), (0, 0), "nothing is asked of a fresh one");
    let _ = items.poll();
    let _ = items.progress();
    let _ = items.progress();
    assert_eq!((source.polls(), source.progress_polls()), (1, 2));
    let _ = items.rest();
    let _ = items.progress();
    assert_eq!((source.polls(), source.progress_polls()), (3, 2), "nor of one that has ended");
}

#[tokio::test(start_paused = true)]
async fn a_consumer_that_is_busy_gives_it_progress() {
    let source = probe::<_, Infallible>().emit(1).emit(2);
    let Ok(()) = source.clone().for_each(|_| pause(10)).await;
    assert!(source.progress_polls() >= 2);
    let buffered = probe::<_, Infallible>().emit(1).emit(2).emit(3);
    let mut items = Driver::new(buffered.clone().buffer(2, Overflow::Suspend));
    let _ = items.poll();
    let polls = buffered.polls();
    let _ = items.progress();
    assert!(buffered.polls() > polls, "for a buffer, progress is to fill itself");
}

#[test]
fn it_can_be_sent_and_shown() {
    fn sent<T: Send + Sync>(_: &T) {}
    let source = probe().emit(1).fail("over");
    sent(&source);
    assert!(
        format!("{source:?}").starts_with("Probe { runs: [[Emit(1), Fail(\"over\")]], counts: Counts { starts: 0,")
    );
    let stream = source.into_stream();
    sent(&stream);
    assert!(format!("{stream:?}").contains("run: 0"));
}
