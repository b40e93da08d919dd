use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::task::Wake;
use alloc::vec::Vec;
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
        // A swap, not a store: it takes over what was written before a wake that still found the source listed.
        place.source.listed.swap(false, Ordering::AcqRel);
        Some((index, &place.waker))
    }

    /// Forgets which sources have woken.
    pub(crate) fn clear(&mut self) {
        let ready = &mut self.ready;
        self.shared.with(|inner| ready.append(&mut inner.woken));
        while self.pop().is_some() {}
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
