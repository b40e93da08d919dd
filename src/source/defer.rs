use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// A flow of the items of any stream of results, which is made anew for each collection.
///
/// The stream ends at its first error. It is never polled again after its end, so one that panics then is safe here.
/// The body of [`async_stream`](https://docs.rs/async-stream)'s `try_stream!` fits: `defer(|| try_stream! { .. })`.
/// No allocation.
///
/// # Cancel safety
///
/// Dropping the collection drops the stream.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, defer};
/// use futures::stream;
///
/// # futures::executor::block_on(async {
/// let numbers = defer(|| stream::iter([Ok(1), Err("broken"), Ok(2)]));
/// assert_eq!(numbers.clone().first().await, Ok(Some(1)));
/// assert_eq!(numbers.to_vec().await, Err("broken"));
/// # });
/// ```
#[doc(alias = "fromPublisher")]
pub fn defer<Op, S, T, E>(op: Op) -> Defer<Op>
where
    Op: FnMut() -> S,
    S: Stream<Item = Result<T, E>>,
{
    Defer { op }
}

/// The flow of [`defer`].
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Defer<Op> {
    op: Op,
}

pin_project! {
    /// The stream of [`defer`].
    #[must_use = "streams do nothing unless polled"]
    pub struct DeferStream<Op, S> {
        #[pin]
        run: Run<S>,
        op: Op,
    }
}

pin_project! {
    #[project = RunProj]
    enum Run<S> {
        Fresh,
        Running { #[pin] stream: S },
        Done,
    }
}

debug_fields!(Defer<Op> {});
debug_fields!(DeferStream < Op, S > {});

impl<Op, S, T, E> Flow for Defer<Op>
where
    Op: FnMut() -> S,
    S: Stream<Item = Result<T, E>>,
{
    type Item = T;
    type Error = E;
    type Stream = DeferStream<Op, S>;

    fn into_stream(self) -> Self::Stream {
        DeferStream { run: Run::Fresh, op: self.op }
    }
}

impl<Op, S, T, E> Stream for DeferStream<Op, S>
where
    Op: FnMut() -> S,
    S: Stream<Item = Result<T, E>>,
{
    type Item = Result<T, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        loop {
            match this.run.as_mut().project() {
                RunProj::Fresh => this.run.set(Run::Running { stream: (this.op)() }),
                RunProj::Running { stream } => {
                    let item = ready!(stream.poll_next(cx));
                    if !matches!(item, Some(Ok(_))) {
                        this.run.set(Run::Done);
                    }
                    return Poll::Ready(item);
                }
                RunProj::Done => return Poll::Ready(None),
            }
        }
    }
}

impl<Op, S, T, E> FusedStream for DeferStream<Op, S>
where
    Op: FnMut() -> S,
    S: Stream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        matches!(self.run, Run::Done)
    }
}

impl<Op, S, T, E> FlowStream for DeferStream<Op, S>
where
    Op: FnMut() -> S,
    S: Stream<Item = Result<T, E>>,
{
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {
        self.project().run.set(Run::Done);
    }
}

impl<Op, S, T, E> Restart for DeferStream<Op, S>
where
    Op: FnMut() -> S,
    S: Stream<Item = Result<T, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        self.project().run.set(Run::Fresh);
    }
}
