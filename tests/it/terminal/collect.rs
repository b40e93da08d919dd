use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail, Yield};
use crate::support::{Probe, block_on};

// ToCollectionTest
#[test]
fn into_any_collection() {
    let items = || flow_of([3, 1, 3]);
    assert_eq!(block_on(items().to_vec()), Ok(vec![3, 1, 3]));
    assert_eq!(block_on(items().collect::<BTreeSet<_>>()), Ok(BTreeSet::from([1, 3])));
    assert_eq!(block_on(items().collect::<VecDeque<_>>()), Ok(VecDeque::from([3, 1, 3])));
    assert_eq!(block_on(flow_of("abc".chars()).collect::<String>()), Ok("abc".to_owned()));
}

// ToMap samples: associateBy, associateWith, groupBy
#[test]
fn into_a_map_the_last_value_wins() {
    let by_length = block_on(flow_of(["a", "bb", "c"]).map(|word| (word.len(), word)).collect::<HashMap<_, _>>());
    assert_eq!(by_length, Ok(HashMap::from([(1, "c"), (2, "bb")])));
    let grouped = block_on(flow_of(["a", "bb", "c"]).fold(BTreeMap::<_, Vec<_>>::new(), async |mut groups, word| {
        groups.entry(word.len()).or_default().push(word);
        groups
    }));
    assert_eq!(grouped, Ok(BTreeMap::from([(1, vec!["a", "c"]), (2, vec!["bb"])])));
}

#[test]
fn of_nothing_it_is_empty() {
    assert_eq!(block_on(empty::<u8>().to_vec()), Ok(vec![]));
}

#[test]
fn a_failure_loses_the_items() {
    assert_eq!(block_on(Probe::of(&[Emit(1), Fail("failed")]).to_vec()), Err("failed"));
}

/// Keeps the first item it is given and lets the iterator lie.
#[derive(Debug, Default, PartialEq)]
struct Earliest(Option<i32>);

impl Extend<i32> for Earliest {
    fn extend<I: IntoIterator<Item = i32>>(&mut self, items: I) {
        if self.0.is_none() {
            self.0 = items.into_iter().next();
        }
    }
}

#[test]
fn a_collection_may_leave_items() {
    let source = Probe::of(&[Emit(1), Emit(2), Yield, Emit(3)]);
    let trace = source.trace();
    assert_eq!(block_on(source.collect::<Earliest>()), Ok(Earliest(Some(1))));
    assert!(trace.live().is_empty());
    let failing = Probe::of(&[Emit(1), Emit(2), Fail("failed")]);
    assert_eq!(block_on(failing.collect::<Earliest>()), Err("failed"));
}

#[test]
fn it_reserves_no_more_than_it_can_fill_at_a_time() {
    let few = block_on(flow_of(0_u64..).take_while(|n| *n < 3).to_vec()).unwrap();
    assert!(few.capacity() <= 2 * 1024, "{}", few.capacity());
}
