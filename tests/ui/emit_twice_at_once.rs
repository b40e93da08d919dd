//! Two emissions at once borrow the emitter twice.

use coldflow::{FlowExt, flow};

async fn both() {
    let numbers = flow(async |mut emitter| {
        futures::join!(emitter.emit(1), emitter.emit(2));
    });
    let _ = numbers.to_vec().await;
}

fn main() {
    let _ = both();
}
