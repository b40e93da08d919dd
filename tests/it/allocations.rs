//! How often the heap is asked. The count is per thread, so that tests beside each other do not disturb it.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::future::ready;

use coldflow::{FlowExt, SingleError, flow, flow_of, flow_with, once, once_with};

use crate::support::{Driver, block_on};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: it is the system's allocator; counting touches a constant-initialised thread-local that has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

/// How often this thread has asked the heap so far.
pub(crate) fn allocations() -> usize {
    ALLOCATIONS.get()
}

fn allocations_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = allocations();
    let output = work();
    (output, allocations() - before)
}

/// Polls a future that is never really pending, without an allocation of its own.
fn run<Fut: Future>(future: Fut) -> Fut::Output {
    let mut future = std::pin::pin!(future);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
    }
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations_of(|| Box::new(1)).1, 1);
    assert_eq!(allocations_of(|| 1).1, 0);
}

#[test]
fn the_chain_allocates_nothing() {
    for failures in [0, 1, 10, 100] {
        let (outcome, allocations) = allocations_of(|| {
            let mut attempts = 0;
            run(once(|| {
                attempts += 1;
                let attempt = attempts;
                async move { if attempt <= failures { Err("busy") } else { Ok(attempt) } }
            })
            .retry_when(async |cause, retried| if retried < 1000 { Ok(()) } else { Err(cause) })
            .single())
        });
        assert_eq!(outcome, Ok(failures + 1));
        assert_eq!(allocations, 0, "with {failures} failures");
    }
}

#[test]
fn the_chain_allocates_nothing_when_it_gives_up() {
    let (outcome, allocations) = allocations_of(|| run(once(|| ready(Err::<u8, _>("busy"))).retry(10).single()));
    assert_eq!(outcome, Err(SingleError::Upstream("busy")));
    assert_eq!(allocations, 0);
}

#[test]
fn nor_does_it_with_the_number_of_the_attempt() {
    let fetch = |attempt| ready(if attempt <= 10 { Err("busy") } else { Ok(attempt) });
    let (outcome, allocations) = allocations_of(|| run(once_with(fetch).retry(10).single()));
    assert_eq!((outcome, allocations), (Ok(11), 0));
    let (items, allocations) = allocations_of(|| {
        run(flow_with(async |attempt, mut emitter| {
            emitter.emit(attempt).await;
            if attempt <= 10 { Err("busy") } else { Ok(()) }
        })
        .retry(10)
        .count())
    });
    assert_eq!((items, allocations), (Ok(11), 1));
}

#[test]
fn operators_without_a_body_allocate_nothing() {
    let (sum, allocations) = allocations_of(|| {
        run(flow_of(0..100)
            .map(|n| n + 1)
            .filter(|n| n % 2 == 0)
            .then(|n| ready(n * 2))
            .enumerate()
            .inspect(|_| {})
            .flat_map_concat(|(_, n)| flow_of([n, n]))
            .distinct_until_changed()
            .take(10)
            .fold(0, |sum, n| ready(sum + n)))
    });
    assert_eq!(sum, Ok(220));
    assert_eq!(allocations, 0);
}

#[test]
fn a_body_allocates_once_per_collection() {
    let (items, allocations) = allocations_of(|| {
        run(flow(async |mut emitter| {
            for n in 0..1000 {
                emitter.emit(n).await;
            }
        })
        .count())
    });
    assert_eq!(items, Ok(1000));
    assert_eq!(allocations, 1);
}

#[test]
fn the_runs_of_a_body_share_one_allocation() {
    let (items, allocations) = allocations_of(|| {
        let mut runs = 0;
        run(flow(|mut emitter| {
            runs += 1;
            let run = runs;
            async move {
                emitter.emit(run).await;
                if run < 100 { Err("again") } else { Ok(()) }
            }
        })
        .retry(1000)
        .count())
    });
    assert_eq!(items, Ok(100));
    assert_eq!(allocations, 1);
}

#[test]
fn the_runs_of_a_body_that_is_cut_off_share_one_allocation() {
    let mut numbers = Driver::new(flow(async |mut emitter| {
        loop {
            emitter.emit(1).await;
        }
    }));
    let ((), first) = allocations_of(|| assert_eq!(numbers.next(), Some(Ok(1))));
    let ((), rest) = allocations_of(|| {
        for _ in 0..10 {
            numbers.restart();
            assert_eq!(numbers.next(), Some(Ok(1)));
        }
    });
    assert_eq!((first, rest), (1, 0));
}

#[test]
fn the_bodies_of_a_transform_share_one_allocation() {
    let (items, allocations) = allocations_of(|| {
        run(flow_of(0..100)
            .transform(async |n, mut emitter| {
                emitter.emit(n).await;
                emitter.emit(n).await;
            })
            .count())
    });
    assert_eq!(items, Ok(200));
    assert_eq!(allocations, 1);
}

#[test]
fn boxing_allocates_once() {
    let (flow, allocations) = allocations_of(|| flow_of(0..3).boxed());
    assert_eq!(allocations, 1);
    let (items, allocations) = allocations_of(|| run(flow.retry(3).count()));
    assert_eq!((items, allocations), (Ok(3), 0));
    assert_eq!(block_on(flow_of(0..3).boxed_local().count()), Ok(3));
}
