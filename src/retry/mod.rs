//! Collecting again after a failure: by a decision of one's own, [`retry_when`](crate::FlowExt::retry_when), or by a
//! policy, [`Retry`].

mod decide;
#[cfg(feature = "time")]
mod policy;
mod retry_once;
mod retry_when;

#[cfg(feature = "time")]
pub use crate::error::{GiveUpReason, RetryError};
pub use decide::{Decide, RetryAtMost, RetryIf};
#[cfg(feature = "time")]
pub use policy::*;
pub use retry_once::{RetryOnce, RetryOnceStream};
pub use retry_when::{RetryWhen, RetryWhenStream};
