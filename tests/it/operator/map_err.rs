use coldflow::{FlowExt, failed, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, block_on};

#[test]
fn it_turns_the_error_and_leaves_the_items() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Fail("failed")]).map_err(str::len));
    assert_eq!(stream.rest(), [Ok(1), Err(6)]);
}

#[test]
fn without_an_error_it_is_not_called() {
    let items = Probe::of(&[Emit(1)]).map_err(|_| -> u8 { unreachable!() });
    assert_eq!(block_on(items.to_vec()), Ok(vec![1]));
}

#[test]
fn it_is_called_once_per_run() {
    let mut calls = 0;
    let outcome = block_on(
        failed::<u8, _>("failed")
            .map_err(|cause| {
                calls += 1;
                cause
            })
            .retry(2)
            .run(),
    );
    assert_eq!((outcome, calls), (Err("failed"), 3));
}

#[test]
fn err_into_converts_as_the_question_mark_does() {
    let boxed = failed::<u8, _>("failed").err_into::<Box<dyn std::error::Error>>();
    assert_eq!(block_on(boxed.run()).unwrap_err().to_string(), "failed");
}

#[test]
fn fallible_gives_an_error_type_without_an_error() {
    let items = flow_of([1, 2]).fallible::<String>().try_map(|n| if n > 1 { Err(format!("{n}")) } else { Ok(n) });
    assert_eq!(block_on(items.to_vec()), Err("2".to_owned()));
}
