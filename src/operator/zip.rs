use core::fmt;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`zip`](crate::FlowExt::zip).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Zip<F, G> {
    flow: F,
    other: G,
}

pin_project! {
    /// The stream of [`zip`](crate::FlowExt::zip).
    #[must_use = "streams do nothing unless polled"]
    pub struct ZipStream<S, O, T, U, E> {
        #[pin]
        stream: S,
        #[pin]
        other: O,
        // What each has emitted and what waits for its partner.
        item: Option<T>,
        other_item: Option<U>,
        error: Option<E>,
        phase: Phase,
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Fresh,
    Running,
    Done,
}

debug_fields!(Zip<F, G> { flow: F, other: G });

impl<S: fmt::Debug, O: fmt::Debug, T, U, E> fmt::Debug for ZipStream<S, O, T, U, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZipStream").field("stream", &self.stream).field("other", &self.other).finish_non_exhaustive()
    }
}

impl<F, G> Zip<F, G> {
    pub(crate) fn new(flow: F, other: G) -> Self {
        Zip { flow, other }
    }
}

impl<F, G> Flow for Zip<F, G>
where
    F: Flow,
    G: Flow<Error = F::Error>,
{
    type Item = (F::Item, G::Item);
    type Error = F::Error;
    type Stream = ZipStream<F::Stream, G::Stream, F::Item, G::Item, F::Error>;

    fn into_stream(self) -> Self::Stream {
        ZipStream {
            stream: self.flow.into_stream(),
            other: self.other.into_stream(),
            item: None,
            other_item: None,
            error: None,
            phase: Phase::Fresh,
        }
    }
}

impl<S, O, T, U, E> ZipStream<S, O, T, U, E>
where
    S: FlowStream<Item = Result<T, E>>,
    O: FlowStream<Item = Result<U, E>>,
{
    /// Runs the second input on until its item is in hand. Its failure is kept, and stops the first at once.
    #[inline]
    fn drive_other(self: Pin<&mut Self>, cx: &mut Context<'_>) {
        let mut this = self.project();
        if this.other_item.is_none() {
            match this.other.as_mut().poll_next(cx) {
                Poll::Ready(Some(Ok(item))) => *this.other_item = Some(item),
                Poll::Ready(Some(Err(error))) => {
                    this.stream.stop();
                    *this.error = Some(error);
                }
                Poll::Ready(None) | Poll::Pending => {}
            }
        }
        if this.other_item.is_some() {
            let _ = this.other.poll_progress(cx);
        }
    }

    /// What the end of the second input makes of this flow: its failure, or the end when it has no item left. Pending while
    /// it has not ended.
    fn end_of_other(mut self: Pin<&mut Self>) -> PollItem<(T, U), E> {
        let this = self.as_mut().project();
        let ended = this.other_item.is_none() && this.other.is_terminated();
        let error = this.error.take();
        if error.is_none() && !ended {
            return Poll::Pending;
        }
        self.finish();
        Poll::Ready(error.map(Err))
    }

    /// Drops what runs and what waits.
    fn finish(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.stop();
        this.other.stop();
        *this.item = None;
        *this.other_item = None;
        *this.phase = Phase::Done;
    }
}

impl<S, O, T, U, E> Stream for ZipStream<S, O, T, U, E>
where
    S: FlowStream<Item = Result<T, E>>,
    O: FlowStream<Item = Result<U, E>>,
{
    type Item = Result<(T, U), E>;

    #[inline]
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<(T, U), E> {
        if self.phase == Phase::Done {
            return Poll::Ready(None);
        }
        // The second input starts behind the first. From then on it goes first, so that its end is seen before the first
        // goes on.
        let fresh = mem::replace(self.as_mut().project().phase, Phase::Running) == Phase::Fresh;
        if !fresh {
            self.as_mut().drive_other(cx);
            if let Poll::Ready(end) = self.as_mut().end_of_other() {
                return Poll::Ready(end);
            }
        }
        let mut this = self.as_mut().project();
        if this.item.is_none() {
            match this.stream.as_mut().poll_next(cx) {
                Poll::Pending => {}
                Poll::Ready(Some(Ok(item))) => *this.item = Some(item),
                Poll::Ready(end) => {
                    self.finish();
                    return Poll::Ready(end.and_then(Result::err).map(Err));
                }
            }
        }
        if fresh {
            self.as_mut().drive_other(cx);
            if let Poll::Ready(end) = self.as_mut().end_of_other() {
                return Poll::Ready(end);
            }
        }
        let this = self.as_mut().project();
        match (this.item.take(), this.other_item.take()) {
            (Some(item), Some(other)) => Poll::Ready(Some(Ok((item, other)))),
            (item, other) => {
                *this.item = item;
                *this.other_item = other;
                if this.item.is_some() {
                    let _ = this.stream.poll_progress(cx);
                }
                Poll::Pending
            }
        }
    }
}

impl<S, O, T, U, E> FusedStream for ZipStream<S, O, T, U, E>
where
    S: FlowStream<Item = Result<T, E>>,
    O: FlowStream<Item = Result<U, E>>,
{
    fn is_terminated(&self) -> bool {
        self.phase == Phase::Done
    }
}

impl<S, O, T, U, E> FlowStream for ZipStream<S, O, T, U, E>
where
    S: FlowStream<Item = Result<T, E>>,
    O: FlowStream<Item = Result<U, E>>,
{
    fn poll_progress(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.phase != Phase::Running || self.error.is_some() {
            return Poll::Ready(());
        }
        self.as_mut().drive_other(cx);
        let _ = self.project().stream.poll_progress(cx);
        Poll::Pending
    }

    fn stop(mut self: Pin<&mut Self>) {
        *self.as_mut().project().error = None;
        self.finish();
    }
}

impl<S, O, T, U, E> Restart for ZipStream<S, O, T, U, E>
where
    S: Restart<Item = Result<T, E>>,
    O: Restart<Item = Result<U, E>>,
{
    fn restart(mut self: Pin<&mut Self>) {
        self.as_mut().stop();
        let this = self.project();
        this.stream.restart();
        this.other.restart();
        *this.phase = Phase::Fresh;
    }
}
