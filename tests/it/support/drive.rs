use std::fmt::Debug;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use coldflow::{Flow, FlowStream, Restart};

/// Counts how often a task was woken.
#[derive(Debug, Default)]
pub(crate) struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Wakes {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Whether the task was woken since this was last asked.
    pub(crate) fn woken(&self) -> bool {
        self.0.swap(0, Ordering::SeqCst) > 0
    }
}

/// A stream that is polled by hand.
pub(crate) struct Driver<S> {
    stream: Pin<Box<S>>,
    wakes: Arc<Wakes>,
}

impl<S: FlowStream> Driver<S> {
    pub(crate) fn new<F: Flow<Stream = S>>(flow: F) -> Self {
        Driver { stream: Box::pin(flow.into_stream()), wakes: Wakes::new() }
    }

    /// Polls with the waker that [`woken`](Self::woken) tells about.
    pub(crate) fn poll(&mut self) -> Poll<Option<S::Item>> {
        let waker = Waker::from(Arc::clone(&self.wakes));
        self.stream.as_mut().poll_next(&mut Context::from_waker(&waker))
    }

    pub(crate) fn progress(&mut self) -> Poll<()> {
        let waker = Waker::from(Arc::clone(&self.wakes));
        self.stream.as_mut().poll_progress(&mut Context::from_waker(&waker))
    }

    /// From here on it is polled as by another task.
    pub(crate) fn change_waker(&mut self) {
        self.wakes = Wakes::new();
    }

    pub(crate) fn woken(&self) -> bool {
        self.wakes.woken()
    }

    pub(crate) fn stop(&mut self) {
        self.stream.as_mut().stop();
    }

    pub(crate) fn is_terminated(&self) -> bool {
        self.stream.is_terminated()
    }

    /// The next item; a poll that is pending must have woken the task.
    pub(crate) fn next(&mut self) -> Option<S::Item> {
        loop {
            match self.poll() {
                Poll::Ready(item) => return item,
                Poll::Pending => assert!(self.woken(), "pending, and nothing will wake it"),
            }
        }
    }

    /// All that is left.
    pub(crate) fn rest(&mut self) -> Vec<S::Item> {
        std::iter::from_fn(|| self.next()).collect()
    }
}

impl<S: Restart> Driver<S> {
    pub(crate) fn restart(&mut self) {
        self.stream.as_mut().restart();
    }
}

/// A future that is polled by hand.
pub(crate) struct Polling<Fut> {
    future: Pin<Box<Fut>>,
    wakes: Arc<Wakes>,
}

impl<Fut: Future> Polling<Fut> {
    pub(crate) fn new(future: Fut) -> Self {
        Polling { future: Box::pin(future), wakes: Wakes::new() }
    }

    pub(crate) fn poll(&mut self) -> Poll<Fut::Output> {
        let waker = Waker::from(Arc::clone(&self.wakes));
        self.future.as_mut().poll(&mut Context::from_waker(&waker))
    }

    pub(crate) fn woken(&self) -> bool {
        self.wakes.woken()
    }

    pub(crate) fn get(&self) -> &Fut {
        &self.future
    }
}

/// Polls to the end. A future that is pending without having woken its task would hang, so that is a failure.
#[track_caller]
pub(crate) fn block_on<Fut: Future>(future: Fut) -> Fut::Output {
    let counter = Wakes::new();
    let waker = Waker::from(Arc::clone(&counter));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => assert!(counter.woken(), "pending, and nothing will wake it"),
        }
    }
}

/// An item as text; an error has an exclamation mark.
pub(crate) fn show<T: Debug, E: Debug>(item: Result<T, E>) -> String {
    match item {
        Ok(item) => format!("{item:?}"),
        Err(error) => format!("!{error:?}"),
    }
}

/// Pending once.
pub(crate) async fn yield_now() {
    let mut yielded = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
