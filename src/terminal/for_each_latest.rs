use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::FusedFuture;
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::FlowStream;

pin_project! {
    /// The future of [`for_each_latest`](crate::FlowExt::for_each_latest).
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct ForEachLatest<S, Fut, Op> {
        #[pin]
        future: Option<Fut>,
        #[pin]
        stream: S,
        op: Op,
        done: bool,
    }
}

debug_fields!(ForEachLatest<S, Fut, Op> { stream: S });

impl<S, Fut, Op> ForEachLatest<S, Fut, Op> {
    pub(crate) fn new(stream: S, op: Op) -> Self {
        ForEachLatest { future: None, stream, op, done: false }
    }
}

impl<S, Fut, Op, T, E> Future for ForEachLatest<S, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future<Output = ()>,
{
    type Output = Result<(), E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if *this.done {
            return Poll::Pending;
        }
        let mut turns = Turns::new();
        loop {
            if let Some(future) = this.future.as_mut().as_pin_mut() {
                if future.poll(cx).is_ready() {
                    this.future.set(None);
                }
            }
            let end = match this.stream.as_mut().poll_next(cx) {
                Poll::Ready(Some(Ok(item))) => {
                    this.future.set(None);
                    this.future.set(Some((this.op)(item)));
                    if turns.used_up(cx) {
                        let _ = this.stream.as_mut().poll_progress(cx);
                        return Poll::Pending;
                    }
                    continue;
                }
                Poll::Ready(Some(Err(error))) => Err(error),
                Poll::Ready(None) if this.future.is_none() => Ok(()),
                Poll::Ready(None) | Poll::Pending => return Poll::Pending,
            };
            *this.done = true;
            this.future.set(None);
            return Poll::Ready(end);
        }
    }
}

impl<S, Fut, Op, T, E> FusedFuture for ForEachLatest<S, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future<Output = ()>,
{
    fn is_terminated(&self) -> bool {
        self.done
    }
}
