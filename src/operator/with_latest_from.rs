use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::concurrent::PROGRESS;
use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`with_latest_from`](crate::FlowExt::with_latest_from).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct WithLatestFrom<F, G> {
    flow: F,
    other: G,
}

pin_project! {
    /// The stream of [`with_latest_from`](crate::FlowExt::with_latest_from).
    #[must_use = "streams do nothing unless polled"]
    pub struct WithLatestFromStream<S, O, U, E> {
        #[pin]
        stream: S,
        #[pin]
        other: O,
        latest: Option<U>,
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

debug_fields!(WithLatestFrom<F, G> { flow: F, other: G });

impl<S: fmt::Debug, O: fmt::Debug, U, E> fmt::Debug for WithLatestFromStream<S, O, U, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithLatestFromStream")
            .field("stream", &self.stream)
            .field("other", &self.other)
            .finish_non_exhaustive()
    }
}

impl<F, G> WithLatestFrom<F, G> {
    pub(crate) fn new(flow: F, other: G) -> Self {
        WithLatestFrom { flow, other }
    }
}

impl<F, G> Flow for WithLatestFrom<F, G>
where
    F: Flow,
    G: Flow<Item: Clone, Error = F::Error>,
{
    type Item = (F::Item, G::Item);
    type Error = F::Error;
    type Stream = WithLatestFromStream<F::Stream, G::Stream, G::Item, F::Error>;

    fn into_stream(self) -> Self::Stream {
        WithLatestFromStream {
            stream: self.flow.into_stream(),
            other: self.other.into_stream(),
            latest: None,
            error: None,
            phase: Phase::Fresh,
        }
    }
}

impl<S, O, T, U, E> WithLatestFromStream<S, O, U, E>
where
    S: FlowStream<Item = Result<T, E>>,
    O: FlowStream<Item = Result<U, E>>,
{
    /// Runs the other flow on and keeps its latest item. Its failure is kept, and stops the first flow at once.
    fn drive_other(self: Pin<&mut Self>, cx: &mut Context<'_>) {
        let mut this = self.project();
        for _ in 0..PROGRESS {
            match this.other.as_mut().poll_next(cx) {
                Poll::Ready(Some(Ok(item))) => *this.latest = Some(item),
                Poll::Ready(Some(Err(error))) => {
                    this.stream.stop();
                    *this.error = Some(error);
                    return;
                }
                Poll::Ready(None) | Poll::Pending => return,
            }
        }
        cx.waker().wake_by_ref();
    }

    /// Drops what runs.
    fn finish(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.stop();
        this.other.stop();
        *this.latest = None;
        *this.error = None;
        *this.phase = Phase::Done;
    }
}

impl<S, O, T, U, E> Stream for WithLatestFromStream<S, O, U, E>
where
    S: FlowStream<Item = Result<T, E>>,
    O: FlowStream<Item = Result<U, E>>,
    U: Clone,
{
    type Item = Result<(T, U), E>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<(T, U), E> {
        if self.phase == Phase::Done {
            return Poll::Ready(None);
        }
        *self.as_mut().project().phase = Phase::Running;
        let mut turns = Turns::new();
        loop {
            if self.error.is_none() {
                self.as_mut().drive_other(cx);
            }
            let this = self.as_mut().project();
            if let Some(error) = this.error.take() {
                self.finish();
                return Poll::Ready(Some(Err(error)));
            }
            match ready!(this.stream.poll_next(cx)) {
                Some(Ok(item)) => {
                    if let Some(latest) = this.latest {
                        return Poll::Ready(Some(Ok((item, latest.clone()))));
                    }
                }
                Some(Err(error)) => {
                    self.finish();
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    self.finish();
                    return Poll::Ready(None);
                }
            }
            if turns.used_up(cx) {
                return Poll::Pending;
            }
        }
    }
}

impl<S, O, T, U, E> FusedStream for WithLatestFromStream<S, O, U, E>
where
    S: FlowStream<Item = Result<T, E>>,
    O: FlowStream<Item = Result<U, E>>,
    U: Clone,
{
    fn is_terminated(&self) -> bool {
        self.phase == Phase::Done
    }
}

impl<S, O, T, U, E> FlowStream for WithLatestFromStream<S, O, U, E>
where
    S: FlowStream<Item = Result<T, E>>,
    O: FlowStream<Item = Result<U, E>>,
    U: Clone,
{
    fn poll_progress(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.phase != Phase::Running || self.error.is_some() {
            return Poll::Ready(());
        }
        self.as_mut().drive_other(cx);
        let _ = self.project().stream.poll_progress(cx);
        Poll::Pending
    }

    fn stop(self: Pin<&mut Self>) {
        self.finish();
    }
}

impl<S, O, T, U, E> Restart for WithLatestFromStream<S, O, U, E>
where
    S: Restart<Item = Result<T, E>>,
    O: Restart<Item = Result<U, E>>,
    U: Clone,
{
    fn restart(mut self: Pin<&mut Self>) {
        self.as_mut().finish();
        let this = self.project();
        this.stream.restart();
        this.other.restart();
        *this.phase = Phase::Fresh;
    }
}
