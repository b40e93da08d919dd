//! The Kotlin test in question is named above each test that has one: `ChannelFlow` and `ConsumeAsFlowTest`.

use coldflow::{Flow, FlowExt, StreamFlowExt, from_try_stream};
use futures::stream;
use tokio_stream::wrappers::ReceiverStream;

use crate::support::block_on;

// testConsume: a second collection does not even compile, see tests/ui.
#[tokio::test]
async fn a_channel_is_a_flow() {
    let (sender, receiver) = tokio::sync::mpsc::channel(4);
    let sending = tokio::spawn(async move {
        for n in 0..3 {
            sender.send(n).await.unwrap();
        }
    });
    assert_eq!(ReceiverStream::new(receiver).into_flow().map(|n| n * 2).to_vec().await, Ok(vec![0, 2, 4]));
    sending.await.unwrap();
}

// testConsumeAsFlowCancellation
#[tokio::test]
async fn a_take_drops_the_channel() {
    let (sender, receiver) = tokio::sync::mpsc::channel(4);
    sender.send(1).await.unwrap();
    assert_eq!(ReceiverStream::new(receiver).into_flow().take(1).to_vec().await, Ok(vec![1]));
    assert!(sender.is_closed());
}

#[test]
fn there_and_back_again() {
    use futures::TryStreamExt;
    let numbers = from_try_stream(stream::iter([Ok(1), Ok(2), Err("over")])).map(|n| n + 1).into_stream();
    let results: Vec<_> = block_on(futures::StreamExt::collect(numbers));
    assert_eq!(results, [Ok(2), Ok(3), Err("over")]);
    let numbers = stream::iter([1, 2]).into_flow().fallible::<&str>().into_stream();
    assert_eq!(block_on(numbers.try_collect::<Vec<_>>()), Ok(vec![1, 2]));
}

#[test]
fn a_reference_to_a_stream_is_a_stream() {
    let mut numbers = stream::iter(0..5);
    assert_eq!(block_on((&mut numbers).into_flow().take(2).to_vec()), Ok(vec![0, 1]));
    assert_eq!(block_on(numbers.into_flow().to_vec()), Ok(vec![2, 3, 4]));
}

#[test]
fn the_stream_of_a_flow_works_in_a_select_loop() {
    use futures::StreamExt;
    let mut numbers = coldflow::flow_of([1, 2]).into_stream();
    let mut letters = coldflow::flow_of(["a"]).into_stream();
    let seen = block_on(async {
        let mut seen = Vec::new();
        loop {
            futures::select! {
                n = numbers.select_next_some() => seen.push(n.unwrap().to_string()),
                letter = letters.select_next_some() => seen.push(letter.unwrap().to_owned()),
                complete => break seen,
            }
        }
    });
    assert_eq!(seen.len(), 3);
}
