use std::sync::Arc;

use coldflow::{FlowExt, empty, failed};

use crate::support::{Driver, block_on};

// FlowBuildersTest.testEmptyFlow
#[test]
fn empty_ends_at_once() {
    let mut stream = Driver::new(empty::<u8>());
    assert_eq!((stream.next(), stream.next()), (None, None));
}

#[test]
fn failed_fails_at_once_in_each_run_with_the_same_error() {
    let error = Arc::new("failed");
    let mut stream = Driver::new(failed::<u8, _>(Arc::clone(&error)));
    for _ in 0..2 {
        let failure = stream.next().unwrap().unwrap_err();
        assert!(Arc::ptr_eq(&failure, &error));
        assert_eq!(stream.next(), None);
        stream.restart();
    }
    assert_eq!(block_on(failed::<u8, _>("failed").run()), Err("failed"));
}
