//! Kotlin's `SharedFlowScenarioTest`, line by line.

use std::task::Poll;

use coldflow::hot::{EmitShared, SharedFlowStream};
use coldflow::{MutableSharedFlow, Overflow};

use super::{got, shared, subscriber, suspending};
use crate::support::{Driver, Polling};

type Subscriber = Driver<SharedFlowStream<i32>>;

/// One that waits.
struct Emission<'a>(Polling<EmitShared<'a, i32>>);

/// The words in which the scenarios are written.
trait Scene {
    fn emits(&self, value: i32, replay: &[i32]);
    fn suspends(&self, value: i32) -> Emission<'_>;
    fn replays(&self, replay: &[i32]);
    fn resets(&self);
}

impl Scene for MutableSharedFlow<i32> {
    #[track_caller]
    fn emits(&self, value: i32, replay: &[i32]) {
        assert!(Polling::new(self.emit(value)).poll().is_ready(), "the emission of {value} waits");
        self.replays(replay);
    }

    #[track_caller]
    fn suspends(&self, value: i32) -> Emission<'_> {
        let before = self.as_shared().replay_cache();
        assert!(!self.try_emit(value), "{value} need not wait");
        let mut emission = Emission(Polling::new(self.emit(value)));
        emission.still_waits();
        self.replays(&before);
        emission
    }

    #[track_caller]
    fn replays(&self, replay: &[i32]) {
        assert_eq!(self.as_shared().replay_cache(), replay);
    }

    #[track_caller]
    fn resets(&self) {
        self.reset_replay_cache();
        self.replays(&[]);
        self.reset_replay_cache();
        self.replays(&[]);
    }
}

impl Emission<'_> {
    #[track_caller]
    fn still_waits(&mut self) {
        assert!(!self.0.woken(), "woken for nothing");
        assert!(self.0.poll().is_pending());
        assert!(!self.0.woken());
    }

    #[track_caller]
    fn resumes(mut self) {
        assert!(self.0.woken(), "it is over, and nobody says so");
        assert!(self.0.poll().is_ready());
    }
}

#[track_caller]
fn collects(subscriber: &mut Subscriber, values: &[i32]) {
    for value in values {
        assert_eq!(got(subscriber), Poll::Ready(Some(*value)));
    }
}

#[track_caller]
fn waits(subscriber: &mut Subscriber) {
    assert_eq!(got(subscriber), Poll::Pending);
    assert!(!subscriber.woken());
}

#[track_caller]
fn is_woken_for(subscriber: &mut Subscriber, value: i32) {
    assert!(subscriber.woken(), "there is {value}, and nobody says so");
    collects(subscriber, &[value]);
}

// testReplay1Extra2
#[allow(clippy::too_many_lines)] // It is one story.
#[test]
fn one_replayed_and_two_more() {
    let flow = suspending(1, 2);
    flow.replays(&[]);
    flow.emits(1, &[1]);
    flow.emits(2, &[2]);
    flow.emits(3, &[3]);
    flow.emits(4, &[4]);
    let mut a = subscriber(&flow);
    collects(&mut a, &[4]);
    flow.emits(5, &[5]);
    flow.emits(6, &[6]);
    flow.emits(7, &[7]);
    // It is full, and each value taken lets one in.
    let e8 = flow.suspends(8);
    collects(&mut a, &[5]);
    e8.resumes();
    flow.replays(&[8]);
    let e9 = flow.suspends(9);
    collects(&mut a, &[6]);
    e9.resumes();
    flow.replays(&[9]);
    // They queue up.
    let e10 = flow.suspends(10);
    let mut e11 = flow.suspends(11);
    let mut e12 = flow.suspends(12);
    collects(&mut a, &[7]);
    e10.resumes();
    e11.still_waits();
    e12.still_waits();
    flow.replays(&[10]);
    collects(&mut a, &[8]);
    e11.resumes();
    e12.still_waits();
    flow.replays(&[11]);
    flow.resets();
    e12.still_waits();
    collects(&mut a, &[9]);
    e12.resumes();
    flow.replays(&[12]);
    collects(&mut a, &[10, 11, 12]);
    flow.replays(&[12]);
    flow.emits(13, &[13]);
    flow.emits(14, &[14]);
    flow.emits(15, &[15]);
    // The one in the middle is cancelled.
    let e16 = flow.suspends(16);
    let e17 = flow.suspends(17);
    let e18 = flow.suspends(18);
    drop(e17);
    flow.replays(&[15]);
    collects(&mut a, &[13]);
    e16.resumes();
    flow.replays(&[16]);
    collects(&mut a, &[14]);
    e18.resumes();
    flow.replays(&[18]);
    // The last one is.
    let e19 = flow.suspends(19);
    let e20 = flow.suspends(20);
    let e21 = flow.suspends(21);
    drop(e21);
    flow.replays(&[18]);
    collects(&mut a, &[15]);
    e19.resumes();
    flow.replays(&[19]);
    collects(&mut a, &[16]);
    e20.resumes();
    flow.replays(&[20]);
    collects(&mut a, &[18, 19, 20]);
    flow.replays(&[20]);
    flow.emits(22, &[22]);
    flow.emits(23, &[23]);
    flow.emits(24, &[24]);
    // The first one is.
    let e25 = flow.suspends(25);
    let e26 = flow.suspends(26);
    let e27 = flow.suspends(27);
    drop(e25);
    flow.replays(&[24]);
    flow.resets();
    // Nothing is replayed to a new subscriber.
    let mut b = subscriber(&flow);
    waits(&mut b);
    collects(&mut a, &[22]);
    e26.resumes();
    flow.replays(&[26]);
    is_woken_for(&mut b, 26);
    collects(&mut a, &[23]);
    e27.resumes();
    flow.replays(&[27]);
    collects(&mut a, &[24, 26, 27]);
    flow.emits(28, &[28]);
    flow.emits(29, &[29]);
    collects(&mut a, &[28, 29]);
    // Now `b` is the slow one.
    let e30 = flow.suspends(30);
    let e31 = flow.suspends(31);
    let e32 = flow.suspends(32);
    let e33 = flow.suspends(33);
    let e34 = flow.suspends(34);
    let mut e35 = flow.suspends(35);
    let mut e36 = flow.suspends(36);
    let e37 = flow.suspends(37);
    let mut e38 = flow.suspends(38);
    let mut e39 = flow.suspends(39);
    drop(e31);
    drop(b);
    e30.resumes();
    e32.resumes();
    e33.resumes();
    flow.replays(&[33]);
    for waiting in [&mut e35, &mut e36, &mut e38, &mut e39] {
        waiting.still_waits();
    }
    let mut c = subscriber(&flow);
    collects(&mut c, &[33]);
    drop(e34);
    collects(&mut a, &[30]);
    e35.resumes();
    flow.replays(&[35]);
    drop(e37);
    drop(a);
    e36.resumes();
    e38.resumes();
    e39.still_waits();
    flow.replays(&[38]);
    collects(&mut c, &[35]);
    e39.resumes();
    flow.replays(&[39]);
    collects(&mut c, &[36, 38, 39]);
    flow.replays(&[39]);
    drop(c);
    flow.replays(&[39]);
}

// testReplay1
#[test]
fn one_replayed_and_no_more() {
    let flow = suspending(1, 0);
    flow.emits(0, &[0]);
    flow.emits(1, &[1]);
    flow.emits(2, &[2]);
    flow.resets();
    flow.emits(3, &[3]);
    flow.emits(4, &[4]);
    let mut a = subscriber(&flow);
    collects(&mut a, &[4]);
    flow.emits(5, &[5]);
    collects(&mut a, &[5]);
    flow.emits(6, &[6]);
    flow.resets();
    let e7 = flow.suspends(7);
    let e8 = flow.suspends(8);
    let e9 = flow.suspends(9);
    collects(&mut a, &[6]);
    e7.resumes();
    flow.replays(&[7]);
    // It is not replayed any more, but `a` is still owed it.
    flow.resets();
    let mut b = subscriber(&flow);
    collects(&mut a, &[7]);
    e8.resumes();
    flow.replays(&[8]);
    collects(&mut b, &[8]);
    // `a` is slow.
    let e10 = flow.suspends(10);
    let e11 = flow.suspends(11);
    let mut e12 = flow.suspends(12);
    drop(e9);
    collects(&mut a, &[8]);
    e10.resumes();
    flow.replays(&[10]);
    collects(&mut a, &[10]);
    // Now `b` is.
    drop(e11);
    e12.still_waits();
    collects(&mut b, &[10]);
    e12.resumes();
    flow.replays(&[12]);
    collects(&mut a, &[12]);
    collects(&mut b, &[12]);
    flow.resets();
    flow.emits(13, &[13]);
    collects(&mut b, &[13]);
    // `a` is slow, and leaves.
    let e14 = flow.suspends(14);
    let e15 = flow.suspends(15);
    let mut e16 = flow.suspends(16);
    drop(e14);
    drop(a);
    e15.resumes();
    e16.still_waits();
    flow.replays(&[15]);
    collects(&mut b, &[15]);
    e16.resumes();
    flow.replays(&[16]);
    collects(&mut b, &[16]);
    waits(&mut b);
}

// testReplay2Extra2DropOldest
#[test]
fn two_replayed_and_two_more_of_which_the_oldest_is_dropped() {
    let flow = shared(2, 2, Overflow::DropOldest);
    flow.emits(0, &[0]);
    flow.emits(1, &[0, 1]);
    flow.emits(2, &[1, 2]);
    flow.emits(3, &[2, 3]);
    flow.emits(4, &[3, 4]);
    let mut a = subscriber(&flow);
    collects(&mut a, &[3]);
    flow.emits(5, &[4, 5]);
    flow.emits(6, &[5, 6]);
    flow.emits(7, &[6, 7]);
    flow.emits(8, &[7, 8]);
    flow.emits(9, &[8, 9]);
    // It has lost 4 and 5.
    collects(&mut a, &[6, 7]);
    let mut b = subscriber(&flow);
    collects(&mut b, &[8, 9]);
    flow.emits(10, &[9, 10]);
    collects(&mut a, &[8, 9, 10]);
    flow.emits(11, &[10, 11]);
    flow.emits(12, &[11, 12]);
    flow.emits(13, &[12, 13]);
    flow.emits(14, &[13, 14]);
    // It has lost 10.
    collects(&mut b, &[11, 12, 13, 14]);
    flow.resets();
    collects(&mut a, &[11, 12, 13, 14]);
    flow.emits(15, &[15]);
    collects(&mut a, &[15]);
    collects(&mut b, &[15]);
    waits(&mut a);
    waits(&mut b);
}

// testResumeFastSubscriberOnResumedEmitter
#[test]
fn a_fast_subscriber_is_woken_when_a_slow_one_lets_an_emission_in() {
    let flow = suspending(1, 0);
    let mut fast = subscriber(&flow);
    waits(&mut fast);
    let mut slow = subscriber(&flow);
    waits(&mut slow);
    flow.emits(0, &[0]);
    is_woken_for(&mut fast, 0);
    is_woken_for(&mut slow, 0);
    flow.emits(1, &[1]);
    collects(&mut fast, &[1]);
    let e2 = flow.suspends(2);
    waits(&mut fast);
    collects(&mut slow, &[1]);
    is_woken_for(&mut fast, 2);
    e2.resumes();
    flow.replays(&[2]);
    let e3 = flow.suspends(3);
    collects(&mut slow, &[2]);
    e3.resumes();
    flow.replays(&[3]);
}

// testSuspendedConcurrentEmitAndCancelSubscriberReplay1
#[test]
fn two_emissions_go_on_when_the_only_subscriber_leaves() {
    let flow = suspending(1, 0);
    let mut a = subscriber(&flow);
    flow.emits(0, &[0]);
    collects(&mut a, &[0]);
    flow.emits(1, &[1]);
    let e2 = flow.suspends(2);
    let e3 = flow.suspends(3);
    drop(a);
    e2.resumes();
    e3.resumes();
    flow.replays(&[3]);
    flow.emits(4, &[4]);
    let mut b = subscriber(&flow);
    collects(&mut b, &[4]);
    flow.emits(5, &[5]);
    collects(&mut b, &[5]);
    waits(&mut b);
}

// testSuspendedConcurrentEmitAndCancelSubscriberReplay1ExtraBuffer1
#[test]
fn three_emissions_go_on_when_the_only_subscriber_leaves() {
    let flow = suspending(1, 1);
    let mut a = subscriber(&flow);
    flow.emits(0, &[0]);
    collects(&mut a, &[0]);
    flow.emits(1, &[1]);
    flow.emits(2, &[2]);
    let e3 = flow.suspends(3);
    let e4 = flow.suspends(4);
    let e5 = flow.suspends(5);
    drop(a);
    e3.resumes();
    e4.resumes();
    e5.resumes();
    flow.replays(&[5]);
    flow.emits(6, &[6]);
    let mut b = subscriber(&flow);
    collects(&mut b, &[6]);
    flow.emits(7, &[7]);
    flow.emits(8, &[8]);
    collects(&mut b, &[7, 8]);
    waits(&mut b);
}
