use alloc::sync::Arc;
use core::fmt;
#[cfg(not(coldflow_loom))]
use core::sync::atomic::{AtomicU64, Ordering};

#[cfg(coldflow_loom)]
use loom::sync::atomic::{AtomicU64, Ordering};
use tokio::time::Instant;

/// A budget of retries that calls and flows share, so that retries do not multiply the load of a server that is down.
///
/// Each collection that uses it pays in a share of a retry when it begins, and each retry takes out a whole one. What has
/// been paid in is kept up to a reserve. When there is nothing left, a number of retries per second is still allowed, for
/// calls that are rare. So since it was made there have been at most `share` × calls + `floor_per_second` × (the seconds
/// begun) retries, among all threads.
///
/// Clones are the same budget. It takes two atomic words and no lock, and its clock is Tokio's.
///
/// # Examples
///
/// ```
/// use coldflow::{Retry, retry};
/// use coldflow::retry::RetryBudget;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// // One retry per ten calls, and two per second in any case.
/// let budget = RetryBudget::new(0.1, 2);
/// let mut attempts = 0;
/// for _ in 0..20 {
///     let outcome = retry(Retry::immediate(3), || {
///         attempts += 1;
///         async { Err::<(), _>("down") }
///     });
///     assert!(outcome.budget(&budget).await.is_err());
/// }
/// assert_eq!(attempts, 20 + 4, "instead of 60");
/// # }
/// ```
#[derive(Clone)]
pub struct RetryBudget(Arc<Account>);

struct Account {
    /// In parts of a retry.
    share: u64,
    reserve: u64,
    floor_per_second: u32,
    opened: Instant,
    /// In parts of a retry.
    balance: AtomicU64,
    /// The second after `opened` in the upper half, and how many of its floor are used in the lower.
    floor: AtomicU64,
}

/// What a retry was taken from.
#[derive(Clone, Copy)]
enum Taken {
    Balance,
    FloorOf { second: u64 },
}

/// The parts of a retry that are counted.
const RETRY: u64 = 1_000_000;

/// The retries that are kept if nothing else is said.
const RESERVE: u32 = 100;

impl RetryBudget {
    /// `share` retries per call, from 0 to 100, and `floor_per_second` in any case. What is not used is kept, up to 100
    /// retries.
    ///
    /// # Panics
    ///
    /// When `share` is not between 0 and 100.
    #[track_caller]
    pub fn new(share: f64, floor_per_second: u32) -> Self {
        RetryBudget::with_reserve(share, floor_per_second, RESERVE)
    }

    /// Keeps up to `reserve` retries that were not used. See [`new`](Self::new).
    ///
    /// # Panics
    ///
    /// When `share` is not between 0 and 100.
    #[track_caller]
    pub fn with_reserve(share: f64, floor_per_second: u32, reserve: u32) -> Self {
        assert!((0.0..=100.0).contains(&share), "`share` must be between 0 and 100 retries per call, got {share}");
        #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]
        // Between 0 and 100 millions, and rounded down.
        let share = (share * RETRY as f64) as u64;
        RetryBudget(Arc::new(Account {
            share,
            reserve: u64::from(reserve) * RETRY,
            floor_per_second,
            opened: Instant::now(),
            balance: AtomicU64::new(0),
            floor: AtomicU64::new(0),
        }))
    }

    /// Pays in the share of a call.
    pub(super) fn deposit(&self) {
        self.add(self.0.share);
    }

    /// Takes out a retry, if there is one and `others` want it, too.
    pub(super) fn withdraw_if(&self, others: impl FnOnce() -> bool) -> bool {
        let Some(taken) = self.take() else { return false };
        // It is taken before the others are asked, since what is only looked at may be gone afterwards.
        let wanted = others();
        if !wanted {
            self.put_back(taken);
        }
        wanted
    }

    fn add(&self, parts: u64) {
        let Account { reserve, balance, .. } = &*self.0;
        let add = |balance: u64| Some(balance.saturating_add(parts).min(*reserve));
        // It always adds, so there is no failure to see.
        let _ = balance.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    fn take(&self) -> Option<Taken> {
        let take = |balance: u64| balance.checked_sub(RETRY);
        match self.0.balance.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
            Ok(_) => Some(Taken::Balance),
            Err(_) => self.take_floor(),
        }
    }

    fn take_floor(&self) -> Option<Taken> {
        let Account { floor_per_second, opened, floor, .. } = &*self.0;
        // After 136 years the half word is full, and the last second goes on.
        let second = opened.elapsed().as_secs().min(u64::from(u32::MAX));
        let take = |word: u64| {
            let (latest, used) = second_and_used(word);
            // Another thread may have begun the next second meanwhile: that one counts.
            let (latest, used) = if second > latest { (second, 0) } else { (latest, used) };
            (used < u64::from(*floor_per_second)).then_some((latest << 32) | (used + 1))
        };
        let before = floor.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        Some(Taken::FloorOf { second: second_and_used(before).0.max(second) })
    }

    fn put_back(&self, taken: Taken) {
        match taken {
            Taken::Balance => self.add(RETRY),
            Taken::FloorOf { second } => {
                // What is left of a second is lost with it.
                let put_back = |word: u64| (second_and_used(word).0 == second).then_some(word - 1);
                let _ = self.0.floor.fetch_update(Ordering::Relaxed, Ordering::Relaxed, put_back);
            }
        }
    }
}

fn second_and_used(word: u64) -> (u64, u64) {
    (word >> 32, word & u64::from(u32::MAX))
}

impl fmt::Debug for RetryBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryBudget")
            .field("retries_kept", &(self.0.balance.load(Ordering::Relaxed) / RETRY))
            .field("floor_per_second", &self.0.floor_per_second)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, coldflow_loom))]
mod loom_tests {
    use loom::thread;

    use super::RetryBudget;

    /// How many of two threads get a retry.
    fn granted(budget: &RetryBudget) -> u32 {
        let other = budget.clone();
        let there = thread::spawn(move || other.withdraw_if(|| true));
        let here = budget.withdraw_if(|| true);
        u32::from(here) + u32::from(there.join().unwrap())
    }

    #[test]
    fn one_retry_goes_to_one_of_two() {
        loom::model(|| {
            let budget = RetryBudget::new(1.0, 0);
            budget.deposit();
            assert_eq!(granted(&budget), 1);
        });
        loom::model(|| assert_eq!(granted(&RetryBudget::new(0.0, 1)), 1));
        loom::model(|| {
            let budget = RetryBudget::new(1.0, 1);
            budget.deposit();
            assert_eq!(granted(&budget), 2);
        });
    }

    #[test]
    fn what_is_paid_in_meanwhile_is_there() {
        loom::model(|| {
            let budget = RetryBudget::new(1.0, 0);
            let other = budget.clone();
            let there = thread::spawn(move || other.deposit());
            let early = budget.withdraw_if(|| true);
            there.join().unwrap();
            assert_ne!(early, budget.withdraw_if(|| true), "one retry in all");
        });
    }

    #[test]
    fn what_is_put_back_is_there_again_and_once() {
        for (share, floor) in [(1.0, 0), (0.0, 1)] {
            loom::model(move || {
                let budget = RetryBudget::new(share, floor);
                budget.deposit();
                let other = budget.clone();
                let there = thread::spawn(move || assert!(!other.withdraw_if(|| false)));
                let early = budget.withdraw_if(|| true);
                there.join().unwrap();
                assert_ne!(early, budget.withdraw_if(|| true), "one retry in all");
            });
        }
    }
}
