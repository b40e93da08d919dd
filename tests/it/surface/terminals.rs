//! The table of terminals, and what holds for all of them.

use std::fmt::Debug;
use std::future::ready;
use std::pin::Pin;
use std::task::{Context, Poll};

use coldflow::FlowExt;
use futures::future::FusedFuture;
use pin_project_lite::pin_project;

use super::operators::work;
use crate::support::{Polling, Probe, Step, Trace, show};

type Erased = Pin<Box<dyn FusedFuture<Output = String>>>;

/// One terminal, applied to a source.
pub(super) struct Case {
    /// The method of `FlowExt`.
    pub(super) method: &'static str,
    build: fn(Probe) -> Erased,
}

pin_project! {
    /// A terminal with its outcome as text.
    struct Shown<Fut> {
        #[pin]
        future: Fut,
    }
}

impl<Fut, T: Debug, E: Debug> Future for Shown<Fut>
where
    Fut: Future<Output = Result<T, E>>,
{
    type Output = String;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<String> {
        self.project().future.poll(cx).map(show)
    }
}

impl<Fut, T: Debug, E: Debug> FusedFuture for Shown<Fut>
where
    Fut: FusedFuture<Output = Result<T, E>>,
{
    fn is_terminated(&self) -> bool {
        self.future.is_terminated()
    }
}

fn erase<Fut, T: Debug, E: Debug>(future: Fut) -> Erased
where
    Fut: FusedFuture<Output = Result<T, E>> + 'static,
{
    Box::pin(Shown { future })
}

macro_rules! cases {
    ($($method:ident |$up:ident, $trace:ident| $build:expr;)*) => {
        vec![$(Case {
            method: stringify!($method),
            build: |$up: Probe| {
                #[allow(unused_variables)]
                let $trace = $up.trace();
                erase($build)
            },
        }),*]
    };
}

pub(super) fn terminals() -> Vec<Case> {
    cases! {
        single |up, trace| up.single();
        single_or_none |up, trace| up.single_or_none();
        first |up, trace| up.first();
        first_where |up, trace| up.first_where(|n| *n == 2);
        last |up, trace| up.last();
        for_each |up, trace| up.for_each(move |_| work(trace.clone(), "lambda", ()));
        for_each |up, trace| up.for_each(|_| ready(()));
        try_for_each |up, trace| up.try_for_each(move |_| work(trace.clone(), "lambda", Ok(())));
        try_for_each |up, trace| up.try_for_each(move |n| {
            work(trace.clone(), "lambda", if n == 2 { Err("two") } else { Ok(()) })
        });
        for_each_latest |up, trace| up.for_each_latest(move |_| work(trace.clone(), "lambda", ()));
        run |up, trace| up.run();
        collect |up, trace| up.collect::<std::collections::BTreeSet<_>>();
        to_vec |up, trace| up.to_vec();
        fold |up, trace| up.fold(0, move |sum, n| work(trace.clone(), "lambda", sum + n));
        try_fold |up, trace| up.try_fold(0, move |sum, n| work(trace.clone(), "lambda", Ok(sum + n)));
        try_fold |up, trace| up.try_fold(0, move |sum, n| {
            work(trace.clone(), "lambda", if n == 2 { Err("two") } else { Ok(sum) })
        });
        reduce |up, trace| up.reduce(|sum, n| sum + n);
        count |up, trace| up.count();
        count_where |up, trace| up.count_where(|n| *n > 1);
        any |up, trace| up.any(|n| n == 2);
        any |up, trace| up.any(|_| false);
        single |up, trace| up.filter(|n| *n == 50).single();
        all |up, trace| up.all(|n| n < 2);
        none |up, trace| up.none(|n| n == 2);
    }
}

fn scripts() -> Vec<Vec<Step>> {
    use Step::{Emit, Fail, Yield};
    vec![
        vec![Emit(1), Emit(2), Emit(3)],
        vec![Yield, Emit(1), Yield, Emit(2), Yield, Emit(3), Yield],
        vec![Yield, Emit(1), Yield],
        vec![],
        vec![Fail("first")],
        vec![Emit(1), Yield, Fail("midway")],
        (0..100).map(Emit).collect(),
    ]
}

fn all() -> Vec<(String, Case, Vec<Step>)> {
    let mut all = Vec::new();
    for case in terminals() {
        for script in scripts() {
            let shown = if script.len() > 10 { "many items".to_owned() } else { format!("{script:?}") };
            all.push((format!("{} over {shown}", case.method), Case { ..case }, script));
        }
    }
    all
}

/// Polls a terminal to its end.
fn finish(name: &str, polling: &mut Polling<Erased>) -> String {
    loop {
        match polling.poll() {
            Poll::Ready(outcome) => return outcome,
            Poll::Pending => assert!(polling.woken(), "{name}: pending, and nothing will wake it"),
        }
    }
}

#[test]
fn nothing_happens_before_the_first_poll() {
    for (name, case, script) in all() {
        let trace = Trace::new();
        let polling = Polling::new((case.build)(Probe::new(&trace, &script)));
        assert!(!polling.get().is_terminated(), "{name}");
        drop(polling);
        assert!(trace.take().is_empty(), "{name}");
    }
}

#[test]
fn everything_has_been_dropped_when_it_returns() {
    for (name, case, script) in all() {
        let trace = Trace::new();
        let mut polling = Polling::new((case.build)(Probe::new(&trace, &script)));
        finish(&name, &mut polling);
        assert!(trace.live().is_empty(), "{name}: {:?} lives on", trace.live());
    }
}

#[test]
fn after_its_end_it_is_terminated_and_stays_pending() {
    for (name, case, script) in all() {
        let trace = Trace::new();
        let mut polling = Polling::new((case.build)(Probe::new(&trace, &script)));
        finish(&name, &mut polling);
        assert!(polling.get().is_terminated(), "{name}");
        trace.take();
        for _ in 0..3 {
            assert!(polling.poll().is_pending(), "{name}");
            assert!(!polling.woken(), "{name}");
        }
        assert!(trace.take().is_empty(), "{name}");
    }
}

#[test]
fn dropped_after_any_poll_everything_goes_inner_before_outer() {
    for (name, case, script) in all() {
        for polls in 0.. {
            let trace = Trace::new();
            let mut polling = Polling::new((case.build)(Probe::new(&trace, &script)));
            let ended = (0..polls).any(|_| polling.poll().is_ready());
            let live = trace.live();
            trace.take();
            drop(polling);
            let expected: Vec<String> = live.iter().rev().map(|name| format!("drop {name}")).collect();
            assert_eq!(trace.take(), expected, "{name}: dropped after {polls} polls");
            if ended {
                break;
            }
        }
    }
}

#[test]
fn it_wakes_when_the_source_does() {
    for case in terminals() {
        let name = case.method;
        let probe = Probe::new(&Trace::new(), &[Step::Wait, Step::Emit(1), Step::Wait, Step::Emit(2), Step::Wait]);
        let gate = probe.gate();
        let mut polling = Polling::new((case.build)(probe));
        while polling.poll().is_pending() {
            if !polling.woken() {
                assert!(gate.is_awaited(), "{name}: pending, and nothing will wake it");
                gate.open();
                assert!(polling.woken(), "{name}: not woken when the source went on");
            }
        }
    }
}

#[test]
fn the_source_is_asked_for_the_next_or_given_progress_within_the_same_poll() {
    for (name, case, script) in all() {
        let probe = Probe::new(&Trace::new(), &script);
        let mut polling = Polling::new((case.build)(probe.clone()));
        while polling.poll().is_pending() {
            assert!(!probe.is_owed(), "{name}: nothing for the source");
        }
    }
}

#[test]
fn a_body_that_waits_gives_the_source_progress() {
    let mut checked = Vec::new();
    for case in terminals() {
        let trace = Trace::new();
        let probe = Probe::new(&trace, &[Step::Emit(1), Step::Emit(2)]);
        let mut polling = Polling::new((case.build)(probe.clone()));
        loop {
            let before = probe.progress();
            if polling.poll().is_ready() {
                break;
            }
            if trace.live().len() == 2 {
                assert!(probe.progress() > before, "{}: no progress while its body waits", case.method);
                checked.push(case.method);
            }
        }
    }
    checked.dedup();
    assert_eq!(checked, ["for_each", "try_for_each", "fold", "try_fold"]);
}

#[test]
fn a_body_that_fails_is_dropped_before_the_source() {
    for method in ["try_for_each", "try_fold"] {
        let trace = Trace::new();
        let failing = terminals().into_iter().rfind(|case| case.method == method).unwrap();
        let script = [Step::Emit(1), Step::Emit(2), Step::Emit(3)];
        let mut polling = Polling::new((failing.build)(Probe::new(&trace, &script)));
        assert_eq!(finish(method, &mut polling), "!\"two\"");
        let events = trace.take();
        assert_eq!(events[events.len() - 2..], ["drop lambda", "drop source"], "{method}");
        assert!(!events.contains(&"emit 3".to_owned()), "{method}");
    }
}
