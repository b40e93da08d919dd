use std::time::Duration;

use coldflow::retry::{GiveUpReason, RetryBudget};
use coldflow::{FlowExt, Retry, once, retry};
use tokio::time::advance;

/// Makes a call that always fails, in at most `attempts` attempts, and says how many there were and why no more.
async fn call(budget: &RetryBudget, attempts: u32) -> (u32, GiveUpReason) {
    let call = retry(Retry::immediate(attempts), || async { Err::<(), _>("down") });
    let error = call.budget(budget).explain().await.unwrap_err();
    (error.attempts, error.reason)
}

#[tokio::test(start_paused = true)]
async fn calls_pay_in_their_share_and_retries_take_it_out() {
    let budget = RetryBudget::new(0.25, 0);
    for _ in 0..3 {
        assert_eq!(call(&budget, 2).await, (1, GiveUpReason::Budget));
    }
    assert_eq!(call(&budget, 2).await, (2, GiveUpReason::Exhausted), "four quarters");
    assert_eq!(call(&budget, 2).await, (1, GiveUpReason::Budget));
}

#[tokio::test(start_paused = true)]
async fn the_floor_is_there_each_second() {
    let budget = RetryBudget::new(0.0, 3);
    for _ in 0..3 {
        assert_eq!(call(&budget, 3).await.0, 3);
        assert_eq!(call(&budget, 3).await, (2, GiveUpReason::Budget));
        assert_eq!(call(&budget, 3).await, (1, GiveUpReason::Budget));
        advance(Duration::from_secs(1)).await;
    }
    // Seconds without a call are not made up for.
    advance(Duration::from_secs(100)).await;
    assert_eq!(call(&budget, 100).await, (4, GiveUpReason::Budget));
}

#[tokio::test(start_paused = true)]
async fn what_is_not_used_is_kept_up_to_the_reserve() {
    let budget = RetryBudget::with_reserve(1.0, 0, 5);
    for _ in 0..1000 {
        assert_eq!(retry(Retry::immediate(3), || async { Ok::<_, ()>(1) }).budget(&budget).await, Ok(1));
    }
    assert_eq!(call(&budget, 100).await, (6, GiveUpReason::Budget));
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_is_not_retried_for_another_reason_takes_nothing() {
    let budget = RetryBudget::new(1.0, 0);
    let fails = || async { Err::<(), _>("down") };
    let _ = retry(Retry::none(), fails).budget(&budget).await;
    let _ = retry(Retry::immediate(9), fails).when(|_| false).budget(&budget).await;
    let late = Retry::immediate(9).deadline(Duration::ZERO);
    let _ = retry(late, fails).hint(|_| Some(Duration::from_secs(1))).budget(&budget).await;
    assert_eq!(call(&budget.clone(), 100).await, (5, GiveUpReason::Budget), "three calls have paid in, and this one");
}

#[tokio::test(start_paused = true)]
async fn each_collection_pays_in_and_a_restart_is_one() {
    let budget = RetryBudget::new(1.0, 0);
    let mut attempts = 0;
    let flow = once(|| {
        attempts += 1;
        async { Err::<(), _>("down") }
    });
    let _ = flow.retry_with(Retry::immediate(2)).budget(&budget).retry(2).single().await;
    assert_eq!(attempts, 6);
}

#[test]
fn it_says_what_it_has() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _guard = runtime.enter();
    let budget = RetryBudget::new(0.1, 7);
    assert_eq!(format!("{budget:?}"), "RetryBudget { retries_kept: 0, floor_per_second: 7, .. }");
}

#[test]
#[should_panic(expected = "`share` must be between 0 and 100 retries per call, got -1")]
fn a_negative_share_is_refused() {
    let _ = RetryBudget::new(-1.0, 0);
}

#[test]
#[should_panic(expected = "`share` must be between 0 and 100")]
fn a_share_that_is_no_number_is_refused() {
    let _ = RetryBudget::new(f64::NAN, 0);
}
