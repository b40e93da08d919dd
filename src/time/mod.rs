//! Operators that know the time: Tokio's, so that `tokio::time::pause` controls all of them.

mod debounce;
mod sample;
mod sleep;
mod timeout;

pub use debounce::{Debounce, DebounceStream, DebounceTime};
pub use sample::{Sample, SampleStream};
pub use timeout::{Timeout, TimeoutStream};

use sleep::Alarm;
