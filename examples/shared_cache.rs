//! A shared cache: many ask for the exchange rates, one task loads them, anew every minute, and only while they are wanted.
//!
//! ```sh
//! cargo run --example shared_cache
//! ```
//!
//! The clock is paused, so that the minutes pass at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use coldflow::retry::Backoff;
use coldflow::{FlowExt, Retry, SharingStarted, StateFlow, interval, retry};
use tokio::time::{Instant, sleep};

const MINUTE: Duration = Duration::from_secs(60);

/// What one euro is worth, and how often it has been loaded.
#[derive(Clone, Debug, PartialEq)]
struct Rates {
    won: u32,
    version: u32,
}

/// The bank, which needs a second for an answer. Its first three answers of the third minute are errors.
#[derive(Debug, Default)]
struct Bank {
    calls: AtomicU32,
}

impl Bank {
    async fn rates(self: Arc<Self>) -> Result<Rates, &'static str> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        sleep(Duration::from_secs(1)).await;
        if (3..=5).contains(&call) { Err("closed") } else { Ok(Rates { won: 1700 + call, version: call }) }
    }
}

/// The rates, shared: `None` until they are there. They are kept for five minutes after the last one who wanted them, and
/// an answer that does not come leaves the old ones.
fn cache(bank: &Arc<Bank>) -> StateFlow<Option<Rates>> {
    let bank = Arc::clone(bank);
    interval(MINUTE)
        .flat_map_latest(move |_| {
            let bank = Arc::clone(&bank);
            let policy = Retry::attempts(3).backoff(Backoff::constant(Duration::from_secs(5)));
            retry(policy, move || Arc::clone(&bank).rates())
                .on_give_up(|event| println!("the old rates stay: {} attempts, {}", event.attempts, event.cause))
                .map(Some)
                // What is shared cannot fail: an error is no news.
                .catch(async |_cause, _emitter| {})
        })
        .state_in(SharingStarted::while_subscribed(5 * MINUTE, Duration::ZERO), None)
}

/// What a handler of a request does: takes what is there, and waits only if nothing is.
async fn current(cache: &StateFlow<Option<Rates>>) -> Rates {
    let Ok(rates) = cache.clone().filter_map(|rates| rates).first().await;
    rates.expect("a state that is fed has a value in the end")
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    let bank = Arc::new(Bank::default());
    let calls = || bank.calls.load(Ordering::Relaxed);
    let cache = cache(&bank);

    // Nobody has asked yet.
    sleep(10 * MINUTE).await;
    assert_eq!(calls(), 0);

    // A hundred ask at once: one call, and all wait for it.
    let began = Instant::now();
    let answers = futures::future::join_all((0..100).map(|_| current(&cache))).await;
    assert!(answers.iter().all(|rates| *rates == Rates { won: 1701, version: 1 }));
    assert_eq!((calls(), began.elapsed().as_secs()), (1, 1));

    // From then on there is always an answer at once. It is loaded anew in the background.
    sleep(MINUTE + Duration::from_secs(4)).await;
    let asked = Instant::now();
    assert_eq!(current(&cache).await.version, 2);
    assert!(asked.elapsed().is_zero());

    // In the third minute the bank is closed, for all three attempts. The old rates stay.
    sleep(MINUTE).await;
    assert_eq!(current(&cache).await.version, 2);
    sleep(Duration::from_secs(20)).await;
    assert_eq!((current(&cache).await.version, calls()), (2, 5));

    // In the fourth it is open again.
    sleep(MINUTE).await;
    assert_eq!(current(&cache).await.version, 6);

    // Whoever does not ask, but wants to know of every change, subscribes.
    let versions = cache.clone().filter_map(|rates| Some(rates?.version)).take(3).to_vec();
    assert_eq!(versions.await, Ok(vec![6, 7, 8]));

    // Nobody asks for an hour: after five minutes the loading stops, and the rates are forgotten.
    let before = calls();
    sleep(60 * MINUTE).await;
    assert_eq!(calls(), before + 5);
    assert_eq!(cache.value(), None);
    println!("{} calls of the bank for 100 handlers and an hour", calls());

    // The task goes with the last handle.
    drop(cache);
    sleep(Duration::from_millis(1)).await;
    assert_eq!(Arc::strong_count(&bank), 1);
}
