//! What hurries, stops, panics or exaggerates.

use std::cell::{Cell, RefCell};
use std::future::{IntoFuture, pending, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use coldflow::retry::{Backoff, GiveUpReason, Jitter, Random, RetryBudget};
use coldflow::{Flow, FlowExt, Retry, TimeoutError, flow, flow_of, once, once_with, retry};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::time::{Instant, advance, sleep, timeout};

use crate::support::Step::{Emit, Fail, Yield};
use crate::support::{Driver, Probe};

const SECOND: Duration = Duration::from_secs(1);

async fn down() -> Result<(), &'static str> {
    Err("down")
}

#[tokio::test]
async fn an_attempt_that_is_never_idle_times_out() {
    let began = std::time::Instant::now();
    let call = retry(Retry::none().attempt_timeout(Duration::from_millis(10)), || async {
        // Each poll of it uses up all that Tokio lets a task do before it is to yield.
        while began.elapsed() < SECOND {
            tokio::task::consume_budget().await;
        }
        Ok::<_, ()>("never cut off")
    });
    assert_eq!(call.await, Err(TimeoutError::Elapsed));
}

#[tokio::test]
async fn a_timeout_around_endless_failures_fires_on_the_real_clock() {
    let call = retry(Retry::immediate(u32::MAX), down);
    assert!(timeout(Duration::from_millis(20), call).await.is_err());
    let nanos = Retry::attempts(u32::MAX).backoff(Backoff::constant(Duration::from_nanos(1)));
    assert!(timeout(Duration::from_millis(20), retry(nanos, down)).await.is_err());
}

fn panics(driver: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(driver)).is_err());
}

#[test]
fn a_hook_that_panics_lifts_no_bound() {
    for hook in ["when", "hint", "on_retry", "on_give_up"] {
        let calls = Cell::new(0);
        let armed = |name: &str| {
            if name == hook {
                std::panic::resume_unwind(Box::new("of the hook"));
            }
        };
        let flow = once(|| {
            calls.set(calls.get() + 1);
            down()
        })
        .retry_with(Retry::immediate(if hook == "on_give_up" { 1 } else { 3 }))
        .when(|_| {
            armed("when");
            true
        })
        .hint(|_| {
            armed("hint");
            None
        })
        .on_retry(|_| armed("on_retry"))
        .on_give_up(|_| armed("on_give_up"));
        let mut driver = Driver::new(flow);
        panics(|| _ = driver.poll());
        for _ in 0..10 {
            if catch_unwind(AssertUnwindSafe(|| driver.poll())).is_ok_and(|poll| poll == Poll::Ready(None)) {
                break;
            }
        }
        assert_eq!(calls.get(), 1, "{hook}");
        assert!(driver.is_terminated());
        driver.restart();
        panics(|| _ = driver.poll());
        assert_eq!(calls.get(), 2, "{hook}");
    }
}

#[test]
fn a_backoff_that_panics_lifts_no_bound() {
    let calls = Cell::new(0);
    let flow = once(|| {
        calls.set(calls.get() + 1);
        down()
    });
    let backoff = std::iter::repeat_with(|| std::panic::resume_unwind(Box::new("of the backoff")));
    let mut driver = Driver::new(flow.retry_with(Retry::attempts(3).backoff(backoff)));
    panics(|| _ = driver.poll());
    assert_eq!(driver.poll(), Poll::Ready(None));
    assert_eq!(calls.get(), 1);
}

#[test]
fn without_a_runtime_a_wait_panics_and_ends_it() {
    let mut driver = Driver::new(once(down).retry_with(Retry::attempts(3).backoff(Backoff::constant(SECOND))));
    panics(|| _ = driver.poll());
    assert_eq!(driver.poll(), Poll::Ready(None));
}

#[tokio::test(start_paused = true)]
async fn a_retry_that_one_budget_refuses_takes_nothing_from_another() {
    let (all, host) = (RetryBudget::new(1.0, 0), RetryBudget::new(0.0, 0));
    for _ in 0..5 {
        let call = retry(Retry::immediate(9), down).budget(&all).budget(&host).explain();
        assert_eq!(call.await.unwrap_err().reason, GiveUpReason::Budget);
    }
    let error = retry(Retry::immediate(9), down).budget(&all).explain().await.unwrap_err();
    assert_eq!(error.attempts, 7, "five calls have paid in, and this one");
    let (floor, host) = (RetryBudget::new(0.0, 2), RetryBudget::new(0.0, 0));
    for _ in 0..5 {
        let _ = retry(Retry::immediate(9), down).budget(&floor).budget(&host).await;
    }
    let error = retry(Retry::immediate(9), down).budget(&floor).explain().await.unwrap_err();
    assert_eq!(error.attempts, 3);
}

#[tokio::test(start_paused = true)]
async fn the_floor_holds_after_136_years() {
    let budget = RetryBudget::new(0.0, 1);
    for seconds in [u64::from(u32::MAX), 1, 1, 1 << 32] {
        advance(Duration::from_secs(seconds)).await;
        let mut retries = 0;
        for _ in 0..4 {
            let _ = retry(Retry::immediate(3), down).budget(&budget).on_retry(|_| retries += 1).await;
        }
        assert!(retries <= 1, "{retries}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_longest_durations_are_no_trouble() {
    let far = [Duration::MAX, Duration::MAX / 2, Duration::MAX / 4, Duration::from_secs(1 << 40)];
    for far in far {
        for jitter in [Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated] {
            let policy = Retry::attempts(3).backoff(Backoff::exponential(far)).jitter(jitter).deadline(Duration::MAX);
            let mut driver = Driver::new(
                once(down).retry_with(policy.attempt_timeout(far)).random(Random::seeded(1)).hint(move |_| Some(far)),
            );
            assert!(driver.poll().is_pending());
            assert!(driver.poll().is_pending());
        }
    }
    let mut driver =
        Driver::new(once(pending::<Result<(), ()>>).retry_with(Retry::none().attempt_timeout(Duration::MAX)));
    assert!(driver.poll().is_pending());
    let capped = Retry::attempts(3).backoff(Backoff::constant(Duration::MAX)).cap(Duration::ZERO);
    let began = Instant::now();
    assert_eq!(retry(capped, down).hint(|_| Some(Duration::MAX)).await, Err("down"));
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_changed_waker_is_registered_in_each_phase() {
    let waits = Retry::attempts(2).backoff(Backoff::constant(SECOND)).attempt_timeout(SECOND * 100);
    for (is_wait, policy) in [(true, waits), (false, Retry::attempts(2).attempt_timeout(SECOND))] {
        let mut attempts = 0;
        let mut driver = Driver::new(
            once(|| {
                attempts += 1;
                let attempt = attempts;
                async move {
                    match (is_wait, attempt) {
                        (true, 1) => Err("down"),
                        (false, 1) => pending().await,
                        _ => Ok(attempt),
                    }
                }
            })
            .retry_with(policy),
        );
        assert!(driver.poll().is_pending());
        driver.change_waker();
        for _ in 0..3 {
            assert!(driver.poll().is_pending() && !driver.woken());
        }
        advance(SECOND + SECOND / 1000).await;
        assert!(driver.woken());
        let poll = driver.poll();
        let poll = if poll.is_pending() { driver.poll() } else { poll };
        assert_eq!(poll, Poll::Ready(Some(Ok(2))));
    }
}

#[tokio::test(start_paused = true)]
async fn stop_and_restart_in_every_phase() {
    for phase in ["fresh", "collecting", "waiting", "yielding", "done"] {
        for nested in [false, true] {
            let log = RefCell::new(Vec::new());
            let zero = phase == "yielding";
            let probe = if phase == "collecting" { Probe::of(&[Yield, Fail("x")]) } else { Probe::of(&[Fail("x")]) };
            let trace = probe.trace();
            let delay = if zero { Duration::ZERO } else { SECOND };
            let policy = Retry::attempts(2).backoff(Backoff::constant(delay)).attempt_timeout(SECOND * 3);
            let flow = probe.retry_with(policy).on_retry(|event| log.borrow_mut().push(event.attempt));
            let mut driver = if nested {
                Driver::new(flow.retry_with(Retry::none()).boxed_local())
            } else {
                Driver::new(flow.boxed_local())
            };
            for stops in [false, true, false] {
                match phase {
                    "fresh" => {}
                    "done" => {
                        while driver.poll() != Poll::Ready(None) {
                            advance(SECOND).await;
                        }
                    }
                    _ => assert!(driver.poll().is_pending()),
                }
                let _ = driver.progress();
                trace.take();
                log.borrow_mut().clear();
                if stops {
                    driver.stop();
                    assert!(driver.is_terminated() && driver.poll() == Poll::Ready(None));
                    advance(SECOND * 10).await;
                    assert!(driver.poll() == Poll::Ready(None) && driver.progress().is_ready());
                }
                driver.restart();
                assert!(trace.live().is_empty() && log.borrow().is_empty());
                assert_eq!(trace.count("start source"), 0);
                assert!(!driver.is_terminated());
                let _ = driver.progress();
                trace.take();
                advance(SECOND * 10).await;
                // From here on it does what a new one would.
                let (mut polls, began) = (0, Instant::now());
                let item = loop {
                    match driver.poll() {
                        Poll::Ready(item) => break item,
                        Poll::Pending => {
                            polls += 1;
                            assert!(polls < 10);
                            advance(SECOND).await;
                        }
                    }
                };
                assert!(matches!(item, Some(Err(_))));
                assert!(began.elapsed() >= delay);
                assert_eq!(*log.borrow(), [1], "{phase}, stopped: {stops}");
                assert_eq!(trace.count("start source"), 2);
                assert_eq!(trace.count("drop source"), 2);
                driver.restart();
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_calls_share_a_budget() {
    let budget = RetryBudget::with_reserve(0.1, 0, 10_000);
    let calls: FuturesUnordered<_> =
        (0..10_000).map(|_| retry(Retry::exponential(5), down).budget(&budget).explain().into_future()).collect();
    let attempts: u32 = calls.map(|outcome| outcome.unwrap_err().attempts).fold(0, |sum, n| ready(sum + n)).await;
    assert_eq!(attempts, 11_000);
}

#[tokio::test(start_paused = true)]
async fn inside_merges_and_select() {
    let inner = |n: u64| {
        once_with(move |attempt| async move {
            sleep(SECOND * u32::try_from(n % 3).unwrap()).await;
            if attempt < 3 { Err("down") } else { Ok((n, attempt)) }
        })
        .retry_with(Retry::immediate(3))
    };
    let items = flow_of(0..1000_u64).fallible().flat_map_merge(1000, inner).to_vec().await.unwrap();
    assert!(items.len() == 1000 && items.iter().all(|item| item.1 == 3));
    let policy = Retry::attempts(2).backoff(Backoff::constant(SECOND)).attempt_timeout(SECOND * 2);
    let again = flow_of(0..100_u64)
        .fallible()
        .flat_map_merge(100, inner)
        .map_err(|_: &str| "x")
        .retry_with(policy)
        .boxed()
        .count();
    assert_eq!(again.await, Err(TimeoutError::Elapsed));
}

#[tokio::test(start_paused = true)]
async fn a_select_loop_loses_nothing() {
    let mut ticks = tokio::time::interval(SECOND / 10);
    let mut attempts = 0;
    let mut call = pin!(
        retry(Retry::attempts(3).backoff(Backoff::constant(SECOND)), || {
            attempts += 1;
            down()
        })
        .into_future()
    );
    let (mut ticked, began) = (0, Instant::now());
    let outcome = loop {
        tokio::select! {
            biased;
            outcome = &mut call => break outcome,
            _ = ticks.tick() => ticked += 1,
        }
    };
    assert_eq!((outcome, began.elapsed(), attempts), (Err("down"), SECOND * 2, 3));
    assert!(ticked >= 19);
}

#[test]
fn an_end_that_is_known_beforehand_is_told() {
    assert!(Driver::new(Probe::of(&[]).eager().retry_with(Retry::none())).is_terminated());
    assert!(!Driver::new(Probe::of(&[]).retry_with(Retry::none())).is_terminated());
}

#[tokio::test(start_paused = true)]
async fn progress_in_each_phase_with_a_buffer_above() {
    let probe = Probe::of(&[Emit(1), Yield, Emit(2), Fail("x")]);
    let trace = probe.trace();
    let policy = Retry::attempts(2).backoff(Backoff::constant(SECOND)).attempt_timeout(SECOND * 3);
    let mut driver = Driver::new(probe.buffer(4, coldflow::Overflow::Suspend).retry_with(policy));
    assert!(driver.progress().is_ready());
    let mut got = Vec::new();
    for _ in 0..50 {
        match driver.poll() {
            Poll::Ready(None) => break,
            Poll::Ready(Some(item)) => got.push(item),
            Poll::Pending => advance(SECOND / 4).await,
        }
        for _ in 0..5 {
            let _ = driver.progress();
        }
    }
    assert_eq!(got.len(), 5);
    assert_eq!(trace.count("start source"), 2);
}

#[test]
fn types_are_what_is_expected() {
    fn is_shared<T: Send + Sync>(_: &T) {}
    fn is_sent<T: Send>(_: &T) {}
    let call = retry(Retry::exponential(3), || async { Ok::<(), ()>(()) });
    is_shared(&call);
    is_shared(&call.into_future());
    let flow = flow(async |mut emitter: coldflow::Emitter<u8>| emitter.emit(1).await).retry_with(Retry::none());
    is_sent(&flow.into_stream());
}
