use core::future::Future;

use crate::source::{Numbered, Once};

/// A flow of the one value, or the one error, of a future that is made anew for each run, and told which run it is.
///
/// As [`once`](crate::once), with the number of the attempt: 1 on the first run of a collection, and one more on each
/// further run, whoever asks for it. The count is the collection's. Retries above each other share it, and it does not
/// begin again with the backoff, as the `retried` of a [`retry_when`](crate::FlowExt::retry_when) does with each new
/// collection by an outer retry. Collecting a clone of the flow begins at 1. No allocation.
///
/// # Cancel safety
///
/// Dropping the collection drops the future.
///
/// # Examples
///
/// ```
/// use coldflow::{FlowExt, once_with};
///
/// # futures::executor::block_on(async {
/// async fn fetch(attempt: u64) -> Result<String, &'static str> {
///     if attempt < 3 { Err("busy") } else { Ok(format!("answered attempt {attempt}")) }
/// }
/// assert_eq!(once_with(fetch).retry(5).single().await.unwrap(), "answered attempt 3");
/// // The runs are counted across all retries.
/// assert_eq!(once_with(fetch).retry(1).retry(1).single().await.unwrap(), "answered attempt 3");
/// # });
/// ```
///
/// Kotlin: none.
pub fn once_with<Op, Fut, T, E>(op: Op) -> Once<Numbered<Op>>
where
    Op: FnMut(u64) -> Fut,
    Fut: Future<Output = Result<T, E>>,
{
    Once::new(Numbered::new(op))
}
