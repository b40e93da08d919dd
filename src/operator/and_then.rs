use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`and_then`](crate::FlowExt::and_then).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct AndThen<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`and_then`](crate::FlowExt::and_then).
    #[must_use = "streams do nothing unless polled"]
    pub struct AndThenStream<S, Fut, Op> {
        #[pin]
        future: Option<Fut>,
        #[pin]
        stream: S,
        op: Op,
    }
}

debug_fields!(AndThen<F, Op> { flow: F });
debug_fields!(AndThenStream<S, Fut, Op> { stream: S });

impl<F, Op> AndThen<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        AndThen { flow, op }
    }
}

impl<F, Op, Fut, U> Flow for AndThen<F, Op>
where
    F: Flow,
    Op: FnMut(F::Item) -> Fut,
    Fut: Future<Output = Result<U, F::Error>>,
{
    type Item = U;
    type Error = F::Error;
    type Stream = AndThenStream<F::Stream, Fut, Op>;

    fn into_stream(self) -> Self::Stream {
        AndThenStream { stream: self.flow.into_stream(), future: None, op: self.op }
    }
}

impl<S, Fut, Op, T, U, E> Stream for AndThenStream<S, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future<Output = Result<U, E>>,
{
    type Item = Result<U, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<U, E> {
        let mut this = self.project();
        loop {
            if let Some(future) = this.future.as_mut().as_pin_mut() {
                let Poll::Ready(output) = future.poll(cx) else {
                    let _ = this.stream.poll_progress(cx);
                    return Poll::Pending;
                };
                this.future.set(None);
                if output.is_err() {
                    this.stream.stop();
                }
                return Poll::Ready(Some(output));
            }
            let Some(item) = ready!(this.stream.as_mut().poll_next(cx)?) else {
                return Poll::Ready(None);
            };
            this.future.set(Some((this.op)(item)));
        }
    }
}

impl<S, Fut, Op, T, U, E> FusedStream for AndThenStream<S, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future<Output = Result<U, E>>,
{
    fn is_terminated(&self) -> bool {
        self.future.is_none() && self.stream.is_terminated()
    }
}

impl<S, Fut, Op, T, U, E> FlowStream for AndThenStream<S, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future<Output = Result<U, E>>,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.future.set(None);
        this.stream.stop();
    }
}

impl<S, Fut, Op, T, U, E> Restart for AndThenStream<S, Fut, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future<Output = Result<U, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.future.set(None);
        this.stream.restart();
    }
}
