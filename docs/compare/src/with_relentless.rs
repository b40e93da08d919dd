//! The tasks with relentless. Its error is around the last outcome; the functions unwrap it, so that all crates answer
//! alike.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use relentless::clock::TokioClock;
use relentless::{AsyncRetryExt, RetryResult, RetryState, Stop, Wait, predicate, retry_async, stop, wait};
use tokio::time::{Instant, timeout};

use crate::{Api, Failure};

/// The last failure itself.
fn bare(outcome: RetryResult<u32, Failure>) -> Result<u32, Failure> {
    outcome.map_err(|error| error.into_last_error().expect("no success is refused here"))
}

/// Three attempts, 20 ms apart.
///
/// # Errors
///
/// The last failure.
pub async fn three_attempts(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: three_attempts
    let outcome = (|| api.fetch())
        .retry_async()
        .wait(wait::fixed(Duration::from_millis(20)))
        .stop(stop::attempts(3))
        .clock(TokioClock::new())
        .call()
        .await;
    // ANCHOR_END: three_attempts
    bare(outcome)
}

/// Exponential waits with jitter, none longer than the cap.
///
/// # Errors
///
/// The last failure.
pub async fn jitter_and_cap(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: jitter_and_cap
    let outcome = (|| api.fetch())
        .retry_async()
        .wait(wait::exponential(Duration::from_millis(100)).full_jitter().cap(Duration::from_secs(1)))
        .stop(stop::attempts(6))
        .clock(TokioClock::new())
        .call()
        .await;
    // ANCHOR_END: jitter_and_cap
    bare(outcome)
}

/// The server's wait, up to a cap.
///
/// # Errors
///
/// The last failure.
pub async fn retry_after(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: retry_after
    // A `Wait` does not see the failure. A hook does, and is called first.
    struct Hinted<'a, W>(W, &'a Cell<Duration>);

    impl<W: Wait> Wait for Hinted<'_, W> {
        fn next_wait(&self, state: &RetryState) -> Duration {
            self.0.next_wait(state).max(self.1.get())
        }
    }

    let hint = Cell::new(Duration::ZERO);
    let outcome = (|| api.fetch())
        .retry_async()
        .after_attempt(|state| {
            let asked_for = state.outcome.as_ref().err().and_then(Failure::retry_after);
            hint.set(asked_for.unwrap_or_default());
        })
        .wait(Hinted(wait::fixed(Duration::from_millis(20)), &hint).cap(Duration::from_secs(5)))
        .stop(stop::attempts(3))
        .clock(TokioClock::new())
        .call()
        .await;
    // ANCHOR_END: retry_after
    bare(outcome)
}

/// No wait that would go past the deadline.
///
/// # Errors
///
/// The last failure.
pub async fn deadline(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: deadline
    // `timeout` would cut the last wait short, and call once more at the deadline. A `Stop` is not told the wait, so
    // this one is for the second less the wait.
    let outcome = (|| api.fetch())
        .retry_async()
        .wait(wait::fixed(Duration::from_millis(200)))
        .stop(stop::attempts(10) | stop::elapsed(Duration::from_millis(800)))
        .clock(TokioClock::new())
        .call()
        .await;
    // ANCHOR_END: deadline
    bare(outcome)
}

/// A limit for each attempt.
///
/// # Errors
///
/// The last failure.
pub async fn attempt_timeout(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: attempt_timeout
    let limit = Duration::from_millis(100);
    let outcome = (|| async { timeout(limit, api.fetch()).await.unwrap_or(Err(Failure::TimedOut)) })
        .retry_async()
        .wait(wait::fixed(Duration::from_millis(20)))
        .stop(stop::attempts(3))
        .clock(TokioClock::new())
        .call()
        .await;
    // ANCHOR_END: attempt_timeout
    bare(outcome)
}

/// Twenty calls that share a budget of one retry for ten of them.
pub async fn shared_budget(api: &Api) {
    // ANCHOR: shared_budget
    // In tenths of a retry. It has no floor per second, and keeps what is not used for ever.
    let budget = AtomicU32::new(0);
    for _ in 0..20 {
        budget.fetch_add(1, Ordering::Relaxed);
        let take = |tenths: u32| tenths.checked_sub(10);
        let _ = (|| api.fetch())
            .retry_async()
            .when(predicate::error(|_: &Failure| {
                budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
            }))
            .wait(wait::fixed(Duration::from_millis(20)))
            .stop(stop::attempts(3))
            .clock(TokioClock::new())
            .call()
            .await;
    }
    // ANCHOR_END: shared_budget
}

/// A line per retry.
///
/// # Errors
///
/// The last failure.
pub async fn log_each_retry(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: log_each_retry
    // The hook after an attempt is told its outcome. The one before the next is told the wait, which is over then.
    let failed = Cell::new(None);
    let outcome = (|| api.fetch())
        .retry_async()
        .after_attempt(|state| failed.set(state.outcome.err()))
        .before_attempt(|state| {
            if let (Some(failure), Some(wait)) = (failed.get(), state.previous_delay) {
                api.log(format!("attempt {}: {failure:?}, again in {wait:?}", state.attempt - 1));
            }
        })
        .wait(wait::fixed(Duration::from_millis(20)))
        .stop(stop::attempts(3))
        .clock(TokioClock::new())
        .call()
        .await;
    // ANCHOR_END: log_each_retry
    bare(outcome)
}

/// The waits begin anew after an attempt that went on for long.
///
/// # Errors
///
/// The last failure.
pub async fn reset_when_healthy(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: reset_when_healthy
    // `Wait` and `Stop` are told the number of the attempt. This one takes off those before the streak.
    struct Streak<'a, S>(S, &'a Cell<u32>);

    impl<S> Streak<'_, S> {
        fn state(&self, state: &RetryState) -> RetryState {
            RetryState::for_attempt(state.attempt - self.1.get())
        }
    }

    impl<S: Wait> Wait for Streak<'_, S> {
        fn next_wait(&self, state: &RetryState) -> Duration {
            self.0.next_wait(&self.state(state))
        }
    }

    impl<S: Stop> Stop for Streak<'_, S> {
        fn should_stop(&self, state: &RetryState) -> bool {
            self.0.should_stop(&self.state(state))
        }
    }

    let (healthy, began, before) = (Duration::from_secs(10), Cell::new(Instant::now()), Cell::new(0));
    let outcome = (|| api.fetch())
        .retry_async()
        .before_attempt(|_| began.set(Instant::now()))
        .after_attempt(|state| {
            if began.get().elapsed() >= healthy {
                before.set(state.attempt - 1);
            }
        })
        .wait(Streak(wait::exponential(Duration::from_millis(100)), &before))
        .stop(Streak(stop::attempts(3), &before))
        .clock(TokioClock::new())
        .call()
        .await;
    // ANCHOR_END: reset_when_healthy
    bare(outcome)
}

/// The attempt's number is sent along.
///
/// # Errors
///
/// The last failure.
pub async fn attempt_number(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: attempt_number
    let outcome = retry_async(|state| api.fetch_numbered(state.attempt.into()))
        .wait(wait::fixed(Duration::from_millis(20)))
        .stop(stop::attempts(3))
        .clock(TokioClock::new())
        .call()
        .await;
    // ANCHOR_END: attempt_number
    bare(outcome)
}
