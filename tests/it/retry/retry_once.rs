//! `retry_when` of a `once` has a machine of its own: it does what the general one does over the same `once`.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::task::Poll;

use coldflow::{ColdFlow, FlowExt, Restart, once_with};
use proptest::prelude::*;

use crate::support::{Driver, Trace, yield_now};

/// What an attempt, or a decision, comes to.
#[derive(Clone, Copy, Debug)]
enum End {
    Good,
    Bad,
    Panic,
}

/// How often it is pending before that, or whether it is not even made.
#[derive(Clone, Copy, Debug)]
struct Part {
    yields: usize,
    end: End,
    panics_at_once: bool,
}

#[derive(Clone, Copy, Debug)]
enum Act {
    Poll,
    Progress,
    ChangeWaker,
    Stop,
    Restart,
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let end = prop_oneof![2 => Just(End::Good), 8 => Just(End::Bad), 1 => Just(End::Panic)];
    let part = (0..3_usize, end, prop::bool::weighted(0.05)).prop_map(|(yields, end, panics_at_once)| Part {
        yields,
        end,
        panics_at_once,
    });
    prop::collection::vec(part, 1..6)
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        12 => Just(Act::Poll), 2 => Just(Act::Progress), 1 => Just(Act::ChangeWaker),
        1 => Just(Act::Stop), 1 => Just(Act::Restart),
    ];
    prop::collection::vec(act, 1..40)
}

/// The part whose turn it is, as a future that says in the trace when it comes and goes.
fn play(
    trace: &Trace,
    name: &str,
    script: &[Part],
    turn: &Cell<usize>,
) -> impl Future<Output = Result<(), ()>> + use<> {
    let part = script[turn.replace(turn.get() + 1) % script.len()];
    let guard = trace.guard(name);
    if part.panics_at_once {
        resume_unwind(Box::new("at once"));
    }
    async move {
        let _guard = guard;
        for _ in 0..part.yields {
            yield_now().await;
        }
        match part.end {
            End::Good => Ok(()),
            End::Bad => Err(()),
            End::Panic => resume_unwind(Box::new("in the future")),
        }
    }
}

/// What is seen of it from outside and within.
fn observe<F: ColdFlow<Item = u64, Error = u64, Stream: Restart>>(trace: &Trace, flow: F, acts: &[Act]) -> Vec<String> {
    let mut driver = Driver::new(flow);
    for act in acts {
        let seen = match act {
            Act::Poll => match catch_unwind(AssertUnwindSafe(|| driver.poll())) {
                Ok(Poll::Ready(item)) => format!("{item:?}"),
                Ok(Poll::Pending) => format!("pending, woken: {}", driver.woken()),
                Err(_) => "panic".to_owned(),
            },
            Act::Progress => format!("{:?}", driver.progress()),
            Act::ChangeWaker => {
                driver.change_waker();
                String::new()
            }
            Act::Stop => {
                driver.stop();
                "stopped".to_owned()
            }
            Act::Restart => {
                driver.restart();
                "restarted".to_owned()
            }
        };
        trace.note(format!("{act:?}: {seen}, terminated: {}, live: {:?}", driver.is_terminated(), trace.live()));
    }
    drop(driver);
    trace.take()
}

proptest! {
    #[test]
    fn it_does_what_the_general_one_does(calls in parts(), decisions in parts(), acts in acts()) {
        let seen = [true, false].map(|special| {
            let (trace, call, decision) = (Trace::new(), Cell::new(0), Cell::new(0));
            let source = once_with(|attempt| {
                let part = play(&trace, &format!("call {attempt}"), &calls, &call);
                async move { part.await.map(|()| attempt).map_err(|()| attempt) }
            });
            let predicate = |cause, retried| {
                let part = play(&trace, &format!("decision on {cause}, {retried}"), &decisions, &decision);
                // What is good ends it here, so that most decisions are for another attempt.
                async move { part.await.map_or(Ok(()), |()| Err(cause)) }
            };
            if special {
                observe(&trace, source.retry_when(predicate), &acts)
            } else {
                observe(&trace, FlowExt::retry_when(source, predicate), &acts)
            }
        });
        prop_assert_eq!(&seen[0], &seen[1]);
    }
}
