//! Flows and streams whose type is erased.

use alloc::boxed::Box;
use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::{FusedStream, Stream};

use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// Makes a boxed flow and its stream around a trait object.
macro_rules! boxed {
    ($flow:ident, $stream:ident, $method:literal, $object:ty, $doc:literal) => {
        #[doc = $doc]
        #[doc = ""]
        #[doc = concat!("Made by [`", $method, "`](crate::FlowExt::", $method, ").")]
        #[must_use = "flows do nothing unless collected"]
        pub struct $flow<'a, T, E> {
            stream: $stream<'a, T, E>,
        }

        #[doc = concat!("The stream of [`", stringify!($flow), "`].")]
        #[must_use = "streams do nothing unless polled"]
        pub struct $stream<'a, T, E> {
            stream: Pin<Box<$object>>,
        }

        debug_fields!($flow<'a, T, E> {});
        debug_fields!($stream<'a, T, E> {});

        impl<'a, T, E> $flow<'a, T, E> {
            pub(crate) fn new(stream: Pin<Box<$object>>) -> Self {
                $flow { stream: $stream { stream } }
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
                self.stream.as_mut().poll_next(cx)
            }

            forward!(size_hint);
        }

        impl<T, E> FusedStream for $stream<'_, T, E> {
            forward!(is_terminated);
        }

        impl<T, E> FlowStream for $stream<'_, T, E> {
            fn poll_progress(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
                self.stream.as_mut().poll_progress(cx)
            }

            fn stop(mut self: Pin<&mut Self>) {
                self.stream.as_mut().stop();
            }

            #[cfg(feature = "std")]
            fn absorb(mut self: Pin<&mut Self>, buffer: crate::concurrent::BufferConfig) -> bool {
                self.stream.as_mut().absorb(buffer)
            }
        }

        impl<T, E> Restart for $stream<'_, T, E> {
            fn restart(mut self: Pin<&mut Self>) {
                self.stream.as_mut().restart();
            }
        }
    };
}

boxed!(
    BoxFlow,
    BoxFlowStream,
    "boxed",
    dyn Restart<Item = Result<T, E>> + Send + 'a,
    "A cold flow whose type is erased, and which is `Send`. It can be retried like any other."
);
boxed!(
    LocalBoxFlow,
    LocalBoxFlowStream,
    "boxed_local",
    dyn Restart<Item = Result<T, E>> + 'a,
    "A cold flow whose type is erased, and which need not be `Send`. It can be retried like any other."
);
