//! What type of error a retried flow fails with.

use core::time::Duration;

use crate::error::{GiveUpReason, RetryError, TimeoutError};

/// Whether an attempt may time out: the second parameter of [`Retry`](crate::Retry). `()` says no, `Duration` yes, and
/// `Option<Duration>` what a file says.
pub trait AttemptTimeout<E> {
    /// What an attempt fails with.
    type Failure;

    /// The time that an attempt has.
    fn limit(&self) -> Option<Duration>;

    /// The failure of an attempt that has taken longer, if there is a limit.
    fn elapsed(&self) -> Option<Self::Failure>;

    /// The failure of the flow.
    fn upstream(error: E) -> Self::Failure;
}

impl<E> AttemptTimeout<E> for () {
    type Failure = E;

    fn limit(&self) -> Option<Duration> {
        None
    }

    fn elapsed(&self) -> Option<E> {
        None
    }

    fn upstream(error: E) -> E {
        error
    }
}

impl<E> AttemptTimeout<E> for Duration {
    type Failure = TimeoutError<E>;

    fn limit(&self) -> Option<Duration> {
        Some(*self)
    }

    fn elapsed(&self) -> Option<TimeoutError<E>> {
        Some(TimeoutError::Elapsed)
    }

    fn upstream(error: E) -> TimeoutError<E> {
        TimeoutError::Upstream(error)
    }
}

impl<E> AttemptTimeout<E> for Option<Duration> {
    type Failure = TimeoutError<E>;

    fn limit(&self) -> Option<Duration> {
        *self
    }

    fn elapsed(&self) -> Option<TimeoutError<E>> {
        self.map(|_| TimeoutError::Elapsed)
    }

    fn upstream(error: E) -> TimeoutError<E> {
        TimeoutError::Upstream(error)
    }
}

/// What a retried flow ends with: [`Bare`], or [`Explained`].
pub trait Outcome<E> {
    /// Whether it wants to know how much time has passed.
    const WATCHES_CLOCK: bool;

    /// The error.
    type Error;

    /// The error of a flow that is given up.
    fn error(attempts: u32, elapsed: Duration, reason: GiveUpReason, source: E) -> Self::Error;
}

/// The last cause itself.
#[derive(Clone, Copy, Debug)]
pub struct Bare;

impl<E> Outcome<E> for Bare {
    const WATCHES_CLOCK: bool = false;

    type Error = E;

    fn error(_attempts: u32, _elapsed: Duration, _reason: GiveUpReason, source: E) -> E {
        source
    }
}

/// A [`RetryError`] around the last cause. Of [`explain`](crate::retry::RetryWith::explain).
#[derive(Clone, Copy, Debug)]
pub struct Explained;

impl<E> Outcome<E> for Explained {
    const WATCHES_CLOCK: bool = true;

    type Error = RetryError<E>;

    fn error(attempts: u32, elapsed: Duration, reason: GiveUpReason, source: E) -> RetryError<E> {
        RetryError { attempts, elapsed, reason, source }
    }
}
