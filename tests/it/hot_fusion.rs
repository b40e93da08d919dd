//! Buffers that do nothing directly on a hot flow, as in Kotlin, where they give the same object.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use coldflow::{Flow, FlowExt, FlowStream, MutableSharedFlow, MutableStateFlow, Overflow, SharedConfig};
use futures::{FutureExt, StreamExt};

/// The item that is there now, if any.
fn now<S: FlowStream<Item = Result<i32, E>> + Unpin, E>(stream: &mut S) -> Option<i32> {
    stream.next().now_or_never().flatten().and_then(Result::ok)
}

/// Gives progress, as a consumer that is busy does.
fn progress(stream: &mut (impl FlowStream + Unpin)) {
    let progress = poll_fn(|cx| Poll::Ready(Pin::new(&mut *stream).poll_progress(cx).is_ready()));
    let _now = progress.now_or_never();
}

// Kotlin: StateFlowTest.testOperatorFusion
#[test]
fn a_state_stays_conflated_under_a_buffer_that_conflates() {
    let away_and_back = |build: fn(coldflow::StateFlow<i32>) -> coldflow::BoxFlow<'static, i32, _>| {
        let state = MutableStateFlow::new(0);
        let mut stream = build(state.as_state()).into_stream();
        assert_eq!(now(&mut stream), Some(0));
        for value in [1, 0] {
            state.set(value);
            progress(&mut stream);
        }
        now(&mut stream)
    };
    assert_eq!(away_and_back(FlowExt::boxed), None);
    assert_eq!(away_and_back(|state| state.conflate().boxed()), None);
    assert_eq!(away_and_back(|state| state.buffer(0, Overflow::Suspend).boxed()), None);
    assert_eq!(away_and_back(|state| state.buffer(1, Overflow::DropOldest).boxed()), None);
    assert_eq!(away_and_back(|state| state.buffer(None, Overflow::DropOldest).boxed()), None);
    assert_eq!(away_and_back(|state| state.conflate().conflate().boxed()), None);
    // A buffer of another kind is one.
    assert_eq!(away_and_back(|state| state.buffer(2, Overflow::Suspend).boxed()), Some(1));
}

#[test]
fn a_state_under_a_mapping_stays_conflated_under_a_buffer_that_conflates() {
    let state = MutableStateFlow::new(0);
    let mut stream = state.as_state().map_state(|n| n * 2).conflate().boxed().into_stream();
    assert_eq!(now(&mut stream), Some(0));
    for value in [1, 0] {
        state.set(value);
        progress(&mut stream);
    }
    assert_eq!(now(&mut stream), None);
}

#[test]
fn a_buffer_below_one_that_does_nothing_stands_on_the_state() {
    let state = MutableStateFlow::new(0);
    let mut stream = state.as_state().conflate().buffer(2, Overflow::Suspend).boxed().into_stream();
    assert_eq!(now(&mut stream), Some(0));
    for value in 1..=6 {
        state.set(value);
        progress(&mut stream);
    }
    let rest: Vec<_> = std::iter::from_fn(|| now(&mut stream)).collect();
    assert_eq!(rest, [1, 2, 3, 6]); // two places, one in hand, and the latest
}

// Kotlin: SharedFlowTest.testOperatorFusion
#[test]
fn a_buffer_without_places_does_nothing_on_a_shared_flow() {
    let shared = MutableSharedFlow::new(SharedConfig::default());
    let mut stream = shared.as_shared().buffer(0, Overflow::Suspend).boxed().into_stream();
    assert_eq!(now(&mut stream), None);
    let mut first = Box::pin(shared.emit(1));
    assert_eq!(first.as_mut().now_or_never(), None);
    assert_eq!(now(&mut stream), Some(1));
    assert_eq!(first.now_or_never(), Some(()));
    let mut second = Box::pin(shared.emit(2));
    assert_eq!(second.as_mut().now_or_never(), None);
    progress(&mut stream);
    assert_eq!(second.as_mut().now_or_never(), None, "the consumer is still busy with the first");
    assert_eq!(now(&mut stream), Some(2));
    assert_eq!(second.now_or_never(), Some(()));
}
