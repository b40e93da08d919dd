//! Collecting consumes a flow.

use coldflow::{FlowExt, flow};

async fn twice() {
    let numbers = flow(async |mut emitter| emitter.emit(1).await);
    let first = numbers.first().await;
    let all = numbers.to_vec().await;
    println!("{first:?} {all:?}");
}

fn main() {
    let _ = twice();
}
