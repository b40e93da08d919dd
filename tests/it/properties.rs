//! Properties of retries, for any script of outcomes.

use std::sync::Arc;

use coldflow::{FlowExt, SingleError, once};
use proptest::prelude::*;

use crate::support::{Guard, Polling, Trace, block_on, yield_now};

/// One attempt: how often it is pending, and whether it fails.
#[derive(Clone, Debug)]
struct Outcome {
    pending: usize,
    fails: bool,
}

fn outcomes() -> impl Strategy<Value = Vec<Outcome>> {
    prop::collection::vec((0..3_usize, any::<bool>()).prop_map(|(pending, fails)| Outcome { pending, fails }), 1..12)
}

async fn attempt(guard: Guard, outcome: Outcome, error: Arc<u64>, run: u64) -> Result<u64, Arc<u64>> {
    let _guard = guard;
    for _ in 0..outcome.pending {
        yield_now().await;
    }
    if outcome.fails { Err(error) } else { Ok(run) }
}

/// What comes after the script is a success.
fn outcome(script: &[Outcome], run: u64) -> Outcome {
    let run = usize::try_from(run).unwrap() - 1;
    script.get(run).cloned().unwrap_or(Outcome { pending: 0, fails: false })
}

/// The chain over a script, with its attempts in `trace` and each error in `errors`.
async fn chain(
    trace: Trace,
    script: Vec<Outcome>,
    max_attempts: u64,
    errors: &mut Vec<Arc<u64>>,
    pending_predicate: bool,
) -> Result<u64, SingleError<Arc<u64>>> {
    let mut attempts = 0;
    let waits = trace.clone();
    once(|| {
        attempts += 1;
        let error = Arc::new(attempts);
        errors.push(Arc::clone(&error));
        attempt(trace.guard("attempt"), outcome(&script, attempts), error, attempts)
    })
    .retry_when(|cause: Arc<u64>, retried| {
        assert_eq!(*cause, retried + 1, "attempts == retried + 1 whenever the predicate is called");
        assert!(waits.live().is_empty(), "the failed attempt is dropped before the predicate is called");
        let guard = waits.guard("predicate");
        async move {
            let _guard = guard;
            if pending_predicate {
                yield_now().await;
            }
            if retried + 1 >= max_attempts { Err(cause) } else { Ok(()) }
        }
    })
    .single()
    .await
}

proptest! {
    #[test]
    fn the_body_runs_as_often_as_it_must_and_never_more(
        script in outcomes(), max_attempts in 1_u64..8, pending in any::<bool>(),
    ) {
        let failures = script.iter().take_while(|outcome| outcome.fails).count() as u64;
        let trace = Trace::new();
        let mut errors = Vec::new();
        let result = block_on(chain(trace.clone(), script, max_attempts, &mut errors, pending));
        let runs = (failures + 1).min(max_attempts);
        prop_assert_eq!(trace.count("start attempt") as u64, runs);
        prop_assert_eq!(trace.count("drop attempt") as u64, runs);
        prop_assert_eq!(trace.count("start predicate") as u64, failures.min(max_attempts));
        prop_assert!(trace.live().is_empty());
        match result {
            Ok(run) => {
                prop_assert!(failures < max_attempts);
                prop_assert_eq!(run, runs);
            }
            Err(SingleError::Upstream(error)) => {
                prop_assert!(failures >= max_attempts);
                prop_assert!(Arc::ptr_eq(&error, errors.last().unwrap()), "the last error, identical");
            }
            Err(other) => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn dropped_at_any_poll_everything_stops(script in outcomes(), max_attempts in 1_u64..8) {
        for polls in 0.. {
            let trace = Trace::new();
            let mut errors = Vec::new();
            let mut polling = Polling::new(chain(trace.clone(), script.clone(), max_attempts, &mut errors, true));
            let done = (0..polls).any(|_| polling.poll().is_ready());
            let before = trace.count("start attempt");
            drop(polling);
            prop_assert_eq!(trace.count("start attempt"), before, "none starts later");
            prop_assert_eq!(trace.count("drop attempt"), before, "each that started is dropped once");
            prop_assert_eq!(trace.count("start predicate"), trace.count("drop predicate"));
            if polls == 0 {
                prop_assert_eq!(before, 0, "nothing runs before the first poll");
            }
            if done {
                break;
            }
        }
    }

    #[test]
    fn retry_n_is_n_plus_1_runs(failures in 0_u64..10, retries in 0_u64..10) {
        let mut runs = 0;
        let result = block_on(once(|| {
            runs += 1;
            let run = runs;
            async move { if run <= failures { Err(run) } else { Ok(run) } }
        }).retry(retries).single());
        prop_assert_eq!(runs, (failures + 1).min(retries + 1));
        prop_assert_eq!(result.is_ok(), failures <= retries);
    }

    #[test]
    fn retry_if_runs_while_the_predicate_holds(failures in 0_u64..10, limit in 0_u64..10) {
        let (mut runs, mut calls) = (0, 0);
        let result = block_on(once(|| {
            runs += 1;
            let run = runs;
            async move { if run <= failures { Err(run) } else { Ok(run) } }
        })
        .retry_if(|cause, retried| {
            assert_eq!(*cause, retried + 1);
            calls += 1;
            retried < limit
        })
        .single());
        prop_assert_eq!(runs, (failures + 1).min(limit + 1));
        prop_assert_eq!(calls, failures.min(limit + 1));
        prop_assert_eq!(result.is_ok(), failures <= limit);
    }
}
