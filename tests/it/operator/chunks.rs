//! The Kotlin test in question is named above each test that has one: `ChunkedTest`.

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail, Wait};
use crate::support::{Driver, Probe, block_on};

// testChunked
#[test]
fn the_last_one_may_be_shorter() {
    assert_eq!(block_on(flow_of(1..6).chunks(2).to_vec()), Ok(vec![vec![1, 2], vec![3, 4], vec![5]]));
    assert_eq!(block_on(flow_of(1..5).chunks(2).to_vec()), Ok(vec![vec![1, 2], vec![3, 4]]));
}

// testEmptyFlow
#[test]
fn none_is_empty() {
    assert_eq!(block_on(empty::<i32>().chunks(2).to_vec()), Ok(vec![]));
}

// testChunkedCancelled, testChunkedCancelledWithSuspension
#[test]
fn a_take_below_drops_the_source() {
    let source = Probe::of(&[Emit(1), Emit(2), Wait]);
    let trace = source.trace();
    let mut stream = Driver::new(source.chunks(1).take(1));
    assert_eq!((stream.next(), stream.next()), (Some(Ok(vec![1])), None));
    assert!(trace.live().is_empty());
}

// testChunkedIllegalArgument
#[test]
#[should_panic(expected = "`size` of `chunks` must be at least 1, got 0")]
fn a_size_of_0_panics_at_the_call() {
    let _ = flow_of([1]).chunks(0);
}

#[test]
fn the_panic_is_located_at_the_call() {
    let location = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let noted = std::sync::Arc::clone(&location);
    let thread = std::thread::Builder::new().name("chunks".to_owned()).spawn(move || {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() == Some("chunks") {
                *noted.lock().unwrap() = info.location().unwrap().file().to_owned();
            } else {
                before(info);
            }
        }));
        let _ = flow_of([1]).chunks(0);
    });
    assert!(thread.unwrap().join().is_err());
    assert!(location.lock().unwrap().ends_with("chunks.rs"), "{location:?}");
    assert!(location.lock().unwrap().contains("tests"), "{location:?}");
}

#[test]
fn a_failure_loses_the_open_chunk() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Emit(2), Emit(3), Fail("failed")]).chunks(2));
    assert_eq!(stream.rest(), [Ok(vec![1, 2]), Err("failed")]);
}

#[test]
fn a_chunk_of_a_huge_size_reserves_no_huge_memory() {
    assert_eq!(block_on(flow_of(1..4).chunks(usize::MAX).to_vec()), Ok(vec![vec![1, 2, 3]]));
}

#[test]
fn the_end_is_known_with_a_last_chunk_that_is_full() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Emit(2)]).eager().chunks(2));
    assert_eq!(stream.next(), Some(Ok(vec![1, 2])));
    assert!(stream.is_terminated());
}
