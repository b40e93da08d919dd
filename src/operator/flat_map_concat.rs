use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`flat_map_concat`](crate::FlowExt::flat_map_concat).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct FlatMapConcat<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`flat_map_concat`](crate::FlowExt::flat_map_concat).
    #[must_use = "streams do nothing unless polled"]
    pub struct FlatMapConcatStream<S, G: Flow, Op> {
        #[pin]
        inner: Option<G::Stream>,
        #[pin]
        stream: S,
        op: Op,
    }
}

debug_fields!(FlatMapConcat<F, Op> { flow: F });
impl<S: fmt::Debug, G: Flow, Op> fmt::Debug for FlatMapConcatStream<S, G, Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlatMapConcatStream").field("stream", &self.stream).finish_non_exhaustive()
    }
}

impl<F, Op> FlatMapConcat<F, Op> {
    pub(crate) fn new(flow: F, op: Op) -> Self {
        FlatMapConcat { flow, op }
    }
}

impl<F, Op, G> Flow for FlatMapConcat<F, Op>
where
    F: Flow,
    G: Flow<Error = F::Error>,
    Op: FnMut(F::Item) -> G,
{
    type Item = G::Item;
    type Error = F::Error;
    type Stream = FlatMapConcatStream<F::Stream, G, Op>;

    fn into_stream(self) -> Self::Stream {
        FlatMapConcatStream { stream: self.flow.into_stream(), inner: None, op: self.op }
    }
}

impl<S, G, Op, T, E> Stream for FlatMapConcatStream<S, G, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    G: Flow<Error = E>,
    Op: FnMut(T) -> G,
{
    type Item = Result<G::Item, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<G::Item, E> {
        let mut this = self.project();
        let mut turns = Turns::new();
        loop {
            if let Some(inner) = this.inner.as_mut().as_pin_mut() {
                match inner.poll_next(cx) {
                    Poll::Pending => {
                        let _ = this.stream.poll_progress(cx);
                        return Poll::Pending;
                    }
                    Poll::Ready(Some(Ok(item))) => return Poll::Ready(Some(Ok(item))),
                    Poll::Ready(Some(Err(error))) => {
                        this.inner.set(None);
                        this.stream.stop();
                        return Poll::Ready(Some(Err(error)));
                    }
                    Poll::Ready(None) => this.inner.set(None),
                }
            }
            let Some(item) = ready!(this.stream.as_mut().poll_next(cx)?) else {
                return Poll::Ready(None);
            };
            this.inner.set(Some((this.op)(item).into_stream()));
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
    }
}

impl<S, G, Op, T, E> FusedStream for FlatMapConcatStream<S, G, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    G: Flow<Error = E>,
    Op: FnMut(T) -> G,
{
    fn is_terminated(&self) -> bool {
        self.inner.is_none() && self.stream.is_terminated()
    }
}

impl<S, G, Op, T, E> FlowStream for FlatMapConcatStream<S, G, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    G: Flow<Error = E>,
    Op: FnMut(T) -> G,
{
    fn poll_progress(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut this = self.project();
        let inner = match this.inner.as_mut().as_pin_mut() {
            Some(inner) => inner.poll_progress(cx),
            None => Poll::Ready(()),
        };
        let outer = this.stream.poll_progress(cx);
        if inner.is_ready() { outer } else { Poll::Pending }
    }

    fn stop(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.inner.set(None);
        this.stream.stop();
    }
}

impl<S, G, Op, T, E> Restart for FlatMapConcatStream<S, G, Op>
where
    S: Restart<Item = Result<T, E>>,
    G: Flow<Error = E>,
    Op: FnMut(T) -> G,
{
    fn restart(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.inner.set(None);
        this.stream.restart();
    }
}
