//! Policies that are read from a file.

use std::time::Duration;

use coldflow::Retry;
use coldflow::retry::{Backoff, Jitter, ResetAfter};

type AnyRetry = Retry<Backoff, Option<Duration>>;

const SECOND: Duration = Duration::from_secs(1);

fn refusal<T: serde::de::DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
    toml::from_str::<T>(text).unwrap_err().to_string()
}

#[test]
fn a_file_says_what_the_builder_says() {
    let read: Retry<Backoff, Option<Duration>> = toml::from_str(
        r#"
        attempts = 5
        backoff = { exponential = { first = "200ms", factor = 1.5 } }
        jitter = "decorrelated"
        cap = "10s"
        deadline = "1m 30s"
        attempt_timeout = "2s"
        reset_after = { healthy = "5m" }
        "#,
    )
    .unwrap();
    let built = Retry::attempts(5)
        .backoff(Backoff::exponential_by(Duration::from_millis(200), 1.5))
        .jitter(Jitter::Decorrelated)
        .cap(SECOND * 10)
        .deadline(SECOND * 90)
        .attempt_timeout(SECOND * 2)
        .reset_after(SECOND * 300);
    assert_eq!(read, built.into());
}

#[test]
fn what_is_left_out_is_as_in_the_builder() {
    assert_eq!(toml::from_str::<Retry>("attempts = 3").unwrap(), Retry::attempts(3));
    assert_eq!(toml::from_str::<AnyRetry>("attempts = 3").unwrap(), Retry::attempts(3).into());
    let twice = r#"attempts = 3
        backoff = { exponential = { first = "1s" } }"#;
    assert_eq!(toml::from_str::<Retry>(twice).unwrap(), Retry::attempts(3).backoff(Backoff::exponential(SECOND)));
}

#[test]
fn each_backoff_has_its_form() {
    for (text, backoff) in [
        (r#"constant = "20ms""#, Backoff::constant(Duration::from_millis(20))),
        (r#"linear = { first = "1s", step = "2s" }"#, Backoff::linear(SECOND, SECOND * 2)),
        (r#"exponential = { first = "1s" }"#, Backoff::exponential(SECOND)),
        (r#"exponential = { first = "1s", factor = 3 }"#, Backoff::exponential_by(SECOND, 3.0)),
        (r#"fibonacci = "1s""#, Backoff::fibonacci(SECOND)),
        (r#"list = ["1s", "1m"]"#, Backoff::list([SECOND, SECOND * 60])),
    ] {
        let text = format!("attempts = 3\nbackoff = {{ {text} }}");
        assert_eq!(toml::from_str::<Retry>(&text).unwrap(), Retry::attempts(3).backoff(backoff), "{text}");
    }
}

#[test]
fn every_policy_survives_being_written_and_read() {
    let backoffs = [
        Backoff::constant(SECOND),
        Backoff::linear(SECOND, Duration::from_millis(1500)),
        Backoff::exponential(Duration::from_nanos(1)),
        Backoff::exponential_by(SECOND, 1.25),
        Backoff::fibonacci(SECOND * 86_400),
        Backoff::list([SECOND, SECOND * 90]),
        Backoff::list([]),
    ];
    for backoff in backoffs {
        let base = Retry::attempts(7).backoff(backoff);
        let full = base.clone().jitter(Jitter::Equal).cap(SECOND).deadline(SECOND * 61);
        let policies: [AnyRetry; 4] = [
            base.clone().into(),
            full.clone().reset_after(ResetAfter::items(3)).into(),
            full.clone().reset_after(SECOND).attempt_timeout(SECOND * 3).into(),
            full.into(),
        ];
        for policy in policies {
            let text = toml::to_string(&policy).unwrap();
            assert_eq!(toml::from_str::<AnyRetry>(&text).unwrap(), policy, "{text}");
            let text = serde_json::to_string(&policy).unwrap();
            assert_eq!(serde_json::from_str::<AnyRetry>(&text).unwrap(), policy, "{text}");
        }
    }
}

#[test]
fn it_is_written_with_units() {
    let policy = Retry::exponential(3).reset_after(ResetAfter::Healthy(SECOND * 90));
    assert_eq!(
        serde_json::to_string(&policy).unwrap(),
        r#"{"attempts":3,"backoff":{"exponential":{"first":"100ms","factor":2.0}},"jitter":"full","cap":"30s","reset_after":{"healthy":"1m 30s"}}"#
    );
}

#[test]
fn what_makes_no_sense_is_refused_and_the_message_says_what_would() {
    for (text, says) in [
        ("", "missing field `attempts`"),
        ("attempts = 0", "expected a nonzero u32"),
        ("attempts = -1", "expected a nonzero u32"),
        ("attempts = 3\nretries = 3", "unknown field `retries`, expected one of `attempts`, `backoff`"),
        ("attempts = 3\ncap = 5", "expected a duration with its unit, such as \"250ms\" or \"1m 30s\""),
        ("attempts = 3\ncap = \"5\"", "\"5\" is not a duration such as \"250ms\" or \"1m 30s\": time unit needed"),
        ("attempts = 3\ncap = \"-5s\"", "\"-5s\" is not a duration"),
        ("attempts = 3\ncap = \"5 parsecs\"", "unknown time unit \"parsecs\""),
        ("attempts = 3\ncap = \"99999999999999999999s\"", "is not a duration"),
        (
            "attempts = 3\njitter = \"some\"",
            "unknown variant `some`, expected one of `none`, `full`, `equal`, `decorrelated`",
        ),
        ("attempts = 3\nbackoff = \"1s\"", "unknown variant `1s`, expected one of `constant`, `linear`, `exponential`"),
        (
            "attempts = 3\nbackoff = { exponential = { first = \"1s\", factor = 0.5 } }",
            "`factor` must be a finite number of at least 1, got 0.5",
        ),
        (
            "attempts = 3\nbackoff = { exponential = { first = \"1s\", factor = inf } }",
            "`factor` must be a finite number of at least 1, got inf",
        ),
        (
            "attempts = 3\nbackoff = { exponential = { first = \"1s\", factor = nan } }",
            "`factor` must be a finite number",
        ),
        (
            "attempts = 3\nbackoff = { exponential = { first = \"1s\", jitter = \"full\" } }",
            "unexpected keys in table: jitter",
        ),
        ("attempts = 3\nbackoff = { linear = { first = \"1s\" } }", "missing field `step`"),
        ("attempts = 3\nbackoff = \"exponential\"", "expected struct variant"),
        ("attempts = 3\nattempt_timeout = \"0s\"", "`attempt_timeout` must not be zero"),
        ("attempts = 3\nreset_after = { items = 0 }", "expected a nonzero u64"),
        ("attempts = 3\nreset_after = \"1m\"", "unknown variant `1m`, expected `healthy` or `items`"),
    ] {
        let message = refusal::<AnyRetry>(text);
        assert!(message.contains(says), "{text}\nsays: {message}");
    }
}

#[test]
fn the_type_says_whether_an_attempt_may_time_out() {
    let timed = "attempts = 3\nattempt_timeout = \"2s\"";
    assert!(refusal::<Retry>(timed).contains("read it as `Retry<Backoff, Option<Duration>>`"));
    assert_eq!(
        toml::from_str::<Retry<Backoff, Duration>>(timed).unwrap(),
        Retry::attempts(3).attempt_timeout(SECOND * 2)
    );
    assert!(refusal::<Retry<Backoff, Duration>>("attempts = 3").contains("`attempt_timeout` is missing"));
}

#[test]
fn the_longest_durations_survive_it_too() {
    for far in
        [Duration::MAX, Duration::from_secs(u64::MAX), Duration::MAX / 2, Duration::from_nanos(1), Duration::ZERO]
    {
        let policy = Retry::attempts(u32::MAX).backoff(Backoff::constant(far)).cap(far).deadline(far).reset_after(far);
        let text = toml::to_string(&policy).unwrap();
        assert_eq!(toml::from_str::<Retry>(&text), Ok(policy), "{text}");
    }
    for text in ["99999999999999999999s", "600000000000years", "-1s", "5", "", "1e3s", "NaN", "1s 1"] {
        assert!(toml::from_str::<Retry>(&format!("attempts = 1\ncap = \"{text}\"")).is_err(), "{text}");
    }
}
