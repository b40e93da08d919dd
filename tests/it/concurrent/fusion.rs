//! Adjacent buffers become one: the table of Kotlin's fusion, by how far a burst runs ahead and what is lost.

use coldflow::{ColdFlow, FlowExt, Overflow, channel_flow, merge};

use super::clock::{Script, burst, traced};
use crate::support::{Driver, Trace};

use Overflow::{DropLatest, DropOldest, Suspend};

/// How many emissions of a burst return while a consumer holds the first item, and what it gets of the rest.
fn room<F>(build: impl FnOnce(Script) -> F, restarted: bool) -> (usize, Vec<i32>)
where
    F: ColdFlow<Item = i32, Error = &'static str>,
{
    let trace = Trace::new();
    let mut stream = Driver::new(build(traced(&trace, "source", burst(100))));
    if restarted {
        assert_eq!(stream.next(), Some(Ok(1)));
        let _ = stream.progress();
        stream.restart();
        trace.take();
    }
    assert_eq!(stream.next(), Some(Ok(1)));
    for _ in 0..5 {
        let _ = stream.progress();
    }
    let returned = trace.take().iter().filter(|event| event.starts_with("source after")).count();
    (returned, stream.rest().into_iter().map(Result::unwrap).collect())
}

/// Nothing is lost, and so many emissions return ahead of the consumer, besides the one whose item it holds.
macro_rules! suspending {
    ($($places:literal |$up:ident| $flow:expr;)*) => {$(
        for restarted in [false, true] {
            let (returned, rest) = room(|$up| $flow, restarted);
            assert_eq!(returned, $places + 1, "{}, restarted: {restarted}", stringify!($flow));
            assert_eq!(rest, (2..=100).collect::<Vec<_>>(), "{}", stringify!($flow));
        }
    )*};
}

/// All emissions return, and the consumer gets these.
macro_rules! dropping {
    ($($items:expr, |$up:ident| $flow:expr;)*) => {$(
        for restarted in [false, true] {
            let (returned, rest) = room(|$up| $flow, restarted);
            assert_eq!(returned, 100, "{}, restarted: {restarted}", stringify!($flow));
            assert_eq!(rest, $items.collect::<Vec<i32>>(), "{}, restarted: {restarted}", stringify!($flow));
        }
    )*};
}

/// Kotlin: `BufferTest`, all of its sums and defaults.
#[test]
fn plain_buffers_add_up() {
    suspending! {
        64 |up| up.buffer(None, Suspend);
        0 |up| up.buffer(0, Suspend);
        1 |up| up.buffer(1, Suspend);
        2 |up| up.buffer(2, Suspend);
        3 |up| up.buffer(3, Suspend);
        0 |up| up.buffer(0, Suspend).buffer(0, Suspend);
        1 |up| up.buffer(0, Suspend).buffer(1, Suspend);
        2 |up| up.buffer(1, Suspend).buffer(1, Suspend);
        3 |up| up.buffer(1, Suspend).buffer(1, Suspend).buffer(1, Suspend);
        6 |up| up.buffer(1, Suspend).buffer(2, Suspend).buffer(3, Suspend);
        64 |up| up.buffer(None, Suspend).buffer(None, Suspend);
        7 |up| up.buffer(None, Suspend).buffer(7, Suspend);
        8 |up| up.buffer(8, Suspend).buffer(None, Suspend);
        12 |up| up.buffer(3, Suspend).buffer(4, Suspend).buffer(5, Suspend);
        99 |up| up.buffer(usize::MAX, Suspend).buffer(usize::MAX, Suspend);
    }
}

/// Kotlin: `BufferConflationTest`.
#[test]
fn a_dropping_buffer_replaces_what_is_above_and_keeps_its_drop() {
    dropping! {
        100..=100, |up| up.conflate();
        100..=100, |up| up.buffer(None, DropOldest);
        100..=100, |up| up.buffer(1, DropOldest);
        91..=100, |up| up.buffer(10, DropOldest);
        100..=100, |up| up.buffer(42, Suspend).conflate();
        100..=100, |up| up.conflate().conflate();
        91..=100, |up| up.conflate().buffer(10, Suspend);
        2..=2, |up| up.buffer(None, DropLatest);
        2..=2, |up| up.buffer(1, DropLatest);
        2..=8, |up| up.buffer(7, DropLatest);
        2..=8, |up| up.buffer(None, DropLatest).buffer(7, Suspend);
        2..=2, |up| up.conflate().buffer(1, DropLatest);
        100..=100, |up| up.buffer(8, DropLatest).conflate();
        98..=100, |up| up.buffer(8, DropLatest).buffer(3, DropOldest);
        100..=100, |up| up.buffer(3, Suspend).buffer(5, Suspend).buffer(None, DropOldest);
        94..=100, |up| up.conflate().buffer(7, Suspend).buffer(None, Suspend);
    }
}

/// Unlike Kotlin, where 0 with a drop means 1, we say at the call that this makes no sense.
#[test]
#[should_panic(expected = "`capacity` of a `buffer` that drops items must be at least 1, got 0")]
fn a_dropping_buffer_without_room_panics_at_the_call() {
    let _ = traced(&Trace::new(), "source", []).buffer(0, DropOldest);
}

#[test]
fn boxes_do_not_stand_between_two_buffers() {
    suspending! {
        3 |up| up.buffer(1, Suspend).boxed().buffer(2, Suspend);
        6 |up| up.buffer(1, Suspend).boxed().boxed().buffer(2, Suspend).boxed().buffer(3, Suspend);
        3 |up| up.buffer(1, Suspend).boxed_local().buffer(2, Suspend);
        7 |up| merge([up]).boxed().buffer(7, Suspend);
    }
    dropping! {
        100..=100, |up| up.buffer(42, Suspend).boxed().conflate();
        91..=100, |up| up.conflate().boxed().buffer(10, Suspend);
    }
}

#[test]
fn anything_else_stands_between_them() {
    // Two buffers, each with a hand, and the item that is on its way between them.
    suspending! {
        4 |up| up.buffer(1, Suspend).map(|n| n).buffer(2, Suspend);
        4 |up| up.buffer(1, Suspend).filter(|_| true).buffer(2, Suspend);
        4 |up| up.buffer(1, Suspend).inspect(|_| {}).buffer(2, Suspend);
        4 |up| up.buffer(1, Suspend).retry(1).buffer(2, Suspend);
    }
    // The lower one loses; the upper one, which it empties, does not.
    dropping! {
        100..=100, |up| up.buffer(42, Suspend).map(|n| n).conflate();
    }
}

#[test]
fn a_buffer_sets_the_size_of_the_operator_above_it() {
    suspending! {
        64 |up| merge([up]);
        5 |up| merge([up]).buffer(5, Suspend);
        64 |up| merge([up]).buffer(None, Suspend);
        5 |up| merge([up]).buffer(2, Suspend).buffer(3, Suspend);
        0 |up| merge([up]).buffer(0, Suspend);
        5 |up| coldflow::flow_of([()]).fallible().flat_map_merge(2, move |()| up.clone()).buffer(5, Suspend);
        64 |up| coldflow::flow_of([()]).fallible().flat_map_merge(2, move |()| up.clone());
        5 |up| coldflow::flow_of([()]).fallible().flat_map_latest(move |()| up.clone()).buffer(5, Suspend);
        64 |up| coldflow::flow_of([()]).fallible().flat_map_latest(move |()| up.clone());
        // One at a time is `flat_map_concat`, which has no buffer, so the one below is its own.
        5 |up| coldflow::flow_of([()]).fallible().flat_map_merge(1, move |()| up.clone()).buffer(5, Suspend);
    }
    dropping! {
        100..=100, |up| merge([up]).conflate();
        2..=4, |up| merge([up]).buffer(3, DropLatest);
        100..=100, |up| coldflow::flow_of([()]).fallible().flat_map_merge(2, move |()| up.clone()).conflate();
        100..=100, |up| coldflow::flow_of([()]).fallible().flat_map_latest(move |()| up.clone()).conflate();
    }
}

#[test]
fn a_buffer_sets_the_size_of_a_channel_also_when_it_runs_again() {
    for (capacity, taken) in [(0, 1), (3, 4), (9, 10)] {
        let numbers = channel_flow(|sender: coldflow::Sender<i32>| {
            let sent = (0..50).take_while(|n| sender.try_send(*n).is_ok()).count();
            assert_eq!(sent, taken, "capacity {capacity}");
            std::future::ready(())
        });
        let mut stream = Driver::new(numbers.boxed_local().buffer(capacity, Suspend));
        for _ in 0..3 {
            assert_eq!(stream.rest().len(), taken);
            stream.restart();
        }
    }
}

#[test]
fn recipes_stay_what_they_are() {
    let base = merge([traced(&Trace::new(), "source", burst(100))]);
    let (small, plain) = (base.clone().buffer(1, Suspend), base);
    let mut first = Driver::new(small.clone());
    let mut second = Driver::new(plain);
    let mut third = Driver::new(small.buffer(2, Suspend));
    for stream in [&mut third as &mut dyn Rest, &mut first, &mut second] {
        assert_eq!(stream.everything(), 100);
    }
}

trait Rest {
    fn everything(&mut self) -> usize;
}

impl<S: coldflow::FlowStream<Item = Result<i32, &'static str>>> Rest for Driver<S> {
    fn everything(&mut self) -> usize {
        self.rest().len()
    }
}

/// Kotlin: `testBufferWithTakeCancelsProducer` and the like.
#[test]
fn taking_enough_drops_what_runs_ahead() {
    let trace = Trace::new();
    let mut stream = Driver::new(traced(&trace, "source", burst(100)).buffer(5, Suspend).take(2));
    assert_eq!((stream.next(), stream.next(), stream.next()), (Some(Ok(1)), Some(Ok(2)), None));
    assert!(trace.live().is_empty());
}
