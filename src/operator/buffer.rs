use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::concurrent::{BufferConfig, Outbox, PROGRESS};
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`buffer`](crate::FlowExt::buffer) and [`conflate`](crate::FlowExt::conflate).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Buffer<F> {
    flow: F,
    config: BufferConfig,
}

pin_project! {
    /// The stream of [`buffer`](crate::FlowExt::buffer) and [`conflate`](crate::FlowExt::conflate).
    #[must_use = "streams do nothing unless polled"]
    pub struct BufferStream<S, T, E> {
        outbox: Outbox<T>,
        #[pin]
        stream: S,
        config: BufferConfig,
        phase: Phase<E>,
        // Whether the operator above has taken this buffer over; decided at the first poll.
        absorbed: Option<bool>,
    }
}

enum Phase<E> {
    Fresh,
    Running,
    /// Upstream has failed; the error comes behind the items.
    Failed(E),
    Done,
}

debug_fields!(Buffer<F> { flow: F });
debug_fields!(BufferStream<S, T, E> { stream: S });

impl<F> Buffer<F> {
    pub(crate) fn new(flow: F, config: BufferConfig) -> Self {
        Buffer { flow, config }
    }
}

impl<F: Flow> Flow for Buffer<F> {
    type Item = F::Item;
    type Error = F::Error;
    type Stream = BufferStream<F::Stream, F::Item, F::Error>;

    fn into_stream(self) -> Self::Stream {
        BufferStream {
            outbox: Outbox::new(self.config),
            stream: self.flow.into_stream(),
            config: self.config,
            phase: Phase::Fresh,
            absorbed: None,
        }
    }
}

impl<S, T, E> Stream for BufferStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    type Item = Result<T, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        if let Phase::Fresh = this.phase {
            let stream = this.stream.as_mut();
            this.absorbed.get_or_insert_with(|| stream.absorb(*this.config));
            *this.phase = Phase::Running;
        }
        if *this.absorbed == Some(true) {
            return this.stream.poll_next(cx);
        }
        if let Some((item, _)) = this.outbox.take() {
            return Poll::Ready(Some(Ok(item)));
        }
        if let Phase::Running = this.phase {
            let item = ready!(this.stream.poll_next(cx));
            if !matches!(item, Some(Ok(_))) {
                *this.phase = Phase::Done;
            }
            return Poll::Ready(item);
        }
        match mem::replace(this.phase, Phase::Done) {
            Phase::Failed(error) => Poll::Ready(Some(Err(error))),
            _ => Poll::Ready(None),
        }
    }
}

impl<S, T, E> FusedStream for BufferStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        if self.absorbed == Some(true) && !matches!(self.phase, Phase::Fresh) {
            self.stream.is_terminated()
        } else {
            matches!(self.phase, Phase::Done) && self.outbox.is_empty()
        }
    }
}

impl<S, T, E> FlowStream for BufferStream<S, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    fn poll_progress(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut this = self.project();
        if !matches!(this.phase, Phase::Running) {
            return Poll::Ready(());
        }
        if *this.absorbed == Some(true) {
            return this.stream.poll_progress(cx);
        }
        for _ in 0..PROGRESS {
            if this.outbox.is_blocked() {
                return this.stream.poll_progress(cx);
            }
            match ready!(this.stream.as_mut().poll_next(cx)) {
                Some(Ok(item)) => {
                    this.outbox.put(0, item);
                }
                end => {
                    *this.phase = end.and_then(Result::err).map_or(Phase::Done, Phase::Failed);
                    return Poll::Ready(());
                }
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.outbox.clear();
        this.stream.stop();
        *this.phase = Phase::Done;
    }

    fn absorb(self: Pin<&mut Self>, buffer: BufferConfig) -> bool {
        let mut this = self.project();
        let stream = this.stream.as_mut();
        // Where this one does nothing, the other stands on what is above.
        if *this.absorbed.get_or_insert_with(|| stream.absorb(*this.config)) {
            return this.stream.absorb(buffer);
        }
        *this.config = this.config.fused_with(buffer);
        this.outbox.fuse(buffer);
        true
    }

    fn give_up_buffer(self: Pin<&mut Self>) -> Option<BufferConfig> {
        let mut this = self.project();
        let stream = this.stream.as_mut();
        if *this.absorbed.get_or_insert_with(|| stream.absorb(*this.config)) {
            return this.stream.give_up_buffer();
        }
        *this.absorbed = Some(true);
        Some(*this.config)
    }
}

impl<S, T, E> Restart for BufferStream<S, T, E>
where
    S: Restart<Item = Result<T, E>>,
{
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.outbox.clear();
        this.stream.restart();
        *this.phase = Phase::Fresh;
    }
}
