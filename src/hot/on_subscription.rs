use core::convert::Infallible;
use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::shared::{SharedFlow, SharedFlowStream};
use super::state::{StateFlow, StateFlowStream};
use crate::emitter::{EmitRun, Emitter, Step};
use crate::flow::{Flow, FlowStream, PollItem, Restart};
use crate::source::LambdaOutput;

/// The flow of [`SharedFlow::on_subscription`] and [`StateFlow::on_subscription`].
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct OnSubscription<F, Op> {
    flow: F,
    op: Op,
}

pin_project! {
    /// The stream of [`SharedFlow::on_subscription`] and [`StateFlow::on_subscription`].
    #[must_use = "streams do nothing unless polled"]
    pub struct OnSubscriptionStream<S, T, Fut: Future, Op> {
        #[pin]
        run: EmitRun<T, Fut>,
        #[pin]
        stream: S,
        op: Op,
        phase: Phase,
    }
}

#[derive(Debug)]
enum Phase {
    Fresh,
    Acting,
    Subscribed,
}

/// The collection of a hot flow, which can subscribe before it yields.
pub trait Subscribe: Restart {
    /// Subscribes, unless that has been done.
    fn subscribe(self: Pin<&mut Self>);
}

debug_fields!(OnSubscription<F, Op> { flow: F });

impl<S: fmt::Debug, T, Fut: Future, Op> fmt::Debug for OnSubscriptionStream<S, T, Fut, Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnSubscriptionStream").field("stream", &self.stream).finish_non_exhaustive()
    }
}

impl<T> SharedFlow<T> {
    /// Runs a body once the collection has subscribed, before its first value. It may emit.
    ///
    /// What is emitted into the shared flow while the body runs, or by it, is received behind what the body emits, whereas
    /// [`on_start`](crate::FlowExt::on_start) runs before the subscription.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, MutableSharedFlow, SharedConfig};
    ///
    /// # futures::executor::block_on(async {
    /// let events = MutableSharedFlow::new(SharedConfig { extra_capacity: 1, ..SharedConfig::default() });
    /// let heard = events.as_shared().on_subscription(async |mut emitter| {
    ///     assert!(events.try_emit("hello")); // heard, since the subscription is there
    ///     emitter.emit("subscribed").await;
    /// });
    /// assert_eq!(heard.take(2).to_vec().await, Ok(vec!["subscribed", "hello"]));
    /// # });
    /// ```
    ///
    /// Kotlin: `onSubscription`.
    #[doc(alias = "onSubscription")]
    pub fn on_subscription<Op, Fut>(self, op: Op) -> OnSubscription<Self, Op>
    where
        Op: FnMut(Emitter<T>) -> Fut,
        Fut: Future<Output: LambdaOutput<Infallible, Value = ()>>,
    {
        OnSubscription { flow: self, op }
    }
}

impl<T> StateFlow<T> {
    /// Runs a body once the collection has subscribed, before its first value. It may emit.
    ///
    /// See [`SharedFlow::on_subscription`].
    ///
    /// Kotlin: `onSubscription`.
    #[doc(alias = "onSubscription")]
    pub fn on_subscription<Op, Fut>(self, op: Op) -> OnSubscription<Self, Op>
    where
        Op: FnMut(Emitter<T>) -> Fut,
        Fut: Future<Output: LambdaOutput<Infallible, Value = ()>>,
    {
        OnSubscription { flow: self, op }
    }
}

impl<T: Clone> Subscribe for SharedFlowStream<T> {
    fn subscribe(mut self: Pin<&mut Self>) {
        SharedFlowStream::subscribe(&mut self);
    }
}

impl<T: Clone> Subscribe for StateFlowStream<T> {
    fn subscribe(mut self: Pin<&mut Self>) {
        StateFlowStream::subscribe(&mut self);
    }
}

impl<F, Op, Fut> Flow for OnSubscription<F, Op>
where
    F: Flow<Error = Infallible, Stream: Subscribe>,
    Op: FnMut(Emitter<F::Item>) -> Fut,
    Fut: Future<Output: LambdaOutput<Infallible, Value = ()>>,
{
    type Item = F::Item;
    type Error = Infallible;
    type Stream = OnSubscriptionStream<F::Stream, F::Item, Fut, Op>;

    fn into_stream(self) -> Self::Stream {
        OnSubscriptionStream { run: EmitRun::new(), stream: self.flow.into_stream(), op: self.op, phase: Phase::Fresh }
    }
}

impl<S, T, Fut, Op> Stream for OnSubscriptionStream<S, T, Fut, Op>
where
    S: Subscribe<Item = Result<T, Infallible>>,
    Op: FnMut(Emitter<T>) -> Fut,
    Fut: Future<Output: LambdaOutput<Infallible, Value = ()>>,
{
    type Item = Result<T, Infallible>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, Infallible> {
        let mut this = self.project();
        loop {
            match this.phase {
                Phase::Fresh => {
                    this.stream.as_mut().subscribe();
                    this.run.as_mut().start(|emitter| (this.op)(emitter));
                    *this.phase = Phase::Acting;
                }
                Phase::Acting => match ready!(this.run.as_mut().poll_step(cx)) {
                    Step::Item(item) => return Poll::Ready(Some(Ok(item))),
                    Step::Done(output) => {
                        let Ok(()) = output.into_result();
                        *this.phase = Phase::Subscribed;
                    }
                },
                Phase::Subscribed => return this.stream.poll_next(cx),
            }
        }
    }
}

impl<S, T, Fut, Op> FusedStream for OnSubscriptionStream<S, T, Fut, Op>
where
    S: Subscribe<Item = Result<T, Infallible>>,
    Op: FnMut(Emitter<T>) -> Fut,
    Fut: Future<Output: LambdaOutput<Infallible, Value = ()>>,
{
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Subscribed) && self.stream.is_terminated()
    }
}

impl<S, T, Fut, Op> FlowStream for OnSubscriptionStream<S, T, Fut, Op>
where
    S: Subscribe<Item = Result<T, Infallible>>,
    Op: FnMut(Emitter<T>) -> Fut,
    Fut: Future<Output: LambdaOutput<Infallible, Value = ()>>,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.run.cancel();
        this.stream.stop();
        *this.phase = Phase::Subscribed;
    }
}

impl<S, T, Fut, Op> Restart for OnSubscriptionStream<S, T, Fut, Op>
where
    S: Subscribe<Item = Result<T, Infallible>>,
    Op: FnMut(Emitter<T>) -> Fut,
    Fut: Future<Output: LambdaOutput<Infallible, Value = ()>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.run.cancel();
        this.stream.restart();
        *this.phase = Phase::Fresh;
    }
}
