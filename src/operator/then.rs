use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`then`](crate::FlowExt::then).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Then<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`then`](crate::FlowExt::then).
    #[must_use = "streams do nothing unless polled"]
    pub struct ThenStream<S, Fut, Op> {
        #[pin]
        future: Option<Fut>,
        #[pin]
        stream: S,
        op: Op,
    }
}

debug_fields!(Then<F, Op> { flow: F });
debug_fields!(ThenStream<S, Fut, Op> { stream: S });

impl<F, Op> Then<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        Then { flow, op }
    }
}

impl<F, Op, Fut> Flow for Then<F, Op>
where
    F: Flow,
    Op: FnMut(F::Item) -> Fut,
    Fut: Future,
{
    type Item = Fut::Output;
    type Error = F::Error;
    type Stream = ThenStream<F::Stream, Fut, Op>;

    fn into_stream(self) -> Self::Stream {
        ThenStream { stream: self.flow.into_stream(), future: None, op: self.op }
    }
}

impl<S, Fut, Op, T, E> Stream for ThenStream<S, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future,
{
    type Item = Result<Fut::Output, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<Fut::Output, E> {
        let mut this = self.project();
        loop {
            if let Some(future) = this.future.as_mut().as_pin_mut() {
                let Poll::Ready(output) = future.poll(cx) else {
                    let _ = this.stream.poll_progress(cx);
                    return Poll::Pending;
                };
                this.future.set(None);
                return Poll::Ready(Some(Ok(output)));
            }
            let Some(item) = ready!(this.stream.as_mut().poll_next(cx)?) else {
                return Poll::Ready(None);
            };
            this.future.set(Some((this.op)(item)));
        }
    }
}

impl<S, Fut, Op, T, E> FusedStream for ThenStream<S, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future,
{
    fn is_terminated(&self) -> bool {
        self.future.is_none() && self.stream.is_terminated()
    }
}

impl<S, Fut, Op, T, E> FlowStream for ThenStream<S, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.future.set(None);
        this.stream.stop();
    }
}

impl<S, Fut, Op, T, E> Restart for ThenStream<S, Fut, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future,
{
    fn restart(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.future.set(None);
        this.stream.restart();
    }
}
