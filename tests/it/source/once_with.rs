use std::future::{Ready, ready};
use std::task::Poll;

use coldflow::{BoxFlow, FlowExt, Retry, SingleError, once, once_with};

use crate::support::{Driver, Gate, block_on};

/// Fails with the number of its run, however often.
#[allow(clippy::unnecessary_wraps)] // It is the future of a result that is wanted.
fn fail(attempt: u64) -> Ready<Result<(), u64>> {
    ready(Err(attempt))
}

#[test]
fn the_first_run_is_number_one_and_a_restart_begins_the_next() {
    let mut stream = Driver::new(once_with(|attempt| ready(Ok::<_, ()>(attempt))));
    for attempt in 1..=3 {
        assert_eq!(stream.rest(), [Ok(attempt)]);
        stream.restart();
    }
}

#[test]
fn a_restart_before_the_first_poll_is_no_run() {
    let mut stream = Driver::new(once_with(fail));
    stream.restart();
    stream.restart();
    assert_eq!(stream.next(), Some(Err(1)));
    stream.restart();
    stream.restart();
    assert_eq!(stream.next(), Some(Err(2)), "nor is the second of two restarts");
}

#[test]
fn a_run_that_was_cut_off_counts() {
    let gate = Gate::default();
    let mut stream = Driver::new(once_with(|attempt| {
        let gate = gate.clone();
        async move {
            gate.pass().await;
            Ok::<_, ()>(attempt)
        }
    }));
    assert_eq!(stream.poll(), Poll::Pending);
    stream.restart();
    assert_eq!(stream.poll(), Poll::Pending);
    gate.open();
    assert_eq!(stream.rest(), [Ok(2)]);
}

#[test]
fn polling_after_the_end_is_no_run() {
    let mut stream = Driver::new(once_with(fail));
    assert_eq!((stream.next(), stream.next(), stream.next()), (Some(Err(1)), None, None));
    stream.restart();
    assert_eq!(stream.next(), Some(Err(2)));
    stream.restart();
    stream.stop();
    assert_eq!(stream.next(), None);
    stream.restart();
    assert_eq!(stream.next(), Some(Err(3)));
}

#[test]
fn a_retry_raises_it_by_one_per_run() {
    assert_eq!(block_on(once_with(fail).retry(4).single()), Err(SingleError::Upstream(5)));
}

#[test]
fn retries_above_each_other_count_on() {
    // Two runs per collection by the inner retry, three such collections by the outer one.
    let attempts = once_with(fail).retry(1).retry(2);
    assert_eq!(block_on(attempts.clone().single()), Err(SingleError::Upstream(6)));
    // The predicate's count is of its own retries, so it starts over with each collection; the source's does not.
    let mut seen = Vec::new();
    let noted = once_with(fail).retry_if(|attempt, retried| {
        seen.push((*attempt, retried));
        retried < 1
    });
    assert_eq!(block_on(noted.retry(1).single()), Err(SingleError::Upstream(4)));
    assert_eq!(seen, [(1, 0), (2, 1), (3, 0), (4, 1)]);
}

#[test]
fn repeating_counts_too() {
    let numbers = once_with(|attempt| ready(Ok::<_, ()>(attempt))).repeat(3);
    assert_eq!(block_on(numbers.to_vec()), Ok(vec![1, 2, 3]));
}

#[test]
fn another_collection_begins_at_one() {
    let attempts = once_with(fail).retry(2);
    assert_eq!(block_on(attempts.clone().single()), Err(SingleError::Upstream(3)));
    assert_eq!(block_on(attempts.single()), Err(SingleError::Upstream(3)));
}

#[test]
fn as_an_inner_flow_each_of_its_collections_begins_at_one() {
    let numbers = once(|| ready(Ok::<_, u64>(()))).repeat(2).flat_map_concat(|()| {
        once_with(|attempt| ready(if attempt < 3 { Err(attempt) } else { Ok(attempt) })).retry(5)
    });
    assert_eq!(block_on(numbers.to_vec()), Ok(vec![3, 3]));
}

#[test]
fn through_a_box_and_operators_it_is_counted_as_well() {
    let boxed: BoxFlow<'_, (), u64> = once_with(fail).map(|()| ()).boxed();
    assert_eq!(block_on(boxed.retry(6).single()), Err(SingleError::Upstream(7)));
}

#[test]
fn under_a_policy_it_can_be_awaited_directly() {
    assert_eq!(block_on(async { once_with(fail).retry_with(Retry::immediate(4)).await }), Err(4));
}

#[test]
fn what_it_borrows_needs_no_clone() {
    let names = ["first".to_owned(), "second".to_owned()];
    let mut seen = Vec::new();
    let answer = block_on(
        once_with(|attempt| {
            seen.push(attempt);
            let name = names.get(usize::try_from(attempt).unwrap());
            async move { name.ok_or("no name").map(String::as_str) }
        })
        .retry(1)
        .single(),
    );
    assert_eq!(answer, Ok("second"));
    assert_eq!(seen, [1]);
}

#[test]
fn its_stream_is_larger_by_the_count_alone() {
    use coldflow::Flow;
    let counted = once_with(|_| ready(Ok::<u64, u64>(1))).into_stream();
    let plain = once(|| ready(Ok::<u64, u64>(1))).into_stream();
    assert!(size_of_val(&counted) <= size_of_val(&plain) + size_of::<u64>());
}
