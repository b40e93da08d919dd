//! Properties of retries by a policy: for any policy, any script of failures and any hints. They are judged by a model that
//! reckons from the policy's own numbers.

use std::cell::{Cell, RefCell};
use std::future::IntoFuture;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use coldflow::retry::{Backoff, GiveUpReason, Jitter, Random, ResetAfter, RetryBudget};
use coldflow::{FlowExt, Retry, RetryError, TimeoutError, flow_with, retry};
use proptest::prelude::*;
use tokio::time::{Instant, sleep};

use crate::support::block_on;

const MS: Duration = Duration::from_millis(1);

/// Tokio's clock goes by the millisecond: what lies between two is waited to the next.
const TICK: Duration = MS;

/// Runs with Tokio's clock paused: time passes when all wait.
fn on_paused_clock<Fut: Future>(future: Fut) -> Fut::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(future)
}

/// A policy as its numbers, from which the policy and the model's expectations are made.
#[derive(Clone, Debug)]
struct Numbers {
    attempts: u32,
    backoff: Backoff,
    jitter: Jitter,
    cap: Option<Duration>,
    deadline: Option<Duration>,
}

impl Numbers {
    fn policy(&self) -> Retry {
        let mut policy = Retry::attempts(self.attempts).backoff(self.backoff.clone()).jitter(self.jitter);
        if let Some(cap) = self.cap {
            policy = policy.cap(cap);
        }
        if let Some(deadline) = self.deadline {
            policy = policy.deadline(deadline);
        }
        policy
    }

    /// The shortest and the longest wait after each failure, if no hint says more. `previous` is what was drawn before.
    fn range(&self, delays: &[Duration], failure: usize, previous: Option<Duration>) -> Option<(Duration, Duration)> {
        let cap = self.cap.unwrap_or(Duration::MAX);
        let (first, delay) = (delays.first()?.min(&cap), delays.get(failure)?.min(&cap));
        Some(match self.jitter {
            Jitter::None => (*delay, *delay),
            Jitter::Full => (Duration::ZERO, *delay),
            Jitter::Equal => (*delay / 2, *delay),
            Jitter::Decorrelated => {
                let longest = previous.unwrap_or(*first).max(*first).saturating_mul(3).min(cap);
                (*first, longest)
            }
        })
    }
}

/// One attempt: how long it takes, whether it fails, and what it hints at.
#[derive(Clone, Copy, Debug)]
struct Attempt {
    takes: Duration,
    fails: bool,
    hint: Option<Duration>,
}

/// Whole milliseconds, and now and then what lies between two.
fn durations(longest: u64) -> impl Strategy<Value = Duration> {
    prop_oneof![
        1 => Just(Duration::ZERO),
        8 => (0..=longest).prop_map(Duration::from_millis),
        2 => (0..=longest * 1_000_000).prop_map(Duration::from_nanos),
    ]
}

fn backoffs() -> impl Strategy<Value = Backoff> {
    prop_oneof![
        durations(500).prop_map(Backoff::constant),
        (durations(500), durations(200)).prop_map(|(first, step)| Backoff::linear(first, step)),
        durations(200).prop_map(Backoff::exponential),
        (durations(200), 1.0..10.0).prop_map(|(first, factor)| Backoff::exponential_by(first, factor)),
        durations(300).prop_map(Backoff::fibonacci),
        prop::collection::vec(durations(1000), 0..6).prop_map(Backoff::list),
    ]
}

fn jitters() -> impl Strategy<Value = Jitter> {
    prop::sample::select(vec![Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated])
}

fn numbers() -> impl Strategy<Value = Numbers> {
    let rest = (prop::option::of(durations(1500)), prop::option::of(durations(5000)));
    (1..12_u32, backoffs(), jitters(), rest).prop_map(|(attempts, backoff, jitter, (cap, deadline))| Numbers {
        attempts,
        backoff,
        jitter,
        cap,
        deadline,
    })
}

fn scripts() -> impl Strategy<Value = Vec<Attempt>> {
    let attempt = (durations(400), prop::bool::weighted(0.85), prop::option::of(durations(3000)));
    prop::collection::vec(attempt.prop_map(|(takes, fails, hint)| Attempt { takes, fails, hint }), 1..14)
}

/// The script goes round.
fn at(script: &[Attempt], attempt: usize) -> Attempt {
    script[attempt % script.len()]
}

/// When an attempt began and ended, since the first began.
type Times = (Duration, Duration);

/// What came of a run.
#[derive(Debug)]
struct Seen {
    outcome: Result<usize, RetryError<usize>>,
    attempts: Vec<Times>,
    /// Of each retry: the number of the failed attempt, the wait, and the time.
    retries: Vec<(u32, Duration, Duration)>,
    gave_up: Option<(u32, GiveUpReason)>,
    ended: Duration,
}

/// Plays a script. The error is the place of the attempt.
fn play(policy: Retry, script: &[Attempt], seed: u64) -> Seen {
    on_paused_clock(async {
        let began = Instant::now();
        let attempts: RefCell<Vec<Times>> = RefCell::default();
        let (mut retries, mut gave_up) = (Vec::new(), None);
        let outcome = retry(policy, || async {
            let place = attempts.borrow().len();
            let start = began.elapsed();
            attempts.borrow_mut().push((start, Duration::MAX));
            let Attempt { takes, fails, .. } = at(script, place);
            sleep(takes).await;
            attempts.borrow_mut()[place] = (start, began.elapsed());
            if fails { Err(place) } else { Ok(place) }
        })
        .hint(|place| at(script, *place).hint)
        .on_retry(|event| retries.push((event.attempt, event.wait, event.elapsed)))
        .on_give_up(|event| gave_up = Some((event.attempts, event.reason)))
        .random(Random::seeded(seed))
        .explain()
        .await;
        let ended = began.elapsed();
        Seen { outcome, attempts: attempts.into_inner(), retries, gave_up, ended }
    })
}

proptest! {
    #[test]
    fn there_are_never_more_attempts_than_the_bound(numbers in numbers(), script in scripts(), seed in any::<u64>()) {
        let seen = play(numbers.policy(), &script, seed);
        prop_assert!(seen.attempts.len() <= numbers.attempts as usize);
        prop_assert_eq!(seen.retries.len() + 1, seen.attempts.len(), "one event for each retry");
    }

    #[test]
    fn no_wait_is_longer_than_the_cap(numbers in numbers(), script in scripts(), seed in any::<u64>()) {
        let seen = play(numbers.policy(), &script, seed);
        let cap = numbers.cap.unwrap_or(Duration::MAX - TICK);
        for (pair, (_, wait, _)) in seen.attempts.windows(2).zip(&seen.retries) {
            prop_assert!(*wait <= cap);
            let waited = pair[1].0 - pair[0].1;
            prop_assert!(waited >= *wait && waited < *wait + TICK, "{waited:?} for {wait:?}");
        }
    }

    #[test]
    fn it_takes_no_longer_than_the_deadline_and_the_last_attempt(
        numbers in numbers(), script in scripts(), seed in any::<u64>(),
    ) {
        let seen = play(numbers.policy(), &script, seed);
        let (start, end) = seen.attempts[seen.attempts.len() - 1];
        prop_assert_eq!(seen.ended, end, "it is over with the last attempt");
        if let Some(deadline) = numbers.deadline {
            prop_assert!(start < deadline + TICK, "the last attempt begins at {start:?}");
            for (_, wait, elapsed) in &seen.retries {
                prop_assert!(*elapsed + *wait <= deadline, "no wait that would pass it is begun");
            }
        }
    }

    #[test]
    fn each_wait_is_the_longer_one_of_backoff_and_hint_and_then_capped(
        numbers in numbers(), script in scripts(), seed in any::<u64>(),
    ) {
        let delays: Vec<_> = numbers.backoff.clone().into_iter().take(numbers.attempts as usize).collect();
        let drawn: Vec<_> = numbers.policy().waits(Random::seeded(seed)).collect();
        let seen = play(numbers.policy(), &script, seed);
        let cap = numbers.cap.unwrap_or(Duration::MAX);
        for (failure, (attempt, wait, elapsed)) in seen.retries.iter().enumerate() {
            prop_assert_eq!((*attempt as usize, *elapsed), (failure + 1, seen.attempts[failure].1));
            let previous = failure.checked_sub(1).map(|before| drawn[before]);
            let (shortest, longest) = numbers.range(&delays, failure, previous).expect("a delay for each retry");
            let own = drawn[failure];
            prop_assert!(shortest <= own && own <= longest, "{own:?} of {shortest:?} to {longest:?}");
            let hint = at(&script, failure).hint.unwrap_or_default();
            prop_assert_eq!(*wait, own.max(hint).min(cap));
        }
    }

    #[test]
    fn it_ends_for_the_reason_that_it_says(numbers in numbers(), script in scripts(), seed in any::<u64>()) {
        let delays = numbers.backoff.clone().into_iter().take(numbers.attempts as usize).count();
        let drawn: Vec<_> = numbers.policy().waits(Random::seeded(seed)).collect();
        let seen = play(numbers.policy(), &script, seed);
        let made = seen.attempts.len();
        let last = at(&script, made - 1);
        prop_assert_eq!(seen.outcome.is_ok(), !last.fails);
        for earlier in 0..made - 1 {
            prop_assert!(at(&script, earlier).fails, "a success ends it");
        }
        match seen.outcome {
            Ok(place) => {
                prop_assert_eq!(place + 1, made);
                prop_assert_eq!(seen.gave_up, None);
            }
            Err(error) => {
                prop_assert_eq!(seen.gave_up, Some((error.attempts, error.reason)));
                prop_assert_eq!((error.attempts as usize, error.source + 1, error.elapsed), (made, made, seen.ended));
                let used_up = made == numbers.attempts as usize || delays == made - 1;
                prop_assert_eq!(error.reason == GiveUpReason::Exhausted, used_up);
                if !used_up {
                    prop_assert_eq!(error.reason, GiveUpReason::Deadline);
                    let wait = drawn[made - 1].max(last.hint.unwrap_or_default()).min(numbers.cap.unwrap_or(Duration::MAX));
                    prop_assert!(seen.ended + wait > numbers.deadline.unwrap(), "it would not have passed the deadline");
                }
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_waits(numbers in numbers(), script in scripts(), seed in any::<u64>()) {
        let first = play(numbers.policy(), &script, seed);
        let second = play(numbers.policy(), &script, seed);
        prop_assert_eq!(&first.retries, &second.retries);
        prop_assert_eq!(first.attempts, second.attempts);
        let policy = numbers.policy();
        let waits: Vec<_> = policy.waits(Random::seeded(seed)).collect();
        for (attempt, wait) in (1..).zip(&waits) {
            prop_assert_eq!(policy.delay(attempt, Random::seeded(seed)), Some(*wait), "a pure function");
        }
        prop_assert_eq!(policy.delay(u32::try_from(waits.len()).unwrap() + 1, Random::seeded(seed)), None);
        prop_assert_eq!(policy.delay(0, Random::seeded(seed)), None);
    }

    #[test]
    fn a_flow_is_retried_as_a_call_is(numbers in numbers(), script in scripts(), seed in any::<u64>()) {
        let call = play(numbers.policy(), &script, seed);
        let flow = on_paused_clock(async {
            let began = Instant::now();
            let starts = RefCell::new(Vec::new());
            let flow = flow_with(async |attempt, mut emitter| {
                starts.borrow_mut().push(began.elapsed());
                let place = usize::try_from(attempt).unwrap() - 1;
                let Attempt { takes, fails, .. } = at(&script, place);
                sleep(takes).await;
                if fails {
                    return Err(place);
                }
                emitter.emit(place).await;
                Ok(())
            });
            let retried = flow
                .retry_with(numbers.policy())
                .hint(|place| at(&script, *place).hint)
                .random(Random::seeded(seed))
                .explain();
            let outcome = retried.single().await.map_err(|error| error.into_upstream().unwrap());
            (outcome, starts.into_inner())
        });
        prop_assert_eq!(flow, (call.outcome, call.attempts.into_iter().map(|(start, _)| start).collect()));
    }

    #[test]
    fn no_attempt_outlives_its_limit(numbers in numbers(), script in scripts(), limit in 1..300_u64) {
        let limit = Duration::from_millis(limit);
        let (outcome, spans) = on_paused_clock(async {
            let began = Instant::now();
            let spans = RefCell::new(Vec::new());
            let outcome = retry(numbers.policy().attempt_timeout(limit), || {
                let place = spans.borrow().len();
                spans.borrow_mut().push((began.elapsed(), began.elapsed()));
                let running = Running { began, spans: &spans, place };
                let Attempt { takes, fails, .. } = at(&script, place);
                async move {
                    let _running = running;
                    sleep(takes).await;
                    if fails { Err(place) } else { Ok(place) }
                }
            });
            (outcome.await, spans.into_inner())
        });
        prop_assert!(spans.len() <= numbers.attempts as usize);
        for (place, (start, end)) in spans.iter().enumerate() {
            let takes = at(&script, place).takes;
            prop_assert!(*end - *start < takes.min(limit) + TICK, "attempt {place} ran for {:?}", *end - *start);
        }
        // Within the same millisecond either may come first.
        let last = at(&script, spans.len() - 1);
        if last.takes >= limit + TICK {
            prop_assert_eq!(outcome, Err(TimeoutError::Elapsed));
        } else if last.takes + TICK <= limit {
            let place = spans.len() - 1;
            prop_assert_eq!(outcome, if last.fails { Err(TimeoutError::Upstream(place)) } else { Ok(place) });
        }
    }

    #[test]
    fn after_a_reset_the_bound_is_of_the_streak(
        attempts in 1..5_u32, backoff in backoffs(), healthy in 1..4_u64,
        items in prop::collection::vec(0..6_u64, 1..20),
    ) {
        let policy = Retry::attempts(attempts).backoff(backoff.clone()).reset_after(ResetAfter::items(healthy));
        let runs = Cell::new(0);
        let mut waits = Vec::new();
        let flow = flow_with(async |attempt, mut emitter| {
            runs.set(attempt);
            // After the script it fails without an item, so that it comes to an end.
            let items = items.get(usize::try_from(attempt - 1).unwrap()).copied().unwrap_or(0);
            for item in 0..items {
                emitter.emit(item).await;
            }
            Err::<(), _>("cut off")
        });
        let outcome = on_paused_clock(async {
            flow.retry_with(policy).on_retry(|event| waits.push((event.attempt, event.wait))).explain().run().await
        });

        let delays: Vec<_> = backoff.into_iter().take(attempts as usize).collect();
        let (mut streak, mut expected) = (0, Vec::new());
        for run in 0.. {
            let is_healthy = items.get(run).copied().unwrap_or(0) >= healthy;
            streak = if is_healthy { 1 } else { streak + 1 };
            match delays.get(streak - 1) {
                Some(wait) if streak < attempts as usize => expected.push((u32::try_from(streak).unwrap(), *wait)),
                _ => break,
            }
        }
        prop_assert_eq!(runs.get(), expected.len() as u64 + 1);
        prop_assert_eq!(waits, expected);
        let error = outcome.unwrap_err();
        prop_assert_eq!((error.attempts as usize, error.reason), (streak, GiveUpReason::Exhausted));
    }
}

/// Notes when it is dropped.
struct Running<'a> {
    began: Instant,
    spans: &'a RefCell<Vec<Times>>,
    place: usize,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.spans.borrow_mut()[self.place].1 = self.began.elapsed();
    }
}

/// Many calls at a time to what is always down. How many of them were retries, and the seconds that were begun meanwhile.
fn storm(threads: u64, calls: u64, attempts: u32, budget: impl Fn() -> RetryBudget) -> (u64, u64) {
    let began = std::time::Instant::now();
    let (budget, barrier, requests) = (budget(), Barrier::new(usize::try_from(threads).unwrap()), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                barrier.wait();
                for _ in 0..calls {
                    let call = retry(Retry::immediate(attempts), || {
                        requests.fetch_add(1, Ordering::Relaxed);
                        async { Err::<(), _>("down") }
                    });
                    assert!(block_on(call.budget(&budget).into_future()).is_err());
                }
            });
        }
    });
    (requests.into_inner() - threads * calls, began.elapsed().as_secs() + 1)
}

#[test]
fn the_budget_is_never_exceeded_under_8_threads_and_nothing_of_it_is_lost() {
    for (percent, attempts) in [(0, 4), (1, 4), (10, 4), (50, 4), (100, 4), (250, 4)] {
        let (threads, calls) = (8, 1_000);
        #[allow(clippy::cast_precision_loss)] // A few hundred.
        let share = percent as f64 / 100.0;
        let (retries, _) = storm(threads, calls, attempts, || RetryBudget::with_reserve(share, 0, u32::MAX));
        let allowed = threads * calls * percent / 100;
        assert!(retries <= allowed, "{retries} retries of {allowed}");
        // All calls would like more than that, so the last retry that is paid for is taken.
        assert!(retries + 1 >= allowed, "{retries} retries of {allowed}");
    }
}

#[test]
fn what_was_saved_is_taken_once_by_8_threads_that_do_nothing_else() {
    let saved = 300_000;
    let budget = RetryBudget::with_reserve(100.0, 0, saved);
    for _ in 0..saved / 100 {
        assert_eq!(block_on(retry(Retry::none(), async || Ok::<_, ()>(1)).budget(&budget).into_future()), Ok(1));
    }
    let (retries, _) = storm(8, 1, saved, || budget.clone());
    // The eight calls pay in as well, as far as there is room for it.
    let allowed = u64::from(saved)..=u64::from(saved) + 700;
    assert!(allowed.contains(&retries), "{retries} retries of {allowed:?}");
}

#[test]
fn nor_is_its_reserve_or_its_floor() {
    let (retries, seconds) = storm(8, 500, 4, || RetryBudget::new(0.1, 25));
    assert!(retries <= 8 * 500 / 10 + 25 * seconds, "{retries} retries in {seconds} seconds");
    assert!(retries >= 25, "the floor is there for whoever comes first");
    // With a reserve of none, only the floor is left.
    let (retries, seconds) = storm(8, 500, 4, || RetryBudget::with_reserve(1.0, 25, 0));
    assert!((25..=25 * seconds).contains(&retries), "{retries} retries in {seconds} seconds");
}

#[test]
fn calls_that_succeed_are_paid_for_too_and_their_share_is_kept_up_to_the_reserve() {
    let budget = RetryBudget::with_reserve(0.1, 0, 5);
    for _ in 0..1_000 {
        assert_eq!(block_on(retry(Retry::immediate(3), async || Ok::<_, ()>(1)).budget(&budget).into_future()), Ok(1));
    }
    let mut retries = 0;
    for _ in 0..5 {
        let call =
            retry(Retry::immediate(100), async || Err::<(), _>("down")).budget(&budget).on_retry(|_| retries += 1);
        assert!(block_on(call.into_future()).is_err());
    }
    assert_eq!(retries, 5);
}

/// The smallest, the mean and the largest of 100,000 first waits for a second, and how many lie in each tenth of the range.
fn drawn(jitter: Jitter, range: (f64, f64)) -> (f64, f64, f64, [u32; 10]) {
    let policy = Retry::attempts(2).backoff(Backoff::constant(Duration::from_secs(1))).jitter(jitter);
    let draws = 100_000;
    let (mut least, mut sum, mut most, mut tenths) = (f64::MAX, 0.0, 0.0_f64, [0; 10]);
    for seed in 0..draws {
        let wait = policy.delay(1, Random::seeded(seed)).unwrap().as_secs_f64();
        (least, sum, most) = (least.min(wait), sum + wait, most.max(wait));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // From 0 to 10.
        let tenth = ((wait - range.0) / (range.1 - range.0) * 10.0) as usize;
        tenths[tenth.min(9)] += 1;
    }
    (least, sum / 1e5, most, tenths)
}

#[test]
fn jitter_is_spread_evenly_over_its_range() {
    let ranges = [(Jitter::Full, (0.0, 1.0)), (Jitter::Equal, (0.5, 1.0)), (Jitter::Decorrelated, (1.0, 3.0))];
    for (jitter, range) in ranges {
        let (least, mean, most, tenths) = drawn(jitter, range);
        let (middle, width) = (f64::midpoint(range.0, range.1), range.1 - range.0);
        // The mean of 100,000 even draws strays by 0.0009 widths; five times that is one time in two million.
        assert!((mean - middle).abs() < 0.0046 * width, "{jitter:?}: {mean}");
        assert!(least >= range.0 && least < range.0 + 0.001 * width, "{jitter:?}: {least}");
        assert!(most <= range.1 && most > range.1 - 0.001 * width, "{jitter:?}: {most}");
        // And a tenth of them by 95.
        assert!(tenths.iter().all(|count| (9_500..=10_500).contains(count)), "{jitter:?}: {tenths:?}");
    }
    let (least, mean, most, _) = drawn(Jitter::None, (0.0, 1.0));
    assert_eq!((least, most), (1.0, 1.0));
    assert!((mean - 1.0).abs() < 1e-9);
}

#[test]
fn decorrelated_jitter_goes_by_the_wait_before() {
    let policy = Retry::attempts(3).backoff(Backoff::constant(Duration::from_secs(1))).jitter(Jitter::Decorrelated);
    let second = |seed| policy.delay(2, Random::seeded(seed)).unwrap().as_secs_f64();
    let (sum, most) = (0..100_000).map(second).fold((0.0, 0.0_f64), |(sum, most), wait| (sum + wait, most.max(wait)));
    // The first is even from 1 to 3, hence 2 on average; the second from 1 to three times that.
    assert!((sum / 1e5 - 3.5).abs() < 0.03, "{}", sum / 1e5);
    assert!(most <= 9.0 && most > 8.5, "{most}");
}

#[test]
fn and_within_one_collection_each_wait_is_drawn_for_itself() {
    let mut sum = 0.0;
    let policy = Retry::attempts(100_001).backoff(Backoff::constant(Duration::from_secs(1))).jitter(Jitter::Full);
    let (mut below, mut repeated, mut last) = (0, 0, Duration::MAX);
    for wait in policy.waits(Random::seeded(5)) {
        sum += wait.as_secs_f64();
        below += u32::from(wait < Duration::from_millis(500) && last < Duration::from_millis(500));
        repeated += u32::from(wait == last);
        last = wait;
    }
    assert!((sum / 1e5 - 0.5).abs() < 0.0046, "{}", sum / 1e5);
    // Neighbours know nothing of each other: a quarter of the pairs are both below the middle.
    assert!((24_000..=26_000).contains(&below), "{below}");
    assert!(repeated < 3, "{repeated}");
}
