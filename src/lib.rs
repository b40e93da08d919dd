// The pages of the guide are files for who reads the repository, and modules in the documentation. The first definition of
// a link counts, so here the links of a page lead to the modules.
#![doc = include_str!("guide/links.md")]
#![doc = include_str!("guide/pictures.md")]
#![doc = ""]
// Its examples use the clock.
#![cfg_attr(feature = "time", doc = include_str!("../README.md"))]
#![cfg_attr(not(feature = "time"), doc = "Kotlin Flow semantics for Rust streams: cold, retryable, composable.")]
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

#[macro_use]
mod macros;

mod boxed;
#[cfg(feature = "std")]
pub mod concurrent;
mod coop;
mod emitter;
mod error;
mod ext;
mod flow;
#[cfg(doc)]
pub mod guide;

#[cfg(feature = "std")]
pub mod hot;
pub mod operator;
pub mod retry;
pub mod source;
pub mod terminal;
#[cfg(feature = "test-util")]
pub mod test_util;
#[cfg(feature = "time")]
pub mod time;

#[cfg(feature = "macros")]
pub use async_stream::{stream, try_stream};

pub use boxed::{BoxFlow, BoxFlowStream, LocalBoxFlow, LocalBoxFlowStream};
#[cfg(feature = "std")]
pub use concurrent::Overflow;
pub use emitter::{Emit, Emitter};
#[cfg(feature = "rt")]
pub use error::NoFirstValue;
pub use error::SingleError;
#[cfg(feature = "time")]
pub use error::{RetryError, TimeoutError};
pub use ext::FlowExt;
pub use flow::{ColdFlow, Flow, FlowStream, Restart};
#[cfg(feature = "std")]
pub use hot::{MutableSharedFlow, MutableStateFlow, SharedConfig, SharedFlow, StateFlow, SubscriptionCount};
#[cfg(feature = "rt")]
pub use hot::{SharingCommand, SharingPolicy, SharingStarted};
pub use operator::Event;
#[cfg(feature = "std")]
pub use operator::{combine, combine_latest, merge, race};
#[cfg(feature = "time")]
pub use retry::{Retry, retry};
#[cfg(feature = "std")]
pub use source::{SendError, Sender, TrySendError, callback_flow, channel_flow};
pub use source::{
    StreamFlowExt, defer, empty, failed, flow, flow_of, flow_with, from_stream, from_try_stream, once, once_ok,
    once_with,
};
#[cfg(feature = "time")]
pub use time::{Edge, interval};
