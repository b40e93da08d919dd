//! The Kotlin test in question is named above each test that has one: `TransformWhileTest`.

use coldflow::{FlowExt, flow_of};

use crate::support::Step::{Emit, Fail, Wait};
use crate::support::{Driver, Probe, block_on};

// testSimple
#[test]
fn it_ends_after_the_body_that_says_so() {
    let letters = flow_of(0..10).transform_while(async |n, mut emitter| {
        match n {
            0 => emitter.emit("A").await,
            2 => {
                emitter.emit("B").await;
                emitter.emit("C").await;
            }
            3 => {
                emitter.emit("D").await;
                return false;
            }
            1 => {}
            _ => unreachable!(),
        }
        true
    });
    assert_eq!(block_on(letters.to_vec()), Ok(vec!["A", "B", "C", "D"]));
}

// testCancelUpstream
#[test]
fn the_source_is_dropped_before_the_end_is_seen() {
    let source = Probe::of(&[Emit(1), Emit(2), Wait]);
    let trace = source.trace();
    let some = source.transform_while(async |n, mut emitter| {
        emitter.emit(n).await;
        n < 2
    });
    assert_eq!(block_on(some.to_vec()), Ok(vec![1, 2]));
    assert!(trace.live().is_empty());
}

#[test]
fn the_source_is_there_until_the_consumer_is_done_with_the_last_item() {
    let source = Probe::of(&[Emit(1), Wait]);
    let trace = source.trace();
    let mut stream = Driver::new(source.transform_while(async |n, mut emitter| {
        emitter.emit(n).await;
        false
    }));
    assert_eq!(stream.next(), Some(Ok(1)));
    assert_eq!(trace.live(), ["source"]);
    assert_eq!(stream.next(), None);
    assert!(trace.live().is_empty());
}

// testExample
#[test]
fn the_progress_of_a_download() {
    let progress = flow_of([0, 50, 100, 147]).transform_while(async |percent, mut emitter| {
        emitter.emit(percent).await;
        percent < 100
    });
    assert_eq!(block_on(progress.to_vec()), Ok(vec![0, 50, 100]));
}

#[test]
fn it_may_fail() {
    let mut stream =
        Driver::new(Probe::of(&[Emit(1), Emit(2), Fail("above")]).transform_while(async |n, mut emitter| {
            emitter.emit(n).await;
            if n == 2 { Err("two") } else { Ok(true) }
        }));
    assert_eq!(stream.rest(), [Ok(1), Ok(2), Err("two")]);
}
