use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`on_cancel`](crate::FlowExt::on_cancel).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct OnCancel<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`on_cancel`](crate::FlowExt::on_cancel).
    #[must_use = "streams do nothing unless polled"]
    pub struct OnCancelStream<S, Op>
    where
        S: FlowStream,
        Op: FnMut(),
    {
        #[pin]
        stream: S,
        op: Op,
        phase: Phase,
    }

    impl<S, Op> PinnedDrop for OnCancelStream<S, Op>
    where
        S: FlowStream,
        Op: FnMut(),
    {
        fn drop(this: Pin<&mut Self>) {
            this.cancel(S::stop);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Fresh,
    Running,
    Ended,
}

debug_fields!(OnCancel<F, Op> { flow: F });

impl<S: FlowStream + fmt::Debug, Op: FnMut()> fmt::Debug for OnCancelStream<S, Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnCancelStream")
            .field("stream", &self.stream)
            .field("phase", &self.phase)
            .finish_non_exhaustive()
    }
}

impl<F, Op> OnCancel<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        OnCancel { flow, op }
    }
}

impl<S: FlowStream, Op: FnMut()> OnCancelStream<S, Op> {
    /// Lets `end` drop what runs upstream, and reports it when there was something running.
    fn cancel(self: Pin<&mut Self>, end: impl FnOnce(Pin<&mut S>)) {
        let this = self.project();
        end(this.stream);
        if *this.phase == Phase::Running {
            *this.phase = Phase::Ended;
            (this.op)();
        }
    }
}

impl<F, Op> Flow for OnCancel<F, Op>
where
    F: Flow,
    Op: FnMut(),
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = OnCancelStream<F::Stream, Op>;

    fn into_stream(self) -> Self::Stream {
        OnCancelStream { stream: self.flow.into_stream(), op: self.op, phase: Phase::Fresh }
    }
}

impl<S, Op, T, E> Stream for OnCancelStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(),
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        if *this.phase == Phase::Ended {
            return Poll::Ready(None);
        }
        *this.phase = Phase::Running;
        let item = ready!(this.stream.as_mut().poll_next(cx));
        if !matches!(item, Some(Ok(_))) || this.stream.is_terminated() {
            *this.phase = Phase::Ended;
        }
        Poll::Ready(item)
    }
}

impl<S, Op, T, E> FusedStream for OnCancelStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(),
{
    fn is_terminated(&self) -> bool {
        self.phase == Phase::Ended
    }
}

impl<S, Op, T, E> FlowStream for OnCancelStream<S, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(),
{
    forward!(poll_progress);

    fn stop(mut self: Pin<&mut Self>) {
        self.as_mut().cancel(S::stop);
        *self.project().phase = Phase::Ended;
    }
}

impl<S, Op, T, E> Restart for OnCancelStream<S, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(),
{
    fn restart(mut self: Pin<&mut Self>) {
        self.as_mut().cancel(S::restart);
        *self.project().phase = Phase::Fresh;
    }
}
