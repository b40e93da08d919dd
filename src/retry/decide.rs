use core::fmt;
use core::future::{Future, Ready, ready};

/// What decides whether a failed flow is collected again: the closure of [`retry_when`](crate::FlowExt::retry_when), or
/// the rule of [`retry`](crate::FlowExt::retry) or [`retry_if`](crate::FlowExt::retry_if).
pub trait Decide<E> {
    /// The decision on its way.
    type Decision: Future<Output = Result<(), E>>;

    /// Decides about the failure after `retried` retries.
    fn decide(&mut self, cause: E, retried: u64) -> Self::Decision;
}

impl<P, E, Fut> Decide<E> for P
where
    P: FnMut(E, u64) -> Fut,
    Fut: Future<Output = Result<(), E>>,
{
    type Decision = Fut;

    fn decide(&mut self, cause: E, retried: u64) -> Fut {
        self(cause, retried)
    }
}

/// Retries a number of times. Of [`retry`](crate::FlowExt::retry).
#[derive(Clone, Copy, Debug)]
pub struct RetryAtMost {
    pub(crate) retries: u64,
}

impl<E> Decide<E> for RetryAtMost {
    type Decision = Ready<Result<(), E>>;

    fn decide(&mut self, cause: E, retried: u64) -> Self::Decision {
        ready(if retried < self.retries { Ok(()) } else { Err(cause) })
    }
}

/// Retries while a predicate holds. Of [`retry_if`](crate::FlowExt::retry_if).
#[derive(Clone)]
pub struct RetryIf<P> {
    pub(crate) predicate: P,
}

impl<P> fmt::Debug for RetryIf<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryIf").finish_non_exhaustive()
    }
}

impl<P, E> Decide<E> for RetryIf<P>
where
    P: FnMut(&E, u64) -> bool,
{
    type Decision = Ready<Result<(), E>>;

    fn decide(&mut self, cause: E, retried: u64) -> Self::Decision {
        ready(if (self.predicate)(&cause, retried) { Ok(()) } else { Err(cause) })
    }
}
