//! The hot flows, against the behaviours that Kotlin's own tests assert and against everything that could go wrong
//! between threads. The name of the Kotlin test stands beside the one that it became.

mod auto_traits;
mod cost;
mod known_races;
mod model;
mod on_subscription;
mod random;
mod reentrance;
mod share_in;
mod shared;
mod shared_scenarios;
mod started;
mod state;
mod stress;
mod tasks;

use std::convert::Infallible;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use coldflow::hot::SharedFlowStream;
use coldflow::{Flow, FlowStream, MutableSharedFlow, Overflow, SharedConfig};

use crate::support::Driver;

/// A shared flow of these sizes.
fn shared<T>(replay: usize, extra_capacity: usize, overflow: Overflow) -> MutableSharedFlow<T> {
    MutableSharedFlow::new(SharedConfig { replay, extra_capacity, overflow })
}

/// One in which emissions wait for the slowest subscriber.
fn suspending<T>(replay: usize, extra_capacity: usize) -> MutableSharedFlow<T> {
    shared(replay, extra_capacity, Overflow::Suspend)
}

/// One that subscribes at once.
fn subscriber<T: Clone>(flow: &MutableSharedFlow<T>) -> Driver<SharedFlowStream<T>> {
    Driver::new(flow.as_shared().subscribe())
}

/// What a hot flow cannot do is fail.
fn got<T, S>(subscriber: &mut Driver<S>) -> Poll<Option<T>>
where
    S: FlowStream<Item = Result<T, Infallible>>,
{
    subscriber.poll().map(|item| item.map(|Ok(value)| value))
}

/// All that a subscriber can get now.
#[track_caller]
fn drained<T, S>(subscriber: &mut Driver<S>) -> Vec<T>
where
    S: FlowStream<Item = Result<T, Infallible>>,
{
    let mut values = Vec::new();
    loop {
        match got(subscriber) {
            Poll::Ready(Some(value)) => values.push(value),
            Poll::Pending => return values,
            Poll::Ready(None) => panic!("the flow has ended"),
        }
    }
}

/// All that is left, to the end.
#[track_caller]
fn to_the_end<T, F>(flow: F) -> Vec<T>
where
    F: Flow<Item = T, Error = Infallible>,
{
    Driver::new(flow).rest().into_iter().map(|Ok(value)| value).collect()
}

/// Runs something that may hang if there is an error. A panic of it passes on.
#[track_caller]
fn within_a_minute(run: impl FnOnce() + Send + 'static) {
    let (sender, receiver) = channel();
    let thread = thread::spawn(move || {
        let sender = sender;
        run();
        let _ = sender.send(());
    });
    let waited = receiver.recv_timeout(Duration::from_secs(60));
    assert_ne!(waited, Err(RecvTimeoutError::Timeout), "it hangs");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
