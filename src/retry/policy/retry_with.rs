use core::marker::PhantomData;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use core::time::Duration;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;
use tokio::time::Instant;

use super::{AttemptTimeout, Bare, GiveUpEvent, Hook, Jitter, Outcome, Random, ResetAfter, Retry, RetryEvent, Waits};
use crate::error::GiveUpReason;
use crate::flow::{ColdFlow, Flow, FlowStream, PollItem, Restart};
use crate::time::Alarm;

/// The flow of [`retry_with`](crate::FlowExt::retry_with), and of the function [`retry`](crate::retry()): what is retried
/// under which policy, with the code that has a say in it.
///
/// Of [`when`](Self::when), [`hint`](Self::hint), [`budget`](Self::budget), [`on_retry`](Self::on_retry) and
/// [`on_give_up`](Self::on_give_up) there may be several: an error is retried when all agree, the longest hint counts, and
/// all hear of it. After a failure they are asked in this order: `when`, the bound, the backoff and the hint, the
/// deadline, the budget; then `on_retry` or `on_give_up` is told. What ran has been dropped by then.
///
/// Around a single future, such as `once(..)` or `once_with(..)`, it can be awaited directly: see [`retry`](crate::retry()).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected or awaited"]
pub struct RetryWith<F, B, T = (), H = (), O = Bare> {
    pub(super) flow: F,
    pub(super) policy: Retry<B, T>,
    pub(super) hooks: H,
    pub(super) random: Option<Random>,
    pub(super) outcome: PhantomData<O>,
}

pin_project! {
    /// The stream of [`retry_with`](crate::FlowExt::retry_with).
    #[must_use = "streams do nothing unless polled"]
    pub struct RetryWithStream<S, B, I, T, H, O> {
        phase: Phase,
        #[pin]
        alarm: Alarm,
        #[pin]
        stream: S,
        policy: Retry<B, T>,
        hooks: H,
        random: Option<Random>,
        // The waits of this streak of failures, from its first failure on.
        waits: Option<Waits<I>>,
        // How many attempts of this streak have been begun, and when the first one was.
        attempts: u32,
        began: Option<Instant>,
        health: Health,
        outcome: PhantomData<O>,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Fresh,
    Collecting,
    Waiting,
    /// Between two attempts that nothing lies between: the executor is let in.
    Yielding,
    Done,
}

/// What an attempt has shown of itself.
enum Health {
    Unknown,
    /// Since its first item.
    Since(Instant),
    /// It has given so many.
    Items(u64),
}

debug_fields!(RetryWith<F, B, T, H, O> { flow: F });
debug_fields!(RetryWithStream<S, B, I, T, H, O> { stream: S });

impl<F: ColdFlow, B, T> RetryWith<F, B, T> {
    pub(crate) fn new(flow: F, policy: Retry<B, T>) -> Self {
        RetryWith { flow, policy, hooks: (), random: None, outcome: PhantomData }
    }
}

impl<F, B, T, H, O> Flow for RetryWith<F, B, T, H, O>
where
    F: ColdFlow,
    B: IntoIterator<Item = Duration> + Clone,
    T: AttemptTimeout<F::Error>,
    H: Hook<T::Failure>,
    O: Outcome<T::Failure>,
{
    type Item = F::Item;
    type Error = O::Error;
    type Stream = RetryWithStream<F::Stream, B, B::IntoIter, T, H, O>;

    #[inline]
    fn into_stream(self) -> Self::Stream {
        RetryWithStream {
            phase: Phase::Fresh,
            alarm: Alarm::new(),
            stream: self.flow.into_stream(),
            policy: self.policy,
            hooks: self.hooks,
            random: self.random,
            waits: None,
            attempts: 0,
            began: None,
            health: Health::Unknown,
            outcome: PhantomData,
        }
    }
}

impl<S, B, T, H, O, Item, E> RetryWithStream<S, B, B::IntoIter, T, H, O>
where
    S: Restart<Item = Result<Item, E>>,
    B: IntoIterator<Item = Duration> + Clone,
    T: AttemptTimeout<E>,
    H: Hook<T::Failure>,
    O: Outcome<T::Failure>,
{
    #[inline]
    fn begin_attempt(self: Pin<&mut Self>) {
        let this = self.project();
        *this.phase = Phase::Collecting;
        *this.attempts += 1;
        *this.health = Health::Unknown;
        if let Some(limit) = this.policy.attempt_timeout.limit() {
            this.alarm.set(limit);
        }
    }

    /// Takes note of an item, which may be what makes the attempt a healthy one.
    #[inline]
    fn notice_item(self: Pin<&mut Self>) {
        let this = self.project();
        match (this.policy.reset_after, &mut *this.health) {
            (Some(ResetAfter::Healthy(_)), health @ Health::Unknown) => *health = Health::Since(Instant::now()),
            (Some(ResetAfter::Items(_)), Health::Items(items)) => *items += 1,
            (Some(ResetAfter::Items(_)), health) => *health = Health::Items(1),
            _ => {}
        }
    }

    /// Decides about a failure: the next attempt is due, or this is the error.
    #[inline]
    fn decide(self: Pin<&mut Self>, cause: T::Failure) -> Result<(), O::Error> {
        let mut this = self.project();
        // Until it is decided: a panic in what is asked ends it, and gains no attempt that is not counted.
        *this.phase = Phase::Done;
        this.alarm.as_mut().clear();
        this.stream.as_mut().restart();

        let healthy = match (&this.policy.reset_after, &this.health) {
            (Some(ResetAfter::Healthy(period)), Health::Since(first_item)) => first_item.elapsed() >= *period,
            (Some(ResetAfter::Items(enough)), Health::Items(items)) => *items >= enough.get(),
            _ => false,
        };
        if healthy {
            // This failure is the first one of a new streak.
            if let Some(waits) = &mut *this.waits {
                waits.begin_again(this.policy);
            }
            *this.attempts = 1;
            *this.began = this.began.map(|_| Instant::now());
        }

        let elapsed = this.began.map_or(Duration::ZERO, |began| began.elapsed());
        let attempt = *this.attempts;
        let wait = if this.hooks.allows(&cause) {
            let (policy, random) = (&*this.policy, &*this.random);
            let waits = this.waits.get_or_insert_with(|| {
                let random = random.clone().unwrap_or_else(|| match policy.jitter {
                    // Nothing is drawn, and a seed is not for nothing.
                    Jitter::None => Random::seeded(0),
                    _ => Random::new(),
                });
                policy.waits(random)
            });
            match waits.next() {
                None => Err(GiveUpReason::Exhausted),
                Some(wait) => {
                    let wait = this.hooks.hint(&cause).map_or(wait, |hint| wait.max(hint));
                    let wait = policy.cap.map_or(wait, |cap| wait.min(cap));
                    if policy.deadline.is_some_and(|deadline| elapsed.saturating_add(wait) > deadline) {
                        Err(GiveUpReason::Deadline)
                    } else if this.hooks.admits(|| true) {
                        Ok(wait)
                    } else {
                        Err(GiveUpReason::Budget)
                    }
                }
            }
        } else {
            Err(GiveUpReason::Refused)
        };

        match wait {
            Ok(wait) => {
                this.hooks.retrying(&RetryEvent { attempt, cause: &cause, wait, elapsed });
                if wait.is_zero() {
                    *this.phase = Phase::Yielding;
                } else {
                    this.alarm.set(wait);
                    *this.phase = Phase::Waiting;
                }
                Ok(())
            }
            Err(reason) => {
                this.hooks.giving_up(&GiveUpEvent { attempts: attempt, cause: &cause, reason, elapsed });
                Err(O::error(attempt, elapsed, reason, cause))
            }
        }
    }
}

impl<S, B, T, H, O, Item, E> Stream for RetryWithStream<S, B, B::IntoIter, T, H, O>
where
    S: Restart<Item = Result<Item, E>>,
    B: IntoIterator<Item = Duration> + Clone,
    T: AttemptTimeout<E>,
    H: Hook<T::Failure>,
    O: Outcome<T::Failure>,
{
    type Item = Result<Item, O::Error>;

    #[inline]
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<Item, O::Error> {
        loop {
            let mut this = self.as_mut().project();
            match *this.phase {
                Phase::Fresh => {
                    let watches_clock = H::WATCHES_CLOCK || O::WATCHES_CLOCK || this.policy.deadline.is_some();
                    *this.began = watches_clock.then(Instant::now);
                    this.hooks.begin();
                    self.as_mut().begin_attempt();
                }
                Phase::Collecting => {
                    let cause = match this.hooks.during(|| this.stream.as_mut().poll_next(cx)) {
                        Poll::Ready(Some(Ok(item))) => {
                            self.notice_item();
                            return Poll::Ready(Some(Ok(item)));
                        }
                        Poll::Ready(Some(Err(error))) => T::upstream(error),
                        Poll::Ready(None) => {
                            *this.phase = Phase::Done;
                            return Poll::Ready(None);
                        }
                        Poll::Pending => {
                            ready!(this.alarm.poll_ring(cx));
                            match this.policy.attempt_timeout.elapsed() {
                                Some(cause) => cause,
                                None => return Poll::Pending,
                            }
                        }
                    };
                    if let Err(error) = self.as_mut().decide(cause) {
                        return Poll::Ready(Some(Err(error)));
                    }
                    if *self.as_mut().project().phase == Phase::Yielding {
                        cx.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                }
                Phase::Waiting => {
                    ready!(this.alarm.poll_ring(cx));
                    self.as_mut().begin_attempt();
                }
                Phase::Yielding => self.as_mut().begin_attempt(),
                Phase::Done => return Poll::Ready(None),
            }
        }
    }
}

impl<S, B, T, H, O, Item, E> FusedStream for RetryWithStream<S, B, B::IntoIter, T, H, O>
where
    S: Restart<Item = Result<Item, E>>,
    B: IntoIterator<Item = Duration> + Clone,
    T: AttemptTimeout<E>,
    H: Hook<T::Failure>,
    O: Outcome<T::Failure>,
{
    fn is_terminated(&self) -> bool {
        match self.phase {
            Phase::Waiting | Phase::Yielding => false,
            Phase::Fresh | Phase::Collecting => self.stream.is_terminated(),
            Phase::Done => true,
        }
    }
}

impl<S, B, T, H, O, Item, E> FlowStream for RetryWithStream<S, B, B::IntoIter, T, H, O>
where
    S: Restart<Item = Result<Item, E>>,
    B: IntoIterator<Item = Duration> + Clone,
    T: AttemptTimeout<E>,
    H: Hook<T::Failure>,
    O: Outcome<T::Failure>,
{
    fn poll_progress(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        this.hooks.during(|| this.stream.poll_progress(cx))
    }

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        *this.phase = Phase::Done;
        this.alarm.clear();
        this.stream.stop();
    }
}

impl<S, B, T, H, O, Item, E> Restart for RetryWithStream<S, B, B::IntoIter, T, H, O>
where
    S: Restart<Item = Result<Item, E>>,
    B: IntoIterator<Item = Duration> + Clone,
    T: AttemptTimeout<E>,
    H: Hook<T::Failure>,
    O: Outcome<T::Failure>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        *this.phase = Phase::Fresh;
        *this.waits = None;
        *this.attempts = 0;
        this.alarm.clear();
        this.stream.restart();
    }
}
