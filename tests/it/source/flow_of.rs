use std::collections::BTreeMap;

use coldflow::{FlowExt, flow_of};

use crate::support::{Driver, block_on};

// FlowBuildersTest
#[test]
fn of_anything_that_can_be_iterated_and_cloned() {
    assert_eq!(block_on(flow_of([1, 2]).to_vec()), Ok(vec![1, 2]));
    assert_eq!(block_on(flow_of(vec!["a"]).to_vec()), Ok(vec!["a"]));
    assert_eq!(block_on(flow_of(0..3).to_vec()), Ok(vec![0, 1, 2]));
    assert_eq!(block_on(flow_of(Some(1)).to_vec()), Ok(vec![1]));
    assert_eq!(block_on(flow_of(&[1, 2]).map(|n| *n).to_vec()), Ok(vec![1, 2]));
    assert_eq!(block_on(flow_of("ab".chars()).to_vec()), Ok(vec!['a', 'b']));
    assert_eq!(block_on(flow_of(BTreeMap::from([(1, 2)])).to_vec()), Ok(vec![(1, 2)]));
    assert_eq!(block_on(flow_of(std::iter::repeat_n(1, 2)).to_vec()), Ok(vec![1, 1]));
}

#[test]
fn a_restart_begins_with_the_first_item() {
    let mut stream = Driver::new(flow_of(0..));
    assert_eq!((stream.next(), stream.next()), (Some(Ok(0)), Some(Ok(1))));
    stream.restart();
    assert_eq!(stream.next(), Some(Ok(0)));
}

#[test]
fn an_iterator_is_not_asked_again_after_its_end() {
    #[derive(Clone)]
    struct Touchy(bool);
    impl Iterator for Touchy {
        type Item = u8;
        fn next(&mut self) -> Option<u8> {
            assert!(!self.0, "asked again");
            self.0 = true;
            None
        }
    }
    let mut stream = Driver::new(flow_of(Touchy(false)));
    assert_eq!((stream.next(), stream.next(), stream.next()), (None, None, None));
}
