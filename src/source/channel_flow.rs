use alloc::collections::VecDeque;
use alloc::sync::Arc;
use core::fmt;
use core::future::Future;
use core::marker::PhantomData;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
#[cfg(not(coldflow_loom))]
use std::sync::Mutex;
use std::sync::PoisonError;

#[cfg(coldflow_loom)]
use loom::sync::Mutex;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::concurrent::{BufferConfig, Overflow, PROGRESS};
use crate::flow::{Flow, FlowStream, Restart};
use crate::source::BodyOutput;

/// A flow of what `body` and its helpers send. The body runs anew for each collection, and beside a busy consumer.
///
#[cfg_attr(doc, doc = include_str!("../../docs/timelines/channel_flow.svg"))]
///
/// The body gets a [`Sender`], which can be cloned and moved to other tasks, so several producers can send at once. It
/// returns `()`, then the flow cannot fail, or `Result<(), E>`, then `?` works in it. Sent items go into a buffer of 64
/// places, or of the size of a [`buffer`](crate::FlowExt::buffer) directly below; a full buffer lets `send` wait. The flow
/// ends when the body has returned and all senders are gone. A failure comes out behind the items before it.
///
/// # Cancel safety
///
/// Dropping the collection drops the body. Senders that are elsewhere get an error from then on.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, channel_flow};
///
/// # futures::executor::block_on(async {
/// let both = channel_flow(|sender| async move {
///     let other = sender.clone();
///     futures::join!(
///         async { sender.send(1).await.unwrap() },
///         async { other.send(2).await.unwrap() },
///     );
/// });
/// assert_eq!(both.to_vec().await, Ok(vec![1, 2]));
/// # });
/// ```
///
/// Kotlin: `channelFlow`.
#[doc(alias = "channelFlow")]
pub fn channel_flow<T, Body, Fut>(body: Body) -> ChannelFlow<T, Body>
where
    Body: FnMut(Sender<T>) -> Fut,
    Fut: Future<Output: BodyOutput>,
{
    ChannelFlow { body, item: PhantomData }
}

/// A flow of what a callback interface reports.
///
/// `register` gets a [`Sender`], hands clones of it to the interface, and returns a guard that unregisters when it is
/// dropped: a value with a `Drop`, or a subscription that has one. It is dropped when the collection ends or is dropped.
/// The flow ends when all senders are gone, so keep none in the guard. What is sent goes the way of a
/// [`channel_flow`]:
///
#[cfg_attr(doc, doc = include_str!("../../docs/timelines/channel_flow.svg"))]
///
/// A callback cannot wait, so it uses [`Sender::try_send`], which fails when the buffer of 64 places is full. A
/// [`buffer`](crate::FlowExt::buffer) directly below sets its size, or lets it drop items instead, and so does
/// [`conflate`](crate::FlowExt::conflate).
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, Sender, callback_flow};
/// use std::sync::{Arc, Mutex};
///
/// /// A thermometer that reports to whoever has registered.
/// #[derive(Clone, Default)]
/// struct Thermometer(Arc<Mutex<Option<Sender<i32>>>>);
///
/// impl Thermometer {
///     fn report(&self, degrees: i32) {
///         if let Some(sender) = &*self.0.lock().unwrap() {
///             let _ = sender.try_send(degrees);
///         }
///     }
/// }
///
/// struct Registration(Thermometer);
///
/// impl Drop for Registration {
///     fn drop(&mut self) {
///         *self.0.0.lock().unwrap() = None;
///     }
/// }
///
/// # futures::executor::block_on(async {
/// let thermometer = Thermometer::default();
/// let degrees = callback_flow(|sender| {
///     *thermometer.0.lock().unwrap() = Some(sender);
///     thermometer.report(21);
///     thermometer.report(22);
///     Registration(thermometer.clone())
/// });
/// assert_eq!(degrees.take(2).to_vec().await, Ok(vec![21, 22]));
/// assert!(thermometer.0.lock().unwrap().is_none()); // unregistered
/// # });
/// ```
///
/// Kotlin: `callbackFlow`, where `awaitClose` unregisters.
#[doc(alias = "callbackFlow")]
pub fn callback_flow<T, Register, Guard>(register: Register) -> ChannelFlow<T, Registration<Register>>
where
    Register: FnMut(Sender<T>) -> Guard,
{
    ChannelFlow { body: Registration { register }, item: PhantomData }
}

/// The flow of [`channel_flow`] and [`callback_flow`].
#[must_use = "flows do nothing unless collected"]
pub struct ChannelFlow<T, Body> {
    body: Body,
    item: PhantomData<fn() -> T>,
}

pin_project! {
    /// The stream of [`channel_flow`] and [`callback_flow`].
    #[must_use = "streams do nothing unless polled"]
    pub struct ChannelFlowStream<T, Body, Fut: Future<Output: BodyOutput>> {
        #[pin]
        future: Option<Fut>,
        receiver: Option<Receiver<T>>,
        body: Body,
        config: BufferConfig,
        phase: Phase<<Fut::Output as BodyOutput>::Error>,
    }
}

enum Phase<E> {
    Fresh,
    Running,
    /// The body has failed; the error comes behind the items.
    Failed(E),
    Done,
}

/// Sends items into a [`channel_flow`], from its body or from anywhere else.
pub struct Sender<T> {
    channel: Arc<Channel<T>>,
}

/// The item that could not be sent because the collection has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SendError<T>(pub T);

/// Why an item could not be sent at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TrySendError<T> {
    /// The buffer is full.
    Full(T),
    /// The collection has ended.
    Closed(T),
}

/// What runs in a [`channel_flow`]: its body, or the registration of a [`callback_flow`].
pub trait ChannelBody<T> {
    /// The body as it runs.
    type Running: Future<Output: BodyOutput>;

    /// Begins a run.
    fn run(&mut self, sender: Sender<T>) -> Self::Running;
}

impl<T, Body, Fut> ChannelBody<T> for Body
where
    Body: FnMut(Sender<T>) -> Fut,
    Fut: Future<Output: BodyOutput>,
{
    type Running = Fut;

    fn run(&mut self, sender: Sender<T>) -> Fut {
        self(sender)
    }
}

/// A [`ChannelBody`] that can run again.
pub trait RestartBody<T>: ChannelBody<T> {
    /// Notes that the next run is not the first.
    fn restart(&mut self);
}

impl<T, Body, Fut> RestartBody<T> for Body
where
    Body: FnMut(Sender<T>) -> Fut,
    Fut: Future<Output: BodyOutput>,
{
    fn restart(&mut self) {}
}

impl<T, Register, Guard> RestartBody<T> for Registration<Register>
where
    Register: FnMut(Sender<T>) -> Guard,
{
    fn restart(&mut self) {}
}

/// Registers a callback. Of [`callback_flow`].
#[derive(Clone)]
pub struct Registration<Register> {
    register: Register,
}

pin_project! {
    /// A registration as it runs: it holds the guard until all senders are gone.
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct Registered<T, Guard> {
        guard: Option<Guard>,
        channel: Arc<Channel<T>>,
    }
}

impl<T, Register, Guard> ChannelBody<T> for Registration<Register>
where
    Register: FnMut(Sender<T>) -> Guard,
{
    type Running = Registered<T, Guard>;

    fn run(&mut self, sender: Sender<T>) -> Registered<T, Guard> {
        let channel = Arc::clone(&sender.channel);
        Registered { guard: Some((self.register)(sender)), channel }
    }
}

impl<T, Guard> Future for Registered<T, Guard> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        if this.channel.with(|state| state.senders) > 0 {
            // The last sender wakes the consumer, and that polls this.
            return Poll::Pending;
        }
        *this.guard = None;
        Poll::Ready(())
    }
}

pin_project! {
    /// The future of [`Sender::send`].
    #[must_use = "nothing is sent unless the future is awaited"]
    pub struct Send<'a, T> {
        channel: &'a Channel<T>,
        step: SendStep<T>,
    }

    impl<T> PinnedDrop for Send<'_, T> {
        fn drop(this: Pin<&mut Self>) {
            if let SendStep::Waiting(ticket) = this.step {
                drop(this.channel.with(|state| state.withdraw(ticket)));
            }
        }
    }
}

enum SendStep<T> {
    Fresh(T),
    /// The item waits for room, under this number.
    Waiting(u64),
    Done,
}

/// The stream's end: what is sent after it is gone fails.
struct Receiver<T>(Arc<Channel<T>>);

struct Channel<T> {
    state: Mutex<State<T>>,
}

struct State<T> {
    /// The item that a waiting consumer gets without its using a place.
    direct: Option<T>,
    queue: VecDeque<T>,
    waiting: VecDeque<Waiting<T>>,
    config: BufferConfig,
    /// The consumer's waker, unless the body is being polled: then the consumer looks by itself.
    consumer: Option<Waker>,
    hungry: bool,
    open: bool,
    senders: usize,
    tickets: u64,
    /// How many more items are taken in this poll of the body without a pause. `None` while it is not being polled: who
    /// sends from elsewhere takes no time from the consumer.
    allowance: Option<usize>,
}

/// A sender whose item waits for room.
struct Waiting<T> {
    ticket: u64,
    item: T,
    waker: Waker,
}

/// What became of an item that was sent.
enum Sent<T> {
    /// It has a place; another may have been dropped for it.
    Placed(Option<T>),
    /// It waits for room, under this number.
    Waits(u64),
    Closed(T),
    /// Enough was sent without a pause.
    Later(T),
}

/// How it stands with an item that waits for room.
enum Wait<T> {
    Admitted,
    Closed(T),
    /// It still waits; the waker that was replaced comes along.
    Goes(Option<Waker>),
}

impl<T> Channel<T> {
    fn with<R>(&self, access: impl FnOnce(&mut State<T>) -> R) -> R {
        // Nothing that can panic runs under the lock, so a poisoned one is whole.
        access(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> State<T> {
    fn is_empty(&self) -> bool {
        self.direct.is_none() && self.queue.is_empty() && self.waiting.is_empty()
    }

    /// Takes the next item, and lets the sender that has waited longest move up: its waker comes along.
    fn take(&mut self) -> Option<(T, Option<Waker>)> {
        let Some(item) = self.direct.take().or_else(|| self.queue.pop_front()) else {
            let first = self.waiting.pop_front()?;
            return Some((first.item, Some(first.waker)));
        };
        if self.queue.len() < self.config.places() {
            if let Some(first) = self.waiting.pop_front() {
                self.queue.push_back(first.item);
                return Some((item, Some(first.waker)));
            }
        }
        Some((item, None))
    }

    /// Takes an item in: what is dropped for it, or the item when it would have to wait for room.
    fn place(&mut self, item: T) -> Result<Option<T>, T> {
        if mem::take(&mut self.hungry) {
            self.direct = Some(item);
        } else if self.queue.len() < self.config.places() {
            self.queue.push_back(item);
        } else {
            return match self.config.overflow {
                Overflow::Suspend => Err(item),
                Overflow::DropLatest => Ok(Some(item)),
                Overflow::DropOldest => {
                    let oldest = self.queue.pop_front();
                    self.queue.push_back(item);
                    Ok(oldest)
                }
            };
        }
        Ok(None)
    }

    /// Takes an item in, or notes that it waits for room.
    fn send(&mut self, item: T, cx: &Context<'_>) -> Sent<T> {
        if !self.open {
            return Sent::Closed(item);
        }
        match &mut self.allowance {
            Some(0) => return Sent::Later(item),
            Some(allowance) => *allowance -= 1,
            None => {}
        }
        match self.place(item) {
            Ok(dropped) => Sent::Placed(dropped),
            Err(item) => {
                self.tickets += 1;
                let ticket = self.tickets;
                self.waiting.push_back(Waiting { ticket, item, waker: cx.waker().clone() });
                Sent::Waits(ticket)
            }
        }
    }

    /// How it stands with an item that waits for room.
    fn wait(&mut self, ticket: u64, cx: &Context<'_>) -> Wait<T> {
        let Some(place) = self.place_of(ticket) else {
            return Wait::Admitted;
        };
        if !self.open {
            return self.waiting.remove(place).map_or(Wait::Admitted, |waiting| Wait::Closed(waiting.item));
        }
        let waker = &mut self.waiting[place].waker;
        Wait::Goes((!waker.will_wake(cx.waker())).then(|| mem::replace(waker, cx.waker().clone())))
    }

    fn withdraw(&mut self, ticket: u64) -> Option<Waiting<T>> {
        let place = self.place_of(ticket)?;
        self.waiting.remove(place)
    }

    fn place_of(&self, ticket: u64) -> Option<usize> {
        self.waiting.binary_search_by_key(&ticket, |waiting| waiting.ticket).ok()
    }
}

impl<T> Sender<T> {
    /// Sends `item`: waits for room in the buffer, behind those who wait already.
    ///
    /// # Errors
    ///
    /// The item, when the collection has ended or has been dropped.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future while it waits withdraws the item, which is lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, channel_flow};
    ///
    /// # futures::executor::block_on(async {
    /// let numbers = channel_flow(|sender| async move {
    ///     for n in 0.. {
    ///         if sender.send(n).await.is_err() {
    ///             break;
    ///         }
    ///     }
    /// });
    /// assert_eq!(numbers.take(3).to_vec().await, Ok(vec![0, 1, 2]));
    /// # });
    /// ```
    pub fn send(&self, item: T) -> Send<'_, T> {
        Send { channel: &self.channel, step: SendStep::Fresh(item) }
    }

    /// Sends `item` if there is room in the buffer.
    ///
    /// # Errors
    ///
    /// The item, when the buffer is full or the collection has ended.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, Overflow, TrySendError, channel_flow};
    ///
    /// # futures::executor::block_on(async {
    /// let one = channel_flow(|sender| async move {
    ///     assert_eq!(sender.try_send(1), Ok(())); // taken by the waiting consumer
    ///     assert_eq!(sender.try_send(2), Ok(())); // in the buffer
    ///     assert_eq!(sender.try_send(3), Err(TrySendError::Full(3)));
    /// });
    /// assert_eq!(one.buffer(1, Overflow::Suspend).to_vec().await, Ok(vec![1, 2]));
    /// # });
    /// ```
    pub fn try_send(&self, item: T) -> Result<(), TrySendError<T>> {
        let (outcome, consumer) = self.channel.with(|state| {
            let placed = if state.open {
                state.place(item).map_err(TrySendError::Full)
            } else {
                Err(TrySendError::Closed(item))
            };
            (placed, state.consumer.take())
        });
        consumer.into_iter().for_each(Waker::wake);
        outcome.map(|_dropped| ())
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.channel.with(|state| state.senders += 1);
        Sender { channel: Arc::clone(&self.channel) }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let consumer = self.channel.with(|state| {
            state.senders -= 1;
            if state.senders == 0 { state.consumer.take() } else { None }
        });
        if let Some(consumer) = consumer {
            consumer.wake();
        }
    }
}

impl<T> Future for Send<'_, T> {
    type Output = Result<(), SendError<T>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        // What is woken or dropped comes out of the lock first.
        match mem::replace(this.step, SendStep::Done) {
            SendStep::Fresh(item) => {
                let (sent, consumer) = this.channel.with(|state| (state.send(item, cx), state.consumer.take()));
                consumer.into_iter().for_each(Waker::wake);
                match sent {
                    Sent::Placed(_dropped) => Poll::Ready(Ok(())),
                    Sent::Closed(item) => Poll::Ready(Err(SendError(item))),
                    Sent::Waits(ticket) => {
                        *this.step = SendStep::Waiting(ticket);
                        Poll::Pending
                    }
                    Sent::Later(item) => {
                        *this.step = SendStep::Fresh(item);
                        cx.waker().wake_by_ref();
                        Poll::Pending
                    }
                }
            }
            SendStep::Waiting(ticket) => match this.channel.with(|state| state.wait(ticket, cx)) {
                Wait::Admitted => Poll::Ready(Ok(())),
                Wait::Closed(item) => Poll::Ready(Err(SendError(item))),
                Wait::Goes(_replaced) => {
                    *this.step = SendStep::Waiting(ticket);
                    Poll::Pending
                }
            },
            SendStep::Done => Poll::Ready(Ok(())),
        }
    }
}

impl<T> Receiver<T> {
    /// Makes the channel of a run, with the sender for its body.
    fn new(config: BufferConfig) -> (Self, Sender<T>) {
        let state = Mutex::new(State {
            direct: None,
            queue: VecDeque::new(),
            waiting: VecDeque::new(),
            config,
            consumer: None,
            // It is made for a consumer that waits, also while the body is only being made.
            hungry: true,
            open: true,
            senders: 1,
            tickets: 0,
            allowance: None,
        });
        let channel = Arc::new(Channel { state });
        (Receiver(Arc::clone(&channel)), Sender { channel })
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let (wakers, _items) = self.0.with(|state| {
            state.open = false;
            let wakers: VecDeque<_> = state.waiting.iter().map(|waiting| waiting.waker.clone()).collect();
            (wakers, (state.direct.take(), mem::take(&mut state.queue), state.consumer.take()))
        });
        wakers.into_iter().for_each(Waker::wake);
    }
}

debug_fields!(ChannelFlow < T, Body > {});
debug_fields!(Sender<T> {});
debug_fields!(SendError<T> {});
debug_fields!(Registration<Register> {});
debug_fields!(Registered < T, Guard > {});

impl<T> fmt::Debug for Send<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Send").finish_non_exhaustive()
    }
}

impl<T> fmt::Display for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a running collection to send to, but it has ended")
    }
}

impl<T> core::error::Error for SendError<T> {}

impl<T> fmt::Debug for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TrySendError::Full(_) => "Full(..)",
            TrySendError::Closed(_) => "Closed(..)",
        })
    }
}

impl<T> fmt::Display for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TrySendError::Full(_) => "expected room in the buffer to send to, but it is full",
            TrySendError::Closed(_) => "expected a running collection to send to, but it has ended",
        })
    }
}

impl<T> core::error::Error for TrySendError<T> {}

impl<T, Body, Fut> fmt::Debug for ChannelFlowStream<T, Body, Fut>
where
    Fut: Future<Output: BodyOutput>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChannelFlowStream").field("config", &self.config).finish_non_exhaustive()
    }
}

impl<T, Body: Clone> Clone for ChannelFlow<T, Body> {
    fn clone(&self) -> Self {
        ChannelFlow { body: self.body.clone(), item: PhantomData }
    }
}

impl<T, Body, Fut> Flow for ChannelFlow<T, Body>
where
    Body: ChannelBody<T, Running = Fut>,
    Fut: Future<Output: BodyOutput>,
{
    type Item = T;
    type Error = <Fut::Output as BodyOutput>::Error;
    type Stream = ChannelFlowStream<T, Body, Fut>;

    fn into_stream(self) -> Self::Stream {
        ChannelFlowStream::new(self.body)
    }
}

impl<T, Body, Fut> ChannelFlowStream<T, Body, Fut>
where
    Body: ChannelBody<T, Running = Fut>,
    Fut: Future<Output: BodyOutput>,
{
    pub(crate) fn new(body: Body) -> Self {
        ChannelFlowStream { future: None, receiver: None, body, config: BufferConfig::default(), phase: Phase::Fresh }
    }

    /// Polls the body. When all that will be sent has been sent, or the body has failed, the run is over.
    fn drive(self: Pin<&mut Self>, cx: &mut Context<'_>, hungry: bool) {
        let mut this = self.project();
        let Some(Receiver(channel)) = this.receiver else { return };
        let (_woken, senders_before) = channel.with(|state| {
            // With an item on its way the consumer is not waiting. Another thread may have sent one just now.
            state.hungry = hungry && state.is_empty();
            state.allowance = Some(PROGRESS);
            (state.consumer.take(), state.senders)
        });
        if let Some(future) = this.future.as_mut().as_pin_mut() {
            if let Poll::Ready(output) = future.poll(cx) {
                this.future.set(None);
                if let Err(error) = output.into_result() {
                    channel.with(|state| state.open = false);
                    *this.phase = Phase::Failed(error);
                    return;
                }
            }
        }
        let senders = channel.with(|state| {
            state.consumer = Some(cx.waker().clone());
            state.allowance = None;
            state.senders
        });
        if senders == 0 && this.future.is_none() {
            *this.phase = Phase::Done;
        } else if senders == 0 && senders_before > 0 {
            // The last one may have gone when nobody was there to be woken, and a registration waits for that.
            cx.waker().wake_by_ref();
        }
    }

    /// Drops the run.
    fn end(self: Pin<&mut Self>, phase: Phase<<Fut::Output as BodyOutput>::Error>) {
        let mut this = self.project();
        this.future.set(None);
        *this.receiver = None;
        *this.phase = phase;
    }

    /// Takes the next item.
    fn take(self: Pin<&mut Self>) -> Option<T> {
        let Receiver(channel) = self.project().receiver.as_ref()?;
        let (item, admitted) = channel.with(State::take)?;
        admitted.into_iter().for_each(Waker::wake);
        Some(item)
    }
}

impl<T, Body, Fut> Stream for ChannelFlowStream<T, Body, Fut>
where
    Body: ChannelBody<T, Running = Fut>,
    Fut: Future<Output: BodyOutput>,
{
    type Item = Result<T, <Fut::Output as BodyOutput>::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Phase::Fresh = self.phase {
            let mut this = self.as_mut().project();
            let (receiver, sender) = Receiver::new(*this.config);
            *this.receiver = Some(receiver);
            this.future.set(Some(this.body.run(sender)));
            *this.phase = Phase::Running;
        }
        if let Some(item) = self.as_mut().take() {
            return Poll::Ready(Some(Ok(item)));
        }
        if let Phase::Running = self.phase {
            self.as_mut().drive(cx, true);
            if let Some(item) = self.as_mut().take() {
                return Poll::Ready(Some(Ok(item)));
            }
        }
        match mem::replace(self.as_mut().project().phase, Phase::Done) {
            Phase::Fresh | Phase::Running => {
                *self.project().phase = Phase::Running;
                Poll::Pending
            }
            Phase::Failed(error) => {
                self.end(Phase::Done);
                Poll::Ready(Some(Err(error)))
            }
            Phase::Done => {
                self.end(Phase::Done);
                Poll::Ready(None)
            }
        }
    }
}

impl<T, Body, Fut> FusedStream for ChannelFlowStream<T, Body, Fut>
where
    Body: ChannelBody<T, Running = Fut>,
    Fut: Future<Output: BodyOutput>,
{
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done) && self.receiver.is_none()
    }
}

impl<T, Body, Fut> FlowStream for ChannelFlowStream<T, Body, Fut>
where
    Body: ChannelBody<T, Running = Fut>,
    Fut: Future<Output: BodyOutput>,
{
    fn poll_progress(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if let Phase::Running = self.phase {
            self.as_mut().drive(cx, false);
        }
        if let Phase::Running = self.phase { Poll::Pending } else { Poll::Ready(()) }
    }

    fn stop(self: Pin<&mut Self>) {
        self.end(Phase::Done);
    }

    fn absorb(self: Pin<&mut Self>, buffer: BufferConfig) -> bool {
        let this = self.project();
        *this.config = this.config.fused_with(buffer);
        true
    }
}

impl<T, Body, Fut> Restart for ChannelFlowStream<T, Body, Fut>
where
    Body: RestartBody<T, Running = Fut>,
    Fut: Future<Output: BodyOutput>,
{
    fn restart(mut self: Pin<&mut Self>) {
        if !matches!(self.phase, Phase::Fresh) {
            self.as_mut().project().body.restart();
        }
        self.end(Phase::Fresh);
    }
}

#[cfg(all(test, coldflow_loom))]
mod loom_tests {
    use alloc::boxed::Box;
    use alloc::sync::Arc;
    use alloc::task::Wake;
    use alloc::vec::Vec;
    use core::convert::Infallible;
    use core::future::{Future, poll_fn, ready};
    use core::pin::{Pin, pin};
    use core::task::{Context, Poll, Waker};

    use loom::sync::{Condvar, Mutex};
    use loom::thread;

    use super::{SendError, Sender, callback_flow, channel_flow};
    use crate::concurrent::{BufferConfig, Overflow};
    use crate::flow::{Flow, Restart};

    /// A thread that waits for its future. A wake that is lost leaves it waiting, which the model finds.
    struct Parked {
        woken: Mutex<bool>,
        condvar: Condvar,
    }

    impl Wake for Parked {
        fn wake(self: Arc<Self>) {
            *self.woken.lock().unwrap() = true;
            self.condvar.notify_one();
        }
    }

    fn block_on<Fut: Future>(future: Fut) -> Fut::Output {
        let parked = Arc::new(Parked { woken: Mutex::new(false), condvar: Condvar::new() });
        let waker = Waker::from(Arc::clone(&parked));
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
            let mut woken = parked.woken.lock().unwrap();
            while !*woken {
                woken = parked.condvar.wait(woken).unwrap();
            }
            *woken = false;
        }
    }

    fn model(check: impl Fn() + Sync + Send + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(check);
    }

    type Running = Pin<Box<dyn Restart<Item = Result<u8, Infallible>>>>;

    /// Begins a collection that gives its sender away.
    fn begun<F>(
        capacity: usize,
        build: impl FnOnce(Arc<std::sync::Mutex<Option<Sender<u8>>>>) -> F,
    ) -> (Running, Sender<u8>)
    where
        F: Flow<Item = u8, Error = Infallible, Stream: Restart + 'static>,
    {
        let given = Arc::default();
        let mut stream: Running = Box::pin(build(Arc::clone(&given)).into_stream());
        stream.as_mut().absorb(BufferConfig { capacity: Some(capacity), overflow: Overflow::Suspend });
        assert!(stream.as_mut().poll_next(&mut Context::from_waker(Waker::noop())).is_pending());
        let sender = given.lock().unwrap().take().expect("the body has given it");
        (stream, sender)
    }

    fn channel(capacity: usize) -> (Running, Sender<u8>) {
        begun(capacity, |given| {
            channel_flow(move |sender| {
                *given.lock().unwrap() = Some(sender);
                ready(())
            })
        })
    }

    fn callbacks(capacity: usize) -> (Running, Sender<u8>) {
        begun(capacity, |given| callback_flow(move |sender| *given.lock().unwrap() = Some(sender)))
    }

    fn all(stream: &mut Running) -> Vec<u8> {
        let mut items = Vec::new();
        while let Some(Ok(item)) = block_on(poll_fn(|cx| stream.as_mut().poll_next(cx))) {
            items.push(item);
        }
        items
    }

    #[test]
    fn loom_what_another_thread_sends_arrives_in_order_and_then_the_end() {
        for capacity in [0, 2] {
            model(move || {
                let (mut stream, sender) = channel(capacity);
                let sending = thread::spawn(move || {
                    assert!(block_on(sender.send(1)).is_ok());
                    assert!(block_on(sender.send(2)).is_ok());
                });
                assert_eq!(all(&mut stream), [1, 2]);
                sending.join().unwrap();
            });
        }
    }

    #[test]
    fn loom_what_a_callback_sends_arrives_in_order() {
        model(|| {
            let (mut stream, sender) = callbacks(2);
            let sending = thread::spawn(move || {
                assert!(sender.try_send(1).is_ok());
                assert!(sender.try_send(2).is_ok());
            });
            assert_eq!(all(&mut stream), [1, 2]);
            sending.join().unwrap();
        });
    }

    #[test]
    fn loom_senders_in_two_threads_lose_nothing() {
        model(|| {
            let (mut stream, first) = channel(0);
            let second = first.clone();
            let sending = [(first, 1), (second, 2)]
                .map(|(sender, item)| thread::spawn(move || assert!(block_on(sender.send(item)).is_ok())));
            assert_eq!(all(&mut stream).iter().sum::<u8>(), 3);
            sending.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }

    #[test]
    fn loom_a_sender_that_waits_learns_that_the_collection_is_gone() {
        model(|| {
            let (stream, sender) = channel(0);
            let sending = thread::spawn(move || {
                // The first may be taken by the waiting consumer; the second cannot.
                let _ = block_on(sender.send(1));
                assert_eq!(block_on(sender.send(2)), Err(SendError(2)));
            });
            drop(stream);
            sending.join().unwrap();
        });
    }

    #[test]
    fn loom_an_emission_that_is_given_up_is_taken_or_withdrawn() {
        model(|| {
            let (mut stream, sender) = channel(0);
            let sending = thread::spawn(move || {
                let mut first = pin!(sender.send(1));
                let _ = first.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                let mut second = Box::pin(sender.send(2));
                let _ = second.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                drop(second);
            });
            let items = all(&mut stream);
            assert!(items.is_sorted() && items.len() <= 2, "{items:?}");
            sending.join().unwrap();
        });
    }
}
