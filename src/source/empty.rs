use core::convert::Infallible;
use core::marker::PhantomData;
use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::{FusedStream, Stream};

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// A flow that ends at once.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, empty};
///
/// # futures::executor::block_on(async {
/// let Ok(count) = empty::<u8>().count().await;
/// assert_eq!(count, 0);
/// # });
/// ```
///
/// Kotlin: `emptyFlow`.
#[doc(alias = "emptyFlow")]
pub fn empty<T>() -> Empty<T> {
    Empty { item: PhantomData }
}

/// The flow of [`empty`].
#[must_use = "flows do nothing unless collected"]
pub struct Empty<T> {
    item: PhantomData<fn() -> T>,
}

/// The stream of [`empty`].
#[must_use = "streams do nothing unless polled"]
pub struct EmptyStream<T> {
    item: PhantomData<fn() -> T>,
}

debug_fields!(Empty<T> {});
debug_fields!(EmptyStream<T> {});

impl<T> Clone for Empty<T> {
    fn clone(&self) -> Self {
        empty()
    }
}

impl<T> Flow for Empty<T> {
    type Item = T;
    type Error = Infallible;
    type Stream = EmptyStream<T>;

    fn into_stream(self) -> Self::Stream {
        EmptyStream { item: PhantomData }
    }
}

impl<T> Stream for EmptyStream<T> {
    type Item = Result<T, Infallible>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> PollItem<T, Infallible> {
        Poll::Ready(None)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(0))
    }
}

impl<T> FusedStream for EmptyStream<T> {
    fn is_terminated(&self) -> bool {
        true
    }
}

impl<T> FlowStream for EmptyStream<T> {
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {}
}

impl<T> Restart for EmptyStream<T> {
    fn restart(self: Pin<&mut Self>) {}
}
