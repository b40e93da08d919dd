use std::fmt::Display;
use std::sync::{Arc, Mutex};

/// What happened, in order, and what is alive.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    events: Vec<String>,
    live: Vec<String>,
}

impl Trace {
    pub(crate) fn new() -> Self {
        Trace::default()
    }

    pub(crate) fn note(&self, event: impl Display) {
        self.0.lock().unwrap().events.push(event.to_string());
    }

    /// Alive until it is dropped: notes `start name` and `drop name`.
    pub(crate) fn guard(&self, name: &str) -> Guard {
        let mut inner = self.0.lock().unwrap();
        inner.events.push(format!("start {name}"));
        inner.live.push(name.to_owned());
        Guard { trace: self.clone(), name: name.to_owned() }
    }

    /// The events since the last time it was called.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().events)
    }

    /// How many events of this name there are.
    pub(crate) fn count(&self, event: &str) -> usize {
        self.0.lock().unwrap().events.iter().filter(|noted| *noted == event).count()
    }

    pub(crate) fn live(&self) -> Vec<String> {
        self.0.lock().unwrap().live.clone()
    }
}

/// Says in its [`Trace`] when it comes and goes.
#[derive(Debug)]
pub(crate) struct Guard {
    trace: Trace,
    name: String,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut inner = self.trace.0.lock().unwrap();
        inner.events.push(format!("drop {}", self.name));
        let at = inner.live.iter().rposition(|live| *live == self.name).unwrap();
        inner.live.remove(at);
    }
}
