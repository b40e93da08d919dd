use std::time::Duration;

use coldflow::Retry;
use coldflow::retry::{Backoff, Jitter, Random, ResetAfter};

const MS: fn(u64) -> Duration = Duration::from_millis;

fn waits(policy: &Retry) -> Vec<u128> {
    policy.waits(Random::seeded(1)).map(|wait| wait.as_millis()).collect()
}

#[test]
fn a_policy_has_one_wait_less_than_attempts() {
    assert_eq!(waits(&Retry::none()), [0; 0]);
    assert_eq!(waits(&Retry::immediate(4)), [0, 0, 0]);
    assert_eq!(waits(&Retry::attempts(4).backoff(Backoff::constant(MS(20)))), [20, 20, 20]);
}

#[test]
fn delays_saturate() {
    let huge = Duration::MAX / 2 + MS(1);
    for backoff in [
        Backoff::constant(Duration::MAX),
        Backoff::linear(huge, huge),
        Backoff::exponential(huge),
        Backoff::exponential_by(MS(1), f64::MAX),
        Backoff::fibonacci(huge),
    ] {
        let name = format!("{backoff:?}");
        assert_eq!(backoff.into_iter().nth(2), Some(Duration::MAX), "{name}");
    }
    // From what is far below the limit, too.
    assert_eq!(Backoff::exponential(MS(1)).into_iter().nth(200), Some(Duration::MAX));
    assert_eq!(Backoff::fibonacci(MS(1)).into_iter().nth(200), Some(Duration::MAX));
}

#[test]
fn an_exponential_backoff_is_exact_to_the_nanosecond() {
    let delays: Vec<_> = Backoff::exponential(Duration::from_nanos(123_456_789)).into_iter().take(12).collect();
    for (doublings, delay) in (0..).zip(delays) {
        assert_eq!(delay.as_nanos(), 123_456_789 << doublings);
    }
}

#[test]
fn the_end_of_the_delays_is_the_end_of_the_waits() {
    assert_eq!(waits(&Retry::attempts(9).backoff(Backoff::list([MS(5), MS(50)]))), [5, 50]);
    assert_eq!(waits(&Retry::attempts(2).backoff(Backoff::list([MS(5), MS(50)]))), [5]);
    assert_eq!(waits(&Retry::attempts(9).backoff(Backoff::list([]))), [0; 0]);
}

#[test]
fn a_backoff_of_ones_own_is_an_iterator() {
    let policy = Retry::attempts(5).backoff([1, 1, 4].map(Duration::from_secs).into_iter().cycle());
    let waits: Vec<_> = policy.waits(Random::seeded(1)).map(|wait| wait.as_secs()).collect();
    assert_eq!(waits, [1, 1, 4, 1]);
    assert_eq!(policy.waits(Random::seeded(1)).count(), 4, "and the policy begins it anew each time");
}

#[test]
fn the_delay_after_an_attempt_is_a_pure_function() {
    let policy = Retry::exponential(6).jitter(Jitter::Decorrelated);
    let all: Vec<_> = policy.waits(Random::seeded(42)).collect();
    assert_eq!(all.len(), 5);
    for (attempt, wait) in (1..).zip(&all) {
        assert_eq!(policy.delay(attempt, Random::seeded(42)), Some(*wait));
    }
    assert_eq!(policy.delay(6, Random::seeded(42)), None, "no attempt follows the last one");
    assert_eq!(policy.delay(0, Random::seeded(42)), None, "attempts count from 1");
    assert_ne!(all, policy.waits(Random::seeded(43)).collect::<Vec<_>>());
}

#[test]
fn two_sources_of_randomness_that_are_not_seeded_differ() {
    assert_ne!(Random::new(), Random::new());
}

#[test]
fn the_cap_is_the_last_word_and_nothing_piles_up_at_it() {
    for jitter in [Jitter::Full, Jitter::Equal, Jitter::Decorrelated] {
        let policy = Retry::attempts(10_000).backoff(Backoff::exponential(MS(10))).jitter(jitter).cap(MS(100));
        let waits: Vec<_> = policy.waits(Random::seeded(3)).collect();
        assert!(waits.iter().all(|wait| *wait <= MS(100)), "{jitter:?}");
        let long = waits.iter().filter(|wait| **wait > MS(99)).count();
        assert!(long < 400, "{jitter:?}: {long} of 9999 within the last hundredth");
    }
}

#[test]
fn policies_are_made_in_constants() {
    const POLICY: Retry = Retry::exponential(5).cap(Duration::from_secs(3)).deadline(Duration::from_secs(60));
    assert_eq!(POLICY.max_attempts().get(), 5);
    assert_ne!(POLICY, Retry::exponential(5));
    assert_eq!(Retry::immediate(3), Retry::attempts(3));
}

#[test]
#[should_panic(expected = "`attempts` must be at least 1")]
fn no_attempt_is_refused() {
    let _ = Retry::attempts(0);
}

#[test]
#[should_panic(expected = "`factor` must be a finite number of at least 1")]
fn a_factor_that_shrinks_is_refused() {
    let _ = Backoff::exponential_by(MS(1), 0.5);
}

#[test]
#[should_panic(expected = "`factor` must be a finite number of at least 1")]
fn a_factor_that_is_none_is_refused() {
    let _ = Backoff::exponential_by(MS(1), f64::NAN);
}

#[test]
#[should_panic(expected = "`limit` must not be zero")]
fn no_time_for_an_attempt_is_refused() {
    let _ = Retry::attempts(3).attempt_timeout(Duration::ZERO);
}

#[test]
#[should_panic(expected = "`count` must be at least 1")]
fn a_reset_without_an_item_is_refused() {
    let _ = ResetAfter::items(0);
}
