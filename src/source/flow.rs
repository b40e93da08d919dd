use core::future::Future;
use core::marker::PhantomData;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::emitter::{EmitRun, Emitter, Step};
use crate::flow::{Flow, FlowStream, PollItem, Restart};
use crate::source::{BodyOutput, SourceBody};

/// A flow of what `body` emits. The body runs anew for each collection.
///
#[cfg_attr(doc, doc = include_str!("../../docs/timelines/flow.svg"))]
///
/// The body gets an [`Emitter`] and returns `()`, then the flow cannot fail, or `Result<(), E>`, then `?` works in it.
/// `emit` resolves when the consumer asks for the next item, so the body never runs ahead of its consumer.
///
/// What the body captures lives across its runs, so a counter is a plain variable. A body that changes what it
/// captures is a closure around an `async move` block, since an `async` closure may not lend from its own captures:
/// `|mut emitter: Emitter<u32>| { runs += 1; async move { .. } }`, where the emitter's type has to be said.
/// [`flow_with`](crate::flow_with) counts the runs for the body. A body that never returns has to say what it would:
/// `async |mut emitter| -> Result<(), Error> { loop { emitter.emit(next().await?).await } }`.
///
/// One allocation per collection, none per item, whatever the number of runs.
///
/// # Cancel safety
///
/// Dropping the collection drops the body where it stands.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, flow};
///
/// # futures::executor::block_on(async {
/// let parsed = flow(async |mut emitter| {
///     for word in ["1", "2", "three"] {
///         emitter.emit(word.parse::<u32>()?).await;
///     }
///     Ok::<(), std::num::ParseIntError>(())
/// });
/// assert_eq!(parsed.clone().first().await, Ok(Some(1)));
/// assert!(parsed.to_vec().await.is_err());
/// # });
/// ```
///
/// Kotlin: `flow { emit(x) }`.
pub fn flow<T, Body, Fut>(body: Body) -> FlowFn<T, Body>
where
    Body: FnMut(Emitter<T>) -> Fut,
    Fut: Future<Output: BodyOutput>,
{
    FlowFn::new(body)
}

/// The flow of [`flow`] and [`flow_with`](crate::flow_with).
#[must_use = "flows do nothing unless collected"]
pub struct FlowFn<T, Body> {
    body: Body,
    item: PhantomData<fn() -> T>,
}

pin_project! {
    /// The stream of [`flow`] and [`flow_with`](crate::flow_with).
    #[must_use = "streams do nothing unless polled"]
    pub struct FlowFnStream<T, Body, Fut: Future> {
        #[pin]
        run: EmitRun<T, Fut>,
        body: Body,
        phase: Phase,
    }
}

/// Whether the body has been started. Its run knows whether it has ended.
#[derive(Debug)]
enum Phase {
    Fresh,
    Begun,
}

debug_fields!(FlowFn < T, Body > {});

impl<T, Body, Fut: Future> core::fmt::Debug for FlowFnStream<T, Body, Fut> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("FlowFnStream").field("phase", &self.phase).finish_non_exhaustive()
    }
}

impl<T, Body> FlowFn<T, Body> {
    pub(crate) fn new(body: Body) -> Self {
        FlowFn { body, item: PhantomData }
    }
}

impl<T, Body, Fut> Flow for FlowFn<T, Body>
where
    Body: SourceBody<(Emitter<T>,), Running = Fut>,
    Fut: Future<Output: BodyOutput>,
{
    type Item = T;
    type Error = <Fut::Output as BodyOutput>::Error;
    type Stream = FlowFnStream<T, Body, Fut>;

    fn into_stream(self) -> Self::Stream {
        FlowFnStream { run: EmitRun::new(), body: self.body, phase: Phase::Fresh }
    }
}

impl<T, Body: Clone> Clone for FlowFn<T, Body> {
    fn clone(&self) -> Self {
        FlowFn { body: self.body.clone(), item: PhantomData }
    }
}

impl<T, Body, Fut> Stream for FlowFnStream<T, Body, Fut>
where
    Body: SourceBody<(Emitter<T>,), Running = Fut>,
    Fut: Future<Output: BodyOutput>,
{
    type Item = Result<T, <Fut::Output as BodyOutput>::Error>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, <Fut::Output as BodyOutput>::Error> {
        let mut this = self.project();
        loop {
            if let Some(step) = this.run.as_mut().try_poll_step(cx) {
                return match ready!(step) {
                    Step::Item(value) => Poll::Ready(Some(Ok(value))),
                    Step::Done(output) => Poll::Ready(output.into_result().err().map(Err)),
                };
            }
            match this.phase {
                Phase::Fresh => this.run.as_mut().start(|emitter| this.body.run((emitter,))),
                Phase::Begun => return Poll::Ready(None),
            }
            *this.phase = Phase::Begun;
        }
    }
}

impl<T, Body, Fut> FusedStream for FlowFnStream<T, Body, Fut>
where
    Body: SourceBody<(Emitter<T>,), Running = Fut>,
    Fut: Future<Output: BodyOutput>,
{
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Begun) && !self.run.is_running()
    }
}

impl<T, Body, Fut> FlowStream for FlowFnStream<T, Body, Fut>
where
    Body: SourceBody<(Emitter<T>,), Running = Fut>,
    Fut: Future<Output: BodyOutput>,
{
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.run.cancel();
        *this.phase = Phase::Begun;
    }
}

impl<T, Body, Fut> Restart for FlowFnStream<T, Body, Fut>
where
    Body: SourceBody<(Emitter<T>,), Running = Fut>,
    Fut: Future<Output: BodyOutput>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.run.cancel();
        *this.phase = Phase::Fresh;
    }
}
