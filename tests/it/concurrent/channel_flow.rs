//! `channel_flow` and `callback_flow`. Kotlin's tests are `ChannelBuildersFlowTest`, `ChannelFlowTest` and `CallbackFlowTest`.

use std::future::ready;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use coldflow::{FlowExt, Overflow, SendError, Sender, TrySendError, callback_flow, channel_flow};

use super::clock::{items, pause, seen};
use crate::support::{Driver, Polling, Trace, block_on};

/// Kotlin: `testRegular`.
#[test]
fn what_is_sent_comes_out_in_order() {
    let numbers = channel_flow(|sender| async move {
        for n in 1..4 {
            assert_eq!(sender.send(n).await, Ok(()));
        }
    });
    assert_eq!(block_on(numbers.to_vec()), Ok(vec![1, 2, 3]));
}

/// Kotlin: `testBuffer`, `testConflated`, where an offer that cannot wait shows the room.
#[test]
fn a_buffer_below_sets_the_room_and_conflate_keeps_the_latest() {
    let offers = |offered: &Arc<Mutex<Vec<bool>>>| {
        let offered = Arc::clone(offered);
        channel_flow(move |sender: Sender<i32>| {
            offered.lock().unwrap().extend((1..=4).map(|n| sender.try_send(n).is_ok()));
            ready(())
        })
    };
    let offered = Arc::default();
    let taken = block_on(offers(&offered).buffer(1, Overflow::Suspend).to_vec());
    assert_eq!((taken, &offered.lock().unwrap()[..]), (Ok(vec![1, 2]), &[true, true, false, false][..]));
    let offered = Arc::default();
    assert_eq!(block_on(offers(&offered).conflate().to_vec()), Ok(vec![1, 4]));
    let offered = Arc::default();
    assert_eq!(block_on(offers(&offered).buffer(1, Overflow::DropLatest).to_vec()), Ok(vec![1, 2]));
    let offered = Arc::default();
    assert_eq!(block_on(offers(&offered).buffer(0, Overflow::Suspend).to_vec()), Ok(vec![1]));
}

/// Kotlin: `testFailureCancelsChannel`, `testFailureInSourceCancelsConsumer`, with the items before the failure (ours).
#[test]
fn a_failure_comes_behind_the_items_and_closes_the_senders() {
    let elsewhere = Arc::new(Mutex::new(None));
    let failing = channel_flow(|sender: Sender<i32>| {
        *elsewhere.lock().unwrap() = Some(sender.clone());
        async move {
            sender.send(1).await.unwrap();
            sender.send(2).await.unwrap();
            Err("over")
        }
    });
    let mut stream = Driver::new(failing);
    assert_eq!(stream.next(), Some(Ok(1)));
    let sender = elsewhere.lock().unwrap().take().unwrap();
    assert_eq!(sender.try_send(3), Err(TrySendError::Closed(3)));
    assert_eq!(stream.rest(), [Ok(2), Err("over")]);
    assert!(stream.is_terminated());
}

/// Kotlin: `testFailureInFlowCancelsChannel`, `testFailureInConsumerCancelsSource`.
#[test]
fn a_consumer_that_fails_drops_the_body() {
    let trace = Trace::new();
    let numbers = channel_flow(|sender: Sender<i32>| {
        let guard = trace.guard("body");
        async move {
            let _guard = guard;
            while sender.send(1).await.is_ok() {}
            Ok(())
        }
    });
    assert_eq!(block_on(numbers.try_for_each(|_| ready(Err("consumer")))), Err("consumer"));
    assert!(trace.live().is_empty());
}

/// Kotlin: `testMergeOneCoroutine`, where several producers share the channel.
#[tokio::test(start_paused = true)]
async fn several_producers_send_at_once() {
    let both = channel_flow(|sender| async move {
        let other = sender.clone();
        tokio::join!(
            async {
                for n in 1..3 {
                    pause(10).await;
                    sender.send(n).await.unwrap();
                }
            },
            async {
                pause(15).await;
                other.send(9).await.unwrap();
            }
        );
    });
    assert_eq!(seen(both, 0).await, ["10 1", "15 9", "20 2", "20 |"]);
}

/// Kotlin: `testEarlyClose`, `testAwaitCloseRace`. Ours ends when the body, too, has returned.
#[tokio::test(start_paused = true)]
async fn it_ends_when_the_body_has_returned_and_all_senders_are_gone() {
    let body_last = channel_flow(|sender| async move {
        sender.send(1).await.unwrap();
        drop(sender);
        pause(10).await;
        Err("raised behind the last item")
    });
    assert_eq!(seen(body_last, 0).await, ["0 1", "10 !\"raised behind the last item\""]);
    let sender_last = channel_flow(|sender| {
        tokio::spawn(async move {
            pause(20).await;
            sender.send(1).await.unwrap();
            pause(20).await;
        });
        ready(())
    });
    assert_eq!(seen(sender_last, 0).await, ["20 1", "40 |"]);
}

/// Kotlin: `testCancelledOnCompletion` (#2506): the collection's end drops what is left of the body.
#[test]
fn an_end_that_the_consumer_decides_drops_the_body_and_closes_the_senders() {
    let elsewhere = Arc::new(Mutex::new(None));
    let trace = Trace::new();
    let numbers = channel_flow(|sender: Sender<i32>| {
        *elsewhere.lock().unwrap() = Some(sender.clone());
        let guard = trace.guard("body");
        async move {
            let _guard = guard;
            sender.send(1).await.unwrap();
            std::future::pending::<()>().await;
        }
    });
    assert_eq!(block_on(numbers.first()), Ok(Some(1)));
    assert!(trace.live().is_empty());
    let sender = elsewhere.lock().unwrap().take().unwrap();
    assert_eq!(block_on(sender.send(2)), Err(SendError(2)));
}

#[tokio::test(start_paused = true)]
async fn the_body_runs_beside_a_busy_consumer_as_far_as_there_is_room() {
    let trace = Trace::new();
    let numbers = channel_flow(|sender: Sender<i32>| {
        let trace = trace.clone();
        async move {
            for n in 1..6 {
                sender.send(n).await.unwrap();
                trace.note(n);
            }
        }
    });
    let mut stream = Driver::new(numbers.buffer(2, Overflow::Suspend));
    assert_eq!(stream.next(), Some(Ok(1)));
    let _ = stream.progress();
    assert_eq!(trace.take(), ["1", "2", "3"]);
    assert_eq!(stream.next(), Some(Ok(2)));
    let _ = stream.progress();
    assert_eq!(trace.take(), ["4"]);
}

#[test]
fn senders_that_wait_are_served_in_turn_and_may_give_up() {
    let elsewhere = Arc::new(Mutex::new(None));
    let numbers = channel_flow(|sender: Sender<i32>| {
        *elsewhere.lock().unwrap() = Some(sender);
        ready(())
    });
    let mut stream = Driver::new(numbers.buffer(1, Overflow::Suspend));
    assert!(stream.poll().is_pending());
    let sender: Sender<i32> = elsewhere.lock().unwrap().take().unwrap();
    assert_eq!((sender.try_send(1), sender.try_send(2)), (Ok(()), Ok(())));
    assert_eq!(sender.try_send(3), Err(TrySendError::Full(3)));
    let mut waiting: Vec<_> = (4..8).map(|n| Polling::new(sender.send(n))).collect();
    for sending in &mut waiting {
        assert!(sending.poll().is_pending());
    }
    drop(waiting.remove(1)); // 5 is given up
    assert_eq!(stream.next(), Some(Ok(1)));
    assert_eq!(stream.next(), Some(Ok(2)));
    assert!(waiting[0].woken() && !waiting[1].woken(), "the first has moved up, and only that");
    assert_eq!(waiting[0].poll(), Poll::Ready(Ok(())));
    assert_eq!((stream.next(), stream.next()), (Some(Ok(4)), Some(Ok(6))));
    stream.stop();
    assert_eq!(waiting[1].poll(), Poll::Ready(Ok(())), "it was taken");
    assert_eq!(waiting[2].poll(), Poll::Ready(Ok(())), "it had moved up, and went with the collection");
    assert_eq!(block_on(sender.send(8)), Err(SendError(8)));
}

/// A sender in another task has no part in the consumer's time: it must neither spin nor stop the clock.
#[tokio::test(start_paused = true)]
async fn a_producer_in_another_task_fills_a_large_buffer_while_nobody_polls() {
    use coldflow::Flow;
    use futures::StreamExt;
    let numbers = channel_flow(|sender: Sender<u32>| {
        tokio::spawn(async move {
            for n in 0..1_000 {
                sender.send(n).await.unwrap();
            }
        });
        ready(())
    });
    let mut stream = Box::pin(numbers.buffer(2_000, Overflow::Suspend).into_stream());
    assert_eq!(stream.next().await, Some(Ok(0)));
    pause(1_000).await;
    assert_eq!(stream.collect::<Vec<_>>().await.len(), 999);
}

#[tokio::test(start_paused = true)]
async fn senders_of_an_earlier_run_do_not_reach_the_next() {
    let elsewhere = Arc::new(Mutex::new(Vec::new()));
    let numbers = channel_flow(|sender: Sender<i32>| {
        elsewhere.lock().unwrap().push(sender.clone());
        async move { sender.send(1).await.unwrap() }
    });
    let mut stream = Driver::new(numbers);
    assert_eq!(stream.next(), Some(Ok(1)));
    stream.restart();
    assert_eq!(stream.next(), Some(Ok(1)));
    let senders = std::mem::take(&mut *elsewhere.lock().unwrap());
    assert_eq!(senders[0].try_send(5), Err(TrySendError::Closed(5)));
    assert_eq!(senders[1].try_send(6), Ok(()));
    drop(senders);
    assert_eq!(stream.rest(), [Ok(6)]);
}

/// An interface that calls back, with a guard that unregisters.
#[derive(Clone, Default)]
struct Api(Arc<Mutex<Option<Sender<i32>>>>);

struct Unregister(Api, Trace);

impl Drop for Unregister {
    fn drop(&mut self) {
        self.0.0.lock().unwrap().take();
        self.1.note("unregistered");
    }
}

/// Kotlin: `CallbackFlowTest.testThrowingConsumer`, `testMergeExample`; the guard stands for `awaitClose`.
#[test]
fn a_callback_is_unregistered_however_the_collection_ends() {
    let (api, trace) = (Api::default(), Trace::new());
    let register = || {
        callback_flow(|sender| {
            *api.0.lock().unwrap() = Some(sender);
            Unregister(api.clone(), trace.clone())
        })
    };
    let report = |n| api.0.lock().unwrap().as_ref().map(|sender| sender.try_send(n));
    // Dropped.
    let mut stream = Driver::new(register());
    assert!(stream.poll().is_pending());
    assert_eq!(report(1), Some(Ok(())));
    assert!(stream.woken());
    assert_eq!(stream.poll(), Poll::Ready(Some(Ok(1))));
    assert!(trace.take().is_empty());
    drop(stream);
    assert_eq!((trace.take(), report(2)), (vec!["unregistered".to_owned()], None));
    // Ended by the interface.
    let mut stream = Driver::new(register());
    assert!(stream.poll().is_pending());
    let _ = report(3);
    api.0.lock().unwrap().take();
    assert_eq!(stream.rest(), [Ok(3)]);
    assert_eq!(trace.take(), ["unregistered"]);
    // Restarted: unregistered, and registered anew.
    let mut stream = Driver::new(register());
    assert!(stream.poll().is_pending());
    stream.restart();
    assert_eq!((trace.take(), report(4)), (vec!["unregistered".to_owned()], None));
    assert!(stream.poll().is_pending());
    let _ = report(5);
    assert_eq!(stream.poll(), Poll::Ready(Some(Ok(5))));
}

/// Kotlin: `testConflated` for callbacks.
#[tokio::test(start_paused = true)]
async fn a_callback_into_a_conflated_flow_never_fails() {
    let numbers = callback_flow(|sender| {
        let sender: Sender<i32> = sender;
        tokio::spawn(async move {
            for n in 1..=100 {
                pause(1).await;
                sender.try_send(n).unwrap();
            }
        })
    });
    assert_eq!(items(numbers.conflate(), 40).await, ["1", "40", "80", "100"]);
}
