use alloc::sync::Arc;
use core::convert::Infallible;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll, Waker, ready};
#[cfg(not(coldflow_loom))]
use std::sync::Mutex;
use std::sync::PoisonError;

use futures_core::{FusedStream, Stream};
#[cfg(coldflow_loom)]
use loom::sync::Mutex;
use pin_project_lite::pin_project;

use super::count::{Counter, SubscriptionCount};
use super::few::Few;
use super::shared::{Keeper, Subscription};
use super::subscribers::Subscribers;
use crate::concurrent::BufferConfig;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// A value that changes, and that everyone who has subscribed is told of.
///
#[cfg_attr(doc, doc = include_str!("../../docs/timelines/state_flow.svg"))]
///
/// A subscriber gets the value of now and then, whenever it is ready for more, the latest one if that differs from the one
/// it got last: what comes between is conflated. Setting an equal value changes nothing. Nobody ever waits.
///
/// The halves that can set the value are this one and its clones; [`as_state`](Self::as_state) gives one that cannot.
/// Collecting it, or a [`StateFlow`] of it, subscribes when the collection is first polled, and anew whenever it is
/// restarted. When the last half that can set it is dropped, subscribers get the latest value, and their collections end.
///
/// Reading never gives out a lock: values are cloned.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, MutableStateFlow};
///
/// # futures::executor::block_on(async {
/// let count = MutableStateFlow::new(0);
/// let seen = count.as_state();
/// count.update(|n| n + 1);
/// count.update(|n| n + 1);
/// assert_eq!(seen.value(), 2);
/// drop(count);
/// assert_eq!(seen.to_vec().await, Ok(vec![2]));
/// # });
/// ```
///
/// Kotlin: `MutableStateFlow`.
pub struct MutableStateFlow<T> {
    pub(super) core: Arc<Core<T>>,
}

/// The half of a [`MutableStateFlow`] that only reads and subscribes.
///
/// Kotlin: `StateFlow`.
pub struct StateFlow<T> {
    pub(super) core: Arc<Core<T>>,
    /// Keeps the task of a `state_in` running.
    pub(super) keeper: Option<Arc<dyn Keeper>>,
}

/// The stream of a [`StateFlow`].
#[must_use = "streams do nothing unless polled"]
pub struct StateFlowStream<T> {
    core: Arc<Core<T>>,
    phase: Phase<T>,
    _keeper: Option<Arc<dyn Keeper>>,
}

enum Phase<T> {
    Fresh,
    Subscribed { place: usize, last: Option<(u64, Arc<T>)> },
    Done,
}

/// A [`StateFlow`] of what a function makes of another's value. Of [`map_state`](StateFlow::map_state).
pub struct MapState<T, Op> {
    state: StateFlow<T>,
    op: Op,
}

pin_project! {
    /// The stream of a [`MapState`].
    #[must_use = "streams do nothing unless polled"]
    pub struct MapStateStream<T, U, Op> {
        stream: StateFlowStream<T>,
        op: Op,
        last: Option<U>,
    }
}

pub(super) struct Core<T> {
    state: Mutex<State<T>>,
    equal: fn(&T, &T) -> bool,
}

struct State<T> {
    value: Arc<T>,
    /// How often the value has changed.
    version: u64,
    subscribers: Subscribers<()>,
    setters: usize,
    closed: bool,
    failed: bool,
    counter: Counter,
}

impl<T> Core<T> {
    fn new(value: Arc<T>, equal: fn(&T, &T) -> bool) -> Arc<Self> {
        let state = State {
            value,
            version: 0,
            subscribers: Subscribers::new(),
            setters: 1,
            closed: false,
            failed: false,
            counter: Counter::new(),
        };
        Arc::new(Core { state: Mutex::new(state), equal })
    }

    fn with<R>(&self, access: impl FnOnce(&mut State<T>) -> R) -> R {
        // Nothing that can panic runs under the lock, so a poisoned one is whole.
        access(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn read(&self) -> (u64, Arc<T>) {
        self.with(|state| (state.version, Arc::clone(&state.value)))
    }

    /// Sets the value, if it has not changed since `version`. Gives the one that was replaced, or else the new one back.
    fn replace(&self, version: u64, value: Arc<T>) -> Result<Arc<T>, Arc<T>> {
        let mut wakers = Few::new();
        let replaced = self.with(|state| {
            if state.version != version {
                return Err(value);
            }
            state.version += 1;
            state.subscribers.wake_all(&mut wakers);
            Ok(mem::replace(&mut state.value, value))
        });
        wakers.for_each(Waker::wake);
        replaced
    }

    /// Sets the value to what `next` makes of it, again if it changes meanwhile: the value before and the one after.
    fn update(&self, mut next: impl FnMut(&T) -> Arc<T>) -> (Arc<T>, Arc<T>) {
        loop {
            let (version, old) = self.read();
            let new = next(&old);
            if (self.equal)(&old, &new) || self.replace(version, Arc::clone(&new)).is_ok() {
                return (old, new);
            }
        }
    }

    /// Ends the flow; `failed` says that what feeds it has panicked.
    pub(super) fn close(&self, failed: bool) {
        let mut wakers = Few::new();
        self.with(|state| {
            state.closed = true;
            state.failed = failed;
            state.subscribers.wake_all(&mut wakers);
        });
        wakers.for_each(Waker::wake);
    }

    fn subscribe(&self) -> usize {
        let (place, counted) = self.with(|state| {
            let place = state.subscribers.add(());
            (place, state.counter.changed(state.subscribers.count()))
        });
        counted.into_iter().for_each(super::buffer::Released::release);
        place
    }

    fn unsubscribe(&self, place: usize) {
        let (_removed, counted) = self.with(|state| {
            let removed = state.subscribers.remove(place);
            (removed, state.counter.changed(state.subscribers.count()))
        });
        counted.into_iter().for_each(super::buffer::Released::release);
    }

    fn subscription_count(&self) -> SubscriptionCount {
        self.with(|state| state.counter.subscription_count(state.subscribers.count()))
    }
}

impl<T> MutableStateFlow<T> {
    /// A state with this value.
    pub fn new(value: T) -> Self
    where
        T: PartialEq,
    {
        Self::with_equality(value, T::eq)
    }

    /// A state with this value, whose values count as equal when `equal` says so. `|_, _| false` takes every value for a
    /// change.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::MutableStateFlow;
    ///
    /// let level = MutableStateFlow::with_equality(1.0_f64, |a, b| (a - b).abs() < 0.5);
    /// level.set(1.2);
    /// assert_eq!(level.value(), 1.0);
    /// level.set(2.0);
    /// assert_eq!(level.value(), 2.0);
    /// ```
    pub fn with_equality(value: T, equal: fn(&T, &T) -> bool) -> Self {
        MutableStateFlow { core: Core::new(Arc::new(value), equal) }
    }

    /// A state with this value, which others have as well.
    #[cfg(feature = "rt")]
    pub(super) fn shared(value: Arc<T>) -> Self
    where
        T: PartialEq,
    {
        MutableStateFlow { core: Core::new(value, T::eq) }
    }

    /// Sets the value to one that others have as well.
    pub(super) fn set_shared(&self, value: &Arc<T>) {
        self.core.update(|_| Arc::clone(value));
    }

    /// Sets the value.
    ///
    /// Kotlin: `value = ..`, `emit`, `tryEmit`.
    pub fn set(&self, value: T) {
        self.set_shared(&Arc::new(value));
    }

    /// Sets the value to what `op` makes of it. `op` runs again when the value changes meanwhile.
    ///
    /// Kotlin: `update`.
    pub fn update(&self, mut op: impl FnMut(&T) -> T) {
        self.core.update(|old| Arc::new(op(old)));
    }

    /// The half that only reads and subscribes.
    ///
    /// Kotlin: `asStateFlow`.
    pub fn as_state(&self) -> StateFlow<T> {
        StateFlow { core: Arc::clone(&self.core), keeper: None }
    }

    /// How many have subscribed, as a flow in which no change is conflated.
    ///
    /// Kotlin: `subscriptionCount`.
    pub fn subscription_count(&self) -> SubscriptionCount {
        self.core.subscription_count()
    }
}

impl<T: Clone> MutableStateFlow<T> {
    /// A clone of the value.
    pub fn value(&self) -> T {
        Arc::unwrap_or_clone(self.core.read().1)
    }

    /// Sets the value to what `op` makes of it, and gives the new one. See [`update`](Self::update).
    ///
    /// Kotlin: `updateAndGet`.
    pub fn update_and_get(&self, mut op: impl FnMut(&T) -> T) -> T {
        Arc::unwrap_or_clone(self.core.update(|old| Arc::new(op(old))).1)
    }

    /// Sets the value to what `op` makes of it, and gives the one before. See [`update`](Self::update).
    ///
    /// Kotlin: `getAndUpdate`.
    pub fn get_and_update(&self, mut op: impl FnMut(&T) -> T) -> T {
        Arc::unwrap_or_clone(self.core.update(|old| Arc::new(op(old))).0)
    }
}

impl<T> MutableStateFlow<T> {
    /// Sets the value to `new` if it equals `expected`. Whether it did.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::MutableStateFlow;
    ///
    /// let state = MutableStateFlow::new("idle");
    /// assert!(state.compare_and_set(&"idle", "running"));
    /// assert!(!state.compare_and_set(&"idle", "running"));
    /// ```
    ///
    /// Kotlin: `compareAndSet`.
    pub fn compare_and_set(&self, expected: &T, new: T) -> bool {
        let mut new = Arc::new(new);
        loop {
            let (version, old) = self.core.read();
            if !(self.core.equal)(&old, expected) {
                return false;
            }
            if (self.core.equal)(&old, &new) {
                return true;
            }
            match self.core.replace(version, new) {
                Ok(_replaced) => return true,
                Err(refused) => new = refused,
            }
        }
    }
}

impl<T> Clone for MutableStateFlow<T> {
    fn clone(&self) -> Self {
        self.core.with(|state| state.setters += 1);
        MutableStateFlow { core: Arc::clone(&self.core) }
    }
}

impl<T> Drop for MutableStateFlow<T> {
    fn drop(&mut self) {
        let last = self.core.with(|state| {
            state.setters -= 1;
            state.setters == 0
        });
        if last {
            self.core.close(false);
        }
    }
}

impl<T> StateFlow<T> {
    /// A state of what `op` makes of this one's value: computed when it is read, and for subscribers when it changes.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, MutableStateFlow};
    ///
    /// # futures::executor::block_on(async {
    /// let text = MutableStateFlow::new("cold".to_owned());
    /// let length = text.as_state().map_state(String::len);
    /// assert_eq!(length.value(), 4);
    /// text.set("coldflow".to_owned());
    /// assert_eq!(length.first().await, Ok(Some(8)));
    /// # });
    /// ```
    ///
    /// Kotlin: none; `map { }.stateIn(..)`.
    pub fn map_state<U, Op>(&self, op: Op) -> MapState<T, Op>
    where
        Op: FnMut(&T) -> U + Clone,
    {
        MapState { state: self.clone(), op }
    }

    /// How many have subscribed, as a flow in which no change is conflated.
    pub fn subscription_count(&self) -> SubscriptionCount {
        self.core.subscription_count()
    }

    fn stream(&self) -> StateFlowStream<T> {
        StateFlowStream { core: Arc::clone(&self.core), phase: Phase::Fresh, _keeper: self.keeper.clone() }
    }

    /// Subscribes at once, rather than at the first poll. The collection begins with the value of its first poll all the
    /// same.
    pub fn subscribe(&self) -> Subscription<StateFlowStream<T>> {
        let mut stream = self.stream();
        stream.subscribe();
        Subscription { stream }
    }
}

impl<T: Clone> StateFlow<T> {
    /// A clone of the value.
    pub fn value(&self) -> T {
        Arc::unwrap_or_clone(self.core.read().1)
    }
}

impl<T> Clone for StateFlow<T> {
    fn clone(&self) -> Self {
        StateFlow { core: Arc::clone(&self.core), keeper: self.keeper.clone() }
    }
}

impl<T, Op> MapState<T, Op> {
    /// The value.
    pub fn value<U>(&self) -> U
    where
        Op: FnMut(&T) -> U + Clone,
    {
        (self.op.clone())(&self.state.core.read().1)
    }
}

impl<T> StateFlowStream<T> {
    /// Subscribes, unless that has been done.
    pub(super) fn subscribe(&mut self) {
        if !matches!(self.phase, Phase::Subscribed { .. }) {
            self.phase = Phase::Subscribed { place: self.core.subscribe(), last: None };
        }
    }

    fn unsubscribe(&mut self, phase: Phase<T>) {
        if let Phase::Subscribed { place, .. } = mem::replace(&mut self.phase, phase) {
            self.core.unsubscribe(place);
        }
    }

    /// The next value that differs from the last.
    fn poll_value(&mut self, cx: &mut Context<'_>) -> Poll<Option<Arc<T>>> {
        if let Phase::Fresh = self.phase {
            self.subscribe();
        }
        loop {
            let Phase::Subscribed { place, last } = &mut self.phase else {
                return Poll::Ready(None);
            };
            let seen = last.as_ref().map(|(version, _)| *version);
            let mut failed = false;
            let (found, _replaced) = self.core.with(|state| {
                if seen != Some(state.version) {
                    return (Poll::Ready(Some((state.version, Arc::clone(&state.value)))), None);
                }
                if state.closed {
                    failed = state.failed;
                    return (Poll::Ready(None), None);
                }
                (Poll::Pending, state.subscribers.wait(*place, cx))
            });
            let (version, value) = match found {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(found)) => found,
                Poll::Ready(None) => {
                    self.unsubscribe(Phase::Done);
                    assert!(!failed, "the flow behind `state_in` panicked");
                    return Poll::Ready(None);
                }
            };
            let before = last.replace((version, Arc::clone(&value)));
            if before.is_none_or(|(_, before)| !(self.core.equal)(&before, &value)) {
                return Poll::Ready(Some(value));
            }
        }
    }
}

impl<T> Drop for StateFlowStream<T> {
    fn drop(&mut self) {
        self.unsubscribe(Phase::Done);
    }
}

impl<T: Clone> Flow for MutableStateFlow<T> {
    type Item = T;
    type Error = Infallible;
    type Stream = StateFlowStream<T>;

    /// Gives up this half: when it is the last that can set the value, the collection gets the value and ends.
    fn into_stream(self) -> Self::Stream {
        self.as_state().stream()
    }
}

impl<T: Clone> Flow for StateFlow<T> {
    type Item = T;
    type Error = Infallible;
    type Stream = StateFlowStream<T>;

    fn into_stream(self) -> Self::Stream {
        self.stream()
    }
}

impl<T, U, Op> Flow for MapState<T, Op>
where
    U: Clone + PartialEq,
    Op: FnMut(&T) -> U,
{
    type Item = U;
    type Error = Infallible;
    type Stream = MapStateStream<T, U, Op>;

    fn into_stream(self) -> Self::Stream {
        MapStateStream { stream: self.state.stream(), op: self.op, last: None }
    }
}

impl<T: Clone> Stream for StateFlowStream<T> {
    type Item = Result<T, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, Infallible> {
        self.poll_value(cx).map(|value| value.map(|value| Ok(T::clone(&value))))
    }
}

impl<T: Clone> FusedStream for StateFlowStream<T> {
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }
}

impl<T: Clone> FlowStream for StateFlowStream<T> {
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(mut self: Pin<&mut Self>) {
        self.unsubscribe(Phase::Done);
    }

    fn absorb(self: Pin<&mut Self>, buffer: BufferConfig) -> bool {
        buffer.is_idle_on_state()
    }
}

impl<T: Clone> Restart for StateFlowStream<T> {
    fn restart(mut self: Pin<&mut Self>) {
        self.unsubscribe(Phase::Fresh);
    }
}

impl<T, U, Op> Stream for MapStateStream<T, U, Op>
where
    U: Clone + PartialEq,
    Op: FnMut(&T) -> U,
{
    type Item = Result<U, Infallible>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<U, Infallible> {
        let this = self.project();
        loop {
            let Some(value) = ready!(this.stream.poll_value(cx)) else {
                return Poll::Ready(None);
            };
            let mapped = (this.op)(&value);
            if this.last.as_ref() != Some(&mapped) {
                *this.last = Some(mapped.clone());
                return Poll::Ready(Some(Ok(mapped)));
            }
        }
    }
}

impl<T, U, Op> FusedStream for MapStateStream<T, U, Op>
where
    U: Clone + PartialEq,
    Op: FnMut(&T) -> U,
{
    fn is_terminated(&self) -> bool {
        matches!(self.stream.phase, Phase::Done)
    }
}

impl<T, U, Op> FlowStream for MapStateStream<T, U, Op>
where
    U: Clone + PartialEq,
    Op: FnMut(&T) -> U,
{
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.unsubscribe(Phase::Done);
        *this.last = None;
    }

    fn absorb(self: Pin<&mut Self>, buffer: BufferConfig) -> bool {
        buffer.is_idle_on_state()
    }
}

impl<T, U, Op> Restart for MapStateStream<T, U, Op>
where
    U: Clone + PartialEq,
    Op: FnMut(&T) -> U,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.unsubscribe(Phase::Fresh);
        *this.last = None;
    }
}

debug_fields!(MutableStateFlow<T> {});
debug_fields!(StateFlow<T> {});
debug_fields!(StateFlowStream<T> {});
debug_fields!(MapState < T, Op > {});
debug_fields!(MapStateStream < T, U, Op > {});

impl<T, Op: Clone> Clone for MapState<T, Op> {
    fn clone(&self) -> Self {
        MapState { state: self.state.clone(), op: self.op.clone() }
    }
}
