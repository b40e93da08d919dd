//! What std's iterators have too, does the same here, however often the source is pending in between.

use std::future::ready;

use coldflow::FlowExt;
use proptest::prelude::*;

use crate::support::{Probe, Step, block_on, yield_now};

/// Items, with pauses before some of them.
fn items() -> impl Strategy<Value = Vec<(i32, bool)>> {
    prop::collection::vec((-4..20_i32, prop::bool::ANY), 0..70)
}

/// The same as a flow and as a vector.
fn both(items: &[(i32, bool)]) -> (Probe, Vec<i32>) {
    let script: Vec<Step> = items
        .iter()
        .flat_map(|(item, pause)| pause.then_some(Step::Yield).into_iter().chain([Step::Emit(*item)]))
        .collect();
    (Probe::of(&script), items.iter().map(|(item, _)| *item).collect())
}

fn odd(n: i32) -> bool {
    n % 2 != 0
}

/// Compares an operator with what an iterator makes of the same items.
macro_rules! like_iterator {
    ($($name:ident ($($param:ident in $range:expr),*) |$flow:ident| $ours:expr, |$iter:ident| $theirs:expr;)*) => {
        proptest! {$(
            #[test]
            fn $name(items in items() $(, $param in $range)*) {
                let ($flow, $iter) = both(&items);
                prop_assert_eq!(block_on($ours), Ok($theirs));
            }
        )*}
    };
}

like_iterator! {
    map() |flow| flow.map(|n| n * 2).to_vec(), |items| items.into_iter().map(|n| n * 2).collect::<Vec<_>>();
    then() |flow| flow.then(async |n| { yield_now().await; n * 2 }).to_vec(), |items| {
        items.into_iter().map(|n| n * 2).collect::<Vec<_>>()
    };
    filter() |flow| flow.filter(|n| odd(*n)).to_vec(), |items| {
        items.into_iter().filter(|n| odd(*n)).collect::<Vec<_>>()
    };
    filter_map() |flow| flow.filter_map(|n| odd(n).then_some(n * 3)).to_vec(), |items| {
        items.into_iter().filter_map(|n| odd(n).then_some(n * 3)).collect::<Vec<_>>()
    };
    take(count in 0..80_usize) |flow| flow.take(count).to_vec(), |items| {
        items.into_iter().take(count).collect::<Vec<_>>()
    };
    skip(count in 0..80_usize) |flow| flow.skip(count).to_vec(), |items| {
        items.into_iter().skip(count).collect::<Vec<_>>()
    };
    take_while(limit in -4..20_i32) |flow| flow.take_while(|n| *n < limit).to_vec(), |items| {
        items.into_iter().take_while(|n| *n < limit).collect::<Vec<_>>()
    };
    skip_while(limit in -4..20_i32) |flow| flow.skip_while(|n| *n < limit).to_vec(), |items| {
        items.into_iter().skip_while(|n| *n < limit).collect::<Vec<_>>()
    };
    enumerate() |flow| flow.enumerate().to_vec(), |items| items.into_iter().enumerate().collect::<Vec<_>>();
    zip(count in 0..80_i32) |flow| flow.zip(coldflow::flow_of(0..count).fallible()).to_vec(), |items| {
        items.into_iter().zip(0..count).collect::<Vec<_>>()
    };
    chain(count in 0..80_i32) |flow| flow.chain(coldflow::flow_of(0..count).fallible()).to_vec(), |items| {
        items.into_iter().chain(0..count).collect::<Vec<_>>()
    };
    start_with(count in 0..80_i32) |flow| flow.start_with(0..count).to_vec(), |items| {
        (0..count).chain(items).collect::<Vec<_>>()
    };
    repeat(times in 0..4_usize) |flow| flow.repeat(times).to_vec(), |items| items.repeat(times);
    flat_map_concat() |flow| flow.flat_map_concat(|n| coldflow::flow_of(0..n).fallible()).to_vec(), |items| {
        items.into_iter().flat_map(|n| 0..n).collect::<Vec<_>>()
    };
    flatten_concat() |flow| flow.map(|n| coldflow::flow_of(0..n).fallible()).flatten_concat().to_vec(), |items| {
        items.into_iter().flat_map(|n| 0..n).collect::<Vec<_>>()
    };
    transform() |flow| flow.transform(async |n, mut emitter| {
        for part in 0..n {
            emitter.emit(part).await;
        }
    }).to_vec(), |items| items.into_iter().flat_map(|n| 0..n).collect::<Vec<_>>();
    chunks(size in 1..20_usize) |flow| flow.chunks(size).to_vec(), |items| {
        items.chunks(size).map(<[i32]>::to_vec).collect::<Vec<_>>()
    };
    pairwise() |flow| flow.pairwise().to_vec(), |items| {
        items.windows(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>()
    };
    running_fold() |flow| flow.running_fold(5, |sum, n| sum + n).to_vec(), |items| {
        let sums = items.into_iter().scan(5, |sum, n| {
            *sum += n;
            Some(*sum)
        });
        std::iter::once(5).chain(sums).collect::<Vec<_>>()
    };
    running_reduce() |flow| flow.running_reduce(|sum, n| sum - n).to_vec(), |items| {
        let mut last = None;
        items.into_iter().map(|n| *last.insert(last.map_or(n, |last| last - n))).collect::<Vec<_>>()
    };
    distinct_until_changed() |flow| flow.map(|n| n / 4).distinct_until_changed().to_vec(), |items| {
        let mut items: Vec<_> = items.into_iter().map(|n| n / 4).collect();
        items.dedup();
        items
    };
    distinct_until_changed_by_key() |flow| flow.distinct_until_changed_by_key(|n| n / 4).to_vec(), |items| {
        let mut items = items;
        items.dedup_by_key(|n| *n / 4);
        items
    };
    distinct_until_changed_by() |flow| flow.distinct_until_changed_by(|last, n| n - last < 3).to_vec(), |items| {
        let mut items = items;
        items.dedup_by(|n, last| *n - *last < 3);
        items
    };
    fold() |flow| flow.fold(7, |sum: i32, n| ready(sum.wrapping_mul(3).wrapping_add(n))), |items| {
        items.into_iter().fold(7, |sum: i32, n| sum.wrapping_mul(3).wrapping_add(n))
    };
    reduce() |flow| flow.reduce(|sum, n| sum.wrapping_mul(3).wrapping_add(n)), |items| {
        items.into_iter().reduce(|sum, n| sum.wrapping_mul(3).wrapping_add(n))
    };
    count() |flow| flow.count(), |items| items.len();
    count_where() |flow| flow.count_where(|n| odd(*n)), |items| items.into_iter().filter(|n| odd(*n)).count();
    first() |flow| flow.first(), |items| items.first().copied();
    first_where(limit in -4..25_i32) |flow| flow.first_where(|n| *n > limit), |items| {
        items.into_iter().find(|n| *n > limit)
    };
    last() |flow| flow.last(), |items| items.last().copied();
    any(wanted in -4..20_i32) |flow| flow.any(|n| n == wanted), |items| items.into_iter().any(|n| n == wanted);
    all(limit in 10..25_i32) |flow| flow.all(|n| n < limit), |items| items.into_iter().all(|n| n < limit);
    none(wanted in -4..20_i32) |flow| flow.none(|n| n == wanted), |items| !items.into_iter().any(|n| n == wanted);
    collect() |flow| flow.collect::<std::collections::BTreeSet<_>>(), |items| items.into_iter().collect();
    boxed() |flow| flow.boxed().to_vec(), |items| items;
    map_to_result() |flow| flow.map_to_result().to_vec(), |items| items.into_iter().map(Ok).collect::<Vec<_>>();
    materialize() |flow| flow.materialize().dematerialize().to_vec(), |items| items;
}

proptest! {
    #[test]
    fn inspect_and_on_each_and_for_each_see_every_item_in_order(items in items()) {
        let (flow, expected) = both(&items);
        let (mut inspected, mut each, mut last) = (Vec::new(), Vec::new(), Vec::new());
        block_on(flow.inspect(|n| inspected.push(*n)).on_each(|n| { each.push(*n); yield_now() }).for_each(|n| {
            last.push(n);
            yield_now()
        })).unwrap();
        prop_assert_eq!(&inspected, &expected);
        prop_assert_eq!(&each, &expected);
        prop_assert_eq!(&last, &expected);
    }

    #[test]
    fn single_agrees_with_the_number_of_items(items in prop::collection::vec((0..9_i32, prop::bool::ANY), 0..4)) {
        let (flow, expected) = both(&items);
        let one = (expected.len() == 1).then(|| expected[0]);
        prop_assert_eq!(block_on(flow.clone().single_or_none()), Ok(one));
        prop_assert_eq!(block_on(flow.single()).ok(), one);
    }

    #[test]
    fn fallible_lambdas_end_at_the_first_failure(items in items(), limit in -4..20_i32) {
        let (flow, expected) = both(&items);
        let checked = move |n: i32| if n > limit { Err("too large") } else { Ok(n) };
        let expected: Result<Vec<i32>, &str> = expected.into_iter().map(checked).collect();
        prop_assert_eq!(block_on(flow.clone().try_map(checked).to_vec()), expected.clone());
        prop_assert_eq!(block_on(flow.clone().and_then(|n| async move { checked(n) }).to_vec()), expected.clone());
        let sum = expected.map(|items| items.iter().sum::<i32>());
        prop_assert_eq!(block_on(flow.clone().try_fold(0, |sum, n| ready(checked(n).map(|n| sum + n)))), sum);
        prop_assert_eq!(block_on(flow.try_for_each(|n| ready(checked(n).map(drop)))), sum.map(drop));
    }
}
