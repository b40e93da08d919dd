use core::convert::Infallible;
use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// A flow of the items of an array, a `Vec`, a range or anything else that can be iterated and cloned.
///
/// Each collection iterates a clone. A flow of items that the source yields anew each time, without a clone of a
/// collection, is one over a range or over a borrowed slice: `flow_of(&items)`.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, flow_of};
///
/// # futures::executor::block_on(async {
/// let Ok(sum) = flow_of(1..=4).fold(0, async |sum, n| sum + n).await;
/// assert_eq!(sum, 10);
/// # });
/// ```
///
/// Kotlin: `flowOf`, `asFlow`.
#[doc(alias = "flowOf")]
#[doc(alias = "asFlow")]
#[doc(alias = "iter")]
pub fn flow_of<I: IntoIterator + Clone>(items: I) -> FlowOf<I> {
    FlowOf { items }
}

/// The flow of [`flow_of`].
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct FlowOf<I> {
    items: I,
}

pin_project! {
    /// The stream of [`flow_of`].
    #[must_use = "streams do nothing unless polled"]
    pub struct FlowOfStream<I: IntoIterator> {
        items: I,
        run: Run<I::IntoIter>,
    }
}

enum Run<It> {
    Fresh,
    Running(It),
    Done,
}

debug_fields!(FlowOf<I> { items: I });

impl<I: IntoIterator + core::fmt::Debug> core::fmt::Debug for FlowOfStream<I> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("FlowOfStream").field("items", &self.items).finish_non_exhaustive()
    }
}

impl<I: IntoIterator + Clone> Flow for FlowOf<I> {
    type Item = I::Item;
    type Error = Infallible;
    type Stream = FlowOfStream<I>;

    fn into_stream(self) -> Self::Stream {
        FlowOfStream { items: self.items, run: Run::Fresh }
    }
}

impl<I: IntoIterator + Clone> Stream for FlowOfStream<I> {
    type Item = Result<I::Item, Infallible>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> PollItem<I::Item, Infallible> {
        let this = self.project();
        if !matches!(this.run, Run::Running(_)) {
            if matches!(this.run, Run::Done) {
                return Poll::Ready(None);
            }
            *this.run = Run::Running(this.items.clone().into_iter());
        }
        let Run::Running(items) = this.run else {
            return Poll::Ready(None);
        };
        let item = items.next();
        if item.is_none() {
            *this.run = Run::Done;
        }
        Poll::Ready(item.map(Ok))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.run {
            Run::Fresh => (0, None),
            Run::Running(items) => items.size_hint(),
            Run::Done => (0, Some(0)),
        }
    }
}

impl<I: IntoIterator + Clone> FusedStream for FlowOfStream<I> {
    fn is_terminated(&self) -> bool {
        matches!(self.run, Run::Done)
    }
}

impl<I: IntoIterator + Clone> FlowStream for FlowOfStream<I> {
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {
        *self.project().run = Run::Done;
    }
}

impl<I: IntoIterator + Clone> Restart for FlowOfStream<I> {
    fn restart(self: Pin<&mut Self>) {
        *self.project().run = Run::Fresh;
    }
}
