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

    /// Does something with each, in order. Mostly there is none.
    #[inline]
    pub(super) fn for_each(self, mut does: impl FnMut(T)) {
        if let Some(first) = self.first {
            does(first);
            self.more.into_iter().for_each(does);
        }
    }
}
