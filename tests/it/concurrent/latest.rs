//! `flat_map_latest`, `map_latest` and `transform_latest`. Kotlin's tests are `FlatMapLatestTest`, `TransformLatestTest`.

use std::future::ready;

use coldflow::{BoxFlow, Emitter, FlowExt, Overflow, flow_of};
use tokio::runtime::Handle;

use super::clock::{Emit, Fail, Hang, Wait, Yield, burst, items, pause, script, seen, traced};
use crate::support::{Driver, Trace, block_on, yield_now};

/// Runs the check with `flat_map_latest` and with `transform_latest` over the same blocks.
macro_rules! both {
    (|$latest:ident| $check:block) => {{
        {
            macro_rules! $latest {
                ($up:expr, |$n:ident| $inner:expr) => {
                    $up.flat_map_latest(|$n| $inner)
                };
            }
            $check
        }
        {
            macro_rules! $latest {
                ($up:expr, |$n:ident| $inner:expr) => {
                    $up.transform_latest(|$n, mut emitter: Emitter<_>| {
                        let inner = $inner;
                        async move {
                            use coldflow::Flow;
                            let mut inner = std::pin::pin!(inner.into_stream());
                            while let Some(item) = futures::StreamExt::next(&mut inner).await {
                                emitter.emit(item?).await;
                            }
                            Ok(())
                        }
                    })
                };
            }
            $check
        }
    }};
}

/// Kotlin: `testFlatMapLatest`, `testTransformLatest`, `testEmission`.
#[test]
fn blocks_that_never_wait_run_completely() {
    both!(|latest| {
        let all = latest!(script(burst(3)), |n| script([Emit(n), Emit(n + 1)])).to_vec();
        assert_eq!(block_on(all), Ok(vec![1, 2, 2, 3, 3, 4]));
        let all = latest!(script([0, 1, 2, 3, 4].map(Emit)), |n| script([Emit(n)])).to_vec();
        assert_eq!(block_on(all), Ok(vec![0, 1, 2, 3, 4]));
    });
}

/// Kotlin: `testSwitchIntuitiveBehaviour`.
#[test]
fn only_the_last_block_passes_its_pause() {
    both!(|latest| {
        let trace = Trace::new();
        let up = script(burst(5));
        let all = latest!(up, |n| traced(&trace, "block", [Emit(n), Yield, Emit(-n)])).to_vec();
        assert_eq!(block_on(all), Ok(vec![1, 2, 3, 4, 5, -5]));
    });
}

/// Kotlin: `testSwitchRendezvousBuffer`.
#[tokio::test(start_paused = true)]
async fn without_a_buffer_a_block_that_waits_with_its_emission_is_dropped() {
    both!(|latest| {
        let up = script([1, 2, 3, 4, 5].map(|n| [Emit(n), Wait(10)]).concat());
        let all = latest!(up, |n| script([Emit(n)])).buffer(0, Overflow::Suspend);
        assert_eq!(items(all, 25).await, ["1", "3", "5"]);
    });
}

/// Kotlin: `testSwitchBuffer`.
#[tokio::test(start_paused = true)]
async fn what_waits_in_the_buffer_is_delivered_and_what_waits_for_room_is_not() {
    both!(|latest| {
        let trace = Trace::new();
        let up = script([1, 2, 3, 42, 4].map(|n| [Emit(n), Wait(10)]).concat());
        let all = latest!(up, |n| traced(&trace, "block", [Emit(n)])).buffer(2, Overflow::Suspend);
        // 1 is with the consumer until 35, 2 and 3 are in the buffer, and 42 waits when 4 comes at 40 and finds room.
        let items = items(all, 45).await;
        assert_eq!(items, ["1", "2", "3", "4"]);
        let returned: Vec<_> = trace.take().into_iter().filter(|event| event.contains("after")).collect();
        assert_eq!(returned, ["block after 1", "block after 2", "block after 3", "block after 4"]);
    });
}

/// Kotlin: `testHangFlows`.
#[test]
fn blocks_that_hang_are_dropped_in_turn() {
    both!(|latest| {
        let trace = Trace::new();
        let steps = |n| if n == 4 { vec![Emit(42)] } else { vec![Hang] };
        let up = script(burst(4));
        let all = latest!(up, |n| traced(&trace, ["", "1", "2", "3", "4"][usize::try_from(n).unwrap()], steps(n)));
        assert_eq!(block_on(all.to_vec()), Ok(vec![42]));
        let dropped: Vec<_> = trace.take().into_iter().filter(|event| event.starts_with("drop")).collect();
        assert_eq!(dropped, ["drop 1", "drop 2", "drop 3", "drop 4"]);
    });
}

/// Kotlin: `testEmptyFlow`, `testTake`.
#[test]
fn empty_stays_empty_and_enough_is_enough() {
    both!(|latest| {
        assert_eq!(block_on(latest!(script([]), |n| script([Emit(n)])).to_vec()), Ok(vec![]));
        let trace = Trace::new();
        let up = traced(&trace, "outer", burst(3));
        let one = latest!(up, |n| traced(&trace, "block", [Emit(n), Hang])).take(1).to_vec();
        assert_eq!(block_on(one), Ok(vec![1]));
        assert!(trace.live().is_empty());
    });
}

/// Kotlin: `testIsolatedContext`.
#[tokio::test(start_paused = true)]
async fn blocks_in_tasks() {
    both!(|latest| {
        let up = script([Emit(1), Wait(10), Emit(2)]);
        let all = latest!(up, |n| script([Emit(n), Wait(5), Emit(n * 10)]).flow_on(&Handle::current()));
        assert_eq!(items(all, 0).await, ["1", "10", "2", "20"]);
    });
}

/// Kotlin: `testFailureInTransform`: the old block is gone before the new one fails.
#[test]
fn a_block_that_fails() {
    both!(|latest| {
        let trace = Trace::new();
        let up = traced(&trace, "outer", [Emit(1), Yield, Emit(2), Hang]);
        let steps = |n| if n == 1 { vec![Emit(1), Hang] } else { vec![Fail("over")] };
        let all = latest!(up, |n| traced(&trace, "block", steps(n)));
        let mut stream = Driver::new(all);
        assert_eq!(stream.rest(), [Ok(1), Err("over")]);
        let events: Vec<_> = trace.take().into_iter().filter(|event| !event.contains("after")).collect();
        assert_eq!(events, ["start outer", "start block", "drop block", "start block", "drop block", "drop outer"]);
    });
}

/// Kotlin: `testFailureDownstream`.
#[test]
fn an_error_below_drops_the_block() {
    both!(|latest| {
        let trace = Trace::new();
        let up = traced(&trace, "outer", [Emit(1), Hang]);
        let all = latest!(up, |n| traced(&trace, "block", [Emit(n), Hang]));
        assert_eq!(block_on(all.try_for_each(|_| ready(Err("below")))), Err("below"));
        assert!(trace.live().is_empty());
    });
}

/// Kotlin: `testFailureUpstream`.
#[tokio::test(start_paused = true)]
async fn an_error_above_drops_the_block() {
    both!(|latest| {
        let trace = Trace::new();
        let up = script([Emit(1), Wait(10), Fail("above")]);
        let all = latest!(up, |n| traced(&trace, "block", [Emit(n), Hang]));
        assert_eq!(seen(all, 0).await, ["0 1", "10 !\"above\""]);
        assert!(trace.live().is_empty());
    });
}

/// Kotlin: `mapLatest`.
#[tokio::test(start_paused = true)]
async fn the_future_of_the_latest_value_counts() {
    let typed = script([Emit(1), Wait(5), Emit(2), Wait(20), Emit(3)]);
    let found = typed.map_latest(async |n| {
        pause(10).await;
        n
    });
    assert_eq!(seen(found, 0).await, ["15 2", "35 3", "35 |"]);
    let Ok(all) = block_on(flow_of(0..5).map_latest(ready).to_vec());
    assert_eq!(all, [0, 1, 2, 3, 4]);
}

#[tokio::test(start_paused = true)]
async fn the_last_block_runs_to_its_end() {
    let all = script(burst(3)).flat_map_latest(|n| script([Wait(10), Emit(n), Wait(10), Emit(-n), Wait(10)]));
    assert_eq!(seen(all, 0).await, ["10 3", "20 -3", "30 |"]);
}

#[tokio::test(start_paused = true)]
async fn a_body_may_end_without_an_item() {
    let none: BoxFlow<'static, u8, &'static str> = script(burst(3))
        .transform_latest(async |_, emitter: Emitter<u8>| {
            yield_now().await;
            drop(emitter);
        })
        .boxed();
    assert_eq!(seen(none, 0).await, ["0 |"]);
}
