use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::{ColdFlow, Flow, FlowStream, PollItem, Restart};
use crate::retry::Decide;

/// The flow of [`retry_when`](crate::FlowExt::retry_when).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct RetryWhen<F, P> {
    flow: F,
    predicate: P,
}

pin_project! {
    /// The stream of [`retry_when`](crate::FlowExt::retry_when).
    #[must_use = "streams do nothing unless polled"]
    pub struct RetryWhenStream<S, P, Fut> {
        #[pin]
        phase: Phase<Fut>,
        #[pin]
        stream: S,
        predicate: P,
        retried: u64,
    }
}

pin_project! {
    #[project = PhaseProj]
    enum Phase<Fut> {
        Collecting,
        Deciding { #[pin] decision: Fut },
        Done,
    }
}

debug_fields!(RetryWhen<F, P> { flow: F });

impl<S: fmt::Debug, P, Fut> fmt::Debug for RetryWhenStream<S, P, Fut> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryWhenStream")
            .field("stream", &self.stream)
            .field("retried", &self.retried)
            .finish_non_exhaustive()
    }
}

impl<F, P> RetryWhen<F, P> {
    pub(crate) fn new(flow: F, predicate: P) -> Self {
        RetryWhen { flow, predicate }
    }
}

impl<F, P> Flow for RetryWhen<F, P>
where
    F: ColdFlow,
    P: Decide<F::Error>,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = RetryWhenStream<F::Stream, P, P::Decision>;

    fn into_stream(self) -> Self::Stream {
        RetryWhenStream {
            phase: Phase::Collecting,
            stream: self.flow.into_stream(),
            predicate: self.predicate,
            retried: 0,
        }
    }
}

impl<S, P, T, E> Stream for RetryWhenStream<S, P, P::Decision>
where
    S: Restart<Item = Result<T, E>>,
    P: Decide<E>,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        let mut turns = Turns::of_a_retry();
        // In the order in which the phases follow each other, so that none is looked up that is known.
        loop {
            if let PhaseProj::Collecting = this.phase.as_mut().project() {
                match ready!(this.stream.as_mut().poll_next(cx)) {
                    Some(Err(cause)) => {
                        this.stream.as_mut().restart();
                        let decision = this.predicate.decide(cause, *this.retried);
                        this.phase.set(Phase::Deciding { decision });
                    }
                    item => return Poll::Ready(item),
                }
            }
            let PhaseProj::Deciding { decision } = this.phase.as_mut().project() else {
                return Poll::Ready(None);
            };
            match ready!(decision.poll(cx)) {
                Ok(()) => {
                    *this.retried += 1;
                    this.phase.set(Phase::Collecting);
                    if turns.used_up(cx) {
                        return Poll::Pending;
                    }
                }
                Err(cause) => {
                    this.phase.set(Phase::Done);
                    return Poll::Ready(Some(Err(cause)));
                }
            }
        }
    }
}

impl<S, P, T, E> FusedStream for RetryWhenStream<S, P, P::Decision>
where
    S: Restart<Item = Result<T, E>>,
    P: Decide<E>,
{
    fn is_terminated(&self) -> bool {
        match self.phase {
            Phase::Collecting => self.stream.is_terminated(),
            Phase::Deciding { .. } => false,
            Phase::Done => true,
        }
    }
}

impl<S, P, T, E> FlowStream for RetryWhenStream<S, P, P::Decision>
where
    S: Restart<Item = Result<T, E>>,
    P: Decide<E>,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.phase.set(Phase::Done);
        this.stream.stop();
    }
}

impl<S, P, T, E> Restart for RetryWhenStream<S, P, P::Decision>
where
    S: Restart<Item = Result<T, E>>,
    P: Decide<E>,
{
    fn restart(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.phase.set(Phase::Collecting);
        this.stream.restart();
        *this.retried = 0;
    }
}
