//! Operators that know the time: Tokio's, so that `tokio::time::pause` controls all of them.

mod chunks_timeout;
mod debounce;
mod delay_start;
mod intake;
mod interval;
mod sample;
mod sleep;
mod throttle;
mod timeout;

pub use chunks_timeout::{ChunksTimeout, ChunksTimeoutStream};
pub use debounce::{Debounce, DebounceStream, DebounceTime};
pub use delay_start::{DelayStart, DelayStartStream};
pub use interval::{Interval, IntervalStream, interval};
pub use sample::{Sample, SampleStream};
pub use throttle::{Edge, Throttle, ThrottleStream};
pub use timeout::{Timeout, TimeoutStream};

use intake::Intake;
pub(crate) use sleep::Alarm;
