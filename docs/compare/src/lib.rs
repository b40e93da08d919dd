//! Ten tasks of retrying, each solved with coldflow and with the retry crates it is compared with.
//!
//! The solutions are in one module per crate, between marks. `docs/compare.md` shows them; `cargo run -p
//! coldflow-compare` puts them there, and a test fails when they differ. The tests run every solution on a paused clock.

pub mod page;
pub mod with_backon;
pub mod with_coldflow;
pub mod with_relentless;
pub mod with_tokio_retry;

use std::cell::{Cell, RefCell};
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The server is busy.
    Busy,
    /// The server is busy, and says when to come back, as `Retry-After` does.
    BusyFor(Duration),
    /// There was no answer in time.
    TimedOut,
}

impl Failure {
    /// What the server said in `Retry-After`.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Failure::BusyFor(wait) => Some(*wait),
            Failure::Busy | Failure::TimedOut => None,
        }
    }
}

/// What the server does with a request: it takes so long, and then answers.
pub type Reply = (Duration, Result<u32, Failure>);

/// A server that answers by a script, and notes when it was asked.
#[derive(Debug)]
pub struct Api {
    reply: fn(u32) -> Reply,
    begun: Instant,
    count: Cell<u32>,
    calls: RefCell<Vec<u64>>,
    numbers: RefCell<Vec<u64>>,
    log: RefCell<Vec<(u64, String)>>,
}

impl Api {
    /// A server whose reply depends on the number of the request, from 1.
    pub fn new(reply: fn(u32) -> Reply) -> Self {
        Api {
            reply,
            begun: Instant::now(),
            count: Cell::default(),
            calls: RefCell::default(),
            numbers: RefCell::default(),
            log: RefCell::default(),
        }
    }

    /// A request.
    ///
    /// # Errors
    ///
    /// As the script says.
    pub async fn fetch(&self) -> Result<u32, Failure> {
        self.calls.borrow_mut().push(self.now());
        self.count.set(self.count.get() + 1);
        let (latency, outcome) = (self.reply)(self.count.get());
        sleep(latency).await;
        outcome
    }

    /// A request that says which attempt it is.
    ///
    /// # Errors
    ///
    /// As the script says.
    pub async fn fetch_numbered(&self, attempt: u64) -> Result<u32, Failure> {
        self.numbers.borrow_mut().push(attempt);
        self.fetch().await
    }

    /// Writes a line to the log.
    pub fn log(&self, line: String) {
        self.log.borrow_mut().push((self.now(), line));
    }

    /// The milliseconds since the server was made.
    pub fn now(&self) -> u64 {
        self.begun.elapsed().as_millis().try_into().unwrap_or(u64::MAX)
    }

    /// When the requests came, in milliseconds.
    pub fn calls(&self) -> Vec<u64> {
        self.calls.borrow().clone()
    }

    /// The numbers that the requests bore.
    pub fn numbers(&self) -> Vec<u64> {
        self.numbers.borrow().clone()
    }

    /// The lines of the log, and when each was written, in milliseconds.
    pub fn lines(&self) -> Vec<(u64, String)> {
        self.log.borrow().clone()
    }
}
