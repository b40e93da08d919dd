use std::error::Error;
use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use coldflow::retry::Backoff;
use coldflow::{Retry, TimeoutError};

use crate::ApiError;

/// The longest wait before a retry, whatever the server asks for: 25 s.
pub const MAX_RETRY_DELAY: Duration = Duration::from_secs(25);

/// How often a call may be attempted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RetryPolicy {
    /// All attempts together, the first one included.
    pub max_attempts: NonZeroU32,
}

impl RetryPolicy {
    /// One attempt, whatever comes of it.
    pub const NO_RETRY: Self = Self { max_attempts: NonZeroU32::MIN };

    /// At most `max_attempts` attempts, the first one included.
    ///
    /// # Errors
    /// [`ZeroAttempts`] if `max_attempts` is 0.
    pub fn at_most(max_attempts: u32) -> Result<Self, ZeroAttempts> {
        let max_attempts = NonZeroU32::new(max_attempts).ok_or(ZeroAttempts(()))?;
        Ok(Self { max_attempts })
    }
}

/// A policy of any kind: as it stands in a file, or as `coldflow::Retry` makes it.
pub type Policy = Retry<Backoff, Option<Duration>>;

/// Zero attempts were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZeroAttempts(());

impl fmt::Display for ZeroAttempts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("at least 1 attempt is needed, got 0")
    }
}

impl Error for ZeroAttempts {}

/// How long to wait before the attempt that follows `error`; `None` if it is not to be retried.
///
/// A 503 waits for its `Retry-After`, at most [`MAX_RETRY_DELAY`], not at all without one. A 502 and a missing
/// response are retried at once. Nothing else is.
pub fn retry_delay(error: &ApiError) -> Option<Duration> {
    match error {
        ApiError::Status { status: 503, retry_after, .. } => Some(retry_after.unwrap_or_default().min(MAX_RETRY_DELAY)),
        ApiError::Status { status: 502, .. } | ApiError::Unreachable { .. } => Some(Duration::ZERO),
        _ => None,
    }
}

/// The same where an attempt may also have timed out: that is retried at once, as a missing response is.
pub(crate) fn retry_delay_or_timeout(failure: &TimeoutError<ApiError>) -> Option<Duration> {
    match failure {
        TimeoutError::Upstream(error) => retry_delay(error),
        TimeoutError::Elapsed => Some(Duration::ZERO),
    }
}
