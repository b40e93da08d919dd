//! `flow_on`. Kotlin's tests are `FlowOnTest` and `FlowContextOptimizationsTest`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use coldflow::{FlowExt, Overflow, flow};
use tokio::runtime::Handle;

use super::clock::{Emit, Fail, Hang, Wait, burst, items, ms, paced, pause, script, seen, traced};
use crate::support::{Driver, Trace};

/// Kotlin: `testFlowOnThrowingSource`, `testSimpleMultipleTimes`; ours delivers the items before the failure.
#[tokio::test(start_paused = true)]
async fn items_and_failures_of_the_task_come_out_in_order() {
    let source = script([Emit(1), Wait(10), Emit(2), Fail("over")]);
    assert_eq!(items(source.flow_on(&Handle::current()), 5).await, ["1", "2", "!\"over\""]);
}

/// Kotlin: `testFlowOnThrowingConsumer`, `testFlowOnCancellation`.
#[tokio::test(start_paused = true)]
async fn dropping_the_collection_drops_what_runs_in_the_task() {
    let trace = Trace::new();
    let source = traced(&trace, "source", [Emit(1), Hang]).flow_on(&Handle::current());
    assert_eq!(source.first().await, Ok(Some(1)));
    pause(1).await;
    assert!(trace.live().is_empty());
    let source = traced(&trace, "source", [Hang]).flow_on(&Handle::current());
    assert!(tokio::time::timeout(ms(5), source.to_vec()).await.is_err());
    pause(1).await;
    assert!(trace.live().is_empty());
}

/// Kotlin: `testFlowOnWithTimeout…`.
#[tokio::test(start_paused = true)]
async fn with_a_timeout_within_and_around() {
    let within = script([Emit(1), Hang]).timeout(ms(20)).flow_on(&Handle::current());
    assert_eq!(items(within, 0).await, ["1", "!Elapsed"]);
    let around = script([Emit(1), Hang]).flow_on(&Handle::current()).timeout(ms(20));
    assert_eq!(items(around, 0).await, ["1", "!Elapsed"]);
}

/// Kotlin: `BufferTest`: 64 places, or those of a buffer beside it.
#[tokio::test(start_paused = true)]
async fn it_runs_ahead_as_far_as_its_buffer() {
    let handle = Handle::current();
    macro_rules! ahead {
        ($($places:literal |$up:ident| $flow:expr;)*) => {$(
            let trace = Trace::new();
            let $up = traced(&trace, "source", burst(100));
            tokio::select! {
                _ = ($flow).for_each(|_| std::future::pending::<()>()) => unreachable!(),
                () = pause(5) => {}
            }
            let returned = trace.take().iter().filter(|event| event.starts_with("source after")).count();
            // One is with the consumer, and the emission behind the queue has not returned.
            assert_eq!(returned, $places + 1, stringify!($flow));
        )*};
    }
    ahead! {
        64 |up| up.flow_on(&handle);
        5 |up| up.flow_on(&handle).buffer(5, Overflow::Suspend);
        9 |up| up.flow_on(&handle).buffer(4, Overflow::Suspend).buffer(5, Overflow::Suspend);
        0 |up| up.flow_on(&handle).buffer(0, Overflow::Suspend);
    }
}

#[tokio::test(start_paused = true)]
async fn retried_the_upstream_comes_back_and_runs_again() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let flaky = flow(move |mut emitter| {
        let run = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            emitter.emit(run).await;
            pause(5).await;
            if run < 3 { Err("again") } else { Ok(()) }
        }
    });
    assert_eq!(items(flaky.flow_on(&Handle::current()).retry(9), 0).await, ["0", "1", "2", "3"]);
    assert_eq!(runs.load(Ordering::SeqCst), 4);
}

/// A failure that nobody has seen belongs to its run, and not to the next one.
#[tokio::test(start_paused = true)]
async fn the_failure_of_a_run_that_was_given_up_is_not_that_of_the_next() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let source = flow(move |mut emitter| {
        let run = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            if run == 0 {
                emitter.emit(1).await;
                return Err("of the first run");
            }
            Ok(())
        }
    });
    let mut stream = Driver::new(source.flow_on(&Handle::current()));
    assert!(stream.poll().is_pending());
    pause(1).await;
    assert_eq!(stream.poll(), Poll::Ready(Some(Ok(1))));
    // The task has failed by now.
    stream.restart();
    assert!(stream.poll().is_pending());
    pause(1).await;
    assert_eq!(stream.poll(), Poll::Ready(None));
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_task_comes_out_at_the_consumer() {
    let source = flow(async |mut emitter: coldflow::Emitter<u8>| {
        emitter.emit(1).await;
        panic!("in the task");
    });
    let collected = tokio::spawn(source.flow_on(&Handle::current()).to_vec()).await;
    let panic = collected.unwrap_err().into_panic();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"in the task"));
}

/// Kotlin: `testFlowOnContextOverride` and others, where the innermost wins: each part runs where the `flow_on` below it says.
#[test]
fn each_part_runs_on_the_runtime_that_stands_below_it() {
    let runtime = |name: &str| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).thread_name(name).enable_time().build().unwrap()
    };
    let (first, second) = (runtime("first"), runtime("second"));
    let here = || std::thread::current().name().unwrap_or("none").to_owned();
    let names = flow(move |mut emitter| async move { emitter.emit(here()).await })
        .flow_on(first.handle())
        .map(move |above| (above, here()))
        .flow_on(second.handle());
    let (all, place) = second.block_on(async { (names.to_vec().await, here()) });
    assert_eq!(all, Ok(vec![("first".to_owned(), "second".to_owned())]));
    assert!(place != "first" && place != "second");
}

#[tokio::test(start_paused = true)]
async fn it_gives_no_times_but_those_of_kotlin() {
    let source = script(paced(3, 100)).flow_on(&Handle::current());
    assert_eq!(seen(source, 300).await, ["0 1", "300 2", "600 3", "900 |"]);
}
