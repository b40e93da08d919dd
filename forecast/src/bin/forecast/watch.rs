use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use forecast::{ApiError, FetchResult, Forecast, Observer};

use crate::report::Report;
use crate::text;

/// How far one city has got. It outlives the call, so that Ctrl-C can say.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    pub(crate) city: String,
    report: &'a Report,
    seen: Mutex<Seen>,
}

/// What was seen of a call.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) attempts: u32,
    pub(crate) phase: Phase,
    /// The last failure: in a few words, and as an explanation.
    pub(crate) failure: Option<(String, String)>,
    /// What happened, and when.
    pub(crate) steps: Vec<(Instant, Step)>,
}

/// Something that happened in a call.
#[derive(Debug)]
pub(crate) enum Step {
    Started,
    /// An attempt failed, told in a word or two. The next one comes after `retry`.
    Failed {
        why: String,
        retry: Option<Duration>,
    },
    Succeeded(Forecast),
}

/// Where a call stands.
#[derive(Debug, Default)]
pub(crate) enum Phase {
    #[default]
    Queued,
    Attempting,
    Waiting(Duration),
    Done(Result<FetchResult, ApiError>),
}

impl<'a> Watch<'a> {
    pub(crate) fn new(city: String, report: &'a Report) -> Self {
        Self { city, report, seen: Mutex::default() }
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        // Nothing panics while it holds the lock.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn done(&self, result: Result<FetchResult, ApiError>) {
        if let Ok(FetchResult::Success { attempts, forecast }) = &result {
            self.report.succeeded(&self.city, *attempts, forecast);
            self.seen().note(Step::Succeeded(forecast.clone()));
        }
        self.seen().phase = Phase::Done(result);
    }

    pub(crate) fn succeeded(&self) -> bool {
        matches!(self.seen().phase, Phase::Done(Ok(FetchResult::Success { .. })))
    }
}

impl Seen {
    fn note(&mut self, step: Step) {
        self.steps.push((Instant::now(), step));
    }
}

impl Observer for Watch<'_> {
    fn started(&self, _: &str) {
        let mut seen = self.seen();
        seen.attempts += 1;
        seen.phase = Phase::Attempting;
        seen.note(Step::Started);
    }

    fn failed(&self, request_id: &str, cause: &ApiError, retry: Option<Duration>) {
        let brief = text::brief(cause);
        self.report.failed(request_id, &brief, retry);
        let mut seen = self.seen();
        seen.note(Step::Failed { why: text::word(cause), retry });
        seen.failure = Some((brief, text::explain(cause)));
        if let Some(delay) = retry {
            seen.phase = Phase::Waiting(delay);
        }
    }
}
