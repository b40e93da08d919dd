//! What the service does, as a caller and as the server sees it.

use std::sync::Mutex;
use std::time::Duration;

use forecast::{ApiError, FetchResult, Observer, RetryPolicy, WeatherServer};
use tokio::time::Instant;

use crate::support::{server, service, until};

/// Calls for Seoul, and tells the result and the seconds that passed.
async fn call(server: &WeatherServer, max_attempts: u32) -> (Result<FetchResult, ApiError>, u64) {
    let service = service(server);
    let start = Instant::now();
    let result = service.fetch_forecast("Seoul", RetryPolicy::at_most(max_attempts).unwrap()).await;
    // Tokio's timers count whole milliseconds and may round up.
    let passed = start.elapsed();
    assert!(passed.subsec_millis() <= 1, "{passed:?}");
    (result, passed.as_secs())
}

fn attempts_of_success(result: Result<FetchResult, ApiError>) -> u32 {
    match result.unwrap() {
        FetchResult::Success { attempts, forecast } => {
            assert_eq!(forecast.city, "Seoul");
            assert!(!forecast.summary.is_empty());
            attempts
        }
        failure @ FetchResult::Failure { .. } => panic!("expected a success, got {failure:?}"),
    }
}

/// An attempt that gets through is two requests, one that fails at the search is one.
fn assert_received(server: &WeatherServer, ids: &[&str], requests: usize) {
    assert_eq!(server.attempts(), ids);
    assert_eq!(server.received().len(), requests);
}

#[tokio::test(start_paused = true)]
async fn succeeds_at_once() {
    let server = server("ok");
    let (result, passed) = call(&server, 2).await;
    assert_eq!(attempts_of_success(result), 1);
    assert_eq!(passed, 0);
    assert_received(&server, &["forecast:Seoul:1"], 2);
}

#[tokio::test(start_paused = true)]
async fn waits_for_retry_after() {
    let server = server("503:7");
    let (result, passed) = call(&server, 2).await;
    assert_eq!(attempts_of_success(result), 2);
    assert_eq!(passed, 7);
    assert_received(&server, &["forecast:Seoul:1", "forecast:Seoul:2"], 3);
}

#[tokio::test(start_paused = true)]
async fn waits_for_a_date_in_retry_after() {
    let server = server("503:date+7, 503:date-7");
    let (result, passed) = call(&server, 3).await;
    assert_eq!(attempts_of_success(result), 3);
    assert_eq!(passed, 7);
}

#[tokio::test(start_paused = true)]
async fn does_not_wait_without_retry_after() {
    let server = server("503");
    let (result, passed) = call(&server, 2).await;
    assert_eq!(attempts_of_success(result), 2);
    assert_eq!(passed, 0);
    assert_received(&server, &["forecast:Seoul:1", "forecast:Seoul:2"], 3);
}

#[tokio::test(start_paused = true)]
async fn waits_at_most_25_seconds() {
    let server = server("503:60");
    let (result, passed) = call(&server, 2).await;
    assert_eq!(attempts_of_success(result), 2);
    assert_eq!(passed, 25);
    assert_received(&server, &["forecast:Seoul:1", "forecast:Seoul:2"], 3);
}

#[tokio::test(start_paused = true)]
async fn retries_a_502_at_once() {
    // Also if it asks to wait: only a 503 is believed.
    let server = server("502:7");
    let (result, passed) = call(&server, 2).await;
    assert_eq!(attempts_of_success(result), 2);
    assert_eq!(passed, 0);
    assert_received(&server, &["forecast:Seoul:1", "forecast:Seoul:2"], 3);
}

#[tokio::test(start_paused = true)]
async fn retries_at_once_when_no_response_came() {
    for fault in ["reset", "cut", "reset@forecast", "cut@forecast"] {
        let server = server(fault);
        let (result, passed) = call(&server, 2).await;
        assert_eq!(attempts_of_success(result), 2, "{fault}");
        assert_eq!(passed, 0, "{fault}");
        let requests = if fault.ends_with("@forecast") { 4 } else { 3 };
        assert_received(&server, &["forecast:Seoul:1", "forecast:Seoul:2"], requests);
    }
}

#[tokio::test(start_paused = true)]
async fn does_not_retry_a_404() {
    let server = server("404:1");
    let (result, passed) = call(&server, 2).await;
    assert_eq!(result.unwrap(), FetchResult::Failure { attempts: 1, status: 404 });
    assert_eq!(passed, 0);
    assert_received(&server, &["forecast:Seoul:1"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_503_to_the_end_is_a_failure() {
    let server = server("503:7*");
    let (result, passed) = call(&server, 2).await;
    assert_eq!(result.unwrap(), FetchResult::Failure { attempts: 2, status: 503 });
    // No wait after the last attempt.
    assert_eq!(passed, 7);
    assert_received(&server, &["forecast:Seoul:1", "forecast:Seoul:2"], 2);
}

#[tokio::test(start_paused = true)]
async fn no_response_to_the_end_is_an_error() {
    let server = server("reset*");
    let (result, passed) = call(&server, 2).await;
    assert!(matches!(result, Err(ApiError::Unreachable { .. })), "{result:?}");
    assert_eq!(passed, 0);
    assert_received(&server, &["forecast:Seoul:1", "forecast:Seoul:2"], 2);
}

#[tokio::test(start_paused = true)]
async fn cancelled_during_the_wait() {
    let server = server("503:7*");
    let service = service(&server);
    let call = service.fetch_forecast("Seoul", RetryPolicy::at_most(3).unwrap());
    // 3 s of virtual time are less than the wait.
    tokio::time::timeout(Duration::from_secs(3), call).await.unwrap_err();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_received(&server, &["forecast:Seoul:1"], 1);
}

#[tokio::test(start_paused = true)]
async fn the_policy_without_retries_tries_once() {
    let server = server("503:7");
    let service = service(&server);
    let result = service.fetch_forecast("Seoul", RetryPolicy::NO_RETRY).await;
    assert_eq!(result.unwrap(), FetchResult::Failure { attempts: 1, status: 503 });
    assert_received(&server, &["forecast:Seoul:1"], 1);
}

#[tokio::test(start_paused = true)]
async fn every_call_counts_from_one() {
    let server = server("503");
    let service = service(&server);
    for _ in 0..2 {
        let result = service.fetch_forecast("Seoul", RetryPolicy::at_most(2).unwrap()).await;
        assert_eq!(attempts_of_success(result), 2);
    }
    assert_received(&server, &["forecast:Seoul:1", "forecast:Seoul:2"], 6);
}

#[tokio::test(start_paused = true)]
async fn the_clock_stands_still_while_a_request_is_in_flight() {
    // The answer takes 50 real milliseconds. A jump of the clock would end the attempt, whose timeout is 10 s.
    let server = server("delay:50ms");
    let (result, passed) = call(&server, 1).await;
    assert_eq!(attempts_of_success(result), 1);
    assert_eq!(passed, 0);
    until(|| server.received().len() == 2).await;
}

/// Writes down what an observer is told.
#[derive(Debug, Default)]
struct Record(Mutex<Vec<String>>);

impl Observer for Record {
    fn started(&self, request_id: &str) {
        self.0.lock().unwrap().push(format!("{request_id} started"));
    }

    fn failed(&self, request_id: &str, cause: &ApiError, retry: Option<Duration>) {
        let cause = matches!(cause, ApiError::Status { .. });
        self.0.lock().unwrap().push(format!("{request_id} failed, status {cause}, retry {retry:?}"));
    }
}

#[tokio::test(start_paused = true)]
async fn an_observer_is_told_everything_in_order() {
    let server = server("503:7, reset, 502");
    let record = Record::default();
    let service = service(&server).observed_by(&record);
    let result = service.fetch_forecast("Seoul", RetryPolicy::at_most(3).unwrap()).await;
    assert_eq!(result.unwrap(), FetchResult::Failure { attempts: 3, status: 502 });
    assert_eq!(
        *record.0.lock().unwrap(),
        [
            "forecast:Seoul:1 started",
            "forecast:Seoul:1 failed, status true, retry Some(7s)",
            "forecast:Seoul:2 started",
            "forecast:Seoul:2 failed, status false, retry Some(0ns)",
            "forecast:Seoul:3 started",
            "forecast:Seoul:3 failed, status true, retry None",
        ]
    );
}
