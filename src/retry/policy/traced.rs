use core::fmt::Debug;

use tracing::{Span, debug, debug_span, warn};

use super::{Both, GiveUpEvent, Hook, RetryEvent, RetryWith};
use crate::flow::Flow;
use crate::retry::AttemptTimeout;

impl<F: Flow, B, T: AttemptTimeout<F::Error>, H, O> RetryWith<F, B, T, H, O> {
    /// Tells `tracing` what happens: a span per collection, in which its attempts run, and an event per failure. Needs the
    /// feature `tracing`.
    ///
    /// All have the target `coldflow::retry`.
    ///
    /// | | level | name | fields |
    /// |---|---|---|---|
    /// | span | debug | `retry` | |
    /// | event: another attempt follows | debug | `attempt failed` | `attempt`, `wait`, `elapsed`, `error` |
    /// | event: none does | warn | `gave up` | `attempts`, `elapsed`, `reason`, `error` |
    ///
    /// `attempt` counts from 1, `wait` and `elapsed` are durations such as `1.5s`, and `error` is the cause's `Debug`.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{Retry, retry};
    ///
    /// # futures::executor::block_on(async {
    /// let outcome = retry(Retry::immediate(3), || async { Err::<(), _>("down") }).traced().await;
    /// assert_eq!(outcome, Err("down"));
    /// # });
    /// ```
    pub fn traced(self) -> RetryWith<F, B, T, Both<H, Traced>, O>
    where
        T::Failure: Debug,
    {
        self.hook(Traced { span: Span::none() })
    }
}

/// Of [`traced`](RetryWith::traced).
#[derive(Clone, Debug)]
pub struct Traced {
    span: Span,
}

impl<E: Debug> Hook<E> for Traced {
    const WATCHES_CLOCK: bool = true;

    fn begin(&mut self) {
        self.span = debug_span!(target: "coldflow::retry", "retry");
    }

    fn retrying(&mut self, event: &RetryEvent<'_, E>) {
        let RetryEvent { attempt, cause, wait, elapsed } = event;
        debug!(
            target: "coldflow::retry", parent: &self.span,
            attempt, ?wait, ?elapsed, error = ?cause, "attempt failed"
        );
    }

    fn giving_up(&mut self, event: &GiveUpEvent<'_, E>) {
        let GiveUpEvent { attempts, cause, reason, elapsed } = event;
        warn!(
            target: "coldflow::retry", parent: &self.span,
            attempts, ?elapsed, %reason, error = ?cause, "gave up"
        );
    }

    fn during<R>(&self, poll: impl FnOnce() -> R) -> R {
        self.span.in_scope(poll)
    }
}
