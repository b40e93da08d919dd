//! The table of operators.

use std::future::ready;
use std::sync::LazyLock;
use std::time::Duration;

use coldflow::{BoxFlow, ColdFlow, Edge, FlowExt, Overflow, Retry, combine, combine_latest, flow_of, merge, race};
use tokio::runtime::{Builder, EnterGuard, Runtime};

use crate::support::{Probe, Step, Trace, yield_now};

/// Any flow, as text.
pub(super) type Erased = BoxFlow<'static, String, String>;

/// One operator, applied to a source.
pub(super) struct Case {
    /// The method of `FlowExt`.
    pub(super) method: &'static str,
    /// Which use of it this is.
    pub(super) variant: &'static str,
    pub(super) build: fn(Probe) -> Erased,
}

impl Case {
    pub(super) fn name(&self) -> String {
        format!("{} ({})", self.method, self.variant)
    }
}

pub(super) fn erase<F>(flow: F) -> Erased
where
    F: ColdFlow,
    F::Item: std::fmt::Debug,
    F::Error: std::fmt::Debug,
    F::Stream: Send + 'static,
{
    flow.map(|item| format!("{item:?}")).map_err(|error| format!("{error:?}")).boxed()
}

/// The future of an async lambda: alive in the trace under `name`, and pending once.
pub(super) async fn work<T>(trace: Trace, name: &'static str, output: T) -> T {
    let _guard = trace.guard(name);
    yield_now().await;
    output
}

macro_rules! cases {
    ($($method:ident $variant:literal |$up:ident, $trace:ident| $build:expr;)*) => {
        vec![$(Case {
            method: stringify!($method),
            variant: $variant,
            build: |$up: Probe| {
                #[allow(unused_variables)]
                let $trace = $up.trace();
                erase($build)
            },
        }),*]
    };
}

/// Fails when it ought to, at 3.
fn not_three(n: i32) -> Result<i32, &'static str> {
    if n == 3 { Err("three") } else { Ok(n) }
}

/// Every operator. Their closures keep no state, so that each collection does the same.
#[allow(clippy::too_many_lines)] // It is a table.
pub(super) fn operators() -> Vec<Case> {
    cases! {
        map "" |up, trace| up.map(|n| n * 10);
        try_map "ok" |up, trace| up.try_map(Ok);
        try_map "fails" |up, trace| up.try_map(not_three);
        then "" |up, trace| up.then(move |n| work(trace.clone(), "lambda", n));
        then "ready" |up, trace| up.then(ready);
        and_then "ok" |up, trace| up.and_then(move |n| work(trace.clone(), "lambda", Ok(n)));
        and_then "fails" |up, trace| up.and_then(move |n| work(trace.clone(), "lambda", not_three(n)));
        filter "all" |up, trace| up.filter(|_| true);
        filter "some" |up, trace| up.filter(|n| n % 2 == 0);
        filter "none" |up, trace| up.filter(|_| false);
        filter_map "some" |up, trace| up.filter_map(|n| (n % 2 == 1).then_some(n));
        filter_map "none" |up, trace| up.filter_map(|_| None::<i32>);
        inspect "" |up, trace| up.inspect(move |n| trace.note(format!("see {n}")));
        on_each "" |up, trace| up.on_each(move |_| work(trace.clone(), "lambda", ()));
        enumerate "" |up, trace| up.enumerate();
        running_fold "" |up, trace| up.running_fold(100, |sum, n| sum + n);
        running_reduce "" |up, trace| up.running_reduce(|sum, n| sum + n);
        distinct_until_changed "" |up, trace| up.distinct_until_changed();
        distinct_until_changed "of one value" |up, trace| up.map(|_| 7).distinct_until_changed();
        distinct_until_changed_by "" |up, trace| up.distinct_until_changed_by(|last, n| n - last < 2);
        distinct_until_changed_by_key "" |up, trace| up.distinct_until_changed_by_key(|n| n / 2);
        take "none" |up, trace| up.take(0);
        take "two" |up, trace| up.take(2);
        take "many" |up, trace| up.take(1000);
        take_while "" |up, trace| up.take_while(|n| *n < 3);
        skip "two" |up, trace| up.skip(2);
        skip "many" |up, trace| up.skip(1000);
        skip_while "" |up, trace| up.skip_while(|n| *n < 2);
        skip_while "all" |up, trace| up.skip_while(|_| true);
        transform "twice" |up, trace| up.transform(move |n, mut emitter| {
            let trace = trace.clone();
            async move {
                let _guard = trace.guard("lambda");
                emitter.emit(n).await;
                yield_now().await;
                emitter.emit(n * 10).await;
            }
        });
        transform "nothing" |up, trace| up.transform(|_, _: coldflow::Emitter<()>| ready(()));
        transform "fails" |up, trace| up.transform(move |n, mut emitter| {
            let trace = trace.clone();
            async move {
                let _guard = trace.guard("lambda");
                emitter.emit(not_three(n)?).await;
                Ok(())
            }
        });
        transform_while "stops" |up, trace| up.transform_while(move |n, mut emitter| {
            let trace = trace.clone();
            async move {
                let _guard = trace.guard("lambda");
                yield_now().await;
                emitter.emit(n).await;
                n < 2
            }
        });
        transform_while "nothing" |up, trace| up.transform_while(|_, _: coldflow::Emitter<()>| ready(true));
        transform_while "fails" |up, trace| up.transform_while(async |n, mut emitter| {
            emitter.emit(not_three(n)?).await;
            Ok(true)
        });
        chunks "two" |up, trace| up.chunks(2);
        chunks "large" |up, trace| up.chunks(1000);
        pairwise "" |up, trace| up.pairwise();
        flat_map_concat "outer" |up, trace| up.flat_map_concat(move |n| {
            Probe::new(&trace, &[Step::Emit(n), Step::Yield, Step::Emit(n * 10)]).named("inner")
        });
        flat_map_concat "empty inner flows" |up, trace| up.flat_map_concat(|_| flow_of([0; 0]).fallible());
        flat_map_concat "failing inner flow" |up, trace| up.flat_map_concat(move |n| {
            let script = if n == 2 { [Step::Yield, Step::Fail("two")] } else { [Step::Emit(n), Step::Yield] };
            Probe::new(&trace, &script).named("inner")
        });
        flat_map_concat "inner" |up, trace| flow_of([(); 2]).fallible().flat_map_concat(move |()| up.clone());
        flatten_concat "" |up, trace| up.map(|n| flow_of([n, n]).fallible()).flatten_concat();
        chain "first" |up, trace| {
            let next = Probe::new(&trace, &[Step::Yield, Step::Emit(8), Step::Emit(9)]).named("next");
            up.chain(next)
        };
        chain "second" |up, trace| Probe::new(&trace, &[Step::Yield, Step::Emit(9)]).named("first").chain(up);
        start_with "" |up, trace| up.start_with([8, 9]);
        repeat "three times" |up, trace| up.repeat(3);
        repeat "never" |up, trace| up.repeat(0);
        materialize "" |up, trace| up.materialize();
        dematerialize "" |up, trace| up.materialize().dematerialize();
        dematerialize "of an end in the middle" |up, trace| {
            up.map(|n| if n == 2 { coldflow::Event::Completed } else { coldflow::Event::<_, ()>::Item(n) })
                .catch(async |_, _| ())
                .dematerialize()
        };
        map_to_result "" |up, trace| up.map_to_result();
        on_start "" |up, trace| up.on_start(move |mut emitter| {
            let trace = trace.clone();
            async move {
                let _guard = trace.guard("lambda");
                yield_now().await;
                emitter.emit(0).await;
            }
        });
        on_start "fails" |up, trace| up.on_start(async |_| Err("not even started"));
        on_completion "" |up, trace| up.on_completion(move |cause: Option<&&str>, mut emitter| {
            let (trace, failed) = (trace.clone(), cause.is_some());
            async move {
                let _guard = trace.guard("lambda");
                yield_now().await;
                if !failed {
                    emitter.emit(99).await;
                }
            }
        });
        on_completion "emits after a failure" |up, trace| {
            up.on_completion(|_, mut emitter| async move { emitter.emit(99).await })
        };
        on_completion "fails" |up, trace| up.on_completion(|_, _| async { Err("at the end") });
        on_empty "" |up, trace| up.on_empty(move |mut emitter| {
            let trace = trace.clone();
            async move {
                let _guard = trace.guard("lambda");
                emitter.emit(7).await;
                yield_now().await;
            }
        });
        on_cancel "" |up, trace| up.on_cancel(move || trace.note("cancelled"));
        catch "emits" |up, trace| up.catch(move |cause, mut emitter| {
            let trace = trace.clone();
            async move {
                let _guard = trace.guard("lambda");
                yield_now().await;
                emitter.emit(i32::try_from(cause.len()).unwrap()).await;
            }
        });
        catch "fails" |up, trace| up.catch(async |cause, _| Err(format!("{cause}, caught")));
        map_err "" |up, trace| up.map_err(str::len);
        err_into "" |up, trace| up.err_into::<String>();
        fallible "" |up, trace| up.catch(async |_, _| ()).fallible::<u8>();
        retry "twice" |up, trace| up.retry(2);
        retry "never" |up, trace| up.retry(0);
        retry_if "" |up, trace| up.retry_if(|_, retried| retried < 2);
        retry_when "" |up, trace| up.retry_when(move |cause, retried| {
            work(trace.clone(), "lambda", if retried < 2 { Ok(()) } else { Err(cause) })
        });
        retry_with "twice" |up, trace| up.retry_with(Retry::immediate(3));
        retry_with "never" |up, trace| up.retry_with(Retry::none());
        retry_with "within a time, with a cause that is asked about" |up, trace| {
            let policy = Retry::attempts(3).attempt_timeout(Duration::from_secs(60)).deadline(Duration::from_secs(60));
            up.retry_with(policy).when(|_| true).on_retry(|_| {}).explain()
        };
        buffer "suspends" |up, trace| up.buffer(1, Overflow::Suspend);
        buffer "of no place" |up, trace| up.buffer(0, Overflow::Suspend);
        buffer "drops the oldest" |up, trace| up.buffer(2, Overflow::DropOldest);
        buffer "drops the latest" |up, trace| up.buffer(2, Overflow::DropLatest);
        buffer "above another" |up, trace| up.buffer(1, Overflow::Suspend).buffer(2, Overflow::Suspend);
        conflate "" |up, trace| up.conflate();
        flat_map_merge "outer" |up, trace| up.flat_map_merge(2, move |n| {
            Probe::new(&trace, &[Step::Emit(n), Step::Yield, Step::Emit(n * 10)]).named("inner")
        });
        flat_map_merge "one at a time" |up, trace| up.flat_map_merge(1, move |n| {
            Probe::new(&trace, &[Step::Emit(n), Step::Yield, Step::Emit(n * 10)]).named("inner")
        });
        flat_map_merge "failing inner flow" |up, trace| up.flat_map_merge(3, move |n| {
            let script = if n == 2 { [Step::Yield, Step::Fail("two")] } else { [Step::Emit(n), Step::Yield] };
            Probe::new(&trace, &script).named("inner")
        });
        flat_map_merge "many at once" |up, trace| up.flat_map_merge(1000, move |n| {
            Probe::new(&trace, &[Step::Yield, Step::Emit(n)]).named("inner")
        });
        flatten_merge "" |up, trace| up.map(|n| flow_of([n, n]).fallible()).flatten_merge(4);
        flat_map_latest "" |up, trace| up.flat_map_latest(move |n| {
            Probe::new(&trace, &[Step::Emit(n), Step::Yield, Step::Emit(n * 10)]).named("inner")
        });
        map_latest "" |up, trace| up.map_latest(move |n| work(trace.clone(), "lambda", n));
        transform_latest "" |up, trace| up.transform_latest(move |n, mut emitter| {
            let trace = trace.clone();
            async move {
                let _guard = trace.guard("lambda");
                emitter.emit(n).await;
                yield_now().await;
                emitter.emit(not_three(n)?).await;
                Ok(())
            }
        });
        zip "first" |up, trace| {
            let other = Probe::new(&trace, &[Step::Yield, Step::Emit(8), Step::Emit(9)]).named("other");
            up.zip(other)
        };
        zip "second" |up, trace| Probe::new(&trace, &[Step::Yield, Step::Emit(9)]).named("first").zip(up);
        merge "a pair" |up, trace| {
            merge((up, Probe::new(&trace, &[Step::Yield, Step::Emit(8), Step::Emit(9)]).named("other")))
        };
        merge "a vector" |up, trace| merge(vec![up.clone(), up.named("other")]);
        combine "a pair" |up, trace| {
            combine((up, Probe::new(&trace, &[Step::Yield, Step::Emit(8), Step::Emit(9)]).named("other")))
        };
        combine "a vector" |up, trace| combine(vec![up.clone(), up.named("other")]);
        combine_latest "a pair" |up, trace| {
            combine_latest((up, Probe::new(&trace, &[Step::Yield, Step::Emit(8), Step::Emit(9)]).named("other")))
        };
        race "won" |up, trace| race((up, Probe::new(&trace, &[Step::Wait]).named("other")));
        race "lost" |up, trace| race((Probe::new(&trace, &[Step::Emit(8), Step::Yield]).named("first"), up));
        with_latest_from "main" |up, trace| {
            let other = Probe::new(&trace, &[Step::Emit(8), Step::Yield, Step::Emit(9)]).named("other");
            up.with_latest_from(other)
        };
        with_latest_from "other" |up, trace| {
            Probe::new(&trace, &[Step::Yield, Step::Emit(8), Step::Yield, Step::Emit(9)]).named("main").with_latest_from(up)
        };
        then_concurrent "" |up, trace| up.then_concurrent(2, move |n| work(trace.clone(), "lambda", n));
        then_concurrent "ready" |up, trace| up.then_concurrent(3, ready);
        then_concurrent "many at once" |up, trace| {
            up.then_concurrent(1000, move |n| work(trace.clone(), "lambda", n))
        };
        then_concurrent_unordered "" |up, trace| {
            up.then_concurrent_unordered(2, move |n| work(trace.clone(), "lambda", n))
        };
        throttle "leading" |up, trace| up.throttle(Duration::from_secs(1), Edge::Leading);
        throttle "trailing" |up, trace| up.throttle(Duration::from_secs(1), Edge::Trailing);
        throttle "both" |up, trace| up.throttle(Duration::from_secs(1), Edge::Both);
        chunks_timeout "two" |up, trace| up.chunks_timeout(2, Duration::from_secs(1));
        delay_start "no time" |up, trace| up.delay_start(Duration::ZERO);
        debounce "" |up, trace| up.debounce(Duration::from_secs(1));
        debounce "no time" |up, trace| up.debounce(Duration::ZERO);
        debounce_by "" |up, trace| up.debounce_by(|n| Duration::from_secs(u64::from(n % 2 == 0)));
        sample "" |up, trace| up.sample(Duration::from_secs(1));
        timeout "in time" |up, trace| up.timeout(Duration::from_secs(1));
        timeout "of no time" |up, trace| up.timeout(Duration::ZERO);
        boxed "" |up, trace| up.boxed();
        boxed "continued" |up, trace| {
            let next = Probe::new(&trace, &[Step::Yield, Step::Emit(8), Step::Emit(9)]).named("next");
            up.boxed().chain_with(move || next.clone().boxed()).chain_with(|| flow_of([7]).fallible().boxed())
        };
        boxed "continuation" |up, trace| flow_of([7]).fallible().boxed().chain_with(move || up.clone().boxed());
        boxed_local "" |up, trace| up.boxed(); // Its stream is not `Send`: see `boxed_local_too` in `streams`.
    }
}

/// Operators that the table cannot hold: a `take_until` cannot be collected again, and the others run what is above in a
/// task. Each has a file of its own.
pub(super) const ELSEWHERE: [&str; 7] =
    ["flow_on", "launch_in", "produce_in", "share_in", "state_in", "state_in_first", "take_until"];

/// Operators that hand an item on as soon as it comes, so that their end is known as soon as that of the source.
pub(super) fn is_transparent(case: &Case) -> bool {
    match case.method {
        "filter" => case.variant == "all",
        "take" => case.variant == "many",
        "chain" => case.variant == "second",
        "boxed" => case.variant.is_empty(),
        method => TRANSPARENT.contains(&method),
    }
}

const TRANSPARENT: [&str; 18] = [
    "and_then",
    "boxed_local",
    "catch",
    "enumerate",
    "err_into",
    "inspect",
    "map",
    "map_err",
    "map_to_result",
    "on_cancel",
    "on_each",
    "retry",
    "retry_if",
    "retry_when",
    "retry_with",
    "running_reduce",
    "then",
    "try_map",
];

/// Operators that run what is above them beside the consumer, so that progress makes something happen.
pub(super) fn runs_ahead(case: &Case) -> bool {
    matches!(
        case.method,
        "buffer"
            | "conflate"
            | "flat_map_merge"
            | "flatten_merge"
            | "flat_map_latest"
            | "map_latest"
            | "transform_latest"
            | "zip"
            | "merge"
            | "combine"
            | "combine_latest"
            | "race"
            | "with_latest_from"
            | "then_concurrent"
            | "then_concurrent_unordered"
            | "throttle"
            | "chunks_timeout"
            | "debounce"
            | "debounce_by"
            | "sample"
            | "timeout"
    )
}

/// A clock that stands still, for the timed operators: what is polled by hand never gets to the end of a time.
pub(super) fn clock() -> EnterGuard<'static> {
    static CLOCK: LazyLock<Runtime> =
        LazyLock::new(|| Builder::new_current_thread().enable_time().start_paused(true).build().unwrap());
    CLOCK.enter()
}

/// What a source does in the checks.
pub(super) fn scripts() -> Vec<(&'static str, Vec<Step>)> {
    use Step::{Emit, Fail, Yield};
    vec![
        ("items", vec![Emit(1), Emit(2), Emit(3)]),
        ("items, pending between", vec![Yield, Emit(1), Yield, Emit(2), Yield, Emit(3), Yield]),
        ("empty", vec![]),
        ("pending, then empty", vec![Yield, Yield]),
        ("error first", vec![Fail("first")]),
        ("pending, then an error", vec![Yield, Fail("late")]),
        ("error midway", vec![Emit(1), Emit(2), Fail("midway")]),
        ("error midway, pending between", vec![Yield, Emit(1), Yield, Emit(2), Yield, Fail("midway")]),
        ("repeated items", vec![Emit(1), Emit(1), Emit(2), Yield, Emit(2), Emit(4)]),
        ("as many items as a loop has turns", (0..32).map(Emit).collect()),
        ("many items", (0..40).map(Emit).collect()),
    ]
}

/// All combinations, with the name of each.
pub(super) fn all() -> Vec<(String, Case, Vec<Step>)> {
    let mut all = Vec::new();
    for case in operators() {
        for (script_name, script) in scripts() {
            let case = Case { ..case };
            all.push((format!("{} over {script_name}", case.name()), case, script));
        }
    }
    all
}

/// Builds the case over a source with this script.
pub(super) fn build(case: &Case, trace: &Trace, script: &[Step]) -> (Probe, Erased) {
    let probe = Probe::new(trace, script);
    (probe.clone(), (case.build)(probe))
}

#[test]
fn the_transparent_ones_are_in_the_table() {
    assert!(operators().iter().filter(|case| is_transparent(case)).count() > 15);
}
