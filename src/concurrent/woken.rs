use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::task::Wake;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};
use core::task::{Context, Waker};
use std::sync::{Mutex, PoisonError};

/// The sources that are to be polled, in the order in which they woke.
///
/// Each source is polled with a waker of its own, which notes the source here and wakes the task. A waker belongs to a
/// place, not to the source that stands there, so one that outlives its source wakes the next one needlessly, and that
/// is all.
pub(crate) struct WokenSet {
    shared: Arc<Shared>,
    places: Vec<Place>,
    ready: VecDeque<usize>,
}

struct Place {
    source: Arc<SourceWaker>,
    waker: Waker,
}

struct Shared {
    inner: Mutex<Inner>,
}

struct Inner {
    woken: VecDeque<usize>,
    /// The task's waker, until it is used.
    task: Option<Waker>,
}

struct SourceWaker {
    index: usize,
    /// Whether the source is in `woken` or in `ready`.
    listed: AtomicBool,
    shared: Arc<Shared>,
}

impl Wake for SourceWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.listed.swap(true, Ordering::AcqRel) {
            let task = self.shared.with(|inner| {
                inner.woken.push_back(self.index);
                inner.task.take()
            });
            if let Some(task) = task {
                task.wake();
            }
        }
    }
}

impl Shared {
    fn with<R>(&self, access: impl FnOnce(&mut Inner) -> R) -> R {
        // Nothing that can panic runs under the lock, so a poisoned one is whole.
        access(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl WokenSet {
    pub(crate) fn new() -> Self {
        let inner = Mutex::new(Inner { woken: VecDeque::new(), task: None });
        WokenSet { shared: Arc::new(Shared { inner }), places: Vec::new(), ready: VecDeque::new() }
    }

    /// Lists the source at `index`, as one that is ready.
    pub(crate) fn push(&mut self, index: usize) {
        while self.places.len() <= index {
            let source = Arc::new(SourceWaker {
                index: self.places.len(),
                listed: AtomicBool::new(false),
                shared: Arc::clone(&self.shared),
            });
            self.places.push(Place { waker: Waker::from(Arc::clone(&source)), source });
        }
        if !self.places[index].source.listed.swap(true, Ordering::AcqRel) {
            self.ready.push_back(index);
        }
    }

    /// Has the task of `cx` woken from now on, and lists the sources that have woken since.
    pub(crate) fn gather(&mut self, cx: &Context<'_>) {
        let ready = &mut self.ready;
        let known = self.shared.with(|inner| {
            ready.append(&mut inner.woken);
            inner.task.as_ref().is_some_and(|task| task.will_wake(cx.waker()))
        });
        if !known {
            // A waker is cloned and dropped outside of the lock. What wakes meanwhile finds none, so it is gathered here.
            let task = cx.waker().clone();
            let _replaced = self.shared.with(|inner| {
                ready.append(&mut inner.woken);
                inner.task.replace(task)
            });
        }
    }

    /// How many sources are listed.
    pub(crate) fn len(&self) -> usize {
        self.ready.len()
    }

    /// The next source that is to be polled, with the waker for it.
    pub(crate) fn pop(&mut self) -> Option<(usize, &Waker)> {
        let index = self.ready.pop_front()?;
        let place = &self.places[index];
        place.source.listed.store(false, Ordering::Release);
        Some((index, &place.waker))
    }

    /// Forgets which sources have woken.
    pub(crate) fn clear(&mut self) {
        let ready = &mut self.ready;
        self.shared.with(|inner| ready.append(&mut inner.woken));
        while self.pop().is_some() {}
    }
}
