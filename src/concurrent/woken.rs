use alloc::sync::Arc;
use alloc::task::Wake;
use alloc::vec::Vec;
use core::mem;
use core::task::{Context, Waker};
use std::sync::PoisonError;

#[cfg(coldflow_loom)]
use loom::sync::{
    Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
#[cfg(not(coldflow_loom))]
use {
    core::sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    std::sync::Mutex,
};

/// How many places a word has room for: four bits for each in a queue, and one that tells whether it is there. Four more
/// are enough to count them.
const FEW: usize = (usize::BITS as usize - 4) / 5;

/// The sources that are to be polled, in the order in which they woke.
///
/// Each source is polled with a waker of its own, which notes the source here and wakes the task. A waker belongs to a
/// place, not to the source that stands there, so one that outlives its source wakes the next one needlessly, and that
/// is all.
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
            WokenSet::Few(few) => few.ready.push(index),
            WokenSet::Many(many) => many.push(index),
        }
    }

    /// Has the task of `cx` woken from now on, and lists the sources that have woken since.
    #[inline]
    pub(crate) fn gather(&mut self, cx: &Context<'_>) {
        match self {
            WokenSet::Few(few) => few.gather(cx),
            WokenSet::Many(many) => many.gather(cx),
        }
    }

    /// How many sources are listed.
    pub(crate) fn len(&self) -> usize {
        match self {
            WokenSet::Few(few) => few.ready.len(),
            WokenSet::Many(many) => many.ready.len,
        }
    }

    /// The next source that is to be polled, with the waker for it.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(usize, &Waker)> {
        match self {
            WokenSet::Few(few) => few.pop(),
            WokenSet::Many(many) => many.ready.pop(),
        }
    }

    /// Forgets which sources have woken.
    pub(crate) fn clear(&mut self) {
        match self {
            WokenSet::Few(few) => few.clear(),
            WokenSet::Many(many) => many.clear(),
        }
    }
}

/// A queue of a few places, each in it once, in one word: four bits for each place, the first in the lowest; above them
/// a bit for each place that is there; and above those, how many there are.
#[derive(Clone, Copy, Default)]
struct Word(usize);

impl Word {
    const QUEUE: usize = (1 << (4 * FEW)) - 1;
    const ONE_MORE: usize = 1 << (5 * FEW);

    #[inline]
    fn bit(index: usize) -> usize {
        1 << (4 * FEW + index)
    }

    #[inline]
    fn len(self) -> usize {
        self.0 / Self::ONE_MORE
    }

    #[inline]
    fn push(&mut self, index: usize) {
        if self.0 & Self::bit(index) == 0 {
            self.0 = (self.0 | Self::bit(index) | index << (4 * self.len())) + Self::ONE_MORE;
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let index = self.0 & 15;
        let above = (self.0 & !Self::QUEUE) - Self::ONE_MORE - Self::bit(index);
        self.0 = (self.0 & Self::QUEUE) >> 4 | above;
        Some(index)
    }
}

/// A few sources, whose queues are words: the one that their wakers share needs no lock.
///
/// The wakers hold that of the task. When the task changes, all sources get new wakers and a new queue to share, and are
/// polled.
pub(crate) struct Few {
    sources: usize,
    ready: Word,
    woken: Arc<AtomicUsize>,
    wakers: Vec<Waker>,
    task: Option<Waker>,
}

struct FewWaker {
    index: usize,
    woken: Arc<AtomicUsize>,
    task: Waker,
}

impl Wake for FewWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut before = self.woken.load(Ordering::Relaxed);
        loop {
            let mut woken = Word(before);
            woken.push(self.index);
            // It is written in any case: whoever reads it takes over what was written before this wake.
            match self.woken.compare_exchange_weak(before, woken.0, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => break,
                Err(now) => before = now,
            }
        }
        // Otherwise the task has been woken and has not looked yet.
        if before == 0 {
            self.task.wake_by_ref();
        }
    }
}

impl Few {
    fn new(sources: usize) -> Self {
        let woken = Arc::new(AtomicUsize::new(0));
        Few { sources, ready: Word(0), woken, wakers: Vec::new(), task: None }
    }

    #[inline]
    fn gather(&mut self, cx: &Context<'_>) {
        if !self.task.as_ref().is_some_and(|task| task.will_wake(cx.waker())) {
            self.change_task(cx.waker());
        } else if self.woken.load(Ordering::Acquire) != 0 {
            self.take_woken();
        }
    }

    fn take_woken(&mut self) {
        let mut woken = Word(self.woken.swap(0, Ordering::AcqRel));
        if self.ready.0 == 0 {
            self.ready = woken;
            return;
        }
        while let Some(index) = woken.pop() {
            self.ready.push(index);
        }
    }

    #[cold]
    fn change_task(&mut self, task: &Waker) {
        self.take_woken();
        self.woken = Arc::new(AtomicUsize::new(0));
        self.wakers.clear();
        for index in 0..self.sources {
            let waker = FewWaker { index, woken: Arc::clone(&self.woken), task: task.clone() };
            self.wakers.push(Waker::from(Arc::new(waker)));
            self.ready.push(index);
        }
        self.task = Some(task.clone());
    }

    #[inline]
    fn pop(&mut self) -> Option<(usize, &Waker)> {
        let index = self.ready.pop()?;
        Some((index, &self.wakers[index]))
    }

    fn clear(&mut self) {
        self.woken.swap(0, Ordering::AcqRel);
        self.ready = Word(0);
    }
}

/// Many sources, or as many as will come: their wakers share a list.
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

    use loom::sync::Mutex;
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

    /// Both kinds.
    const SETS: [fn(usize) -> WokenSet; 2] = [WokenSet::of, |_| WokenSet::new()];

    /// A set whose sources were polled once, with their wakers.
    fn polled(mut set: WokenSet, sources: usize, task: &Waker) -> (WokenSet, Vec<Waker>) {
        if let WokenSet::Few(_) = set {
            set.gather(&Context::from_waker(task));
        }
        set.begin(sources);
        let wakers = (0..sources).map(|_| set.pop().expect("it was pushed").1.clone()).collect();
        (set, wakers)
    }

    /// Polls the sources that are listed: which of them find their event, that no lock protects.
    fn poll(set: &mut WokenSet, task: &Waker, events: &[Arc<AtomicBool>], found: &mut [bool]) {
        set.gather(&Context::from_waker(task));
        while let Some((index, _)) = set.pop() {
            found[index] |= events[index].load(Ordering::Relaxed);
        }
    }

    fn events(count: usize) -> Vec<Arc<AtomicBool>> {
        (0..count).map(|_| Arc::new(AtomicBool::new(false))).collect()
    }

    #[test]
    fn loom_a_wake_while_the_source_is_listed_is_not_lost() {
        for make in SETS {
            loom::model(move || {
                let (task, task_waker) = Task::new();
                let (mut set, wakers) = polled(make(1), 1, &task_waker);
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
    }

    #[test]
    fn loom_wakes_from_two_threads_reach_the_task() {
        for make in SETS {
            loom::model(move || {
                let (task, task_waker) = Task::new();
                let (mut set, wakers) = polled(make(2), 2, &task_waker);
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
    }

    #[test]
    fn loom_a_wake_while_the_task_changes_reaches_the_new_one() {
        loom::model(|| {
            let (mut set, wakers) = polled(WokenSet::new(), 1, Waker::noop());
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

    /// Few sources are polled again by the new task, and then wake that one.
    #[test]
    fn loom_a_wake_of_a_few_while_the_task_changes_reaches_the_new_one() {
        /// What the source is polled for, and the waker of its last poll.
        type Source = Arc<Mutex<(bool, Option<Waker>)>>;

        fn poll(set: &mut WokenSet, task: &Waker, source: &Source) -> bool {
            set.gather(&Context::from_waker(task));
            let Some((_, waker)) = set.pop() else { return false };
            let mut source = source.lock().unwrap();
            source.1 = Some(waker.clone());
            source.0
        }

        loom::model(|| {
            let ((_, old_waker), (task, task_waker)) = (Task::new(), Task::new());
            let source = Source::default();
            let mut set = WokenSet::of(1);
            poll(&mut set, &old_waker, &source);
            let waking = thread::spawn({
                let source = Arc::clone(&source);
                move || {
                    let mut source = source.lock().unwrap();
                    source.0 = true;
                    let waker = source.1.take();
                    drop(source);
                    waker.unwrap().wake();
                }
            });
            let found = poll(&mut set, &task_waker, &source);
            waking.join().unwrap();
            if !found {
                assert!(task.woken(), "the event is there and the new task does not know");
                assert!(poll(&mut set, &task_waker, &source));
            }
        });
    }
}
