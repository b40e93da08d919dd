//! Collecting again after a failure.

mod decide;
mod retry_when;

pub use decide::{Decide, RetryAtMost, RetryIf};
pub use retry_when::{RetryWhen, RetryWhenStream};
