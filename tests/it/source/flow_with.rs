use std::task::Poll;

use coldflow::{FlowExt, flow_with};

use crate::support::{Driver, block_on, yield_now};

#[test]
fn the_first_run_is_number_one_and_a_restart_begins_the_next() {
    let mut stream = Driver::new(flow_with(async |attempt, mut emitter| emitter.emit(attempt).await));
    for attempt in 1..=3 {
        assert_eq!(stream.rest(), [Ok(attempt)]);
        stream.restart();
    }
}

#[test]
fn a_restart_before_the_first_poll_is_no_run() {
    let mut stream = Driver::new(flow_with(async |attempt, mut emitter| emitter.emit(attempt).await));
    stream.restart();
    assert_eq!(stream.next(), Some(Ok(1)));
}

#[test]
fn a_run_that_was_cut_off_counts() {
    let mut stream = Driver::new(flow_with(async |attempt, mut emitter| {
        yield_now().await;
        emitter.emit(attempt).await;
        emitter.emit(attempt).await;
    }));
    assert_eq!(stream.poll(), Poll::Pending);
    stream.restart();
    assert_eq!(stream.next(), Some(Ok(2)));
    stream.restart();
    assert_eq!(stream.rest(), [Ok(3), Ok(3)]);
}

#[test]
fn retries_above_each_other_count_on() {
    let failing = flow_with(async |attempt, mut emitter| {
        emitter.emit(attempt).await;
        Err(attempt)
    });
    let mut items = Driver::new(failing.retry(1).retry(1));
    assert_eq!(items.rest(), [Ok(1), Ok(2), Ok(3), Ok(4), Err(4)]);
}

#[test]
fn another_collection_begins_at_one() {
    let numbers = flow_with(async |attempt, mut emitter| emitter.emit(attempt).await).repeat(2);
    assert_eq!(block_on(numbers.clone().to_vec()), Ok(vec![1, 2]));
    assert_eq!(block_on(numbers.to_vec()), Ok(vec![1, 2]));
}

#[test]
fn a_body_may_change_what_it_captures_and_resume_where_it_stood() {
    let mut done = 0;
    let pages = flow_with(|attempt, mut emitter| {
        let first = done;
        done += 1;
        async move {
            emitter.emit((attempt, first)).await;
            if attempt < 3 { Err("reset") } else { Ok(()) }
        }
    });
    assert_eq!(block_on(pages.retry(5).to_vec()), Ok(vec![(1, 0), (2, 1), (3, 2)]));
}
