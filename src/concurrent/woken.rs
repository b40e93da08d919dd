use alloc::sync::Arc;
use alloc::task::Wake;
use alloc::vec::Vec;
use core::mem;
use core::task::{Context, Waker};
use std::sync::PoisonError;

#[cfg(coldflow_loom)]
use loom::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering},
};
#[cfg(not(coldflow_loom))]
use {
    core::sync::atomic::{AtomicBool, Ordering},
    std::sync::Mutex,
};

/// So many sources are polled at every wake: that is cheaper than to know which of them has woken.
const FEW: usize = 4;

/// The sources that are to be polled.
///
/// A few sources that are all there from the start share the task's own waker, and take turns. Of many, each is polled
/// with a waker of its own, so they come in the order in which they woke, and a wake costs the same however many there
/// are.
pub(crate) enum WokenSet {
    Few(Few),
    Many(Many),
}

impl WokenSet {
    /// For sources that come and go.
    pub(crate) fn new() -> Self {
        WokenSet::Many(Many::new())
    }

    /// For so many sources.
    pub(crate) fn of(sources: usize) -> Self {
        if sources <= FEW { WokenSet::Few(Few::new(sources)) } else { WokenSet::new() }
    }

    /// Lists the first so many sources, as those that begin.
    pub(crate) fn begin(&mut self, sources: usize) {
        if let WokenSet::Many(many) = self {
            many.grow(sources);
        }
        (0..sources).for_each(|index| self.push(index));
    }

    /// Lists the source at `index`, as one that is ready.
    #[inline]
    pub(crate) fn push(&mut self, index: usize) {
        match self {
            WokenSet::Few(few) => few.push(index),
            WokenSet::Many(many) => many.push(index),
        }
    }

    /// Has the task of `cx` woken from now on, and lists the sources that have woken since.
    #[inline]
    pub(crate) fn gather(&mut self, cx: &Context<'_>) {
        match self {
            WokenSet::Few(few) => few.gather(),
            WokenSet::Many(many) => many.gather(cx),
        }
    }

    /// How many sources are listed.
    pub(crate) fn len(&self) -> usize {
        match self {
            WokenSet::Few(few) => few.len / 4,
            WokenSet::Many(many) => many.ready.len,
        }
    }

    /// The next source that is to be polled, with the waker for it, which may be that of the task.
    #[inline]
    pub(crate) fn pop<'a>(&'a mut self, task: &'a Waker) -> Option<(usize, &'a Waker)> {
        match self {
            WokenSet::Few(few) => few.pop().map(|index| (index, task)),
            WokenSet::Many(many) => many.ready.pop(),
        }
    }

    /// Forgets which sources have woken.
    pub(crate) fn clear(&mut self) {
        match self {
            WokenSet::Few(few) => while few.pop().is_some() {},
            WokenSet::Many(many) => many.clear(),
        }
    }
}

/// A few sources. Those that are known to be ready come in that order, then the others, which may have woken.
pub(crate) struct Few {
    all: usize,
    /// Those in the queue, as bits.
    listed: usize,
    /// The queue: four bits for each source, the first in the lowest.
    queue: usize,
    /// How many bits it has.
    len: usize,
}

impl Few {
    fn new(sources: usize) -> Self {
        Few { all: (1 << sources) - 1, listed: 0, queue: 0, len: 0 }
    }

    #[inline]
    fn push(&mut self, index: usize) {
        if self.listed & (1 << index) == 0 {
            self.listed |= 1 << index;
            self.queue |= index << self.len;
            self.len += 4;
        }
    }

    #[inline]
    fn gather(&mut self) {
        while self.listed != self.all {
            self.push((self.all & !self.listed).trailing_zeros() as usize);
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<usize> {
        self.len = self.len.checked_sub(4)?;
        let index = self.queue & 15;
        self.queue >>= 4;
        self.listed ^= 1 << index;
        Some(index)
    }
}

/// Many sources, each with a waker of its own, which notes the source here and wakes the task.
///
/// A waker belongs to a place, not to the source that stands there, so one that outlives its source wakes the next one
/// needlessly, and that is all.
pub(crate) struct Many {
    shared: Arc<Shared>,
    ready: Queue,
    /// Whose waker has been left in `shared`.
    task: Option<Waker>,
}

/// The sources that are ready, linked through their places.
struct Queue {
    places: Vec<Place>,
    first: usize,
    last: usize,
    len: usize,
}

struct Place {
    waker: Waker,
    /// Whether the source is in the queue.
    ready: bool,
    /// The one behind it there.
    next: usize,
}

struct Shared {
    /// Whether any source has woken. It is written under the lock; while it is false, the task's waker is in place.
    any: AtomicBool,
    inner: Mutex<Inner>,
}

struct Inner {
    /// The sources that have woken, in order.
    woken: Vec<usize>,
    /// Of each source, whether it is among them.
    listed: Vec<bool>,
    /// The task's waker, until it is used.
    task: Option<Waker>,
}

struct SourceWaker {
    index: usize,
    shared: Arc<Shared>,
}

impl Wake for SourceWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let Self { index, shared } = &**self;
        let task = shared.with(|inner| {
            if mem::replace(&mut inner.listed[*index], true) {
                return None;
            }
            inner.woken.push(*index);
            shared.any.store(true, Ordering::Release);
            inner.task.take()
        });
        if let Some(task) = task {
            task.wake();
        }
    }
}

impl Shared {
    #[inline]
    fn with<R>(&self, access: impl FnOnce(&mut Inner) -> R) -> R {
        // Nothing that can panic runs under the lock, so a poisoned one is whole.
        access(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Many {
    fn new() -> Self {
        let inner = Mutex::new(Inner { woken: Vec::new(), listed: Vec::new(), task: None });
        let shared = Arc::new(Shared { any: AtomicBool::new(false), inner });
        let ready = Queue { places: Vec::new(), first: 0, last: 0, len: 0 };
        Many { shared, ready, task: None }
    }

    /// Makes so many places.
    #[cold]
    fn grow(&mut self, len: usize) {
        let places = &mut self.ready.places;
        places.reserve(len.saturating_sub(places.len()));
        for index in places.len()..len {
            let waker = Waker::from(Arc::new(SourceWaker { index, shared: Arc::clone(&self.shared) }));
            places.push(Place { waker, ready: false, next: 0 });
        }
        self.shared.with(|inner| inner.listed.resize(places.len(), false));
    }

    #[inline]
    fn push(&mut self, index: usize) {
        if self.ready.places.len() <= index {
            self.grow(index + 1);
        }
        self.ready.push(index);
    }

    #[inline]
    fn gather(&mut self, cx: &Context<'_>) {
        let known = self.task.as_ref().is_some_and(|task| task.will_wake(cx.waker()));
        // A source that wakes after this look finds the task's waker and wakes it, so the next look sees it.
        if !known || self.shared.any.load(Ordering::Acquire) {
            if !known {
                self.task = Some(cx.waker().clone());
            }
            self.take_woken(self.task.clone());
        }
    }

    /// Lists the sources that have woken, and leaves the waker for those that will.
    fn take_woken(&mut self, task: Option<Waker>) {
        let Many { shared, ready, .. } = self;
        // A waker is cloned and dropped outside of the lock.
        let _replaced = shared.with(|inner| {
            for index in inner.woken.drain(..) {
                inner.listed[index] = false;
                ready.push(index);
            }
            shared.any.store(false, Ordering::Relaxed);
            mem::replace(&mut inner.task, task)
        });
    }

    fn clear(&mut self) {
        // No waker is left behind, so the next gathering has to bring one.
        self.task = None;
        self.take_woken(None);
        while self.ready.pop().is_some() {}
    }
}

impl Queue {
    #[inline]
    fn push(&mut self, index: usize) {
        if mem::replace(&mut self.places[index].ready, true) {
            return;
        }
        if self.len == 0 {
            self.first = index;
        } else {
            self.places[self.last].next = index;
        }
        self.last = index;
        self.len += 1;
    }

    #[inline]
    fn pop(&mut self) -> Option<(usize, &Waker)> {
        self.len = self.len.checked_sub(1)?;
        let index = self.first;
        let place = &mut self.places[index];
        place.ready = false;
        self.first = place.next;
        Some((index, &place.waker))
    }
}

#[cfg(all(test, coldflow_loom))]
mod loom_tests {
    use alloc::sync::Arc;
    use alloc::vec::Vec;
    use core::task::{Context, Waker};

    use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use loom::thread;

    use super::{Wake, WokenSet};

    struct Task(AtomicUsize);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    impl Task {
        fn new() -> (Arc<Self>, Waker) {
            let task = Arc::new(Task(AtomicUsize::new(0)));
            (Arc::clone(&task), Waker::from(task))
        }

        fn woken(&self) -> bool {
            self.0.swap(0, Ordering::SeqCst) > 0
        }
    }

    /// A set whose sources were polled once, with their wakers.
    fn polled(sources: usize) -> (WokenSet, Vec<Waker>) {
        let mut set = WokenSet::new();
        (0..sources).for_each(|index| set.push(index));
        let wakers = (0..sources).map(|_| set.pop(Waker::noop()).expect("it was pushed").1.clone()).collect();
        (set, wakers)
    }

    /// Polls the sources that are listed: which of them find their event, that no lock protects.
    fn poll(set: &mut WokenSet, task: &Waker, events: &[Arc<AtomicBool>], found: &mut [bool]) {
        set.gather(&Context::from_waker(task));
        while let Some((index, _)) = set.pop(Waker::noop()) {
            found[index] |= events[index].load(Ordering::Relaxed);
        }
    }

    fn events(count: usize) -> Vec<Arc<AtomicBool>> {
        (0..count).map(|_| Arc::new(AtomicBool::new(false))).collect()
    }

    #[test]
    fn loom_a_wake_while_the_source_is_listed_is_not_lost() {
        loom::model(|| {
            let (mut set, wakers) = polled(1);
            let (task, task_waker) = Task::new();
            let events = events(1);
            let mut found = [false];
            set.push(0);
            let event = Arc::clone(&events[0]);
            let waking = thread::spawn(move || {
                event.store(true, Ordering::Relaxed);
                wakers[0].wake_by_ref();
            });
            poll(&mut set, &task_waker, &events, &mut found);
            waking.join().unwrap();
            if !found[0] {
                assert!(task.woken(), "the event is there and nobody knows");
                poll(&mut set, &task_waker, &events, &mut found);
                assert!(found[0]);
            }
        });
    }

    #[test]
    fn loom_wakes_from_two_threads_reach_the_task() {
        loom::model(|| {
            let (mut set, wakers) = polled(2);
            let (task, task_waker) = Task::new();
            let events = events(2);
            let mut found = [false; 2];
            set.gather(&Context::from_waker(&task_waker));
            let waking: Vec<_> = wakers
                .into_iter()
                .zip(&events)
                .map(|(waker, event)| {
                    let event = Arc::clone(event);
                    thread::spawn(move || {
                        event.store(true, Ordering::Relaxed);
                        waker.wake();
                    })
                })
                .collect();
            poll(&mut set, &task_waker, &events, &mut found);
            waking.into_iter().for_each(|thread| thread.join().unwrap());
            if found != [true; 2] {
                assert!(task.woken(), "an event is there and nobody knows");
                poll(&mut set, &task_waker, &events, &mut found);
            }
            assert_eq!(found, [true; 2]);
        });
    }

    #[test]
    fn loom_a_wake_while_the_task_changes_reaches_the_new_one() {
        loom::model(|| {
            let (mut set, wakers) = polled(1);
            let ((_, old_waker), (task, task_waker)) = (Task::new(), Task::new());
            let events = events(1);
            let mut found = [false];
            set.gather(&Context::from_waker(&old_waker));
            let event = Arc::clone(&events[0]);
            let waking = thread::spawn(move || {
                event.store(true, Ordering::Relaxed);
                wakers[0].wake_by_ref();
            });
            poll(&mut set, &task_waker, &events, &mut found);
            waking.join().unwrap();
            if !found[0] {
                assert!(task.woken(), "the event is there and the new task does not know");
                poll(&mut set, &task_waker, &events, &mut found);
                assert!(found[0]);
            }
        });
    }
}
