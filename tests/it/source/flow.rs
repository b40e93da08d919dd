use std::convert::Infallible;
use std::future::ready;

use coldflow::{Flow, FlowExt, flow, flow_of};
use futures::StreamExt;

use crate::support::{Driver, Trace, block_on, yield_now};

#[test]
fn the_body_runs_anew_for_each_collection() {
    let trace = Trace::new();
    let noted = trace.clone();
    let numbers = flow(move |mut emitter| {
        noted.note("run");
        async move { emitter.emit(1).await }
    });
    assert!(trace.take().is_empty());
    assert_eq!(block_on(numbers.clone().to_vec()), Ok(vec![1]));
    assert_eq!(block_on(numbers.to_vec()), Ok(vec![1]));
    assert_eq!(trace.take(), ["run", "run"]);
}

#[test]
fn a_body_that_returns_nothing_cannot_fail() {
    let numbers = flow(async |mut emitter| emitter.emit(1).await);
    let items: Result<Vec<i32>, Infallible> = block_on(numbers.to_vec());
    assert_eq!(items, Ok(vec![1]));
}

#[test]
fn the_question_mark_works_in_a_body() {
    let parsed = flow(async |mut emitter| {
        for word in ["1", "x", "3"] {
            emitter.emit(word.parse::<i32>()?).await;
        }
        Ok::<(), std::num::ParseIntError>(())
    });
    let mut stream = Driver::new(parsed);
    assert_eq!(stream.next(), Some(Ok(1)));
    assert!(matches!(stream.next(), Some(Err(_))));
    assert_eq!(stream.next(), None);
}

#[test]
fn a_body_may_emit_nothing_or_never_end() {
    assert_eq!(block_on(flow(|_: coldflow::Emitter<u8>| ready(())).to_vec()), Ok(vec![]));
    let endless = flow(async |mut emitter| {
        let mut n = 0;
        loop {
            emitter.emit(n).await;
            n += 1;
        }
    });
    assert_eq!(block_on(endless.take(3).to_vec()), Ok(vec![0, 1, 2]));
}

// FlowInvariantsTest and ExceptionTransparencyTest: a body that was stopped cannot emit again, since it is dropped at its
// emission; nothing it could catch is thrown there.
#[test]
fn a_stopped_body_is_dropped_at_its_emission() {
    let trace = Trace::new();
    let noted = trace.clone();
    let numbers = flow(move |mut emitter| {
        let noted = noted.clone();
        async move {
            let _guard = noted.guard("body");
            emitter.emit(1).await;
            noted.note("went on");
            emitter.emit(2).await;
        }
    });
    assert_eq!(block_on(numbers.first()), Ok(Some(1)));
    assert_eq!(trace.take(), ["start body", "drop body"]);
}

// FlowInvariantsTest, the hand-written merge and the re-emission of a flow
#[test]
fn a_body_may_collect_other_flows_and_emit_what_they_do() {
    let squares = flow(async |mut emitter| {
        let mut numbers = std::pin::pin!(flow_of([1, 2, 3]).into_stream());
        while let Some(Ok(n)) = numbers.next().await {
            yield_now().await;
            emitter.emit(n * n).await;
        }
    });
    assert_eq!(block_on(squares.to_vec()), Ok(vec![1, 4, 9]));
}

#[test]
fn an_emitter_can_be_used_in_the_body_of_another_flow() {
    let both = flow(async |mut outer| {
        let mut inner = std::pin::pin!(
            flow(|mut emitter| {
                let _ = &mut outer;
                async move {
                    emitter.emit(1).await;
                    yield_now().await;
                    emitter.emit(2).await;
                }
            })
            .into_stream()
        );
        let mut seen = Vec::new();
        while let Some(Ok(n)) = inner.next().await {
            seen.push(n);
        }
        outer.emit(seen).await;
    });
    assert_eq!(block_on(both.to_vec()), Ok(vec![vec![1, 2]]));
}

#[test]
fn items_need_not_be_send_nor_clone() {
    struct Local(std::rc::Rc<u8>);
    let local = flow(async |mut emitter| emitter.emit(Local(std::rc::Rc::new(7))).await);
    assert_eq!(*block_on(local.first()).unwrap().unwrap().0, 7);
}

// SafeCollectorMemoryLeakTest
#[test]
fn what_was_emitted_is_the_consumers_alone() {
    let item = std::rc::Rc::new(());
    let weak = std::rc::Rc::downgrade(&item);
    let mut item = Some(item);
    let mut stream = Driver::new(flow(move |mut emitter| {
        let item = item.take();
        async move {
            emitter.emit(item.unwrap()).await;
            std::future::pending::<()>().await;
        }
    }));
    let taken = stream.next().unwrap().unwrap();
    assert_eq!(std::rc::Rc::strong_count(&taken), 1, "while it is at the consumer");
    drop(taken);
    assert!(stream.poll().is_pending());
    assert!(weak.upgrade().is_none(), "while the body is suspended behind its emission");
}
