use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use coldflow::{FlowExt, empty, flow_of};

use crate::support::Step::{Emit, Fail};
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
