use alloc::vec::Vec;
use core::mem;
use core::task::{Context, Waker};

use super::few::Few;

/// Who has subscribed, each with what it has of its own, and who of them waits.
pub(super) struct Subscribers<S> {
    places: Vec<Place<S>>,
    vacant: Vec<usize>,
    /// The places that may hold a waker: a wake costs what waits, not what exists.
    waiting: Vec<usize>,
    count: usize,
}

struct Place<S> {
    subscriber: Option<S>,
    waker: Option<Waker>,
    /// Whether it is in `waiting`.
    listed: bool,
}

impl<S> Subscribers<S> {
    pub(super) fn new() -> Self {
        Subscribers { places: Vec::new(), vacant: Vec::new(), waiting: Vec::new(), count: 0 }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Adds a subscriber, and gives its place.
    pub(super) fn add(&mut self, subscriber: S) -> usize {
        self.count += 1;
        let place = self.vacant.pop().unwrap_or_else(|| {
            self.places.push(Place { subscriber: None, waker: None, listed: false });
            self.places.len() - 1
        });
        self.places[place].subscriber = Some(subscriber);
        place
    }

    /// Removes the subscriber at `place`. Its waker is dropped by the caller, outside of the lock.
    pub(super) fn remove(&mut self, place: usize) -> Option<(S, Option<Waker>)> {
        let slot = &mut self.places[place];
        let subscriber = slot.subscriber.take()?;
        let waker = slot.waker.take();
        self.count -= 1;
        self.vacant.push(place);
        Some((subscriber, waker))
    }

    pub(super) fn get_mut(&mut self, place: usize) -> Option<&mut S> {
        self.places[place].subscriber.as_mut()
    }

    /// Has the subscriber at `place` woken by the next [`wake_all`](Self::wake_all). Gives back the waker that this replaces.
    pub(super) fn wait(&mut self, place: usize, cx: &Context<'_>) -> Option<Waker> {
        let slot = &mut self.places[place];
        if slot.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            return None;
        }
        if !mem::replace(&mut slot.listed, true) {
            self.waiting.push(place);
        }
        slot.waker.replace(cx.waker().clone())
    }

    /// Whether there may be somebody for [`wake_all`](Self::wake_all) to wake.
    pub(super) fn any_waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Moves the wakers of all who wait into `wakers`.
    pub(super) fn wake_all(&mut self, wakers: &mut Few<Waker>) {
        for place in self.waiting.drain(..) {
            let slot = &mut self.places[place];
            slot.listed = false;
            if let Some(waker) = slot.waker.take() {
                wakers.push(waker);
            }
        }
    }
}
