use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::fmt;
use core::future::Future;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};
use std::sync::PoisonError;
#[cfg(not(coldflow_loom))]
use std::sync::{Mutex, MutexGuard};

use futures_core::{FusedFuture, FusedStream, Stream};
#[cfg(coldflow_loom)]
use loom::sync::{Mutex, MutexGuard};
use pin_project_lite::pin_project;

use super::buffer::{Buffer, Emitted, Next, Released, SharedConfig};
use super::count::{Counter, SubscriptionCount};
use crate::concurrent::{BufferConfig, Overflow};
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// A hot flow: values are emitted into it, and everyone who has subscribed gets each of them.
///
#[cfg_attr(doc, doc = include_str!("../../docs/timelines/shared_flow.svg"))]
///
/// The halves that can emit are this one and its clones; [`as_shared`](Self::as_shared) gives one that cannot. Collecting
/// it, or a [`SharedFlow`] of it, subscribes when the collection is first polled, and anew whenever it is restarted; use
/// [`subscribe`](SharedFlow::subscribe) to subscribe at once. A new subscriber gets the latest `replay` values first.
///
/// Nothing is lost to a slow subscriber: an emission waits until the slowest has taken enough, unless
/// [`SharedConfig::overflow`] says otherwise. Without subscribers an emission never waits, and only the replay keeps it.
/// Each subscriber gets a clone of the value.
///
/// When the last half that can emit is dropped, subscribers get what they are owed, and their collections end.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, MutableSharedFlow, SharedConfig};
///
/// # futures::executor::block_on(async {
/// let events = MutableSharedFlow::new(SharedConfig { replay: 1, extra_capacity: 8, ..SharedConfig::default() });
/// events.emit("started").await;
/// let log = events.as_shared(); // gets the last event, and those that follow
/// let subscribed = log.subscribe();
/// events.emit("done").await;
/// drop(events);
/// assert_eq!(log.clone().to_vec().await, Ok(vec!["done"]));
/// assert_eq!(subscribed.to_vec().await, Ok(vec!["started", "done"]));
/// # });
/// ```
///
/// Kotlin: `MutableSharedFlow`.
pub struct MutableSharedFlow<T> {
    pub(super) core: Arc<Core<T>>,
}

/// The half of a [`MutableSharedFlow`] that only subscribes.
///
/// Kotlin: `SharedFlow`.
pub struct SharedFlow<T> {
    pub(super) core: Arc<Core<T>>,
    /// Keeps the task of a `share_in` running.
    pub(super) keeper: Option<Arc<dyn Keeper>>,
}

/// What a flow and its subscribers keep alive.
pub(super) trait Keeper: Send + Sync {}

/// A subscription that has been made already: the flow of it.
///
/// Made by [`SharedFlow::subscribe`] and [`StateFlow::subscribe`](crate::StateFlow::subscribe). Restarting its collection
/// subscribes anew.
#[derive(Debug)]
#[must_use = "a subscription holds emissions back until it is collected or dropped"]
pub struct Subscription<S> {
    pub(super) stream: S,
}

/// The stream of a [`SharedFlow`].
#[must_use = "streams do nothing unless polled"]
pub struct SharedFlowStream<T> {
    core: Arc<Core<T>>,
    phase: Phase,
    _keeper: Option<Arc<dyn Keeper>>,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Fresh,
    Subscribed(usize),
    Done,
}

pub(super) struct Core<T> {
    state: Mutex<State<T>>,
}

struct State<T> {
    buffer: Buffer<T>,
    emitters: usize,
    counter: Counter,
}

impl<T> Core<T> {
    pub(super) fn new(config: SharedConfig) -> Arc<Self> {
        let state = State { buffer: Buffer::new(config), emitters: 1, counter: Counter::new() };
        Arc::new(Core { state: Mutex::new(state) })
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Nothing that can panic runs under the lock, so a poisoned one is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something to the buffer. What that releases is woken and dropped outside of the lock.
    pub(super) fn with<R>(&self, access: impl FnOnce(&mut Buffer<T>, &mut Released<T>) -> R) -> R {
        let mut released = Released::new();
        let mut state = self.lock();
        let before = state.buffer.subscribers.count();
        let result = access(&mut state.buffer, &mut released);
        let count = state.buffer.subscribers.count();
        if count == before {
            drop(state);
        } else {
            let counted = state.counter.changed(count);
            drop(state);
            counted.into_iter().for_each(Released::release);
        }
        released.release();
        result
    }

    /// Emits a value, or lets it wait for room.
    fn emit(&self, value: Arc<T>, cx: &Context<'_>) -> Emitted {
        let quickly = self.lock().buffer.emit_quickly(value);
        match quickly {
            Ok(()) => Emitted::Done,
            Err(value) => self.with(|buffer, released| buffer.emit(value, cx, released)),
        }
    }

    /// Gives a subscriber its next value.
    fn next(&self, place: usize, cx: &Context<'_>) -> Next<T> {
        let mut state = self.lock();
        if let Some(next) = state.buffer.next_quickly(place) {
            return next;
        }
        let mut released = Released::new();
        let next = state.buffer.next(place, cx, &mut released);
        drop(state);
        released.release();
        next
    }

    /// Emits a value into a flow that always has room.
    pub(super) fn emit_now(&self, value: T) -> Released<T> {
        let mut released = Released::new();
        let value = Arc::new(value);
        let refused = self.lock().buffer.try_emit(value, &mut released);
        debug_assert!(refused.is_ok(), "there is always room");
        released
    }

    /// Ends the flow.
    pub(super) fn close(&self) {
        self.with(|buffer, released| buffer.close(false, released));
    }

    /// Ends the flow because what feeds it has panicked.
    #[cfg(feature = "rt")]
    pub(super) fn fail(&self) {
        self.with(|buffer, released| buffer.close(true, released));
    }

    pub(super) fn subscription_count(&self) -> SubscriptionCount {
        let state = &mut *self.lock();
        state.counter.subscription_count(state.buffer.subscribers.count())
    }
}

impl<T> MutableSharedFlow<T> {
    /// A flow of these sizes.
    ///
    /// # Panics
    ///
    /// When items are to be dropped and there is no room at all: `replay` and `extra_capacity` are both 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{MutableSharedFlow, Overflow, SharedConfig};
    ///
    /// let config = SharedConfig { replay: 2, overflow: Overflow::DropOldest, ..SharedConfig::default() };
    /// let latest = MutableSharedFlow::new(config);
    /// for n in 0..5 {
    ///     assert!(latest.try_emit(n));
    /// }
    /// assert_eq!(latest.as_shared().replay_cache(), [3, 4]);
    /// ```
    #[track_caller]
    pub fn new(config: SharedConfig) -> Self {
        assert!(
            config.overflow == Overflow::Suspend || config.replay > 0 || config.extra_capacity > 0,
            "a shared flow that drops items needs room: `replay` or `extra_capacity` must be at least 1, got 0"
        );
        MutableSharedFlow { core: Core::new(config) }
    }

    /// Emits `value` to all who have subscribed, waiting for the slowest of them if there is no room. Emissions that wait
    /// go on in their order.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future while it waits withdraws the value. In a flow without any room some subscribers may have it
    /// already.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, MutableSharedFlow, SharedConfig};
    ///
    /// # futures::executor::block_on(async {
    /// let handover = MutableSharedFlow::new(SharedConfig::default());
    /// let received = handover.as_shared().subscribe().take(2).to_vec();
    /// let ((), Ok(received)) = futures::join!(
    ///     async {
    ///         handover.emit(1).await; // until the subscriber has taken it
    ///         handover.emit(2).await;
    ///     },
    ///     received,
    /// );
    /// assert_eq!(received, [1, 2]);
    /// # });
    /// ```
    ///
    /// Kotlin: `emit`.
    pub fn emit(&self, value: T) -> EmitShared<'_, T> {
        EmitShared { core: &self.core, step: EmitStep::Fresh(Arc::new(value)) }
    }

    /// Emits `value` if that need not wait. Whether it did.
    ///
    /// Without any room, and with a subscriber, it always would wait. A flow that drops items always takes the value,
    /// if only to drop it.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{MutableSharedFlow, SharedConfig};
    ///
    /// let one = MutableSharedFlow::new(SharedConfig { extra_capacity: 1, ..SharedConfig::default() });
    /// let subscription = one.as_shared().subscribe();
    /// assert!(one.try_emit("a"));
    /// assert!(!one.try_emit("b"));
    /// drop(subscription);
    /// assert!(one.try_emit("c"));
    /// ```
    ///
    /// Kotlin: `tryEmit`.
    #[must_use = "the value is lost when it could not be emitted"]
    pub fn try_emit(&self, value: T) -> bool {
        let value = Arc::new(value);
        // A refused value is dropped outside of the lock.
        let refused = self.core.with(|buffer, released| buffer.try_emit(value, released));
        refused.is_ok()
    }

    /// Empties the replay: later subscribers begin with what comes next. Those of now still get what they are owed.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{MutableSharedFlow, SharedConfig};
    ///
    /// let flow = MutableSharedFlow::new(SharedConfig { replay: 1, ..SharedConfig::default() });
    /// assert!(flow.try_emit(1));
    /// flow.reset_replay_cache();
    /// assert!(flow.as_shared().replay_cache().is_empty());
    /// ```
    ///
    /// Kotlin: `resetReplayCache`.
    pub fn reset_replay_cache(&self) {
        self.core.with(Buffer::reset_replay);
    }

    /// How many have subscribed, as a flow in which no change is conflated.
    ///
    /// Kotlin: `subscriptionCount`.
    pub fn subscription_count(&self) -> SubscriptionCount {
        self.core.subscription_count()
    }

    /// The half that only subscribes.
    ///
    /// Kotlin: `asSharedFlow`.
    pub fn as_shared(&self) -> SharedFlow<T> {
        SharedFlow { core: Arc::clone(&self.core), keeper: None }
    }
}

impl<T> Clone for MutableSharedFlow<T> {
    fn clone(&self) -> Self {
        self.core.lock().emitters += 1;
        MutableSharedFlow { core: Arc::clone(&self.core) }
    }
}

impl<T> Drop for MutableSharedFlow<T> {
    fn drop(&mut self) {
        let last = {
            let mut state = self.core.lock();
            state.emitters -= 1;
            state.emitters == 0
        };
        if last {
            self.core.close();
        }
    }
}

impl<T> SharedFlow<T> {
    /// Subscribes at once, rather than at the first poll.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, MutableSharedFlow, SharedConfig};
    ///
    /// # futures::executor::block_on(async {
    /// let numbers = MutableSharedFlow::new(SharedConfig { extra_capacity: 9, ..SharedConfig::default() });
    /// let subscribed = numbers.as_shared().subscribe();
    /// assert!(numbers.try_emit(7));
    /// assert_eq!(subscribed.first().await, Ok(Some(7)));
    /// # });
    /// ```
    pub fn subscribe(&self) -> Subscription<SharedFlowStream<T>> {
        let mut stream = self.stream();
        stream.subscribe();
        Subscription { stream }
    }

    /// How many have subscribed, as a flow in which no change is conflated.
    pub fn subscription_count(&self) -> SubscriptionCount {
        self.core.subscription_count()
    }

    fn stream(&self) -> SharedFlowStream<T> {
        SharedFlowStream { core: Arc::clone(&self.core), phase: Phase::Fresh, _keeper: self.keeper.clone() }
    }
}

impl<T: Clone> SharedFlow<T> {
    /// Clones of the values that a new subscriber would get first.
    ///
    /// Kotlin: `replayCache`.
    pub fn replay_cache(&self) -> Vec<T> {
        let values: Vec<Arc<T>> = self.core.with(|buffer, _| buffer.replay().cloned().collect());
        values.into_iter().map(Arc::unwrap_or_clone).collect()
    }
}

impl<T> Clone for SharedFlow<T> {
    fn clone(&self) -> Self {
        SharedFlow { core: Arc::clone(&self.core), keeper: self.keeper.clone() }
    }
}

impl<T> SharedFlowStream<T> {
    /// Subscribes, unless that has been done.
    pub(super) fn subscribe(&mut self) -> usize {
        if let Phase::Subscribed(place) = self.phase {
            return place;
        }
        let place = self.core.with(|buffer, _| buffer.subscribe());
        self.phase = Phase::Subscribed(place);
        place
    }

    fn unsubscribe(&mut self, phase: Phase) {
        if let Phase::Subscribed(place) = mem::replace(&mut self.phase, phase) {
            self.core.with(|buffer, released| buffer.unsubscribe(place, released));
        }
    }
}

impl<T> Drop for SharedFlowStream<T> {
    fn drop(&mut self) {
        self.unsubscribe(Phase::Done);
    }
}

impl<T: Clone> Flow for MutableSharedFlow<T> {
    type Item = T;
    type Error = Infallible;
    type Stream = SharedFlowStream<T>;

    /// Gives up this half: when it is the last that can emit, the collection gets the replay and ends.
    fn into_stream(self) -> Self::Stream {
        self.as_shared().into_stream()
    }
}

impl<T: Clone> Flow for SharedFlow<T> {
    type Item = T;
    type Error = Infallible;
    type Stream = SharedFlowStream<T>;

    fn into_stream(self) -> Self::Stream {
        self.stream()
    }
}

impl<S, T, E> Flow for Subscription<S>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = T;
    type Error = E;
    type Stream = S;

    fn into_stream(self) -> Self::Stream {
        self.stream
    }
}

impl<T: Clone> Stream for SharedFlowStream<T> {
    type Item = Result<T, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, Infallible> {
        if let Phase::Done = self.phase {
            return Poll::Ready(None);
        }
        let place = self.subscribe();
        match self.core.next(place, cx) {
            Next::Value(value) => Poll::Ready(Some(Ok(Arc::unwrap_or_clone(value)))),
            Next::Shared(value) => Poll::Ready(Some(Ok(T::clone(&value)))),
            Next::Waits(_replaced) => Poll::Pending,
            Next::Ended { failed } => {
                self.unsubscribe(Phase::Done);
                assert!(!failed, "the flow behind `share_in` panicked");
                Poll::Ready(None)
            }
        }
    }
}

impl<T: Clone> FusedStream for SharedFlowStream<T> {
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }
}

impl<T: Clone> FlowStream for SharedFlowStream<T> {
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(mut self: Pin<&mut Self>) {
        self.unsubscribe(Phase::Done);
    }

    fn absorb(self: Pin<&mut Self>, buffer: BufferConfig) -> bool {
        buffer.is_idle_on_shared()
    }
}

impl<T: Clone> Restart for SharedFlowStream<T> {
    fn restart(mut self: Pin<&mut Self>) {
        self.unsubscribe(Phase::Fresh);
    }
}

pin_project! {
    /// The future of [`MutableSharedFlow::emit`].
    #[must_use = "nothing is emitted unless the future is awaited"]
    pub struct EmitShared<'a, T> {
        core: &'a Core<T>,
        step: EmitStep<T>,
    }

    impl<T> PinnedDrop for EmitShared<'_, T> {
        fn drop(this: Pin<&mut Self>) {
            let this = this.project();
            this.step.withdraw(this.core);
        }
    }
}

pub(super) enum EmitStep<T> {
    Fresh(Arc<T>),
    /// The value waits for room, under this number.
    Waiting(u64),
    Done,
}

impl<T> EmitStep<T> {
    pub(super) fn poll_emit(&mut self, core: &Core<T>, cx: &Context<'_>) -> Poll<()> {
        let waits = match mem::replace(self, EmitStep::Done) {
            EmitStep::Fresh(value) => match core.emit(value, cx) {
                Emitted::Done => None,
                Emitted::Waits(ticket) => Some(ticket),
            },
            EmitStep::Waiting(ticket) => {
                core.with(|buffer, released| buffer.still_waits(ticket, cx, released)).then_some(ticket)
            }
            EmitStep::Done => None,
        };
        let Some(ticket) = waits else {
            return Poll::Ready(());
        };
        *self = EmitStep::Waiting(ticket);
        Poll::Pending
    }

    pub(super) fn withdraw(&mut self, core: &Core<T>) {
        if let EmitStep::Waiting(ticket) = mem::replace(self, EmitStep::Done) {
            core.with(|buffer, released| buffer.withdraw(ticket, released));
        }
    }
}

impl<T> Future for EmitShared<'_, T> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        this.step.poll_emit(this.core, cx)
    }
}

impl<T> FusedFuture for EmitShared<'_, T> {
    fn is_terminated(&self) -> bool {
        matches!(self.step, EmitStep::Done)
    }
}

debug_fields!(MutableSharedFlow<T> {});
debug_fields!(SharedFlow<T> {});
debug_fields!(SharedFlowStream<T> {});

impl<T> fmt::Debug for EmitShared<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmitShared").finish_non_exhaustive()
    }
}
