use std::error::Error;
use std::fmt;
use std::time::Duration;

/// What lies behind an [`ApiError`].
pub type Cause = Box<dyn Error + Send + Sync>;

/// Why an attempt gave no forecast.
#[derive(Debug)]
pub enum ApiError {
    /// The server answered with 4xx or 5xx.
    Status {
        /// The status code.
        status: u16,
        /// What the server asked for in `Retry-After`, uncapped. `None` without a usable header.
        retry_after: Option<Duration>,
        /// The reason the server gave in the body, if it gave one.
        source: Option<Cause>,
    },
    /// No response, or only a part of one: refused, reset, timed out, cut off.
    Unreachable {
        /// What the transport reported.
        source: Cause,
    },
    /// The search found nothing.
    UnknownCity {
        /// The name that was searched for.
        city: String,
    },
    /// Anything else, such as a 200 that is not a forecast.
    Unexpected {
        /// What was wrong, and what to do about it.
        what: String,
        /// What lies behind it, if something does.
        source: Option<Cause>,
    },
}

impl ApiError {
    /// An answer with `status` and, where the server asked to wait, `retry_after`.
    pub fn status(status: u16, retry_after: Option<Duration>) -> Self {
        Self::Status { status, retry_after, source: None }
    }

    /// No response, because of `source`.
    pub fn unreachable(source: impl Into<Cause>) -> Self {
        Self::Unreachable { source: source.into() }
    }

    /// A failure of no other case: `what` was wrong, because of `source`.
    pub fn unexpected(what: impl Into<String>, source: impl Into<Cause>) -> Self {
        Self::Unexpected { what: what.into(), source: Some(source.into()) }
    }

    /// The innermost cause: what is worth a place in a one-line message.
    pub fn root_cause(&self) -> Option<&(dyn Error + 'static)> {
        let mut root = self.source()?;
        while let Some(deeper) = root.source() {
            root = deeper;
        }
        Some(root)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status { status, .. } => {
                let advice = match status {
                    429 | 500..=599 => "try again later",
                    401 | 403 => "check that you may use this API",
                    404 => "check the URL of the API",
                    _ => "check the request",
                };
                write!(f, "the server answered with status {status}; {advice}")
            }
            Self::Unreachable { .. } => {
                f.write_str("no complete response came; check that the server runs and can be reached")
            }
            Self::UnknownCity { city } => {
                write!(f, "no city called {city:?} was found; check the spelling or try a larger place nearby")
            }
            Self::Unexpected { what, .. } => f.write_str(what),
        }
    }
}

impl Error for ApiError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Status { source, .. } | Self::Unexpected { source, .. } => {
                source.as_deref().map(|cause| cause as &(dyn Error + 'static))
            }
            Self::Unreachable { source } => Some(source.as_ref()),
            Self::UnknownCity { .. } => None,
        }
    }
}
