//! What follows a policy: the methods that put code beside it.

use core::marker::PhantomData;
use core::time::Duration;

use super::{
    AttemptTimeout, Both, Explained, GiveUpEvent, Hint, OnGiveUp, OnRetry, Random, RetryBudget, RetryEvent, RetryWith,
    When, WithinBudget,
};
use crate::flow::Flow;

impl<F, B, T, H, O> RetryWith<F, B, T, H, O> {
    pub(super) fn hook<A>(self, hook: A) -> RetryWith<F, B, T, Both<H, A>, O> {
        RetryWith {
            flow: self.flow,
            policy: self.policy,
            hooks: Both(self.hooks, hook),
            random: self.random,
            outcome: PhantomData,
        }
    }

    /// Lets jitter draw from `random`, so that a test can be exact. Each collection begins with it as given.
    pub fn random(mut self, random: Random) -> Self {
        self.random = Some(random);
        self
    }

    /// Shares `budget` with others: a failure that finds it empty is not retried, with
    /// [`GiveUpReason::Budget`](crate::retry::GiveUpReason::Budget). Of several budgets, one that is not empty keeps what it
    /// has when another one is.
    pub fn budget(self, budget: &RetryBudget) -> RetryWith<F, B, T, Both<H, WithinBudget>, O> {
        self.hook(WithinBudget(budget.clone()))
    }
}

impl<F: Flow, B, T: AttemptTimeout<F::Error>, H, O> RetryWith<F, B, T, H, O> {
    /// Retries the errors for which `predicate` holds, and no others: an error that it refuses ends the flow, with
    /// [`GiveUpReason::Refused`](crate::retry::GiveUpReason::Refused).
    ///
    /// With an [`attempt_timeout`](crate::Retry::attempt_timeout) it sees a [`TimeoutError`](crate::TimeoutError).
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, Retry, once};
    ///
    /// # futures::executor::block_on(async {
    /// let mut attempts = 0;
    /// let outcome = once(|| { attempts += 1; async { Err::<(), _>(404) } })
    ///     .retry_with(Retry::immediate(3))
    ///     .when(|status| *status == 503)
    ///     .await;
    /// assert_eq!((outcome, attempts), (Err(404), 1));
    /// # });
    /// ```
    pub fn when<P>(self, predicate: P) -> RetryWith<F, B, T, Both<H, When<P>>, O>
    where
        P: FnMut(&T::Failure) -> bool,
    {
        self.hook(When(predicate))
    }

    /// Waits at least as long as `op` says, which is where a server's `Retry-After` comes in: the wait is the longer one of
    /// the policy's and this, and never longer than the [`cap`](crate::Retry::cap). It adds no attempt.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, Retry, once};
    /// use std::time::Duration;
    /// use tokio::time::Instant;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// struct Busy { retry_after: Duration }
    ///
    /// let began = Instant::now();
    /// let outcome = once(|| async { Err::<(), _>(Busy { retry_after: Duration::from_secs(3600) }) })
    ///     .retry_with(Retry::attempts(3).cap(Duration::from_secs(60)))
    ///     .hint(|busy| Some(busy.retry_after))
    ///     .await;
    /// assert!(outcome.is_err());
    /// assert_eq!(began.elapsed(), Duration::from_secs(120), "three attempts, two waits");
    /// # }
    /// ```
    pub fn hint<Op>(self, op: Op) -> RetryWith<F, B, T, Both<H, Hint<Op>>, O>
    where
        Op: FnMut(&T::Failure) -> Option<Duration>,
    {
        self.hook(Hint(op))
    }

    /// Tells `op` of each failure that is retried, before the wait.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{Retry, retry};
    /// use coldflow::retry::Backoff;
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let mut log = Vec::new();
    /// let policy = Retry::attempts(3).backoff(Backoff::exponential(Duration::from_secs(1)));
    /// let outcome = retry(policy, || async { Err::<(), _>("down") })
    ///     .on_retry(|event| {
    ///         log.push(format!("attempt {}: {}, again in {:?}", event.attempt, event.cause, event.wait));
    ///     })
    ///     .await;
    /// assert_eq!(outcome, Err("down"));
    /// assert_eq!(log, ["attempt 1: down, again in 1s", "attempt 2: down, again in 2s"]);
    /// # }
    /// ```
    pub fn on_retry<Op>(self, op: Op) -> RetryWith<F, B, T, Both<H, OnRetry<Op>>, O>
    where
        Op: FnMut(&RetryEvent<'_, T::Failure>),
    {
        self.hook(OnRetry(op))
    }

    /// Tells `op` of the failure that ends the flow, and why it does.
    ///
    /// # Examples
    ///
    /// Counters for a metrics library, here plain ones:
    ///
    /// ```
    /// use coldflow::{Retry, retry};
    /// use coldflow::retry::GiveUpReason;
    /// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    ///
    /// static RETRIES: AtomicU64 = AtomicU64::new(0);
    /// static EXHAUSTED: AtomicU64 = AtomicU64::new(0);
    ///
    /// # futures::executor::block_on(async {
    /// let outcome = retry(Retry::immediate(3), || async { Err::<(), _>("down") })
    ///     .on_retry(|_| { RETRIES.fetch_add(1, Relaxed); })
    ///     .on_give_up(|event| {
    ///         if event.reason == GiveUpReason::Exhausted {
    ///             EXHAUSTED.fetch_add(1, Relaxed);
    ///         }
    ///     })
    ///     .await;
    /// assert_eq!(outcome, Err("down"));
    /// assert_eq!((RETRIES.load(Relaxed), EXHAUSTED.load(Relaxed)), (2, 1));
    /// # });
    /// ```
    pub fn on_give_up<Op>(self, op: Op) -> RetryWith<F, B, T, Both<H, OnGiveUp<Op>>, O>
    where
        Op: FnMut(&GiveUpEvent<'_, T::Failure>),
    {
        self.hook(OnGiveUp(op))
    }
}

impl<F, B, T, H> RetryWith<F, B, T, H> {
    /// Fails with a [`RetryError`](crate::RetryError) instead of the bare cause: how many attempts there were, how long
    /// they took together, why there is not another one, and the last cause.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{Retry, retry};
    /// use coldflow::retry::GiveUpReason;
    ///
    /// # futures::executor::block_on(async {
    /// let error = retry(Retry::immediate(3), || async { Err::<(), _>("down") }).explain().await.unwrap_err();
    /// assert_eq!((error.attempts, error.reason, error.source), (3, GiveUpReason::Exhausted, "down"));
    /// # });
    /// ```
    pub fn explain(self) -> RetryWith<F, B, T, H, Explained> {
        RetryWith { flow: self.flow, policy: self.policy, hooks: self.hooks, random: self.random, outcome: PhantomData }
    }
}
