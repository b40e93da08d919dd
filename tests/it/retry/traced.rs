//! What `tracing` is told.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use coldflow::retry::Backoff;
use coldflow::{Retry, retry};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Writes down what comes, as text.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<String>>>);

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Recorder {
    fn note(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.note(format!("span {} {}", span.metadata().target(), span.metadata().name()));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        let parent = if event.parent().is_some() { " in the span" } else { "" };
        self.note(format!("{}{parent}:{}", event.metadata().level(), fields.0));
    }

    fn enter(&self, _: &Id) {
        self.note("enter".to_owned());
    }

    fn exit(&self, _: &Id) {
        self.note("exit".to_owned());
    }
}

#[tokio::test(start_paused = true)]
async fn a_span_for_the_collection_and_an_event_for_each_failure() {
    let recorder = Recorder::default();
    let guard = tracing::subscriber::set_default(recorder.clone());
    let policy = Retry::attempts(2).backoff(Backoff::constant(Duration::from_secs(1)));
    let traced = retry(policy, || async { Err::<(), _>("down") }).traced();
    assert!(recorder.0.lock().unwrap().is_empty(), "nothing before the first poll");
    assert_eq!(traced.await, Err("down"));
    drop(guard);
    assert_eq!(
        *recorder.0.lock().unwrap(),
        [
            "span coldflow::retry retry",
            "enter",
            "exit",
            "DEBUG in the span: message=attempt failed attempt=1 wait=1s elapsed=0ns error=\"down\"",
            "enter",
            "exit",
            "WARN in the span: message=gave up attempts=2 elapsed=1s reason=no further attempt is allowed error=\"down\"",
        ]
    );
}
