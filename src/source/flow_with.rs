use core::future::Future;

use crate::emitter::Emitter;
use crate::source::{BodyOutput, FlowFn, Numbered};

/// A flow of what `body` emits, and `body` is told which run it is.
///
/// As [`flow`](crate::flow), with the number of the attempt before the emitter: 1 on the first run of a collection, and
/// one more on each further run, whoever asks for it. The count is the collection's, as that of
/// [`once_with`](crate::once_with) is. One allocation per collection, none per item or run.
///
/// # Cancel safety
///
/// Dropping the collection drops the body where it stands.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, flow_with};
///
/// # futures::executor::block_on(async {
/// let pages = flow_with(async |attempt, mut emitter| {
///     emitter.emit(format!("page 1 at attempt {attempt}")).await;
///     if attempt == 1 {
///         return Err("connection reset");
///     }
///     emitter.emit("page 2".to_owned()).await;
///     Ok(())
/// });
/// let pages = pages.retry(3).to_vec().await.unwrap();
/// assert_eq!(pages, ["page 1 at attempt 1", "page 1 at attempt 2", "page 2"]);
/// # });
/// ```
///
/// Kotlin: none.
pub fn flow_with<T, Body, Fut>(body: Body) -> FlowFn<T, Numbered<Body>>
where
    Body: FnMut(u64, Emitter<T>) -> Fut,
    Fut: Future<Output: BodyOutput>,
{
    FlowFn::new(Numbered::new(body))
}
