//! Our extension trait beside those of the stream libraries, all in scope at once.

#[allow(unused_imports)] // `TryStreamExt` is in scope to show that it does not get in the way.
mod all_of_them {
    pub(super) use coldflow::*;
    pub(super) use futures::{StreamExt, TryStreamExt};
    pub(super) use tokio_stream::StreamExt as TokioStreamExt;
}

mod globs {
    use coldflow::FlowExt as _;
    use coldflow::{StreamFlowExt as _, flow_of};
    #[allow(unused_imports)]
    use futures::prelude::*;
    use futures::stream;
    #[allow(unused_imports)]
    use tokio_stream::*;

    use crate::support::block_on;

    /// `futures` and `tokio_stream` collide with each other on a `Stream`, so these are told apart by path there; on a
    /// flow all names are ours.
    #[test]
    fn the_operators_of_a_flow_keep_their_names() {
        let Ok(items) =
            block_on(flow_of(1..10).map(|n| n * 2).filter(|n| n % 3 == 0).take(2).skip(1).chain(flow_of([7])).to_vec());
        assert_eq!(items, [12, 7]);
    }

    #[test]
    fn a_stream_keeps_the_names_of_its_traits() {
        let stream = stream::iter(1..10);
        let stream = futures::StreamExt::map(stream, |n| n * 2);
        let items: Vec<i32> = block_on(futures::StreamExt::collect(tokio_stream::StreamExt::take(stream, 3)));
        assert_eq!(items, [2, 4, 6]);
        // Back and forth: a stream becomes a flow.
        let Ok(items) = block_on(stream::iter(1..4).into_flow().map(|n| n + 1).to_vec());
        assert_eq!(items, [2, 3, 4]);
    }
}

mod futures_glob {
    #[allow(unused_imports)]
    use coldflow::*;
    #[allow(unused_imports)]
    use futures::{StreamExt, TryStreamExt, future::ready, stream};

    use crate::support::block_on;

    #[test]
    fn both_worlds_with_futures() {
        let flow = flow_of(1..10).map(|n| n * 2).filter(|n| n % 4 == 0).take(3);
        let collected: Vec<_> = block_on(flow.clone().into_stream().map(|item| item.unwrap() + 1).collect());
        assert_eq!(collected, [5, 9, 13]);
        let zipped: Vec<_> = block_on(
            flow.clone().into_stream().zip(stream::iter("ab".chars())).map(|(n, c)| (n.unwrap(), c)).collect(),
        );
        assert_eq!(zipped, [(4, 'a'), (8, 'b')]);
        let kept: Vec<_> =
            block_on(flow.clone().into_stream().try_filter(|n| ready(*n > 4)).take(1).try_collect()).unwrap();
        assert_eq!(kept, [8]);
        let Ok(sum) = block_on(flow.fold(0, async |sum, n| sum + n));
        assert_eq!(sum, 24);
    }
}

mod tokio_glob {
    use coldflow::*;
    use tokio_stream::StreamExt;

    use crate::support::block_on;

    #[test]
    fn both_worlds_with_tokio_stream() {
        let flow = flow_of(1..10).map(|n| n * 2).filter(|n| n % 4 == 0).take(3);
        let collected: Vec<_> = block_on(flow.into_stream().map(Result::unwrap).filter(|n| *n > 4).take(1).collect());
        assert_eq!(collected, [8]);
    }
}

#[test]
fn all_traits_at_once() {
    use all_of_them::{Flow, FlowExt, StreamExt, StreamFlowExt, flow_of};
    #[allow(unused_imports)]
    use all_of_them::{TokioStreamExt, TryStreamExt};

    let flow = flow_of([1, 2, 3]).map(|n| n + 1).filter(|n| *n != 3).take(2);
    assert_eq!(crate::support::block_on(flow.clone().to_vec()), Ok(vec![2, 4]));
    // Names that only one of the stream traits has need no path; `next` is one that both have.
    let mut stream = flow.into_stream();
    assert_eq!(crate::support::block_on(StreamExt::next(&mut stream)), Some(Ok(2)));
    let rest = crate::support::block_on(stream.into_try_flow().single());
    assert_eq!(rest, Ok(4));
}

#[cfg(feature = "macros")]
#[test]
fn bodies_of_async_stream_are_cold_flows_through_defer() {
    use coldflow::{FlowExt, defer, stream, try_stream};

    let mut runs = 0;
    let numbers = defer(|| {
        runs += 1;
        let run = runs;
        try_stream! {
            yield run;
            if run < 3 {
                Err("again")?;
            }
            yield run * 10;
        }
    });
    assert_eq!(crate::support::block_on(numbers.retry(5).to_vec()), Ok::<_, &str>(vec![1, 2, 3, 30]));

    let plain = defer(|| {
        stream! {
            for n in 0..3 {
                yield Ok::<_, std::convert::Infallible>(n);
            }
        }
    });
    assert_eq!(crate::support::block_on(plain.map(|n| n + 1).to_vec()), Ok(vec![1, 2, 3]));
}
