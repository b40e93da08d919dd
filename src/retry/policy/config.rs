//! Policies in a file: `serde` for [`Retry`], [`Backoff`] and [`ResetAfter`](super::ResetAfter). Durations are texts with
//! their units, and what makes no sense is refused.

use alloc::vec::Vec;
use core::num::NonZeroU32;
use core::time::Duration;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::backoff::Kind;
use super::{Backoff, Jitter, ResetAfter, Retry};

/// A duration as a text such as `250ms` or `1m 30s`.
pub(super) mod with_unit {
    use core::fmt;

    use serde::de::Visitor;

    use super::{Deserializer, Duration, Error, Serializer};

    pub(crate) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&humantime::format_duration(*duration))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        deserializer.deserialize_str(WithUnit)
    }

    struct WithUnit;

    impl Visitor<'_> for WithUnit {
        type Value = Duration;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a duration with its unit, such as \"250ms\" or \"1m 30s\"")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Duration, E> {
            humantime::parse_duration(text).map_err(|reason| {
                E::custom(format_args!("\"{text}\" is not a duration such as \"250ms\" or \"1m 30s\": {reason}"))
            })
        }
    }
}

/// One such duration.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
struct Span(#[serde(with = "with_unit")] Duration);

/// A [`Retry`] as it stands in a file.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Retry", deny_unknown_fields)]
struct Document {
    attempts: NonZeroU32,
    #[serde(default)]
    backoff: Backoff,
    #[serde(default)]
    jitter: Jitter,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cap: Option<Span>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadline: Option<Span>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    attempt_timeout: Option<Span>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reset_after: Option<ResetAfter>,
}

mod document {
    use super::{Span, Vec, twice};

    /// A [`Backoff`](super::Backoff) as it stands in a file. Messages name it, so it is called the same.
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "lowercase", deny_unknown_fields)]
    pub(super) enum Backoff {
        Constant(Span),
        Linear {
            first: Span,
            step: Span,
        },
        Exponential {
            first: Span,
            #[serde(default = "twice")]
            factor: f64,
        },
        Fibonacci(Span),
        List(Vec<Span>),
    }
}

fn twice() -> f64 {
    2.0
}

/// The second parameter of a [`Retry`], as far as a file can give it.
pub trait TimeoutOption: Sized + Copy {
    /// From what the file says, or why not.
    #[doc(hidden)]
    fn from_option(limit: Option<Duration>) -> Result<Self, &'static str>;

    #[doc(hidden)]
    fn to_option(self) -> Option<Duration>;
}

impl TimeoutOption for () {
    fn from_option(limit: Option<Duration>) -> Result<Self, &'static str> {
        match limit {
            None => Ok(()),
            Some(_) => {
                Err("`attempt_timeout` is not for this type of policy: read it as `Retry<Backoff, Option<Duration>>`")
            }
        }
    }

    fn to_option(self) -> Option<Duration> {
        None
    }
}

impl TimeoutOption for Duration {
    fn from_option(limit: Option<Duration>) -> Result<Self, &'static str> {
        limit.ok_or("`attempt_timeout` is missing")
    }

    fn to_option(self) -> Option<Duration> {
        Some(self)
    }
}

impl TimeoutOption for Option<Duration> {
    fn from_option(limit: Option<Duration>) -> Result<Self, &'static str> {
        Ok(limit)
    }

    fn to_option(self) -> Option<Duration> {
        self
    }
}

impl<T: TimeoutOption> Serialize for Retry<Backoff, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = Document {
            attempts: self.attempts,
            backoff: self.backoff.clone(),
            jitter: self.jitter,
            cap: self.cap.map(Span),
            deadline: self.deadline.map(Span),
            attempt_timeout: self.attempt_timeout.to_option().map(Span),
            reset_after: self.reset_after,
        };
        document.serialize(serializer)
    }
}

impl<'de, T: TimeoutOption> Deserialize<'de> for Retry<Backoff, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let document = Document::deserialize(deserializer)?;
        let attempt_timeout = document.attempt_timeout.map(|Span(limit)| limit);
        if attempt_timeout.is_some_and(|limit| limit.is_zero()) {
            return Err(D::Error::custom("`attempt_timeout` must not be zero: no attempt could succeed"));
        }
        Ok(Retry {
            attempts: document.attempts,
            backoff: document.backoff,
            jitter: document.jitter,
            cap: document.cap.map(|Span(cap)| cap),
            deadline: document.deadline.map(|Span(deadline)| deadline),
            attempt_timeout: T::from_option(attempt_timeout).map_err(D::Error::custom)?,
            reset_after: document.reset_after,
        })
    }
}

impl Serialize for Backoff {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = match &self.0 {
            Kind::Constant { delay } => document::Backoff::Constant(Span(*delay)),
            Kind::Linear { first, step } => document::Backoff::Linear { first: Span(*first), step: Span(*step) },
            Kind::Exponential { first, factor } => {
                document::Backoff::Exponential { first: Span(*first), factor: *factor }
            }
            Kind::Fibonacci { first } => document::Backoff::Fibonacci(Span(*first)),
            Kind::List { delays } => document::Backoff::List(delays.iter().copied().map(Span).collect()),
        };
        document.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Backoff {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match document::Backoff::deserialize(deserializer)? {
            document::Backoff::Constant(Span(delay)) => Backoff::constant(delay),
            document::Backoff::Linear { first: Span(first), step: Span(step) } => Backoff::linear(first, step),
            document::Backoff::Exponential { first: Span(first), factor } if factor >= 1.0 && factor.is_finite() => {
                Backoff::exponential_by(first, factor)
            }
            document::Backoff::Exponential { factor, .. } => {
                return Err(D::Error::custom(format_args!(
                    "`factor` must be a finite number of at least 1, got {factor}"
                )));
            }
            document::Backoff::Fibonacci(Span(first)) => Backoff::fibonacci(first),
            document::Backoff::List(delays) => {
                Backoff::list(delays.into_iter().map(|Span(delay)| delay).collect::<Vec<_>>())
            }
        })
    }
}
