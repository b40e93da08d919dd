//! The tasks with tokio-retry.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::time::{Instant, timeout};
use tokio_retry::strategy::{ExponentialBackoff, FixedInterval, jitter};
use tokio_retry::{Retry, RetryIf};

use crate::{Api, Failure};

/// Three attempts, 20 ms apart.
///
/// # Errors
///
/// The last failure.
pub async fn three_attempts(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: three_attempts
    // The iterator is of the delays: `take(3)` would make four calls.
    Retry::start(FixedInterval::from_millis(20).take(2), || api.fetch()).await
    // ANCHOR_END: three_attempts
}

/// Exponential waits with jitter, none longer than the cap.
///
/// # Errors
///
/// The last failure.
pub async fn jitter_and_cap(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: jitter_and_cap
    // The delays are powers of the base, times the factor: 100 ms, 200 ms, 400 ms ..
    let delays = ExponentialBackoff::from_millis(2).factor(50).max_delay(Duration::from_secs(1)).map(jitter).take(5);
    Retry::start(delays, || api.fetch()).await
    // ANCHOR_END: jitter_and_cap
}

/// The server's wait, up to a cap.
///
/// # Errors
///
/// The last failure.
pub async fn retry_after(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: retry_after
    // The delays do not see the failure. The condition does, and is asked first.
    let (hint, cap) = (Cell::new(Duration::ZERO), Duration::from_secs(5));
    let delays = FixedInterval::from_millis(20).take(2).map(|delay| delay.max(hint.get()).min(cap));
    let note = |failure: &Failure| {
        hint.set(failure.retry_after().unwrap_or_default());
        true
    };
    RetryIf::start(delays, || api.fetch(), note).await
    // ANCHOR_END: retry_after
}

/// No wait that would go past the deadline.
///
/// # Errors
///
/// The last failure.
pub async fn deadline(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: deadline
    let (began, deadline) = (Instant::now(), Duration::from_secs(1));
    let delays = FixedInterval::from_millis(200).take(9).take_while(|delay| began.elapsed() + *delay <= deadline);
    Retry::start(delays, || api.fetch()).await
    // ANCHOR_END: deadline
}

/// A limit for each attempt.
///
/// # Errors
///
/// The last failure.
pub async fn attempt_timeout(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: attempt_timeout
    let limit = Duration::from_millis(100);
    let fetch = || async { timeout(limit, api.fetch()).await.unwrap_or(Err(Failure::TimedOut)) };
    Retry::start(FixedInterval::from_millis(20).take(2), fetch).await
    // ANCHOR_END: attempt_timeout
}

/// Twenty calls that share a budget of one retry for ten of them.
pub async fn shared_budget(api: &Api) {
    // ANCHOR: shared_budget
    // In tenths of a retry. It has no floor per second, and keeps what is not used for ever.
    let budget = AtomicU32::new(0);
    for _ in 0..20 {
        budget.fetch_add(1, Ordering::Relaxed);
        let take = |tenths: u32| tenths.checked_sub(10);
        let affordable = |_: &Failure| budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
        let _ = RetryIf::start(FixedInterval::from_millis(20).take(2), || api.fetch(), affordable).await;
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
    // The condition sees the failure and not the delay, the delays the other way round.
    let failed = Cell::new((0, Failure::Busy));
    let delays = FixedInterval::from_millis(20).take(2).inspect(|wait| {
        let (attempt, failure) = failed.get();
        api.log(format!("attempt {attempt}: {failure:?}, again in {wait:?}"));
    });
    let note = |failure: &Failure| {
        failed.set((failed.get().0 + 1, *failure));
        true
    };
    RetryIf::start(delays, || api.fetch(), note).await
    // ANCHOR_END: log_each_retry
}

/// The waits begin anew after an attempt that went on for long.
///
/// # Errors
///
/// The last failure.
pub async fn reset_when_healthy(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: reset_when_healthy
    let healthy = Duration::from_secs(10);
    let schedule = ExponentialBackoff::from_millis(2).factor(50).take(2);
    let (mut delays, mut began) = (schedule.clone(), Instant::now());
    // The delays are an iterator that is asked at each failure.
    let delays = std::iter::from_fn(move || {
        if began.elapsed() >= healthy {
            delays = schedule.clone();
        }
        let delay = delays.next()?;
        began = Instant::now() + delay;
        Some(delay)
    });
    Retry::start(delays, || api.fetch()).await
    // ANCHOR_END: reset_when_healthy
}

/// The attempt's number is sent along.
///
/// # Errors
///
/// The last failure.
pub async fn attempt_number(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: attempt_number
    let mut attempt = 0;
    let fetch = || {
        attempt += 1;
        api.fetch_numbered(attempt)
    };
    Retry::start(FixedInterval::from_millis(20).take(2), fetch).await
    // ANCHOR_END: attempt_number
}
