//! An allocator that counts.

#![allow(unsafe_code)] // An allocator cannot be written without.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts the allocations of each thread.
#[derive(Debug)]
pub struct CountingAllocator;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: all is done by the system's allocator.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        LIVE.set(LIVE.get().wrapping_add(layout.size()));
        // SAFETY: what the caller promises, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get().wrapping_sub(layout.size()));
        // SAFETY: what the caller promises, passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// How often `work` allocates on this thread.
pub fn allocations(work: impl FnOnce()) -> u64 {
    let before = COUNT.get();
    work();
    COUNT.get() - before
}

/// How many bytes are allocated on this thread, less those that it has freed for others.
pub fn live_bytes() -> usize {
    LIVE.get()
}

/// How many bytes more than before are allocated on this thread while what `make` makes is there.
pub fn bytes_held<T>(make: impl FnOnce() -> T) -> usize {
    let before = live_bytes();
    let thing = make();
    let held = live_bytes().wrapping_sub(before);
    drop(thing);
    held
}
