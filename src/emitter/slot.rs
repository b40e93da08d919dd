//! The cell between a body and the stream that polls it: one value, one flag, no lock.
//!
//! The body runs inside the stream's own poll, so in ordinary use both ends are on one thread and take turns. An
//! emitter can be moved elsewhere, though, and nothing may then go wrong in memory. So the cell is a single-producer,
//! single-consumer slot: `full` says whose turn it is. While it is false the cell belongs to the [`Sender`], while it
//! is true to the [`Receiver`]; each end writes the flag only to give the cell away, with release, and reads it with
//! acquire before touching the cell. There is one sender at most and one receiver, neither can be cloned, and their
//! methods take `&mut self`.
//!
//! This file is the crate's only unsafe code.

#![allow(unsafe_code)]

use core::task::Waker;

#[cfg(coldflow_loom)]
use loom::{
    cell::UnsafeCell,
    sync::Arc,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};
#[cfg(not(coldflow_loom))]
use {
    alloc::sync::Arc,
    core::cell::UnsafeCell,
    core::sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

/// A value on its way, with the waker of the emission when only that reaches it.
pub(super) struct Parcel<T> {
    pub(super) value: T,
    pub(super) waker: Option<Waker>,
}

struct Slot<T> {
    full: AtomicBool,
    cell: UnsafeCell<Option<Parcel<T>>>,
    /// The address of the vtable of the waker with which the body is being polled; 0 while it is not.
    vtable: AtomicUsize,
    /// The data address of that waker.
    data: AtomicUsize,
}

// SAFETY: the cell is reached only by the end whose turn it is, as told by `full`, so a `&Slot` shared by two threads
// never gives both access to it at once; a value (and the waker) moves from one thread to the other, hence `Send`.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T> Slot<T> {
    fn new() -> Arc<Self> {
        Arc::new(Slot {
            full: AtomicBool::new(false),
            cell: UnsafeCell::new(None),
            vtable: AtomicUsize::new(0),
            data: AtomicUsize::new(0),
        })
    }
}

/// How the emission is being polled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Polled {
    /// With the stream's own waker: whoever polls the stream reaches the emission too.
    Directly,
    /// With another waker, by an executor within the body.
    Within,
}

/// The emitter's end.
pub(super) struct Sender<T> {
    slot: Arc<Slot<T>>,
}

impl<T> Sender<T> {
    /// How the caller is being polled, judged by its waker.
    #[inline]
    pub(super) fn polled_by(&self, waker: &Waker) -> Polled {
        let vtable = self.slot.vtable.load(Ordering::Relaxed);
        assert!(
            vtable != 0,
            "an `Emitter` was polled outside of the body that it was made for; \
             to emit from other tasks, use `channel_flow`"
        );
        if vtable == address(waker.vtable()) && self.slot.data.load(Ordering::Relaxed) == waker.data().addr() {
            Polled::Directly
        } else {
            Polled::Within
        }
    }

    /// Whether a value is still to be taken.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.slot.full.load(Ordering::Acquire)
    }

    /// Hands `value` over.
    #[inline]
    pub(super) fn put(&mut self, value: T, waker: Option<Waker>) {
        assert!(!self.is_full(), "the slot takes one value at a time");
        // SAFETY: `full` is false, so the cell is the sender's, and `&mut self` makes this the only access of its end.
        with_mut(&self.slot.cell, |cell| unsafe { *cell = Some(Parcel { value, waker }) });
        self.slot.full.store(true, Ordering::Release);
    }
}

/// While it is there, the body is being polled.
pub(super) struct Entered<'a, T>(&'a Slot<T>);

impl<T> Drop for Entered<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.vtable.store(0, Ordering::Relaxed);
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
        self.slot.data.store(waker.data().addr(), Ordering::Relaxed);
        self.slot.vtable.store(address(waker.vtable()), Ordering::Relaxed);
        Entered(&self.slot)
    }

    /// Takes the value, if there is one.
    #[inline]
    pub(super) fn take(&mut self) -> Option<Parcel<T>> {
        if !self.slot.full.load(Ordering::Acquire) {
            return None;
        }
        // SAFETY: `full` is true, so the cell is the receiver's, and `&mut self` makes this the only access of its end.
        let parcel = with_mut(&self.slot.cell, |cell| unsafe { (*cell).take() });
        self.slot.full.store(false, Ordering::Release);
        parcel
    }
}

/// An address that is never 0.
fn address<T>(reference: &'static T) -> usize {
    core::ptr::from_ref(reference).addr()
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
        while sender.is_full() {
            thread::yield_now();
        }
        sender.put(value, None);
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
                let waker = (!sender.is_full()).then(|| Waker::noop().clone());
                sender.put(7, waker);
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
