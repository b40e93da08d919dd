//! `marble`: what a diagram makes a flow do, and what is no diagram.

use std::time::Duration;

use coldflow::test_util::{Marble, MarbleError, ParseMarbleError, marble};
use coldflow::{FlowExt, Restart};
use tokio::time::Instant;

use crate::concurrent::clock::{ms, pause, seen};
use crate::support::{Driver, block_on};

#[tokio::test(start_paused = true)]
async fn each_sign_is_a_frame() {
    assert_eq!(seen(marble("a-b-|"), 0).await, ["0 'a'", "20 'b'", "40 |"]);
    assert_eq!(seen(marble("-ab#"), 0).await, ["10 'a'", "20 'b'", "30 !MarbleError"]);
    assert_eq!(seen(marble("|"), 0).await, ["0 |"]);
    assert_eq!(seen(marble("#"), 0).await, ["0 !MarbleError"]);
}

#[tokio::test(start_paused = true)]
async fn a_group_is_one_frame() {
    assert_eq!(seen(marble("-(ab)c(d|)"), 0).await, ["10 'a'", "10 'b'", "20 'c'", "30 'd'", "30 |"]);
    assert_eq!(seen(marble("(a#)"), 0).await, ["0 'a'", "0 !MarbleError"]);
}

#[tokio::test(start_paused = true)]
async fn spaces_are_no_frames() {
    assert_eq!(seen(marble("  - a\n\t( b c ) - | "), 0).await, seen(marble("-a(bc)-|"), 0).await);
}

#[tokio::test(start_paused = true)]
async fn any_other_character_is_an_item() {
    assert_eq!(block_on(marble("(7ä*.火|)").to_vec()), Ok(vec!['7', 'ä', '*', '.', '火']));
}

#[tokio::test(start_paused = true)]
async fn without_an_end_it_is_silent_for_ever() {
    assert_eq!(seen(marble("-a-").take_until(pause(3_600_000)), 0).await, ["10 'a'", "3600000 |"]);
    assert_eq!(seen(marble("").take_until(pause(1)), 0).await, ["1 |"]);
}

#[tokio::test(start_paused = true)]
async fn a_frame_is_as_long_as_is_said() {
    assert_eq!(seen(marble("-a|").frame(ms(1_500)), 0).await, ["1500 'a'", "3000 |"]);
    assert_eq!(seen(marble("-a|").frame(ms(1)), 0).await, ["1 'a'", "2 |"]);
}

#[tokio::test(start_paused = true)]
async fn behind_a_busy_consumer_what_is_late_comes_at_once_and_the_rest_in_its_frame() {
    assert_eq!(seen(marble("abc---d|"), 35).await, ["0 'a'", "35 'b'", "70 'c'", "105 'd'", "140 |"]);
    assert_eq!(seen(marble("ab------c|"), 35).await, ["0 'a'", "35 'b'", "80 'c'", "115 |"]);
}

#[tokio::test(start_paused = true)]
async fn the_frames_count_from_the_first_poll_of_each_run() {
    let flow = marble("-a#");
    pause(5).await;
    assert_eq!(seen(flow.retry(1), 0).await, ["10 'a'", "30 'a'", "40 !MarbleError"]);
    assert_eq!(seen(marble("-a|").repeat(2), 0).await, ["10 'a'", "30 'a'", "40 |"]);
}

#[tokio::test(start_paused = true)]
async fn restarted_while_it_waits_it_waits_anew() {
    let mut stream = Box::pin(coldflow::Flow::into_stream(marble("---a|")));
    let began = Instant::now();
    tokio::select! {
        biased;
        _ = futures::StreamExt::next(&mut stream) => panic!("`a` is not due yet"),
        () = pause(20) => {}
    }
    stream.as_mut().restart();
    assert_eq!(futures::StreamExt::next(&mut stream).await, Some(Ok('a')));
    assert_eq!(began.elapsed(), ms(50));
}

#[test]
fn what_is_due_at_once_needs_no_runtime() {
    let mut letters = Driver::new(marble("(ab#)"));
    assert_eq!(letters.rest(), [Ok('a'), Ok('b'), Err(MarbleError)]);
    assert!(letters.is_terminated());
}

fn error(diagram: &str) -> String {
    let error: ParseMarbleError = diagram.parse::<Marble>().unwrap_err();
    error.to_string()
}

#[test]
fn what_is_wrong_with_a_diagram_is_said_with_its_place() {
    let outside = "expected an item, `-`, `(`, `#` or `|`";
    let inside = "expected an item, `#`, `|` or, behind one, `)`";
    assert_eq!(error("-a)-"), format!("{outside} at character 3 of \"-a)-\", got `)`"));
    assert_eq!(error("^-a"), format!("{outside} at character 1 of \"^-a\", got `^`"));
    assert_eq!(error("-a!"), format!("{outside} at character 3 of \"-a!\", got `!`"));
    assert_eq!(error("-()"), format!("{inside} at character 3 of \"-()\", got `)`"));
    assert_eq!(error("(a-b)"), format!("{inside} at character 3 of \"(a-b)\", got `-`"));
    assert_eq!(error("(a(b))"), format!("{inside} at character 3 of \"(a(b))\", got `(`"));
    assert_eq!(error("-(ab"), format!("{inside} at character 5 of \"-(ab\", got its end"));
    assert_eq!(error("-a|-"), "expected nothing behind the end at character 4 of \"-a|-\", got `-`");
    assert_eq!(error("#a"), "expected nothing behind the end at character 2 of \"#a\", got `a`");
    assert_eq!(error("(a|)|"), "expected nothing behind the end at character 5 of \"(a|)|\", got `|`");
    assert_eq!(error("(|a)"), "expected `)` at character 3 of \"(|a)\", got `a`");
    assert_eq!(error("(#"), "expected `)` at character 3 of \"(#\", got its end");
    // Characters are counted, spaces too, not bytes.
    assert_eq!(error("ä )"), format!("{outside} at character 3 of \"ä )\", got `)`"));
}

#[test]
#[should_panic(
    expected = "`diagram` of `marble` must be a marble diagram: expected nothing behind the end at character 2 of \"|a\", got `a`"
)]
fn what_is_no_diagram_panics_at_the_call() {
    let _ = marble("|a");
}

#[test]
#[should_panic(expected = "`frame` must be a number of whole milliseconds above zero, got 0ns")]
fn a_frame_of_no_time() {
    let _ = marble("|").frame(Duration::ZERO);
}

#[test]
#[should_panic(expected = "`frame` must be a number of whole milliseconds above zero, got 1.5ms")]
fn a_frame_between_two_milliseconds() {
    let _ = marble("|").frame(Duration::from_micros(1_500));
}

#[test]
fn its_error_says_what_it_is() {
    let error: Box<dyn std::error::Error + Send + Sync> = MarbleError.into();
    assert_eq!(error.to_string(), "failed at the `#` of a marble diagram");
}
