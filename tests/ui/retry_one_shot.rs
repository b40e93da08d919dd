//! A stream that already exists cannot start over, so a retry of it does not compile.

use coldflow::{FlowExt, StreamFlowExt};

async fn read(socket: impl futures::Stream<Item = Result<u8, String>>) -> Result<Vec<u8>, String> {
    socket.into_try_flow().retry(3).to_vec().await
}

fn main() {
    let _ = read(futures::stream::iter([Ok(1), Err("cut off".to_owned())]));
}
