//! A panic in a body or an inner flow comes out, and harms nobody else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Waker};

use coldflow::{BoxFlow, Flow, FlowExt, FlowStream, Overflow, combine, merge, race};
use futures::Stream;

use super::clock::{Emit, Hang, Script, burst, script, traced};
use crate::support::{Driver, Trace};

type Erased = BoxFlow<'static, i32, &'static str>;

/// Panics at 2.
fn at_two(n: i32) -> i32 {
    assert!(n != 2, "at two");
    n
}

/// What panics at the item 2 of its source, beside another flow that is alive.
fn cases() -> Vec<(&'static str, fn(Script, Script) -> Erased)> {
    vec![
        ("buffer", |up, _| up.map(at_two).buffer(4, Overflow::Suspend).boxed()),
        ("merge", |up, beside| merge((up.map(at_two), beside)).boxed()),
        ("flat_map_merge, the lambda", |up, beside| {
            up.flat_map_merge(4, move |n| {
                at_two(n);
                beside.clone()
            })
            .boxed()
        }),
        ("flat_map_merge, an inner flow", |up, beside| {
            beside.flat_map_merge(4, move |_| up.clone().map(at_two)).boxed()
        }),
        ("flat_map_latest, the lambda", |up, beside| {
            up.flat_map_latest(move |n| {
                at_two(n);
                beside.clone()
            })
            .boxed()
        }),
        ("flat_map_latest, an inner flow", |up, beside| {
            beside.flat_map_latest(move |_| up.clone().map(at_two)).boxed()
        }),
        ("map_latest", |up, _| up.map_latest(|n| async move { at_two(n) }).boxed()),
        ("transform_latest", |up, _| {
            up.transform_latest(|n, mut emitter| async move { emitter.emit(at_two(n)).await }).boxed()
        }),
        ("zip, the first", |up, beside| up.map(at_two).zip(beside).map(|both| both.0).boxed()),
        ("zip, the second", |up, beside| beside.zip(up.map(at_two)).map(|both| both.0).boxed()),
        ("combine", |up, beside| combine((up.map(at_two), beside)).map(|both| both.0).boxed()),
        ("race", |up, beside| race((up.map(at_two), beside)).boxed()),
        ("with_latest_from", |up, beside| beside.with_latest_from(up.map(at_two)).map(|both| both.1).boxed()),
        ("then_concurrent", |up, _| up.then_concurrent(4, |n| async move { at_two(n) }).boxed()),
        ("then_concurrent_unordered", |up, _| up.then_concurrent_unordered(4, |n| async move { at_two(n) }).boxed()),
        ("channel_flow", |up, _| {
            coldflow::channel_flow(move |sender| {
                let up = up.clone();
                async move {
                    up.try_for_each(|n| {
                        let _ = sender.try_send(at_two(n));
                        std::future::ready(Ok(()))
                    })
                    .await
                }
            })
            .boxed()
        }),
    ]
}

/// Polls, with progress behind each item, until it panics.
fn until_it_panics<S: FlowStream<Item = Result<i32, &'static str>>>(mut stream: Pin<&mut S>) -> bool {
    let cx = &mut Context::from_waker(Waker::noop());
    for _ in 0..50 {
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let polled = stream.as_mut().poll_next(cx);
            if polled.is_ready() {
                let _ = stream.as_mut().poll_progress(cx);
            }
        }));
        if polled.is_err() {
            return true;
        }
    }
    false
}

#[test]
fn it_comes_out_and_everything_can_be_dropped() {
    for (name, build) in cases() {
        let trace = Trace::new();
        let flow = build(traced(&trace, "panicking", burst(5)), traced(&trace, "beside", [Emit(1), Hang]));
        let mut stream = Box::pin(flow.into_stream());
        assert!(until_it_panics(stream.as_mut()), "{name}");
        drop(stream);
        assert!(trace.live().is_empty(), "{name}: {:?} lives on", trace.live());
    }
}

#[test]
fn another_collection_of_the_same_flow_is_whole() {
    for (name, build) in cases() {
        let trace = Trace::new();
        let flow = || build(traced(&trace, "panicking", burst(5)), traced(&trace, "beside", [Emit(1), Hang]));
        let mut before = Driver::new(flow());
        // Some panic at once.
        let first = catch_unwind(AssertUnwindSafe(|| before.poll())).ok();
        let mut stream = Box::pin(flow().into_stream());
        assert!(until_it_panics(stream.as_mut()), "{name}");
        drop(stream);
        let mut after = Driver::new(flow());
        let later = catch_unwind(AssertUnwindSafe(|| after.poll())).ok();
        assert_eq!(later, first, "{name}: begun later");
        drop(before);
        drop(after);
        assert!(trace.live().is_empty(), "{name}");
    }
}

/// What is polled on after a panic may panic again or be pending, but holds no lock and can be restarted.
#[test]
fn what_has_panicked_can_be_polled_restarted_and_stopped_without_a_deadlock() {
    for (name, build) in cases() {
        let trace = Trace::new();
        let flow = build(traced(&trace, "panicking", burst(5)), traced(&trace, "beside", [Emit(1), Hang]));
        let mut fresh = Driver::new(build(script(burst(5)), script([Emit(1), Hang])));
        let first = catch_unwind(AssertUnwindSafe(|| fresh.poll()));
        let mut stream = Box::pin(flow.into_stream());
        let cx = &mut Context::from_waker(Waker::noop());
        assert!(until_it_panics(stream.as_mut()), "{name}");
        let _ = catch_unwind(AssertUnwindSafe(|| stream.as_mut().poll_next(cx)));
        let _ = catch_unwind(AssertUnwindSafe(|| stream.as_mut().poll_progress(cx)));
        coldflow::Restart::restart(stream.as_mut());
        assert!(trace.live().is_empty(), "{name}: restarted, {:?} lives on", trace.live());
        let again = catch_unwind(AssertUnwindSafe(|| stream.as_mut().poll_next(cx)));
        assert_eq!(again.ok(), first.ok(), "{name}: as good as new");
        stream.as_mut().stop();
        assert!(trace.live().is_empty(), "{name}: stopped, {:?} lives on", trace.live());
    }
}

#[tokio::test(start_paused = true)]
async fn in_the_timed_operators_too() {
    use super::clock::{Wait, ms};
    let source = || script([Emit(1), Wait(10), Emit(2), Wait(10), Emit(3)]).map(at_two);
    let flows: Vec<(&str, Erased)> = vec![
        ("debounce", source().debounce(ms(5)).boxed()),
        ("debounce_by", script(burst(3)).debounce_by(|n| ms(u64::try_from(at_two(*n)).unwrap())).boxed()),
        ("sample", source().sample(ms(4)).boxed()),
        ("timeout", source().timeout(ms(50)).map_err(|_| "").boxed()),
        ("throttle", source().throttle(ms(5), coldflow::Edge::Both).boxed()),
        ("chunks_timeout", source().chunks_timeout(2, ms(50)).map(|chunk| chunk[0]).boxed()),
        ("delay_start", source().delay_start(ms(5)).boxed()),
    ];
    for (name, flow) in flows {
        let panic = tokio::spawn(flow.to_vec()).await.unwrap_err().into_panic();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"at two"), "{name}");
    }
}
