//! The same with operators between, and with a predicate.

use coldflow::{FlowExt, from_try_stream};
use futures::stream;

async fn read() -> Result<Vec<i32>, &'static str> {
    from_try_stream(stream::iter([Ok(1), Err("cut off")]))
        .map(|n| n + 1)
        .retry_when(async |cause, retried| if retried < 3 { Ok(()) } else { Err(cause) })
        .to_vec()
        .await
}

fn main() {
    let _ = read();
}
