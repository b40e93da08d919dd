//! The state of a shared flow: values, readers and waiting emissions, as plain data.
//!
//! Positions count all values ever emitted. Those that are kept are `start..end`; they are kept for the slowest
//! subscriber, and for newcomers from `replay_from` on. Behind them wait the emissions for which there was no room.
//!
//! ```text
//!            start      replay_from            end
//!              │             │                  │
//!              ▼             ▼                  ▼
//!   values     [ 4 ][ 5 ][ 6 ][ 7 ][ 8 ][ 9 ]   waiting  [10][11]
//!   readers      1    0    0    0    2    0   3
//! ```
//!
//! A flow without any room (`replay` and `extra_capacity` 0) keeps no values: subscribers take the value of the first
//! waiting emission, which is over when all of them have.

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use core::task::{Context, Waker};

use super::few::Few;
use super::subscribers::Subscribers;
use crate::concurrent::Overflow;

/// The sizes of a shared flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SharedConfig {
    /// How many of the latest values a new subscriber gets.
    pub replay: usize,
    /// How many values more are kept for slow subscribers.
    pub extra_capacity: usize,
    /// What happens to an emission when the slowest subscriber is behind by all of them.
    pub overflow: Overflow,
}

impl SharedConfig {
    fn capacity(self) -> usize {
        self.replay.saturating_add(self.extra_capacity)
    }
}

/// What leaves the lock: wakers to be woken and values to be dropped.
pub(super) struct Released<T> {
    pub(super) wakers: Few<Waker>,
    pub(super) values: Few<Arc<T>>,
    /// Wakers that are not needed any more.
    pub(super) dropped: Few<Waker>,
}

impl<T> Released<T> {
    pub(super) fn new() -> Self {
        Released { wakers: Few::new(), values: Few::new(), dropped: Few::new() }
    }

    pub(super) fn release(self) {
        self.wakers.for_each(Waker::wake);
    }
}

/// An emission for which there was no room.
struct Waiting<T> {
    ticket: u64,
    value: Arc<T>,
    waker: Waker,
}

pub(super) struct Buffer<T> {
    config: SharedConfig,
    values: VecDeque<Arc<T>>,
    start: u64,
    replay_from: u64,
    waiting: VecDeque<Waiting<T>>,
    tickets: u64,
    /// How many subscribers read next at each position from `start` on, up to the one behind the last readable value.
    readers: VecDeque<usize>,
    /// The position of the slowest subscriber; without any, that behind the last value. Kept by `settle`.
    slowest: u64,
    /// Each subscriber's next position; one below `start` has been overtaken and stands at `start`.
    pub(super) subscribers: Subscribers<u64>,
    closed: bool,
    failed: bool,
}

/// What a subscriber finds.
pub(super) enum Next<T> {
    Value(Arc<T>),
    /// One that others are still to read.
    Shared(Arc<T>),
    /// Nothing yet: it is woken when there is something. The waker that was replaced comes along.
    Waits(Option<Waker>),
    /// No value will come any more.
    Ended {
        /// Because what feeds the flow has panicked.
        failed: bool,
    },
}

/// What became of an emission.
pub(super) enum Emitted {
    Done,
    /// There is no room: it waits under this number.
    Waits(u64),
}

impl<T> Buffer<T> {
    pub(super) fn new(config: SharedConfig) -> Self {
        Buffer {
            config,
            values: VecDeque::new(),
            start: 0,
            replay_from: 0,
            waiting: VecDeque::new(),
            tickets: 0,
            readers: VecDeque::from([0]),
            slowest: 0,
            subscribers: Subscribers::new(),
            closed: false,
            failed: false,
        }
    }

    fn end(&self) -> u64 {
        self.start + self.values.len() as u64
    }

    /// Moves `slowest` on to the first position that has a reader.
    fn settle(&mut self) {
        let last = self.readers.len() - 1;
        let mut offset = self.offset(self.slowest);
        while offset < last && self.readers[offset] == 0 {
            offset += 1;
        }
        self.slowest = self.start + offset as u64;
    }

    /// Whether one more value would be too many for the slowest subscriber.
    fn is_full(&self) -> bool {
        self.subscribers.count() > 0 && self.end().saturating_sub(self.slowest) >= self.config.capacity() as u64
    }

    /// Adds a subscriber, which begins with the replay.
    pub(super) fn subscribe(&mut self) -> usize {
        self.count_reader(self.replay_from);
        self.slowest = self.slowest.min(self.replay_from);
        self.subscribers.add(self.replay_from)
    }

    /// Removes a subscriber, which may make room.
    pub(super) fn unsubscribe(&mut self, place: usize, released: &mut Released<T>) {
        if let Some((position, waker)) = self.subscribers.remove(place) {
            let offset = self.offset(position);
            self.readers[offset] -= 1;
            if let Some(waker) = waker {
                released.dropped.push(waker);
            }
            self.admit(released);
        }
    }

    /// Gives a subscriber its next value, where that lets nobody else go on: others are still to read it, or it is the last
    /// to do so and no emission waits.
    #[inline]
    pub(super) fn next_quickly(&mut self, place: usize) -> Option<Next<T>> {
        let position = self.subscribers.get_mut(place)?;
        let next = (*position).max(self.start);
        let offset = usize::try_from(next - self.start).ok()?;
        let value = self.values.get(offset)?;
        if next > self.slowest || self.readers[offset] > 1 {
            *position = next + 1;
            self.readers[offset] -= 1;
            self.readers[offset + 1] += 1;
            return Some(Next::Shared(Arc::clone(value)));
        }
        if offset > 0 || self.replay_from <= next || !self.waiting.is_empty() {
            return None;
        }
        *position = next + 1;
        self.readers.pop_front();
        self.readers[0] += 1;
        self.start += 1;
        self.slowest = self.start;
        self.values.pop_front().map(Next::Value)
    }

    /// Gives a subscriber its next value.
    pub(super) fn next(&mut self, place: usize, cx: &Context<'_>, released: &mut Released<T>) -> Next<T> {
        let Some(position) = self.subscribers.get_mut(place) else {
            return Next::Ended { failed: self.failed };
        };
        let next = (*position).max(self.start);
        let offset = usize::try_from(next - self.start).unwrap_or(usize::MAX);
        let value = match self.values.get(offset) {
            Some(value) => Arc::clone(value),
            // Without any room, from hand to hand.
            None => match self.waiting.front() {
                Some(first) if offset == 0 && self.config.capacity() == 0 => Arc::clone(&first.value),
                _ if self.closed => return Next::Ended { failed: self.failed },
                _ => return Next::Waits(self.subscribers.wait(place, cx)),
            },
        };
        *position = next + 1;
        self.readers[offset] -= 1;
        self.count_reader(next + 1);
        if self.readers[offset] == 0 && self.slowest == next {
            self.admit(released);
        }
        Next::Value(value)
    }

    /// Emits `value` where that concerns nobody yet: there is room, the oldest value is still owed, and no subscriber waits.
    /// Otherwise it gives it back.
    #[inline]
    pub(super) fn emit_quickly(&mut self, value: Arc<T>) -> Result<(), Arc<T>> {
        if self.readers[0] == 0 || self.subscribers.any_waits() || self.is_full() {
            return Err(value);
        }
        self.push(value);
        Ok(())
    }

    /// Emits `value`, or gives it back when it would have to wait for room.
    pub(super) fn try_emit(&mut self, value: Arc<T>, released: &mut Released<T>) -> Result<(), Arc<T>> {
        if self.is_full() {
            match self.config.overflow {
                Overflow::Suspend => return Err(value),
                Overflow::DropLatest => {
                    released.values.push(value);
                    return Ok(());
                }
                Overflow::DropOldest => self.overtake(),
            }
        }
        self.push(value);
        self.trim(released);
        self.subscribers.wake_all(&mut released.wakers);
        Ok(())
    }

    /// Emits `value`, or lets it wait for room.
    pub(super) fn emit(&mut self, value: Arc<T>, cx: &Context<'_>, released: &mut Released<T>) -> Emitted {
        let Err(value) = self.try_emit(value, released) else {
            return Emitted::Done;
        };
        self.tickets += 1;
        let ticket = self.tickets;
        self.waiting.push_back(Waiting { ticket, value, waker: cx.waker().clone() });
        if self.config.capacity() == 0 {
            self.subscribers.wake_all(&mut released.wakers);
        }
        Emitted::Waits(ticket)
    }

    /// Whether the emission `ticket` still waits. It is woken when it no longer does.
    pub(super) fn still_waits(&mut self, ticket: u64, cx: &Context<'_>, released: &mut Released<T>) -> bool {
        let Some(place) = self.place_of(ticket) else {
            return false;
        };
        let waker = &mut self.waiting[place].waker;
        if !waker.will_wake(cx.waker()) {
            released.dropped.push(core::mem::replace(waker, cx.waker().clone()));
        }
        true
    }

    /// Takes back the emission `ticket`.
    pub(super) fn withdraw(&mut self, ticket: u64, released: &mut Released<T>) {
        let Some(place) = self.place_of(ticket) else { return };
        if let Some(waiting) = self.waiting.remove(place) {
            released.values.push(waiting.value);
            released.dropped.push(waiting.waker);
        }
        if place == 0 && self.config.capacity() == 0 {
            // Some may have taken its value: the others go past it.
            self.pass_first();
            self.admit(released);
            self.subscribers.wake_all(&mut released.wakers);
        }
    }

    /// Empties the replay. What subscribers are owed stays.
    pub(super) fn reset_replay(&mut self, released: &mut Released<T>) {
        self.replay_from = self.end();
        self.trim(released);
    }

    /// The values that a new subscriber would get.
    pub(super) fn replay(&self) -> impl Iterator<Item = &Arc<T>> {
        self.values.iter().skip(self.offset(self.replay_from))
    }

    /// Ends the flow: subscribers get what they are owed.
    pub(super) fn close(&mut self, failed: bool, released: &mut Released<T>) {
        self.closed = true;
        self.failed = failed;
        self.subscribers.wake_all(&mut released.wakers);
    }

    fn place_of(&self, ticket: u64) -> Option<usize> {
        self.waiting.binary_search_by_key(&ticket, |waiting| waiting.ticket).ok()
    }

    fn offset(&self, position: u64) -> usize {
        usize::try_from(position.saturating_sub(self.start)).unwrap_or(usize::MAX)
    }

    fn count_reader(&mut self, position: u64) {
        let offset = self.offset(position);
        while self.readers.len() <= offset {
            self.readers.push_back(0);
        }
        self.readers[offset] += 1;
    }

    fn push(&mut self, value: Arc<T>) {
        self.values.push_back(value);
        while self.readers.len() <= self.values.len() {
            self.readers.push_back(0);
        }
        let replay = self.config.replay as u64;
        self.replay_from = self.replay_from.max(self.end().saturating_sub(replay));
    }

    /// Lets the slowest subscribers lose the oldest value that they are owed.
    fn overtake(&mut self) {
        let offset = self.offset(self.slowest);
        let overtaken = core::mem::take(&mut self.readers[offset]);
        self.readers[offset + 1] += overtaken;
        self.settle();
    }

    /// Drops the values that nobody is owed.
    fn trim(&mut self, released: &mut Released<T>) {
        self.settle();
        let keep_from = self.slowest.min(self.replay_from);
        while self.start < keep_from {
            let Some(value) = self.values.pop_front() else { break };
            released.values.push(value);
            self.readers.pop_front();
            self.start += 1;
        }
    }

    /// Lets waiting emissions in, as far as there is room.
    fn admit(&mut self, released: &mut Released<T>) {
        self.settle();
        let before = self.end();
        if self.config.capacity() == 0 {
            while !self.waiting.is_empty() && (self.subscribers.count() == 0 || self.slowest > self.end()) {
                if let Some(done) = self.waiting.pop_front() {
                    released.wakers.push(done.waker);
                    released.values.push(done.value);
                }
                self.pass_first();
            }
        } else {
            while !self.waiting.is_empty() && !self.is_full() {
                if let Some(admitted) = self.waiting.pop_front() {
                    released.wakers.push(admitted.waker);
                    self.push(admitted.value);
                    self.trim(released);
                }
            }
        }
        self.trim(released);
        if self.end() > before {
            self.subscribers.wake_all(&mut released.wakers);
        }
    }

    /// Goes past the position of the first waiting emission, in a flow without room.
    fn pass_first(&mut self) {
        let behind = self.readers.pop_front().unwrap_or(0);
        if self.readers.is_empty() {
            self.readers.push_back(0);
        }
        self.readers[0] += behind;
        self.start += 1;
        self.replay_from = self.start;
        self.slowest = self.slowest.max(self.start);
        self.settle();
    }
}
