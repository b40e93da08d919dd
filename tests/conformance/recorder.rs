//! What happened, in which lane, and when.

use serde_json::Value as Json;
use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::time::Instant;

use crate::spec::Error;

/// Keeps the trace of one scenario. Its clock is Tokio's, which is paused.
#[derive(Debug)]
pub(crate) struct Recorder {
    began: Instant,
    lanes: Mutex<BTreeMap<String, Vec<Event>>>,
    runs: Mutex<HashMap<String, u64>>,
    raised: Mutex<Vec<Raised>>,
}

/// A line of a lane: `[t, "what", ..]`, and the place of the node that wrote it.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) entry: Json,
    pub(crate) place: Arc<str>,
}

/// Where and when an error came into being.
#[derive(Debug)]
pub(crate) struct Raised {
    pub(crate) time: u64,
    pub(crate) error: Error,
    pub(crate) place: Arc<str>,
}

/// What a scenario left behind.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) lanes: BTreeMap<String, Vec<Event>>,
    pub(crate) raised: Vec<Raised>,
}

impl Recorder {
    pub(crate) fn new() -> Self {
        Recorder { began: Instant::now(), lanes: Mutex::default(), runs: Mutex::default(), raised: Mutex::default() }
    }

    /// The instant of a time of the scenario.
    pub(crate) fn instant(&self, millis: u64) -> Instant {
        self.began + std::time::Duration::from_millis(millis)
    }

    /// The time of the scenario, in whole milliseconds.
    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).expect("virtual time is short")
    }

    /// Appends `words` to a lane, behind the time.
    pub(crate) fn log(&self, lane: &str, place: &Arc<str>, words: Json) {
        let Json::Array(mut entry) = words else { panic!("an event is a list, not {words}") };
        entry.insert(0, self.now().into());
        let event = Event { entry: entry.into(), place: Arc::clone(place) };
        lock(&self.lanes).entry(lane.to_owned()).or_default().push(event);
    }

    /// Counts the runs of a lane, from 1.
    pub(crate) fn next_run(&self, lane: &str) -> u64 {
        let mut runs = lock(&self.runs);
        let run = runs.entry(lane.to_owned()).or_default();
        *run += 1;
        *run
    }

    /// Notes where an error comes from, and returns it.
    pub(crate) fn raise(&self, error: Error, place: &Arc<str>) -> Error {
        lock(&self.raised).push(Raised { time: self.now(), error: error.clone(), place: Arc::clone(place) });
        error
    }

    /// What has been written so far.
    pub(crate) fn finish(&self) -> Recording {
        Recording { lanes: mem::take(&mut *lock(&self.lanes)), raised: mem::take(&mut *lock(&self.raised)) }
    }
}

fn lock<T>(written: &Mutex<T>) -> MutexGuard<'_, T> {
    written.lock().expect("nothing panics while it writes")
}
