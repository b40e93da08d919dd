use core::num::{NonZeroU32, NonZeroU64};
use core::time::Duration;

use super::{Backoff, Jitter, Random};

/// A retry policy: how many attempts, and how long to wait between them.
///
/// It is pure data that can be cloned, logged, compared, and with the feature `serde` read from a file. What is code, such
/// as which errors are worth a retry, stands beside it, on [`retry_with`](crate::FlowExt::retry_with). A policy is for a
/// flow (`flow.retry_with(policy)`) as for a plain async closure ([`retry(policy, || ..)`](crate::retry())).
///
/// - The **bound** counts attempts: `Retry::attempts(3)` runs the work three times at most, and nothing lifts it, not a
///   server's hint, not a hook, not another option.
/// - The **wait** after a failure is the [`backoff`](Self::backoff)'s delay, spread by the [`jitter`](Self::jitter), or the
///   server's hint where that is longer; and never longer than the [`cap`](Self::cap).
/// - The [`deadline`](Self::deadline) is for all attempts together, the [`attempt_timeout`](Self::attempt_timeout) for
///   each.
///
/// | preset | |
/// |---|---|
/// | [`Retry::none()`](Self::none) | one attempt |
/// | [`Retry::immediate(n)`](Self::immediate) | `n` attempts without a wait |
/// | [`Retry::exponential(n)`](Self::exponential) | `n` attempts, up to 100 ms, 200 ms, 400 ms .. 30 s apart, spread over all of it |
///
/// The type `B` is that of the backoff; `T` says whether an attempt may time out: not (`()`), yes (`Duration`), or as a
/// file says (`Option<Duration>`).
///
/// # Examples
///
/// ```
/// use coldflow::Retry;
/// use coldflow::retry::{Backoff, Jitter, Random};
/// use std::time::Duration;
///
/// const PATIENT: Retry = Retry::exponential(5).cap(Duration::from_secs(10));
///
/// let policy = Retry::attempts(4).backoff(Backoff::exponential(Duration::from_millis(100))).jitter(Jitter::Equal);
/// let waits: Vec<_> = policy.waits(Random::seeded(7)).collect();
/// assert_eq!(waits.len(), 3);
/// assert!(waits[2] >= Duration::from_millis(200) && waits[2] <= Duration::from_millis(400));
/// assert_eq!(policy.delay(3, Random::seeded(7)), Some(waits[2]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Retry<B = Backoff, T = ()> {
    pub(super) attempts: NonZeroU32,
    pub(super) backoff: B,
    pub(super) jitter: Jitter,
    pub(super) cap: Option<Duration>,
    pub(super) deadline: Option<Duration>,
    pub(super) attempt_timeout: T,
    pub(super) reset_after: Option<ResetAfter>,
}

/// As a file might have said it.
impl<B> From<Retry<B>> for Retry<B, Option<Duration>> {
    fn from(policy: Retry<B>) -> Self {
        policy.limit_attempts(None)
    }
}

/// As a file might have said it.
impl<B> From<Retry<B, Duration>> for Retry<B, Option<Duration>> {
    fn from(policy: Retry<B, Duration>) -> Self {
        let limit = policy.attempt_timeout;
        policy.limit_attempts(Some(limit))
    }
}

/// When the attempts of a [`Retry`] begin to count anew. See [`reset_after`](Retry::reset_after).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum ResetAfter {
    /// When an attempt has gone on this long after its first item.
    Healthy(#[cfg_attr(feature = "serde", serde(with = "super::config::with_unit"))] Duration),
    /// When an attempt has given this many items.
    Items(NonZeroU64),
}

impl From<Duration> for ResetAfter {
    fn from(healthy: Duration) -> Self {
        ResetAfter::Healthy(healthy)
    }
}

impl ResetAfter {
    /// When an attempt has given `count` items.
    ///
    /// # Panics
    ///
    /// When `count` is 0: an attempt that has given nothing is not healthy.
    #[track_caller]
    pub const fn items(count: u64) -> Self {
        assert!(count > 0, "`count` must be at least 1: an attempt that has given nothing is not healthy");
        ResetAfter::Items(NonZeroU64::MIN.saturating_add(count - 1))
    }
}

impl Retry {
    /// At most `attempts` attempts, the first one counted, without a wait between them unless a
    /// [`backoff`](Self::backoff) or a hint says so.
    ///
    /// # Panics
    ///
    /// When `attempts` is 0.
    #[track_caller]
    pub const fn attempts(attempts: u32) -> Self {
        Retry::of(attempts, Backoff::constant(Duration::ZERO), Jitter::None, None)
    }

    #[track_caller]
    const fn of(attempts: u32, backoff: Backoff, jitter: Jitter, cap: Option<Duration>) -> Self {
        assert!(attempts > 0, "`attempts` must be at least 1: it counts the first attempt, too");
        let attempts = NonZeroU32::MIN.saturating_add(attempts - 1);
        Retry { attempts, backoff, jitter, cap, deadline: None, attempt_timeout: (), reset_after: None }
    }

    /// One attempt: no retry.
    pub const fn none() -> Self {
        Retry::attempts(1)
    }

    /// At most `attempts` attempts without a wait between them: the same as [`attempts`](Self::attempts), said.
    ///
    /// # Panics
    ///
    /// When `attempts` is 0.
    #[track_caller]
    pub const fn immediate(attempts: u32) -> Self {
        Retry::attempts(attempts)
    }

    /// At most `attempts` attempts. After the first failure it waits up to 100 ms, then twice as long each time, up to
    /// 30 s, with [`Jitter::Full`].
    ///
    /// # Panics
    ///
    /// When `attempts` is 0.
    #[track_caller]
    pub const fn exponential(attempts: u32) -> Self {
        let backoff = Backoff::exponential(Duration::from_millis(100));
        Retry::of(attempts, backoff, Jitter::Full, Some(Duration::from_secs(30)))
    }
}

impl<B, T> Retry<B, T> {
    /// How long to wait after each failure: a [`Backoff`], or any iterator of durations that is `Clone`. When its delays
    /// end, so do the retries.
    pub fn backoff<C>(self, backoff: C) -> Retry<C, T>
    where
        C: IntoIterator<Item = Duration> + Clone,
    {
        Retry {
            attempts: self.attempts,
            backoff,
            jitter: self.jitter,
            cap: self.cap,
            deadline: self.deadline,
            attempt_timeout: self.attempt_timeout,
            reset_after: self.reset_after,
        }
    }

    /// How the delays are spread.
    pub const fn jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = jitter;
        self
    }

    /// The longest wait. It is applied last, so neither jitter nor a hint exceeds it. (Tokio's timers then round a wait up to
    /// the next millisecond.)
    pub const fn cap(mut self, cap: Duration) -> Self {
        self.cap = Some(cap);
        self
    }

    /// The time for all attempts together, from the first poll: a wait that would go past it is not begun. It does not cut
    /// off an attempt that is running; [`attempt_timeout`](Self::attempt_timeout) does.
    ///
    #[cfg_attr(doc, doc = include_str!("../../../docs/timelines/deadline.svg"))]
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// The time for each attempt, from its start to its end. One that takes longer is dropped and counts as failed, with
    /// [`TimeoutError::Elapsed`](crate::TimeoutError) as its cause: so the errors of the flow become
    /// [`TimeoutError`](crate::TimeoutError)s.
    ///
    #[cfg_attr(doc, doc = include_str!("../../../docs/timelines/attempt_timeout.svg"))]
    ///
    /// What is ready is given even after that time, as by Tokio's `timeout`: it is an attempt with nothing to give that is
    /// dropped. The consumer's own time with an item counts. For a flow of many items,
    /// [`timeout`](crate::FlowExt::timeout) above the retry is the time for each item instead.
    ///
    /// # Panics
    ///
    /// When `limit` is zero, since no attempt could succeed.
    #[track_caller]
    pub fn attempt_timeout(self, limit: Duration) -> Retry<B, Duration> {
        assert!(!limit.is_zero(), "`limit` must not be zero: no attempt could succeed");
        self.limit_attempts(limit)
    }

    fn limit_attempts<U>(self, attempt_timeout: U) -> Retry<B, U> {
        Retry {
            attempts: self.attempts,
            backoff: self.backoff,
            jitter: self.jitter,
            cap: self.cap,
            deadline: self.deadline,
            attempt_timeout,
            reset_after: self.reset_after,
        }
    }

    /// For a flow that goes on and on: when an attempt has been healthy before it failed, everything about retrying begins
    /// anew, as if it had been the first attempt.
    ///
    #[cfg_attr(doc, doc = include_str!("../../../docs/timelines/reset_after.svg"))]
    ///
    /// Healthy is one that has gone on for this `Duration` after its first item, or has given this number of items
    /// ([`ResetAfter::items`]); one that gives nothing is not healthy, however long it goes on. A call that has one value
    /// has no healthy period. The bound, the backoff and the deadline then count per streak of failures and no longer for
    /// the whole collection: a flow that recovers each time is retried for ever, which is what this is for.
    pub fn reset_after(mut self, healthy: impl Into<ResetAfter>) -> Self {
        self.reset_after = Some(healthy.into());
        self
    }

    /// The most attempts there can be.
    pub const fn max_attempts(&self) -> NonZeroU32 {
        self.attempts
    }

    /// The waits of this policy if every attempt fails and no server asks for a longer one: at most one less than there are
    /// attempts.
    pub fn waits(&self, random: Random) -> Waits<B::IntoIter>
    where
        B: IntoIterator<Item = Duration> + Clone,
    {
        Waits {
            delays: self.backoff.clone().into_iter(),
            left: self.attempts.get() - 1,
            jitter: self.jitter,
            cap: self.cap.unwrap_or(Duration::MAX),
            random,
            first: None,
            last: Duration::ZERO,
        }
    }

    /// The wait after the failed attempt number `attempt`, which counts from 1, or `None` if no attempt follows it. A pure
    /// function: it is what a collection waits that draws from the same `random`.
    pub fn delay(&self, attempt: u32, random: Random) -> Option<Duration>
    where
        B: IntoIterator<Item = Duration> + Clone,
    {
        let before = usize::try_from(attempt.checked_sub(1)?).ok()?;
        self.waits(random).nth(before)
    }
}

/// The waits of a [`Retry`], one after the other. See [`waits`](Retry::waits).
#[derive(Clone, Debug)]
pub struct Waits<I> {
    delays: I,
    left: u32,
    jitter: Jitter,
    cap: Duration,
    random: Random,
    /// What decorrelated jitter remembers.
    first: Option<Duration>,
    last: Duration,
}

impl<I> Waits<I> {
    /// Begins with the first wait again, and goes on drawing where it was.
    pub(super) fn begin_again<B, T>(&mut self, policy: &Retry<B, T>)
    where
        B: IntoIterator<Item = Duration, IntoIter = I> + Clone,
    {
        *self = policy.waits(self.random.clone());
    }
}

impl<I: Iterator<Item = Duration>> Iterator for Waits<I> {
    type Item = Duration;

    #[inline]
    fn next(&mut self) -> Option<Duration> {
        self.left = self.left.checked_sub(1)?;
        // Capped before it is spread, or else long delays would all end up at the cap, side by side.
        let delay = self.delays.next()?.min(self.cap);
        let wait = match self.jitter {
            Jitter::None => delay,
            Jitter::Full => self.random.between(Duration::ZERO, delay),
            Jitter::Equal => self.random.between(delay / 2, delay),
            Jitter::Decorrelated => {
                let first = *self.first.get_or_insert(delay);
                let longest = self.last.max(first).saturating_mul(3).min(self.cap);
                self.random.between(first, longest)
            }
        };
        self.last = wait;
        Some(wait)
    }
}
