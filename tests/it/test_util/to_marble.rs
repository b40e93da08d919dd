//! `to_marble`: the diagram of a flow, and what it is equal to.

use coldflow::test_util::{marble, probe, to_marble};
use coldflow::{Flow, FlowExt, empty, failed, flow_of, interval};
use proptest::prelude::*;
use tokio::runtime::Builder;

use crate::concurrent::clock::{Emit, Wait, ms, script};
use crate::support::Polling;

#[tokio::test(start_paused = true)]
async fn there_and_back_it_is_the_same() {
    for diagram in ["|", "#", "-a-b-|", "(ab)-c#", "(ab|)", "---(a#)", "abc--|", "a(bc)d(e|)"] {
        let timeline = to_marble(marble(diagram)).await;
        assert_eq!(timeline, diagram);
        assert_eq!(timeline.to_string(), diagram);
        assert_eq!(format!("{timeline:?}"), format!("{diagram:?}"));
        let wide = to_marble(marble(diagram).frame(ms(70))).frame(ms(70)).await;
        assert_eq!(wide.to_string(), diagram);
    }
}

#[tokio::test(start_paused = true)]
async fn spaces_and_silence_behind_the_last_mark_make_no_difference() {
    let timeline = to_marble(marble("-a-b")).await;
    assert_eq!(timeline, " - a  -b ---- ");
    assert_eq!(timeline, *"-a-b");
    assert_eq!(timeline.to_string(), "-a-b");
    assert_eq!(to_marble(marble("")).await, "---");
    assert_eq!(timeline, to_marble(marble("-a-b---")).await);
}

#[tokio::test(start_paused = true)]
async fn everything_else_makes_one() {
    let timeline = to_marble(marble("-a(bc)-|")).await;
    for other in
        ["a(bc)-|", "-a-(bc)-|", "-a(cb)-|", "-abc-|", "-a(bc)|", "-a(bc)-#", "-a(bc)-", "-a(bcd)-|", "-x(bc)-|"]
    {
        assert_ne!(timeline, other);
        assert_ne!(timeline, to_marble(marble(other)).await);
    }
}

#[tokio::test(start_paused = true)]
async fn any_error_is_the_same_sign() {
    assert_eq!(to_marble(failed::<char, _>("over")).await, "#");
    assert_eq!(to_marble(marble("-a#").map_err(|_| 404)).await, "-a#");
}

#[tokio::test(start_paused = true)]
async fn items_are_shown_as_they_display_themselves() {
    assert_eq!(to_marble(flow_of([1, 2, 3])).await, "(123|)");
    assert_eq!(to_marble(flow_of(["x", "y"])).await, "(xy|)");
    assert_eq!(to_marble(empty::<char>()).await, "|");
}

#[tokio::test(start_paused = true)]
async fn what_no_diagram_shows_is_a_list_of_times_and_equal_to_none() {
    let between = to_marble(script([Emit(1), Wait(15), Emit(2)])).await;
    assert_eq!(format!("{between}"), "0 ms 1, 15 ms 2, 15 ms |");
    assert_eq!(format!("{between:?}"), "\"0 ms 1, 15 ms 2, 15 ms |\"");
    assert_ne!(between, "1(2|)");
    assert_ne!(between, "1-(2|)");
    let long = to_marble(flow_of([10])).await;
    assert_eq!(long.to_string(), "0 ms 10, 0 ms |");
    assert_ne!(long, "(10|)");
    // A sign that means something is no item.
    let dash = to_marble(flow_of(['-'])).await;
    assert_eq!(dash.to_string(), "0 ms -, 0 ms |");
    assert_ne!(dash, "-|");
}

#[tokio::test(start_paused = true)]
async fn it_watches_so_many_frames_and_not_what_falls_behind_them() {
    let source = probe::<_, ()>().emit('a').wait(ms(30)).emit('b').hang();
    assert_eq!(to_marble(source.clone()).frames(3).await, "a--");
    assert_eq!((source.drops(), source.running()), (1, 0));
    assert_eq!(to_marble(source.clone()).frames(4).await, "a--b");
    assert_eq!(to_marble(source.clone()).frames(0).await, "");
    assert_eq!(source.starts(), 2, "of no frame at all nothing is watched");
}

#[tokio::test(start_paused = true)]
async fn a_thousand_frames_where_nothing_is_said() {
    let timeline = to_marble(interval(ms(10)).map(|_| 'x')).await;
    assert_eq!(timeline.to_string(), "x".repeat(1_000));
    let began = tokio::time::Instant::now();
    assert_eq!(to_marble(marble("a")).frame(ms(20)).await, "a");
    assert_eq!(began.elapsed(), ms(20_000));
}

#[tokio::test(start_paused = true)]
async fn times_between_two_milliseconds_are_shown_in_full() {
    let source = coldflow::once(async || {
        tokio::time::advance(std::time::Duration::from_micros(10_050)).await;
        Ok::<_, ()>(1)
    });
    assert_eq!(to_marble(source).await.to_string(), "10.050 ms 1, 10.050 ms |");
}

#[test]
fn resolved_it_has_dropped_the_flow_and_is_pending() {
    let source = probe::<_, ()>().emit(1);
    let mut future = Polling::new(to_marble(source.clone()));
    assert!(!futures::future::FusedFuture::is_terminated(future.get()));
    assert!(future.poll().is_ready());
    assert!(futures::future::FusedFuture::is_terminated(future.get()));
    assert_eq!(source.running(), 0);
    assert!(future.poll().is_pending());
}

#[test]
fn many_items_let_other_tasks_in() {
    let mut future = Polling::new(to_marble(flow_of(0..5_000)));
    assert!(future.poll().is_pending());
    assert!(future.woken());
}

#[tokio::test(start_paused = true)]
#[should_panic(
    expected = "the text to compare with is no diagram: expected nothing behind the end at character 2 of \"|-\", got `-`"
)]
async fn a_text_that_is_no_diagram_cannot_be_compared_with() {
    let _ = to_marble(empty::<char>()).await == "|-";
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "assertion `left == right` failed\n  left: \"-a|\"\n right: \"a-|\"")]
async fn an_assertion_that_fails_shows_both_diagrams() {
    assert_eq!(to_marble(marble("-a|")).await, "a-|");
}

fn timeline(flow: impl Flow<Item = char>) -> String {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async { to_marble(flow).await.to_string() })
}

proptest! {
    #[test]
    fn every_diagram_is_what_its_flow_does(
        frames in prop::collection::vec(prop_oneof![
            Just("-".to_owned()),
            "[a-z0-9]",
            "\\([a-z]{2,4}\\)",
        ], 0..20),
        end in prop::sample::select(vec!["|", "#", "(x|)", "(xy#)"]),
    ) {
        let diagram = frames.concat() + end;
        prop_assert_eq!(timeline(marble(&diagram)), diagram);
    }
}
