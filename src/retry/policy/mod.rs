//! Retries by a policy that is data, with the code beside it that has a say in them.

mod backoff;
mod budget;
mod call;
#[cfg(feature = "serde")]
mod config;
mod hook;
mod jitter;
mod options;
mod outcome;
mod retry;
mod retry_with;
#[cfg(feature = "tracing")]
mod traced;

pub use backoff::{Backoff, Delays};
pub use budget::RetryBudget;
pub use call::{RetryCall, retry};
#[cfg(feature = "serde")]
pub use config::TimeoutOption;
pub use hook::{Both, GiveUpEvent, Hint, Hook, OnGiveUp, OnRetry, RetryEvent, When, WithinBudget};
pub use jitter::{Jitter, Random};
pub use outcome::{AttemptTimeout, Bare, Explained, Outcome};
pub use retry::{ResetAfter, Retry, Waits};
pub use retry_with::{RetryWith, RetryWithStream};
#[cfg(feature = "tracing")]
pub use traced::Traced;
