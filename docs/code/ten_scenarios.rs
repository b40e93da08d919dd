use coldflow::{FlowExt, SingleError, once};
use std::cell::RefCell;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Why an attempt gave no forecast.
#[derive(Clone, Debug, PartialEq)]
enum ApiError {
    /// The server answered with 4xx or 5xx, and perhaps asked to wait for so many seconds.
    Status(u16, Option<u64>),
    /// No answer came.
    Unreachable,
}

/// What came of a call that was answered.
#[derive(Debug, PartialEq)]
enum FetchResult {
    Success { attempts: u32, forecast: &'static str },
    Failure { attempts: u32, status: u16 },
}

/// A server that answers by a script, with the last answer for ever. It writes down the ids of the requests.
struct Server<'a> {
    script: &'a [Result<&'static str, ApiError>],
    requests: RefCell<Vec<String>>,
}

impl<'a> Server<'a> {
    fn new(script: &'a [Result<&'static str, ApiError>]) -> Self {
        Server { script, requests: RefCell::default() }
    }

    /// An attempt takes 200 ms, whatever comes of it.
    async fn fetch(&self, request_id: String) -> Result<&'static str, ApiError> {
        self.requests.borrow_mut().push(request_id);
        let answer = self.requests.borrow().len().min(self.script.len()) - 1;
        sleep(Duration::from_millis(200)).await;
        self.script[answer].clone()
    }
}

/// How long to wait before the attempt that follows `cause`; `None` if there is to be none.
fn retry_delay(cause: &ApiError) -> Option<Duration> {
    match cause {
        ApiError::Status(503, retry_after) => Some(Duration::from_secs(retry_after.unwrap_or(0).min(25))),
        ApiError::Status(502, _) | ApiError::Unreachable => Some(Duration::ZERO),
        ApiError::Status(..) => None,
    }
}

/// Gets the forecast in at most two attempts.
async fn fetch_forecast(server: &Server<'_>, city: &str) -> Result<FetchResult, ApiError> {
    let mut attempts = 0;
    let outcome = once(|| {
        attempts += 1;
        server.fetch(format!("forecast:{city}:{attempts}"))
    })
    .retry_when(async |cause, retried| {
        if retried + 1 >= 2 {
            return Err(cause);
        }
        let Some(delay) = retry_delay(&cause) else { return Err(cause) };
        sleep(delay).await;
        Ok(())
    })
    .single()
    .await;
    match outcome {
        Ok(forecast) => Ok(FetchResult::Success { attempts, forecast }),
        Err(SingleError::Upstream(ApiError::Status(status, _))) => {
            Ok(FetchResult::Failure { attempts, status })
        }
        Err(SingleError::Upstream(error)) => Err(error),
        Err(SingleError::Empty | SingleError::MoreThanOne) => unreachable!("a body of one value"),
    }
}
