use core::future::Future;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::FusedFuture;
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::FlowStream;

pin_project! {
    /// The future of [`collect`](crate::FlowExt::collect).
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct Collect<S, C> {
        #[pin]
        stream: S,
        collection: C,
        done: bool,
    }
}

debug_fields!(Collect<S, C> { stream: S });

impl<S, C> Collect<S, C> {
    pub(crate) fn new(stream: S, collection: C) -> Self {
        Collect { stream, collection, done: false }
    }
}

impl<S, C, T, E> Future for Collect<S, C>
where
    S: FlowStream<Item = Result<T, E>>,
    C: Default + Extend<T>,
{
    type Output = Result<C, E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if *this.done {
            return Poll::Pending;
        }
        // It is filled as a local variable and put back where the poll ends without it.
        let mut collection = mem::take(this.collection);
        let mut items = Items { stream: this.stream, cx, turns: Turns::of_a_collection(), state: State::Open };
        collection.extend(items.by_ref());
        // What a collection does not take, such as one that is full.
        items.by_ref().for_each(drop);
        match items.state {
            State::Ended(end) => {
                *this.done = true;
                Poll::Ready(end.map(|()| collection))
            }
            State::Open | State::Pending => {
                *this.collection = collection;
                Poll::Pending
            }
        }
    }
}

/// The items of one poll.
struct Items<'a, 'cx, S, E> {
    stream: Pin<&'a mut S>,
    cx: &'a mut Context<'cx>,
    turns: Turns,
    state: State<E>,
}

enum State<E> {
    Open,
    Pending,
    Ended(Result<(), E>),
}

impl<S, T, E> Iterator for Items<'_, '_, S, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let State::Open = self.state else { return None };
        if self.turns.used_up(self.cx) {
            let _ = self.stream.as_mut().poll_progress(self.cx);
            self.state = State::Pending;
            return None;
        }
        match self.stream.as_mut().poll_next(self.cx) {
            Poll::Ready(Some(Ok(item))) => return Some(item),
            Poll::Ready(Some(Err(error))) => self.state = State::Ended(Err(error)),
            Poll::Ready(None) => self.state = State::Ended(Ok(())),
            Poll::Pending => self.state = State::Pending,
        }
        None
    }

    /// So many that it is worth making room for them at once.
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.stream.size_hint().0.min(self.turns.left()), None)
    }
}

impl<S, C, T, E> FusedFuture for Collect<S, C>
where
    S: FlowStream<Item = Result<T, E>>,
    C: Default + Extend<T>,
{
    fn is_terminated(&self) -> bool {
        self.done
    }
}
