use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::emitter::{EmitRun, Emitter, Step};
use crate::flow::{Flow, FlowStream, PollItem, Restart};
use crate::source::BodyOutput;

/// The flow of [`catch`](crate::FlowExt::catch).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Catch<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`catch`](crate::FlowExt::catch).
    #[must_use = "streams do nothing unless polled"]
    pub struct CatchStream<S, T, Fut: Future, Op> {
        #[pin]
        run: EmitRun<T, Fut>,
        #[pin]
        stream: S,
        op: Op,
        phase: Phase,
    }
}

#[derive(Debug)]
enum Phase {
    Upstream,
    Handling,
    Done,
}

debug_fields!(Catch<F, Op> { flow: F });
impl<S: fmt::Debug, T, Fut: Future, Op> fmt::Debug for CatchStream<S, T, Fut, Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CatchStream").field("stream", &self.stream).finish_non_exhaustive()
    }
}

impl<F, Op> Catch<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        Catch { flow, op }
    }
}

impl<F, Op, Fut> Flow for Catch<F, Op>
where
    F: Flow,
    Op: FnMut(F::Error, Emitter<F::Item>) -> Fut,
    Fut: Future<Output: BodyOutput>,
{
    type Item = F::Item;
    type Error = <Fut::Output as BodyOutput>::Error;
    type Stream = CatchStream<F::Stream, F::Item, Fut, Op>;

    fn into_stream(self) -> Self::Stream {
        CatchStream { stream: self.flow.into_stream(), run: EmitRun::new(), op: self.op, phase: Phase::Upstream }
    }
}

impl<S, T, Fut, Op, E> Stream for CatchStream<S, T, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(E, Emitter<T>) -> Fut,
    Fut: Future<Output: BodyOutput>,
{
    type Item = Result<T, <Fut::Output as BodyOutput>::Error>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, <Fut::Output as BodyOutput>::Error> {
        let mut this = self.project();
        loop {
            match this.phase {
                Phase::Upstream => match ready!(this.stream.as_mut().poll_next(cx)) {
                    Some(Ok(item)) => return Poll::Ready(Some(Ok(item))),
                    Some(Err(cause)) => {
                        this.run.as_mut().start(|emitter| (this.op)(cause, emitter));
                        *this.phase = Phase::Handling;
                    }
                    None => {
                        *this.phase = Phase::Done;
                        return Poll::Ready(None);
                    }
                },
                Phase::Handling => match ready!(this.run.as_mut().poll_step(cx)) {
                    Step::Item(item) => return Poll::Ready(Some(Ok(item))),
                    Step::Done(output) => {
                        *this.phase = Phase::Done;
                        return Poll::Ready(output.into_result().err().map(Err));
                    }
                },
                Phase::Done => return Poll::Ready(None),
            }
        }
    }
}

impl<S, T, Fut, Op, E> FusedStream for CatchStream<S, T, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(E, Emitter<T>) -> Fut,
    Fut: Future<Output: BodyOutput>,
{
    fn is_terminated(&self) -> bool {
        match self.phase {
            Phase::Upstream => self.stream.is_terminated(),
            Phase::Handling => false,
            Phase::Done => true,
        }
    }
}

impl<S, T, Fut, Op, E> FlowStream for CatchStream<S, T, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(E, Emitter<T>) -> Fut,
    Fut: Future<Output: BodyOutput>,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.run.cancel();
        this.stream.stop();
        *this.phase = Phase::Done;
    }
}

impl<S, T, Fut, Op, E> Restart for CatchStream<S, T, Fut, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(E, Emitter<T>) -> Fut,
    Fut: Future<Output: BodyOutput>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.run.cancel();
        this.stream.restart();
        *this.phase = Phase::Upstream;
    }
}
