use std::time::Duration;

use forecast::{ApiError, RetryPolicy, retry_delay};

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
