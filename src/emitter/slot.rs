//! The cell between a body and the stream that polls it: one value, one flag, no lock.
//!
//! The body runs inside the stream's own poll, so in ordinary use both ends are on one thread and take turns. An
//! emitter can be moved elsewhere, though, and nothing may then go wrong in memory. So the cell is a single-producer,
//! single-consumer slot: `full` says whose turn it is. While it is empty the cells belong to the [`Sender`], while it
//! is full to the [`Receiver`]; each end writes the flag only to give the cells away, with release, and reads it with
//! acquire before touching the cells. There is one sender at most and one receiver, neither can be cloned, and their
//! methods take `&mut self`.
//!
//! This file is the crate's only unsafe code.

#![allow(unsafe_code)]

use core::mem::MaybeUninit;
use core::task::Waker;

#[cfg(coldflow_loom)]
use loom::{
    cell::UnsafeCell,
    sync::Arc,
    sync::atomic::{AtomicU8, AtomicUsize, Ordering},
};
#[cfg(not(coldflow_loom))]
use {
    alloc::sync::Arc,
    core::cell::UnsafeCell,
    core::sync::atomic::{AtomicU8, AtomicUsize, Ordering},
};

/// A value on its way, with the waker of the emission when only that reaches it.
pub(super) struct Parcel<T> {
    pub(super) value: T,
    pub(super) waker: Option<Waker>,
}

/// What [`Slot::full`] tells: nothing, a value, a value with a waker.
const EMPTY: u8 = 0;
const VALUE: u8 = 1;
const VALUE_AND_WAKER: u8 = 2;

struct Slot<T> {
    full: AtomicU8,
    /// Initialised unless `full` is `EMPTY`.
    value: UnsafeCell<MaybeUninit<T>>,
    /// There is one when `full` is `VALUE_AND_WAKER`. It stands apart, since hardly any emission needs it.
    waker: UnsafeCell<Option<Waker>>,
    /// The address of the waker that the body is being polled with; 0 while it is not.
    polled_with: AtomicUsize,
}

// SAFETY: the cells are reached only by the end whose turn it is, as told by `full`, so a `&Slot` shared by two threads
// never gives both access to them at once; a value (and the waker) moves from one thread to the other, hence `Send`.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T> Slot<T> {
    fn new() -> Arc<Self> {
        Arc::new(Slot {
            full: AtomicU8::new(EMPTY),
            value: UnsafeCell::new(MaybeUninit::uninit()),
            waker: UnsafeCell::new(None),
            polled_with: AtomicUsize::new(0),
        })
    }
}

impl<T> Drop for Slot<T> {
    fn drop(&mut self) {
        if self.full.load(Ordering::Acquire) != EMPTY {
            // SAFETY: it is not empty, so the value is initialised, and `&mut self` makes this the only access.
            with_mut(&self.value, |value| unsafe { (*value).assume_init_drop() });
        }
    }
}

/// The emitter's end.
pub(super) struct Sender<T> {
    slot: Arc<Slot<T>>,
}

impl<T> Sender<T> {
    /// Whether `waker` is the one that the body is being polled with: then whoever polls the stream reaches the caller
    /// too. If not, an executor within the body polls it, or it is not polled by the body at all.
    #[inline]
    pub(super) fn is_polled_with(&self, waker: &Waker) -> bool {
        self.slot.polled_with.load(Ordering::Relaxed) == address(waker)
    }

    /// Whether the body is being polled at all.
    pub(super) fn is_polled(&self) -> bool {
        self.slot.polled_with.load(Ordering::Relaxed) != 0
    }

    /// The place for a value, unless one is still to be taken.
    #[inline]
    pub(super) fn vacancy(&mut self) -> Option<Vacancy<'_, T>> {
        if self.slot.full.load(Ordering::Acquire) == EMPTY { Some(Vacancy { slot: &self.slot }) } else { None }
    }
}

/// The slot while it is empty: the right to fill it. It keeps its sender borrowed, so there is one at most.
pub(super) struct Vacancy<'a, T> {
    slot: &'a Slot<T>,
}

impl<T> Vacancy<'_, T> {
    /// Hands `value` over.
    #[inline]
    pub(super) fn put(self, value: T, waker: Option<Waker>) {
        let full = if waker.is_some() { VALUE_AND_WAKER } else { VALUE };
        // SAFETY: the slot was empty when this was made, and only the sender, which is borrowed until this is gone,
        // fills it. So the cells are the sender's, and this is the only access of its end. Nothing is overwritten that
        // would have to be dropped: the receiver has read the value, and taken the waker, before it gave them away.
        unsafe {
            with_mut(&self.slot.value, |cell| (*cell).write(value));
            if waker.is_some() {
                with_mut(&self.slot.waker, |cell| *cell = waker);
            }
        }
        self.slot.full.store(full, Ordering::Release);
    }
}

/// While it is there, the body is being polled.
pub(super) struct Entered<'a, T>(&'a Slot<T>);

impl<T> Drop for Entered<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.polled_with.store(0, Ordering::Relaxed);
    }
}

/// The stream's end.
pub(super) struct Receiver<T> {
    slot: Arc<Slot<T>>,
}

impl<T> Receiver<T> {
    pub(super) fn new() -> Self {
        Receiver { slot: Slot::new() }
    }

    /// Makes the sender for a run of the body. A value left from an earlier run is dropped; if a sender of an earlier
    /// run is still about, that one is cut off.
    pub(super) fn sender(&mut self) -> Sender<T> {
        if Arc::get_mut(&mut self.slot).is_none() {
            self.slot = Slot::new();
        }
        drop(self.take());
        Sender { slot: Arc::clone(&self.slot) }
    }

    /// Notes that the body is polled with `waker` until what this returns is dropped, also by a panic of the body.
    #[inline]
    pub(super) fn enter(&mut self, waker: &Waker) -> Entered<'_, T> {
        self.slot.polled_with.store(address(waker), Ordering::Relaxed);
        Entered(&self.slot)
    }

    /// Takes the value, if there is one.
    #[inline]
    pub(super) fn take(&mut self) -> Option<Parcel<T>> {
        let full = self.slot.full.load(Ordering::Acquire);
        if full == EMPTY {
            return None;
        }
        // SAFETY: it is not empty, so the value is initialised and the cells are the receiver's, and `&mut self` makes
        // this the only access of its end. The store below gives the value's memory away, so it is read once.
        let parcel = unsafe {
            let value = with_mut(&self.slot.value, |cell| (*cell).assume_init_read());
            let waker = if full == VALUE_AND_WAKER { with_mut(&self.slot.waker, |cell| (*cell).take()) } else { None };
            Parcel { value, waker }
        };
        self.slot.full.store(EMPTY, Ordering::Release);
        Some(parcel)
    }
}

/// Where the waker lies, which is never 0. No two that are alive at once share it, so that one with the same address is
/// the same; a clone has another.
fn address(waker: &Waker) -> usize {
    core::ptr::from_ref(waker).addr()
}

#[cfg(coldflow_loom)]
fn with_mut<T, R>(cell: &UnsafeCell<T>, access: impl FnOnce(*mut T) -> R) -> R {
    cell.with_mut(access)
}

#[cfg(not(coldflow_loom))]
#[inline]
fn with_mut<T, R>(cell: &UnsafeCell<T>, access: impl FnOnce(*mut T) -> R) -> R {
    access(cell.get())
}

#[cfg(all(test, coldflow_loom))]
mod loom_tests {
    use alloc::boxed::Box;
    use core::sync::atomic::{AtomicUsize, Ordering};
    use core::task::Waker;

    use loom::thread;

    use super::{Receiver, Sender};

    /// Counts its drops. The count is not loom's: it is looked at, and does not take part.
    struct Counted(alloc::sync::Arc<AtomicUsize>);

    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn counted() -> (impl Fn() -> Counted, impl Fn() -> usize) {
        let drops = alloc::sync::Arc::new(AtomicUsize::new(0));
        let made = alloc::sync::Arc::clone(&drops);
        (move || Counted(alloc::sync::Arc::clone(&made)), move || drops.load(Ordering::Relaxed))
    }

    /// Puts a value when its turn has come, as an emission that is polled again and again does.
    fn put<T>(sender: &mut Sender<T>, value: T) {
        loop {
            if let Some(vacancy) = sender.vacancy() {
                return vacancy.put(value, None);
            }
            thread::yield_now();
        }
    }

    fn take<T>(receiver: &mut Receiver<T>) -> T {
        loop {
            if let Some(parcel) = receiver.take() {
                return parcel.value;
            }
            thread::yield_now();
        }
    }

    #[test]
    fn values_come_once_and_in_order() {
        loom::model(|| {
            let mut receiver = Receiver::new();
            let mut sender = receiver.sender();
            let sending = thread::spawn(move || {
                for value in 0..3 {
                    put(&mut sender, Box::new(value));
                }
            });
            for value in 0..3 {
                assert_eq!(*take(&mut receiver), value);
            }
            sending.join().unwrap();
            assert!(receiver.take().is_none());
        });
    }

    #[test]
    fn a_value_is_dropped_once_whichever_end_goes_last() {
        loom::model(|| {
            let (value, drops) = counted();
            let mut receiver = Receiver::new();
            let mut sender = receiver.sender();
            let sending = thread::spawn(move || put(&mut sender, value()));
            drop(receiver);
            sending.join().unwrap();
            assert_eq!(drops(), 1);
        });
    }

    #[test]
    fn a_value_is_taken_or_dropped_and_never_both() {
        loom::model(|| {
            let (value, drops) = counted();
            let mut receiver = Receiver::new();
            let mut sender = receiver.sender();
            let sending = thread::spawn(move || put(&mut sender, value()));
            let taken = receiver.take();
            drop(receiver);
            sending.join().unwrap();
            assert_eq!(drops(), usize::from(taken.is_none()));
            drop(taken);
            assert_eq!(drops(), 1);
        });
    }

    #[test]
    fn nothing_of_an_earlier_run_comes_out_of_the_next() {
        loom::model(|| {
            let (value, drops) = counted();
            let mut receiver = Receiver::new();
            let mut stale = receiver.sender();
            let sending = thread::spawn(move || put(&mut stale, (1, value())));
            let mut sender = receiver.sender();
            assert!(receiver.take().is_none());
            sending.join().unwrap();
            assert!(receiver.take().is_none(), "the stale sender is cut off");
            assert_eq!(drops(), 1);
            let (value, _) = counted();
            put(&mut sender, (2, value()));
            assert_eq!(take(&mut receiver).0, 2);
        });
    }

    #[test]
    fn the_waker_comes_with_its_value() {
        loom::model(|| {
            let mut receiver = Receiver::new();
            let mut sender = receiver.sender();
            let sending = thread::spawn(move || {
                let vacancy = sender.vacancy().expect("nothing has been put yet");
                vacancy.put(7, Some(Waker::noop().clone()));
            });
            let parcel = loop {
                if let Some(parcel) = receiver.take() {
                    break parcel;
                }
                thread::yield_now();
            };
            assert_eq!(parcel.value, 7);
            parcel.waker.unwrap().wake();
            sending.join().unwrap();
        });
    }
}
