use std::time::{Duration, SystemTime};

use forecast::http::parse_retry_after;
use forecast::{ApiError, ForecastApi as _, HttpForecastApi, retry_delay};

use crate::support::answering;

/// What a 503 with this header waits, seen at Mon, 30 Nov 2026 21:00:00 GMT. `None`: as if it were absent.
const TABLE: &[(&[u8], Option<u64>)] = &[
    (b"120", Some(25)),
    (b"26", Some(25)),
    (b"25", Some(25)),
    (b"3", Some(3)),
    (b"007", Some(7)),
    (b" 7 ", Some(7)),
    (b"\t7\t", Some(7)),
    (b"0", Some(0)),
    (b"-1", None),
    (b"+5", None),
    (b"1.5", None),
    (b"1e3", None),
    (b"0x10", None),
    (b"9999999999", Some(25)),
    (b"18446744073709551615", Some(25)),
    (b"18446744073709551616", Some(25)),
    (b"99999999999999999999999", Some(25)),
    (b"", None),
    (b" ", None),
    (b"abc", None),
    (b"5 seconds", None),
    (b"10;x=1", None),
    ("१२".as_bytes(), None),
    (b"\xff", None),
    (b"7\xff", None),
    (b"10, 20", None),
    (b"Mon, 30 Nov 2026 21:00:10 GMT", Some(10)),
    (b" Mon, 30 Nov 2026 21:00:10 GMT ", Some(10)),
    (b"Monday, 30-Nov-26 21:00:10 GMT", Some(10)),
    (b"Mon Nov 30 21:00:10 2026", Some(10)),
    (b"Mon, 30 Nov 2026 21:00:00 GMT", Some(0)),
    (b"Fri, 31 Dec 1999 23:59:59 GMT", Some(0)),
    (b"Fri, 31 Dec 9999 23:59:59 GMT", Some(25)),
    (b"Tue, 30 Nov 2026 21:00:10 GMT", None),
    (b"mon, 30 nov 2026 21:00:10 gmt", None),
    (b"Mon, 30 Nov 2026 21:00:10 +0000", None),
    (b"Mon, 30 Nov 2026 21:00:60 GMT", None),
    (b"2026-11-30T21:00:10Z", None),
    (b"Wed, 31 Feb 2027 21:00:10 GMT", None),
];

#[test]
fn every_form() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_072_400);
    assert_eq!(httpdate::fmt_http_date(now), "Mon, 30 Nov 2026 21:00:00 GMT");
    for (value, expected) in TABLE {
        let retry_after = parse_retry_after(value, now);
        let shown = String::from_utf8_lossy(value);
        assert_eq!(retry_after.is_some(), expected.is_some(), "{shown:?} gave {retry_after:?}");
        let delay = retry_delay(&ApiError::status(503, retry_after));
        assert_eq!(delay, Some(Duration::from_secs(expected.unwrap_or(0))), "{shown:?}");
    }
}

#[test]
fn the_parser_itself_caps_nothing() {
    let parse = |value: &str| parse_retry_after(value.as_bytes(), SystemTime::now());
    assert_eq!(parse("120"), Some(Duration::from_secs(120)));
    assert_eq!(parse("18446744073709551616"), Some(Duration::MAX));
}

async fn retry_after(headers: &str) -> Option<Duration> {
    let url = answering(format!("HTTP/1.1 503 Busy\r\n{headers}content-length: 0\r\n\r\n"));
    match HttpForecastApi::new(&url).unwrap().fetch("id", "Seoul").await {
        Err(ApiError::Status { status: 503, retry_after, .. }) => retry_after,
        other => panic!("expected a 503, got {other:?}"),
    }
}

#[tokio::test]
async fn read_from_a_response() {
    let seconds = |n| Some(Duration::from_secs(n));
    assert_eq!(retry_after("").await, None);
    assert_eq!(retry_after("retry-after: 60\r\n").await, seconds(60));
    // Of several lines the first usable one counts.
    assert_eq!(retry_after("retry-after: soon\r\nRetry-After: 3\r\nretry-after: 9\r\n").await, seconds(3));
    // A date counts from the response's own, whatever the clock here says.
    let at = |time| format!("Mon, 30 Nov 2020 21:00:{time} GMT");
    let headers = format!("date: {}\r\nretry-after: {}\r\n", at("00"), at("10"));
    assert_eq!(retry_after(&headers).await, seconds(10));
    // Without a usable one, the clock here has to do: 2020 is past.
    assert_eq!(retry_after(&format!("date: today\r\nretry-after: {}\r\n", at("10"))).await, seconds(0));
    assert_eq!(retry_after(&format!("retry-after: {}\r\n", at("10"))).await, seconds(0));
}
