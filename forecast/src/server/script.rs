use std::time::Duration;

/// What goes wrong, attempt by attempt.
///
/// The first attempt of a call meets the first step, the second attempt the second, and so on; after the last step
/// all goes well. An attempt is everything that arrives under one request id, and the attempts of a call are the ids
/// that differ only in the number at their end. So calls for different cities do not take each other's steps,
/// however they overlap. A request without an id is an attempt by itself.
///
/// A script can also be read from text: `"503:1, reset, cut@forecast, ok, 502*"`. See [`Script::GRAMMAR`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    pub(super) steps: Vec<Step>,
    pub(super) repeats: bool,
}

impl Script {
    /// The steps that a text may have, in a line.
    pub const GRAMMAR: &str = "ok, 503, 503:RETRY-AFTER, 503:date+SECONDS, delay:TIME, reset, cut, garbage, stall; \
        @forecast behind one strikes the second request of the attempt instead of the first, * behind the last one \
        repeats it for ever";

    /// Nothing goes wrong.
    pub fn all_well() -> Self {
        Self::default()
    }

    /// These steps, then all goes well.
    pub fn new<S: Into<Step>>(steps: impl IntoIterator<Item = S>) -> Self {
        Self { steps: steps.into_iter().map(Into::into).collect(), repeats: false }
    }

    /// The last step repeated for ever.
    pub fn repeating_the_last(self) -> Self {
        Self { repeats: true, ..self }
    }

    /// What strikes a request to `endpoint` in the attempt with this number, counted from 0.
    pub(super) fn fault(&self, attempt: usize, endpoint: Endpoint) -> Option<&Fault> {
        let last = self.repeats.then(|| self.steps.last()).flatten();
        let step = self.steps.get(attempt).or(last)?;
        step.fault.as_ref().filter(|_| step.endpoint == endpoint)
    }
}

/// What goes wrong in one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub(super) endpoint: Endpoint,
    pub(super) fault: Option<Fault>,
}

impl Step {
    /// Nothing.
    pub const OK: Self = Self { endpoint: Endpoint::Search, fault: None };
}

/// A fault strikes the search, the first request of an attempt, unless told otherwise with [`Fault::on`].
impl From<Fault> for Step {
    fn from(fault: Fault) -> Self {
        fault.on(Endpoint::Search)
    }
}

/// One of the two requests of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// `/v1/search`, the first.
    Search,
    /// `/v1/forecast`, the second.
    Forecast,
}

/// What a request meets instead of its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An answer with this status and a reason in its body.
    Status {
        /// The status code.
        status: u16,
        /// The `Retry-After` header, if there is to be one.
        retry_after: Option<RetryAfter>,
    },
    /// The right answer, late.
    Delay(Duration),
    /// A connection reset instead of an answer.
    Reset,
    /// The right answer, but the connection ends in the middle of its body.
    Cut,
    /// A 200 whose body is no JSON.
    Garbage,
    /// The head and a first chunk of the right answer, then nothing more.
    Stall,
}

impl Fault {
    /// An answer with `status`, without `Retry-After`.
    pub fn status(status: u16) -> Self {
        Self::Status { status, retry_after: None }
    }

    /// A 503 that asks to wait for `seconds`.
    pub fn unavailable_for(seconds: u64) -> Self {
        Self::Status { status: 503, retry_after: Some(RetryAfter::Text(seconds.to_string())) }
    }

    /// The fault, striking the request to `endpoint`.
    pub fn on(self, endpoint: Endpoint) -> Step {
        Step { endpoint, fault: Some(self) }
    }
}

/// The value of a `Retry-After` header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// This text, whether or not it makes sense: usually a number of seconds.
    Text(String),
    /// The date that is so many seconds away from the answer's own `Date`.
    DateIn(i64),
}
