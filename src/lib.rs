#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

#[macro_use]
mod macros;

mod boxed;
mod coop;
mod emitter;
mod error;
mod ext;
mod flow;

pub mod operator;
pub mod retry;
pub mod source;
pub mod terminal;

#[cfg(feature = "macros")]
pub use async_stream::{stream, try_stream};

pub use boxed::{BoxFlow, BoxFlowStream, LocalBoxFlow, LocalBoxFlowStream};
pub use emitter::{Emit, Emitter};
pub use error::SingleError;
pub use ext::FlowExt;
pub use flow::{ColdFlow, Flow, FlowStream, Restart};
pub use operator::Event;
pub use source::{StreamFlowExt, defer, empty, failed, flow, flow_of, from_stream, from_try_stream, once, once_ok};
