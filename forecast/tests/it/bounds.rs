use forecast::server::{Fault, Script, Step};
use forecast::{ApiError, FetchResult, RetryPolicy, WeatherServer};

use crate::support::service;

/// What may happen in an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Ok,
    Unavailable,
    BadGateway,
    Reset,
    NotFound,
    Garbage,
}

use Outcome::{BadGateway, Garbage, NotFound, Ok as Fine, Reset, Unavailable};

const OUTCOMES: [Outcome; 6] = [Fine, Unavailable, BadGateway, Reset, NotFound, Garbage];

impl Outcome {
    fn step(self) -> Step {
        match self {
            Fine => Step::OK,
            Unavailable => Fault::unavailable_for(7).into(),
            BadGateway => Fault::status(502).into(),
            Reset => Fault::Reset.into(),
            NotFound => Fault::status(404).into(),
            Garbage => Fault::Garbage.into(),
        }
    }

    fn is_retried(self) -> bool {
        matches!(self, Unavailable | BadGateway | Reset)
    }
}

/// Every script of three steps, under every bound from 1 to 4: the server never sees an attempt more than the rules
/// allow, nor one less.
#[tokio::test(start_paused = true)]
async fn of_every_script() {
    for first in OUTCOMES {
        for second in OUTCOMES {
            for third in OUTCOMES {
                check([first, second, third]).await;
                if !second.is_retried() {
                    break;
                }
            }
            if !first.is_retried() {
                break;
            }
        }
    }
}

async fn check(script: [Outcome; 3]) {
    let server = WeatherServer::start(Script::new(script.map(Outcome::step))).unwrap();
    let service = service(&server);
    let outcome = |attempt: u32| script.get(attempt as usize - 1).copied().unwrap_or(Fine);
    let mut ids = Vec::new();
    // Each city's call goes through the whole script.
    for (bound, city) in (1..).zip(["Oslo", "Rome", "Lima", "Cairo"]) {
        let last = (1..=bound).find(|&attempt| !outcome(attempt).is_retried()).unwrap_or(bound);
        let result = service.fetch_forecast(city, RetryPolicy::at_most(bound).unwrap()).await;

        let context = format!("{script:?} within {bound}: {result:?}");
        let failure = |status| FetchResult::Failure { attempts: last, status };
        match outcome(last) {
            Fine => match result {
                Ok(FetchResult::Success { attempts, .. }) => assert_eq!(attempts, last, "{context}"),
                _ => panic!("{context}"),
            },
            Unavailable => assert_eq!(result.unwrap(), failure(503), "{context}"),
            BadGateway => assert_eq!(result.unwrap(), failure(502), "{context}"),
            NotFound => assert_eq!(result.unwrap(), failure(404), "{context}"),
            Reset => assert!(matches!(result, Err(ApiError::Unreachable { .. })), "{context}"),
            Garbage => assert!(matches!(result, Err(ApiError::Unexpected { .. })), "{context}"),
        }
        ids.extend((1..=last).map(|attempt| format!("forecast:{city}:{attempt}")));
        assert_eq!(server.attempts(), ids, "{context}");
    }
}
