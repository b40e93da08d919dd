//! The tasks with backon.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use backon::{BackoffBuilder, ConstantBuilder, ExponentialBuilder, Retryable};
use tokio::time::{Instant, timeout};

use crate::{Api, Failure};

/// Three attempts, 20 ms apart.
///
/// # Errors
///
/// The last failure.
pub async fn three_attempts(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: three_attempts
    // `max_times` counts the retries: 3 would make four calls.
    let delays = ConstantBuilder::new().with_delay(Duration::from_millis(20)).with_max_times(2);
    (|| api.fetch()).retry(delays).await
    // ANCHOR_END: three_attempts
}

/// Exponential waits with jitter, none longer than the cap.
///
/// # Errors
///
/// The last failure.
pub async fn jitter_and_cap(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: jitter_and_cap
    let cap = Duration::from_secs(1);
    let delays = ExponentialBuilder::new()
        .with_min_delay(Duration::from_millis(100))
        .with_max_delay(cap)
        .with_max_times(5)
        .with_jitter();
    // The jitter is added to the delay that `max_delay` has capped, so it has to be capped once more.
    (|| api.fetch()).retry(delays.build().map(move |delay| delay.min(cap))).await
    // ANCHOR_END: jitter_and_cap
}

/// The server's wait, up to a cap.
///
/// # Errors
///
/// The last failure.
pub async fn retry_after(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: retry_after
    let cap = Duration::from_secs(5);
    let delays = ConstantBuilder::new().with_delay(Duration::from_millis(20)).with_max_times(2);
    (|| api.fetch())
        .retry(delays)
        // Where `delay` is `None` the retries are used up, and `Some` would go on.
        .adjust(|failure, delay| delay.map(|delay| failure.retry_after().unwrap_or_default().max(delay).min(cap)))
        .await
    // ANCHOR_END: retry_after
}

/// No wait that would go past the deadline.
///
/// # Errors
///
/// The last failure.
pub async fn deadline(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: deadline
    // `with_total_delay` is for the sum of the delays; the time that the calls take has to be asked for.
    let (began, deadline) = (Instant::now(), Duration::from_secs(1));
    let delays = ConstantBuilder::new().with_delay(Duration::from_millis(200)).with_max_times(9);
    (|| api.fetch()).retry(delays).adjust(|_, delay| delay.filter(|delay| began.elapsed() + *delay <= deadline)).await
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
    let delays = ConstantBuilder::new().with_delay(Duration::from_millis(20)).with_max_times(2);
    (|| async { timeout(limit, api.fetch()).await.unwrap_or(Err(Failure::TimedOut)) }).retry(delays).await
    // ANCHOR_END: attempt_timeout
}

/// Twenty calls that share a budget of one retry for ten of them.
pub async fn shared_budget(api: &Api) {
    // ANCHOR: shared_budget
    // In tenths of a retry. It has no floor per second, and keeps what is not used for ever.
    let budget = AtomicU32::new(0);
    let delays = ConstantBuilder::new().with_delay(Duration::from_millis(20)).with_max_times(2);
    for _ in 0..20 {
        budget.fetch_add(1, Ordering::Relaxed);
        let take = |tenths: u32| tenths.checked_sub(10);
        let _ = (|| api.fetch())
            .retry(delays)
            .when(|_| budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok())
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
    let mut attempt = 0;
    let delays = ConstantBuilder::new().with_delay(Duration::from_millis(20)).with_max_times(2);
    (|| api.fetch())
        .retry(delays)
        .notify(|failure, wait| {
            attempt += 1;
            api.log(format!("attempt {attempt}: {failure:?}, again in {wait:?}"));
        })
        .await
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
    let schedule = ExponentialBuilder::new().with_min_delay(Duration::from_millis(100)).with_max_times(2);
    let (mut delays, mut began) = (schedule.build(), Instant::now());
    // A backoff is an iterator that is asked at each failure.
    let delays = std::iter::from_fn(move || {
        if began.elapsed() >= healthy {
            delays = schedule.build();
        }
        let delay = delays.next()?;
        began = Instant::now() + delay;
        Some(delay)
    });
    (|| api.fetch()).retry(delays).await
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
    let delays = ConstantBuilder::new().with_delay(Duration::from_millis(20)).with_max_times(2);
    (|| {
        attempt += 1;
        api.fetch_numbered(attempt)
    })
    .retry(delays)
    .await
    // ANCHOR_END: attempt_number
}
