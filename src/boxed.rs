//! Flows and streams whose type is erased.

use alloc::boxed::Box;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};

use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// Makes a boxed flow and its stream around a trait object.
macro_rules! boxed {
    ($doc:literal, $flow:ident, $stream:ident, $rest:ident, $method:literal, $object:ty, $next:ty $(, $send:ident)?) => {
        #[doc = $doc]
        #[doc = ""]
        #[doc = concat!("Made by [`", $method, "`](crate::FlowExt::", $method, "). It can be retried like any other.")]
        #[must_use = "flows do nothing unless collected"]
        pub struct $flow<'a, T, E> {
            stream: $stream<'a, T, E>,
        }

        #[doc = concat!("The stream of [`", stringify!($flow), "`].")]
        #[must_use = "streams do nothing unless polled"]
        pub struct $stream<'a, T, E> {
            stream: Pin<Box<$object>>,
            // In a box of its own, since most have none.
            rest: Option<Box<$rest<'a, T, E>>>,
        }

        /// What follows by `chain_with`, however long the chain: the flow that runs now and what makes the next one.
        struct $rest<'a, T, E> {
            current: Option<Pin<Box<$object>>>,
            next: Option<Box<$next>>,
            // What made the first of them, for a restart.
            first_next: Option<Box<$next>>,
            ended: bool,
        }

        debug_fields!($flow<'a, T, E> {});
        debug_fields!($stream<'a, T, E> {});

        impl<'a, T, E> $flow<'a, T, E> {
            pub(crate) fn new(stream: Pin<Box<$object>>) -> Self {
                $flow { stream: $stream { stream, rest: None } }
            }

            /// Goes on with the flow that `next` makes when this one has ended normally.
            ///
            /// Like [`chain`](crate::FlowExt::chain), but lazy, and flat: a flow that continues with itself in this way
            /// takes the same stack and the same time per item at any depth, and frees each part when it has ended.
            ///
            /// # Examples
            ///
            /// ```
            #[doc = concat!("use coldflow::{", stringify!($flow), ", FlowExt, flow_of};")]
            /// use std::convert::Infallible;
            ///
            #[doc = concat!("fn count_down(n: u32) -> ", stringify!($flow), "<'static, u32, Infallible> {")]
            #[doc = concat!("    let now = flow_of([n]).", $method, "();")]
            ///     if n == 0 { now } else { now.chain_with(move || count_down(n - 1)) }
            /// }
            ///
            /// # futures::executor::block_on(async {
            /// let Ok(count) = count_down(10_000).count().await;
            /// assert_eq!(count, 10_001);
            /// # });
            /// ```
            pub fn chain_with<Op>(self, next: Op) -> Self
            where
                T: 'a,
                E: 'a,
                Op: FnMut() -> Self $(+ $send)? + 'a,
            {
                let stream = match self.stream {
                    $stream { stream, rest: None } => stream,
                    chained => Box::pin(chained),
                };
                let rest = $rest { current: None, next: Some(Box::new(next)), first_next: None, ended: false };
                $flow { stream: $stream { stream, rest: Some(Box::new(rest)) } }
            }
        }

        impl<'a, T, E> $stream<'a, T, E> {
            /// The part that runs now.
            fn current(&mut self) -> Pin<&mut $object> {
                match &mut self.rest {
                    Some(rest) => rest.current.as_mut().unwrap_or(&mut self.stream).as_mut(),
                    None => self.stream.as_mut(),
                }
            }

            /// Moves on to the next part. Whether there is one.
            fn advance(&mut self) -> bool {
                let Some(rest) = &mut self.rest else { return false };
                let Some(next) = rest.next.as_mut().filter(|_| !rest.ended) else { return false };
                let $stream { stream, rest: more } = next().stream;
                let next = more.and_then(|more| more.next);
                let made_by = core::mem::replace(&mut rest.next, next);
                if rest.current.is_none() {
                    rest.first_next = made_by;
                }
                rest.current = Some(stream);
                true
            }
        }

        impl<'a, T, E> Flow for $flow<'a, T, E> {
            type Item = T;
            type Error = E;
            type Stream = $stream<'a, T, E>;

            fn into_stream(self) -> Self::Stream {
                self.stream
            }
        }

        impl<T, E> Stream for $stream<'_, T, E> {
            type Item = Result<T, E>;

            fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
                let mut turns = Turns::new();
                loop {
                    let item = ready!(self.current().poll_next(cx));
                    if item.is_none() && self.advance() {
                        if turns.used_up(cx) {
                            return Poll::Pending;
                        }
                        continue;
                    }
                    if let (None | Some(Err(_)), Some(rest)) = (&item, &mut self.rest) {
                        rest.ended = true;
                    }
                    return Poll::Ready(item);
                }
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                if self.rest.is_none() { self.stream.size_hint() } else { (0, None) }
            }
        }

        impl<T, E> FusedStream for $stream<'_, T, E> {
            fn is_terminated(&self) -> bool {
                match &self.rest {
                    Some(rest) => rest.ended,
                    None => self.stream.is_terminated(),
                }
            }
        }

        impl<T, E> FlowStream for $stream<'_, T, E> {
            fn poll_progress(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
                self.current().poll_progress(cx)
            }

            fn stop(mut self: Pin<&mut Self>) {
                self.current().stop();
                if let Some(rest) = &mut self.rest {
                    rest.ended = true;
                }
            }

            #[cfg(feature = "std")]
            fn absorb(mut self: Pin<&mut Self>, buffer: crate::concurrent::BufferConfig) -> bool {
                self.rest.is_none() && self.stream.as_mut().absorb(buffer)
            }

            #[cfg(feature = "std")]
            fn give_up_buffer(mut self: Pin<&mut Self>) -> Option<crate::concurrent::BufferConfig> {
                if self.rest.is_some() { None } else { self.stream.as_mut().give_up_buffer() }
            }
        }

        impl<T, E> Restart for $stream<'_, T, E> {
            fn restart(mut self: Pin<&mut Self>) {
                if let Some(rest) = &mut self.rest {
                    rest.current = None;
                    if let Some(first) = rest.first_next.take() {
                        rest.next = Some(first);
                    }
                    rest.ended = false;
                }
                self.stream.as_mut().restart();
            }
        }
    };
}

boxed!(
    "A cold flow whose type is erased, and which is `Send`.",
    BoxFlow,
    BoxFlowStream,
    BoxRest,
    "boxed",
    dyn Restart<Item = Result<T, E>> + Send + 'a,
    dyn FnMut() -> BoxFlow<'a, T, E> + Send + 'a,
    Send
);
boxed!(
    "A cold flow whose type is erased, and which need not be `Send`.",
    LocalBoxFlow,
    LocalBoxFlowStream,
    LocalBoxRest,
    "boxed_local",
    dyn Restart<Item = Result<T, E>> + 'a,
    dyn FnMut() -> LocalBoxFlow<'a, T, E> + 'a
);
