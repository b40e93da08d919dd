use core::hash::{BuildHasher, Hasher};
use core::time::Duration;
use std::hash::RandomState;

/// How the wait of a [`Retry`](crate::Retry) is spread, so that clients that failed together do not come back together.
///
#[cfg_attr(doc, doc = include_str!("../../../docs/timelines/jitter.svg"))]
///
/// What is spread is the backoff's delay, or the cap where that is shorter: so clients do not pile up at the cap either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Jitter {
    /// The delay as it is.
    #[default]
    None,
    /// Anything between nothing and the delay, each as likely. Spreads best.
    Full,
    /// Anything between the half of the delay and all of it.
    Equal,
    /// Anything between the first delay and three times the wait before (the first time, three times the first delay).
    /// The backoff's growth does not count then, only its first delay and its end.
    Decorrelated,
}

/// Where jitter draws from: a small generator, not fit for secrets.
///
/// The same seed gives the same waits, so that a test can be exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Draws the same for the same seed.
    pub const fn seeded(seed: u64) -> Self {
        Random { state: seed }
    }

    /// Draws differently each time.
    pub fn new() -> Self {
        // The standard library seeds its hashers from the system's randomness.
        Random::seeded(RandomState::new().build_hasher().finish())
    }

    /// `SplitMix64`.
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A duration from `shortest` to `longest`, both included. Beyond 584 years the range is cut off.
    pub(super) fn between(&mut self, shortest: Duration, longest: Duration) -> Duration {
        let range = longest.saturating_sub(shortest).as_nanos();
        let range = u64::try_from(range).unwrap_or(u64::MAX);
        let drawn = (u128::from(self.draw()) * (u128::from(range) + 1)) >> 64;
        shortest + Duration::from_nanos(u64::try_from(drawn).unwrap_or(range))
    }
}

impl Default for Random {
    fn default() -> Self {
        Random::new()
    }
}
