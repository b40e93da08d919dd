use alloc::sync::Arc;
use core::convert::Infallible;

use super::buffer::{Released, SharedConfig};
use super::shared::{Core, SharedFlow, SharedFlowStream};
use crate::concurrent::Overflow;
use crate::flow::Flow;

/// How many have subscribed to a hot flow: a flow that begins with the number of now and emits every change.
///
/// Unlike a [`StateFlow`](crate::StateFlow) it conflates nothing: a subscriber that comes and leaves at once is seen. It
/// ends when the flow whose subscribers it counts is gone.
///
/// Kotlin: `subscriptionCount`.
#[derive(Clone, Debug)]
pub struct SubscriptionCount {
    changes: SharedFlow<usize>,
}

impl SubscriptionCount {
    /// The number of subscribers now.
    pub fn value(&self) -> usize {
        self.changes.replay_cache().last().copied().unwrap_or(0)
    }
}

impl Flow for SubscriptionCount {
    type Item = usize;
    type Error = Infallible;
    type Stream = SharedFlowStream<usize>;

    /// Subscribes at once: a subscriber that comes and leaves before the first poll is seen, too. A policy of
    /// `share_in` is first polled by the sharing task, which may come later than such a subscriber.
    fn into_stream(self) -> Self::Stream {
        self.changes.subscribe().into_stream()
    }
}

/// The emitting side of a [`SubscriptionCount`]. It costs nothing until somebody asks for one.
pub(super) struct Counter {
    core: Option<Arc<Core<usize>>>,
}

impl Counter {
    pub(super) fn new() -> Self {
        Counter { core: None }
    }

    /// Emits a change. What it wakes is released by the caller, outside of its lock.
    pub(super) fn changed(&self, count: usize) -> Option<Released<usize>> {
        self.core.as_ref().map(|core| core.emit_now(count))
    }

    pub(super) fn subscription_count(&mut self, count: usize) -> SubscriptionCount {
        let core = self.core.get_or_insert_with(|| {
            let config = SharedConfig { replay: 1, extra_capacity: usize::MAX, overflow: Overflow::DropOldest };
            let core = Core::new(config);
            core.emit_now(count).release();
            core
        });
        SubscriptionCount { changes: SharedFlow { core: Arc::clone(core), keeper: None } }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        if let Some(core) = &self.core {
            core.close();
        }
    }
}
