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
