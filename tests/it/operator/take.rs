//! The Kotlin test in question is named above each test that has one: `TakeTest`.

use coldflow::{FlowExt, empty, flow, flow_of};

use crate::support::Step::{Emit, Fail, Wait, Yield};
use crate::support::{Driver, Probe, block_on};

fn sum<F: FlowExt<Item = i32>>(flow: F) -> Result<i32, F::Error> {
    block_on(flow.fold(0, async |sum, n| sum + n))
}

// testTake, testTakeSuspending
#[test]
fn the_first_ones() {
    for script in [&[Emit(1), Emit(2)][..], &[Yield, Emit(1), Yield, Emit(2), Yield]] {
        let source = || Probe::of(script);
        assert_eq!(sum(source().take(2)), Ok(3));
        assert_eq!(sum(source().take(usize::MAX)), Ok(3));
        assert_eq!(sum(source().take(1)), Ok(1));
        assert_eq!(sum(source().skip(1).take(1)), Ok(2));
    }
}

// testIllegalArgument, testNonPositiveValues: Kotlin refuses 0.
#[test]
fn take_0_is_empty_and_starts_nothing() {
    let source = Probe::of(&[Emit(1)]);
    let trace = source.trace();
    assert_eq!(block_on(source.take(0).to_vec()), Ok(vec![]));
    assert!(trace.take().is_empty());
}

// testEmptyFlow
#[test]
fn of_nothing_is_nothing() {
    assert_eq!(sum(empty().take(10)), Ok(0));
}

// testCancelUpstream
#[test]
fn the_source_is_dropped_before_its_end() {
    let source = Probe::of(&[Emit(1), Wait]);
    let trace = source.trace();
    assert_eq!(block_on(source.take(1).single()), Ok(1));
    assert!(trace.live().is_empty());
}

#[test]
fn the_source_is_dropped_when_the_consumer_is_done_with_the_last_item_and_not_before() {
    let source = Probe::of(&[Emit(1), Emit(2), Emit(3)]);
    let (trace, calls) = (source.trace(), source.clone());
    let mut stream = Driver::new(source.take(2));
    assert_eq!((stream.next(), stream.next()), (Some(Ok(1)), Some(Ok(2))));
    assert_eq!(trace.live(), ["source"]);
    let before = calls.progress();
    let _ = stream.progress();
    assert!(calls.progress() > before, "it has progress until then");
    assert_eq!(stream.next(), None);
    assert_eq!(trace.take(), ["start source", "emit 1", "emit 2", "drop source"]);
}

#[test]
fn what_follows_the_last_emission_in_a_body_does_not_run() {
    let body = flow(async |mut emitter| {
        emitter.emit(1).await;
        unreachable!("the consumer has seen enough")
    });
    assert_eq!(block_on(body.take(1).to_vec()), Ok(vec![1]));
}

// testErrorCancelsUpstream
#[test]
fn an_error_raised_below_drops_the_source() {
    let source = Probe::of(&[Emit(1), Wait]);
    let trace = source.trace();
    let caught =
        source.take(2).try_map(|_| Err::<i32, _>("below")).catch(async |_, mut emitter| emitter.emit(42).await);
    assert_eq!(block_on(caught.single()), Ok(42));
    assert!(trace.live().is_empty());
}

// takeWithRetries
#[test]
fn a_retry_above_does_not_see_the_end_it_makes() {
    let source = Probe::of(&[Emit(1), Emit(2), Emit(3)]);
    assert_eq!(sum(source.retry_when(async |_, _| unreachable!()).take(2)), Ok(3));
}

// testNonIdempotentRetry
#[test]
fn over_an_endless_flow_with_a_retry() {
    let mut runs = 0;
    let endless = flow(|mut emitter| {
        runs += 1;
        async move {
            loop {
                emitter.emit(1).await;
            }
        }
    });
    assert_eq!(block_on(endless.retry(42).take(1).to_vec()), Ok(vec![1]));
    assert_eq!(runs, 1);
}

// testNestedTake
#[test]
fn nested() {
    let inner = || flow_of(1..).take(1);
    assert_eq!(block_on(flow_of(0..).flat_map_concat(|_| inner()).take(3).to_vec()), Ok(vec![1, 1, 1]));
}

#[test]
fn a_failure_within_the_first_ones_passes_and_one_behind_them_does_not() {
    let source = || Probe::of(&[Emit(1), Fail("failed")]);
    assert_eq!(block_on(source().take(2).to_vec()), Err("failed"));
    assert_eq!(block_on(source().take(1).to_vec()), Ok(vec![1]));
}

#[test]
fn each_run_counts_anew() {
    let source = Probe::of(&[Emit(1), Fail("failed")]).and_then_runs(&[Emit(2), Emit(3), Emit(4)]);
    assert_eq!(block_on(source.take(2).retry(1).to_vec()), Ok(vec![1, 2, 3]));
}
