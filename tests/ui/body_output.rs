//! A body emits its values; what it returns is how it ended.

use coldflow::{FlowExt, flow};

async fn numbers() {
    let numbers = flow(async |mut emitter| {
        emitter.emit(1).await;
        2
    });
    let _ = numbers.to_vec().await;
}

fn main() {
    let _ = numbers();
}
