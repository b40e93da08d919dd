//! `assert_flow`: what it reads, and that each of its assertions fails when it ought to, saying what and where.

use std::convert::Infallible;
use std::future::{Future, pending, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use coldflow::test_util::{Gate, MarbleError, assert_flow, marble, probe};
use coldflow::{Flow, FlowExt, StreamFlowExt, empty, failed, flow, flow_of, interval, once};
use futures::FutureExt;
use tokio::time::Instant;

use crate::concurrent::clock::{Emit, Fail, Hang, Wait, ms, pause, script};
use crate::support::{Polling, block_on};

/// With what a test fails, without the place that it begins with.
async fn failure<Fut: Future>(test: Fut) -> String {
    let panic = AssertUnwindSafe(test).catch_unwind().await.err().expect("it should fail");
    without_place(panic.downcast_ref::<String>().unwrap())
}

fn without_place(message: &str) -> String {
    let (place, message) = message.split_once(": ").unwrap();
    assert!(place.starts_with(file!()), "{place}");
    message.to_owned()
}

#[tokio::test(start_paused = true)]
async fn it_reads_event_by_event() {
    let mut events = assert_flow(script([Emit(1), Wait(20), Emit(2), Emit(3), Emit(4), Wait(5), Fail("over")]));
    assert_eq!(events.next_item().await, 1);
    events.no_events_for(ms(20)).await;
    events.skip(2).await;
    assert_eq!(events.next_item().await, 4);
    events.fails_with("over").await;
    events.finish();
    let mut events = assert_flow(flow_of([1]));
    events.skip(1).await;
    events.completes().await;
    assert_eq!(assert_flow(failed::<u8, _>(404)).fails().await, 404);
}

#[test]
fn silence_that_takes_no_time_needs_no_runtime() {
    let source = probe::<_, ()>().yield_now().hang().emit(1);
    let mut events = assert_flow(source.clone());
    block_on(events.no_events_for(Duration::ZERO));
    assert_eq!((source.starts(), source.polls()), (1, 2));
}

#[test]
fn without_time_any_executor_will_do() {
    block_on(async {
        let gate = Gate::new();
        gate.open();
        let mut events = assert_flow(probe().yield_now().emit(1).wait_for(&gate).emit(2).fail("over"));
        events.skip(2).await;
        events.fails_with("over").await;
    });
    let gate = Gate::new();
    let mut events = assert_flow(probe::<_, ()>().wait_for(&gate).emit(1));
    let mut next = Polling::new(events.next_item());
    assert!(next.poll().is_pending() && !next.woken());
    gate.open();
    assert!(next.woken() && next.poll().is_ready());
    drop(next);
    events.ignore_rest();
}

#[tokio::test(start_paused = true)]
async fn an_item_was_expected() {
    let message = failure(async { assert_flow(failed::<u8, _>("over")).next_item().await });
    assert_eq!(message.await, "expected an item, got the error \"over\"");
    let message = failure(async { assert_flow(empty::<u8>()).next_item().await });
    assert_eq!(message.await, "expected an item, got the end");
    let message = failure(async { assert_flow(script([Emit(1), Hang])).skip(2).await });
    assert_eq!(message.await, "expected 2 items to skip, got nothing in 60s after 1");
    let message = failure(async { assert_flow(flow_of([1, 2])).skip(3).await });
    assert_eq!(message.await, "expected 3 items to skip, got the end after 2");
}

#[tokio::test(start_paused = true)]
async fn the_end_was_expected() {
    let message = failure(async { assert_flow(flow_of(["a"])).completes().await });
    assert_eq!(message.await, "expected the end, got the item \"a\"");
    let message = failure(async { assert_flow(failed::<u8, _>("over")).completes().await });
    assert_eq!(message.await, "expected the end, got the error \"over\"");
}

#[tokio::test(start_paused = true)]
async fn an_error_was_expected() {
    let message = failure(async { assert_flow(flow_of([1]).fallible::<u8>()).fails().await });
    assert_eq!(message.await, "expected an error, got the item 1");
    let message = failure(async { assert_flow(empty::<u8>().fallible::<u8>()).fails_with(7).await });
    assert_eq!(message.await, "expected the error 7, got the end");
    let message = failure(async { assert_flow(failed::<u8, _>("over")).fails_with("out").await });
    assert_eq!(message.await, "expected the error \"out\", got the error \"over\"");
}

#[tokio::test(start_paused = true)]
async fn silence_was_expected() {
    let message = failure(async { assert_flow(script([Wait(30), Emit(1)])).no_events_for(ms(31)).await });
    assert_eq!(message.await, "expected no event for 31ms, got the item 1 after 30ms");
    let message = failure(async { assert_flow(script([Wait(30)])).no_events_for(ms(31)).await });
    assert_eq!(message.await, "expected no event for 31ms, got the end after 30ms");
    let message = failure(async { assert_flow(failed::<u8, _>("over")).no_events_for(ms(31)).await });
    assert_eq!(message.await, "expected no event for 31ms, got the error \"over\" after 0ns");
    // Without a time it is about what is ready, also behind a flow that lets others in.
    let message =
        failure(async { assert_flow(probe::<_, ()>().yield_now().emit(1)).no_events_for(Duration::ZERO).await });
    assert_eq!(message.await, "expected no event for 0ns, got the item 1 after 0ns");
}

#[tokio::test(start_paused = true)]
async fn an_event_at_the_end_of_a_silence_comes_after_it() {
    let began = Instant::now();
    let mut events = assert_flow(marble("-a-b|"));
    events.no_events_for(ms(10)).await;
    assert_eq!(events.next_item().await, 'a');
    events.no_events_for(Duration::ZERO).await;
    assert_eq!(began.elapsed(), ms(10));
    events.no_events_for(ms(7)).await;
    events.no_events_for(ms(13)).await;
    assert_eq!(events.next_item().await, 'b');
    events.no_events_for(ms(10)).await;
    events.completes().await;
    // Behind the end there is silence.
    events.no_events_for(ms(60)).await;
    assert_eq!(began.elapsed(), ms(100));
}

#[tokio::test(start_paused = true)]
async fn what_does_not_come_in_time_is_a_failure() {
    let began = Instant::now();
    let message = failure(async { assert_flow(once(pending::<Result<u8, ()>>)).next_item().await });
    assert_eq!(message.await, "expected an item, got nothing in 60s");
    assert_eq!(began.elapsed().as_secs(), 60);
    let message = failure(async { assert_flow(script([Hang])).patience(ms(20)).completes().await });
    assert_eq!(message.await, "expected the end, got nothing in 20ms");
    // What comes at the last moment has come in time.
    let mut ticks = assert_flow(interval(ms(20))).patience(ms(20));
    ticks.skip(5).await;
    ticks.finish();
    let mut late = assert_flow(interval(Duration::from_secs(3_600)).skip(1)).patience(Duration::MAX);
    assert_eq!(late.next_item().await, 1);
}

#[tokio::test(start_paused = true)]
async fn behind_the_end_nothing_can_be_asked_for() {
    let message = failure(async {
        let mut events = assert_flow(empty::<u8>());
        events.completes().await;
        events.completes().await;
    });
    assert_eq!(message.await, "expected the end, got nothing, for the flow was over before");
    let message = failure(async {
        let mut events = assert_flow(failed::<u8, _>("over"));
        events.fails_with("over").await;
        events.completes().await;
    });
    assert_eq!(message.await, "expected the end, got nothing, for the flow was over before");
}

#[tokio::test(start_paused = true)]
async fn an_event_that_nobody_asked_for() {
    let unasked = "expected no event that nobody asked for, got";
    // An item, whether the reader is dropped or finished.
    let message = failure(async { assert_flow(flow_of([1, 2])).next_item().await });
    assert_eq!(message.await, format!("{unasked} the item 2"));
    let message = failure(async {
        let mut events = assert_flow(flow_of([1, 2]));
        events.next_item().await;
        events.finish();
    });
    assert_eq!(message.await, format!("{unasked} the item 2"));
    // The end, an error, and what nothing was read of.
    let message = failure(async { assert_flow(flow_of([1])).next_item().await });
    assert_eq!(message.await, format!("{unasked} the end"));
    let message = failure(async { assert_flow(script([Emit(1), Fail("over")])).next_item().await });
    assert_eq!(message.await, format!("{unasked} the error \"over\""));
    let message = failure(async { drop(assert_flow(flow_of([1]))) });
    assert_eq!(message.await, format!("{unasked} the item 1"));
    // Behind a flow that only lets others in.
    let message = failure(async { assert_flow(probe::<_, ()>().emit(1).yield_now().emit(2)).next_item().await });
    assert_eq!(message.await, format!("{unasked} the item 2"));
}

#[tokio::test(start_paused = true)]
async fn an_item_that_became_ready_while_the_test_did_something_else() {
    let message = failure(async {
        let mut letters = assert_flow(marble("a-b|"));
        letters.next_item().await;
        pause(20).await;
    });
    assert_eq!(message.await, "expected no event that nobody asked for, got the item 'b'");
}

#[tokio::test(start_paused = true)]
async fn an_item_in_a_channel_of_tokios_however_much_was_read_before() {
    // After 128 operations Tokio wants a task to let others in, and says that nothing is there.
    for read in 120..140 {
        let message = failure(async {
            let (sender, receiver) = tokio::sync::mpsc::channel(200);
            (0..200).for_each(|n| sender.try_send(n).unwrap());
            let mut events = assert_flow(tokio_stream::wrappers::ReceiverStream::new(receiver).into_flow());
            events.skip(read).await;
            events.finish();
        });
        assert_eq!(message.await, format!("expected no event that nobody asked for, got the item {read}"));
    }
}

#[tokio::test(start_paused = true)]
async fn what_only_would_have_come_is_no_failure() {
    let source = probe::<_, ()>().emit(1).wait(ms(10)).emit(2);
    let mut events = assert_flow(source.clone());
    events.skip(1).await;
    events.finish();
    assert_eq!((source.drops(), source.running()), (1, 0));
    let mut events = assert_flow(source.clone());
    events.skip(1).await;
    drop(events);
    assert_eq!((source.drops(), source.running()), (2, 0));
    drop(assert_flow(marble("---|")));
}

#[tokio::test(start_paused = true)]
async fn the_rest_can_be_ignored() {
    let source = probe::<_, ()>().emit(1).emit(2);
    let mut events = assert_flow(source.clone());
    events.skip(1).await;
    events.ignore_rest();
    assert_eq!((source.polls(), source.drops(), source.running()), (1, 1, 0), "it was not looked at either");
}

#[tokio::test(start_paused = true)]
async fn it_does_not_look_ahead() {
    let source = probe::<_, ()>().emit(1).emit(2).hang();
    let mut events = assert_flow(source.clone());
    assert_eq!(source.starts(), 0);
    events.skip(1).await;
    assert_eq!(source.polls(), 1);
    pause(10).await;
    assert_eq!(source.polls(), 1);
    events.skip(1).await;
    assert_eq!(source.polls(), 2);
}

#[tokio::test(start_paused = true)]
async fn busy_it_gives_the_flow_progress_and_asks_for_nothing() {
    let source = probe::<_, ()>().emit(1).emit(2).hang();
    let mut events = assert_flow(source.clone());
    events.skip(1).await;
    let output = events.busy_with(pause(10).map(|()| 7)).await;
    assert_eq!(output, 7);
    assert_eq!(source.polls(), 1);
    assert!(source.progress_polls() > 0);
    events.skip(1).await;
    // As a consumer sees it that is busy with an item: the newest, and not what it missed.
    let mut latest = assert_flow(marble("abcd|").conflate());
    assert_eq!(latest.next_item().await, 'a');
    latest.busy_with(pause(25)).await;
    assert_eq!(latest.next_item().await, 'c');
    latest.skip(1).await;
    latest.completes().await;
    latest.busy_with(ready(())).await;
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_dropped_takes_nothing() {
    let mut events = assert_flow(marble("--ab#"));
    assert!(tokio::time::timeout(ms(15), events.next_item()).await.is_err());
    assert!(tokio::time::timeout(ms(2), events.completes()).await.is_err());
    assert!(tokio::time::timeout(ms(1), events.no_events_for(ms(9))).await.is_err());
    assert_eq!(events.next_item().await, 'a');
    assert_eq!(events.next_item().await, 'b');
    events.fails_with(MarbleError).await;
}

#[tokio::test(start_paused = true)]
async fn what_it_reads_need_not_be_send() {
    let shared = std::rc::Rc::new(1);
    let mut events = assert_flow(flow(async |mut emitter| emitter.emit(shared.clone()).await));
    assert_eq!(*events.next_item().await, 1);
    events.completes().await;
}

/// The line of a panic message's place.
fn line(message: &str) -> u32 {
    let place = message.split(": ").next().unwrap();
    place.strip_prefix(file!()).unwrap().split(':').nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_failure_says_where_it_was_asked_for() {
    let panic = catch_unwind(|| {
        block_on(async {
            let mut events = assert_flow(empty::<u8>());
            let asked = events.next_item(); // here
            asked.await;
        });
    });
    assert_eq!(line(panic.unwrap_err().downcast_ref::<String>().unwrap()), line!() - 4);
    let panic = catch_unwind(|| {
        let events = assert_flow(flow_of([1])); // here
        drop(events);
    });
    assert_eq!(line(panic.unwrap_err().downcast_ref::<String>().unwrap()), line!() - 3);
    let panic = catch_unwind(|| {
        let events = assert_flow(flow_of([1]));
        events.finish(); // here
    });
    assert_eq!(line(panic.unwrap_err().downcast_ref::<String>().unwrap()), line!() - 2);
}

#[test]
fn a_test_that_fails_fails_once() {
    // A second panic while this one unwinds would abort the process.
    let panic = catch_unwind(|| {
        let _events = assert_flow(flow_of([1, 2]));
        panic!("the test's own");
    });
    assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"the test's own"));
    let panic = catch_unwind(|| {
        let _events = assert_flow(flow_of([1, 2]));
        block_on(assert_flow(empty::<u8>()).next_item());
    });
    assert_eq!(without_place(panic.unwrap_err().downcast_ref::<String>().unwrap()), "expected an item, got the end");
    // And a reader that has failed, and lives on, does not fail again for what is behind.
    let mut events = assert_flow(flow_of([1, 2]));
    let failed = catch_unwind(AssertUnwindSafe(|| block_on(events.completes())));
    assert!(failed.is_err());
    events.finish();
}

#[test]
fn an_endless_flow_that_only_lets_others_in_does_not_hold_up_the_end() {
    let busy = coldflow::defer(|| {
        futures::stream::poll_fn(|cx| {
            cx.waker().wake_by_ref();
            std::task::Poll::<Option<Result<u8, Infallible>>>::Pending
        })
    });
    assert_flow(busy).finish();
}

#[test]
fn it_shows_whether_it_is_over() {
    let events = assert_flow(empty::<u8>());
    assert_eq!(format!("{events:?}"), "FlowAssert { over: false, .. }");
    events.ignore_rest();
}

#[allow(dead_code)] // That it compiles is the test: a reader of what is `Send` can be in a task.
fn a_reader_can_be_in_a_task(flow: impl Flow<Item = u8, Error = u8, Stream: Send> + Send + 'static) {
    fn sent(_: impl Send) {}
    sent(async move {
        let mut events = assert_flow(flow);
        events.next_item().await;
        events.busy_with(ready(())).await;
        events.no_events_for(Duration::ZERO).await;
        events.fails_with(1).await;
    });
}
