use alloc::vec::Vec;

/// Things that leave a lock, to be woken or dropped outside of it: one without an allocation, or more.
pub(super) struct Few<T> {
    first: Option<T>,
    more: Vec<T>,
}

impl<T> Few<T> {
    pub(super) fn new() -> Self {
        Few { first: None, more: Vec::new() }
    }

    pub(super) fn push(&mut self, thing: T) {
        if self.first.is_none() {
            self.first = Some(thing);
        } else {
            self.more.push(thing);
        }
    }
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = core::iter::Chain<core::option::IntoIter<T>, alloc::vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.more)
    }
}
