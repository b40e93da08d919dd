use coldflow::{FlowExt, flow_of};

use crate::support::Step::{Emit, Fail};
use crate::support::{Driver, Probe, block_on};

#[test]
fn the_predicate_is_called_once_per_item_in_order() {
    let mut seen = Vec::new();
    let Ok(items) = block_on(
        flow_of(1..6)
            .filter(|n| {
                seen.push(*n);
                n % 2 == 0
            })
            .to_vec(),
    );
    assert_eq!((items, seen), (vec![2, 4], vec![1, 2, 3, 4, 5]));
}

#[test]
fn an_error_passes_though_no_item_does() {
    let mut stream = Driver::new(Probe::of(&[Emit(1), Fail("failed")]).filter(|_| false));
    assert_eq!(stream.rest(), [Err("failed")]);
}

#[test]
fn what_it_drops_is_dropped_at_once() {
    let kept = std::rc::Rc::new(());
    let mut stream = Driver::new(flow_of(vec![kept.clone(), kept.clone()]).filter(|_| false));
    assert_eq!(stream.next(), None);
    // The two of the recipe, and the one here.
    assert_eq!(std::rc::Rc::strong_count(&kept), 3);
}
