//! What is shared has nobody to tell of a failure, so a flow that can fail is not shared before that is handled.

use coldflow::{FlowExt, SharingStarted, once};

async fn fetch() -> Result<u8, String> {
    Err("cut off".to_owned())
}

fn main() {
    let _ = once(fetch).share_in(SharingStarted::Lazily, 1);
    let _ = once(fetch).state_in(SharingStarted::Lazily, 1);
    drop(once(fetch).state_in_first());
}
