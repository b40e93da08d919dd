//! What hot flows cost: emitting to many subscribers, beside the broadcast channels of Tokio and of async-broadcast, and
//! setting a state that many watch, beside Tokio's watch and eyeball.
//!
//! Each subscriber is a task of a current-thread runtime that adds up what it gets. The emitter is one more: it emits a
//! burst and lets the others run. So a row is what an item costs per subscriber that waits for it: the emission, the wake,
//! and the receipt. Bursts of 32 show the throughput, of 1 how soon an item is there.

use std::convert::Infallible;
use std::future::{Future, ready};

use coldflow::{Flow, FlowExt, MutableSharedFlow, MutableStateFlow, SharedConfig};
use coldflow_benches::{Bench, CountingAllocator, Row, bytes_held, on_tokio};
use eyeball::SharedObservable;
use tokio::sync::{broadcast, watch};
use tokio::task::yield_now;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The places of a channel: so many items are on their way at most.
const PLACES: usize = 64;

/// How many receipts a run has, more or less.
const RECEIPTS: u32 = 20_000;

/// How many items a run emits to so many subscribers.
fn items(subscribers: u32) -> u64 {
    u64::from((RECEIPTS / subscribers).clamp(16, 2_000))
}

/// Starts the subscribers, emits, and adds up what they got.
async fn emitted<Fut>(subscribers: Vec<Fut>, emit: impl Future<Output = ()> + Send + 'static) -> u64
where
    Fut: Future<Output = u64> + Send + 'static,
{
    let tasks: Vec<_> = subscribers.into_iter().map(tokio::spawn).collect();
    // A task as they are, since the future of a runtime has turns of its own. They wait when it begins.
    let emitter = tokio::spawn(async {
        yield_now().await;
        emit.await;
    });
    emitter.await.expect("it does not panic");
    let mut sum = 0;
    for task in tasks {
        sum += task.await.expect("it does not panic");
    }
    sum
}

/// Lets the others run at the end of a burst.
async fn pace(n: u64, burst: u64) {
    if n.is_multiple_of(burst) {
        yield_now().await;
    }
}

/// The sum of what a flow that cannot fail emits.
async fn sum<F: Flow<Item = u64, Error = Infallible>>(flow: F) -> u64 {
    let Ok(sum) = flow.fold(0, |sum, n| ready(sum + n)).await;
    sum
}

async fn coldflow_shared(count: u32, burst: u64) -> u64 {
    let flow = MutableSharedFlow::new(SharedConfig { extra_capacity: PLACES, ..SharedConfig::default() });
    let subscribers = (0..count).map(|_| sum(flow.as_shared().subscribe())).collect();
    let emit = async move {
        for n in 1..=items(count) {
            flow.emit(n).await;
            pace(n, burst).await;
        }
    };
    emitted(subscribers, emit).await
}

async fn tokio_broadcast(count: u32, burst: u64) -> u64 {
    let (sender, _) = broadcast::channel(PLACES);
    let receive = |mut receiver: broadcast::Receiver<u64>| async move {
        let mut sum = 0;
        // Bursts are shorter than its places, so it loses nothing, and an error is the end.
        while let Ok(n) = receiver.recv().await {
            sum += n;
        }
        sum
    };
    let subscribers = (0..count).map(|_| receive(sender.subscribe())).collect();
    let emit = async move {
        for n in 1..=items(count) {
            sender.send(n).expect("somebody listens");
            pace(n, burst).await;
        }
    };
    emitted(subscribers, emit).await
}

async fn async_broadcast(count: u32, burst: u64) -> u64 {
    let (sender, receiver) = async_broadcast::broadcast(PLACES);
    let receive = |mut receiver: async_broadcast::Receiver<u64>| async move {
        let mut sum = 0;
        while let Ok(n) = receiver.recv_direct().await {
            sum += n;
        }
        sum
    };
    let subscribers = (0..count).map(|_| receive(receiver.clone())).collect();
    drop(receiver);
    let emit = async move {
        for n in 1..=items(count) {
            sender.broadcast_direct(n).await.expect("somebody listens");
            pace(n, burst).await;
        }
    };
    emitted(subscribers, emit).await
}

async fn coldflow_state(count: u32) -> u64 {
    let state = MutableStateFlow::new(0);
    let subscribers = (0..count).map(|_| sum(state.as_state().subscribe())).collect();
    let emit = async move {
        for n in 1..=items(count) {
            state.set(n);
            yield_now().await;
        }
    };
    emitted(subscribers, emit).await
}

async fn tokio_watch(count: u32) -> u64 {
    let (sender, _) = watch::channel(0);
    let receive = |mut receiver: watch::Receiver<u64>| async move {
        let mut sum = 0;
        while receiver.changed().await.is_ok() {
            sum += *receiver.borrow_and_update();
        }
        sum
    };
    let subscribers = (0..count).map(|_| receive(sender.subscribe())).collect();
    let emit = async move {
        for n in 1..=items(count) {
            sender.send_replace(n);
            yield_now().await;
        }
    };
    emitted(subscribers, emit).await
}

async fn eyeball_observable(count: u32) -> u64 {
    let observable = SharedObservable::new(0);
    let receive = |mut subscriber: eyeball::Subscriber<u64>| async move {
        let mut sum = 0;
        while let Some(n) = subscriber.next().await {
            sum += n;
        }
        sum
    };
    let subscribers = (0..count).map(|_| receive(observable.subscribe())).collect();
    let emit = async move {
        for n in 1..=items(count) {
            observable.set(n);
            yield_now().await;
        }
    };
    emitted(subscribers, emit).await
}

const SUBSCRIBERS: [u32; 4] = [1, 8, 100, 10_000];

/// A row of so many subscribers: times are per item and subscriber.
fn row(name: String, count: u32) -> Row {
    Row::new(name, count * u32::try_from(items(count)).expect("it is clamped"))
}

fn shared_rows(burst: u64) -> Vec<Row> {
    SUBSCRIBERS
        .into_iter()
        .map(|count| {
            row(format!("{count} subscribers"), count)
                .case("tokio broadcast", move || on_tokio(tokio_broadcast(count, burst)))
                .case("SharedFlow", move || on_tokio(coldflow_shared(count, burst)))
                .case("async-broadcast", move || on_tokio(async_broadcast(count, burst)))
        })
        .collect()
}

fn state_rows() -> Vec<Row> {
    SUBSCRIBERS
        .into_iter()
        .map(|count| {
            row(format!("{count} subscribers"), count)
                .case("tokio watch", move || on_tokio(tokio_watch(count)))
                .case("StateFlow", move || on_tokio(coldflow_state(count)))
                .case("eyeball", move || on_tokio(eyeball_observable(count)))
        })
        .collect()
}

/// Bytes that one of 10,000 idle subscribers holds, its handle included.
fn memory() -> Vec<String> {
    const COUNT: usize = 10_000;
    let shared = MutableSharedFlow::<u64>::new(SharedConfig { extra_capacity: PLACES, ..SharedConfig::default() });
    let state = MutableStateFlow::new(0_u64);
    let (broadcast, _) = broadcast::channel::<u64>(PLACES);
    let (watch, _) = watch::channel(0_u64);
    let held = |bytes: usize| bytes / COUNT;
    vec![
        "| bytes per idle subscriber | |".to_owned(),
        "|---|---:|".to_owned(),
        format!(
            "| SharedFlow | {} |",
            held(bytes_held(|| (0..COUNT).map(|_| shared.as_shared().subscribe()).collect::<Vec<_>>()))
        ),
        format!(
            "| tokio broadcast | {} |",
            held(bytes_held(|| (0..COUNT).map(|_| broadcast.subscribe()).collect::<Vec<_>>()))
        ),
        format!(
            "| StateFlow | {} |",
            held(bytes_held(|| (0..COUNT).map(|_| state.as_state().subscribe()).collect::<Vec<_>>()))
        ),
        format!("| tokio watch | {} |", held(bytes_held(|| (0..COUNT).map(|_| watch.subscribe()).collect::<Vec<_>>()))),
    ]
}

fn main() {
    let bench = Bench::default();
    bench.table("A shared flow, in bursts of 32", shared_rows(32));
    bench.table("A shared flow, one item at a time", shared_rows(1));
    bench.table("A state, one value at a time", state_rows());
    bench.note("Memory", &memory());
}
