//! A plain stream where a flow is expected.

use coldflow::{FlowExt, flow_of};
use futures::stream;

async fn chain() {
    let _ = flow_of([1]).chain(stream::iter([2])).to_vec().await;
}

fn main() {
    let _ = chain();
}
