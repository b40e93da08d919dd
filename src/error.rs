//! The errors that operators add to those of the flow.

use core::error::Error;
use core::fmt;

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
