//! Many threads for some seconds: ignored unless asked for, as continuous integration does with `--ignored`.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use coldflow::{Flow, FlowExt, MutableSharedFlow, MutableStateFlow, Overflow};
use futures::StreamExt;
use futures::executor::block_on;

use super::random::Random;
use super::{shared, suspending};

const PRODUCERS: usize = 4;
const CONSUMERS: usize = 4;
const TIME: Duration = Duration::from_secs(2);

/// Says whether for a second nothing has happened.
fn watch(progress: &AtomicU64, until: Instant) {
    let mut last = u64::MAX;
    while Instant::now() < until {
        let now = progress.load(Ordering::Relaxed);
        assert_ne!(now, last, "nothing has happened for a second: it hangs");
        last = now;
        thread::sleep(Duration::from_secs(1));
    }
}

/// Values are `(producer, number)`. Some emissions are cancelled; those are known.
#[allow(clippy::too_many_lines)] // It is three kinds of threads.
fn shared_flow(flow: &MutableSharedFlow<(usize, u64)>, loses: bool) {
    let until = Instant::now() + TIME;
    let progress = AtomicU64::new(0);
    let producers_left = AtomicUsize::new(PRODUCERS);
    let cancelled: Vec<Mutex<Vec<u64>>> = (0..PRODUCERS).map(|_| Mutex::default()).collect();
    // One that stays gets everything that is emitted, but what was withdrawn.
    let staying = flow.as_shared().subscribe();
    let (everything, ends) = thread::scope(|scope| {
        let staying = scope.spawn(|| {
            let mut last = [0_u64; PRODUCERS];
            let mut gaps = vec![Vec::new(); PRODUCERS];
            block_on(async {
                let mut stream = std::pin::pin!(staying.into_stream());
                while let Some(Ok((producer, n))) = stream.next().await {
                    if producer == PRODUCERS {
                        // Those who are waited for at the end are let go; the last of all is for this one.
                        if n == u64::MAX {
                            break;
                        }
                        continue;
                    }
                    assert!(n > last[producer], "the order of {producer}: {n} after {}", last[producer]);
                    gaps[producer].extend(last[producer] + 1..n);
                    last[producer] = n;
                }
            });
            (gaps, last)
        });
        let consumers: Vec<_> = (0..CONSUMERS)
            .map(|id| {
                let (progress, producers_left) = (&progress, &producers_left);
                scope.spawn(move || {
                    let mut random = Random::new(id as u64 + 7);
                    while producers_left.load(Ordering::SeqCst) > 0 {
                        let mut last = [0; PRODUCERS];
                        let wanted = 1 + random.below(50);
                        block_on(async {
                            let mut stream = std::pin::pin!(flow.as_shared().take(wanted).into_stream());
                            while let Some(Ok((producer, n))) = stream.next().await {
                                if producer == PRODUCERS {
                                    break;
                                }
                                assert!(n > last[producer]);
                                last[producer] = n;
                                progress.fetch_add(1, Ordering::Relaxed);
                            }
                        });
                    }
                })
            })
            .collect();
        let producers: Vec<_> = (0..PRODUCERS)
            .map(|id| {
                let (cancelled, producers_left) = (&cancelled, &producers_left);
                scope.spawn(move || {
                    let mut random = Random::new(id as u64 + 77);
                    let mut n = 0;
                    while Instant::now() < until {
                        n += 1;
                        match random.below(20) {
                            0 => {
                                // Given up, unless it is done at once.
                                let done = block_on(async {
                                    let mut emission = std::pin::pin!(flow.emit((id, n)));
                                    futures::poll!(emission.as_mut()).is_ready()
                                });
                                if !done {
                                    cancelled[id].lock().unwrap().push(n);
                                }
                            }
                            1 if !flow.try_emit((id, n)) => cancelled[id].lock().unwrap().push(n),
                            1 => {}
                            _ => block_on(flow.emit((id, n))),
                        }
                        if random.below(1000) == 0 {
                            flow.reset_replay_cache();
                        }
                    }
                    producers_left.fetch_sub(1, Ordering::SeqCst);
                    n
                })
            })
            .collect();
        watch(&progress, until);
        let ends: Vec<u64> = producers.into_iter().map(|thread| thread.join().unwrap()).collect();
        // Consumers that wait for more are let go.
        while consumers.iter().any(|consumer| !consumer.is_finished()) {
            block_on(flow.emit((PRODUCERS, 0)));
        }
        block_on(flow.emit((PRODUCERS, u64::MAX)));
        for consumer in consumers {
            consumer.join().unwrap();
        }
        (staying.join(), ends)
    });
    let (gaps, last) = everything.unwrap();
    if !loses {
        for producer in 0..PRODUCERS {
            let cancelled = cancelled[producer].lock().unwrap();
            for gap in &gaps[producer] {
                assert!(cancelled.contains(gap), "{gap} of {producer} is lost");
            }
            let after = last[producer] + 1..=ends[producer];
            for n in after {
                assert!(cancelled.contains(&n), "{n} of {producer} is lost");
            }
        }
    }
    assert_eq!(flow.subscription_count().value(), 0);
}

// SharedFlowStressTest
#[test]
#[ignore = "takes some seconds"]
fn nothing_is_lost_without_room() {
    shared_flow(&suspending(0, 0), false);
}

#[test]
#[ignore = "takes some seconds"]
fn nothing_is_lost_with_room() {
    shared_flow(&suspending(1, 0), false);
    shared_flow(&suspending(3, 10), false);
}

#[test]
#[ignore = "takes some seconds"]
fn the_order_is_kept_when_the_oldest_are_dropped() {
    shared_flow(&shared(1, 3, Overflow::DropOldest), true);
}

// StateFlowStressTest, StateFlowCommonStressTest
#[test]
#[ignore = "takes some seconds"]
fn the_values_of_a_state_only_grow() {
    let state = MutableStateFlow::new(0_u64);
    let stop = AtomicBool::new(false);
    let progress = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..PRODUCERS {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    state.update(|n| n + 1);
                }
            });
        }
        for id in 0..CONSUMERS {
            let (state, stop, progress) = (&state, &stop, &progress);
            scope.spawn(move || {
                let mut random = Random::new(id as u64);
                let mut last = 0;
                while !stop.load(Ordering::Relaxed) {
                    // One more would have to wait when the others have stopped.
                    block_on(async {
                        let mut stream = std::pin::pin!(state.as_state().into_stream());
                        for at in 0..=random.below(20) {
                            if stop.load(Ordering::Relaxed) {
                                break;
                            }
                            let Some(Ok(n)) = stream.next().await else { break };
                            assert!(if at == 0 { n >= last } else { n > last }, "{n} after {last}");
                            last = n;
                            progress.fetch_add(1, Ordering::Relaxed);
                        }
                    });
                }
            });
        }
        // Keeps consumers from waiting for ever once the others have stopped.
        scope.spawn(|| {
            watch(&progress, Instant::now() + TIME);
            stop.store(true, Ordering::Relaxed);
            for _ in 0..100 {
                state.update(|n| n + 1);
                thread::sleep(Duration::from_millis(1));
            }
        });
    });
    assert_eq!(state.subscription_count().value(), 0);
}

#[test]
#[ignore = "takes some seconds"]
fn no_step_of_a_count_is_lost_between_threads() {
    let flow = Arc::new(suspending::<()>(0, 0));
    let counts = flow.subscription_count();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let steps = scope.spawn(|| {
            block_on(async {
                let mut stream = std::pin::pin!(counts.into_stream());
                let mut last: Option<usize> = None;
                let mut steps = 0_u64;
                while let Some(Ok(count)) = stream.next().await {
                    if let Some(last) = last {
                        assert_eq!(last.abs_diff(count), 1, "{count} after {last}");
                    }
                    last = Some(count);
                    steps += 1;
                    if steps > 200_000 {
                        break;
                    }
                }
                stop.store(true, Ordering::Relaxed);
                steps
            })
        });
        for _ in 0..7 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    drop(flow.as_shared().subscribe());
                }
            });
        }
        assert!(steps.join().unwrap() > 1000);
    });
}
