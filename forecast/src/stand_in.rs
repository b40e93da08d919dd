#![allow(missing_docs, missing_debug_implementations, unreachable_pub, clippy::pedantic)]
pub struct Once<F>(F);
pub fn once<F>(f: F) -> Once<F> {
    Once(f)
}
#[derive(Debug)]
pub enum SingleError<E> {
    Empty,
    MoreThanOne,
    Upstream(E),
}
impl<E> std::fmt::Display for SingleError<E> {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}
impl<E: std::fmt::Debug> std::error::Error for SingleError<E> {}
pub struct Retry<F, P>(F, P);
impl<F> Once<F> {
    pub fn retry_when<P>(self, p: P) -> Retry<F, P> {
        Retry(self.0, p)
    }
}
impl<F, P> Retry<F, P> {
    pub async fn single<T, E, Fut, PFut>(mut self) -> Result<T, SingleError<E>>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
        P: FnMut(E, u64) -> PFut,
        PFut: Future<Output = Result<(), E>>,
    {
        let mut n = 0;
        loop {
            match (self.0)().await {
                Ok(v) => return Ok(v),
                Err(e) => {
                    if let Err(e) = (self.1)(e, n).await {
                        return Err(SingleError::Upstream(e));
                    }
                    n += 1;
                }
            }
        }
    }
}
