use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};
use crate::retry::Decide;
use crate::source::SourceBody;

/// The flow of [`Once::retry_when`](crate::source::Once::retry_when).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct RetryOnce<Op, P> {
    op: Op,
    predicate: P,
}

pin_project! {
    /// The stream of [`Once::retry_when`](crate::source::Once::retry_when).
    ///
    /// It does what a [`RetryWhenStream`](crate::retry::RetryWhenStream) does over the stream of a `once`, in one place
    /// for the call and for the decision, since only one of them is there at a time.
    #[must_use = "streams do nothing unless polled"]
    pub struct RetryOnceStream<Op, P, Fut, Dec> {
        #[pin]
        phase: Phase<Fut, Dec>,
        op: Op,
        predicate: P,
        retried: u64,
    }
}

pin_project! {
    #[project = PhaseProj]
    enum Phase<Fut, Dec> {
        Fresh,
        Calling { #[pin] future: Fut },
        Deciding { #[pin] decision: Dec },
        Done,
    }
}

debug_fields!(RetryOnce < Op, P > {});

impl<Op, P, Fut, Dec> fmt::Debug for RetryOnceStream<Op, P, Fut, Dec> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryOnceStream").field("retried", &self.retried).finish_non_exhaustive()
    }
}

impl<Op, P> RetryOnce<Op, P> {
    pub(crate) fn new(op: Op, predicate: P) -> Self {
        RetryOnce { op, predicate }
    }
}

impl<Op, P, Fut, T, E> Flow for RetryOnce<Op, P>
where
    Op: SourceBody<(), Running = Fut>,
    P: Decide<E>,
    Fut: Future<Output = Result<T, E>>,
{
    type Item = T;
    type Error = E;
    type Stream = RetryOnceStream<Op, P, Fut, P::Decision>;

    fn into_stream(self) -> Self::Stream {
        RetryOnceStream { phase: Phase::Fresh, op: self.op, predicate: self.predicate, retried: 0 }
    }
}

impl<Op, P, Fut, T, E> Stream for RetryOnceStream<Op, P, Fut, P::Decision>
where
    Op: SourceBody<(), Running = Fut>,
    P: Decide<E>,
    Fut: Future<Output = Result<T, E>>,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        let mut turns = Turns::of_a_retry();
        // In the order in which the phases follow each other, so that none is looked up that is known.
        loop {
            if let PhaseProj::Fresh = this.phase.as_mut().project() {
                let future = this.op.run(());
                this.phase.set(Phase::Calling { future });
            }
            if let PhaseProj::Calling { future } = this.phase.as_mut().project() {
                match ready!(future.poll(cx)) {
                    Ok(value) => {
                        this.phase.set(Phase::Done);
                        return Poll::Ready(Some(Ok(value)));
                    }
                    Err(cause) => {
                        this.phase.set(Phase::Fresh);
                        let decision = this.predicate.decide(cause, *this.retried);
                        this.phase.set(Phase::Deciding { decision });
                    }
                }
            }
            let PhaseProj::Deciding { decision } = this.phase.as_mut().project() else {
                return Poll::Ready(None);
            };
            match ready!(decision.poll(cx)) {
                Ok(()) => {
                    *this.retried += 1;
                    this.phase.set(Phase::Fresh);
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

impl<Op, P, Fut, T, E> FusedStream for RetryOnceStream<Op, P, Fut, P::Decision>
where
    Op: SourceBody<(), Running = Fut>,
    P: Decide<E>,
    Fut: Future<Output = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }
}

impl<Op, P, Fut, T, E> FlowStream for RetryOnceStream<Op, P, Fut, P::Decision>
where
    Op: SourceBody<(), Running = Fut>,
    P: Decide<E>,
    Fut: Future<Output = Result<T, E>>,
{
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {
        self.project().phase.set(Phase::Done);
    }
}

impl<Op, P, Fut, T, E> Restart for RetryOnceStream<Op, P, Fut, P::Decision>
where
    Op: SourceBody<(), Running = Fut>,
    P: Decide<E>,
    Fut: Future<Output = Result<T, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.phase.set(Phase::Fresh);
        *this.retried = 0;
    }
}
