use std::future::ready;

use coldflow::{FlowExt, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, block_on, yield_now};

// TransformTest.testDoubleEmit
#[test]
fn any_number_of_emissions_per_item() {
    let all = flow_of(0..4).transform(async |n, mut emitter| {
        for copy in 0..n {
            emitter.emit((n, copy)).await;
        }
    });
    assert_eq!(block_on(all.to_vec()), Ok(vec![(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]));
}

#[test]
fn the_next_item_is_asked_for_only_when_the_body_is_done() {
    let source = Probe::of(&[Emit(1), Emit(2)]);
    let trace = source.trace();
    let noted = trace.clone();
    let mut stream = Driver::new(source.transform(move |n, mut emitter| {
        let noted = noted.clone();
        async move {
            let _guard = noted.guard("body");
            emitter.emit(n).await;
            yield_now().await;
            noted.note("after");
        }
    }));
    assert_eq!(stream.next(), Some(Ok(1)));
    assert_eq!(trace.take(), ["start source", "emit 1", "start body"]);
    assert_eq!(stream.next(), Some(Ok(2)));
    assert_eq!(trace.take(), ["after", "drop body", "emit 2", "start body"]);
    assert_eq!(stream.next(), None);
    assert_eq!(trace.take(), ["after", "drop body", "drop source"]);
}

#[test]
fn a_body_that_fails_is_dropped_and_then_the_source() {
    let source = Probe::of(&[Emit(1), Emit(2), Emit(3)]);
    let trace = source.trace();
    let noted = trace.clone();
    let mut stream = Driver::new(source.transform(move |n, mut emitter| {
        let noted = noted.clone();
        async move {
            let _guard = noted.guard("body");
            emitter.emit(n).await;
            if n == 2 { Err("two") } else { Ok(()) }
        }
    }));
    assert_eq!(stream.rest(), [Ok(1), Ok(2), Err("two")]);
    let events = trace.take();
    assert_eq!(events[events.len() - 2..], ["drop body", "drop source"]);
}

#[test]
fn an_error_comes_behind_what_the_bodies_emitted() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Fail("failed")]).transform(async |n, mut emitter| {
        emitter.emit(n).await;
        emitter.emit(n).await;
    }));
    assert_eq!(stream.rest(), [Ok(1), Ok(1), Err("failed")]);
}

#[test]
fn the_type_of_the_items_may_change_and_nothing_need_be_emitted() {
    let none = flow_of([1, 2]).transform(|_, _: coldflow::Emitter<String>| ready(()));
    assert_eq!(block_on(none.to_vec()), Ok(vec![]));
}

#[test]
fn the_question_mark_works_in_it() {
    let parsed = flow_of(["1", "x"]).fallible::<std::num::ParseIntError>().transform(async |word, mut emitter| {
        emitter.emit(word.parse::<i32>()?).await;
        Ok(())
    });
    let mut stream = Driver::new(parsed);
    assert_eq!(stream.next(), Some(Ok(1)));
    assert!(matches!(stream.next(), Some(Err(_))));
    assert_eq!(stream.next(), None);
}

#[test]
fn a_body_that_never_ends_is_cut_off_by_a_take() {
    let endless = flow_of([1]).transform(async |n, mut emitter| {
        loop {
            emitter.emit(n).await;
        }
    });
    assert_eq!(block_on(endless.take(3).to_vec()), Ok(vec![1, 1, 1]));
}
