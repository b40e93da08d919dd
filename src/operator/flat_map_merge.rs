use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::concurrent::{BufferConfig, Outbox, PROGRESS, WokenSet};
use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`flat_map_merge`](crate::FlowExt::flat_map_merge).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct FlatMapMerge<F, Op> {
    flow: F,
    concurrency: usize,
    op: Op,
}

pin_project! {
    /// The stream of [`flat_map_merge`](crate::FlowExt::flat_map_merge).
    #[must_use = "streams do nothing unless polled"]
    pub struct FlatMapMergeStream<S: Stream, T, G: Flow, Op> {
        outbox: Outbox<G::Item>,
        inner: Vec<Inner<G::Stream>>,
        #[pin]
        stream: S,
        // The value that the outer flow has emitted and for which there is no place yet.
        waiting: Option<T>,
        vacant: Vec<usize>,
        running: usize,
        concurrency: usize,
        op: Op,
        woken: WokenSet,
        phase: Phase<G::Error>,
    }
}

/// A place for an inner flow. It keeps its allocation when the flow has ended, for the next one.
struct Inner<S> {
    stream: Pin<Box<Option<S>>>,
    /// Whether its last item is in hand.
    blocked: bool,
}

enum Phase<E> {
    Fresh,
    Running,
    /// A flow has failed; the error comes behind the items.
    Failed(E),
    Done,
}

debug_fields!(FlatMapMerge<F, Op> { flow: F });

impl<S: Stream + fmt::Debug, T, G: Flow, Op> fmt::Debug for FlatMapMergeStream<S, T, G, Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlatMapMergeStream")
            .field("stream", &self.stream)
            .field("running", &self.running)
            .finish_non_exhaustive()
    }
}

impl<F, Op> FlatMapMerge<F, Op> {
    pub(crate) fn new(flow: F, concurrency: usize, op: Op) -> Self {
        FlatMapMerge { flow, concurrency, op }
    }
}

impl<F, G, Op> Flow for FlatMapMerge<F, Op>
where
    F: Flow,
    G: Flow<Error = F::Error>,
    Op: FnMut(F::Item) -> G,
{
    type Item = G::Item;
    type Error = G::Error;
    type Stream = FlatMapMergeStream<F::Stream, F::Item, G, Op>;

    fn into_stream(self) -> Self::Stream {
        FlatMapMergeStream {
            outbox: Outbox::new(BufferConfig::default()),
            inner: Vec::new(),
            stream: self.flow.into_stream(),
            waiting: None,
            vacant: Vec::new(),
            running: 0,
            concurrency: self.concurrency,
            op: self.op,
            woken: WokenSet::new(),
            phase: Phase::Fresh,
        }
    }
}

impl<S, T, E, G, Op> FlatMapMergeStream<S, T, G, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    G: Flow<Error = E>,
    Op: FnMut(T) -> G,
{
    /// Drops the inner flows, and what the outer one has in hand.
    fn drop_inner(self: Pin<&mut Self>) {
        let this = self.project();
        this.inner.clear();
        this.vacant.clear();
        *this.running = 0;
        *this.waiting = None;
        this.woken.clear();
    }

    /// Runs the outer flow on as far as it goes, beginning the inner flows for which there is a place.
    fn drive_outer(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Result<(), E> {
        let mut this = self.project();
        // With a concurrency of 1 this is `flat_map_concat`: the outer flow stands still while an inner one runs.
        let sequential = *this.concurrency == 1;
        for _ in 0..PROGRESS {
            if *this.running < *this.concurrency {
                if let Some(value) = this.waiting.take() {
                    let stream = (this.op)(value).into_stream();
                    let place = this.vacant.pop().unwrap_or_else(|| {
                        this.inner.push(Inner { stream: Box::pin(None), blocked: false });
                        this.inner.len() - 1
                    });
                    this.inner[place].stream.set(Some(stream));
                    this.woken.push(place);
                    *this.running += 1;
                    continue;
                }
            }
            if this.waiting.is_some() || (sequential && *this.running > 0) {
                let _ = this.stream.poll_progress(cx);
                return Ok(());
            }
            match this.stream.as_mut().poll_next(cx) {
                Poll::Ready(Some(value)) => *this.waiting = Some(value?),
                Poll::Ready(None) | Poll::Pending => return Ok(()),
            }
        }
        cx.waker().wake_by_ref();
        Ok(())
    }

    /// Drives the outer flow, then the inner ones that have woken, until one has an item or all have ended.
    fn poll_flows(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<(usize, G::Item), E> {
        let mut turns = Turns::new();
        loop {
            if let Err(error) = self.as_mut().drive_outer(cx) {
                self.drop_inner();
                return Poll::Ready(Some(Err(error)));
            }
            loop {
                let this = self.as_mut().project();
                let Some((place, waker)) = this.woken.pop() else {
                    let ended = *this.running == 0 && this.waiting.is_none() && this.stream.is_terminated();
                    return if ended { Poll::Ready(None) } else { Poll::Pending };
                };
                // A waker may be older than the last restart, and its place gone.
                let Some(Inner { stream: slot, blocked }) = this.inner.get_mut(place) else {
                    continue;
                };
                let inner_cx = &mut Context::from_waker(waker);
                if let Some(stream) = slot.as_mut().as_pin_mut() {
                    if *blocked {
                        let _ = stream.poll_progress(inner_cx);
                        continue;
                    }
                    match stream.poll_next(inner_cx) {
                        Poll::Pending => {}
                        Poll::Ready(Some(Ok(item))) => {
                            this.woken.push(place);
                            return Poll::Ready(Some(Ok((place, item))));
                        }
                        Poll::Ready(Some(Err(error))) => {
                            self.as_mut().drop_inner();
                            self.project().stream.stop();
                            return Poll::Ready(Some(Err(error)));
                        }
                        Poll::Ready(None) => {
                            slot.set(None);
                            this.vacant.push(place);
                            *this.running -= 1;
                            if turns.used_up(cx) {
                                return Poll::Pending;
                            }
                            break;
                        }
                    }
                }
                if turns.used_up(cx) {
                    return Poll::Pending;
                }
            }
        }
    }
}

impl<S, T, E, G, Op> Stream for FlatMapMergeStream<S, T, G, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    G: Flow<Error = E>,
    Op: FnMut(T) -> G,
{
    type Item = Result<G::Item, E>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<G::Item, E> {
        let this = self.as_mut().project();
        if let Phase::Fresh = this.phase {
            *this.phase = Phase::Running;
        }
        if let Some((item, admitted)) = this.outbox.take() {
            if let (Some(place), Phase::Running) = (admitted, this.phase) {
                this.inner[place].blocked = false;
                this.woken.push(place);
            }
            return Poll::Ready(Some(Ok(item)));
        }
        if let Phase::Running = this.phase {
            this.woken.gather(cx);
            let item = ready!(self.as_mut().poll_flows(cx));
            if !matches!(item, Some(Ok(_))) {
                *self.project().phase = Phase::Done;
            }
            return Poll::Ready(item.map(|item| item.map(|(_, item)| item)));
        }
        match mem::replace(this.phase, Phase::Done) {
            Phase::Failed(error) => Poll::Ready(Some(Err(error))),
            _ => Poll::Ready(None),
        }
    }
}

impl<S, T, E, G, Op> FusedStream for FlatMapMergeStream<S, T, G, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    G: Flow<Error = E>,
    Op: FnMut(T) -> G,
{
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done) && self.outbox.is_empty()
    }
}

impl<S, T, E, G, Op> FlowStream for FlatMapMergeStream<S, T, G, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    G: Flow<Error = E>,
    Op: FnMut(T) -> G,
{
    fn poll_progress(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.as_mut().project();
        if !matches!(this.phase, Phase::Running) {
            return Poll::Ready(());
        }
        if *this.concurrency == 1 {
            for inner in this.inner {
                if let Some(stream) = inner.stream.as_mut().as_pin_mut() {
                    let _ = stream.poll_progress(cx);
                }
            }
            let _ = this.stream.poll_progress(cx);
            return Poll::Pending;
        }
        this.woken.gather(cx);
        for _ in 0..PROGRESS {
            let end = match ready!(self.as_mut().poll_flows(cx)) {
                Some(Ok((place, item))) => {
                    let this = self.as_mut().project();
                    this.inner[place].blocked = !this.outbox.put(place, item);
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

    fn stop(mut self: Pin<&mut Self>) {
        self.as_mut().drop_inner();
        let this = self.project();
        this.outbox.clear();
        this.stream.stop();
        *this.phase = Phase::Done;
    }

    fn absorb(self: Pin<&mut Self>, buffer: BufferConfig) -> bool {
        let this = self.project();
        if *this.concurrency > 1 {
            this.outbox.fuse(buffer);
        }
        *this.concurrency > 1
    }
}

impl<S, T, E, G, Op> Restart for FlatMapMergeStream<S, T, G, Op>
where
    S: Restart<Item = Result<T, E>>,
    G: Flow<Error = E>,
    Op: FnMut(T) -> G,
{
    fn restart(mut self: Pin<&mut Self>) {
        self.as_mut().drop_inner();
        let this = self.project();
        this.outbox.clear();
        this.stream.restart();
        *this.phase = Phase::Fresh;
    }
}
