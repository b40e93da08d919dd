use alloc::sync::Arc;
use core::time::Duration;

/// How long to wait after each failed attempt: the delays of a [`Retry`](crate::Retry), before jitter and cap.
///
/// It is data; [`into_iter`](IntoIterator::into_iter) gives its delays as an iterator, [`Delays`]. They saturate instead
/// of overflowing. A backoff of one's own is any `Iterator` of `Duration` that is `Clone`, such as
/// `Backoff::constant(a_second).into_iter().chain(rare)`.
///
/// # Examples
///
/// ```
/// use coldflow::retry::Backoff;
/// use std::time::Duration;
///
/// let second = Duration::from_secs(1);
/// let seconds = |backoff: Backoff| backoff.into_iter().map(|delay| delay.as_secs()).take(5).collect::<Vec<_>>();
/// assert_eq!(seconds(Backoff::constant(second)), [1, 1, 1, 1, 1]);
/// assert_eq!(seconds(Backoff::linear(second, second * 2)), [1, 3, 5, 7, 9]);
/// assert_eq!(seconds(Backoff::exponential(second)), [1, 2, 4, 8, 16]);
/// assert_eq!(seconds(Backoff::exponential_by(second, 3.0)), [1, 3, 9, 27, 81]);
/// assert_eq!(seconds(Backoff::fibonacci(second)), [1, 1, 2, 3, 5]);
/// assert_eq!(seconds(Backoff::list([second, second * 60])), [1, 60]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Backoff(pub(super) Kind);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Constant { delay: Duration },
    Linear { first: Duration, step: Duration },
    Exponential { first: Duration, factor: f64 },
    Fibonacci { first: Duration },
    List { delays: Arc<[Duration]> },
}

impl Backoff {
    /// The same delay after each failure.
    pub const fn constant(delay: Duration) -> Self {
        Backoff(Kind::Constant { delay })
    }

    /// `first`, and `step` more after each further failure.
    pub const fn linear(first: Duration, step: Duration) -> Self {
        Backoff(Kind::Linear { first, step })
    }

    /// `first`, and twice as long after each further failure.
    pub const fn exponential(first: Duration) -> Self {
        Backoff(Kind::Exponential { first, factor: 2.0 })
    }

    /// `first`, and `factor` times as long after each further failure.
    ///
    /// # Panics
    ///
    /// When `factor` is not a finite number of at least 1.
    #[track_caller]
    pub const fn exponential_by(first: Duration, factor: f64) -> Self {
        assert!(factor >= 1.0 && factor < f64::INFINITY, "`factor` must be a finite number of at least 1");
        Backoff(Kind::Exponential { first, factor })
    }

    /// `first` twice, and from then on the sum of the two delays before.
    pub const fn fibonacci(first: Duration) -> Self {
        Backoff(Kind::Fibonacci { first })
    }

    /// These delays, and then no more: a list of `n` allows `n` retries, if the policy does.
    pub fn list(delays: impl Into<Arc<[Duration]>>) -> Self {
        Backoff(Kind::List { delays: delays.into() })
    }
}

/// No wait.
impl Default for Backoff {
    fn default() -> Self {
        Backoff::constant(Duration::ZERO)
    }
}

impl IntoIterator for Backoff {
    type Item = Duration;
    type IntoIter = Delays;

    #[inline]
    fn into_iter(self) -> Delays {
        Delays(match self.0 {
            Kind::Constant { delay } => State::Constant { delay },
            Kind::Linear { first, step } => State::Linear { next: first, step },
            Kind::Exponential { first, factor } => State::Exponential { next: first, factor },
            Kind::Fibonacci { first } => State::Fibonacci { next: first, following: first },
            Kind::List { delays } => State::List { delays, next: 0 },
        })
    }
}

/// The delays of a [`Backoff`], one after the other.
#[derive(Clone, Debug)]
pub struct Delays(State);

#[derive(Clone, Debug)]
enum State {
    Constant { delay: Duration },
    Linear { next: Duration, step: Duration },
    Exponential { next: Duration, factor: f64 },
    Fibonacci { next: Duration, following: Duration },
    List { delays: Arc<[Duration]>, next: usize },
}

impl Iterator for Delays {
    type Item = Duration;

    #[inline]
    fn next(&mut self) -> Option<Duration> {
        Some(match &mut self.0 {
            State::Constant { delay } => *delay,
            State::Linear { next, step } => {
                let longer = next.saturating_add(*step);
                core::mem::replace(next, longer)
            }
            State::Exponential { next, factor } => {
                let longer = Duration::try_from_secs_f64(next.as_secs_f64() * *factor).unwrap_or(Duration::MAX);
                core::mem::replace(next, longer)
            }
            State::Fibonacci { next, following } => {
                let sum = next.saturating_add(*following);
                let delay = *next;
                *next = *following;
                *following = sum;
                delay
            }
            State::List { delays, next } => {
                let delay = *delays.get(*next)?;
                *next += 1;
                delay
            }
        })
    }
}
