use core::convert::Infallible;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem};

/// A flow of the items of a stream that already exists, so it can be collected only once and not be retried.
///
/// To retry a stream, make it anew for each collection: [`defer`](crate::defer). Once the stream has ended it is
/// dropped, never polled again.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, from_stream};
/// use futures::stream;
///
/// # futures::executor::block_on(async {
/// let Ok(doubled) = from_stream(stream::iter([1, 2])).map(|n| n * 2).to_vec().await;
/// assert_eq!(doubled, [2, 4]);
/// # });
/// ```
///
/// Kotlin: `consumeAsFlow`.
#[doc(alias = "consumeAsFlow")]
pub fn from_stream<S: Stream>(stream: S) -> FromStream<S> {
    FromStream { stream }
}

/// A flow of the items of a stream of results that already exists: it ends at the first error, and can be collected
/// only once.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, from_try_stream};
/// use futures::stream;
///
/// # futures::executor::block_on(async {
/// let items = stream::iter([Ok(1), Err("cut off"), Ok(2)]);
/// assert_eq!(from_try_stream(items).to_vec().await, Err("cut off"));
/// # });
/// ```
///
/// Kotlin: `consumeAsFlow`.
pub fn from_try_stream<S, T, E>(stream: S) -> FromTryStream<S>
where
    S: Stream<Item = Result<T, E>>,
{
    FromTryStream { stream }
}

/// Turns every [`Stream`] into a flow.
///
/// It carries no other methods, so it can be imported beside the extension traits of other crates.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, StreamFlowExt};
/// use futures::stream;
///
/// # futures::executor::block_on(async {
/// assert_eq!(stream::iter([7]).into_flow().single().await, Ok(7));
/// assert_eq!(stream::iter([Err::<u8, _>("no")]).into_try_flow().to_vec().await, Err("no"));
/// # });
/// ```
pub trait StreamFlowExt: Stream {
    /// A flow of the items of this stream. See [`from_stream`].
    fn into_flow(self) -> FromStream<Self>
    where
        Self: Sized,
    {
        from_stream(self)
    }

    /// A flow of the `Ok` items of this stream that ends at its first error. See [`from_try_stream`].
    fn into_try_flow<T, E>(self) -> FromTryStream<Self>
    where
        Self: Sized + Stream<Item = Result<T, E>>,
    {
        from_try_stream(self)
    }
}

impl<S: ?Sized + Stream> StreamFlowExt for S {}

/// The flow of [`from_stream`].
#[derive(Clone, Debug)]
#[must_use = "flows do nothing unless collected"]
pub struct FromStream<S> {
    stream: S,
}

/// The flow of [`from_try_stream`].
#[derive(Clone, Debug)]
#[must_use = "flows do nothing unless collected"]
pub struct FromTryStream<S> {
    stream: S,
}

pin_project! {
    /// The stream of [`from_stream`].
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct FromStreamStream<S> {
        #[pin]
        stream: Option<S>,
    }
}

pin_project! {
    /// The stream of [`from_try_stream`].
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct FromTryStreamStream<S> {
        #[pin]
        stream: Option<S>,
    }
}

impl<S: Stream> Flow for FromStream<S> {
    type Item = S::Item;
    type Error = Infallible;
    type Stream = FromStreamStream<S>;

    fn into_stream(self) -> Self::Stream {
        FromStreamStream { stream: Some(self.stream) }
    }
}

impl<S, T, E> Flow for FromTryStream<S>
where
    S: Stream<Item = Result<T, E>>,
{
    type Item = T;
    type Error = E;
    type Stream = FromTryStreamStream<S>;

    fn into_stream(self) -> Self::Stream {
        FromTryStreamStream { stream: Some(self.stream) }
    }
}

impl<S: Stream> Stream for FromStreamStream<S> {
    type Item = Result<S::Item, Infallible>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<S::Item, Infallible> {
        let mut slot = self.project().stream;
        let Some(stream) = slot.as_mut().as_pin_mut() else {
            return Poll::Ready(None);
        };
        let item = ready!(stream.poll_next(cx));
        if item.is_none() {
            slot.set(None);
        }
        Poll::Ready(item.map(Ok))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.stream.as_ref().map_or((0, Some(0)), Stream::size_hint)
    }
}

impl<S, T, E> Stream for FromTryStreamStream<S>
where
    S: Stream<Item = Result<T, E>>,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut slot = self.project().stream;
        let Some(stream) = slot.as_mut().as_pin_mut() else {
            return Poll::Ready(None);
        };
        let item = ready!(stream.poll_next(cx));
        if !matches!(item, Some(Ok(_))) {
            slot.set(None);
        }
        Poll::Ready(item)
    }
}

impl<S: Stream> FusedStream for FromStreamStream<S> {
    fn is_terminated(&self) -> bool {
        self.stream.is_none()
    }
}

impl<S, T, E> FusedStream for FromTryStreamStream<S>
where
    S: Stream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        self.stream.is_none()
    }
}

impl<S: Stream> FlowStream for FromStreamStream<S> {
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {
        self.project().stream.set(None);
    }
}

impl<S, T, E> FlowStream for FromTryStreamStream<S>
where
    S: Stream<Item = Result<T, E>>,
{
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {
        self.project().stream.set(None);
    }
}
