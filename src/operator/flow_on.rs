use alloc::boxed::Box;
use alloc::sync::Arc;
use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::{Context, Poll, Waker, ready};
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};

use pin_project_lite::pin_project;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::flow::{Flow, FlowStream, Restart, with_progress};
use crate::source::{ChannelBody, ChannelFlowStream, RestartBody, Sender};

/// The flow of [`flow_on`](crate::FlowExt::flow_on).
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct FlowOn<F> {
    flow: F,
    handle: Handle,
}

/// Runs an upstream in a task. The body of [`flow_on`](crate::FlowExt::flow_on).
pub struct OnHandle<S, E> {
    handle: Handle,
    home: Arc<Home<S, E>>,
    /// How the upstream starts over, once it has to.
    restart: Option<fn(Pin<&mut S>)>,
}

pin_project! {
    /// The task of [`flow_on`](crate::FlowExt::flow_on), as its body waits for it.
    #[must_use = "futures do nothing unless awaited or polled"]
    pub struct Spawned<S, T, E> {
        step: Step<T>,
        handle: Handle,
        home: Arc<Home<S, E>>,
        restart: Option<fn(Pin<&mut S>)>,
    }

    impl<S, T, E> PinnedDrop for Spawned<S, T, E> {
        fn drop(this: Pin<&mut Self>) {
            if let Step::Running(task) = this.project().step {
                task.abort();
            }
        }
    }
}

enum Step<T> {
    /// The upstream of an earlier run has not come back yet.
    Waiting(Option<Sender<T>>),
    Running(JoinHandle<()>),
}

/// Where the upstream is while no task has it, and where its error is left.
struct Home<S, E> {
    state: Mutex<AtHome<S, E>>,
}

struct AtHome<S, E> {
    stream: Option<Pin<Box<S>>>,
    error: Option<E>,
    /// Who waits for the upstream to come back.
    waker: Option<Waker>,
}

/// Has the upstream while a task runs it, and brings it home when the task ends or is aborted.
struct Carrier<S: FlowStream, E> {
    stream: Option<Pin<Box<S>>>,
    home: Arc<Home<S, E>>,
}

debug_fields!(FlowOn<F> { flow: F });
debug_fields!(OnHandle < S, E > {});
debug_fields!(Spawned < S, T, E > {});

impl<F> FlowOn<F> {
    pub(crate) fn new(flow: F, handle: Handle) -> Self {
        FlowOn { flow, handle }
    }
}

impl<F> Flow for FlowOn<F>
where
    F: Flow<Item: Send + 'static, Error: Send + 'static, Stream: Send + 'static>,
{
    type Item = F::Item;
    type Error = F::Error;
    type Stream = ChannelFlowStream<F::Item, OnHandle<F::Stream, F::Error>, Spawned<F::Stream, F::Item, F::Error>>;

    fn into_stream(self) -> Self::Stream {
        let at_home = AtHome { stream: Some(Box::pin(self.flow.into_stream())), error: None, waker: None };
        let home = Arc::new(Home { state: Mutex::new(at_home) });
        ChannelFlowStream::new(OnHandle { handle: self.handle, home, restart: None })
    }
}

impl<S, E> Home<S, E> {
    fn with<R>(&self, access: impl FnOnce(&mut AtHome<S, E>) -> R) -> R {
        // Nothing that can panic runs under the lock, so a poisoned one is whole.
        access(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<S: FlowStream, E> Drop for Carrier<S, E> {
    fn drop(&mut self) {
        if let Some(mut stream) = self.stream.take() {
            stream.as_mut().stop();
            let waker = self.home.with(|home| {
                home.stream = Some(stream);
                home.waker.take()
            });
            waker.into_iter().for_each(Waker::wake);
        }
    }
}

impl<S, T, E> Carrier<S, E>
where
    S: FlowStream<Item = Result<T, E>>,
{
    /// Runs the upstream to its end, sending its items.
    async fn run(mut self, sender: Sender<T>) {
        let Some(stream) = &mut self.stream else { return };
        while let Some(item) = poll_fn(|cx| stream.as_mut().poll_next(cx)).await {
            let item = match item {
                Ok(item) => item,
                Err(error) => return self.home.with(|home| home.error = Some(error)),
            };
            if with_progress(stream.as_mut(), sender.send(item)).await.is_err() {
                return;
            }
        }
    }
}

impl<S, T, E> ChannelBody<T> for OnHandle<S, E>
where
    S: FlowStream<Item = Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: Send + 'static,
{
    type Running = Spawned<S, T, E>;

    fn run(&mut self, sender: Sender<T>) -> Spawned<S, T, E> {
        Spawned {
            step: Step::Waiting(Some(sender)),
            handle: self.handle.clone(),
            home: Arc::clone(&self.home),
            restart: self.restart,
        }
    }
}

impl<S, T, E> RestartBody<T> for OnHandle<S, E>
where
    S: Restart<Item = Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: Send + 'static,
{
    fn restart(&mut self) {
        self.restart = Some(S::restart);
    }
}

impl<S, T, E> Future for Spawned<S, T, E>
where
    S: FlowStream<Item = Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: Send + 'static,
{
    type Output = Result<(), E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        loop {
            match this.step {
                Step::Waiting(sender) => {
                    let waker = cx.waker().clone();
                    // A failure that an earlier run has left, and that nobody asked for, goes with that run.
                    let (stream, _stale, _replaced) = this.home.with(|home| match home.stream.take() {
                        Some(stream) => (Some(stream), home.error.take(), None),
                        None => (None, None, home.waker.replace(waker)),
                    });
                    let Some(mut stream) = stream else {
                        return Poll::Pending;
                    };
                    let sender = sender.take().expect("it is there until the task has it");
                    if let Some(restart) = this.restart {
                        restart(stream.as_mut());
                    }
                    let carrier = Carrier { stream: Some(stream), home: Arc::clone(this.home) };
                    *this.step = Step::Running(this.handle.spawn(carrier.run(sender)));
                }
                Step::Running(task) => {
                    return match ready!(Pin::new(task).poll(cx)) {
                        Ok(()) => Poll::Ready(this.home.with(|home| home.error.take()).map_or(Ok(()), Err)),
                        Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
                        Err(cancelled) => {
                            panic!("the runtime of `flow_on` was shut down before the flow had ended: {cancelled}")
                        }
                    };
                }
            }
        }
    }
}
