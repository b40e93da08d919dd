//! So does a lambda that emits.

use coldflow::{FlowExt, flow_of};

async fn numbers() {
    let numbers = flow_of([1, 2]).transform(async |n, mut emitter| {
        emitter.emit(n).await;
        n + 1
    });
    let _ = numbers.to_vec().await;
}

fn main() {
    let _ = numbers();
}
