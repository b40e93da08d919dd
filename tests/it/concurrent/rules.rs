//! The rules of what runs beside the consumer, each as a test that fails for the code that breaks it.

use std::cell::Cell;
use std::future::ready;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use coldflow::{Flow, FlowExt, Overflow, combine, flow_of, merge};
use futures::StreamExt;

use super::clock::{Emit, Fail, Hang, Wait, Yield, burst, items, ms, paced, pause, script, seen, traced};
use crate::support::{Driver, Polling, Trace};

#[tokio::test(start_paused = true)]
async fn without_a_task_a_buffer_gives_the_times_of_kotlin() {
    let source = script([Emit(1), Wait(100), Emit(2), Wait(100), Emit(3)]);
    let times = seen(source.buffer(2, Overflow::Suspend), 300).await;
    assert_eq!(times, ["0 1", "300 2", "600 3", "900 |"]);
}

#[test]
fn a_waiting_consumer_takes_the_first_of_a_burst_directly() {
    let mut stream = Driver::new(script(burst(4)).conflate());
    assert_eq!(stream.next(), Some(Ok(1)), "through the queue it would have been dropped");
    assert_eq!(stream.progress(), Poll::Ready(()));
    assert_eq!(stream.rest(), [Ok(4)]);
}

#[test]
fn an_item_that_is_handed_over_directly_takes_no_place() {
    let trace = Trace::new();
    let mut stream = Driver::new(traced(&trace, "source", burst(9)).buffer(2, Overflow::Suspend));
    assert_eq!(stream.next(), Some(Ok(1)));
    let _ = stream.progress();
    assert_eq!(trace.take(), ["start source", "source after 1", "source after 2", "source after 3"]);
}

#[test]
fn a_body_goes_on_only_when_the_next_item_is_asked_for() {
    let trace = Trace::new();
    let source = traced(&trace, "source", burst(2));
    let mut stream = Driver::new(source.map(|n| n).inspect(|_| {}));
    assert_eq!(stream.next(), Some(Ok(1)));
    for _ in 0..3 {
        assert_eq!(stream.progress(), Poll::Ready(()));
    }
    assert_eq!(trace.take(), ["start source"], "progress does not resume a body");
    assert_eq!(stream.next(), Some(Ok(2)));
    assert_eq!(trace.take(), ["source after 1"]);
}

#[test]
fn a_full_buffer_takes_one_more_item_in_hand_and_no_further() {
    for (capacity, ahead) in [(0, 1), (1, 2), (3, 4)] {
        let trace = Trace::new();
        let mut stream = Driver::new(traced(&trace, "source", burst(20)).buffer(capacity, Overflow::Suspend));
        assert_eq!(stream.next(), Some(Ok(1)));
        trace.take();
        for _ in 0..5 {
            let _ = stream.progress();
        }
        let returned = trace.take();
        // The emission in hand has not returned.
        assert_eq!(returned.len(), ahead, "capacity {capacity}: {returned:?}");
        assert_eq!(stream.next(), Some(Ok(2)));
        for _ in 0..5 {
            let _ = stream.progress();
        }
        assert_eq!(trace.take().len(), 1, "capacity {capacity}: taking one lets one move up");
    }
}

#[tokio::test(start_paused = true)]
async fn an_upstream_whose_item_is_in_hand_is_given_progress() {
    // The upper buffer is hidden from the lower one by the `map`, and can fill only through the one in whose hand 2 is.
    let trace = Trace::new();
    let source = traced(&trace, "source", [Emit(1), Emit(2), Emit(3), Wait(10), Emit(4), Hang]);
    let both = source.buffer(5, Overflow::Suspend).map(|n| n).buffer(0, Overflow::Suspend);
    tokio::select! {
        _ = both.for_each(|_| pause(100)) => unreachable!(),
        () = pause(50) => {}
    }
    assert_eq!(
        trace.take(),
        ["start source", "source after 1", "source after 2", "source after 3", "source after 4", "drop source"],
        "the upper one has filled beside the hand of the lower"
    );
}

#[test]
fn a_taken_item_admits_the_longest_waiting_hand() {
    let sources = [burst(9), vec![Emit(11), Emit(12), Emit(13)], vec![Emit(21), Emit(22), Emit(23)]];
    let merged = merge(sources.map(script)).buffer(1, Overflow::Suspend);
    let mut stream = Driver::new(merged);
    let mut order = vec![stream.next().unwrap().unwrap()];
    for _ in 0..4 {
        let _ = stream.progress();
    }
    // In the queue 11, then in hand: 21 and 2 in the order in which they came, and 12, when its source has moved up.
    for _ in 0..5 {
        order.push(stream.next().unwrap().unwrap());
        let _ = stream.progress();
    }
    assert_eq!(order, [1, 11, 21, 2, 12, 22], "first in, first out across the sources");
}

#[test]
fn an_admitted_source_runs_on() {
    // With no place at all each source is blocked after each item; forgotten once, its rest never comes.
    for capacity in [0, 1, 2] {
        let sources = (0..4).map(|at| script((0..10).map(|n| Emit(10 * at + n)).collect::<Vec<_>>()));
        let merged = merge(sources.collect::<Vec<_>>()).buffer(capacity, Overflow::Suspend);
        let mut stream = Driver::new(merged);
        let mut items = Vec::new();
        while let Some(item) = stream.next() {
            items.push(item.unwrap());
            let _ = stream.progress();
        }
        items.sort_unstable();
        assert_eq!(items, (0..40).collect::<Vec<_>>(), "merge, capacity {capacity}");

        let outer = script((0..4).map(Emit).collect::<Vec<_>>());
        let merged = outer.flat_map_merge(3, |at| script((0..10).map(|n| Emit(10 * at + n)).collect::<Vec<_>>()));
        let mut stream = Driver::new(merged.buffer(capacity, Overflow::Suspend));
        let mut items = Vec::new();
        while let Some(item) = stream.next() {
            items.push(item.unwrap());
            let _ = stream.progress();
        }
        items.sort_unstable();
        assert_eq!(items, (0..40).collect::<Vec<_>>(), "flat_map_merge, capacity {capacity}");
    }
}

#[test]
fn a_flow_whose_item_was_handed_over_is_ready_again_though_nobody_wakes_it() {
    let mut merged = Driver::new(merge([script(burst(3)), script([Hang])]));
    let mut mapped = Driver::new(script(burst(1)).flat_map_merge(4, |_| script([Emit(1), Emit(2), Emit(3), Hang])));
    let mut combined = Driver::new(combine([script(burst(3)), script([Emit(9), Hang])]));
    for n in 1..=3 {
        assert_eq!(merged.poll(), Poll::Ready(Some(Ok(n))));
        assert_eq!(mapped.poll(), Poll::Ready(Some(Ok(n))));
        assert_eq!(combined.poll(), Poll::Ready(Some(Ok(vec![n, 9]))));
    }
}

/// An upstream that is always ready, which counts.
fn endless(
    count: &Rc<Cell<u64>>,
) -> impl coldflow::ColdFlow<Item = u64, Error = std::convert::Infallible> + Clone + 'static {
    let count = Rc::clone(count);
    flow_of(0_u64..).inspect(move |_| {
        count.set(count.get() + 1);
        assert!(count.get() < 10_000, "progress never lets go");
    })
}

#[test]
fn progress_is_bounded_under_an_upstream_that_is_always_ready() {
    // Each of these never blocks its upstream.
    macro_rules! bounded {
        ($($name:literal |$up:ident| $flow:expr;)*) => {$(
            let count = Rc::default();
            let $up = endless(&count);
            let mut stream = Driver::new($flow);
            assert!(matches!(stream.poll(), Poll::Ready(Some(Ok(_)))), $name);
            stream.woken();
            let before = count.get();
            assert_eq!(stream.progress(), Poll::Pending, "{}: there is more to do", $name);
            assert!(stream.woken(), "{}: and it must be woken for it", $name);
            let taken = count.get() - before;
            assert!((1..=2_048).contains(&taken), "{}: took {taken}", $name);
        )*};
    }
    bounded! {
        "conflate" |up| up.conflate();
        "drop latest" |up| up.buffer(3, Overflow::DropLatest);
        "unlimited" |up| up.buffer(usize::MAX, Overflow::Suspend);
        "merge, conflated" |up| merge([up.clone(), up]).conflate();
        "flat_map_merge, conflated" |up| flow_of([up.clone(), up]).flatten_merge(2).conflate();
        "flat_map_latest, conflated" |up| flow_of([up]).flat_map_latest(|up| up).conflate();
        "flat_map_latest of many" |up| up.flat_map_latest(|_| flow_of([1]));
        "channel_flow, conflated" |up| {
            coldflow::channel_flow(move |sender| {
                let up = up.clone();
                async move {
                    let mut numbers = pin!(up.into_stream());
                    while let Some(Ok(n)) = numbers.next().await {
                        sender.send(n).await.unwrap();
                    }
                }
            })
            .conflate()
        };
        "with_latest_from" |up| flow_of([1, 2]).with_latest_from(up);
    }
}

#[tokio::test(start_paused = true)]
async fn progress_of_sample_is_bounded_under_an_upstream_that_is_always_ready() {
    let count = Rc::default();
    let mut stream = Driver::new(endless(&count).sample(ms(10)));
    assert_eq!(stream.poll(), Poll::Pending);
    assert!(stream.woken());
    assert!(count.get() <= 256);
    assert_eq!(stream.progress(), Poll::Pending);
    assert!(stream.woken());
    assert!(count.get() <= 512);
    tokio::time::advance(ms(10)).await;
    assert!(matches!(stream.poll(), Poll::Ready(Some(Ok(_)))), "the tick comes through");
}

#[tokio::test(start_paused = true)]
async fn zip_runs_its_second_flow_from_its_first_poll_as_a_rendezvous() {
    let trace = Trace::new();
    let first = traced(&trace, "first", [Wait(50), Emit(1), Emit(2)]);
    let second = traced(&trace, "second", [Emit(1), Emit(2), Emit(3)]);
    let mut zipped = Polling::new(seen(first.zip(second), 100));
    assert!(zipped.poll().is_pending());
    assert_eq!(trace.take(), ["start first", "start second"]);
    let lines = zipped_rest(zipped).await;
    assert_eq!(lines, ["50 (1, 1)", "150 (2, 2)", "250 |"]);
    // While the consumer had 1, the second ran on to its emission of 2, and the first stood still.
    let events = trace.take();
    let at = |event: &str| events.iter().position(|noted| noted == event).unwrap();
    assert!(at("second after 1") < at("first after 1"), "{events:?}");
}

async fn zipped_rest<Fut: Future>(mut future: Polling<Fut>) -> Fut::Output {
    std::future::poll_fn(|cx| {
        let polled = future.poll();
        // It is woken through its own waker, so look again each millisecond.
        if polled.is_pending() {
            let waker = cx.waker().clone();
            tokio::spawn(async move {
                pause(1).await;
                waker.wake();
            });
        }
        polled
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn zip_gives_its_first_flow_progress_while_it_waits_for_the_second() {
    let first = script([Emit(1), Wait(30), Emit(2), Wait(30), Emit(3)]);
    let second = script([Wait(60), Emit(1), Wait(5), Emit(2), Wait(5), Emit(3)]);
    let times = seen(first.buffer(5, Overflow::Suspend).zip(second), 0).await;
    assert_eq!(times, ["60 (1, 1)", "65 (2, 2)", "70 (3, 3)", "70 |"], "at 95 and more if it stood still");
}

#[tokio::test(start_paused = true)]
async fn zip_makes_progress_while_the_consumer_is_busy() {
    let first = script([Emit(1), Wait(30), Emit(2)]).buffer(5, Overflow::Suspend);
    let second = script([Emit(1), Wait(30), Emit(2)]);
    assert_eq!(seen(first.zip(second), 30).await, ["0 (1, 1)", "30 (2, 2)", "60 |"]);
}

#[tokio::test(start_paused = true)]
async fn combine_makes_progress_while_the_consumer_is_busy() {
    let times = seen(combine((script(paced(2, 30)), script([Emit(9), Wait(40), Emit(8)]))), 60).await;
    assert_eq!(times, ["0 (1, 9)", "60 (2, 8)", "120 |"]);
}

#[tokio::test(start_paused = true)]
async fn debounce_makes_progress_while_the_consumer_is_busy() {
    let source = script([Emit(1), Wait(25), Wait(25), Emit(2), Wait(50)]);
    // 2 comes at 50, waits until 70, and its time begins then. A source that stands still would emit it at 95.
    assert_eq!(seen(source.debounce(ms(20)), 50).await, ["20 1", "90 2", "140 |"]);
}

#[tokio::test(start_paused = true)]
async fn sample_makes_progress_while_the_consumer_is_busy() {
    let times = seen(script(paced(10, 10)).sample(ms(25)), 60).await;
    // 3 is the latest at 25. Back at 85, the tick of 50 is due, and the latest is 9.
    assert_eq!(times, ["25 3", "85 9", "145 |"]);
}

#[tokio::test(start_paused = true)]
async fn sample_keeps_ticking_while_the_consumer_is_busy_and_a_due_tick_waits() {
    let times = seen(script([Emit(1), Wait(30), Emit(2), Wait(200)]).sample(ms(20)), 50).await;
    // The tick of 40 waits until 70, and the next one comes a period after that.
    assert_eq!(times, ["20 1", "70 2", "230 |"]);
}

#[tokio::test(start_paused = true)]
async fn the_clock_of_timeout_starts_when_the_consumer_asks_and_not_at_delivery() {
    let source = script([Emit(1), Wait(120), Emit(2)]);
    assert_eq!(seen(source.clone().timeout(ms(50)), 100).await, ["0 1", "120 2", "220 |"]);
    // The consumer is back at 100, and waits until 150.
    let late = script([Emit(1), Wait(160), Emit(2)]);
    assert_eq!(seen(late.timeout(ms(50)), 100).await, ["0 1", "150 !Elapsed"]);
}

#[tokio::test(start_paused = true)]
async fn neither_timeout_nor_debounce_runs_a_timer_while_the_consumer_is_busy() {
    let source = script([Emit(1), Wait(200), Emit(2)]);
    assert_eq!(seen(source.timeout(ms(50)), 190).await, ["0 1", "200 2", "390 |"]);
    // 2 is there at 20, the consumer at 120, so its time ends at 130, when 3 has replaced it.
    let source = script([Emit(1), Wait(20), Emit(2), Wait(5), Emit(3), Wait(50)]);
    assert_eq!(seen(source.debounce(ms(10)), 100).await, ["10 1", "125 3", "225 |"]);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_runs_in_vain_is_not_that_of_the_next_item() {
    // A holder that drops out of `poll_next` and gives progress: the item found then ends that wait.
    let mut stream = Driver::new(script([Wait(30), Emit(1), Wait(40), Emit(2), Hang]).timeout(ms(50)));
    assert!(stream.poll().is_pending());
    tokio::time::advance(ms(30)).await;
    assert!(stream.progress().is_ready());
    assert_eq!(stream.poll(), Poll::Ready(Some(Ok(1))));
    assert!(stream.poll().is_pending());
    tokio::time::advance(ms(30)).await;
    assert_eq!(stream.poll(), Poll::Pending, "its time ends at 80, not at 50");
    tokio::time::advance(ms(10)).await;
    assert_eq!(stream.poll(), Poll::Ready(Some(Ok(2))));
}

#[test]
fn a_failure_leaves_the_queue_and_what_is_in_hand() {
    let failing = || script([Emit(1), Emit(2), Emit(3), Fail("over")]);
    // Here the failure would otherwise come before the inner flows have run at all.
    let failing_later = || {
        script(
            [1, 2, 3]
                .map(|n| [Emit(n), Yield, Yield, Yield])
                .concat()
                .into_iter()
                .chain([Fail("over")])
                .collect::<Vec<_>>(),
        )
    };
    macro_rules! kept {
        ($($name:literal $flow:expr;)*) => {$(
            let mut stream = Driver::new($flow);
            let mut all = vec![stream.next().unwrap()];
            for _ in 0..5 {
                let _ = stream.progress();
            }
            all.extend(stream.rest());
            assert_eq!(all, [Ok(1), Ok(2), Ok(3), Err("over")], $name);
        )*};
    }
    kept! {
        "buffer" failing().buffer(8, Overflow::Suspend);
        "buffer, in hand" failing().buffer(0, Overflow::Suspend);
        "merge" merge([failing(), script([Hang])]);
        "merge, in hand" merge([failing(), script([Hang])]).buffer(0, Overflow::Suspend);
        "flat_map_merge" script([Emit(0), Hang]).flat_map_merge(4, |_| failing());
        "flat_map_merge, of its outer flow" failing_later().flat_map_merge(4, |n| script([Emit(n)]));
        "flat_map_latest" script([Emit(0), Hang]).flat_map_latest(|_| failing());
        "map_latest, of its outer flow" failing_later().map_latest(ready);
        "then_concurrent" failing_later().then_concurrent(4, ready);
        "then_concurrent_unordered" failing_later().then_concurrent_unordered(4, ready);
        "channel_flow" coldflow::channel_flow(|sender| async move {
            for n in 1..4 {
                sender.send(n).await.unwrap();
            }
            Err("over")
        });
    }
}

#[test]
fn an_item_in_hand_is_delivered_before_the_failure_of_another_flow() {
    let (holding, failing) = (script([Emit(1), Emit(2), Emit(3), Hang]), script([Yield, Yield, Yield, Fail("over")]));
    let merged = merge([holding.clone(), failing.clone()]).buffer(0, Overflow::Suspend).boxed();
    let both = [holding, failing];
    let mapped = flow_of([0, 1]).fallible().flat_map_merge(2, move |at| both[at].clone());
    for flow in [merged, mapped.buffer(0, Overflow::Suspend).boxed()] {
        let mut stream = Driver::new(flow);
        assert_eq!(stream.next(), Some(Ok(1)));
        for _ in 0..9 {
            let _ = stream.progress();
        }
        assert_eq!(stream.rest(), [Ok(2), Err("over")]);
    }
}

#[test]
fn what_runs_beside_the_part_that_failed_is_dropped_at_once_even_while_the_consumer_is_busy() {
    let trace = Trace::new();
    let (beside, failing) = (traced(&trace, "beside", [Emit(9), Hang]), script([Emit(1), Yield, Fail("over")]));
    macro_rules! dropped {
        ($($name:literal $flow:expr;)*) => {$(
            let mut stream = Driver::new($flow);
            let _ = stream.next();
            for _ in 0..5 {
                let _ = stream.progress();
            }
            assert!(trace.live().is_empty(), "{}: {:?} lives on", $name, trace.live());
        )*};
    }
    dropped! {
        "merge" merge((beside.clone(), failing.clone()));
        "flat_map_merge" beside.clone().flat_map_merge(4, |_| failing.clone());
        "flat_map_latest" beside.clone().flat_map_latest(|_| failing.clone());
        "combine" combine((beside.clone(), failing.clone()));
        "zip" beside.clone().zip(failing.clone());
        "with_latest_from" beside.clone().with_latest_from(failing.clone());
    }
}

#[test]
fn the_item_in_hand_goes_with_its_block_and_queued_ones_stay() {
    let trace = Trace::new();
    // Over two places: 1 is handed over, 2 and 3 are queued, 4 is in hand when the next value comes.
    let outer = script([Emit(0), Yield, Yield, Emit(100), Hang]);
    let latest = outer.flat_map_latest(|at| traced(&trace, "block", burst(9)).map(move |n| at + n));
    let mut stream = Driver::new(latest.buffer(2, Overflow::Suspend));
    assert_eq!(stream.next(), Some(Ok(1)));
    for _ in 0..3 {
        let _ = stream.progress();
    }
    assert_eq!(stream.next(), Some(Ok(2)));
    assert_eq!(stream.next(), Some(Ok(3)));
    assert_eq!(stream.next(), Some(Ok(101)), "4 was the old block's, and never delivered");
}

#[test]
fn a_new_value_drops_the_block_before_it_builds_the_next() {
    let trace = Trace::new();
    let outer = script([Emit(1), Yield, Emit(2), Hang]);
    let mut stream = Driver::new(outer.flat_map_latest(|_| {
        trace.note("build");
        traced(&trace, "block", [Hang])
    }));
    while stream.poll().is_pending() && stream.woken() {}
    assert_eq!(trace.take(), ["build", "start block", "drop block", "build", "start block"]);
}

#[test]
fn a_failure_above_drops_the_block_and_the_body_at_once() {
    let trace = Trace::new();
    let outer = || script([Emit(1), Yield, Fail("over")]);
    let mut stream = Driver::new(outer().flat_map_latest(|_| traced(&trace, "block", [Hang])));
    assert_eq!(stream.next(), Some(Err("over")));
    assert_eq!(trace.take(), ["start block", "drop block"]);
    let mut future = Polling::new(outer().for_each_latest(|_| {
        let trace = trace.clone();
        async move {
            let _guard = trace.guard("body");
            std::future::pending::<()>().await;
        }
    }));
    assert!(future.poll().is_pending());
    assert_eq!(future.poll(), Poll::Ready(Err("over")));
    assert_eq!(trace.take(), ["start body", "drop body"]);
}

#[test]
fn the_outer_value_for_which_there_is_no_place_is_held_in_hand() {
    let trace = Trace::new();
    let outer = traced(&trace, "outer", burst(9));
    let mut stream = Driver::new(outer.flat_map_merge(2, |_| script([Hang])));
    assert!(stream.poll().is_pending());
    // Two run, the third waits with its emission.
    assert_eq!(trace.take(), ["start outer", "outer after 1", "outer after 2"]);
}

#[test]
fn flat_map_merge_drives_its_outer_flow_before_its_inner_ones() {
    let trace = Trace::new();
    let outer = traced(&trace, "outer", burst(3));
    let mut stream = Driver::new(outer.flat_map_merge(9, |_| traced(&trace, "inner", [Hang])));
    assert!(stream.poll().is_pending());
    let events = trace.take();
    assert_eq!(events[..5], ["start outer", "outer after 1", "outer after 2", "outer after 3", "drop outer"]);
    assert_eq!(events[5..], ["start inner", "start inner", "start inner"]);
}

#[test]
fn an_end_or_an_error_of_either_side_ends_zip_and_drops_the_other() {
    let trace = Trace::new();
    for end in [vec![Emit(1)], vec![Emit(1), Fail("over")]] {
        let hanging = traced(&trace, "hanging", [Emit(1), Hang]);
        let expected = if end.len() == 1 { None } else { Some(Err("over")) };
        let mut first = Driver::new(script(end.clone()).zip(hanging.clone()));
        assert_eq!((first.next(), first.next()), (Some(Ok((1, 1))), expected));
        assert_eq!(trace.live().len(), 0);
        let mut second = Driver::new(hanging.zip(script(end)));
        assert_eq!((second.next(), second.next()), (Some(Ok((1, 1))), expected));
        assert_eq!(trace.live().len(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_runs_ahead_before_the_first_poll() {
    let trace = Trace::new();
    let stream = traced(&trace, "source", burst(3)).buffer(8, Overflow::Suspend);
    let mut stream = Driver::new(stream);
    assert_eq!(stream.progress(), Poll::Ready(()));
    pause(10).await;
    assert_eq!(stream.progress(), Poll::Ready(()));
    assert!(trace.take().is_empty());
}

#[tokio::test(start_paused = true)]
async fn through_a_foreign_combinator_it_stands_still_while_the_consumer_is_busy() {
    use coldflow::Flow;
    use futures::StreamExt;
    let source = script([Emit(1), Wait(100), Emit(2), Wait(100), Emit(3)]).buffer(2, Overflow::Suspend);
    let began = tokio::time::Instant::now();
    source.into_stream().for_each(|_| tokio::time::sleep(ms(300))).await;
    assert_eq!(began.elapsed(), ms(1100), "as the documentation says");
}

#[tokio::test(start_paused = true)]
async fn conflate_gives_the_latest_and_the_first() {
    assert_eq!(items(script(paced(30, 100)).conflate(), 1000).await, ["1", "10", "20", "30"]);
}
