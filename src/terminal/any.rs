use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::FusedFuture;
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::FlowStream;

pin_project! {
    /// The future of [`any`](crate::FlowExt::any), [`all`](crate::FlowExt::all) and [`none`](crate::FlowExt::none).
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct Any<S, P> {
        #[pin]
        stream: S,
        predicate: P,
        decisive: bool,
        decided: bool,
        done: bool,
    }
}

debug_fields!(Any<S, P> { stream: S });

impl<S, P> Any<S, P> {
    pub(crate) fn new(stream: S, predicate: P, decisive: bool, decided: bool) -> Self {
        Any { stream, predicate, decisive, decided, done: false }
    }
}

impl<S, P, T, E> Future for Any<S, P>
where
    S: FlowStream<Item = Result<T, E>>,
    P: FnMut(T) -> bool,
{
    type Output = Result<bool, E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if *this.done {
            return Poll::Pending;
        }
        let mut turns = Turns::of_a_collection();
        loop {
            match ready!(this.stream.as_mut().poll_next(cx)) {
                Some(Ok(item)) => {
                    if (this.predicate)(item) == *this.decisive {
                        *this.done = true;
                        this.stream.stop();
                        return Poll::Ready(Ok(*this.decided));
                    }
                }
                Some(Err(error)) => {
                    *this.done = true;
                    return Poll::Ready(Err(error));
                }
                None => {
                    *this.done = true;
                    return Poll::Ready(Ok(!*this.decided));
                }
            }
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
    }
}

impl<S, P, T, E> FusedFuture for Any<S, P>
where
    S: FlowStream<Item = Result<T, E>>,
    P: FnMut(T) -> bool,
{
    fn is_terminated(&self) -> bool {
        self.done
    }
}
