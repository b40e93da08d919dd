//! A predicate without `async`.

use coldflow::{FlowExt, once};

async fn fetch() -> Result<u32, String> {
    Err("busy".to_owned())
}

async fn chain() {
    let _ = once(fetch).retry_when(|_cause, retried| retried < 3).single().await;
}

fn main() {
    let _ = chain();
}
