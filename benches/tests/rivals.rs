//! What the README says about the rivals, shown by running them. When one of these fails, a rival has changed, and the
//! README is to follow.

use std::cell::Cell;
use std::future::{Future, Ready, ready};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use backon::{BackoffBuilder, ConstantBuilder, Retryable as _};
use coldflow::retry::Backoff;
use coldflow::{FlowExt, Overflow, Retry, SingleError, flow, flow_of, once, retry};
use futures::StreamExt;
use tokio::time::{Instant, sleep};

/// Runs on Tokio with its clock paused: time passes when all wait.
fn on_paused_clock<Fut: Future>(future: Fut) -> Fut::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(future)
}

/// A fetch that is always refused, and how often it was called.
#[derive(Default)]
struct Refusing(Cell<u32>);

impl Refusing {
    fn fetch(&self) -> Ready<Result<u32, &'static str>> {
        self.0.set(self.0.get() + 1);
        ready(Err("busy"))
    }

    fn calls(&self) -> u32 {
        self.0.get()
    }
}

/// backon's way to wait three times for no time.
fn three_times() -> impl backon::Backoff {
    ConstantBuilder::default().with_delay(Duration::ZERO).with_max_times(3).build()
}

#[test]
fn three_is_four_calls_with_backon() {
    let server = Refusing::default();
    let outcome = on_paused_clock((|| server.fetch()).retry(three_times()).sleep(sleep));
    assert_eq!((outcome, server.calls()), (Err("busy"), 4));
}

#[test]
fn three_is_four_calls_with_tokio_retry() {
    let server = Refusing::default();
    let delays = std::iter::repeat_n(Duration::ZERO, 3);
    let outcome = on_paused_clock(tokio_retry::Retry::start(delays, || server.fetch()));
    assert_eq!((outcome, server.calls()), (Err("busy"), 4));
}

#[test]
fn three_is_three_calls_where_attempts_are_compared() {
    let server = Refusing::default();
    let chain =
        once(|| server.fetch()).retry_when(async |cause, retried| if retried + 1 >= 3 { Err(cause) } else { Ok(()) });
    let outcome = on_paused_clock(chain.single());
    assert_eq!((outcome.unwrap_err().into_upstream(), server.calls()), (Some("busy"), 3));
}

/// The server says how long to wait, as `Retry-After` does; backon's documentation lets `adjust` return that.
#[test]
fn a_wait_that_the_server_asks_for_lifts_the_bound_of_backon() {
    let server = Refusing::default();
    let fetch = || async { if server.calls() == 100 { Ok(100) } else { server.fetch().await } };
    let asked_for = Duration::from_secs(1);
    let outcome = on_paused_clock(fetch.retry(three_times()).sleep(sleep).adjust(|_, _| Some(asked_for)));
    assert_eq!((outcome, server.calls()), (Ok(100), 100), "it goes on until somebody else ends it");
}

/// How many calls the first poll of a retry makes that would go on up to 10,000.
fn calls_in_one_poll<Fut: Future>(retry: impl FnOnce(&'static Refusing) -> Fut) -> u32 {
    let server: &Refusing = Box::leak(Box::default());
    let retry = pin!(retry(server));
    let _ = retry.poll(&mut Context::from_waker(Waker::noop()));
    server.calls()
}

#[test]
fn a_retry_that_never_waits_lets_others_in_and_with_backon_does_not() {
    let backon = calls_in_one_poll(|server| {
        let delays = ConstantBuilder::default().with_delay(Duration::ZERO).with_max_times(9_999).build();
        (|| server.fetch()).retry(delays).sleep(|_| ready(()))
    });
    assert_eq!(backon, 10_000);
    let coldflow = calls_in_one_poll(|server| once(|| server.fetch()).retry(9_999).single());
    assert_eq!(coldflow, 32);
}

/// Some work that needs to be polled each time it goes on.
async fn work(steps: u64) -> u64 {
    for _ in 0..steps {
        sleep(Duration::from_millis(100)).await;
    }
    steps
}

/// How long a consumer needs that is busy for 300 ms with each of three items, the last of which takes 300 ms to make.
#[test]
fn what_runs_beside_a_busy_consumer_goes_on_and_with_futures_stands_still() {
    let busy = || sleep(Duration::from_millis(300));
    let coldflow = on_paused_clock(async {
        let began = Instant::now();
        let Ok(()) = flow_of(1..=3).then_concurrent(3, work).for_each(|_| busy()).await;
        began.elapsed().as_millis()
    });
    assert_eq!(coldflow, 100 + 3 * 300);
    let futures = on_paused_clock(async {
        let began = Instant::now();
        futures::stream::iter(1..=3).map(work).buffered(3).for_each(|_| busy()).await;
        began.elapsed().as_millis()
    });
    assert!(futures > coldflow, "{futures} ms, and {coldflow} with progress");
}

#[test]
fn a_stream_that_is_polled_again_after_its_error_hides_what_was_lost() {
    let mut half_read = futures::stream::iter([Ok(1), Err("cut off"), Ok(3)]);
    let again = on_paused_clock(async {
        let before: Vec<_> = half_read.by_ref().take(2).collect().await;
        assert_eq!(before, [Ok(1), Err("cut off")]);
        half_read.next().await
    });
    assert_eq!(again, Some(Ok(3)));
    assert_eq!(pin!(half_read.next()).poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(None));
}

#[test]
fn three_is_four_calls_with_coroflow() {
    let calls = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&calls);
    let call = coroflow::flow(|emitter| async move {
        counted.fetch_add(1, Ordering::Relaxed);
        emitter.emit(Err::<u32, _>("busy")).await;
    });
    let outcome = on_paused_clock(coroflow::FlowExt::to_vec(&coroflow::FlowExt::retry(call, 3)));
    assert_eq!((outcome, calls.load(Ordering::Relaxed)), (vec![Err("busy")], 4));
}

#[test]
fn emitting_twice_at_once_loses_a_value_with_coroflow() {
    // Here it does not compile: tests/ui/emit_twice_at_once.rs.
    let numbers = coroflow::flow(|emitter| async move {
        futures::join!(emitter.emit(1), emitter.emit(2));
        emitter.emit(3).await;
    });
    assert_eq!(on_paused_clock(coroflow::FlowExt::to_vec(&numbers)), [2, 3]);
}

#[test]
fn none_and_several_are_told_apart_and_with_coroflow_they_are_not() {
    let (none, several) = (coroflow::flow_of(vec![0; 0]), coroflow::flow_of(vec![1, 2]));
    assert_eq!(on_paused_clock(coroflow::FlowExt::single(&none)), None);
    assert_eq!(on_paused_clock(coroflow::FlowExt::single(&several)), None);
    assert_eq!(on_paused_clock(flow_of([0; 0]).single()), Err(SingleError::Empty));
    assert_eq!(on_paused_clock(flow_of([1, 2]).single()), Err(SingleError::MoreThanOne));
}

#[test]
fn a_wait_is_on_the_clock_that_tests_pause_and_with_coroflow_it_is_not() {
    let wait = Duration::from_millis(20);
    let busy = coroflow::flow_of(vec![Err::<u32, _>("busy")]);
    let coroflow = coroflow::FlowExt::retry_when(busy, move |_, retried| (retried < 1).then_some(wait));
    let real = std::time::Instant::now();
    let paused = on_paused_clock(async {
        let began = Instant::now();
        coroflow::FlowExt::to_vec(&coroflow).await;
        began.elapsed()
    });
    assert!(paused.is_zero() && real.elapsed() >= wait, "a test has to wait for it");

    let paused = on_paused_clock(async {
        let began = Instant::now();
        let policy = Retry::attempts(2).backoff(Backoff::constant(Duration::from_secs(3600)));
        let outcome = retry(policy, || ready(Err::<u32, _>("busy"))).await;
        (outcome, began.elapsed().as_secs())
    });
    assert_eq!(paused, (Err("busy"), 3600));
}

#[test]
fn a_buffer_runs_in_the_task_of_its_consumer_and_with_coroflow_in_another_thread() {
    let here = std::thread::current().id();
    let thread = || std::thread::current().id();
    let elsewhere = coroflow::flow(move |emitter| async move { emitter.emit(thread()).await });
    let elsewhere = on_paused_clock(coroflow::FlowExt::to_vec(&coroflow::FlowExt::buffer(elsewhere, 2)));
    assert!(elsewhere.len() == 1 && elsewhere[0] != here);
    let ours = flow(async |mut emitter| emitter.emit(thread()).await).buffer(2, Overflow::Suspend);
    assert_eq!(on_paused_clock(ours.to_vec()), Ok(vec![here]));
}
