//! Twenty operators in four flows. Beside it stands the same program on futures-util, and `ci/cost.sh` builds both.

use std::any::type_name;
use std::future::{Future, ready};
use std::pin::Pin;
use std::time::Duration;

use coldflow::{Flow, FlowExt, flow_of, merge};
use tokio::runtime::Builder;
use tokio::time::sleep;

/// Tells how long the name of the stream's type is, which debuggers, profiles and symbol tables have to carry.
fn named<F: Flow>(name: &str, flow: F) -> F {
    eprintln!("{name} {}", type_name::<F::Stream>().len());
    flow
}

/// A request, as far as this program has any.
async fn ask(n: u64) -> u64 {
    sleep(Duration::from_micros(n % 3)).await;
    n + 1
}

async fn one_after_the_other() -> Vec<(usize, u64)> {
    let flow = flow_of(0..1_000_u64)
        .map(|n| n * 3)
        .filter(|n| n % 2 == 0)
        .skip(3)
        .skip_while(|n| *n < 60)
        .filter_map(|n| n.checked_sub(30))
        .flat_map_concat(|n| flow_of([n, n + 1]))
        .inspect(|n| assert!(*n < 3_000, "{n}"))
        .take_while(|n| *n < 2_000)
        .running_reduce(|sum, n| sum + n)
        .chain(flow_of([1, 2, 3]))
        .chunks(7)
        .then(|chunk| ready(chunk.into_iter().sum::<u64>()))
        .enumerate()
        .take(50);
    let Ok(numbers) = named("one after the other", flow).to_vec().await;
    numbers
}

async fn beside_each_other() -> u64 {
    let asked = flow_of(0..100).then_concurrent_unordered(8, ask);
    let flattened = flow_of(0..20_u64).flat_map_merge(4, |n| flow_of(0..n));
    let flow = merge((asked, flattened));
    let Ok(sum) = named("beside each other", flow).fold(0, |sum, n| ready(sum + n)).await;
    sum
}

async fn in_pairs() -> Vec<(u64, u64)> {
    let flow = flow_of(0..20).then_concurrent(4, ask).zip(flow_of(100..200));
    let Ok(pairs) = named("in pairs", flow).to_vec().await;
    pairs
}

async fn that_fails() -> Result<u64, String> {
    let flow = flow_of(0..100)
        .fallible::<String>()
        .and_then(|n| ready(if n < 50 { Ok(n * 2) } else { Err(format!("{n} is too many")) }));
    named("that fails", flow).try_fold(0, |sum, n| ready(Ok(sum + n))).await
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
