use core::convert::Infallible;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};
use crate::retry::RetryOnce;
use crate::source::SourceBody;

/// A flow of the one value, or the one error, of a future that is made anew for each collection.
///
/// This is where a retry begins: `once(|| api.fetch(city)).retry_when(..).single().await`. The closure is `FnMut`, so it
/// may count its runs in a captured variable; [`once_with`](crate::once_with) counts them for it. No allocation.
///
/// An `async move` closure that reads a value which it owns is no such `FnMut`; clone the value for each run:
/// `once(move || { let url = url.clone(); async move { fetch(&url).await } })`.
///
/// # Cancel safety
///
/// Dropping the collection drops the future.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, once};
///
/// # futures::executor::block_on(async {
/// let mut attempts = 0;
/// let answer = once(|| {
///     attempts += 1;
///     let attempt = attempts;
///     async move { if attempt < 3 { Err("busy") } else { Ok(attempt) } }
/// });
/// assert_eq!(answer.retry(5).single().await, Ok(3));
/// # });
/// ```
///
/// Kotlin: `asFlow` of a `suspend () -> T`.
pub fn once<Op, Fut, T, E>(op: Op) -> Once<Op>
where
    Op: FnMut() -> Fut,
    Fut: Future<Output = Result<T, E>>,
{
    Once::new(op)
}

/// A flow of the one value of a future that cannot fail, made anew for each collection.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, once_ok};
///
/// # futures::executor::block_on(async {
/// let Ok(answer) = once_ok(async || 42).to_vec().await;
/// assert_eq!(answer, [42]);
/// # });
/// ```
///
/// Kotlin: `asFlow` of a `suspend () -> T`.
pub fn once_ok<Op, Fut>(op: Op) -> OnceOk<Op>
where
    Op: FnMut() -> Fut,
    Fut: Future,
{
    OnceOk { op }
}

/// The flow of [`once`] and [`once_with`](crate::once_with).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Once<Op> {
    op: Op,
}

/// The flow of [`once_ok`].
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct OnceOk<Op> {
    op: Op,
}

pin_project! {
    /// The stream of [`once`] and [`once_with`](crate::once_with).
    #[must_use = "streams do nothing unless polled"]
    pub struct OnceStream<Op, Fut> {
        #[pin]
        run: Run<Fut>,
        op: Op,
    }
}

pin_project! {
    /// The stream of [`once_ok`].
    #[must_use = "streams do nothing unless polled"]
    pub struct OnceOkStream<Op, Fut> {
        #[pin]
        run: Run<Fut>,
        op: Op,
    }
}

pin_project! {
    #[project = RunProj]
    enum Run<Fut> {
        Fresh,
        Running { #[pin] future: Fut },
        Done,
    }
}

impl<Fut: Future> Run<Fut> {
    /// The output of the future of this run, once.
    #[inline]
    fn poll_once(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        op: &mut impl SourceBody<(), Running = Fut>,
    ) -> Poll<Option<Fut::Output>> {
        if let RunProj::Fresh = self.as_mut().project() {
            self.set(Run::Running { future: op.run(()) });
        }
        let RunProj::Running { future } = self.as_mut().project() else {
            return Poll::Ready(None);
        };
        let output = ready!(future.poll(cx));
        self.set(Run::Done);
        Poll::Ready(Some(output))
    }
}

debug_fields!(Once<Op> {});
debug_fields!(OnceOk<Op> {});
debug_fields!(OnceStream < Op, Fut > {});
debug_fields!(OnceOkStream < Op, Fut > {});

impl<Op> Once<Op> {
    pub(crate) fn new(op: Op) -> Self {
        Once { op }
    }
}

impl<Op, Fut, T, E> Flow for Once<Op>
where
    Op: SourceBody<(), Running = Fut>,
    Fut: Future<Output = Result<T, E>>,
{
    type Item = T;
    type Error = E;
    type Stream = OnceStream<Op, Fut>;

    fn into_stream(self) -> Self::Stream {
        OnceStream { run: Run::Fresh, op: self.op }
    }
}

impl<Op, Fut> Flow for OnceOk<Op>
where
    Op: SourceBody<(), Running = Fut>,
    Fut: Future,
{
    type Item = Fut::Output;
    type Error = Infallible;
    type Stream = OnceOkStream<Op, Fut>;

    fn into_stream(self) -> Self::Stream {
        OnceOkStream { run: Run::Fresh, op: self.op }
    }
}

impl<Op, Fut, T, E> Once<Op>
where
    Op: SourceBody<(), Running = Fut>,
    Fut: Future<Output = Result<T, E>>,
{
    /// What [`FlowExt::retry_when`](crate::FlowExt::retry_when) does, in less memory: the call and the decision lie in the
    /// same place, since only one of them is there at a time. So `once(..).retry_when(..)` is as small as a loop.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, once};
    ///
    /// # futures::executor::block_on(async {
    /// let mut attempts = 0;
    /// let answer = once(|| {
    ///     attempts += 1;
    ///     let attempt = attempts;
    ///     async move { if attempt < 3 { Err("busy") } else { Ok(attempt) } }
    /// })
    /// .retry_when(async |cause, retried| if retried < 5 { Ok(()) } else { Err(cause) });
    /// assert_eq!(answer.single().await, Ok(3));
    /// # });
    /// ```
    ///
    /// Kotlin: `retryWhen`.
    pub fn retry_when<P, Decision>(self, predicate: P) -> RetryOnce<Op, P>
    where
        P: FnMut(E, u64) -> Decision,
        Decision: Future<Output = Result<(), E>>,
    {
        RetryOnce::new(self.op, predicate)
    }
}

impl<Op, Fut, T, E> Stream for OnceStream<Op, Fut>
where
    Op: SourceBody<(), Running = Fut>,
    Fut: Future<Output = Result<T, E>>,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let this = self.project();
        this.run.poll_once(cx, this.op)
    }
}

impl<Op, Fut> Stream for OnceOkStream<Op, Fut>
where
    Op: SourceBody<(), Running = Fut>,
    Fut: Future,
{
    type Item = Result<Fut::Output, Infallible>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        this.run.poll_once(cx, this.op).map(|output| output.map(Ok))
    }
}

/// What the two streams share: they end with their future, and nothing runs beside the consumer.
macro_rules! run_of_one_future {
    ($stream:ident, [$($param:ident),*], $output:ty) => {
        impl<Op, Fut, $($param),*> FusedStream for $stream<Op, Fut>
        where
            Op: SourceBody<(), Running = Fut>,
            Fut: Future<Output = $output>,
        {
            fn is_terminated(&self) -> bool {
                matches!(self.run, Run::Done)
            }
        }

        impl<Op, Fut, $($param),*> FlowStream for $stream<Op, Fut>
        where
            Op: SourceBody<(), Running = Fut>,
            Fut: Future<Output = $output>,
        {
            fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
                Poll::Ready(())
            }

            fn stop(self: Pin<&mut Self>) {
                self.project().run.set(Run::Done);
            }
        }

        impl<Op, Fut, $($param),*> Restart for $stream<Op, Fut>
        where
            Op: SourceBody<(), Running = Fut>,
            Fut: Future<Output = $output>,
        {
            fn restart(self: Pin<&mut Self>) {
                self.project().run.set(Run::Fresh);
            }
        }
    };
}

run_of_one_future!(OnceStream, [T, E], Result<T, E>);
run_of_one_future!(OnceOkStream, [T], T);
