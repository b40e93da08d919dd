use std::sync::Mutex;
use std::time::Duration;

use coldflow::Retry;
use coldflow::retry::Backoff;
use forecast::{ApiError, FetchResult, MAX_RETRY_DELAY, Observer, Policy, RetryPolicy, retry_delay};
use tokio::time::Instant;

use crate::support::{server, service};

#[test]
fn the_delay_before_a_retry() {
    let seconds = Duration::from_secs;
    let table = [
        (503, None, Some(0)),
        (503, Some(seconds(0)), Some(0)),
        (503, Some(seconds(7)), Some(7)),
        (503, Some(seconds(25)), Some(25)),
        (503, Some(seconds(26)), Some(25)),
        (503, Some(Duration::MAX), Some(25)),
        (502, None, Some(0)),
        (502, Some(seconds(7)), Some(0)),
        (400, None, None),
        (404, Some(seconds(7)), None),
        (429, Some(seconds(7)), None),
        (500, None, None),
        (504, Some(seconds(7)), None),
    ];
    for (status, retry_after, expected) in table {
        let delay = retry_delay(&ApiError::status(status, retry_after));
        assert_eq!(delay, expected.map(seconds), "{status} {retry_after:?}");
    }
    assert_eq!(retry_delay(&ApiError::unreachable("reset")), Some(Duration::ZERO));
    assert_eq!(retry_delay(&ApiError::UnknownCity { city: "x".to_owned() }), None);
    assert_eq!(retry_delay(&ApiError::unexpected("what", "why")), None);
}

#[test]
fn a_policy_has_at_least_one_attempt() {
    assert_eq!(RetryPolicy::NO_RETRY.max_attempts.get(), 1);
    assert_eq!(RetryPolicy::at_most(1), Ok(RetryPolicy::NO_RETRY));
    assert_eq!(RetryPolicy::at_most(0).unwrap_err().to_string(), "at least 1 attempt is needed, got 0");
}

#[derive(Debug, Default)]
struct Waits(Mutex<Vec<Option<Duration>>>);

impl Observer for Waits {
    fn failed(&self, _: &str, _: &ApiError, retry: Option<Duration>) {
        self.0.lock().unwrap().push(retry);
    }
}

/// Calls for Seoul: the result, the waits that the observer was told, and the time.
async fn call(
    script: &str,
    policy: impl Into<Policy>,
) -> (Result<FetchResult, ApiError>, Vec<Option<Duration>>, Duration) {
    let (server, waits, began) = (server(script), Waits::default(), Instant::now());
    let result = service(&server).observed_by(&waits).fetch_with_policy("Seoul", policy.into()).await;
    let requests = waits.0.lock().unwrap().iter().flatten().count() + 1;
    assert_eq!(server.attempts().len(), requests, "each retry that is told of is one");
    (result, waits.0.into_inner().unwrap(), began.elapsed())
}

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_policy_of_any_kind_retries_what_the_service_retries() {
    // As without one.
    let (result, waits, _) = call("503:7, 502, reset", Retry::immediate(4)).await;
    assert!(matches!(result, Ok(FetchResult::Success { attempts: 4, .. })));
    assert_eq!(waits, [Some(SECOND * 7), Some(Duration::ZERO), Some(Duration::ZERO)]);
    let (result, waits, _) = call("404", Retry::immediate(4)).await;
    assert!(matches!(result, Ok(FetchResult::Failure { attempts: 1, status: 404 })));
    assert_eq!(waits, [None]);
    let (result, _, _) = call("garbage", Retry::immediate(4)).await;
    assert!(matches!(result, Err(ApiError::Unexpected { .. })));
}

#[tokio::test(start_paused = true)]
async fn the_longer_one_of_backoff_and_retry_after_is_waited() {
    let policy = Retry::attempts(4).backoff(Backoff::linear(SECOND * 5, SECOND));
    let (result, waits, _) = call("503:2, 503:30, reset", policy).await;
    assert!(matches!(result, Ok(FetchResult::Success { attempts: 4, .. })));
    assert_eq!(waits, [Some(SECOND * 5), Some(MAX_RETRY_DELAY), Some(SECOND * 7)]);
}

#[tokio::test(start_paused = true)]
async fn the_bound_and_the_deadline_hold() {
    let (result, waits, _) = call("503:1*", Retry::immediate(3)).await;
    assert!(matches!(result, Ok(FetchResult::Failure { attempts: 3, status: 503 })));
    assert_eq!(waits, [Some(SECOND), Some(SECOND), None]);
    let (result, waits, time) = call("503:4*", Retry::immediate(100).deadline(SECOND * 10)).await;
    assert!(matches!(result, Ok(FetchResult::Failure { attempts: 3, .. })));
    assert_eq!(waits.len(), 3);
    assert!(time >= SECOND * 8 && time < SECOND * 9, "{time:?}");
}
