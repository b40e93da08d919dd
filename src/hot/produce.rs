use core::fmt;
use core::future::{Future, poll_fn};
use core::pin::{Pin, pin};
use core::task::{Context, Poll};

use futures_core::Stream;
use tokio::sync::mpsc::{Receiver, channel};

use crate::flow::{FlowStream, with_progress};

/// How many items the flow runs ahead.
const CAPACITY: usize = 64;

/// What a task collects of a flow: a stream of results. Of [`produce_in`](crate::FlowExt::produce_in).
#[must_use = "the task ends when this is dropped"]
pub struct Produced<T, E> {
    results: Receiver<Result<T, E>>,
}

impl<T, E> fmt::Debug for Produced<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Produced").finish_non_exhaustive()
    }
}

impl<T, E> Stream for Produced<T, E> {
    type Item = Result<T, E>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.results.poll_recv(cx)
    }
}

/// The receiving side, and what is to run in a task.
pub(crate) fn produce<S, T, E>(stream: S) -> (Produced<T, E>, impl Future<Output = ()>)
where
    S: FlowStream<Item = Result<T, E>>,
{
    let (sender, results) = channel(CAPACITY);
    let produce = async move {
        let mut stream = pin!(stream);
        let mut unwanted = pin!(sender.closed());
        let mut next = |cx: &mut Context<'_>, stream: Pin<&mut S>| match unwanted.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(None),
            Poll::Pending => stream.poll_next(cx),
        };
        while let Some(result) = poll_fn(|cx| next(cx, stream.as_mut())).await {
            if with_progress(stream.as_mut(), sender.send(result)).await.is_err() {
                break;
            }
        }
    };
    (Produced { results }, produce)
}
