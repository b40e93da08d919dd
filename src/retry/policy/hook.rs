use core::time::Duration;

use super::RetryBudget;
use crate::error::GiveUpReason;

/// A failure that is about to be retried. Of [`on_retry`](crate::retry::RetryWith::on_retry).
#[derive(Debug)]
#[non_exhaustive]
pub struct RetryEvent<'a, E> {
    /// The number of the attempt that has failed, from 1.
    pub attempt: u32,
    /// What it failed with.
    pub cause: &'a E,
    /// How long the next attempt will be waited for.
    pub wait: Duration,
    /// The time since the first attempt began.
    pub elapsed: Duration,
}

/// A failure that is not retried. Of [`on_give_up`](crate::retry::RetryWith::on_give_up).
#[derive(Debug)]
#[non_exhaustive]
pub struct GiveUpEvent<'a, E> {
    /// How many attempts have been made.
    pub attempts: u32,
    /// What the last one failed with.
    pub cause: &'a E,
    /// Why there is none after it.
    pub reason: GiveUpReason,
    /// The time since the first attempt began.
    pub elapsed: Duration,
}

/// What stands beside the policy in a [`RetryWith`](crate::retry::RetryWith): the code that has a say in its retries, or
/// hears of them. It is made by the methods there.
pub trait Hook<E> {
    /// Whether it wants to know how much time has passed.
    const WATCHES_CLOCK: bool = false;

    /// A collection begins.
    fn begin(&mut self) {}

    /// Whether this failure is worth a retry.
    fn allows(&mut self, _cause: &E) -> bool {
        true
    }

    /// The wait that the server has asked for.
    fn hint(&mut self, _cause: &E) -> Option<Duration> {
        None
    }

    /// Whether there may be another retry, as far as it goes and `others` do. Asked last, when nothing else speaks against
    /// it.
    fn admits(&mut self, others: impl FnOnce() -> bool) -> bool {
        others()
    }

    /// There will be another attempt.
    fn retrying(&mut self, _event: &RetryEvent<'_, E>) {}

    /// There will be none.
    fn giving_up(&mut self, _event: &GiveUpEvent<'_, E>) {}

    /// Runs a poll of an attempt.
    fn during<R>(&self, poll: impl FnOnce() -> R) -> R {
        poll()
    }
}

/// No hook.
impl<E> Hook<E> for () {}

/// Two hooks, the first one first.
#[derive(Clone, Copy, Debug)]
pub struct Both<A, B>(pub(super) A, pub(super) B);

impl<E, A: Hook<E>, B: Hook<E>> Hook<E> for Both<A, B> {
    const WATCHES_CLOCK: bool = A::WATCHES_CLOCK || B::WATCHES_CLOCK;

    fn begin(&mut self) {
        self.0.begin();
        self.1.begin();
    }

    fn allows(&mut self, cause: &E) -> bool {
        self.0.allows(cause) && self.1.allows(cause)
    }

    fn hint(&mut self, cause: &E) -> Option<Duration> {
        self.0.hint(cause).max(self.1.hint(cause))
    }

    fn admits(&mut self, others: impl FnOnce() -> bool) -> bool {
        self.0.admits(|| self.1.admits(others))
    }

    fn retrying(&mut self, event: &RetryEvent<'_, E>) {
        self.0.retrying(event);
        self.1.retrying(event);
    }

    fn giving_up(&mut self, event: &GiveUpEvent<'_, E>) {
        self.0.giving_up(event);
        self.1.giving_up(event);
    }

    fn during<R>(&self, poll: impl FnOnce() -> R) -> R {
        self.0.during(|| self.1.during(poll))
    }
}

/// Of [`when`](crate::retry::RetryWith::when).
#[derive(Clone)]
pub struct When<P>(pub(super) P);

impl<E, P: FnMut(&E) -> bool> Hook<E> for When<P> {
    fn allows(&mut self, cause: &E) -> bool {
        self.0(cause)
    }
}

/// Of [`hint`](crate::retry::RetryWith::hint).
#[derive(Clone)]
pub struct Hint<Op>(pub(super) Op);

impl<E, Op: FnMut(&E) -> Option<Duration>> Hook<E> for Hint<Op> {
    fn hint(&mut self, cause: &E) -> Option<Duration> {
        self.0(cause)
    }
}

/// Of [`budget`](crate::retry::RetryWith::budget).
#[derive(Clone, Debug)]
pub struct WithinBudget(pub(super) RetryBudget);

impl<E> Hook<E> for WithinBudget {
    fn begin(&mut self) {
        self.0.deposit();
    }

    fn admits(&mut self, others: impl FnOnce() -> bool) -> bool {
        self.0.withdraw_if(others)
    }
}

/// Of [`on_retry`](crate::retry::RetryWith::on_retry).
#[derive(Clone)]
pub struct OnRetry<Op>(pub(super) Op);

impl<E, Op: FnMut(&RetryEvent<'_, E>)> Hook<E> for OnRetry<Op> {
    const WATCHES_CLOCK: bool = true;

    fn retrying(&mut self, event: &RetryEvent<'_, E>) {
        self.0(event);
    }
}

/// Of [`on_give_up`](crate::retry::RetryWith::on_give_up).
#[derive(Clone)]
pub struct OnGiveUp<Op>(pub(super) Op);

impl<E, Op: FnMut(&GiveUpEvent<'_, E>)> Hook<E> for OnGiveUp<Op> {
    const WATCHES_CLOCK: bool = true;

    fn giving_up(&mut self, event: &GiveUpEvent<'_, E>) {
        self.0(event);
    }
}

debug_fields!(When<P> {});
debug_fields!(Hint<Op> {});
debug_fields!(OnRetry<Op> {});
debug_fields!(OnGiveUp<Op> {});
