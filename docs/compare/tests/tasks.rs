//! Every solution on a paused clock: what calls it makes, and when. Where the crates differ, that is asserted, too.

use std::future::Future;
use std::time::Duration;

use coldflow::TimeoutError;
use coldflow_compare::{Api, Failure, Reply, with_backon, with_coldflow, with_relentless, with_tokio_retry};

/// Runs with Tokio's clock paused: time passes when all wait.
fn on_paused_clock<Fut: Future>(future: Fut) -> Fut::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(future)
}

/// What came of a task.
struct Ran<T> {
    api: Api,
    outcome: T,
    /// When it was over, in milliseconds.
    ended: u64,
}

/// Runs a task against a server with this script.
macro_rules! run {
    ($reply:expr, $task:path) => {
        on_paused_clock(async {
            let api = Api::new($reply);
            let outcome = $task(&api).await;
            let ended = api.now();
            Ran { api, outcome, ended }
        })
    };
}

/// Runs a task with each crate, or with those that are named, and hands the name and what came of it to the check.
macro_rules! with_each {
    ($reply:expr, $task:ident, |$name:ident, $ran:ident| $check:expr) => {
        with_each!($reply, $task, |$name, $ran| $check; with_coldflow, with_backon, with_tokio_retry, with_relentless)
    };
    ($reply:expr, $task:ident, |$name:ident, $ran:ident| $check:expr; $($module:ident),*) => {
        $({
            let ($name, $ran) = (stringify!($module), run!($reply, $module::$task));
            $check
        })*
    };
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn busy(_: u32) -> Reply {
    (Duration::ZERO, Err(Failure::Busy))
}

#[test]
fn three_attempts() {
    with_each!(busy, three_attempts, |name, ran| {
        assert_eq!(ran.api.calls(), [0, 20, 40], "{name}");
        assert_eq!(ran.outcome, Err(Failure::Busy), "{name}");
    });
    let second = |call| (millis(5), if call < 2 { Err(Failure::Busy) } else { Ok(7) });
    with_each!(second, three_attempts, |name, ran| {
        assert_eq!(ran.api.calls(), [0, 25], "{name}");
        assert_eq!(ran.outcome, Ok(7), "{name}");
    });
}

#[test]
fn jitter_and_cap() {
    with_each!(busy, jitter_and_cap, |name, ran| {
        let calls = ran.api.calls();
        assert_eq!(calls.len(), 6, "{name}");
        let waits: Vec<u64> = calls.windows(2).map(|pair| pair[1] - pair[0]).collect();
        // Tokio's clock goes by the millisecond, and what is between two is waited to the next.
        assert!(waits.iter().all(|wait| *wait <= 1001), "{name}: {waits:?}");
        assert!(waits[0] <= 201 && waits != [100, 200, 400, 800, 1000], "{name}: {waits:?}");
        assert_eq!(ran.outcome, Err(Failure::Busy), "{name}");
    });
}

#[test]
fn retry_after() {
    let asks = |call| {
        let wait = if call == 1 { millis(1500) } else { millis(3_600_000) };
        (Duration::ZERO, Err(Failure::BusyFor(wait)))
    };
    with_each!(asks, retry_after, |name, ran| {
        assert_eq!(ran.api.calls(), [0, 1500, 6500], "{name}: as asked for, then the cap, then no more");
        assert_eq!(ran.outcome, Err(Failure::BusyFor(millis(3_600_000))), "{name}");
    });
    let asks_for_less =
        |call| (Duration::ZERO, Err(if call == 1 { Failure::BusyFor(millis(5)) } else { Failure::Busy }));
    with_each!(asks_for_less, retry_after, |name, ran| {
        assert_eq!(ran.api.calls(), [0, 20, 40], "{name}: the backoff, where that is longer");
    });
}

#[test]
fn deadline() {
    let slow = |_| (millis(150), Err(Failure::Busy));
    with_each!(slow, deadline, |name, ran| {
        assert_eq!(ran.api.calls(), [0, 350, 700], "{name}: the next wait would end at 1050");
        assert_eq!(ran.ended, 850, "{name}: given up at once");
        assert_eq!(ran.outcome, Err(Failure::Busy), "{name}");
    });
}

#[test]
fn attempt_timeout() {
    let hangs_first = |call| (if call == 1 { millis(3_600_000) } else { millis(10) }, Err(Failure::Busy));
    with_each!(hangs_first, attempt_timeout, |name, ran| {
        assert_eq!(ran.api.calls(), [0, 120, 150], "{name}");
        assert_eq!(ran.outcome, Err(Failure::Busy), "{name}");
    }; with_backon, with_tokio_retry, with_relentless);
    let ran = run!(hangs_first, with_coldflow::attempt_timeout);
    assert_eq!(ran.api.calls(), [0, 120, 150]);
    assert_eq!(ran.outcome, Err(TimeoutError::Upstream(Failure::Busy)));

    let hangs = |_| (millis(3_600_000), Ok(1));
    with_each!(hangs, attempt_timeout, |name, ran| {
        assert_eq!(ran.api.calls(), [0, 120, 240], "{name}");
        assert_eq!(ran.outcome, Err(Failure::TimedOut), "{name}");
    }; with_backon, with_tokio_retry, with_relentless);
    let ran = run!(hangs, with_coldflow::attempt_timeout);
    assert_eq!(ran.api.calls(), [0, 120, 240]);
    assert_eq!(ran.outcome, Err(TimeoutError::Elapsed));
}

#[test]
fn shared_budget() {
    with_each!(busy, shared_budget, |name, ran| {
        assert_eq!(ran.api.calls().len(), 20 + 2, "{name}: one retry for ten calls");
    });
}

#[test]
fn log_each_retry() {
    let lines = ["attempt 1: Busy, again in 20ms", "attempt 2: Busy, again in 20ms"];
    with_each!(busy, log_each_retry, |name, ran| {
        assert_eq!(ran.api.lines(), [(0, lines[0].to_owned()), (20, lines[1].to_owned())], "{name}");
        assert_eq!(ran.outcome, Err(Failure::Busy), "{name}");
    }; with_coldflow, with_backon, with_tokio_retry);
    let ran = run!(busy, with_relentless::log_each_retry);
    let late = [(20, lines[0].to_owned()), (40, lines[1].to_owned())];
    assert_eq!(ran.api.lines(), late, "the wait is known when it is over");
    assert_eq!(ran.outcome, Err(Failure::Busy));
}

#[test]
fn reset_when_healthy() {
    let third_is_long = |call| (if call == 3 { millis(15_000) } else { Duration::ZERO }, Err(Failure::Busy));
    with_each!(third_is_long, reset_when_healthy, |name, ran| {
        // 100 ms and 200 ms apart; then it went well for 15 s; and then 100 ms and 200 ms once more.
        // backon reckons in `f32`, so its 200 ms are a little more, and Tokio's clock goes by the millisecond.
        let expected =
            if name == "with_backon" { [0, 100, 301, 15_401, 15_602] } else { [0, 100, 300, 15_400, 15_600] };
        assert_eq!(ran.api.calls(), expected, "{name}");
        assert!(ran.outcome.is_err(), "{name}");
    });
    let never_long = |_| (millis(9_999), Err(Failure::Busy));
    with_each!(never_long, reset_when_healthy, |name, ran| {
        assert_eq!(ran.api.calls()[..2], [0, 10_099], "{name}");
        assert_eq!(ran.api.calls().len(), 3, "{name}: it failed too early to count as healthy");
    });
}

#[test]
fn retry_a_stream() {
    // Two items, then it is cut off; begun again, it gives more.
    let feed = |call| (millis(10), if call == 3 { Err(Failure::Busy) } else { Ok(call) });
    let ran = run!(feed, with_coldflow::retry_a_stream);
    assert_eq!(ran.outcome, Ok(vec![(1, 10), (2, 20), (4, 60), (5, 70)]), "as they come");
    assert_eq!(ran.api.calls(), [0, 10, 20, 50, 60]);
    let ran = run!(busy, with_coldflow::retry_a_stream);
    assert_eq!((ran.api.calls(), ran.outcome), (vec![0, 20, 40], Err(Failure::Busy)));
}

#[test]
fn attempt_number() {
    with_each!(busy, attempt_number, |name, ran| {
        assert_eq!(ran.api.numbers(), [1, 2, 3], "{name}");
        assert_eq!(ran.api.calls(), [0, 20, 40], "{name}");
        assert_eq!(ran.outcome, Err(Failure::Busy), "{name}");
    });
}

// What the page says of the crates beside their code.

#[test]
fn three_means_four_calls_with_backon_and_tokio_retry() {
    let delays = backon::ConstantBuilder::new().with_delay(millis(20)).with_max_times(3);
    let calls = on_paused_clock(async {
        let api = Api::new(busy);
        let _ = backon::Retryable::retry(|| api.fetch(), delays).await;
        api.calls()
    });
    assert_eq!(calls, [0, 20, 40, 60]);
    let calls = on_paused_clock(async {
        let api = Api::new(busy);
        let delays = tokio_retry::strategy::FixedInterval::from_millis(20).take(3);
        let _ = tokio_retry::Retry::start(delays, || api.fetch()).await;
        api.calls()
    });
    assert_eq!(calls, [0, 20, 40, 60]);
}

#[test]
fn a_hint_as_in_the_example_of_backon_has_no_bound() {
    let asks = |call| (Duration::ZERO, if call < 100 { Err(Failure::BusyFor(millis(5))) } else { Ok(call) });
    let (outcome, calls) = on_paused_clock(async {
        let api = Api::new(asks);
        let delays = backon::ConstantBuilder::new().with_delay(millis(20)).with_max_times(2);
        let fetch = backon::Retryable::retry(|| api.fetch(), delays);
        let outcome = fetch.adjust(|failure, delay| failure.retry_after().or(delay)).await;
        (outcome, api.calls().len())
    });
    assert_eq!((outcome, calls), (Ok(100), 100), "the server ended it");
}

#[test]
fn the_jitter_of_backon_exceeds_its_cap() {
    use backon::BackoffBuilder;
    let delays = backon::ExponentialBuilder::new().with_max_delay(millis(1000)).with_jitter().with_jitter_seed(1);
    assert!(delays.with_max_times(100).build().any(|delay| delay > millis(1500)));
}

#[test]
fn the_jitter_of_relentless_exceeds_a_cap_that_is_written_before_it() {
    use relentless::Wait;
    let state = relentless::RetryState::for_attempt(1);
    let after = relentless::wait::fixed(millis(1000)).cap(millis(1000)).jitter(millis(1000)).with_seed(1);
    assert!((0..100).any(|_| after.next_wait(&state) > millis(1500)));
    let before = relentless::wait::fixed(millis(1000)).jitter(millis(1000)).with_seed(1).cap(millis(1000));
    assert!((0..100).all(|_| before.next_wait(&state) <= millis(1000)));
}

#[test]
fn the_timeout_of_relentless_is_the_time_of_the_last_attempt() {
    let slow = |_| (millis(150), Err(Failure::Busy));
    let calls = on_paused_clock(async {
        let api = Api::new(slow);
        let fetch = relentless::AsyncRetryExt::retry_async(|| api.fetch()).wait(relentless::wait::fixed(millis(200)));
        let fetch = fetch.stop(relentless::stop::attempts(10)).timeout(millis(1000));
        let _ = fetch.clock(relentless::clock::TokioClock::new()).call().await;
        api.calls()
    });
    assert_eq!(calls, [0, 350, 700, 1000]);
}
