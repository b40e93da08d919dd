use core::convert::Infallible;
use core::time::Duration;

use tokio::time::sleep;

use super::count::SubscriptionCount;
use crate::boxed::BoxFlow;
use crate::ext::FlowExt;
use crate::flow::Flow;
use crate::source::flow_of;

/// When [`share_in`](crate::FlowExt::share_in) and [`state_in`](crate::FlowExt::state_in) run what they share.
///
/// For a rule of one's own, implement [`SharingPolicy`].
///
/// Kotlin: `SharingStarted`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SharingStarted {
    /// At once, and never stopped. What is emitted before the first subscriber is lost, beyond the replay.
    Eagerly,
    /// With the first subscriber, and never stopped.
    Lazily,
    /// While there are subscribers. Made by [`while_subscribed`](Self::while_subscribed).
    WhileSubscribed {
        /// How long after the last subscriber has left it stops.
        stop_timeout: Duration,
        /// How long after it has stopped the replay is emptied, or the state set to its initial value.
        replay_expiration: Duration,
    },
}

/// What a [`SharingPolicy`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SharingCommand {
    /// Collect what is shared, from its start, unless it is being collected.
    Start,
    /// Drop the collection.
    Stop,
    /// Drop the collection and empty the replay, or set the state to its initial value.
    StopAndResetReplayCache,
}

/// A rule for when something shared runs.
///
/// # Examples
///
/// ```
/// use coldflow::{BoxFlow, FlowExt, SharingCommand, SharingPolicy, SubscriptionCount};
/// use std::convert::Infallible;
///
/// /// Runs while at least so many have subscribed.
/// struct AtLeast(usize);
///
/// impl SharingPolicy for AtLeast {
///     type Commands = BoxFlow<'static, SharingCommand, Infallible>;
///
///     fn commands(self, subscribers: SubscriptionCount) -> Self::Commands {
///         let enough = subscribers.map(move |count| count >= self.0);
///         enough.map(|enough| if enough { SharingCommand::Start } else { SharingCommand::Stop }).boxed()
///     }
/// }
/// ```
///
/// Kotlin: `SharingStarted` as an interface.
pub trait SharingPolicy {
    /// The commands. Repeating one has no effect, and their end changes nothing.
    type Commands: Flow<Item = SharingCommand, Error = Infallible>;

    /// Tells when to run, given how many have subscribed.
    fn commands(self, subscribers: SubscriptionCount) -> Self::Commands;
}

impl SharingStarted {
    /// While there are subscribers: from the first until `stop_timeout` after the last has left, unless one comes before.
    /// The latest values stay for `replay_expiration` after that. `Duration::ZERO` forgets them at once, and a state is its
    /// initial value again; `Duration::MAX` keeps them for ever, as Kotlin does where nothing is said.
    ///
    /// Kotlin: `WhileSubscribed`.
    pub fn while_subscribed(stop_timeout: Duration, replay_expiration: Duration) -> Self {
        SharingStarted::WhileSubscribed { stop_timeout, replay_expiration }
    }
}

impl SharingPolicy for SharingStarted {
    type Commands = BoxFlow<'static, SharingCommand, Infallible>;

    fn commands(self, subscribers: SubscriptionCount) -> Self::Commands {
        match self {
            SharingStarted::Eagerly => flow_of([SharingCommand::Start]).boxed(),
            SharingStarted::Lazily => {
                subscribers.filter(|count| *count > 0).take(1).map(|_| SharingCommand::Start).boxed()
            }
            SharingStarted::WhileSubscribed { stop_timeout, replay_expiration } => subscribers
                .transform_latest(move |count, mut emitter| async move {
                    if count > 0 {
                        return emitter.emit(SharingCommand::Start).await;
                    }
                    if !stop_timeout.is_zero() {
                        sleep(stop_timeout).await;
                    }
                    if !replay_expiration.is_zero() {
                        emitter.emit(SharingCommand::Stop).await;
                        sleep(replay_expiration).await;
                    }
                    emitter.emit(SharingCommand::StopAndResetReplayCache).await;
                })
                // Nothing is said before the first start.
                .skip_while(|command| *command != SharingCommand::Start)
                .distinct_until_changed()
                .boxed(),
        }
    }
}
