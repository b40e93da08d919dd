use std::cell::RefCell;
use std::error::Error;
use std::future::{IntoFuture, pending, ready};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use coldflow::retry::{Backoff, GiveUpReason, Jitter, Random, ResetAfter};
use coldflow::{Emitter, FlowExt, Retry, RetryError, SingleError, TimeoutError, failed, flow, flow_of, once, retry};
use futures::future::FusedFuture;
use futures::poll;
use tokio::time::{Instant, advance, sleep, timeout};

use crate::support::Step::{Emit, Fail, Wait, Yield};
use crate::support::{Driver, Polling, Probe, Trace};

const SECOND: Duration = Duration::from_secs(1);

fn every_second(attempts: u32) -> Retry {
    Retry::attempts(attempts).backoff(Backoff::constant(SECOND))
}

async fn down() -> Result<(), &'static str> {
    Err("down")
}

#[tokio::test(start_paused = true)]
async fn the_bound_counts_attempts() {
    for bound in [1, 2, 3, 10, 1000] {
        let (began, mut attempts) = (Instant::now(), 0);
        let outcome = retry(every_second(bound), || {
            attempts += 1;
            down()
        });
        assert_eq!(outcome.await, Err("down"));
        assert_eq!(attempts, bound);
        assert_eq!(began.elapsed(), SECOND * (bound - 1));
    }
}

#[tokio::test(start_paused = true)]
async fn success_ends_it() {
    let mut attempts = 0;
    let outcome = retry(Retry::immediate(9), || {
        attempts += 1;
        ready(if attempts == 4 { Ok(attempts) } else { Err("busy") })
    });
    assert_eq!(outcome.await, Ok(4));
}

#[tokio::test(start_paused = true)]
async fn it_waits_what_the_policy_says() {
    let policy = Retry::exponential(6).jitter(Jitter::Equal).cap(SECOND);
    let wanted: Vec<_> = policy.waits(Random::seeded(11)).collect();
    let mut waits = Vec::new();
    let began = Instant::now();
    let _ = retry(policy, down).random(Random::seeded(11)).on_retry(|event| waits.push(event.wait)).await;
    assert_eq!(waits, wanted);
    // Tokio's timers have the resolution of a millisecond.
    let slept: Duration = waits.iter().sum();
    assert!(began.elapsed() >= slept && began.elapsed() < slept + SECOND / 100);
}

#[tokio::test(start_paused = true)]
async fn a_collection_draws_from_the_source_as_given_each_time() {
    let mut waits = Vec::new();
    let call =
        once(down).retry_with(Retry::exponential(3)).random(Random::seeded(1)).on_retry(|event| waits.push(event.wait));
    let _ = call.retry(1).single().await;
    assert_eq!(waits[..2], waits[2..]);
}

#[tokio::test(start_paused = true)]
async fn events_tell_the_attempt_the_cause_the_wait_and_the_time() {
    let log = RefCell::new(Vec::new());
    let outcome = retry(every_second(3), || async {
        sleep(SECOND * 2).await;
        Err::<(), _>("down")
    })
    .on_retry(|event| log.borrow_mut().push((event.attempt, *event.cause, event.wait, event.elapsed)))
    .on_give_up(|event| {
        assert_eq!((event.reason, *event.cause), (GiveUpReason::Exhausted, "down"));
        log.borrow_mut().push((event.attempts, "given up", Duration::ZERO, event.elapsed));
    })
    .await;
    assert_eq!(outcome, Err("down"));
    assert_eq!(
        *log.borrow(),
        [(1, "down", SECOND, SECOND * 2), (2, "down", SECOND, SECOND * 5), (3, "given up", Duration::ZERO, SECOND * 8)]
    );
}

#[tokio::test(start_paused = true)]
async fn an_error_that_is_refused_ends_it_and_all_must_agree() {
    for (refused, attempts) in [(1, 1), (2, 2)] {
        let mut made = 0;
        let outcome = retry(Retry::immediate(3), || {
            made += 1;
            ready(Err::<(), _>(made))
        })
        .when(|_| true)
        .when(|cause| *cause != refused)
        .explain()
        .await;
        let error = outcome.unwrap_err();
        assert_eq!((error.attempts, error.reason, error.source), (attempts, GiveUpReason::Refused, refused));
    }
}

#[tokio::test(start_paused = true)]
async fn the_wait_is_the_longer_one_of_backoff_and_hints_and_then_capped() {
    for (hint, other, wait) in
        [(None, None, 2), (Some(1), None, 2), (Some(3), Some(1), 3), (None, Some(4), 4), (Some(60), None, 5)]
    {
        let policy = Retry::attempts(2).backoff(Backoff::constant(SECOND * 2)).cap(SECOND * 5);
        let began = Instant::now();
        let seconds = |seconds: Option<u64>| seconds.map(Duration::from_secs);
        let _ = retry(policy, down).hint(|_| seconds(hint)).hint(|_| seconds(other)).await;
        assert_eq!(began.elapsed().as_secs(), wait);
    }
}

#[tokio::test(start_paused = true)]
async fn no_hint_lifts_the_bound() {
    let mut attempts = 0;
    let outcome = retry(Retry::immediate(3), || {
        attempts += 1;
        down()
    });
    assert!(outcome.hint(|_| Some(Duration::ZERO)).hint(|_| Some(SECOND)).await.is_err());
    assert_eq!(attempts, 3);
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_would_pass_the_deadline_is_not_begun() {
    let began = Instant::now();
    let call = retry(every_second(100).deadline(SECOND * 5 / 2), down);
    let error = call.explain().await.unwrap_err();
    assert_eq!((error.attempts, error.elapsed, error.reason), (3, SECOND * 2, GiveUpReason::Deadline));
    assert_eq!(began.elapsed(), SECOND * 2);

    // One that ends with the deadline does not pass it.
    let error = retry(every_second(100).deadline(SECOND * 2), down).explain().await.unwrap_err();
    assert_eq!(error.attempts, 3);
    // A hint counts as the wait that it makes.
    let hinted = retry(Retry::immediate(100).deadline(SECOND), down).hint(|_| Some(SECOND * 2));
    assert_eq!(hinted.explain().await.unwrap_err().attempts, 1);
}

#[tokio::test(start_paused = true)]
async fn the_deadline_begins_with_the_first_poll_and_cuts_off_no_attempt() {
    let call = retry(every_second(2).deadline(SECOND), || async {
        sleep(SECOND * 10).await;
        Ok::<_, ()>("late but there")
    });
    advance(SECOND * 100).await;
    assert_eq!(call.await, Ok("late but there"));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_takes_too_long_is_dropped_and_has_failed() {
    let trace = Trace::new();
    let (began, mut attempts) = (Instant::now(), 0);
    let outcome = retry(every_second(3).attempt_timeout(SECOND * 4), || {
        attempts += 1;
        let (attempt, guard) = (attempts, trace.guard("attempt"));
        async move {
            let _guard = guard;
            match attempt {
                1 => pending().await,
                2 => Err("down"),
                _ => {
                    sleep(SECOND * 3).await;
                    Ok("up")
                }
            }
        }
    })
    .on_retry(|event| trace.note(format!("{:?} after {:?}", event.cause, event.elapsed)))
    .await;
    assert_eq!(outcome, Ok("up"));
    assert_eq!(began.elapsed(), SECOND * (4 + 1 + 1 + 3));
    let events = trace.take();
    let failures: Vec<_> = events.iter().filter(|event| event.contains("after")).collect();
    assert_eq!(failures, ["Elapsed after 4s", "Upstream(\"down\") after 5s"]);
    let dropped = events.iter().position(|event| event == "drop attempt").unwrap();
    assert!(dropped < events.iter().position(|event| event.contains("Elapsed")).unwrap(), "{events:?}");
}

#[tokio::test(start_paused = true)]
async fn a_result_at_the_limit_counts() {
    let policy = Retry::none().attempt_timeout(SECOND);
    let outcome = retry(policy, || async {
        sleep(SECOND).await;
        Ok::<_, ()>(1)
    });
    assert_eq!(outcome.await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn the_time_of_an_attempt_is_for_all_of_its_items() {
    let mut attempts = 0;
    let items = flow(|mut emitter: Emitter<i32>| {
        attempts += 1;
        let attempt = attempts;
        async move {
            for n in 0..4 {
                emitter.emit(n).await;
                sleep(SECOND / attempt).await;
            }
        }
    });
    let outcome = items.fallible::<()>().retry_with(Retry::immediate(2).attempt_timeout(SECOND * 5 / 2)).to_vec().await;
    assert_eq!(outcome, Ok(vec![0, 1, 2, 0, 1, 2, 3]));
}

#[tokio::test(start_paused = true)]
async fn a_policy_from_a_file_may_be_without_a_limit() {
    let unlimited: Retry<Backoff, Option<Duration>> = every_second(2).into();
    let began = Instant::now();
    let outcome = retry(unlimited, || async {
        sleep(SECOND * 1000).await;
        Err::<(), _>("down")
    });
    assert_eq!(outcome.await, Err(TimeoutError::Upstream("down")));
    assert_eq!(began.elapsed(), SECOND * 2001);
    let limited: Retry<Backoff, Option<Duration>> = every_second(2).attempt_timeout(SECOND).into();
    assert_eq!(retry(limited, pending::<Result<(), ()>>).await, Err(TimeoutError::Elapsed));
}

/// Fails after `items` items, each of which takes a second, in run after run; then it ends.
fn events(runs: impl IntoIterator<Item = u64>) -> impl coldflow::ColdFlow<Item = u64, Error = &'static str> {
    let mut runs = runs.into_iter();
    flow(move |mut emitter: Emitter<u64>| {
        let items = runs.next();
        async move {
            let Some(items) = items else { return Ok(()) };
            for n in 0..items {
                emitter.emit(n).await;
                sleep(SECOND).await;
            }
            Err("lost")
        }
    })
}

#[tokio::test(start_paused = true)]
async fn after_a_healthy_period_all_begins_anew() {
    let mut log = Vec::new();
    let policy = Retry::attempts(3).backoff(Backoff::exponential(SECOND)).deadline(SECOND * 20).reset_after(SECOND * 5);
    let outcome = events([0, 4, 10, 0, 50, 0, 0, 0])
        .retry_with(policy)
        .on_retry(|event| log.push((event.attempt, event.wait.as_secs(), event.elapsed.as_secs())))
        .explain()
        .run()
        .await;
    // The third and the fifth run were healthy: their failures are the first ones of a new streak.
    assert_eq!(log, [(1, 1, 0), (2, 2, 5), (1, 1, 0), (2, 2, 1), (1, 1, 0), (2, 2, 1)]);
    let error = outcome.unwrap_err();
    assert_eq!((error.attempts, error.reason), (3, GiveUpReason::Exhausted));
}

#[tokio::test(start_paused = true)]
async fn or_after_a_number_of_items() {
    let mut log = Vec::new();
    let policy = every_second(3).reset_after(ResetAfter::items(4));
    let outcome =
        events([3, 4, 1, 100, 0, 0, 100]).retry_with(policy).on_retry(|event| log.push(event.attempt)).run().await;
    assert_eq!((log, outcome), (vec![1, 1, 2, 1, 2], Err("lost")));
}

#[tokio::test(start_paused = true)]
async fn the_time_until_the_first_item_is_not_healthy() {
    let mut attempts = 0;
    let slow_to_fail = once(|| {
        attempts += 1;
        async {
            sleep(SECOND * 100).await;
            Err::<(), _>("no answer")
        }
    });
    assert!(slow_to_fail.retry_with(Retry::immediate(3).reset_after(SECOND)).single().await.is_err());
    assert_eq!(attempts, 3);
}

#[tokio::test(start_paused = true)]
async fn a_flow_that_recovers_each_time_is_retried_for_ever() {
    let policy = Retry::attempts(2).backoff(Backoff::constant(SECOND)).deadline(SECOND).reset_after(SECOND * 5);
    assert_eq!(events([6; 1000]).retry_with(policy).count().await, Ok(6000));
}

#[test]
fn what_ran_is_dropped_before_anybody_is_asked() {
    let source = Probe::of(&[Emit(1), Fail("failed")]);
    let trace = source.trace();
    let mut driver = Driver::new(
        source
            .retry_with(Retry::immediate(2))
            .when(|_| {
                trace.note("asked");
                true
            })
            .on_give_up(|_| trace.note("given up")),
    );
    driver.rest();
    let events = trace.take();
    let place = |what: &str| events.iter().position(|event| event.contains(what)).unwrap();
    assert!(place("drop source") < place("asked"), "{events:?}");
}

#[test]
fn between_two_attempts_without_a_wait_the_executor_is_let_in() {
    let mut attempts = 0;
    let call = retry(Retry::immediate(3), || {
        attempts += 1;
        down()
    });
    let mut call = Polling::new(call.into_future());
    assert!(call.poll().is_pending() && call.woken());
    assert!(call.poll().is_pending() && call.woken());
    assert_eq!(call.poll(), Poll::Ready(Err("down")));
}

#[tokio::test(start_paused = true)]
async fn a_timeout_around_a_call_that_fails_at_once_fires() {
    let mut attempts = 0_u64;
    let call = retry(Retry::immediate(u32::MAX), || {
        attempts += 1;
        down()
    });
    let spin = async {
        let stop = sleep(Duration::from_millis(1));
        let mut stop = pin!(stop);
        // The clock only moves when somebody moves it, since the call is never idle.
        let mut call = pin!(call.into_future());
        for _ in 0..100 {
            assert!(poll!(&mut call).is_pending());
        }
        advance(Duration::from_millis(1)).await;
        poll!(&mut stop)
    };
    assert!(spin.await.is_ready());
    assert_eq!(attempts, 100);
}

#[tokio::test(start_paused = true)]
async fn dropping_it_in_the_wait_ends_all() {
    let counted = Rc::new(());
    let held = counted.clone();
    let call = retry(every_second(9), move || {
        let _held = held.clone();
        down()
    });
    assert!(timeout(SECOND * 3 / 2, call).await.is_err());
    assert_eq!(Rc::strong_count(&counted), 1);
}

#[tokio::test(start_paused = true)]
async fn nothing_runs_before_the_first_poll_and_nothing_after_the_end() {
    let mut attempts = 0;
    {
        let mut call = pin!(
            retry(Retry::none(), || {
                attempts += 1;
                down()
            })
            .into_future()
        );
        assert!(!call.is_terminated());
        assert_eq!(poll!(&mut call), Poll::Ready(Err("down")));
        assert!(call.is_terminated());
        assert!(poll!(&mut call).is_pending(), "it has been told");
    }
    assert_eq!(attempts, 1);
    let mut call = pin!(retry(Retry::none(), || async { Ok::<_, ()>(1) }).into_future());
    assert_eq!(poll!(&mut call), Poll::Ready(Ok(1)));
    assert!(call.is_terminated() && poll!(&mut call).is_pending());
}

#[tokio::test(start_paused = true)]
async fn a_flow_goes_on_through_its_failures() {
    let source = Probe::of(&[Emit(1), Yield, Fail("first")]).and_then_runs(&[Emit(2)]);
    assert_eq!(source.retry_with(every_second(2)).to_vec().await, Ok(vec![1, 2]));
}

#[tokio::test(start_paused = true)]
async fn errors_of_what_is_below_are_not_its_business() {
    let mut asked = 0;
    let outcome = flow_of([1, 2])
        .fallible::<&str>()
        .retry_with(Retry::immediate(9))
        .when(|_| {
            asked += 1;
            true
        })
        .try_map(|_| Err::<(), _>("below"))
        .run()
        .await;
    assert_eq!((outcome, asked), (Err("below"), 0));
}

#[tokio::test(start_paused = true)]
async fn retries_above_each_other_multiply() {
    let mut attempts = 0;
    let inner = once(|| {
        attempts += 1;
        down()
    })
    .retry_with(every_second(3));
    assert_eq!(inner.retry_with(Retry::immediate(4)).single().await, Err(SingleError::Upstream("down")));
    assert_eq!(attempts, 12);
}

#[tokio::test(start_paused = true)]
async fn a_busy_consumer_does_not_stop_what_runs_ahead() {
    let began = Instant::now();
    let items = flow(async |mut emitter: Emitter<i32>| {
        for n in 0..3 {
            sleep(SECOND).await;
            emitter.emit(n).await;
        }
    })
    .fallible::<()>()
    .buffer(3, coldflow::Overflow::Suspend)
    .retry_with(Retry::none())
    .for_each(|_| sleep(SECOND));
    assert_eq!(items.await, Ok(()));
    assert_eq!(began.elapsed(), SECOND * 4);
}

#[tokio::test(start_paused = true)]
async fn the_explanation_reads_well() {
    let error = retry(every_second(3), || ready(Err::<(), _>(std::fmt::Error))).explain().await.unwrap_err();
    assert_eq!(error.to_string(), "failed after 3 attempts in 2s: no further attempt is allowed");
    assert_eq!(error.source().unwrap().to_string(), std::fmt::Error.to_string());
    let error: RetryError<_> = failed::<(), _>(1).retry_with(Retry::none()).explain().first().await.unwrap_err();
    assert_eq!(error.to_string(), "failed after 1 attempt in 0ns: no further attempt is allowed");
    let reason = |reason: GiveUpReason| reason.to_string();
    assert_eq!(reason(GiveUpReason::Refused), "the error is none to retry");
    assert_eq!(reason(GiveUpReason::Deadline), "the next attempt would begin after the deadline");
    assert_eq!(reason(GiveUpReason::Budget), "the retry budget is used up");
}

#[tokio::test]
async fn it_can_be_spawned_with_what_it_borrows_through_a_shared_pointer() {
    struct Api;
    impl Api {
        async fn call(&self) -> Result<u8, String> {
            tokio::task::yield_now().await;
            Ok(1)
        }
    }
    let task = tokio::spawn(async move {
        let api = Api;
        retry(Retry::exponential(3), || api.call()).when(String::is_empty).on_retry(|_| ()).explain().await
    });
    assert_eq!(task.await.unwrap().unwrap(), 1);
    let spawned = tokio::spawn(retry(Retry::exponential(3), || async { Ok::<_, ()>(2) }).into_future());
    assert_eq!(spawned.await.unwrap(), Ok(2));
}

#[test]
fn a_source_that_never_ends_is_pending_and_wakes() {
    let source = Probe::of(&[Wait, Emit(1)]);
    let gate = source.gate();
    let mut driver = Driver::new(source.retry_with(Retry::none()));
    assert!(driver.poll().is_pending());
    gate.open();
    assert_eq!(driver.poll(), Poll::Ready(Some(Ok(1))));
}
