//! The Kotlin test in question is named above each test that has one: `RetryTest`, unless it says otherwise.

use std::cell::RefCell;
use std::future::{pending, ready};
use std::rc::Rc;
use std::time::Duration;

use coldflow::{FlowExt, flow, flow_of, once};
use tokio::time::{Instant, sleep, timeout};

use crate::support::Step::{Emit, Fail, Wait, Yield};
use crate::support::{Driver, Polling, Probe, Trace, block_on};

/// Emits 1, then fails, in each run.
fn one_then_failure() -> Probe {
    Probe::of(&[Emit(1), Fail("failed")])
}

// testRetryWhen
#[test]
fn the_predicate_is_called_with_the_number_of_retries_and_the_last_failure_goes_on() {
    let source = one_then_failure();
    let trace = source.trace();
    let mut seen = Vec::new();
    let Ok(items) = block_on(
        source
            .retry_when(|cause, retried| {
                seen.push(retried);
                ready(if retried < 3 { Ok(()) } else { Err(cause) })
            })
            .catch(async |cause, mut emitter| {
                assert_eq!(cause, "failed");
                emitter.emit(100).await;
            })
            .to_vec(),
    );
    assert_eq!(seen, [0, 1, 2, 3]);
    assert_eq!(trace.count("start source"), 4);
    assert_eq!(items, [1, 1, 1, 1, 100]);
}

// testRetryExceptionFromDownstream
#[test]
fn an_error_raised_below_never_reaches_it() {
    let (mut mapped, mut asked) = (0, 0);
    let outcome = block_on(
        Probe::of(&[Emit(1)])
            .retry_when(|cause, _| {
                asked += 1;
                ready(if asked < 42 { Ok(()) } else { Err(cause) })
            })
            .try_map(|_| {
                mapped += 1;
                Err::<(), _>("below")
            })
            .to_vec(),
    );
    assert_eq!(outcome, Err("below"));
    assert_eq!((mapped, asked), (1, 0));
}

// testUpstreamExceptionConcurrentWithDownstream, testUpstreamExceptionConcurrentWithDownstreamCancellation,
// testUpstreamCancellationIsIgnoredWhenDownstreamFails: a source that is cut off cannot fail here, it is dropped.
#[test]
fn a_source_that_is_cut_off_by_an_error_below_is_dropped_and_not_retried() {
    let source = Probe::of(&[Emit(1), Fail("of the source")]);
    let trace = source.trace();
    let outcome =
        block_on(source.retry_when(async |_, _| unreachable!()).and_then(async |_| Err::<(), _>("below")).to_vec());
    assert_eq!(outcome, Err("below"));
    assert_eq!(trace.take(), ["start source", "emit 1", "drop source"]);
}

// testWithTimeoutRetried
#[tokio::test(start_paused = true)]
async fn an_attempt_that_ran_into_its_timeout_is_retried() {
    let mut runs = 0;
    let value = once(|| {
        runs += 1;
        let run = runs;
        async move {
            let attempt = async {
                if run == 1 {
                    pending::<()>().await;
                }
                run
            };
            timeout(Duration::from_millis(1), attempt).await
        }
    });
    assert_eq!(value.retry_when(async |_, _| Ok(())).single().await, Ok(2));
}

// testCancellationFromUpstreamIsNotRetried
#[test]
fn cancellation_is_not_retried() {
    let source = Probe::of(&[Wait]);
    let trace = source.trace();
    let mut stream = Driver::new(source.retry_when(async |_, _| unreachable!()));
    assert!(stream.poll().is_pending());
    drop(stream);
    assert_eq!(trace.take(), ["start source", "drop source"]);
}

#[test]
fn what_ran_above_is_dropped_before_the_predicate_is_called() {
    let source = Probe::of(&[Yield, Fail("failed")]).and_then_runs(&[Emit(1)]);
    let trace = source.trace();
    let noted = trace.clone();
    let Ok(items) = block_on(
        source
            .retry_when(move |_, _| {
                assert!(noted.live().is_empty());
                noted.note("predicate");
                ready(Ok(()))
            })
            .to_vec(),
    ) else {
        unreachable!()
    };
    assert_eq!(items, [1]);
    assert_eq!(trace.take(), ["start source", "drop source", "predicate", "start source", "emit 1", "drop source"]);
}

#[test]
fn the_decision_is_dropped_before_the_next_run_starts() {
    let source = one_then_failure().and_then_runs(&[]);
    let trace = source.trace();
    let noted = trace.clone();
    let retried = source.retry_when(move |_, _| {
        let guard = noted.guard("decision");
        async move {
            let _guard = guard;
            crate::support::yield_now().await;
            Ok(())
        }
    });
    assert_eq!(block_on(retried.to_vec()), Ok(vec![1]));
    assert_eq!(
        trace.take(),
        ["start source", "emit 1", "drop source", "start decision", "drop decision", "start source", "drop source"]
    );
}

#[test]
fn the_count_goes_on_after_a_success_in_between() {
    // "Success" is an emission: the run fails later all the same.
    let source = Probe::of(&[Fail("a")]).and_then_runs(&[Emit(1), Fail("b")]).and_then_runs(&[Fail("c")]);
    let mut seen = Vec::new();
    let outcome = block_on(
        source
            .retry_when(|cause, retried| {
                seen.push((cause, retried));
                ready(if retried < 2 { Ok(()) } else { Err(cause) })
            })
            .to_vec(),
    );
    assert_eq!(outcome, Err("c"));
    assert_eq!(seen, [("a", 0), ("b", 1), ("c", 2)]);
}

#[test]
fn two_collections_count_on_their_own() {
    let runs = Rc::new(RefCell::new(Vec::new()));
    let noted = Rc::clone(&runs);
    let retried = one_then_failure().retry_when(move |cause, retried| {
        noted.borrow_mut().push(retried);
        ready(if retried < 1 { Ok(()) } else { Err(cause) })
    });
    assert_eq!(block_on(retried.clone().to_vec()), Err("failed"));
    assert_eq!(block_on(retried.to_vec()), Err("failed"));
    assert_eq!(*runs.borrow(), [0, 1, 0, 1]);
}

#[test]
fn the_predicate_may_fail_with_another_error_which_replaces_the_cause() {
    let outcome = block_on(one_then_failure().retry_when(async |_, _| Err("another")).to_vec());
    assert_eq!(outcome, Err("another"));
}

#[test]
fn the_predicate_may_use_the_question_mark() {
    fn allowed(retried: u64) -> Result<(), &'static str> {
        if retried < 2 { Ok(()) } else { Err("no more") }
    }
    let source = one_then_failure();
    let trace = source.trace();
    let outcome = block_on(
        source
            .retry_when(async |_, retried| {
                allowed(retried)?;
                Ok(())
            })
            .to_vec(),
    );
    assert_eq!(outcome, Err("no more"));
    assert_eq!(trace.count("start source"), 3);
}

#[tokio::test(start_paused = true)]
async fn the_predicate_may_wait() {
    let began = Instant::now();
    let outcome = one_then_failure()
        .retry_when(async |cause, retried| {
            if retried == 3 {
                return Err(cause);
            }
            sleep(Duration::from_secs(1 << retried)).await;
            Ok(())
        })
        .to_vec()
        .await;
    assert_eq!(outcome, Err("failed"));
    assert_eq!(began.elapsed(), Duration::from_secs(1 + 2 + 4));
}

#[tokio::test(start_paused = true)]
async fn dropped_during_the_wait_nothing_is_retried() {
    let source = one_then_failure();
    let trace = source.trace();
    let chain = source.retry_when(async |_, _| {
        sleep(Duration::from_secs(60)).await;
        Ok(())
    });
    assert!(timeout(Duration::from_secs(1), chain.run()).await.is_err());
    sleep(Duration::from_secs(120)).await;
    assert_eq!(trace.take(), ["start source", "emit 1", "drop source"]);
}

#[test]
fn items_that_were_delivered_stay_delivered() {
    let source =
        Probe::of(&[Emit(1), Fail("a")]).and_then_runs(&[Emit(1), Emit(2), Fail("b")]).and_then_runs(&[Emit(3)]);
    assert_eq!(block_on(source.retry_when(async |_, _| Ok(())).to_vec()), Ok(vec![1, 1, 2, 3]));
}

#[test]
fn a_lambda_above_keeps_what_it_captured_while_the_state_of_operators_starts_afresh() {
    let mut seen = 0;
    let items = block_on(
        Probe::of(&[Emit(1), Emit(2), Fail("failed")])
            .map(|n| {
                seen += 1;
                (seen, n)
            })
            .enumerate()
            .take(3)
            .retry(1)
            .to_vec(),
    );
    assert_eq!(items, Err("failed"));
    assert_eq!(seen, 4);
    let Ok(items) =
        block_on(Probe::of(&[Emit(1), Emit(2), Fail("failed")]).enumerate().retry(1).catch(async |_, _| ()).to_vec());
    assert_eq!(items, [(0, 1), (1, 2), (0, 1), (1, 2)]);
}

#[test]
fn the_open_chunk_of_a_failed_run_is_lost() {
    let source = Probe::of(&[Emit(1), Emit(2), Emit(3), Fail("failed")]).and_then_runs(&[Emit(4), Emit(5), Emit(6)]);
    assert_eq!(block_on(source.chunks(2).retry(1).to_vec()), Ok(vec![vec![1, 2], vec![4, 5], vec![6]]));
}

#[test]
fn a_flow_that_cannot_fail_is_not_retried() {
    let Ok(items) = block_on(flow_of([1, 2]).retry_when(async |never, _| match never {}).to_vec());
    assert_eq!(items, [1, 2]);
}

#[test]
fn a_stop_while_it_decides_ends_it() {
    let trace = Trace::new();
    let noted = trace.clone();
    let mut stream = Driver::new(one_then_failure().retry_when(move |_, _| {
        let guard = noted.guard("decision");
        async move {
            let _guard = guard;
            pending().await
        }
    }));
    assert_eq!(stream.next(), Some(Ok(1)));
    assert!(stream.poll().is_pending());
    assert_eq!(trace.live(), ["decision"]);
    stream.stop();
    assert!(trace.live().is_empty());
    assert_eq!(stream.next(), None);
}

#[test]
fn restarted_it_counts_from_zero() {
    let mut stream = Driver::new(one_then_failure().retry(1));
    assert_eq!(stream.rest(), [Ok(1), Ok(1), Err("failed")]);
    stream.restart();
    assert_eq!(stream.rest(), [Ok(1), Ok(1), Err("failed")]);
}

#[test]
fn a_failure_is_retried_as_often_under_one_poll_as_over_many() {
    // 33 attempts that are always ready take two polls, since one poll is 32 turns.
    let mut runs = 0;
    let mut polling = Polling::new(
        once(|| {
            runs += 1;
            ready(if runs < 33 { Err(()) } else { Ok(runs) })
        })
        .retry(100)
        .single(),
    );
    assert!(polling.poll().is_pending());
    assert!(polling.woken());
    assert_eq!(polling.poll(), std::task::Poll::Ready(Ok(33)));
}

#[test]
fn a_body_is_restarted_where_it_stands_and_not_cloned() {
    /// Not `Clone`.
    struct Connection(u32);
    let mut connection = Connection(0);
    let mut numbers = Driver::new(
        flow(move |mut emitter| {
            connection.0 += 1;
            let attempt = connection.0;
            async move {
                emitter.emit(attempt).await;
                if attempt < 3 { Err("again") } else { Ok(()) }
            }
        })
        .retry(5),
    );
    assert_eq!(numbers.rest(), [Ok(1), Ok(2), Ok(3)]);
}
