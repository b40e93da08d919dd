use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`on_each`](crate::FlowExt::on_each).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct OnEach<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`on_each`](crate::FlowExt::on_each).
    #[must_use = "streams do nothing unless polled"]
    pub struct OnEachStream<S, T, Fut, Op> {
        #[pin]
        future: Option<Fut>,
        item: Option<T>,
        #[pin]
        stream: S,
        op: Op,
    }
}

debug_fields!(OnEach<F, Op> { flow: F });
debug_fields!(OnEachStream<S, T, Fut, Op> { stream: S });

impl<F, Op> OnEach<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        OnEach { flow, op }
    }
}

impl<F, Op, Fut> Flow for OnEach<F, Op>
where
    F: Flow,
    Op: FnMut(&F::Item) -> Fut,
    Fut: Future<Output = ()>,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = OnEachStream<F::Stream, F::Item, Fut, Op>;

    fn into_stream(self) -> Self::Stream {
        OnEachStream { stream: self.flow.into_stream(), future: None, item: None, op: self.op }
    }
}

impl<S, T, Fut, Op, E> Stream for OnEachStream<S, T, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(&T) -> Fut,
    Fut: Future<Output = ()>,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        if this.item.is_none() {
            let Some(item) = ready!(this.stream.as_mut().poll_next(cx)?) else {
                return Poll::Ready(None);
            };
            this.future.set(Some((this.op)(&item)));
            *this.item = Some(item);
        }
        if let Some(future) = this.future.as_mut().as_pin_mut() {
            if future.poll(cx).is_pending() {
                let _ = this.stream.poll_progress(cx);
                return Poll::Pending;
            }
            this.future.set(None);
        }
        Poll::Ready(this.item.take().map(Ok))
    }
}

impl<S, T, Fut, Op, E> FusedStream for OnEachStream<S, T, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(&T) -> Fut,
    Fut: Future<Output = ()>,
{
    fn is_terminated(&self) -> bool {
        self.item.is_none() && self.stream.is_terminated()
    }
}

impl<S, T, Fut, Op, E> FlowStream for OnEachStream<S, T, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(&T) -> Fut,
    Fut: Future<Output = ()>,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.future.set(None);
        *this.item = None;
        this.stream.stop();
    }
}

impl<S, T, Fut, Op, E> Restart for OnEachStream<S, T, Fut, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(&T) -> Fut,
    Fut: Future<Output = ()>,
{
    fn restart(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.future.set(None);
        *this.item = None;
        this.stream.restart();
    }
}
