//! A boxed flow is cold, so what exists already cannot become one.

use coldflow::{BoxFlow, FlowExt, StreamFlowExt};
use futures::stream;

fn numbers() -> BoxFlow<'static, i32, std::convert::Infallible> {
    stream::iter([1, 2, 3]).into_flow().boxed()
}

fn main() {
    let _ = numbers();
}
