//! The errors that operators add to those of the flow.

use core::error::Error;
use core::fmt;
#[cfg(feature = "time")]
use core::time::Duration;

/// Why [`single`](crate::FlowExt::single) has no value to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SingleError<E> {
    /// The flow ended without a value.
    Empty,
    /// The flow emitted a second value.
    MoreThanOne,
    /// The flow failed, before its value or after it.
    Upstream(E),
}

impl<E> SingleError<E> {
    /// The flow's own error, if that is what this is.
    pub fn into_upstream(self) -> Option<E> {
        match self {
            SingleError::Upstream(error) => Some(error),
            SingleError::Empty | SingleError::MoreThanOne => None,
        }
    }
}

impl<E> fmt::Display for SingleError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SingleError::Empty => "expected exactly one value, got none",
            SingleError::MoreThanOne => "expected exactly one value, got a second one",
            SingleError::Upstream(_) => "expected exactly one value, but the flow failed",
        })
    }
}

impl<E: Error + 'static> Error for SingleError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            SingleError::Upstream(error) => Some(error),
            SingleError::Empty | SingleError::MoreThanOne => None,
        }
    }
}

/// Why a flow with a [`timeout`](crate::FlowExt::timeout) failed.
#[cfg(feature = "time")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeoutError<E> {
    /// Too long nothing came.
    Elapsed,
    /// The flow failed.
    Upstream(E),
}

#[cfg(feature = "time")]
impl<E> TimeoutError<E> {
    /// The flow's own error, if that is what this is.
    pub fn into_upstream(self) -> Option<E> {
        match self {
            TimeoutError::Upstream(error) => Some(error),
            TimeoutError::Elapsed => None,
        }
    }
}

#[cfg(feature = "time")]
impl<E> fmt::Display for TimeoutError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimeoutError::Elapsed => "expected an item or the end within the time limit, got neither",
            TimeoutError::Upstream(_) => "expected an item or the end within the time limit, but the flow failed",
        })
    }
}

#[cfg(feature = "time")]
impl<E: Error + 'static> Error for TimeoutError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            TimeoutError::Upstream(error) => Some(error),
            TimeoutError::Elapsed => None,
        }
    }
}

/// Why a retry [policy](crate::Retry) makes no further attempt.
#[cfg(feature = "time")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GiveUpReason {
    /// As many attempts as there may be have failed, or the backoff has no further delay.
    Exhausted,
    /// The failure is none that [`when`](crate::retry::RetryWith::when) retries.
    Refused,
    /// The wait for the next attempt would go past the [`deadline`](crate::Retry::deadline).
    Deadline,
    /// The [budget](crate::retry::RetryBudget) has no retry left.
    Budget,
}

#[cfg(feature = "time")]
impl fmt::Display for GiveUpReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GiveUpReason::Exhausted => "no further attempt is allowed",
            GiveUpReason::Refused => "the error is none to retry",
            GiveUpReason::Deadline => "the next attempt would begin after the deadline",
            GiveUpReason::Budget => "the retry budget is used up",
        })
    }
}

/// How a flow with a retry [policy](crate::Retry) was given up, if [`explain`](crate::retry::RetryWith::explain) is asked
/// for.
///
/// With [`reset_after`](crate::Retry::reset_after), `attempts` and `elapsed` are those of the last streak of failures.
#[cfg(feature = "time")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct RetryError<E> {
    /// How many attempts were made.
    pub attempts: u32,
    /// The time from the start of the first one to the failure of the last one.
    pub elapsed: Duration,
    /// Why there was none after it.
    pub reason: GiveUpReason,
    /// What the last one failed with.
    pub source: E,
}

#[cfg(feature = "time")]
impl<E> fmt::Display for RetryError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RetryError { attempts, elapsed, reason, .. } = self;
        let plural = if *attempts == 1 { "" } else { "s" };
        write!(f, "failed after {attempts} attempt{plural} in {elapsed:?}: {reason}")
    }
}

#[cfg(feature = "time")]
impl<E: Error + 'static> Error for RetryError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}

/// Why [`state_in_first`](crate::FlowExt::state_in_first) has no state to give: the flow ended without a value.
#[cfg(feature = "rt")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NoFirstValue;

#[cfg(feature = "rt")]
impl fmt::Display for NoFirstValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a first value for the state, got the end of the flow")
    }
}

#[cfg(feature = "rt")]
impl Error for NoFirstValue {}
