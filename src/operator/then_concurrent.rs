use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::concurrent::WokenSet;
use crate::coop::Turns;
use crate::flow::{Flow, FlowStream, PollItem, Restart};

/// The flow of [`then_concurrent`](crate::FlowExt::then_concurrent) and
/// [`then_concurrent_unordered`](crate::FlowExt::then_concurrent_unordered).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct ThenConcurrent<F, Op> {
    flow: F,
    limit: usize,
    ordered: bool,
    op: Op,
}

pin_project! {
    /// The stream of [`then_concurrent`](crate::FlowExt::then_concurrent) and
    /// [`then_concurrent_unordered`](crate::FlowExt::then_concurrent_unordered).
    #[must_use = "streams do nothing unless polled"]
    pub struct ThenConcurrentStream<S, E, Fut: Future, Op> {
        places: Vec<Place<Fut>>,
        #[pin]
        stream: S,
        op: Op,
        limit: usize,
        ordered: bool,
        vacant: Vec<usize>,
        // The places whose outputs come next: all in the order of their items, or the finished ones as they finish.
        next: VecDeque<usize>,
        running: usize,
        woken: WokenSet,
        phase: Phase<E>,
    }
}

/// A place for a future, kept with its allocation for the next one, and then for the output.
struct Place<Fut: Future> {
    future: Pin<Box<Option<Fut>>>,
    output: Option<Fut::Output>,
}

enum Phase<E> {
    Fresh,
    Running,
    /// Upstream has ended.
    Ending,
    /// Upstream has failed; the error comes behind the outputs that are there.
    Failed(E),
    Done,
}

debug_fields!(ThenConcurrent<F, Op> { flow: F });

impl<S: fmt::Debug, E, Fut: Future, Op> fmt::Debug for ThenConcurrentStream<S, E, Fut, Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThenConcurrentStream")
            .field("stream", &self.stream)
            .field("running", &self.running)
            .finish_non_exhaustive()
    }
}

impl<F, Op> ThenConcurrent<F, Op> {
    pub(crate) fn new(flow: F, limit: usize, ordered: bool, op: Op) -> Self {
        ThenConcurrent { flow, limit, ordered, op }
    }
}

impl<F, Op, Fut> Flow for ThenConcurrent<F, Op>
where
    F: Flow,
    Op: FnMut(F::Item) -> Fut,
    Fut: Future,
{
    type Item = Fut::Output;
    type Error = F::Error;
    type Stream = ThenConcurrentStream<F::Stream, F::Error, Fut, Op>;

    fn into_stream(self) -> Self::Stream {
        ThenConcurrentStream {
            places: Vec::new(),
            stream: self.flow.into_stream(),
            op: self.op,
            limit: self.limit,
            ordered: self.ordered,
            vacant: Vec::new(),
            next: VecDeque::new(),
            running: 0,
            woken: WokenSet::new(),
            phase: Phase::Fresh,
        }
    }
}

impl<S, Op, Fut, T, E> ThenConcurrentStream<S, E, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future,
{
    /// Begins futures while there is a place and upstream has items.
    fn begin(mut self: Pin<&mut Self>, cx: &mut Context<'_>) {
        let mut turns = Turns::new();
        while let Phase::Running = self.phase {
            let mut this = self.as_mut().project();
            let occupied = this.places.len() - this.vacant.len();
            if occupied >= *this.limit {
                let _ = this.stream.poll_progress(cx);
                return;
            }
            match this.stream.as_mut().poll_next(cx) {
                Poll::Pending => return,
                Poll::Ready(Some(Ok(item))) => {
                    let future = (this.op)(item);
                    let place = this.vacant.pop().unwrap_or_else(|| {
                        this.places.push(Place { future: Box::pin(None), output: None });
                        this.places.len() - 1
                    });
                    this.places[place].future.set(Some(future));
                    *this.running += 1;
                    if *this.ordered {
                        this.next.push_back(place);
                    }
                    this.woken.push(place);
                }
                Poll::Ready(Some(Err(error))) => {
                    *this.phase = Phase::Failed(error);
                    // What is ready now was there before the failure, also where nobody has looked yet.
                    this.woken.gather(cx);
                    while self.as_mut().poll_woken() {}
                    self.as_mut().cut_off();
                }
                Poll::Ready(None) => *this.phase = Phase::Ending,
            }
            if turns.used_up(cx) {
                return;
            }
        }
    }

    /// Drops what still runs, and in order the outputs behind it.
    fn cut_off(self: Pin<&mut Self>) {
        let this = self.project();
        this.places.iter_mut().for_each(|place| place.future.set(None));
        let ready = this.next.iter().take_while(|place| this.places[**place].output.is_some()).count();
        this.next.truncate(ready);
        *this.running = 0;
        this.woken.clear();
    }

    /// Polls the futures that have woken. Pending while any is running.
    fn drive(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.as_mut().project().woken.gather(cx);
        let mut turns = Turns::new();
        while self.as_mut().poll_woken() {
            if turns.used_up(cx) {
                break;
            }
        }
        if self.running == 0 { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Polls the next future that has woken. Whether there was one.
    fn poll_woken(self: Pin<&mut Self>) -> bool {
        let this = self.project();
        let Some((index, waker)) = this.woken.pop() else {
            return false;
        };
        // A waker may be older than the last restart, and its place gone.
        let Some(place) = this.places.get_mut(index) else {
            return true;
        };
        if let Some(future) = place.future.as_mut().as_pin_mut() {
            if let Poll::Ready(output) = future.poll(&mut Context::from_waker(waker)) {
                place.future.set(None);
                place.output = Some(output);
                *this.running -= 1;
                if !*this.ordered {
                    this.next.push_back(index);
                }
            }
        }
        true
    }

    /// Takes the output that comes next, if it is there.
    fn take(self: Pin<&mut Self>) -> Option<Fut::Output> {
        let this = self.project();
        let place = *this.next.front()?;
        let output = this.places[place].output.take()?;
        this.next.pop_front();
        this.vacant.push(place);
        Some(output)
    }

    /// Drops the futures and the outputs.
    fn clear(self: Pin<&mut Self>) {
        let this = self.project();
        this.places.clear();
        this.vacant.clear();
        this.next.clear();
        *this.running = 0;
        this.woken.clear();
    }
}

impl<S, Op, Fut, T, E> Stream for ThenConcurrentStream<S, E, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future,
{
    type Item = Result<Fut::Output, E>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<Fut::Output, E> {
        if let Phase::Fresh = self.phase {
            *self.as_mut().project().phase = Phase::Running;
        }
        if let Phase::Done = self.phase {
            return Poll::Ready(None);
        }
        // Before others are polled: under an executor that lets so many of them be ready in a turn, those would be polled
        // in vain, once for each output.
        if let Some(output) = self.as_mut().take() {
            return Poll::Ready(Some(Ok(output)));
        }
        self.as_mut().begin(cx);
        let driven = self.as_mut().drive(cx);
        if let Some(output) = self.as_mut().take() {
            return Poll::Ready(Some(Ok(output)));
        }
        if let Phase::Running = self.phase {
            return Poll::Pending;
        }
        ready!(driven);
        self.as_mut().clear();
        match core::mem::replace(self.project().phase, Phase::Done) {
            Phase::Failed(error) => Poll::Ready(Some(Err(error))),
            _ => Poll::Ready(None),
        }
    }
}

impl<S, Op, Fut, T, E> FusedStream for ThenConcurrentStream<S, E, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future,
{
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }
}

impl<S, Op, Fut, T, E> FlowStream for ThenConcurrentStream<S, E, Fut, Op>
where
    S: FlowStream<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future,
{
    fn poll_progress(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if let Phase::Fresh | Phase::Failed(_) | Phase::Done = self.phase {
            return Poll::Ready(());
        }
        self.as_mut().begin(cx);
        let driven = self.as_mut().drive(cx);
        if let Phase::Running = self.phase { Poll::Pending } else { driven }
    }

    fn stop(mut self: Pin<&mut Self>) {
        self.as_mut().clear();
        let this = self.project();
        this.stream.stop();
        *this.phase = Phase::Done;
    }
}

impl<S, Op, Fut, T, E> Restart for ThenConcurrentStream<S, E, Fut, Op>
where
    S: Restart<Item = Result<T, E>>,
    Op: FnMut(T) -> Fut,
    Fut: Future,
{
    fn restart(mut self: Pin<&mut Self>) {
        self.as_mut().clear();
        let this = self.project();
        this.stream.restart();
        *this.phase = Phase::Fresh;
    }
}
