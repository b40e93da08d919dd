use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::FusedFuture;
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::FlowStream;
use crate::source::LambdaOutput;

pin_project! {
    /// The future of [`for_each`](crate::FlowExt::for_each) and [`try_for_each`](crate::FlowExt::try_for_each).
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct ForEach<S, Fut, Op> {
        #[pin]
        future: Option<Fut>,
        #[pin]
        stream: S,
        op: Op,
        done: bool,
    }
}

debug_fields!(ForEach<S, Fut, Op> { stream: S });

impl<S, Fut, Op> ForEach<S, Fut, Op> {
    pub(crate) fn new(stream: S, op: Op) -> Self {
        ForEach { stream, future: None, op, done: false }
    }
}

impl<S, Fut, Op, T, E> Future for ForEach<S, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    type Output = Result<(), E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if *this.done {
            return Poll::Pending;
        }
        let mut turns = Turns::of_a_collection();
        loop {
            if let Some(future) = this.future.as_mut().as_pin_mut() {
                let Poll::Ready(output) = future.poll(cx) else {
                    let _ = this.stream.poll_progress(cx);
                    return Poll::Pending;
                };
                this.future.set(None);
                if let Err(error) = output.into_result() {
                    *this.done = true;
                    this.stream.stop();
                    return Poll::Ready(Err(error));
                }
                if turns.used_up(cx) {
                    let _ = this.stream.poll_progress(cx);
                    return Poll::Pending;
                }
            }
            match ready!(this.stream.as_mut().poll_next(cx)) {
                Some(Ok(item)) => this.future.set(Some((this.op)(item))),
                end => {
                    *this.done = true;
                    return Poll::Ready(end.transpose().map(|_| ()));
                }
            }
        }
    }
}

impl<S, Fut, Op, T, E> FusedFuture for ForEach<S, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    fn is_terminated(&self) -> bool {
        self.done
    }
}
