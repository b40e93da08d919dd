//! Twenty operators in four streams. Beside it stands the same program on coldflow, and `ci/cost.sh` builds both.

use std::any::type_name;
use std::future::{Future, ready};
use std::pin::Pin;
use std::time::Duration;

use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};
use tokio::runtime::Builder;
use tokio::time::sleep;

/// Tells how long the name of the stream's type is, which debuggers, profiles and symbol tables have to carry.
fn named<S: Stream>(name: &str, stream: S) -> S {
    eprintln!("{name} {}", type_name::<S>().len());
    stream
}

/// A request, as far as this program has any.
async fn ask(n: u64) -> u64 {
    sleep(Duration::from_micros(n % 3)).await;
    n + 1
}

async fn one_after_the_other() -> Vec<(usize, u64)> {
    let stream = stream::iter(0..1_000_u64)
        .map(|n| n * 3)
        .filter(|n| ready(n % 2 == 0))
        .skip(3)
        .skip_while(|n| ready(*n < 60))
        .filter_map(|n| ready(n.checked_sub(30)))
        .flat_map(|n| stream::iter([n, n + 1]))
        .inspect(|n| assert!(*n < 3_000, "{n}"))
        .take_while(|n| ready(*n < 2_000))
        .scan(0, |sum, n| {
            *sum += n;
            ready(Some(*sum))
        })
        .chain(stream::iter([1, 2, 3]))
        .chunks(7)
        .then(|chunk| ready(chunk.into_iter().sum::<u64>()))
        .enumerate()
        .take(50);
    named("one after the other", stream).collect().await
}

async fn beside_each_other() -> u64 {
    let asked = stream::iter(0..100).map(ask).buffer_unordered(8);
    let flattened = stream::iter(0..20_u64).flat_map_unordered(4, |n| stream::iter(0..n));
    let stream = stream::select(asked, flattened);
    named("beside each other", stream).fold(0, |sum, n| ready(sum + n)).await
}

async fn in_pairs() -> Vec<(u64, u64)> {
    let stream = stream::iter(0..20).map(ask).buffered(4).zip(stream::iter(100..200));
    named("in pairs", stream).collect().await
}

async fn that_fails() -> Result<u64, String> {
    let stream = stream::iter(0..100)
        .map(Ok::<u64, String>)
        .and_then(|n| ready(if n < 50 { Ok(n * 2) } else { Err(format!("{n} is too many")) }));
    named("that fails", stream).try_fold(0, |sum, n| ready(Ok(sum + n))).await
}

/// Behind `dyn`, so that the compiler writes each of them once, and not wherever the runtime may poll.
type Boxed = Pin<Box<dyn Future<Output = String>>>;

fn main() {
    let parts: [Boxed; 4] = [
        Box::pin(async { format!("{:?}", one_after_the_other().await) }),
        Box::pin(async { format!("{}", beside_each_other().await) }),
        Box::pin(async { format!("{:?}", in_pairs().await) }),
        Box::pin(async { format!("{:?}", that_fails().await) }),
    ];
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    for part in parts {
        println!("{}", runtime.block_on(part));
    }
}
