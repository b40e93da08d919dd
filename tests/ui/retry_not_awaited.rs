// The futures of other retry crates can be forgotten without a word from the compiler.
#![deny(unused_must_use)]

use coldflow::{FlowExt, Retry, once, retry};

async fn fetch() -> Result<u8, String> {
    Ok(1)
}

#[tokio::main]
async fn main() {
    retry(Retry::exponential(3), fetch);
    once(fetch).retry_with(Retry::exponential(3)).when(|error| error.is_empty());
    std::future::IntoFuture::into_future(retry(Retry::exponential(3), fetch));
}
