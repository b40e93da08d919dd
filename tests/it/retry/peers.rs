//! Where other retry crates burn their users: each of their cases, against ours.

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::future::{Future, IntoFuture, Ready, ready};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use coldflow::retry::{Backoff, Jitter, Random};
use coldflow::{Flow, FlowExt, Retry, defer, flow, once, once_with, retry, stream, try_stream};
use futures::future::FusedFuture;
use futures::stream::FusedStream;
use futures::{StreamExt, poll};
use tokio::time::{Instant, advance, sleep, timeout};

use crate::allocations::allocations;

const MS: Duration = Duration::from_millis(1);

/// A server that is down, and when it was asked, in milliseconds.
struct Server {
    opened: Instant,
    calls: RefCell<Vec<u128>>,
}

impl Server {
    fn new() -> Self {
        Server { opened: Instant::now(), calls: RefCell::new(Vec::with_capacity(16)) }
    }

    async fn fetch(&self) -> Result<u32, &'static str> {
        self.calls.borrow_mut().push(self.opened.elapsed().as_millis());
        Err("down")
    }

    fn now(&self) -> u128 {
        self.opened.elapsed().as_millis()
    }
}

/// The row of the table: "3", 20 ms apart, always fails.
fn three() -> Retry {
    Retry::attempts(3).backoff(Backoff::constant(20 * MS))
}

#[tokio::test(start_paused = true)]
async fn three_attempts_are_three_calls_in_40_ms_without_an_allocation() {
    let server = Server::new();
    // The runtime's timer takes memory when it is first used.
    sleep(MS).await;
    let before = (allocations(), server.now());
    let outcome = retry(three(), || server.fetch()).await;
    assert_eq!((allocations() - before.0, server.now() - before.1), (0, 40));
    assert_eq!(outcome, Err("down"));
    assert_eq!(*server.calls.borrow(), [1, 21, 41]);
}

#[tokio::test(start_paused = true)]
async fn the_same_as_a_flow_and_with_the_number_of_the_attempt() {
    let server = Server::new();
    sleep(MS).await;
    let before = allocations();
    assert!(once(|| server.fetch()).retry_with(three()).single().await.is_err());
    assert!(once_with(|_| server.fetch()).retry_with(three()).await.is_err());
    assert_eq!(allocations() - before, 0);
    assert_eq!(*server.calls.borrow(), [1, 21, 41, 41, 61, 81]);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_attempts_allocate_no_more_than_one() {
    let server = Server { opened: Instant::now(), calls: RefCell::new(Vec::with_capacity(1000)) };
    let policy = Retry::exponential(1000).jitter(Jitter::Decorrelated).deadline(Duration::MAX);
    sleep(MS).await;
    let before = allocations();
    let outcome = retry(policy, || server.fetch())
        .when(|cause| *cause == "down")
        .hint(|_| Some(MS))
        .on_retry(|event| assert!(event.wait >= MS))
        .explain()
        .await;
    assert_eq!(allocations() - before, 0);
    assert_eq!(outcome.unwrap_err().attempts, 1000);
}

/// The rivals, for the same row: 144 bytes (tokio-retry) to 960 (qubit-retry), 192 of them backon, 232 relentless.
#[test]
fn the_future_is_no_larger_than_those_that_do_the_same() {
    fn busy() -> Ready<Result<u32, &'static str>> {
        ready(Err("down"))
    }
    let plain = size_of_val(&retry(three(), busy).into_future());
    let all = retry(three().attempt_timeout(MS), busy).when(|_| true).hint(|_| None).on_retry(|_| ()).explain();
    let all = size_of_val(&all.into_future());
    println!("{plain} bytes, {all} with a say for everybody");
    // execution-policy, which has hints and budgets and limits as well, takes 504 and three allocations.
    assert!(plain <= 504 && all <= 504, "{plain} and {all} bytes");
}

// backon: 500 calls for "3", with a hint as in its own example.
#[tokio::test(start_paused = true)]
async fn retry_after_does_not_lift_the_bound() {
    for hint in [Duration::ZERO, MS, Duration::from_secs(1)] {
        let server = Server::new();
        let outcome = retry(three(), || server.fetch()).hint(move |_| Some(hint)).await;
        assert_eq!((outcome, server.calls.borrow().len()), (Err("down"), 3), "{hint:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn nor_does_any_hook() {
    let server = Server::new();
    let outcome = retry(three(), || server.fetch())
        .when(|_| true)
        .hint(|_| Some(MS))
        .hint(|_| None)
        .on_retry(|_| ())
        .on_give_up(|_| ())
        .explain()
        .await;
    assert_eq!((outcome.unwrap_err().attempts, server.calls.borrow().len()), (3, 3));
}

#[tokio::test(start_paused = true)]
async fn nor_does_the_end_of_the_delays_hand_over_to_the_hints() {
    let server = Server::new();
    let policy = Retry::attempts(500).backoff(Backoff::list([MS, MS]));
    assert!(retry(policy, || server.fetch()).hint(|_| Some(MS)).await.is_err());
    assert_eq!(server.calls.borrow().len(), 3);
}

// backoff: 500 calls and 2500 s for 70 ms, with a hint; and 200 calls without one, since its clock is not Tokio's.
#[tokio::test(start_paused = true)]
async fn the_deadline_holds_under_any_hint_and_on_a_paused_clock() {
    let server = Server::new();
    let policy = Retry::attempts(500).backoff(Backoff::constant(20 * MS)).deadline(70 * MS);
    assert!(retry(policy.clone(), || server.fetch()).await.is_err());
    assert_eq!(*server.calls.borrow(), [0, 20, 40, 60]);
    assert_eq!(server.now(), 60, "the wait that would end at 80 is not begun");

    let server = Server::new();
    assert!(retry(policy.clone().deadline(60 * MS), || server.fetch()).await.is_err());
    assert_eq!(*server.calls.borrow(), [0, 20, 40, 60], "one that ends with it does not pass it");

    let server = Server::new();
    assert!(retry(policy, || server.fetch()).hint(|_| Some(Duration::from_secs(5))).await.is_err());
    assert_eq!((server.calls.borrow().len(), server.now()), (1, 0));
}

// backoff: the closure of the second attempt runs before the wait.
#[tokio::test(start_paused = true)]
async fn the_closure_runs_after_the_wait_as_its_future_does() {
    let began = Instant::now();
    let (mut made, polled) = (Vec::new(), RefCell::new(Vec::new()));
    let outcome = retry(three(), || {
        made.push(began.elapsed().as_millis());
        async {
            polled.borrow_mut().push(began.elapsed().as_millis());
            Err::<(), _>("down")
        }
    });
    assert!(outcome.await.is_err());
    assert_eq!(made, [0, 20, 40]);
    assert_eq!(*polled.borrow(), [0, 20, 40]);
}

// tokio-retry2: 5 s are asked for, 20 ms are waited, and the hook is told 5 s, once more than there are retries.
#[tokio::test(start_paused = true)]
async fn the_hint_is_what_is_waited_and_what_the_hook_is_told() {
    let server = Server::new();
    let mut told = Vec::new();
    let outcome = retry(three(), || server.fetch())
        .hint(|_| Some(Duration::from_secs(5)))
        .on_retry(|event| told.push((event.attempt, event.wait.as_secs())));
    assert!(outcome.await.is_err());
    assert_eq!(*server.calls.borrow(), [0, 5_000, 10_000]);
    assert_eq!(told, [(1, 5), (2, 5)]);
}

// futures-retry: the body runs once, and `Ok([1, 2])` comes out.
#[tokio::test(start_paused = true)]
async fn the_stream_is_run_again_and_its_error_is_no_success() {
    let runs = Cell::new(0);
    let body = || {
        runs.set(runs.get() + 1);
        let run = runs.get();
        try_stream! {
            yield 1;
            yield 2;
            if run < 2 {
                Err("cut off")?;
            }
            yield 3;
        }
    };
    let items: Result<Vec<i32>, &str> = defer(body).retry_with(three()).to_vec().await;
    assert_eq!(items, Ok(vec![1, 2, 1, 2, 3]));
    assert_eq!(runs.get(), 2);

    let broken = || {
        stream! {
            yield Ok(1);
            yield Err("cut off");
            yield Ok(3);
        }
    };
    let mut items = Vec::new();
    let mut stream = pin!(defer(broken).retry_with(three()).into_stream());
    while let Some(item) = stream.next().await {
        items.push(item);
    }
    assert_eq!(items, [Ok(1), Ok(1), Ok(1), Err("cut off")]);
}

// All six futures that were tried panic, and none is fused.
#[tokio::test(start_paused = true)]
async fn polling_after_completion_is_no_panic_and_no_further_call() {
    let server = Server::new();
    let mut call = pin!(retry(three(), || server.fetch()).into_future());
    assert!(!call.is_terminated());
    assert_eq!((&mut call).await, Err("down"));
    assert!(call.is_terminated());
    for _ in 0..3 {
        assert!(poll!(&mut call).is_pending());
    }
    assert_eq!(server.calls.borrow().len(), 3);

    let mut stream = pin!(flow(async |_: coldflow::Emitter<u8>| Err("down")).retry_with(three()).into_stream());
    assert_eq!(stream.next().await, Some(Err("down")));
    assert!(stream.is_terminated());
    assert_eq!((stream.next().await, stream.next().await), (None, None));
}

#[tokio::test(start_paused = true)]
async fn it_can_stand_in_a_loop_with_select() {
    let server = Server::new();
    let mut call = pin!(retry(three(), || server.fetch()).into_future());
    let mut ticks = 0;
    let outcome = loop {
        futures::select! {
            outcome = call => break outcome,
            () = futures::FutureExt::fuse(Box::pin(sleep(7 * MS))) => ticks += 1,
        }
    };
    assert_eq!((outcome, ticks), (Err("down"), 5));
    futures::select! {
        _ = call => unreachable!("it is over"),
        default => {}
        complete => {}
    }
}

// backon: 100,001 calls within one poll, and the timeout around it never fires.
#[tokio::test(start_paused = true)]
async fn attempts_without_a_wait_let_a_timeout_around_them_fire() {
    let server = Server::new();
    let endless = retry(Retry::immediate(100_000), || server.fetch());
    let mut limited = pin!(timeout(MS, endless));
    for _ in 0..10 {
        assert!(poll!(&mut limited).is_pending());
    }
    // The clock is paused, and moves by itself only when nobody has anything to do.
    advance(2 * MS).await;
    assert!(limited.await.is_err());
    assert!(server.calls.borrow().len() <= 12 * 32, "{} calls", server.calls.borrow().len());
}

#[test]
fn attempts_without_a_wait_are_at_most_32_in_a_poll() {
    let calls = Cell::new(0);
    let body = || {
        calls.set(calls.get() + 1);
        ready(Err::<u8, _>("down"))
    };
    let mut call = pin!(retry(Retry::immediate(100_000), body).into_future());
    assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert!(calls.get() <= 32, "{} calls", calls.get());
}

// tokio-retry, tokio-retry2 and backoff: the closure is called when the future is made.
#[test]
fn nothing_is_called_before_the_first_poll() {
    let calls = Cell::new(0);
    let body = || {
        calls.set(calls.get() + 1);
        ready(Ok::<_, Infallible>(1))
    };
    let mut call = pin!(retry(three(), body).into_future());
    drop(retry(three(), body));
    assert_eq!(calls.get(), 0);
    assert_eq!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(1)));
    assert_eq!(calls.get(), 1);
}

// backon: the jitter is added to the capped delay.
#[tokio::test(start_paused = true)]
async fn jitter_does_not_exceed_the_cap() {
    let cap = 250 * MS;
    for jitter in [Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated] {
        let policy = Retry::attempts(1000).backoff(Backoff::exponential(100 * MS)).jitter(jitter).cap(cap);
        let longest = policy.waits(Random::seeded(3)).max().unwrap();
        assert!(longest <= cap && longest > cap * 9 / 10, "{jitter:?}: {longest:?}");
        let server = Server::new();
        let outcome = retry(policy.clone(), || server.fetch()).on_retry(|event| assert!(event.wait <= cap)).await;
        assert!(outcome.is_err());
        let calls = server.calls.borrow();
        // Tokio's clock goes by the millisecond, and what is between two is waited to the next.
        assert!(calls.windows(2).all(|pair| pair[1] - pair[0] <= 251), "{jitter:?}: {calls:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn nor_does_a_hint() {
    let server = Server::new();
    let outcome = retry(three().cap(30 * MS), || server.fetch()).hint(|_| Some(Duration::from_secs(3600))).await;
    assert_eq!((outcome, server.now()), (Err("down"), 60));
}

// tryhard: the hook runs in a task of its own, whenever that comes to it.
#[tokio::test(start_paused = true)]
async fn the_hook_is_told_before_the_wait() {
    let began = Instant::now();
    let told = RefCell::new(Vec::new());
    let outcome = retry(three(), || async {
        told.borrow_mut().push((began.elapsed().as_millis(), "called"));
        Err::<(), _>("down")
    })
    .on_retry(|_| told.borrow_mut().push((began.elapsed().as_millis(), "told")))
    .on_give_up(|_| told.borrow_mut().push((began.elapsed().as_millis(), "over")));
    assert!(outcome.await.is_err());
    let expected = [(0, "called"), (0, "told"), (20, "called"), (20, "told"), (40, "called"), (40, "over")];
    assert_eq!(*told.borrow(), expected);
}

// mulligan and execution-policy, whose closures are `AsyncFn`: "`Send` is not general enough".
#[tokio::test(start_paused = true)]
async fn what_borrows_can_be_spawned_with_a_plain_and_with_an_async_closure() {
    struct Api(u32);

    impl Api {
        async fn call(&self) -> Result<u32, String> {
            sleep(MS).await;
            Ok(self.0)
        }
    }

    async fn fetch(api: &Api) -> Result<u32, String> {
        retry(three(), async || api.call().await).when(String::is_empty).await
    }

    let plain = tokio::spawn(async move {
        let api = Api(1);
        retry(three(), || api.call()).await
    });
    let asynchronous = tokio::spawn(async move {
        let api = Api(2);
        fetch(&api).await
    });
    assert_eq!((plain.await.unwrap(), asynchronous.await.unwrap()), (Ok(1), Ok(2)));
}
