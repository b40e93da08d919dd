use core::marker::PhantomData;
use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// A flow that fails at once, with a clone of `error` in each collection.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, failed};
///
/// # futures::executor::block_on(async {
/// assert_eq!(failed::<u8, _>("closed").to_vec().await, Err("closed"));
/// # });
/// ```
///
/// Kotlin: `flow { throw error }`.
pub fn failed<T, E: Clone>(error: E) -> Failed<T, E> {
    Failed { error, item: PhantomData }
}

/// The flow of [`failed`].
#[must_use = "flows do nothing unless collected"]
pub struct Failed<T, E> {
    error: E,
    item: PhantomData<fn() -> T>,
}

pin_project! {
    /// The stream of [`failed`].
    #[must_use = "streams do nothing unless polled"]
    pub struct FailedStream<T, E> {
        error: E,
        done: bool,
        item: PhantomData<fn() -> T>,
    }
}

debug_fields!(Failed<T, E> { error: E });
debug_fields!(FailedStream<T, E> { error: E });

impl<T, E: Clone> Clone for Failed<T, E> {
    fn clone(&self) -> Self {
        failed(self.error.clone())
    }
}

impl<T, E: Clone> Flow for Failed<T, E> {
    type Item = T;
    type Error = E;
    type Stream = FailedStream<T, E>;

    fn into_stream(self) -> Self::Stream {
        FailedStream { error: self.error, done: false, item: PhantomData }
    }
}

impl<T, E: Clone> Stream for FailedStream<T, E> {
    type Item = Result<T, E>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> PollItem<T, E> {
        let this = self.project();
        if core::mem::replace(this.done, true) { Poll::Ready(None) } else { Poll::Ready(Some(Err(this.error.clone()))) }
    }
}

impl<T, E: Clone> FusedStream for FailedStream<T, E> {
    fn is_terminated(&self) -> bool {
        self.done
    }
}

impl<T, E: Clone> FlowStream for FailedStream<T, E> {
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {
        *self.project().done = true;
    }
}

impl<T, E: Clone> Restart for FailedStream<T, E> {
    fn restart(self: Pin<&mut Self>) {
        *self.project().done = false;
    }
}
