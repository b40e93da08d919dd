use alloc::boxed::Box;
use alloc::vec::Vec;
use core::pin::Pin;
use core::task::{Context, Poll};

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// Several flows with the same kind of item and error: a tuple of 2 to 12, an array or a `Vec`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a group of flows with one kind of item and error",
    note = "it is a tuple of 2 to 12 flows, an array or a `Vec` of flows",
    note = "an infallible flow gets the error of the others by `.fallible()`"
)]
pub trait Flows {
    /// What all of them emit.
    type Item;
    /// What all of them fail with.
    type Error;
    /// Their collections.
    type Streams: Streams<Item = Self::Item, Error = Self::Error>;

    /// Makes a collection of each.
    fn into_streams(self) -> Self::Streams;
}

/// The collections of several flows.
pub trait Streams {
    /// What all of them yield.
    type Item;
    /// What all of them fail with.
    type Error;

    /// How many there are.
    fn count(&self) -> usize;

    /// Polls the one at `index`, which is below [`count`](Self::count), for an item.
    fn poll_next_at(&mut self, index: usize, cx: &mut Context<'_>) -> PollItem<Self::Item, Self::Error>;

    /// Gives progress to the one at `index`.
    fn poll_progress_at(&mut self, index: usize, cx: &mut Context<'_>) -> Poll<()>;

    /// Stops the one at `index`.
    fn stop_at(&mut self, index: usize);
}

/// Collections of several flows that can be restarted.
pub trait RestartStreams: Streams {
    /// Restarts all of them.
    fn restart(&mut self);
}

impl<F: Flow> Flows for Vec<F> {
    type Item = F::Item;
    type Error = F::Error;
    type Streams = Vec<Pin<Box<F::Stream>>>;

    fn into_streams(self) -> Self::Streams {
        self.into_iter().map(|flow| Box::pin(flow.into_stream())).collect()
    }
}

impl<F: Flow, const N: usize> Flows for [F; N] {
    type Item = F::Item;
    type Error = F::Error;
    type Streams = Vec<Pin<Box<F::Stream>>>;

    fn into_streams(self) -> Self::Streams {
        self.into_iter().map(|flow| Box::pin(flow.into_stream())).collect()
    }
}

impl<S, T, E> Streams for Vec<Pin<Box<S>>>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = T;
    type Error = E;

    fn count(&self) -> usize {
        self.len()
    }

    #[inline]
    fn poll_next_at(&mut self, index: usize, cx: &mut Context<'_>) -> PollItem<T, E> {
        self[index].as_mut().poll_next(cx)
    }

    fn poll_progress_at(&mut self, index: usize, cx: &mut Context<'_>) -> Poll<()> {
        self[index].as_mut().poll_progress(cx)
    }

    fn stop_at(&mut self, index: usize) {
        self[index].as_mut().stop();
    }
}

impl<S, T, E> RestartStreams for Vec<Pin<Box<S>>>
where
    S: Restart<Item = Result<T, E>>,
{
    fn restart(&mut self) {
        for stream in self {
            stream.as_mut().restart();
        }
    }
}

/// Does something with the field of a tuple at an index that is known at run time.
macro_rules! at {
    ($tuple:ident, $at:expr, $field:ident => $does:expr, $($index:tt)+) => {
        match $at {
            $($index => {
                let $field = &mut $tuple.$index;
                $does
            })+
            index => $crate::concurrent::out_of_range(index),
        }
    };
}
pub(crate) use at;

#[cold]
pub(crate) fn out_of_range(index: usize) -> ! {
    panic!("expected the index of one of the flows, got {index}")
}

/// Implements the three traits for a tuple.
macro_rules! tuple {
    ($count:literal: $($flow:ident $stream:ident $item:ident $index:tt),+) => {
        impl<Item, Error, $($flow),+> Flows for ($($flow,)+)
        where
            $($flow: Flow<Item = Item, Error = Error>,)+
        {
            type Item = Item;
            type Error = Error;
            type Streams = ($(Pin<Box<$flow::Stream>>,)+);

            fn into_streams(self) -> Self::Streams {
                ($(Box::pin(self.$index.into_stream()),)+)
            }
        }

        impl<Item, Error, $($stream),+> Streams for ($(Pin<Box<$stream>>,)+)
        where
            $($stream: FlowStream<Item = Result<Item, Error>>,)+
        {
            type Item = Item;
            type Error = Error;

            fn count(&self) -> usize {
                $count
            }

            #[inline]
            fn poll_next_at(&mut self, index: usize, cx: &mut Context<'_>) -> PollItem<Item, Error> {
                at!(self, index, stream => stream.as_mut().poll_next(cx), $($index)+)
            }

            fn poll_progress_at(&mut self, index: usize, cx: &mut Context<'_>) -> Poll<()> {
                at!(self, index, stream => stream.as_mut().poll_progress(cx), $($index)+)
            }

            fn stop_at(&mut self, index: usize) {
                at!(self, index, stream => stream.as_mut().stop(), $($index)+)
            }
        }

        impl<Item, Error, $($stream),+> RestartStreams for ($(Pin<Box<$stream>>,)+)
        where
            $($stream: Restart<Item = Result<Item, Error>>,)+
        {
            fn restart(&mut self) {
                $(self.$index.as_mut().restart();)+
            }
        }
    };
}

for_each_tuple!(tuple);
