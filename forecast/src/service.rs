use std::time::Duration;

use coldflow::{FlowExt as _, SingleError, TimeoutError, once};
use tokio::time::sleep;

use crate::observer::Observer;
use crate::policy::{Policy, RetryPolicy, retry_delay, retry_delay_or_timeout};
use crate::{ApiError, Forecast, ForecastApi};

/// What came of a call that was answered.
#[derive(Clone, Debug, PartialEq)]
pub enum FetchResult {
    /// The last attempt gave a forecast.
    Success {
        /// How many attempts it took.
        attempts: u32,
        /// What the last one gave.
        forecast: Forecast,
    },
    /// The server answered, but the last answer was a 4xx or 5xx.
    Failure {
        /// How many attempts were made.
        attempts: u32,
        /// The status of the last answer.
        status: u16,
    },
}

/// Fetches forecasts, trying again where that may help.
#[derive(Clone, Debug)]
pub struct ForecastService<A, O = ()> {
    api: A,
    observer: O,
}

impl<A> ForecastService<A> {
    /// A service on top of `api`.
    pub fn new(api: A) -> Self {
        Self { api, observer: () }
    }
}

impl<A, O> ForecastService<A, O> {
    /// The same service, telling `observer` what happens.
    pub fn observed_by<P>(self, observer: P) -> ForecastService<A, P> {
        ForecastService { api: self.api, observer }
    }
}

impl<A: ForecastApi + Sync, O: Observer + Sync> ForecastService<A, O> {
    /// Fetches the forecast of `city` in at most `policy.max_attempts` attempts.
    ///
    /// The attempts carry the request ids `forecast:{city}:1`, `forecast:{city}:2` and so on. The count belongs to
    /// this call alone.
    ///
    /// # Errors
    /// The last attempt's error, unless that is a 4xx or 5xx: then the server did answer, and the result is a
    /// [`FetchResult::Failure`].
    ///
    /// # Cancel safety
    /// Dropping the future ends the running attempt or the wait, and no further request is sent.
    pub async fn fetch_forecast(&self, city: &str, policy: RetryPolicy) -> Result<FetchResult, ApiError> {
        let max_attempts = u64::from(policy.max_attempts.get());
        let mut attempts = 0;
        let outcome = once(|| {
            attempts += 1;
            let id = request_id(city, attempts.into());
            self.observer.started(&id);
            async move { self.api.fetch(&id, city).await }
        })
        .retry_when(async |cause, retried| {
            let attempt = retried + 1;
            let delay = retry_delay(&cause).filter(|_| attempt < max_attempts);
            self.observer.failed(&request_id(city, attempt), &cause, delay);
            let Some(delay) = delay else { return Err(cause) };
            sleep(delay).await;
            Ok(())
        })
        .single()
        .await;

        match outcome {
            Ok(forecast) => Ok(FetchResult::Success { attempts, forecast }),
            Err(SingleError::Upstream(error)) => FetchResult::of_failure(attempts, error),
            Err(several) => Err(ApiError::unexpected("a fetch did not give exactly one forecast", several)),
        }
    }

    /// The same with a policy of any kind, which may also say how long to wait between attempts and for how long in all.
    /// What is retried, and how long a server may ask to wait, is as there.
    ///
    /// # Errors
    /// As there. An attempt that the policy's `attempt_timeout` has ended counts as [`ApiError::Unreachable`].
    ///
    /// # Cancel safety
    /// As there.
    pub async fn fetch_with_policy(&self, city: &str, policy: Policy) -> Result<FetchResult, ApiError> {
        let mut attempts = 0;
        let outcome = once(|| {
            attempts += 1;
            let id = request_id(city, attempts.into());
            self.observer.started(&id);
            async move { self.api.fetch(&id, city).await }
        })
        .retry_with(policy)
        .when(|failure| retry_delay_or_timeout(failure).is_some())
        .hint(retry_delay_or_timeout)
        .on_retry(|event| self.failed(city, event.attempt, event.cause, Some(event.wait)))
        .on_give_up(|event| self.failed(city, event.attempts, event.cause, None))
        .await;

        match outcome {
            Ok(forecast) => Ok(FetchResult::Success { attempts, forecast }),
            Err(TimeoutError::Upstream(error)) => FetchResult::of_failure(attempts, error),
            Err(TimeoutError::Elapsed) => Err(timed_out()),
        }
    }

    fn failed(&self, city: &str, attempt: u32, failure: &TimeoutError<ApiError>, retry: Option<Duration>) {
        let id = request_id(city, attempt.into());
        match failure {
            TimeoutError::Upstream(cause) => self.observer.failed(&id, cause, retry),
            TimeoutError::Elapsed => self.observer.failed(&id, &timed_out(), retry),
        }
    }
}

impl FetchResult {
    /// An answer of the server is a result, and anything else an error.
    fn of_failure(attempts: u32, error: ApiError) -> Result<Self, ApiError> {
        match error {
            ApiError::Status { status, .. } => Ok(Self::Failure { attempts, status }),
            error => Err(error),
        }
    }
}

fn timed_out() -> ApiError {
    ApiError::unreachable("the attempt took longer than the policy allows")
}

fn request_id(city: &str, attempt: u64) -> String {
    format!("forecast:{city}:{attempt}")
}
