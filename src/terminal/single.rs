use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::FusedFuture;
use pin_project_lite::pin_project;

use crate::error::SingleError;
use crate::flow::FlowStream;

pin_project! {
    /// The future of [`single`](crate::FlowExt::single).
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct Single<S, T> {
        #[pin]
        stream: S,
        value: Option<T>,
        done: bool,
    }
}

debug_fields!(Single<S, T> { stream: S });

impl<S, T> Single<S, T> {
    pub(crate) fn new(stream: S) -> Self {
        Single { stream, value: None, done: false }
    }
}

impl<S, T, E> Future for Single<S, T>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Output = Result<T, SingleError<E>>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if *this.done {
            return Poll::Pending;
        }
        let outcome = loop {
            match ready!(this.stream.as_mut().poll_next(cx)) {
                Some(Ok(_)) if this.value.is_some() => {
                    this.stream.stop();
                    break Err(SingleError::MoreThanOne);
                }
                Some(Ok(value)) if this.stream.is_terminated() => break Ok(value),
                Some(Ok(value)) => *this.value = Some(value),
                Some(Err(error)) => break Err(SingleError::Upstream(error)),
                None => break this.value.take().ok_or(SingleError::Empty),
            }
        };
        *this.done = true;
        *this.value = None;
        Poll::Ready(outcome)
    }
}

impl<S, T, E> FusedFuture for Single<S, T>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        self.done
    }
}
