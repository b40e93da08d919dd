//! The tasks with coldflow.

use std::time::Duration;

use coldflow::retry::{Backoff, Jitter, RetryBudget};
use coldflow::{FlowExt, Retry, TimeoutError, flow, once_with, retry};

use crate::{Api, Failure};

/// Three attempts, 20 ms apart.
///
/// # Errors
///
/// The last failure.
pub async fn three_attempts(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: three_attempts
    let policy = Retry::attempts(3).backoff(Backoff::constant(Duration::from_millis(20)));
    retry(policy, || api.fetch()).await
    // ANCHOR_END: three_attempts
}

/// Exponential waits with jitter, none longer than the cap.
///
/// # Errors
///
/// The last failure.
pub async fn jitter_and_cap(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: jitter_and_cap
    let policy = Retry::attempts(6)
        .backoff(Backoff::exponential(Duration::from_millis(100)))
        .jitter(Jitter::Full)
        .cap(Duration::from_secs(1));
    retry(policy, || api.fetch()).await
    // ANCHOR_END: jitter_and_cap
}

/// The server's wait, up to a cap.
///
/// # Errors
///
/// The last failure.
pub async fn retry_after(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: retry_after
    let backoff = Backoff::constant(Duration::from_millis(20));
    let policy = Retry::attempts(3).backoff(backoff).cap(Duration::from_secs(5));
    retry(policy, || api.fetch()).hint(Failure::retry_after).await
    // ANCHOR_END: retry_after
}

/// No wait that would go past the deadline.
///
/// # Errors
///
/// The last failure.
pub async fn deadline(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: deadline
    let backoff = Backoff::constant(Duration::from_millis(200));
    let policy = Retry::attempts(10).backoff(backoff).deadline(Duration::from_secs(1));
    retry(policy, || api.fetch()).await
    // ANCHOR_END: deadline
}

/// A limit for each attempt.
///
/// # Errors
///
/// The last failure, or that it took too long.
pub async fn attempt_timeout(api: &Api) -> Result<u32, TimeoutError<Failure>> {
    // ANCHOR: attempt_timeout
    let backoff = Backoff::constant(Duration::from_millis(20));
    let policy = Retry::attempts(3).backoff(backoff).attempt_timeout(Duration::from_millis(100));
    retry(policy, || api.fetch()).await
    // ANCHOR_END: attempt_timeout
}

/// Twenty calls that share a budget of one retry for ten of them.
pub async fn shared_budget(api: &Api) {
    // ANCHOR: shared_budget
    let policy = Retry::attempts(3).backoff(Backoff::constant(Duration::from_millis(20)));
    let budget = RetryBudget::new(0.1, 0);
    for _ in 0..20 {
        let _ = retry(policy.clone(), || api.fetch()).budget(&budget).await;
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
    let policy = Retry::attempts(3).backoff(Backoff::constant(Duration::from_millis(20)));
    retry(policy, || api.fetch())
        .on_retry(|event| {
            api.log(format!("attempt {}: {:?}, again in {:?}", event.attempt, event.cause, event.wait));
        })
        .await
    // ANCHOR_END: log_each_retry
}

/// The waits begin anew after an attempt that went on for long.
///
/// # Errors
///
/// The last failure.
pub async fn reset_when_healthy(api: &Api) -> Result<(), Failure> {
    // ANCHOR: reset_when_healthy
    let backoff = Backoff::exponential(Duration::from_millis(100));
    let policy = Retry::attempts(3).backoff(backoff).reset_after(Duration::from_secs(10));
    let connection = flow(async |mut emitter| {
        emitter.emit("connected").await;
        emitter.emit(api.fetch().await.map(|_| "done")?).await;
        Ok(())
    });
    connection.retry_with(policy).run().await
    // ANCHOR_END: reset_when_healthy
}

/// A stream that begins anew, and whose items go on as they come.
///
/// # Errors
///
/// The last failure.
pub async fn retry_a_stream(api: &Api) -> Result<Vec<(u32, u64)>, Failure> {
    // ANCHOR: retry_a_stream
    let feed = flow(async |mut emitter| -> Result<(), Failure> {
        loop {
            emitter.emit(api.fetch().await?).await;
        }
    });
    let policy = Retry::attempts(3).backoff(Backoff::constant(Duration::from_millis(20)));
    feed.retry_with(policy).map(|item| (item, api.now())).take(4).to_vec().await
    // ANCHOR_END: retry_a_stream
}

/// The attempt's number is sent along.
///
/// # Errors
///
/// The last failure.
pub async fn attempt_number(api: &Api) -> Result<u32, Failure> {
    // ANCHOR: attempt_number
    let policy = Retry::attempts(3).backoff(Backoff::constant(Duration::from_millis(20)));
    once_with(|attempt| api.fetch_numbered(attempt)).retry_with(policy).await
    // ANCHOR_END: attempt_number
}
