//! A picture for each of the ten scenarios: the forecast service runs, against an API that is played here.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use coldflow_timeline::{Part, span};
use forecast::{ApiError, FetchResult, Forecast, ForecastApi, ForecastService, Observer, RetryPolicy};
use tokio::time::{sleep, timeout};

use crate::picture::Picture;
use crate::probe::{Pen, Recorder};

/// How long the API takes to answer, or not to.
const ATTEMPT: Duration = Duration::from_millis(200);

/// What the API does in an attempt; the last one goes on for ever.
#[derive(Clone, Copy, Debug)]
enum Answer {
    Weather,
    Status(u16),
    /// A 503 that asks to wait for so many seconds.
    Busy(u64),
    Unreachable,
}

use Answer::{Busy, Status, Unreachable, Weather};

pub(crate) fn pictures() -> Vec<Picture> {
    vec![
        scenario("scenario-success", "the first attempt succeeds", &[Weather], None),
        scenario("scenario-503-retry-after", "a 503 asks to wait 7 s, and then it works", &[Busy(7), Weather], None),
        scenario(
            "scenario-503-no-hint",
            "a 503 that asks for nothing is retried at once",
            &[Status(503), Weather],
            None,
        ),
        scenario("scenario-503-capped", "a 503 asks to wait 60 s, and the wait is 25 s", &[Busy(60), Weather], None),
        scenario("scenario-502", "a 502 is retried at once", &[Status(502), Weather], None),
        scenario(
            "scenario-unreachable-then-success",
            "no response came, so it is retried at once",
            &[Unreachable, Weather],
            None,
        ),
        scenario("scenario-404", "a 404 is not retried", &[Status(404)], None),
        scenario("scenario-503-to-the-end", "a 503 at each attempt ends as a failure", &[Busy(7)], None),
        scenario(
            "scenario-unreachable-to-the-end",
            "no response at each attempt ends as an error",
            &[Unreachable],
            None,
        ),
        scenario(
            "scenario-cancelled-while-waiting",
            "the caller goes away during the wait, and nothing more is sent",
            &[Busy(7), Weather],
            Some(Duration::from_secs(3)),
        ),
    ]
}

/// Calls for Seoul, in at most two attempts. With `patience` the caller drops the call after so long.
fn scenario(name: &'static str, title: &str, answers: &'static [Answer], patience: Option<Duration>) -> Picture {
    Picture::record(name, title, async |r| {
        let attempts = r.lane("attempts");
        r.operator("once(fetch).retry_when(..).single()");
        let result = r.lane("result");
        let api = Api { attempts: attempts.clone(), answers, next: AtomicUsize::new(0) };
        let watch = Watch { recorder: r.clone(), attempts, waiting: Mutex::new(None) };
        let service = ForecastService::new(api).observed_by(&watch);
        let policy = RetryPolicy::at_most(2).expect("two are more than none");
        let mut run = result.run();
        let call = service.fetch_forecast("Seoul", policy);
        match timeout(patience.unwrap_or(Duration::MAX), call).await {
            Ok(Ok(FetchResult::Success { attempts, .. })) => run.give(format!("Success, attempts: {attempts}"), GOOD),
            Ok(Ok(FetchResult::Failure { attempts, status })) => {
                run.give(format!("Failure {status}, attempts: {attempts}"), BAD);
            }
            Ok(Err(error)) => run.fail(kind(&error)),
            Err(_) => {
                watch.waited();
                watch.attempts.cancelled();
                drop(run);
                // An attempt that came after all would be drawn.
                sleep(Duration::from_secs(60)).await;
            }
        }
    })
    .with_breaks()
}

/// The colours of results.
const GOOD: usize = 2;
const BAD: usize = 1;

/// An API that does what is written for each attempt, and draws it.
#[derive(Debug)]
struct Api {
    attempts: Pen,
    answers: &'static [Answer],
    next: AtomicUsize,
}

impl ForecastApi for Api {
    async fn fetch(&self, request_id: &str, city: &str) -> Result<Forecast, ApiError> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        let answer = self.answers[next.min(self.answers.len() - 1)];
        let number = request_id.rsplit(':').next().unwrap_or_default();
        let job = self.attempts.job(Part::new(number, 0));
        sleep(ATTEMPT).await;
        job.done();
        let error = match answer {
            Weather => {
                self.attempts.item([Part::new("sunny", GOOD)]);
                return Ok(Forecast {
                    city: city.to_owned(),
                    summary: "sunny".to_owned(),
                    country: None,
                    temperature: None,
                    wind_speed: None,
                });
            }
            Status(status) => ApiError::status(status, None),
            Busy(seconds) => ApiError::status(503, Some(Duration::from_secs(seconds))),
            Unreachable => ApiError::unreachable("connection reset"),
        };
        self.attempts.error(kind(&error));
        Err(error)
    }
}

/// What went wrong, in a few words.
fn kind(error: &ApiError) -> String {
    match error {
        ApiError::Status { status, retry_after: Some(asked), .. } => {
            format!("{status}, Retry-After: {}", asked.as_secs())
        }
        ApiError::Status { status, .. } => status.to_string(),
        ApiError::Unreachable { .. } => "Unreachable".to_owned(),
        other => other.to_string(),
    }
}

/// Draws the waits between the attempts.
#[derive(Debug)]
struct Watch {
    recorder: Recorder,
    attempts: Pen,
    /// Since when, and what the wait is called.
    waiting: Mutex<Option<(Duration, String)>>,
}

impl Watch {
    /// The wait is over, if there was one.
    fn waited(&self) {
        if let Some((since, label)) = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take() {
            self.attempts.wait(since, label);
        }
    }
}

impl Observer for Watch {
    fn started(&self, _: &str) {
        self.waited();
    }

    fn failed(&self, _: &str, cause: &ApiError, retry: Option<Duration>) {
        let Some(wait) = retry else { return };
        let label = match cause {
            ApiError::Status { retry_after: Some(asked), .. } if *asked > wait => {
                format!("{}, asked for {}", span(wait), span(*asked))
            }
            _ => span(wait),
        };
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some((self.recorder.now(), label));
    }
}
