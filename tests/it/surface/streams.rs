//! The contract of a stream, checked for every operator over every script.

use std::task::Poll;

use coldflow::{BoxFlow, Flow, FlowExt, Overflow, Retry, combine, flow_of, merge, race};

use super::operators::{Case, Erased, all, build, clock, is_transparent, operators, runs_ahead};
use crate::support::{Driver, Gate, Probe, Step, Trace, block_on, show};

type Stream = <Erased as Flow>::Stream;

fn texts(items: Vec<Result<String, String>>) -> Vec<String> {
    items.into_iter().map(show).collect()
}

/// The items and the events of a collection that nobody disturbs.
fn reference(case: &Case, script: &[Step]) -> (Vec<String>, Vec<String>) {
    let trace = Trace::new();
    let (_, flow) = build(case, &trace, script);
    (texts(Driver::new(flow).rest()), trace.take())
}

/// Runs `check` for a stream that was polled `k` times, for every `k` up to its end and one more.
fn after_each_poll(case: &Case, script: &[Step], mut check: impl FnMut(usize, &Trace, &Probe, Driver<Stream>)) {
    for polls in 0.. {
        let trace = Trace::new();
        let (probe, flow) = build(case, &trace, script);
        let mut stream = Driver::new(flow);
        let ended = (0..polls).any(|_| stream.poll() == Poll::Ready(None));
        trace.take();
        check(polls, &trace, &probe, stream);
        if ended {
            return;
        }
    }
}

#[test]
fn nothing_happens_before_the_first_poll() {
    let _clock = clock();
    for (name, case, script) in all() {
        let trace = Trace::new();
        let (_, flow) = build(&case, &trace, &script);
        let mut stream = Driver::new(flow);
        stream.is_terminated();
        assert_eq!(stream.progress(), Poll::Ready(()), "{name}: progress on a fresh stream");
        stream.restart();
        assert_eq!(stream.progress(), Poll::Ready(()), "{name}: progress on a fresh stream");
        drop(stream);
        assert!(trace.take().is_empty(), "{name}: something happened on a fresh stream");
    }
}

#[test]
fn a_fresh_stream_can_be_given_progress_and_restarted() {
    let _clock = clock();
    for (name, case, script) in all() {
        let (items, events) = reference(&case, &script);
        let trace = Trace::new();
        let (_, flow) = build(&case, &trace, &script);
        let mut stream = Driver::new(flow);
        let _ = stream.progress();
        stream.restart();
        assert_eq!(texts(stream.rest()), items, "{name}");
        assert_eq!(trace.take(), events, "{name}");
    }
}

#[test]
fn collected_twice_it_does_the_same() {
    let _clock = clock();
    for (name, case, script) in all() {
        let trace = Trace::new();
        let probe = Probe::new(&trace, &script);
        let first = texts(Driver::new((case.build)(probe.clone())).rest());
        let events = trace.take();
        assert_eq!(texts(Driver::new((case.build)(probe)).rest()), first, "{name}");
        assert_eq!(trace.take(), events, "{name}");
    }
}

#[test]
fn restarted_after_any_poll_it_is_as_good_as_new() {
    let _clock = clock();
    for (name, case, script) in all() {
        let (items, events) = reference(&case, &script);
        after_each_poll(&case, &script, |polls, trace, _, mut stream| {
            stream.restart();
            assert!(trace.live().is_empty(), "{name}: restarted after {polls} polls, {:?} lives on", trace.live());
            let dropped = trace.take();
            assert!(
                dropped.iter().all(|event| event.starts_with("drop ") || event == "cancelled"),
                "{name}: a restart after {polls} polls did {dropped:?}"
            );
            assert_eq!(stream.progress(), Poll::Ready(()), "{name}: restarted, it is fresh");
            assert!(trace.take().is_empty(), "{name}: something happened between a restart and the next poll");
            assert_eq!(texts(stream.rest()), items, "{name}: restarted after {polls} polls");
            assert_eq!(trace.take(), events, "{name}: restarted after {polls} polls");
            // And once more after its end.
            stream.restart();
            assert_eq!(texts(stream.rest()), items, "{name}: restarted after its end");
        });
    }
}

#[test]
fn stopped_after_any_poll_nothing_runs_and_it_has_ended() {
    let _clock = clock();
    for (name, case, script) in all() {
        let (items, _) = reference(&case, &script);
        after_each_poll(&case, &script, |polls, trace, _, mut stream| {
            stream.stop();
            assert!(stream.is_terminated(), "{name}: stopped after {polls} polls");
            assert!(trace.live().is_empty(), "{name}: stopped after {polls} polls, {:?} lives on", trace.live());
            let dropped = trace.take();
            assert!(
                dropped.iter().all(|event| event.starts_with("drop ") || event == "cancelled"),
                "{name}: a stop after {polls} polls did {dropped:?}"
            );
            assert_eq!(stream.progress(), Poll::Ready(()), "{name}: progress after a stop");
            for _ in 0..3 {
                assert_eq!(stream.poll(), Poll::Ready(None), "{name}: stopped after {polls} polls");
            }
            stream.stop();
            assert!(trace.take().is_empty(), "{name}: something happened after a stop");
            stream.restart();
            assert_eq!(texts(stream.rest()), items, "{name}: stopped after {polls} polls, then restarted");
        });
    }
}

#[test]
fn the_end_is_the_end() {
    let _clock = clock();
    for (name, case, script) in all() {
        let trace = Trace::new();
        let (_, flow) = build(&case, &trace, &script);
        let mut stream = Driver::new(flow);
        while let Some(item) = stream.next() {
            if item.is_err() {
                break;
            }
        }
        assert!(stream.is_terminated(), "{name}: it has yielded its end, or an error");
        assert!(trace.live().is_empty(), "{name}: {:?} outlives the end", trace.live());
        trace.take();
        for _ in 0..3 {
            assert_eq!(stream.poll(), Poll::Ready(None), "{name}: after the end");
            assert_eq!(stream.progress(), Poll::Ready(()), "{name}: progress after the end");
            assert!(stream.is_terminated(), "{name}: after the end");
        }
        assert!(trace.take().is_empty(), "{name}: something happened after the end");
    }
}

#[test]
fn once_it_says_that_it_has_ended_it_has() {
    let _clock = clock();
    for (name, case, script) in all() {
        for eager in [false, true] {
            let trace = Trace::new();
            let probe = Probe::new(&trace, &script);
            let probe = if eager { probe.eager() } else { probe };
            let mut stream = Driver::new((case.build)(probe));
            loop {
                if stream.is_terminated() {
                    assert!(trace.live().is_empty(), "{name}: {:?} outlives the end", trace.live());
                    trace.take();
                    assert_eq!(stream.poll(), Poll::Ready(None), "{name}: terminated");
                    assert!(trace.take().is_empty(), "{name}: something happened after the end");
                    break;
                }
                let _ = stream.poll();
            }
        }
    }
}

#[test]
fn a_source_that_knows_its_end_early_changes_nothing() {
    let _clock = clock();
    for (name, case, script) in all() {
        let (items, _) = reference(&case, &script);
        let mut stream = Driver::new((case.build)(Probe::new(&Trace::new(), &script).eager()));
        assert_eq!(texts(stream.rest()), items, "{name}");
    }
}

#[test]
fn the_end_is_known_as_soon_as_that_of_the_source() {
    let _clock = clock();
    for case in operators().iter().filter(|case| is_transparent(case)) {
        let probe = Probe::new(&Trace::new(), &[Step::Emit(1), Step::Emit(2)]).eager();
        let mut stream = Driver::new((case.build)(probe));
        let mut ended = false;
        while !ended {
            let item = stream.next();
            assert!(item.is_some(), "{}: it knew its end only when asked", case.name());
            ended = stream.is_terminated();
        }
    }
}

#[test]
fn dropped_after_any_poll_everything_goes_inner_before_outer() {
    let _clock = clock();
    for (name, case, script) in all() {
        after_each_poll(&case, &script, |polls, trace, _, stream| {
            let live = trace.live();
            drop(stream);
            let mut dropped = trace.take();
            assert!(trace.live().is_empty(), "{name}: dropped after {polls} polls, {:?} lives on", trace.live());
            if dropped.last().is_some_and(|event| event == "cancelled") {
                dropped.pop();
            }
            if runs_ahead(&case) {
                // Flows beside each other go in any order; inner ones go before the outer one.
                let outer = dropped.iter().position(|event| event == "drop source");
                let inner = dropped.iter().rposition(|event| event == "drop inner" || event == "drop lambda");
                assert!(outer.is_none() || inner < outer, "{name}: {dropped:?} after {polls} polls");
                return;
            }
            // What started last, in whatever it stands, is the innermost.
            let expected: Vec<String> = live.iter().rev().map(|name| format!("drop {name}")).collect();
            assert_eq!(dropped, expected, "{name}: dropped after {polls} polls");
        });
    }
}

#[test]
fn what_runs_above_is_dropped_before_an_error_or_the_end_is_seen() {
    let _clock = clock();
    for (name, case, script) in all() {
        let trace = Trace::new();
        let (_, flow) = build(&case, &trace, &script);
        let mut stream = Driver::new(flow);
        loop {
            match stream.next() {
                Some(Ok(_)) => {}
                end => {
                    assert!(trace.live().is_empty(), "{name}: {end:?} while {:?} lives", trace.live());
                    break;
                }
            }
        }
    }
}

/// Scripts that wait for something outside.
fn waiting() -> Vec<(&'static str, Vec<Step>)> {
    use Step::{Emit, Fail, Wait};
    vec![
        ("items", vec![Wait, Emit(1), Wait, Emit(2), Wait]),
        ("nothing", vec![Wait]),
        ("a failure", vec![Wait, Emit(1), Wait, Fail("late")]),
    ]
}

/// Drives a stream whose gate is opened only when nothing has woken it; `before` runs between a pending poll and the
/// opening.
fn drive_with_gate(name: &str, gate: &Gate, stream: &mut Driver<Stream>, mut before: impl FnMut(&mut Driver<Stream>)) {
    loop {
        match stream.poll() {
            Poll::Ready(Some(_)) => {}
            Poll::Ready(None) => return,
            Poll::Pending => {
                if stream.woken() {
                    continue;
                }
                before(stream);
                assert!(!stream.woken(), "{name}: nothing has happened, yet it is woken");
                assert!(gate.is_awaited(), "{name}: pending, and nothing will wake it");
                gate.open();
                assert!(stream.woken(), "{name}: not woken when the source went on");
            }
        }
    }
}

#[test]
fn it_wakes_when_the_source_does() {
    let _clock = clock();
    for case in operators() {
        for (script_name, script) in waiting() {
            let name = format!("{} over {script_name}", case.name());
            let (probe, flow) = build(&case, &Trace::new(), &script);
            drive_with_gate(&name, &probe.gate(), &mut Driver::new(flow), |_| {});
        }
    }
}

#[test]
fn it_wakes_the_task_that_polled_last() {
    let _clock = clock();
    for case in operators() {
        for (script_name, script) in waiting() {
            let name = format!("{} over {script_name}, from another task", case.name());
            let (probe, flow) = build(&case, &Trace::new(), &script);
            drive_with_gate(&name, &probe.gate(), &mut Driver::new(flow), |stream| {
                stream.change_waker();
                assert!(stream.poll().is_pending(), "{name}: nothing has happened, yet it is ready");
            });
        }
    }
}

#[test]
fn polled_without_need_it_does_the_same() {
    let _clock = clock();
    for case in operators() {
        for (script_name, script) in waiting() {
            let name = format!("{} over {script_name}, polled too often", case.name());
            let trace = Trace::new();
            let (probe, flow) = build(&case, &trace, &script);
            let mut undisturbed = Driver::new(flow);
            drive_with_gate(&name, &probe.gate(), &mut undisturbed, |_| {});
            let events = trace.take();
            let (probe, flow) = build(&case, &trace, &script);
            drive_with_gate(&name, &probe.gate(), &mut Driver::new(flow), |stream| {
                for _ in 0..3 {
                    assert!(stream.poll().is_pending(), "{name}");
                }
            });
            assert_eq!(trace.take(), events, "{name}");
        }
    }
}

#[test]
fn progress_reaches_the_source_while_the_consumer_is_busy() {
    let _clock = clock();
    for (name, case, script) in all() {
        let trace = Trace::new();
        let (probe, flow) = build(&case, &trace, &script);
        let mut stream = Driver::new(flow);
        while let Some(item) = stream.next() {
            if item.is_ok() && trace.live().contains(&"source".to_owned()) && !runs_ahead(&case) {
                let before = (probe.progress(), trace.take());
                let _ = stream.progress();
                assert!(probe.progress() > before.0, "{name}: no progress behind {item:?}");
                assert!(trace.take().is_empty(), "{name}: progress made something happen");
            }
        }
    }
}

#[test]
fn a_source_whose_item_was_taken_is_asked_for_the_next_or_given_progress_within_the_same_poll() {
    let _clock = clock();
    for (name, case, script) in all() {
        let (probe, flow) = build(&case, &Trace::new(), &script);
        let mut stream = Driver::new(flow);
        for poll in 1.. {
            match stream.poll() {
                Poll::Pending => assert!(!probe.is_owed(), "{name}: nothing for the source at poll {poll}"),
                Poll::Ready(Some(_)) => {
                    let _ = stream.progress();
                    assert!(!probe.is_owed(), "{name}: no progress after poll {poll}");
                }
                Poll::Ready(None) => break,
            }
        }
    }
}

#[test]
fn an_async_lambda_that_waits_gives_the_source_progress() {
    let _clock = clock();
    let mut checked = Vec::new();
    for case in operators() {
        let trace = Trace::new();
        let (probe, flow) = build(&case, &trace, &[Step::Emit(1), Step::Emit(2)]);
        let mut stream = Driver::new(flow);
        loop {
            let before = probe.progress();
            match stream.poll() {
                Poll::Pending if trace.live().len() == 2 && !runs_ahead(&case) => {
                    assert_eq!(trace.live()[0], "source", "{}", case.name());
                    assert!(probe.progress() > before, "{}: no progress while its lambda waits", case.name());
                    checked.push(case.method);
                }
                Poll::Ready(None) => break,
                Poll::Ready(Some(_)) | Poll::Pending => {}
            }
        }
    }
    checked.dedup();
    assert_eq!(checked, ["then", "and_then", "on_each", "transform", "transform_while", "flat_map_concat"]);
}

#[test]
fn the_hint_of_the_size_is_true() {
    let _clock = clock();
    for (name, case, script) in all() {
        let (items, _) = reference(&case, &script);
        let mut stream = Box::pin(build(&case, &Trace::new(), &script).1.into_stream());
        for left in (0..=items.len()).rev() {
            let (low, high) = futures::Stream::size_hint(&stream);
            assert!(low <= left && high.is_none_or(|high| left <= high), "{name}: {low}..{high:?} with {left} left");
            if left > 0 {
                block_on(futures::StreamExt::next(&mut stream));
            }
        }
    }
}

#[test]
fn a_panic_above_leaves_nothing_behind() {
    let mut panics = 0;
    let _clock = clock();
    for case in operators() {
        for script in [&[Step::Panic][..], &[Step::Emit(1), Step::Yield, Step::Panic]] {
            let name = format!("{} over {script:?}", case.name());
            let trace = Trace::new();
            let (_, flow) = build(&case, &trace, script);
            let mut stream = Driver::new(flow);
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| stream.rest()));
            panics += usize::from(outcome.is_err());
            // It can be given up, or begun again: either way what ran goes.
            stream.stop();
            assert!(trace.live().is_empty(), "{name}: {:?} lives on after a stop", trace.live());
            assert_eq!(stream.poll(), Poll::Ready(None), "{name}: stopped after a panic");
            drop(stream);
            assert!(trace.live().is_empty(), "{name}: {:?} lives on", trace.live());
        }
    }
    assert!(panics > operators().len(), "most of them come to it");
}

type Numbers = BoxFlow<'static, i32, &'static str>;

/// One level of a stack that hands each item on.
fn levels() -> Vec<(&'static str, fn(Numbers) -> Numbers)> {
    use std::future::ready;
    vec![
        ("map", |up| up.map(|n| n).boxed()),
        ("try_map", |up| up.try_map(Ok).boxed()),
        ("then", |up| up.then(ready).boxed()),
        ("and_then", |up| up.and_then(|n| ready(Ok(n))).boxed()),
        ("filter", |up| up.filter(|_| true).boxed()),
        ("filter_map", |up| up.filter_map(Some).boxed()),
        ("inspect", |up| up.inspect(|_| {}).boxed()),
        ("on_each", |up| up.on_each(|_| ready(())).boxed()),
        ("enumerate", |up| up.enumerate().map(|(_, n)| n).boxed()),
        ("running_fold", |up| up.running_fold(0, |_, n| n).boxed()),
        ("running_reduce", |up| up.running_reduce(|_, n| n).boxed()),
        ("distinct_until_changed_by", |up| up.distinct_until_changed_by(|_, _| false).boxed()),
        ("take", |up| up.take(1000).boxed()),
        ("take_while", |up| up.take_while(|_| true).boxed()),
        ("skip", |up| up.skip(0).boxed()),
        ("skip_while", |up| up.skip_while(|_| false).boxed()),
        ("transform", |up| up.transform(async |n, mut emitter| emitter.emit(n).await).boxed()),
        ("transform_while", |up| {
            up.transform_while(async |n, mut emitter| {
                emitter.emit(n).await;
                true
            })
            .boxed()
        }),
        ("chunks", |up| up.chunks(1).map(|chunk| chunk[0]).boxed()),
        ("flat_map_concat", |up| up.flat_map_concat(|n| flow_of([n]).fallible()).boxed()),
        ("chain", |up| up.chain(coldflow::empty().fallible()).boxed()),
        ("chain, the second", |up| coldflow::empty().fallible().chain(up).boxed()),
        ("chain_with", |up| up.chain_with(|| coldflow::empty().fallible().boxed())),
        ("start_with", |up| up.start_with([]).boxed()),
        ("repeat", |up| up.repeat(1).boxed()),
        ("materialize", |up| up.materialize().dematerialize().boxed()),
        ("on_start", |up| up.on_start(|_| ready(())).boxed()),
        ("on_completion", |up| up.on_completion(|_, _| ready(())).boxed()),
        ("on_empty", |up| up.on_empty(|_| ready(())).boxed()),
        ("on_cancel", |up| up.on_cancel(|| {}).boxed()),
        ("catch", |up| up.catch(|cause, _| ready(Err(cause))).boxed()),
        ("map_err", |up| up.map_err(|cause| cause).boxed()),
        ("retry", |up| up.retry(1).boxed()),
        ("retry_with", |up| up.retry_with(Retry::none()).boxed()),
        ("buffer", |up| up.buffer(0, Overflow::Suspend).boxed()),
        ("conflate", |up| up.conflate().boxed()),
        ("flat_map_merge", |up| up.flat_map_merge(2, |n| flow_of([n]).fallible()).boxed()),
        ("flat_map_latest", |up| up.flat_map_latest(|n| flow_of([n]).fallible()).boxed()),
        ("zip", |up| up.zip(flow_of(0..).fallible()).map(|(n, _)| n).boxed()),
        ("merge", |up| merge((up, coldflow::empty().fallible())).boxed()),
        ("combine", |up| combine((up, flow_of([0]).fallible())).map(|(n, _)| n).boxed()),
        ("timeout", |up| up.timeout(std::time::Duration::from_secs(1)).map_err(|_| "late").boxed()),
        ("with_latest_from", |up| up.with_latest_from(flow_of([0]).fallible()).map(|(n, _)| n).boxed()),
        ("race", |up| race((up, coldflow::once(std::future::pending))).boxed()),
        ("then_concurrent", |up| up.then_concurrent(2, ready).boxed()),
        ("then_concurrent_unordered", |up| up.then_concurrent_unordered(2, ready).boxed()),
        ("chunks_timeout", |up| up.chunks_timeout(1, std::time::Duration::from_secs(1)).map(|chunk| chunk[0]).boxed()),
        ("delay_start", |up| up.delay_start(std::time::Duration::ZERO).boxed()),
        ("sample", |up| up.sample(std::time::Duration::from_secs(1)).boxed()),
        ("debounce", |up| up.debounce(std::time::Duration::ZERO).boxed()),
        ("throttle", |up| up.throttle(std::time::Duration::from_secs(1), coldflow::Edge::Leading).boxed()),
        ("boxed", FlowExt::boxed),
    ]
}

#[test]
fn a_stack_asks_its_source_as_often_as_a_lower_one_does() {
    // Were each level to ask the one above twice per item, the cost would double with each; and if each level asked
    // all those above it, it would grow with the square of the height.
    let _clock = clock();
    let calls_of = |level: fn(Numbers) -> Numbers, height: usize| {
        let probe = Probe::new(&Trace::new(), &[Step::Emit(1); 30]);
        let mut stream = Driver::new((0..height).fold(probe.clone().boxed(), |numbers, _| level(numbers)));
        while stream.next().is_some() {}
        probe.calls()
    };
    for (name, level) in levels() {
        let (low, high) = (calls_of(level, 12), calls_of(level, 36));
        assert!(high <= low + 30, "{name}: {low} calls below 12 levels, {high} below 36");
    }
}

#[test]
fn boxed_local_too() {
    let _clock = clock();
    let trace = Trace::new();
    let mut stream = Driver::new(Probe::new(&trace, &[Step::Emit(1), Step::Yield, Step::Emit(2)]).boxed_local());
    assert_eq!(stream.progress(), Poll::Ready(()));
    stream.restart();
    assert!(trace.take().is_empty());
    assert_eq!(stream.rest(), [Ok(1), Ok(2)]);
    assert!(stream.is_terminated());
    stream.restart();
    assert_eq!(stream.next(), Some(Ok(1)));
    assert_eq!(stream.progress(), Poll::Ready(()));
    stream.stop();
    assert!(stream.is_terminated() && trace.live().is_empty());
    assert_eq!(stream.next(), None);
}
