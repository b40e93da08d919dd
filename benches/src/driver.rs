//! What polls the futures.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tokio::runtime::{Builder, Runtime};

/// Polls the future until it is done, and nothing else: the cost of an executor is not in the picture.
#[inline]
pub fn drive<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
    }
}

thread_local! {
    static RUNTIME: Runtime =
        Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
}

/// Runs the future on Tokio's current-thread runtime, whose clock is paused, as the future of `block_on`: a `main` or a test.
#[inline]
pub fn on_tokio<F: Future>(future: F) -> F::Output {
    RUNTIME.with(|runtime| runtime.block_on(future))
}

/// Runs the future on Tokio's current-thread runtime as a spawned task: a server.
///
/// # Panics
///
/// When the future does.
#[inline]
pub fn spawned_on_tokio<F>(future: F) -> F::Output
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    RUNTIME.with(|runtime| runtime.block_on(runtime.spawn(future))).expect("it does not panic")
}
