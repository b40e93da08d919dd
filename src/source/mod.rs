//! Where items come from.

mod body;
#[cfg(feature = "std")]
mod channel_flow;
mod defer;
mod empty;
mod failed;
mod flow;
mod flow_of;
mod flow_with;
mod from_stream;
mod numbered;
mod once;
mod once_with;

pub use body::{BodyOutput, GoesOn, LambdaOutput};
#[cfg(feature = "std")]
pub use channel_flow::{
    ChannelBody, ChannelFlow, ChannelFlowStream, Registered, Registration, RestartBody, Send, SendError, Sender,
    TrySendError, callback_flow, channel_flow,
};
pub use defer::{Defer, DeferStream, defer};
pub use empty::{Empty, EmptyStream, empty};
pub use failed::{Failed, FailedStream, failed};
pub use flow::{FlowFn, FlowFnStream, flow};
pub use flow_of::{FlowOf, FlowOfStream, flow_of};
pub use flow_with::flow_with;
pub use from_stream::{
    FromStream, FromStreamStream, FromTryStream, FromTryStreamStream, StreamFlowExt, from_stream, from_try_stream,
};
pub use numbered::{Numbered, SourceBody};
pub use once::{Once, OnceOk, OnceOkStream, OnceStream, once, once_ok};
pub use once_with::once_with;
