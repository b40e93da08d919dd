//! Sharing one collection among many subscribers, through a task.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::convert::Infallible;
use core::fmt;
use core::future::{Future, poll_fn};
use core::pin::{Pin, pin};
use core::task::{Context, Poll, ready};
use std::thread;

use futures_core::FusedFuture;
use pin_project_lite::pin_project;
use tokio::task::AbortHandle;

use super::buffer::{Buffer, SharedConfig};
use super::shared::{EmitStep, Keeper, MutableSharedFlow, SharedFlow};
use super::started::{SharingCommand, SharingPolicy};
use super::state::{MutableStateFlow, StateFlow};
use crate::concurrent::{BufferConfig, Overflow};
use crate::coop::Turns;
use crate::error::NoFirstValue;
use crate::flow::{Flow, FlowStream, Restart};
use crate::source::empty;

/// How far the upstream runs ahead of slow subscribers when nobody says.
const DEFAULT_CAPACITY: usize = 64;

/// The error of a flow that cannot fail: [`Infallible`] is the only one.
///
/// What is shared has nobody to tell of a failure, so [`share_in`](crate::FlowExt::share_in) and its like ask for this.
#[diagnostic::on_unimplemented(
    message = "a flow that can fail, here with `{Self}`, cannot be shared",
    label = "handle its errors first",
    note = "`.catch(..)` handles them, after a `.retry(..)` if that may help; `.map_to_result()` shares them as items"
)]
pub trait CannotFail: Sized + Send + 'static {
    /// Anything at all: there is no such error.
    fn never<T>(self) -> T;
}

impl CannotFail for Infallible {
    fn never<T>(self) -> T {
        match self {}
    }
}

/// Keeps a shared flow from ending, and aborts its task when the last handle and subscriber are gone.
struct Sharing<M> {
    task: AbortHandle,
    _flow: M,
}

impl<M: Send + Sync> Keeper for Sharing<M> {}

impl<M> Drop for Sharing<M> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Where the items of a shared collection go.
trait Target<T>: Clone + Send + Sync + 'static {
    /// What is on its way there.
    type OnItsWay: Send;

    fn nothing() -> Self::OnItsWay;

    fn put(&self, item: T) -> Self::OnItsWay;

    /// Ready when what is on its way has arrived.
    fn poll_put(&self, item: &mut Self::OnItsWay, cx: &Context<'_>) -> Poll<()>;

    fn withdraw(&self, item: &mut Self::OnItsWay);

    fn reset(&self);

    /// Tells the subscribers that what feeds it has panicked.
    fn fail(&self);
}

impl<T: Send + Sync + 'static> Target<T> for MutableSharedFlow<T> {
    type OnItsWay = EmitStep<T>;

    fn nothing() -> EmitStep<T> {
        EmitStep::Done
    }

    fn put(&self, item: T) -> EmitStep<T> {
        EmitStep::Fresh(Arc::new(item))
    }

    fn poll_put(&self, item: &mut EmitStep<T>, cx: &Context<'_>) -> Poll<()> {
        item.poll_emit(&self.core, cx)
    }

    fn withdraw(&self, item: &mut EmitStep<T>) {
        item.withdraw(&self.core);
    }

    fn reset(&self) {
        self.core.with(Buffer::reset_replay);
    }

    fn fail(&self) {
        self.core.fail();
    }
}

/// A state with the value to which it is reset.
struct StateTarget<T> {
    state: MutableStateFlow<T>,
    initial: Arc<T>,
}

impl<T> Clone for StateTarget<T> {
    fn clone(&self) -> Self {
        StateTarget { state: self.state.clone(), initial: Arc::clone(&self.initial) }
    }
}

impl<T: Send + Sync + 'static> Target<T> for StateTarget<T> {
    type OnItsWay = ();

    fn nothing() {}

    fn put(&self, item: T) {
        self.state.set(item);
    }

    fn poll_put(&self, (): &mut (), _: &Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn withdraw(&self, (): &mut ()) {}

    fn reset(&self) {
        self.state.set_shared(&self.initial);
    }

    fn fail(&self) {
        self.state.core.close(true);
    }
}

/// Does something when it is dropped by a panic.
struct OnPanic<Op: Fn()>(Op);

impl<Op: Fn()> Drop for OnPanic<Op> {
    fn drop(&mut self) {
        if thread::panicking() {
            (self.0)();
        }
    }
}

/// Collects `upstream` into `target` as `commands` say; from the start when it is `running` already.
async fn share<S, T, E, C, M>(mut upstream: Pin<Box<S>>, commands: C, target: M, mut running: bool)
where
    S: Restart<Item = Result<T, E>>,
    E: CannotFail,
    C: FlowStream<Item = Result<SharingCommand, Infallible>>,
    M: Target<T>,
{
    let _guard = OnPanic(|| target.fail());
    let mut commands = pin!(commands);
    let mut last = None;
    let mut item = M::nothing();
    poll_fn(|cx| {
        let mut turns = Turns::new();
        loop {
            // A command goes before the next item.
            let command = commands.as_mut().poll_next(cx);
            if let Poll::Ready(Some(Ok(command))) = command {
                if last.replace(command) != Some(command) {
                    running = command == SharingCommand::Start;
                    target.withdraw(&mut item);
                    upstream.as_mut().restart();
                    if command == SharingCommand::StopAndResetReplayCache {
                        target.reset();
                    }
                }
                if turns.used_up(cx) {
                    return Poll::Pending;
                }
                continue;
            }
            if !running {
                return command.map(|_| ());
            }
            if target.poll_put(&mut item, cx).is_pending() {
                let _ = upstream.as_mut().poll_progress(cx);
                return Poll::Pending;
            }
            match ready!(upstream.as_mut().poll_next(cx)) {
                Some(Ok(value)) => item = target.put(value),
                Some(Err(error)) => error.never(),
                None => running = false,
            }
            if turns.used_up(cx) {
                return Poll::Pending;
            }
        }
    })
    .await;
}

/// The sizes of the shared flow: those of a buffer at the end of the upstream, which has been given up for them, or 64.
fn config(replay: usize, buffer: Option<BufferConfig>) -> SharedConfig {
    let buffer = buffer.unwrap_or_default();
    let extra_capacity = match (buffer.overflow, buffer.capacity) {
        (Overflow::Suspend, Some(capacity)) => capacity,
        (Overflow::Suspend, None) => DEFAULT_CAPACITY.saturating_sub(replay),
        (_, None | Some(0)) => usize::from(replay == 0),
        (_, Some(capacity)) => capacity,
    };
    SharedConfig { replay, extra_capacity, overflow: buffer.overflow }
}

pub(crate) fn share_in<F, P>(flow: F, policy: P, replay: usize) -> SharedFlow<F::Item>
where
    F: Flow<Item: Send + Sync + 'static, Error: CannotFail, Stream: Restart + Send + 'static>,
    P: SharingPolicy<Commands: Flow<Stream: Send + 'static>>,
{
    let mut upstream = Box::pin(flow.into_stream());
    let shared = MutableSharedFlow::new(config(replay, upstream.as_mut().give_up_buffer()));
    let commands = policy.commands(shared.subscription_count()).into_stream();
    let task = tokio::spawn(share(upstream, commands, shared.clone(), false)).abort_handle();
    let core = Arc::clone(&shared.core);
    SharedFlow { core, keeper: Some(Arc::new(Sharing { task, _flow: shared })) }
}

pub(crate) fn state_in<F, P>(flow: F, policy: P, initial: F::Item) -> StateFlow<F::Item>
where
    F: Flow<Item: PartialEq + Send + Sync + 'static, Error: CannotFail, Stream: Restart + Send + 'static>,
    P: SharingPolicy<Commands: Flow<Stream: Send + 'static>>,
{
    let mut upstream = Box::pin(flow.into_stream());
    // A state conflates whatever comes.
    let _given_up = upstream.as_mut().give_up_buffer();
    let target = StateTarget::new(initial);
    let commands = policy.commands(target.state.subscription_count()).into_stream();
    let task = tokio::spawn(share(upstream, commands, target.clone(), false));
    target.keep(task.abort_handle())
}

impl<T: PartialEq + Send + Sync + 'static> StateTarget<T> {
    fn new(initial: T) -> Self {
        let initial = Arc::new(initial);
        StateTarget { state: MutableStateFlow::shared(Arc::clone(&initial)), initial }
    }

    /// The flow of it, which keeps the task running.
    fn keep(self, task: AbortHandle) -> StateFlow<T> {
        let core = Arc::clone(&self.state.core);
        StateFlow { core, keeper: Some(Arc::new(Sharing { task, _flow: self.state })) }
    }
}

pin_project! {
    /// The future of [`state_in_first`](crate::FlowExt::state_in_first).
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct StateInFirst<S> {
        stream: Option<Pin<Box<S>>>,
    }
}

impl<S> StateInFirst<S> {
    pub(crate) fn new(stream: S) -> Self {
        StateInFirst { stream: Some(Box::pin(stream)) }
    }
}

impl<S: fmt::Debug> fmt::Debug for StateInFirst<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateInFirst").field("stream", &self.stream).finish()
    }
}

impl<S, T, E> Future for StateInFirst<S>
where
    S: Restart<Item = Result<T, E>> + Send + 'static,
    E: CannotFail,
    T: PartialEq + Send + Sync + 'static,
{
    type Output = Result<StateFlow<T>, NoFirstValue>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let slot = self.project().stream;
        let Some(stream) = slot else {
            return Poll::Pending;
        };
        let first = ready!(stream.as_mut().poll_next(cx));
        let first = match first.zip(slot.take()) {
            Some((Ok(first), stream)) => Some((first, stream)),
            Some((Err(error), _)) => error.never(),
            None => None,
        };
        let Some((first, stream)) = first else {
            return Poll::Ready(Err(NoFirstValue));
        };
        let target = StateTarget::new(first);
        let task = tokio::spawn(share(stream, empty().into_stream(), target.clone(), true));
        Poll::Ready(Ok(target.keep(task.abort_handle())))
    }
}

impl<S, T, E> FusedFuture for StateInFirst<S>
where
    S: Restart<Item = Result<T, E>> + Send + 'static,
    E: CannotFail,
    T: PartialEq + Send + Sync + 'static,
{
    fn is_terminated(&self) -> bool {
        self.stream.is_none()
    }
}
