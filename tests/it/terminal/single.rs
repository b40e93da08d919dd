//! The Kotlin test in question is named above each test that has one: `SingleTest`.

use std::error::Error;
use std::task::Poll;

use coldflow::{FlowExt, SingleError, empty, flow_of, once};

use crate::support::Step::{Emit, Fail, Wait};
use crate::support::{Polling, Probe, block_on};

// testSingle
#[test]
fn the_one_item() {
    assert_eq!(block_on(flow_of([239]).single()), Ok(239));
}

// testMultipleValues
#[test]
fn a_second_item_is_an_error() {
    assert_eq!(block_on(flow_of([239, 240]).single()), Err(SingleError::MoreThanOne));
}

// testNoValues
#[test]
fn no_item_is_an_error() {
    assert_eq!(block_on(empty::<u8>().single()), Err(SingleError::Empty));
}

// testException
#[test]
fn a_failure_comes_out() {
    assert_eq!(block_on(Probe::of(&[Fail("failed")]).single()), Err(SingleError::Upstream("failed")));
}

// testExceptionAfterValue
#[test]
fn a_failure_after_the_item_wins_over_it() {
    assert_eq!(block_on(Probe::of(&[Emit(1), Fail("failed")]).single()), Err(SingleError::Upstream("failed")));
}

// testNullableSingle
#[test]
fn the_item_may_be_none() {
    assert_eq!(block_on(flow_of([None::<u8>]).single()), Ok(None));
    assert_eq!(block_on(flow_of([None::<u8>, None]).single()), Err(SingleError::MoreThanOne));
}

// testBadClass
#[test]
fn the_item_is_not_compared_with_anything() {
    #[derive(Clone)]
    struct Incomparable;
    assert!(block_on(flow_of([Incomparable]).single()).is_ok());
    assert!(block_on(flow_of([Incomparable, Incomparable]).single()).is_err());
}

// testSingleNoWait
#[test]
fn it_does_not_wait_behind_a_second_item_and_drops_the_source() {
    let source = Probe::of(&[Emit(1), Emit(2), Wait]);
    let trace = source.trace();
    assert_eq!(block_on(source.single()), Err(SingleError::MoreThanOne));
    assert_eq!(trace.take(), ["start source", "emit 1", "emit 2", "drop source"]);
}

#[test]
fn behind_the_first_item_it_waits_for_the_end() {
    let source = Probe::of(&[Emit(1), Wait]);
    let gate = source.gate();
    let mut polling = Polling::new(source.single());
    assert!(polling.poll().is_pending());
    gate.open();
    assert_eq!(polling.poll(), Poll::Ready(Ok(1)));
}

#[test]
fn over_once_it_needs_no_second_poll() {
    let mut polling = Polling::new(once(|| std::future::ready(Ok::<_, ()>(1))).single());
    assert_eq!(polling.poll(), Poll::Ready(Ok(1)));
}

// OnCompletionTest.testSingle with a body that catches the abort; difference 6.
#[test]
fn a_body_cannot_swallow_the_stop() {
    let source = Probe::of(&[Emit(1), Emit(2), Fail("late")]);
    assert_eq!(
        block_on(source.catch(async |_, mut emitter| emitter.emit(3).await).single()),
        Err(SingleError::MoreThanOne)
    );
}

#[test]
fn its_error_says_what_was_expected_and_keeps_the_source() {
    assert_eq!(SingleError::<std::fmt::Error>::Empty.to_string(), "expected exactly one value, got none");
    assert!(SingleError::<std::fmt::Error>::MoreThanOne.to_string().contains("second"));
    let upstream = SingleError::Upstream(std::fmt::Error);
    assert!(upstream.source().unwrap().is::<std::fmt::Error>());
    assert!(SingleError::<std::fmt::Error>::Empty.source().is_none());
    assert_eq!(upstream.into_upstream(), Some(std::fmt::Error));
    assert_eq!(SingleError::<u8>::MoreThanOne.into_upstream(), None);
}
