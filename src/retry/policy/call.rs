use core::future::{Future, IntoFuture};
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use core::time::Duration;

use futures_core::FusedFuture;
use pin_project_lite::pin_project;

use super::{AttemptTimeout, Hook, Outcome, Retry, RetryWith, RetryWithStream};
use crate::flow::{Flow, FlowStream};
use crate::source::{Once, OnceStream, SourceBody, once};

/// Awaits `op` until it succeeds, as often as `policy` says.
///
/// It is `once(op).retry_with(policy)`, which can be awaited because it has one outcome: so the options of
/// [`RetryWith`] are there, and it is a flow, too. Where `op` wants the number of its attempt, begin with
/// [`once_with`](crate::once_with()). `timeout`, `select!` and `join!` of Tokio take it as it stands; `tokio::spawn` and
/// `join_all` want the future itself: [`into_future`](IntoFuture::into_future). Nothing runs before the first poll, and
/// polling after the outcome is harmless. No allocation.
///
/// # Errors
///
/// The last cause. With [`explain`](RetryWith::explain) a [`RetryError`](crate::RetryError) around it; with an
/// [`attempt_timeout`](Retry::attempt_timeout) the cause is a [`TimeoutError`](crate::TimeoutError).
///
/// # Cancel safety
///
/// Dropping the future stops the attempt, or the wait, at once; nothing is retried.
///
/// # Examples
///
/// ```
/// use coldflow::{Retry, retry};
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let mut attempts = 0;
/// let outcome = retry(Retry::exponential(4), || {
///     attempts += 1;
///     let attempt = attempts;
///     async move { if attempt < 3 { Err("busy") } else { Ok("sunny") } }
/// })
/// .when(|cause| *cause == "busy")
/// .await;
/// assert_eq!((outcome, attempts), (Ok("sunny"), 3));
/// # }
/// ```
///
/// Kotlin: `retry` of a flow of one suspending call.
pub fn retry<B, T, Op, Fut, Item, E>(policy: Retry<B, T>, op: Op) -> RetryWith<Once<Op>, B, T>
where
    B: IntoIterator<Item = Duration> + Clone,
    T: AttemptTimeout<E>,
    Op: FnMut() -> Fut,
    Fut: Future<Output = Result<Item, E>>,
{
    RetryWith::new(once(op), policy)
}

pin_project! {
    /// The future of a retried future. See [`retry`].
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct RetryCall<S> {
        #[pin]
        stream: S,
    }
}

debug_fields!(RetryCall<S> { stream: S });

impl<S, Item, E> Future for RetryCall<S>
where
    S: FlowStream<Item = Result<Item, E>>,
{
    type Output = Result<Item, E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match ready!(self.project().stream.poll_next(cx)) {
            Some(outcome) => Poll::Ready(outcome),
            // It has been told already.
            None => Poll::Pending,
        }
    }
}

impl<S, Item, E> FusedFuture for RetryCall<S>
where
    S: FlowStream<Item = Result<Item, E>>,
{
    forward!(is_terminated);
}

impl<Op, Fut, B, T, H, O, Item, E> IntoFuture for RetryWith<Once<Op>, B, T, H, O>
where
    Op: SourceBody<(), Running = Fut>,
    Fut: Future<Output = Result<Item, E>>,
    B: IntoIterator<Item = Duration> + Clone,
    T: AttemptTimeout<E>,
    H: Hook<T::Failure>,
    O: Outcome<T::Failure>,
{
    type Output = Result<Item, O::Error>;
    type IntoFuture = RetryCall<RetryWithStream<OnceStream<Op, Fut>, B, B::IntoIter, T, H, O>>;

    #[inline]
    fn into_future(self) -> Self::IntoFuture {
        RetryCall { stream: self.into_stream() }
    }
}
