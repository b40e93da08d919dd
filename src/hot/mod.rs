//! Flows that are there whether anybody collects them or not: [`SharedFlow`] and [`StateFlow`].
//!
//! Each has one lock, held for index arithmetic and moves alone: values stand behind an `Arc`, and whatever is to be
//! woken, dropped, cloned or compared leaves the lock first.

mod buffer;
mod count;
mod few;
mod on_subscription;
#[cfg(feature = "rt")]
pub(crate) mod produce;
#[cfg(feature = "rt")]
pub(crate) mod share;
mod shared;
#[cfg(feature = "rt")]
mod started;
mod state;
mod subscribers;

pub use buffer::SharedConfig;
pub use count::SubscriptionCount;
pub use on_subscription::{OnSubscription, OnSubscriptionStream, Subscribe};
#[cfg(feature = "rt")]
pub use produce::Produced;
#[cfg(feature = "rt")]
pub use share::{CannotFail, StateInFirst};
pub use shared::{EmitShared, MutableSharedFlow, SharedFlow, SharedFlowStream, Subscription};
#[cfg(feature = "rt")]
pub use started::{SharingCommand, SharingPolicy, SharingStarted};
pub use state::{MapState, MapStateStream, MutableStateFlow, StateFlow, StateFlowStream};

#[cfg(all(test, coldflow_loom))]
mod loom_tests;
