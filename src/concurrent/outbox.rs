use alloc::collections::VecDeque;

/// How many places a buffer has when nobody says.
const DEFAULT_CAPACITY: usize = 64;

/// What a full buffer does with one more item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// The emission waits until there is room. Nothing is lost.
    #[default]
    Suspend,
    /// The oldest item in the buffer is dropped, so the consumer gets the latest ones.
    DropOldest,
    /// The new item is dropped, so the consumer gets the earliest ones.
    DropLatest,
}

/// The size of a buffer and what it does when it is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferConfig {
    /// The places; `None` where nobody has said, for the default.
    pub(crate) capacity: Option<usize>,
    pub(crate) overflow: Overflow,
}

impl BufferConfig {
    /// What this buffer and one directly below it come to together.
    ///
    /// A dropping buffer below replaces this one. A plain one below adds its places, where both have said how many, and
    /// keeps what this one does when it is full.
    pub(crate) fn fused_with(self, below: BufferConfig) -> BufferConfig {
        if below.overflow != Overflow::Suspend {
            return below;
        }
        let capacity = match (self.capacity, below.capacity) {
            (Some(above), Some(below)) => Some(above.saturating_add(below)),
            (above, below) => above.or(below),
        };
        BufferConfig { capacity, overflow: self.overflow }
    }

    /// Whether it does nothing directly on a shared flow: one without places.
    pub(crate) fn is_idle_on_shared(self) -> bool {
        self.overflow == Overflow::Suspend && self.capacity == Some(0)
    }

    /// Whether it does nothing directly on a state: one that keeps just the latest item does not, either.
    pub(crate) fn is_idle_on_state(self) -> bool {
        let keeps_latest = self.overflow == Overflow::DropOldest && self.places() == 1;
        keeps_latest || self.is_idle_on_shared()
    }

    /// How many places there are.
    pub(crate) fn places(self) -> usize {
        match self.overflow {
            Overflow::Suspend => self.capacity.unwrap_or(DEFAULT_CAPACITY),
            Overflow::DropOldest | Overflow::DropLatest => self.capacity.unwrap_or(1).max(1),
        }
    }
}

/// Items on their way to the consumer: a queue, and behind it the items that are in hand because the queue is full.
pub(crate) struct Outbox<T> {
    queue: VecDeque<T>,
    hands: VecDeque<(usize, T)>,
    config: BufferConfig,
    /// How many items the queue takes.
    places: usize,
}

impl<T> Outbox<T> {
    pub(crate) fn new(config: BufferConfig) -> Self {
        Outbox { queue: VecDeque::new(), hands: VecDeque::new(), places: config.places(), config }
    }

    /// Takes the configuration of a buffer that stands directly below.
    pub(crate) fn fuse(&mut self, below: BufferConfig) {
        self.config = self.config.fused_with(below);
        self.places = self.config.places();
    }

    /// Takes the next item. With it comes the source that can go on: the one whose item has been in hand longest, which is
    /// now in the queue, or is the one that is taken.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<(T, Option<usize>)> {
        let Some(item) = self.queue.pop_front() else {
            let (source, item) = self.hands.pop_front()?;
            return Some((item, Some(source)));
        };
        let admitted = self.hands.pop_front().map(|(source, item)| {
            self.queue.push_back(item);
            source
        });
        Some((item, admitted))
    }

    /// Puts an item of `source` behind the others. `false` means that it is in hand: the source is blocked.
    #[inline]
    pub(crate) fn put(&mut self, source: usize, item: T) -> bool {
        if self.queue.len() < self.places {
            self.queue.push_back(item);
            return true;
        }
        self.put_into_full(source, item)
    }

    fn put_into_full(&mut self, source: usize, item: T) -> bool {
        match self.config.overflow {
            Overflow::Suspend => {
                self.hands.push_back((source, item));
                return false;
            }
            Overflow::DropOldest => {
                self.queue.pop_front();
                self.queue.push_back(item);
            }
            Overflow::DropLatest => {}
        }
        true
    }

    /// Whether any item is in hand.
    pub(crate) fn is_blocked(&self) -> bool {
        !self.hands.is_empty()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.hands.is_empty()
    }

    /// Drops what is in hand, and keeps what is in the queue.
    pub(crate) fn drop_hands(&mut self) {
        self.hands.clear();
    }

    pub(crate) fn clear(&mut self) {
        self.queue.clear();
        self.hands.clear();
    }
}
