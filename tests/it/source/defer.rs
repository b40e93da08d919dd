use coldflow::{FlowExt, defer};
use futures::stream::{self, StreamExt};

use crate::support::{Driver, Trace, block_on};

#[test]
fn the_stream_is_made_anew_for_each_run_and_dropped_after_it() {
    let trace = Trace::new();
    let noted = trace.clone();
    let mut runs = 0;
    let numbers = defer(move || {
        runs += 1;
        let (run, guard) = (runs, noted.guard("stream"));
        stream::iter([Ok(run), if run < 3 { Err("again") } else { Ok(100) }]).map(move |item| {
            let _ = &guard;
            item
        })
    });
    let noted = trace.clone();
    let retried = numbers.retry_if(move |_, _| {
        assert!(noted.live().is_empty());
        true
    });
    assert_eq!(block_on(retried.to_vec()), Ok(vec![1, 2, 3, 100]));
    assert_eq!(trace.count("start stream"), 3);
    assert!(trace.live().is_empty());
}

#[test]
fn what_follows_the_first_error_is_not_asked_for() {
    let trace = Trace::new();
    let noted = trace.clone();
    let mut stream = Driver::new(defer(move || {
        let noted = noted.clone();
        stream::iter([Ok(1), Err("over"), Ok(2)]).inspect(move |item| noted.note(format!("{item:?}")))
    }));
    assert_eq!(stream.rest(), [Ok(1), Err("over")]);
    assert_eq!(trace.take(), ["Ok(1)", "Err(\"over\")"]);
}
