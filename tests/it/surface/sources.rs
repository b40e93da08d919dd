//! The table of sources, and what holds for all of them.

use std::task::Poll;

use coldflow::test_util::{marble, probe};
use coldflow::{
    FlowExt, StreamFlowExt, callback_flow, channel_flow, defer, empty, failed, flow, flow_of, flow_with, from_stream,
    from_try_stream, once, once_ok, once_with,
};
use futures::stream::{self, StreamExt};

use super::operators::{Erased, erase, work};
use crate::support::{Driver, Trace, show, yield_now};

/// One source that can be collected again.
pub(super) struct Case {
    /// The function.
    pub(super) method: &'static str,
    build: fn(Trace) -> Erased,
    /// What a collection yields.
    items: &'static [&'static str],
}

/// Those that can be collected only once.
pub(super) const ONE_SHOT: [&str; 2] = ["from_stream", "from_try_stream"];

/// What stands beside sources in `test_util`, but collects.
pub(super) const READERS: [&str; 2] = ["assert_flow", "to_marble"];

#[allow(clippy::too_many_lines)] // It is a table.
pub(super) fn sources() -> Vec<Case> {
    vec![
        Case {
            method: "flow",
            build: |trace| {
                erase(flow(move |mut emitter| {
                    let trace = trace.clone();
                    async move {
                        let _guard = trace.guard("body");
                        emitter.emit(1).await;
                        yield_now().await;
                        emitter.emit(2).await;
                    }
                }))
            },
            items: &["\"1\"", "\"2\""],
        },
        Case {
            method: "flow",
            build: |trace| {
                erase(flow(move |mut emitter| {
                    let trace = trace.clone();
                    async move {
                        let _guard = trace.guard("body");
                        yield_now().await;
                        emitter.emit(1).await;
                        Err("over")
                    }
                }))
            },
            items: &["\"1\"", "!\"\\\"over\\\"\""],
        },
        Case {
            method: "once",
            build: |trace| erase(once(move || work(trace.clone(), "body", Ok::<_, ()>(1)))),
            items: &["\"1\""],
        },
        Case {
            method: "once",
            build: |trace| erase(once(move || work(trace.clone(), "body", Err::<u8, _>(1)))),
            items: &["!\"1\""],
        },
        Case {
            method: "once",
            build: |trace| {
                let noted = trace.clone();
                let answer = once(move || work(noted.clone(), "body", Err::<u8, _>(1)));
                erase(answer.retry_when(move |cause, retried| {
                    work(trace.clone(), "predicate", if retried < 2 { Ok(()) } else { Err(cause) })
                }))
            },
            items: &["!\"1\""],
        },
        Case {
            method: "once_ok",
            build: |trace| erase(once_ok(move || work(trace.clone(), "body", 1))),
            items: &["\"1\""],
        },
        Case {
            method: "once_with",
            build: |trace| erase(once_with(move |_| work(trace.clone(), "body", Ok::<_, ()>(1)))),
            items: &["\"1\""],
        },
        Case {
            method: "once_with",
            build: |trace| erase(once_with(move |_| work(trace.clone(), "body", Err::<u8, _>(1)))),
            items: &["!\"1\""],
        },
        Case {
            method: "flow_with",
            build: |trace| {
                erase(flow_with(move |_, mut emitter| {
                    let trace = trace.clone();
                    async move {
                        let _guard = trace.guard("body");
                        emitter.emit(1).await;
                        yield_now().await;
                        emitter.emit(2).await;
                        Err("over")
                    }
                }))
            },
            items: &["\"1\"", "\"2\"", "!\"\\\"over\\\"\""],
        },
        Case {
            method: "defer",
            build: |trace| {
                erase(defer(move || {
                    let guard = trace.guard("body");
                    stream::iter([Ok(1), Err("over"), Ok(2)])
                        .then(|item| async move {
                            yield_now().await;
                            item
                        })
                        .map(move |item| {
                            let _ = &guard;
                            item
                        })
                        .boxed()
                }))
            },
            items: &["\"1\"", "!\"\\\"over\\\"\""],
        },
        Case {
            method: "channel_flow",
            build: |trace| {
                erase(channel_flow(move |sender| {
                    let trace = trace.clone();
                    async move {
                        let _guard = trace.guard("body");
                        sender.send(1).await.unwrap();
                        yield_now().await;
                        sender.send(2).await.unwrap();
                        Err("over")
                    }
                }))
            },
            items: &["\"1\"", "\"2\"", "!\"\\\"over\\\"\""],
        },
        Case {
            method: "callback_flow",
            build: |trace| {
                erase(callback_flow(move |sender| {
                    sender.try_send(1).unwrap();
                    sender.try_send(2).unwrap();
                    trace.guard("registration")
                }))
            },
            items: &["\"1\"", "\"2\""],
        },
        Case { method: "flow_of", build: |_| erase(flow_of([1, 2])), items: &["\"1\"", "\"2\""] },
        Case { method: "empty", build: |_| erase(empty::<u8>()), items: &[] },
        // Its first frame, for which no time has to pass.
        Case {
            method: "marble",
            build: |_| erase(marble("(ab#)")),
            items: &["\"'a'\"", "\"'b'\"", "!\"MarbleError\""],
        },
        Case {
            method: "probe",
            build: |_| erase(probe().emit(1).yield_now().emit(2).fail("over")),
            items: &["\"1\"", "\"2\"", "!\"\\\"over\\\"\""],
        },
        Case { method: "failed", build: |_| erase(failed::<u8, _>(1)), items: &["!\"1\""] },
    ]
}

fn texts(items: Vec<Result<String, String>>) -> Vec<String> {
    items.into_iter().map(show).collect()
}

#[test]
fn nothing_happens_before_the_first_poll() {
    for case in sources() {
        let trace = Trace::new();
        let mut stream = Driver::new((case.build)(trace.clone()));
        assert_eq!(stream.progress(), Poll::Ready(()), "{}", case.method);
        stream.restart();
        assert!(trace.take().is_empty(), "{}", case.method);
        assert_eq!(texts(stream.rest()), case.items, "{}", case.method);
    }
}

#[test]
fn restarted_or_stopped_after_any_poll() {
    for case in sources() {
        for polls in 0..6 {
            let trace = Trace::new();
            let mut stream = Driver::new((case.build)(trace.clone()));
            for _ in 0..polls {
                let _ = stream.poll();
            }
            stream.restart();
            assert!(trace.live().is_empty(), "{} restarted after {polls} polls", case.method);
            assert_eq!(texts(stream.rest()), case.items, "{} restarted after {polls} polls", case.method);
            stream.restart();
            for _ in 0..polls {
                let _ = stream.poll();
            }
            stream.stop();
            assert!(trace.live().is_empty(), "{} stopped after {polls} polls", case.method);
            assert!(stream.is_terminated(), "{} stopped after {polls} polls", case.method);
            trace.take();
            assert_eq!(stream.poll(), Poll::Ready(None), "{} stopped after {polls} polls", case.method);
            assert!(trace.take().is_empty(), "{} stopped after {polls} polls", case.method);
        }
    }
}

#[test]
fn fused_and_clean_at_the_end() {
    for case in sources() {
        let trace = Trace::new();
        let mut stream = Driver::new((case.build)(trace.clone()));
        let mut items = Vec::new();
        while let Some(item) = stream.next() {
            let failed = item.is_err();
            items.push(show(item));
            if failed {
                break;
            }
        }
        assert_eq!(items, case.items, "{}", case.method);
        assert!(stream.is_terminated(), "{}", case.method);
        assert!(trace.live().is_empty(), "{}", case.method);
        trace.take();
        for _ in 0..3 {
            assert_eq!(stream.poll(), Poll::Ready(None), "{}", case.method);
        }
        assert!(trace.take().is_empty(), "{}", case.method);
    }
}

#[test]
fn dropped_after_any_poll() {
    for case in sources() {
        for polls in 0..6 {
            let trace = Trace::new();
            let mut stream = Driver::new((case.build)(trace.clone()));
            for _ in 0..polls {
                let _ = stream.poll();
            }
            drop(stream);
            assert!(trace.live().is_empty(), "{} dropped after {polls} polls", case.method);
        }
    }
}

/// A stream that must not be polled after its end.
fn touchy<T: 'static>(items: Vec<T>, trace: &Trace) -> impl stream::Stream<Item = T> + 'static {
    let guard = trace.guard("stream");
    let mut items = items.into_iter().fuse();
    let mut ended = false;
    stream::poll_fn(move |_| {
        let _ = &guard;
        assert!(!ended, "polled after its end");
        let item = items.next();
        ended = item.is_none();
        Poll::Ready(item)
    })
}

#[test]
fn a_stream_that_exists_is_dropped_at_its_end_and_never_polled_again() {
    let trace = Trace::new();
    let mut items = Driver::new(from_stream(touchy(vec![1, 2], &trace)));
    trace.take();
    assert_eq!(items.progress(), Poll::Ready(()));
    assert_eq!((items.next(), items.next()), (Some(Ok(1)), Some(Ok(2))));
    assert!(!items.is_terminated());
    assert_eq!(items.next(), None);
    assert!(items.is_terminated());
    assert_eq!(trace.take(), ["drop stream"]);
    assert_eq!((items.next(), items.progress()), (None, Poll::Ready(())));
}

#[test]
fn a_stream_of_results_ends_at_its_first_error() {
    let trace = Trace::new();
    let mut items = Driver::new(from_try_stream(touchy(vec![Ok(1), Err("over"), Ok(2)], &trace)));
    assert_eq!(items.next(), Some(Ok(1)));
    assert_eq!(items.next(), Some(Err("over")));
    assert!(items.is_terminated() && trace.live().is_empty());
    assert_eq!((items.next(), items.progress()), (None, Poll::Ready(())));
    let mut items = Driver::new(touchy(vec![Ok::<_, ()>(1)], &trace).into_try_flow());
    assert_eq!((items.next(), items.next(), items.next()), (Some(Ok(1)), None, None));
}

#[test]
fn a_stream_that_exists_can_be_stopped() {
    let trace = Trace::new();
    let mut items = Driver::new(touchy(vec![1, 2], &trace).into_flow());
    assert_eq!(items.next(), Some(Ok(1)));
    items.stop();
    assert!(items.is_terminated() && trace.live().is_empty());
    assert_eq!(items.next(), None);
    let mut items = Driver::new(from_try_stream(touchy(vec![Ok::<_, ()>(1)], &trace)));
    items.stop();
    assert!(items.is_terminated() && trace.live().is_empty());
    assert_eq!(items.next(), None);
}

#[test]
fn a_deferred_stream_is_never_polled_after_its_end() {
    let trace = Trace::new();
    let mut items = Driver::new(defer(|| touchy(vec![Ok::<_, ()>(1)], &trace)));
    assert_eq!((items.next(), items.next(), items.next()), (Some(Ok(1)), None, None));
    items.restart();
    assert_eq!((items.next(), items.next(), items.next()), (Some(Ok(1)), None, None));
}

#[test]
fn the_end_of_one_value_is_known_with_the_value() {
    let mut one = Driver::new(once_ok(|| std::future::ready(1)));
    assert_eq!(one.next(), Some(Ok(1)));
    assert!(one.is_terminated(), "so that `single` needs no second poll");
    let mut one = Driver::new(once(|| std::future::ready(Ok::<_, ()>(1))));
    assert_eq!(one.next(), Some(Ok(1)));
    assert!(one.is_terminated(), "so that `single` needs no second poll");
    let mut one = Driver::new(once_with(|_| std::future::ready(Ok::<_, ()>(1))));
    assert_eq!(one.next(), Some(Ok(1)));
    assert!(one.is_terminated(), "so that `single` needs no second poll");
    assert!(Driver::new(empty::<u8>()).is_terminated());
}

#[test]
fn cloned_recipes_are_independent() {
    let numbers = flow_of(vec![1, 2, 3]).fallible::<()>().take(2);
    let mut first = Driver::new(numbers.clone());
    assert_eq!(first.next(), Some(Ok(1)));
    let mut second = Driver::new(numbers);
    assert_eq!(second.rest(), [Ok(1), Ok(2)]);
    assert_eq!(first.rest(), [Ok(2)]);
}
