//! Emitting from odd places: sub-executors, given up emissions, foreign tasks.

use std::future::ready;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use coldflow::{Emitter, FlowExt, flow};
use futures::future::{join_all, select};
use futures::stream::{FuturesUnordered, StreamExt};

use crate::support::{Driver, Gate, Step, Trace, block_on, yield_now};

/// Values from 0 on, each behind a `yield`.
async fn emit_all(emitter: &mut Emitter<u32>, count: u32) {
    for n in 0..count {
        yield_now().await;
        emitter.emit(n).await;
    }
}

#[test]
fn inside_futures_unordered_nothing_is_lost_or_reordered() {
    let numbers = flow(async |mut emitter| {
        let busy = (0..5).map(|_| Box::pin(yield_now()) as std::pin::Pin<Box<dyn Future<Output = ()> + Send>>);
        let mut all: FuturesUnordered<_> = busy.collect();
        let emitting = Box::pin(async move { emit_all(&mut emitter, 100).await });
        all.push(emitting);
        while all.next().await.is_some() {}
    });
    assert_eq!(block_on(numbers.to_vec()), Ok((0..100).collect()));
}

#[test]
fn inside_futures_unordered_without_a_pending_between() {
    let numbers = flow(async |mut emitter| {
        let mut all = FuturesUnordered::new();
        all.push(async move {
            for n in 0..100 {
                emitter.emit(n).await;
            }
        });
        while all.next().await.is_some() {}
    });
    assert_eq!(block_on(numbers.to_vec()), Ok((0..100).collect()));
}

#[test]
fn inside_two_layers_of_futures_unordered() {
    let numbers = flow(async |mut emitter| {
        let mut outer = FuturesUnordered::new();
        outer.push(async move {
            let mut inner = FuturesUnordered::new();
            inner.push(async move { emit_all(&mut emitter, 50).await });
            while inner.next().await.is_some() {}
        });
        while outer.next().await.is_some() {}
    });
    assert_eq!(block_on(numbers.to_vec()), Ok((0..50).collect()));
}

#[test]
fn inside_join_beside_a_future_that_goes_on() {
    let trace = Trace::new();
    let noted = trace.clone();
    let numbers = flow(move |mut emitter| {
        let noted = noted.clone();
        async move {
            tokio::join!(emit_all(&mut emitter, 20), async {
                for tick in 0..5 {
                    yield_now().await;
                    noted.note(tick);
                }
            });
        }
    });
    assert_eq!(block_on(numbers.to_vec()), Ok((0..20).collect()));
    assert_eq!(trace.take(), ["0", "1", "2", "3", "4"]);
}

#[test]
fn inside_a_join_of_many() {
    // More than 30 futures: `join_all` then drives them with wakers of its own.
    let numbers = flow(async |mut emitter| {
        let mut emitting = Some(async move { emit_all(&mut emitter, 20).await });
        join_all((0..40).map(|n| {
            let emitting = if n == 20 { emitting.take() } else { None };
            async move {
                match emitting {
                    Some(emitting) => emitting.await,
                    None => yield_now().await,
                }
            }
        }))
        .await;
    });
    assert_eq!(block_on(numbers.to_vec()), Ok((0..20).collect()));
}

#[tokio::test(start_paused = true)]
async fn inside_select_with_a_timer() {
    let numbers = flow(async |mut emitter| {
        let mut ticks = tokio::time::interval(Duration::from_millis(10));
        for n in 0..20 {
            tokio::select! {
                biased;
                () = emitter.emit(n) => {}
                () = async { loop { ticks.tick().await; } } => {}
            }
        }
    });
    let slow = numbers.on_each(|_| tokio::time::sleep(Duration::from_millis(7)));
    assert_eq!(slow.to_vec().await, Ok((0..20).collect::<Vec<u32>>()));
}

#[test]
fn an_emission_that_is_given_up_after_its_first_poll_is_delivered_once() {
    // `select` polls both: the emission hands its value over, then the other one wins and the emission is dropped.
    let numbers = flow(async |mut emitter| {
        for n in 0..10 {
            select(pin!(emitter.emit(2 * n)), ready(())).await;
            emitter.emit(2 * n + 1).await;
        }
    });
    assert_eq!(block_on(numbers.to_vec()), Ok((0..20).collect::<Vec<i32>>()));
}

#[test]
fn an_emission_that_is_given_up_inside_futures_unordered_is_delivered_once() {
    let numbers = flow(async |mut emitter| {
        let mut all = FuturesUnordered::new();
        all.push(async move {
            for n in 0..10 {
                select(pin!(emitter.emit(2 * n)), ready(())).await;
                emitter.emit(2 * n + 1).await;
            }
        });
        while all.next().await.is_some() {}
    });
    assert_eq!(block_on(numbers.to_vec()), Ok((0..20).collect::<Vec<i32>>()));
}

#[test]
fn an_emission_that_is_given_up_behind_another_one_waits_for_its_turn() {
    // The second one is given up while the first one's value has not been taken: it never got to hand its own over.
    let numbers = flow(async |mut emitter| {
        select(pin!(emitter.emit(1)), ready(())).await;
        select(pin!(emitter.emit(2)), ready(())).await;
        select(pin!(emitter.emit(3)), pin!(yield_now())).await;
    });
    assert_eq!(block_on(numbers.to_vec()), Ok(vec![1, 3]));
}

#[test]
fn an_emission_in_a_sub_executor_comes_behind_one_that_was_given_up_outside_of_it() {
    // Who takes the first value knows nothing of the executor in which the second emission waits.
    let numbers = flow(async |mut emitter| {
        select(pin!(emitter.emit(1)), ready(())).await;
        let mut all = FuturesUnordered::new();
        all.push(async move { emitter.emit(2).await });
        while all.next().await.is_some() {}
    });
    assert_eq!(block_on(numbers.to_vec()), Ok(vec![1, 2]));
}

#[test]
fn an_emission_that_moves_from_one_sub_executor_to_another() {
    let numbers = flow(async |mut emitter| {
        let mut emission = Box::pin(emitter.emit(1));
        let mut first = FuturesUnordered::new();
        first.push(select(&mut emission, Box::pin(yield_now())));
        first.next().await;
        drop(first);
        let mut second = FuturesUnordered::new();
        second.push(emission);
        second.next().await;
        drop(second);
        emitter.emit(2).await;
    });
    assert_eq!(block_on(numbers.to_vec()), Ok(vec![1, 2]));
}

#[tokio::test]
async fn inside_a_local_set() {
    let numbers = flow(async |mut emitter| {
        let local = tokio::task::LocalSet::new();
        local
            .run_until(async move {
                let emitting = tokio::task::spawn_local(async move { emit_all(&mut emitter, 20).await });
                emitting.await.unwrap();
            })
            .await;
    });
    assert_eq!(numbers.to_vec().await, Ok((0..20).collect::<Vec<u32>>()));
}

#[test]
fn inside_a_shared_future() {
    use futures::FutureExt;
    let numbers = flow(async |mut emitter| {
        let shared = async move { emit_all(&mut emitter, 5).await }.shared();
        futures::join!(shared.clone(), shared);
    });
    assert_eq!(block_on(numbers.to_vec()), Ok((0..5).collect::<Vec<u32>>()));
}

#[test]
fn an_emission_that_is_dropped_before_its_first_poll_emits_nothing() {
    let numbers = flow(async |mut emitter| {
        drop(emitter.emit(1));
        emitter.emit(2).await;
    });
    assert_eq!(block_on(numbers.to_vec()), Ok(vec![2]));
}

#[test]
fn a_body_that_ends_with_its_last_emission_given_up_delivers_it_before_its_end() {
    let numbers = flow(async |mut emitter| {
        select(pin!(emitter.emit(1)), ready(())).await;
    });
    assert_eq!(block_on(numbers.to_vec()), Ok(vec![1]));
}

#[test]
fn a_body_that_fails_with_its_last_emission_given_up_delivers_it_before_the_error() {
    let mut numbers = Driver::new(flow(async |mut emitter| {
        select(pin!(emitter.emit(1)), ready(())).await;
        Err("over")
    }));
    assert_eq!(numbers.next(), Some(Ok(1)));
    assert!(!numbers.is_terminated());
    assert_eq!(numbers.next(), Some(Err("over")));
    assert!(numbers.is_terminated());
    assert_eq!(numbers.next(), None);
}

#[test]
fn what_a_body_had_handed_over_is_dropped_with_the_collection() {
    let value = Arc::new(());
    let handed = Arc::clone(&value);
    let mut numbers = Driver::new(flow(move |mut emitter| {
        let handed = Arc::clone(&handed);
        async move {
            select(pin!(emitter.emit(Arc::clone(&handed))), ready(())).await;
            select(pin!(emitter.emit(handed)), ready(())).await;
        }
    }));
    drop(numbers.next());
    numbers.restart();
    drop(numbers.next());
    drop(numbers);
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn nothing_of_a_run_that_was_restarted_comes_out_of_the_next() {
    // The first run is cut off at its first emission.
    let mut run = 0;
    let mut numbers = Driver::new(flow(move |mut emitter| {
        run += 10;
        let run = run;
        async move {
            emitter.emit(run + 1).await;
            select(pin!(emitter.emit(run + 2)), ready(())).await;
            yield_now().await;
        }
    }));
    assert_eq!(numbers.next(), Some(Ok(11)));
    numbers.restart();
    assert_eq!(numbers.rest(), [Ok(21), Ok(22)]);
}

#[test]
fn an_emission_resolves_when_the_next_item_is_asked_for() {
    let trace = Trace::new();
    let noted = trace.clone();
    let mut numbers = Driver::new(flow(move |mut emitter| {
        let noted = noted.clone();
        async move {
            for n in 1..3 {
                noted.note(format!("emit {n}"));
                emitter.emit(n).await;
                noted.note(format!("emitted {n}"));
            }
        }
    }));
    assert!(trace.take().is_empty());
    assert_eq!(numbers.next(), Some(Ok(1)));
    assert_eq!(numbers.progress(), Poll::Ready(()));
    assert_eq!(trace.take(), ["emit 1"]);
    assert_eq!(numbers.next(), Some(Ok(2)));
    assert_eq!(trace.take(), ["emitted 1", "emit 2"]);
    assert_eq!(numbers.next(), None);
    assert_eq!(trace.take(), ["emitted 2"]);
}

#[test]
fn the_body_is_woken_through_whichever_waker_polled_last() {
    let gate = Gate::default();
    let inner = gate.clone();
    let mut numbers = Driver::new(flow(move |mut emitter| {
        let gate = inner.clone();
        async move {
            let mut all = FuturesUnordered::new();
            all.push(async move {
                gate.pass().await;
                emitter.emit(1).await;
                gate.pass().await;
                emitter.emit(2).await;
            });
            while all.next().await.is_some() {}
        }
    }));
    assert_eq!(numbers.poll(), Poll::Pending);
    numbers.change_waker();
    assert_eq!(numbers.poll(), Poll::Pending);
    gate.open();
    assert!(numbers.woken(), "the waker of the last poll");
    assert_eq!(numbers.poll(), Poll::Ready(Some(Ok(1))));
    numbers.change_waker();
    assert_eq!(numbers.poll(), Poll::Pending);
    gate.open();
    assert!(numbers.woken(), "the waker of the last poll");
    assert_eq!(numbers.rest(), [Ok(2)]);
}

#[tokio::test]
async fn an_emitter_in_a_foreign_task_panics_with_advice() {
    let mut numbers = Driver::new(flow(|mut emitter: Emitter<u32>| async move {
        let task = tokio::spawn(async move { emitter.emit(1).await });
        let panic = task.await.unwrap_err().into_panic();
        let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        Err::<(), _>(message.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap())
    }));
    let error = loop {
        if let Poll::Ready(item) = numbers.poll() {
            break item.unwrap().unwrap_err();
        }
        tokio::task::yield_now().await;
    };
    assert!(error.contains("outside of the body"), "{error}");
    assert!(error.contains("channel_flow"), "{error}");
}

#[test]
fn an_emitter_that_outlives_its_run_panics_and_is_cut_off_from_the_next() {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&kept);
    let mut run = 0;
    let mut numbers = Driver::new(flow(move |emitter: Emitter<u32>| {
        run += 1;
        let last = run == 2;
        let (keep, run) = (Arc::clone(&keep), run);
        let mut emitter = Some(emitter);
        async move {
            if last {
                emitter.as_mut().unwrap().emit(run).await;
            } else {
                keep.lock().unwrap().extend(emitter.take());
                yield_now().await;
            }
        }
    }));
    assert_eq!(numbers.poll(), Poll::Pending);
    numbers.restart();
    assert_eq!(numbers.next(), Some(Ok(2)));
    let mut stale = kept.lock().unwrap().pop().unwrap();
    let polled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = std::pin::pin!(stale.emit(7)).poll(&mut Context::from_waker(Waker::noop()));
    }));
    assert!(polled.is_err(), "nobody would take its value");
    assert_eq!(numbers.rest(), []);
}

#[test]
fn a_panic_in_the_body_leaves_the_emitter_cut_off() {
    let kept = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&kept);
    let mut numbers = Driver::new(flow(move |emitter: Emitter<u32>| {
        let keep = Arc::clone(&keep);
        async move {
            *keep.lock().unwrap() = Some(emitter);
            panic!("of the body");
        }
    }));
    let first = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _: Poll<Option<Result<u32, std::convert::Infallible>>> = numbers.poll();
    }));
    assert!(first.is_err());
    drop(numbers);
    let mut stale = kept.lock().unwrap().take().unwrap();
    let polled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        std::pin::pin!(stale.emit(7)).poll(&mut Context::from_waker(Waker::noop()))
    }));
    assert!(polled.is_err(), "its body is gone, so nobody would ever take the value");
}

#[test]
fn a_body_may_be_pending_between_its_emissions() {
    let trace = Trace::new();
    let probe = crate::support::Probe::new(&trace, &[Step::Emit(1), Step::Wait, Step::Emit(2)]);
    let gate = probe.gate();
    // Re-emitting a flow from within a body is how a flow is composed by hand.
    let mut numbers = Driver::new(flow(move |mut emitter| {
        let probe = probe.clone();
        async move {
            let mut items = pin!(coldflow::Flow::into_stream(probe));
            while let Some(item) = items.next().await {
                emitter.emit(item?).await;
            }
            Ok::<(), &str>(())
        }
    }));
    assert_eq!(numbers.poll(), Poll::Ready(Some(Ok(1))));
    assert_eq!(numbers.poll(), Poll::Pending);
    assert!(!numbers.woken());
    gate.open();
    assert!(numbers.woken());
    assert_eq!(numbers.rest(), [Ok(2)]);
    assert!(trace.live().is_empty());
}
