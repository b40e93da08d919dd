//! What was emitted before a failure is delivered before it, also to a busy consumer. Kotlin cuts the consumer off in the
//! middle and may lose what is buffered; ours does neither.

use coldflow::{BoxFlow, FlowExt, Overflow, channel_flow, combine, combine_latest, merge};
use tokio::runtime::Handle;

use super::clock::{Emit, Fail, Hang, Script, Wait, ms, script, seen, traced};
use crate::support::Trace;

type Erased = BoxFlow<'static, i32, &'static str>;

/// Items at 0, 10 and 20, a failure at 30.
fn failing() -> Script {
    script([Emit(1), Wait(10), Emit(2), Wait(10), Emit(3), Wait(10), Fail("over")])
}

fn endless() -> Script {
    script([Emit(0), Hang])
}

#[tokio::test(start_paused = true)]
async fn items_before_a_failure_reach_a_busy_consumer_first() {
    let all: Vec<(&str, Erased)> = vec![
        ("buffer", failing().buffer(8, Overflow::Suspend).boxed()),
        ("buffer without room", failing().buffer(0, Overflow::Suspend).boxed()),
        ("merge", merge((failing(), endless().skip(1))).boxed()),
        ("flat_map_merge, an inner flow", endless().flat_map_merge(4, |_| failing()).boxed()),
        ("flat_map_merge, the outer flow", failing().flat_map_merge(4, |n| script([Emit(n)])).boxed()),
        ("flat_map_latest, the block", endless().flat_map_latest(|_| failing()).boxed()),
        ("flat_map_latest, the outer flow", failing().flat_map_latest(|n| script([Emit(n)])).boxed()),
        ("map_latest", failing().map_latest(async |n| n).boxed()),
        ("transform_latest", failing().transform_latest(async |n, mut emitter| emitter.emit(n).await).boxed()),
        ("zip, the first", failing().zip(script([Emit(0), Emit(0), Emit(0), Hang])).map(|both| both.0).boxed()),
        ("combine_latest", combine_latest((failing(), endless())).map(|both| both.0).boxed()),
        ("then_concurrent", failing().then_concurrent(9, async |n| n).boxed()),
        ("then_concurrent_unordered", failing().then_concurrent_unordered(9, async |n| n).boxed()),
        ("timeout", failing().timeout(ms(500)).map_err(|_| "over").boxed()),
        ("flow_on", failing().flow_on(&Handle::current()).boxed()),
        (
            "channel_flow",
            channel_flow(|sender| async move {
                for n in 1..4 {
                    sender.send(n).await.unwrap();
                    super::clock::pause(10).await;
                }
                Err("over")
            })
            .boxed(),
        ),
    ];
    for (name, flow) in all {
        let lines = seen(flow, 100).await;
        let items: Vec<_> = lines.iter().map(|line| line.split_once(' ').unwrap().1).collect();
        assert!(items.ends_with(&["1", "2", "3", "!\"over\""]), "{name}: {lines:?}");
        // The first flow of a `zip` has no buffer: it goes on only when the consumer is back.
        let time = if name.starts_with("zip") { "330" } else { "300" };
        assert!(lines.last().unwrap().starts_with(time), "{name}: as soon as the consumer is ready for it: {lines:?}");
    }
}

/// What drops items on purpose keeps to that: the last one before a failure is lost as it is at the end.
#[tokio::test(start_paused = true)]
async fn the_lossy_ones_lose_before_a_failure_what_they_promise() {
    let all: Vec<(&str, Erased, &[&str])> = vec![
        ("conflate", failing().conflate().boxed(), &["0 1", "100 3", "200 !\"over\""]),
        ("debounce", failing().debounce(ms(5)).boxed(), &["5 1", "110 2", "215 3", "315 !\"over\""]),
        ("debounce of the last", script([Emit(1), Fail("over")]).debounce(ms(5)).boxed(), &["0 !\"over\""]),
        ("combine", combine((failing(), endless())).map(|both| both.0).boxed(), &["0 1", "100 3", "200 !\"over\""]),
        ("sample", failing().sample(ms(15)).boxed(), &["15 2", "115 !\"over\""]),
    ];
    for (name, flow, expected) in all {
        let lines = seen(flow, 100).await;
        assert_eq!(lines, expected, "{name}");
    }
}

/// The parts beside the one that failed go at the time of the failure, whatever the consumer does then.
#[tokio::test(start_paused = true)]
async fn the_parts_beside_the_failed_one_are_dropped_at_the_time_of_the_failure() {
    type Build = fn(Script, Script) -> Erased;
    let all: Vec<(&str, Build)> = vec![
        ("merge", |failing, beside| merge([beside, failing]).boxed()),
        ("flat_map_merge", |failing, beside| beside.flat_map_merge(4, move |_| failing.clone()).boxed()),
        ("flat_map_merge, the outer flow", |failing, beside| {
            failing.flat_map_merge(4, move |_| beside.clone()).boxed()
        }),
        ("flat_map_latest", |failing, beside| beside.flat_map_latest(move |_| failing.clone()).boxed()),
        ("zip", |failing, beside| beside.zip(failing).map(|both| both.0).boxed()),
        ("combine", |failing, beside| combine([beside, failing]).map(|both| both[0]).boxed()),
        ("with_latest_from", |failing, beside| beside.with_latest_from(failing).map(|both| both.0).boxed()),
    ];
    for (name, build) in all {
        let trace = Trace::new();
        let flow = build(script([Emit(1), Wait(20), Fail("over")]), traced(&trace, "beside", [Emit(1), Hang]));
        let mut consumer = Box::pin(seen(flow, 100));
        let first = tokio::time::timeout(ms(19), &mut consumer).await;
        assert!(first.is_err() && !trace.live().is_empty(), "{name}");
        let later = tokio::time::timeout(ms(2), &mut consumer).await;
        assert!(later.is_err() && trace.live().is_empty(), "{name}: {:?} lives on", trace.live());
        let lines = consumer.await;
        let (time, end) = lines.last().unwrap().split_once(' ').unwrap();
        assert_eq!(end, "!\"over\"", "{name}");
        assert!(time.ends_with("00"), "{name}: the body was cut off: {lines:?}");
    }
}

/// The body of `for_each_latest` is made to be cut off, and is.
#[tokio::test(start_paused = true)]
async fn the_body_of_for_each_latest_is_cut_off_at_the_time_of_the_failure() {
    let trace = Trace::new();
    let began = tokio::time::Instant::now();
    let end = failing().for_each_latest(|_| {
        let guard = trace.guard("body");
        async move {
            let _guard = guard;
            super::clock::pause(100).await;
        }
    });
    assert_eq!(end.await, Err("over"));
    assert_eq!(began.elapsed(), ms(30));
    assert!(trace.live().is_empty());
}
