//! The predicate of `retry_when` gives the cause back, or retries; the one of `retry_if` says yes or no.

use coldflow::{FlowExt, once};

async fn fetch() -> Result<u32, String> {
    Err("busy".to_owned())
}

async fn chain() {
    let _ = once(fetch).retry_when(async |_cause, retried| retried < 3).single().await;
}

fn main() {
    let _ = chain();
}
