use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`distinct_until_changed_by`](crate::FlowExt::distinct_until_changed_by).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct DistinctUntilChangedBy<F, Op, P> {
    flow: F,
    key: Op,
    same: P,
}

pin_project! {
    /// The stream of [`distinct_until_changed_by`](crate::FlowExt::distinct_until_changed_by).
    #[must_use = "streams do nothing unless polled"]
    pub struct DistinctUntilChangedByStream<S, K, Op, P> {
        #[pin]
        stream: S,
        last: Option<K>,
        key: Op,
        same: P,
    }
}

/// What an item is compared by: a closure, or [`Itself`].
pub trait KeyOf<T> {
    /// What is compared.
    type Key;

    #[doc(hidden)]
    fn key_of(&mut self, item: &T) -> Self::Key;
}

/// How two keys are compared: by a closure, or by [`Equality`].
pub trait SameKey<K> {
    #[doc(hidden)]
    fn is_same(&mut self, last: &K, key: &K) -> bool;
}

/// An item is compared by a clone of it.
#[derive(Clone, Copy, Debug)]
pub struct Itself;

/// Keys are compared by `==`.
#[derive(Clone, Copy, Debug)]
pub struct Equality;

impl<T, K, Op: FnMut(&T) -> K> KeyOf<T> for Op {
    type Key = K;

    #[inline]
    fn key_of(&mut self, item: &T) -> K {
        self(item)
    }
}

impl<T: Clone> KeyOf<T> for Itself {
    type Key = T;

    #[inline]
    fn key_of(&mut self, item: &T) -> T {
        item.clone()
    }
}

impl<K, P: FnMut(&K, &K) -> bool> SameKey<K> for P {
    #[inline]
    fn is_same(&mut self, last: &K, key: &K) -> bool {
        self(last, key)
    }
}

impl<K: PartialEq> SameKey<K> for Equality {
    #[inline]
    fn is_same(&mut self, last: &K, key: &K) -> bool {
        last == key
    }
}

debug_fields!(DistinctUntilChangedBy<F, Op, P> { flow: F });
debug_fields!(DistinctUntilChangedByStream<S, K, Op, P> { stream: S });

impl<F, Op, P> DistinctUntilChangedBy<F, Op, P> {
    pub(crate) fn new(flow: F, key: Op, same: P) -> Self {
        DistinctUntilChangedBy { flow, key, same }
    }
}

impl<F, Op, P, K> Flow for DistinctUntilChangedBy<F, Op, P>
where
    F: Flow,
    Op: KeyOf<F::Item, Key = K>,
    P: SameKey<K>,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = DistinctUntilChangedByStream<F::Stream, K, Op, P>;

    fn into_stream(self) -> Self::Stream {
        DistinctUntilChangedByStream { stream: self.flow.into_stream(), last: None, key: self.key, same: self.same }
    }
}

impl<S, K, Op, P, T, E> Stream for DistinctUntilChangedByStream<S, K, Op, P>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: KeyOf<T, Key = K>,
    P: SameKey<K>,
{
    type Item = Result<T, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        let mut turns = Turns::new();
        loop {
            let Some(item) = ready!(this.stream.as_mut().poll_next(cx)?) else {
                return Poll::Ready(None);
            };
            let key = this.key.key_of(&item);
            let repeated = this.last.as_ref().is_some_and(|last| this.same.is_same(last, &key));
            if !repeated {
                *this.last = Some(key);
                return Poll::Ready(Some(Ok(item)));
            }
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
    }
}

impl<S, K, Op, P, T, E> FusedStream for DistinctUntilChangedByStream<S, K, Op, P>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: KeyOf<T, Key = K>,
    P: SameKey<K>,
{
    forward!(is_terminated);
}

impl<S, K, Op, P, T, E> FlowStream for DistinctUntilChangedByStream<S, K, Op, P>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: KeyOf<T, Key = K>,
    P: SameKey<K>,
{
    forward!(poll_progress);

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.stop();
        *this.last = None;
    }
}

impl<S, K, Op, P, T, E> Restart for DistinctUntilChangedByStream<S, K, Op, P>
where
    S: Restart<Item = Result<T, E>>,
    Op: KeyOf<T, Key = K>,
    P: SameKey<K>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.stream.restart();
        *this.last = None;
    }
}
