use core::fmt;
use core::future::Future;
use core::marker::PhantomData;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::concurrent::{BufferConfig, Outbox, PROGRESS};
use crate::coop::Turns;
use crate::emitter::{EmitRun, Emitter, Step};
use crate::flow::{Flow, FlowStream, PollItem, Restart};
use crate::source::LambdaOutput;

/// The flow of [`flat_map_latest`](crate::FlowExt::flat_map_latest), [`map_latest`](crate::FlowExt::map_latest) and
/// [`transform_latest`](crate::FlowExt::transform_latest).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Latest<F, M> {
    flow: F,
    make: M,
}

pin_project! {
    /// The stream of [`flat_map_latest`](crate::FlowExt::flat_map_latest), [`map_latest`](crate::FlowExt::map_latest) and
    /// [`transform_latest`](crate::FlowExt::transform_latest).
    #[must_use = "streams do nothing unless polled"]
    pub struct LatestStream<S, M: MakeBlock<T, E>, T, E> {
        outbox: Outbox<M::Item>,
        #[pin]
        block: Option<M::Block>,
        #[pin]
        stream: S,
        make: M,
        // How many items the block has had since upstream was last polled.
        in_a_row: usize,
        phase: Phase<E>,
        value: PhantomData<fn(T)>,
    }
}

enum Phase<E> {
    Fresh,
    Running,
    /// A part has failed; the error comes behind the items.
    Failed(E),
    Done,
}

/// Makes the block that runs for the latest value of a flow.
pub trait MakeBlock<T, E> {
    /// What the blocks emit.
    type Item;
    /// A block as it runs.
    type Block: FlowStream<Item = Result<Self::Item, E>>;

    /// Makes the block for `value`.
    fn make(&mut self, value: T) -> Self::Block;
}

debug_fields!(Latest<F, M> { flow: F });

impl<S: fmt::Debug, M: MakeBlock<T, E>, T, E> fmt::Debug for LatestStream<S, M, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LatestStream").field("stream", &self.stream).finish_non_exhaustive()
    }
}

impl<F, M> Latest<F, M> {
    pub(crate) fn new(flow: F, make: M) -> Self {
        Latest { flow, make }
    }
}

impl<F, M> Flow for Latest<F, M>
where
    F: Flow,
    M: MakeBlock<F::Item, F::Error>,
{
    type Item = M::Item;
    type Error = F::Error;
    type Stream = LatestStream<F::Stream, M, F::Item, F::Error>;

    fn into_stream(self) -> Self::Stream {
        LatestStream {
            outbox: Outbox::new(BufferConfig::default()),
            block: None,
            stream: self.flow.into_stream(),
            make: self.make,
            in_a_row: 0,
            phase: Phase::Fresh,
            value: PhantomData,
        }
    }
}

impl<S, M, T, E> LatestStream<S, M, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
    M: MakeBlock<T, E>,
{
    /// Drives the block until it is pending or blocked, then upstream, until the block has an item or all has ended. A
    /// block that is always ready does not keep the next value out for ever.
    fn poll_block(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<M::Item, E> {
        let mut this = self.project();
        let mut turns = Turns::new();
        loop {
            let block_waits = *this.in_a_row >= PROGRESS;
            if let (Some(block), false) = (this.block.as_mut().as_pin_mut(), block_waits) {
                if this.outbox.is_blocked() {
                    let _ = block.poll_progress(cx);
                } else {
                    match block.poll_next(cx) {
                        Poll::Pending => {}
                        Poll::Ready(Some(Ok(item))) => {
                            *this.in_a_row += 1;
                            return Poll::Ready(Some(Ok(item)));
                        }
                        Poll::Ready(Some(Err(error))) => {
                            this.block.set(None);
                            this.stream.stop();
                            return Poll::Ready(Some(Err(error)));
                        }
                        Poll::Ready(None) => this.block.set(None),
                    }
                }
            }
            *this.in_a_row = 0;
            match this.stream.as_mut().poll_next(cx) {
                Poll::Ready(Some(Ok(value))) => {
                    this.block.set(None);
                    this.outbox.drop_hands();
                    this.block.set(Some(this.make.make(value)));
                }
                Poll::Ready(Some(Err(error))) => {
                    this.block.set(None);
                    this.outbox.drop_hands();
                    return Poll::Ready(Some(Err(error)));
                }
                Poll::Ready(None) if this.block.is_none() => return Poll::Ready(None),
                Poll::Ready(None) | Poll::Pending if block_waits => {}
                Poll::Ready(None) | Poll::Pending => return Poll::Pending,
            }
            if turns.used_up(cx) {
                let _ = this.stream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
        }
    }
}

impl<S, M, T, E> Stream for LatestStream<S, M, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
    M: MakeBlock<T, E>,
{
    type Item = Result<M::Item, E>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<M::Item, E> {
        let this = self.as_mut().project();
        if let Phase::Fresh = this.phase {
            *this.phase = Phase::Running;
        }
        if let Some((item, _)) = this.outbox.take() {
            return Poll::Ready(Some(Ok(item)));
        }
        if let Phase::Running = this.phase {
            let item = ready!(self.as_mut().poll_block(cx));
            if !matches!(item, Some(Ok(_))) {
                *self.project().phase = Phase::Done;
            }
            return Poll::Ready(item);
        }
        match mem::replace(this.phase, Phase::Done) {
            Phase::Failed(error) => Poll::Ready(Some(Err(error))),
            _ => Poll::Ready(None),
        }
    }
}

impl<S, M, T, E> FusedStream for LatestStream<S, M, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
    M: MakeBlock<T, E>,
{
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done) && self.outbox.is_empty()
    }
}

impl<S, M, T, E> FlowStream for LatestStream<S, M, T, E>
where
    S: FlowStream<Item = Result<T, E>>,
    M: MakeBlock<T, E>,
{
    fn poll_progress(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if !matches!(self.phase, Phase::Running) {
            return Poll::Ready(());
        }
        for _ in 0..PROGRESS {
            let end = match ready!(self.as_mut().poll_block(cx)) {
                Some(Ok(item)) => {
                    self.as_mut().project().outbox.put(0, item);
                    continue;
                }
                Some(Err(error)) => Phase::Failed(error),
                None => Phase::Done,
            };
            *self.project().phase = end;
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn stop(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.outbox.clear();
        this.block.set(None);
        this.stream.stop();
        *this.phase = Phase::Done;
    }

    fn absorb(self: Pin<&mut Self>, buffer: BufferConfig) -> bool {
        self.project().outbox.fuse(buffer);
        true
    }
}

impl<S, M, T, E> Restart for LatestStream<S, M, T, E>
where
    S: Restart<Item = Result<T, E>>,
    M: MakeBlock<T, E>,
{
    fn restart(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.outbox.clear();
        this.block.set(None);
        this.stream.restart();
        *this.phase = Phase::Fresh;
    }
}

/// Makes a flow of each value. Of [`flat_map_latest`](crate::FlowExt::flat_map_latest).
#[derive(Clone)]
pub struct FlowBlock<Op> {
    pub(crate) op: Op,
}

/// Makes a future of each value. Of [`map_latest`](crate::FlowExt::map_latest).
#[derive(Clone)]
pub struct FutureBlock<Op> {
    pub(crate) op: Op,
}

/// Makes a body of each value. Of [`transform_latest`](crate::FlowExt::transform_latest).
pub struct BodyBlock<U, Op> {
    op: Op,
    item: PhantomData<fn() -> U>,
}

debug_fields!(FlowBlock<Op> {});
debug_fields!(FutureBlock<Op> {});
debug_fields!(BodyBlock < U, Op > {});

impl<U, Op> BodyBlock<U, Op> {
    pub(crate) fn new(op: Op) -> Self {
        BodyBlock { op, item: PhantomData }
    }
}

impl<U, Op: Clone> Clone for BodyBlock<U, Op> {
    fn clone(&self) -> Self {
        BodyBlock::new(self.op.clone())
    }
}

impl<T, E, G, Op> MakeBlock<T, E> for FlowBlock<Op>
where
    G: Flow<Error = E>,
    Op: FnMut(T) -> G,
{
    type Item = G::Item;
    type Block = G::Stream;

    fn make(&mut self, value: T) -> G::Stream {
        (self.op)(value).into_stream()
    }
}

impl<T, E, Fut, Op> MakeBlock<T, E> for FutureBlock<Op>
where
    Fut: Future,
    Op: FnMut(T) -> Fut,
{
    type Item = Fut::Output;
    type Block = FutureBlockStream<Fut, E>;

    fn make(&mut self, value: T) -> Self::Block {
        FutureBlockStream { future: Some((self.op)(value)), error: PhantomData }
    }
}

impl<T, E, U, Fut, Op> MakeBlock<T, E> for BodyBlock<U, Op>
where
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
    Op: FnMut(T, Emitter<U>) -> Fut,
{
    type Item = U;
    type Block = BodyBlockStream<U, Fut, E>;

    fn make(&mut self, value: T) -> Self::Block {
        let run = EmitRun::started(|emitter| (self.op)(value, emitter));
        BodyBlockStream { run, error: PhantomData }
    }
}

pin_project! {
    /// The block of [`map_latest`](crate::FlowExt::map_latest): the output of a future.
    #[must_use = "streams do nothing unless polled"]
    pub struct FutureBlockStream<Fut, E> {
        #[pin]
        future: Option<Fut>,
        error: PhantomData<fn() -> E>,
    }
}

pin_project! {
    /// The block of [`transform_latest`](crate::FlowExt::transform_latest): what a body emits.
    #[must_use = "streams do nothing unless polled"]
    pub struct BodyBlockStream<U, Fut: Future, E> {
        #[pin]
        run: EmitRun<U, Fut>,
        error: PhantomData<fn() -> E>,
    }
}

debug_fields!(FutureBlockStream < Fut, E > {});

impl<U, Fut: Future, E> fmt::Debug for BodyBlockStream<U, Fut, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BodyBlockStream").finish_non_exhaustive()
    }
}

impl<Fut: Future, E> Stream for FutureBlockStream<Fut, E> {
    type Item = Result<Fut::Output, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<Fut::Output, E> {
        let mut slot = self.project().future;
        let Some(future) = slot.as_mut().as_pin_mut() else {
            return Poll::Ready(None);
        };
        let output = ready!(future.poll(cx));
        slot.set(None);
        Poll::Ready(Some(Ok(output)))
    }
}

impl<Fut: Future, E> FusedStream for FutureBlockStream<Fut, E> {
    fn is_terminated(&self) -> bool {
        self.future.is_none()
    }
}

impl<Fut: Future, E> FlowStream for FutureBlockStream<Fut, E> {
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {
        self.project().future.set(None);
    }
}

impl<U, Fut, E> Stream for BodyBlockStream<U, Fut, E>
where
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    type Item = Result<U, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<U, E> {
        if self.is_terminated() {
            return Poll::Ready(None);
        }
        match ready!(self.project().run.poll_step(cx)) {
            Step::Item(item) => Poll::Ready(Some(Ok(item))),
            Step::Done(output) => Poll::Ready(output.into_result().err().map(Err)),
        }
    }
}

impl<U, Fut, E> FusedStream for BodyBlockStream<U, Fut, E>
where
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    fn is_terminated(&self) -> bool {
        !self.run.is_running()
    }
}

impl<U, Fut, E> FlowStream for BodyBlockStream<U, Fut, E>
where
    Fut: Future<Output: LambdaOutput<E, Value = ()>>,
{
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {
        self.project().run.cancel();
    }
}
