//! The traits: what a flow is, what its running collection can do, and what makes it cold.

use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::FusedStream;

/// A recipe for a stream.
///
/// Building a flow runs nothing. [`into_stream`](Flow::into_stream), or a terminal such as
/// [`single`](crate::FlowExt::single), makes a collection of it, and polling that collection runs the recipe from
/// its start. Collecting consumes the recipe: clone it to collect it elsewhere too.
///
/// The operators are in [`FlowExt`](crate::FlowExt), which every flow has. A flow is deliberately not a
/// [`Stream`](futures_core::Stream): that keeps its methods apart from those of the stream extension traits of other crates.
///
/// # Examples
///
/// ```
/// use coldflow::{Flow, FlowExt, flow_of};
/// use futures::StreamExt; // the door to every other stream library
///
/// # futures::executor::block_on(async {
/// let numbers = flow_of([1, 2, 3]).map(|n| n * 10);
/// let first = numbers.clone().into_stream().next().await;
/// assert_eq!(first, Some(Ok(10)));
/// assert_eq!(numbers.to_vec().await, Ok(vec![10, 20, 30]));
/// # });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a flow",
    label = "not a flow",
    note = "a `Stream` becomes a flow through `.into_flow()`, or `.into_try_flow()` when its items are results",
    note = "to make the stream anew for each collection, and so be able to retry it, use `defer(|| stream)`"
)]
pub trait Flow: Sized {
    /// What it emits.
    type Item;
    /// What it fails with; [`Infallible`](core::convert::Infallible) when it cannot.
    type Error;
    /// One running collection of it.
    type Stream: FlowStream<Item = Result<Self::Item, Self::Error>>;

    /// Makes a collection. Nothing runs before it is first polled.
    fn into_stream(self) -> Self::Stream;
}

/// One running collection of a flow: a [`Stream`](futures_core::Stream) that can also make progress while its consumer is busy.
///
/// Every implementation keeps these promises, and may rely on them in what it is built on:
///
/// 1. **Lazy.** A stream is *fresh* until its first `poll_next`; until then nothing observable happens.
///    Progress on a fresh or ended stream does nothing.
/// 2. **Fused.** It yields `Ok` items, then at most one `Err`, then `None` for ever. `is_terminated` is true as
///    soon as the end is known.
/// 3. **Drop is cancellation.** Everything it owns is dropped at once, inner before outer; nothing is retried,
///    caught or reported.
/// 4. **Clean end.** By the time it yields `None` or an `Err`, what ran in it has been dropped.
/// 5. **Errors keep their place** behind the items that were emitted before them.
/// 6. **Progress** drives work that runs beside the consumer, and never yields an item.
///
/// A stream that somebody awaits something else next to must be given progress: after taking an item, call
/// `poll_next` or `poll_progress` within the same poll of the task, and again whenever the task wakes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the collection of a flow",
    label = "a plain stream cannot stand here",
    note = "wrap a `Stream` through `.into_flow()` or `.into_try_flow()`, then use `.into_stream()` of that flow"
)]
pub trait FlowStream: FusedStream {
    /// Drives what runs concurrently with the consumer, without yielding an item.
    ///
    #[cfg_attr(doc, doc = include_str!("../docs/timelines/busy-consumer.svg"))]
    ///
    /// `Ready` means that nothing is left to do until the next `poll_next`; `Pending` that the task will be woken
    /// when there is.
    fn poll_progress(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()>;

    /// Drops what is running, at once, and ends the collection: it is terminated from then on.
    ///
    /// An operator that has seen enough uses it to stop what is above it without giving up the means to
    /// [`restart`](Restart::restart) it later.
    fn stop(self: Pin<&mut Self>);

    /// Takes over a buffer that stands directly below, before the first poll: `true` means that the operator will
    /// deliver through a buffer of the two sizes together, so the one below has nothing to do.
    #[doc(hidden)]
    #[cfg(feature = "std")]
    fn absorb(self: Pin<&mut Self>, _buffer: crate::concurrent::BufferConfig) -> bool {
        false
    }

    /// Gives up a buffer that stands here at the end, before the first poll, to somebody who buffers anyway.
    #[doc(hidden)]
    #[cfg(feature = "std")]
    fn give_up_buffer(self: Pin<&mut Self>) -> Option<crate::concurrent::BufferConfig> {
        None
    }
}

/// A collection that can begin again from the start, in place.
///
/// This is the mechanism of every retry. The running stream keeps its closures and starts over where it stands,
/// so nothing below a retry needs `Clone`, and a variable captured by a body lives across its runs, while an
/// operator's own state starts afresh.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can be collected only once, so it cannot be retried",
    label = "cannot start over",
    note = "a channel, a socket or any other stream that already exists yields its items once",
    note = "to retry it, make it anew for each collection: `defer(|| connect())` or `once(|| fetch())`",
    note = "if it is the `impl Flow` of a function, that has to say more: `impl ColdFlow`"
)]
pub trait Restart: FlowStream {
    /// Drops what is running, at once. The next `poll_next` runs the collection from its start.
    fn restart(self: Pin<&mut Self>);
}

/// A flow whose collection can be restarted. Implemented for all that qualify.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can be collected only once, so it cannot be retried",
    label = "not a cold flow",
    note = "to retry it, make it anew for each collection: `defer(|| connect())` or `once(|| fetch())`"
)]
pub trait ColdFlow: Flow<Stream: Restart> {}

impl<F> ColdFlow for F where F: Flow<Stream: Restart> {}

/// What a poll of a collection of `T` or `E` gives.
pub(crate) type PollItem<T, E> = Poll<Option<Result<T, E>>>;

/// Awaits `future`, and gives `stream` progress meanwhile.
#[cfg(any(feature = "rt", feature = "test-util"))]
pub(crate) async fn with_progress<S, Fut>(mut stream: Pin<&mut S>, future: Fut) -> Fut::Output
where
    S: FlowStream,
    Fut: Future,
{
    let mut future = core::pin::pin!(future);
    core::future::poll_fn(|cx| {
        let output = future.as_mut().poll(cx);
        if output.is_pending() {
            let _ = stream.as_mut().poll_progress(cx);
        }
        output
    })
    .await
}
