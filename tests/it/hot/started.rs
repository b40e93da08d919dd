//! Kotlin's `SharingStartedTest` and `SharingStartedWhileSubscribedTest`.

use std::sync::{Arc, Mutex};
use std::task::Poll::{Pending, Ready};
use std::time::Duration;

use coldflow::SharingCommand::{Start, Stop, StopAndResetReplayCache};
use coldflow::hot::{SharedFlowStream, Subscription};
use coldflow::{FlowExt, MutableSharedFlow, SharingCommand, SharingPolicy, SharingStarted, flow};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};

use super::{got, suspending};
use crate::support::Driver;

/// Subscribers come and go, and the commands are written down with their time.
struct Script {
    flow: MutableSharedFlow<()>,
    subscribed: Vec<Subscription<SharedFlowStream<()>>>,
    log: Arc<Mutex<Vec<(Instant, SharingCommand)>>>,
    task: AbortHandle,
}

impl Drop for Script {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Script {
    async fn new(started: SharingStarted) -> Self {
        let flow = suspending(0, 0);
        let log = Arc::new(Mutex::new(Vec::new()));
        let commands = started.commands(flow.subscription_count());
        let noted = Arc::clone(&log);
        let task = tokio::spawn(async move {
            let Ok(()) = commands.inspect(|command| noted.lock().unwrap().push((Instant::now(), *command))).run().await;
        });
        let script = Script { flow, subscribed: Vec::new(), log, task: task.abort_handle() };
        settle().await;
        script
    }

    fn said(&self) -> Vec<SharingCommand> {
        std::mem::take(&mut *self.log.lock().unwrap()).into_iter().map(|(_, command)| command).collect()
    }

    #[track_caller]
    fn says(&self, commands: &[SharingCommand]) {
        assert_eq!(self.said(), commands);
    }

    async fn subscriptions(&mut self, count: usize, commands: &[SharingCommand]) {
        while self.subscribed.len() < count {
            self.subscribed.push(self.flow.as_shared().subscribe());
        }
        self.subscribed.truncate(count);
        settle().await;
        self.says(commands);
    }

    /// More come, and go again: nothing is to be said.
    async fn ramp_up_and_down(&mut self) {
        for count in 2..=10 {
            sleep(Duration::from_millis(100)).await;
            self.subscriptions(count, &[]).await;
        }
        sleep(Duration::from_secs(1)).await;
        for count in (1..=9).rev() {
            self.subscriptions(count, &[]).await;
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// The command comes after just this time.
    async fn after(&self, millis: u64, command: SharingCommand) {
        self.says(&[]);
        let due = Instant::now() + Duration::from_millis(millis);
        sleep(Duration::from_millis(millis + 20)).await;
        assert_eq!(std::mem::take(&mut *self.log.lock().unwrap()), [(due, command)]);
    }
}

async fn settle() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

fn while_subscribed(stop_timeout: u64, replay_expiration: Option<u64>) -> SharingStarted {
    let replay_expiration = replay_expiration.map_or(Duration::MAX, Duration::from_millis);
    SharingStarted::while_subscribed(Duration::from_millis(stop_timeout), replay_expiration)
}

// testEagerly
#[tokio::test(start_paused = true)]
async fn eagerly_starts_at_once_and_says_nothing_more() {
    let mut script = Script::new(SharingStarted::Eagerly).await;
    script.says(&[Start]);
    for _ in 0..3 {
        script.subscriptions(1, &[]).await;
        script.ramp_up_and_down().await;
        script.subscriptions(0, &[]).await;
    }
}

// testLazily
#[tokio::test(start_paused = true)]
async fn lazily_starts_with_the_first_subscriber_and_says_nothing_more() {
    let mut script = Script::new(SharingStarted::Lazily).await;
    script.says(&[]);
    for round in 0..3 {
        script.subscriptions(1, if round == 0 { &[Start] } else { &[] }).await;
        script.ramp_up_and_down().await;
        script.subscriptions(0, &[]).await;
        sleep(Duration::from_secs(5)).await;
        script.says(&[]);
    }
}

// testWhileSubscribed
#[tokio::test(start_paused = true)]
async fn while_subscribed_stops_when_the_last_has_left() {
    let mut script = Script::new(while_subscribed(0, None)).await;
    script.says(&[]);
    for _ in 0..3 {
        script.subscriptions(1, &[Start]).await;
        script.ramp_up_and_down().await;
        script.subscriptions(0, &[Stop]).await;
        sleep(Duration::from_secs(100)).await;
        script.says(&[]);
    }
}

// testWhileSubscribedExpireImmediately
#[tokio::test(start_paused = true)]
async fn while_subscribed_that_expires_at_once_says_one_command() {
    let mut script = Script::new(while_subscribed(0, Some(0))).await;
    for _ in 0..3 {
        script.subscriptions(1, &[Start]).await;
        script.ramp_up_and_down().await;
        script.subscriptions(0, &[StopAndResetReplayCache]).await;
        sleep(Duration::from_millis(100)).await;
        script.says(&[]);
    }
}

// testWhileSubscribedWithTimeout
#[tokio::test(start_paused = true)]
async fn while_subscribed_waits_for_its_timeout() {
    let mut script = Script::new(while_subscribed(100, None)).await;
    for round in 0..3 {
        script.subscriptions(1, &[Start]).await;
        script.ramp_up_and_down().await;
        script.subscriptions(0, &[]).await;
        sleep(Duration::from_millis(50)).await;
        script.subscriptions(1, &[]).await;
        script.ramp_up_and_down().await;
        script.subscriptions(0, &[]).await;
        script.after(100, Stop).await;
        assert_eq!(script.flow.subscription_count().value(), 0, "round {round}");
    }
}

// testWhileSubscribedExpiration
#[tokio::test(start_paused = true)]
async fn while_subscribed_waits_for_its_expiration() {
    let mut script = Script::new(while_subscribed(0, Some(200))).await;
    for _ in 0..3 {
        script.subscriptions(1, &[Start]).await;
        script.ramp_up_and_down().await;
        script.subscriptions(0, &[Stop]).await;
        sleep(Duration::from_millis(150)).await;
        script.subscriptions(1, &[Start]).await;
        script.ramp_up_and_down().await;
        script.subscriptions(0, &[Stop]).await;
        script.after(200, StopAndResetReplayCache).await;
    }
}

// testWhileSubscribedStopAndExpiration
#[tokio::test(start_paused = true)]
async fn while_subscribed_waits_for_both() {
    let mut script = Script::new(while_subscribed(400, Some(300))).await;
    for _ in 0..3 {
        script.subscriptions(1, &[Start]).await;
        script.ramp_up_and_down().await;
        script.subscriptions(0, &[]).await;
        sleep(Duration::from_millis(350)).await;
        script.subscriptions(1, &[]).await;
        script.ramp_up_and_down().await;
        script.subscriptions(0, &[]).await;
        script.after(400, Stop).await;
        sleep(Duration::from_millis(230)).await;
        script.subscriptions(1, &[Start]).await;
        script.ramp_up_and_down().await;
        script.subscriptions(0, &[]).await;
        script.after(400, Stop).await;
        script.after(280, StopAndResetReplayCache).await;
    }
}

// testEqualsAndHashcode, testDurationParams
#[test]
fn strategies_are_equal_when_their_parameters_are() {
    assert_eq!(while_subscribed(1, Some(2)), while_subscribed(1, Some(2)));
    assert_ne!(while_subscribed(1, Some(2)), while_subscribed(2, Some(2)));
    assert_ne!(while_subscribed(1, Some(2)), while_subscribed(1, None));
    assert_ne!(SharingStarted::Lazily, SharingStarted::Eagerly);
    let set = std::collections::HashSet::from([while_subscribed(1, None), while_subscribed(1, None)]);
    assert_eq!(set.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_longest_durations_are_for_ever() {
    let mut script = Script::new(SharingStarted::while_subscribed(Duration::MAX, Duration::MAX)).await;
    script.subscriptions(1, &[Start]).await;
    script.subscriptions(0, &[]).await;
    sleep(Duration::from_secs(3600 * 24 * 365)).await;
    script.says(&[]);
}

#[test]
fn timeouts_of_nothing_take_no_time_and_need_no_clock() {
    let flow = suspending::<()>(0, 0);
    let mut commands = Driver::new(while_subscribed(0, Some(0)).commands(flow.subscription_count()));
    assert_eq!(got(&mut commands), Pending);
    drop(flow.as_shared().subscribe());
    let said: Vec<SharingCommand> = std::iter::from_fn(|| match got(&mut commands) {
        Ready(command) => command,
        Pending => None,
    })
    .collect();
    assert_eq!(said.last(), Some(&StopAndResetReplayCache));
}

#[test]
fn lazily_sees_a_subscriber_that_has_come_and_gone() {
    let flow = suspending::<()>(0, 0);
    let mut commands = Driver::new(SharingStarted::Lazily.commands(flow.subscription_count()));
    drop(flow.as_shared().subscribe());
    assert_eq!(got(&mut commands), Ready(Some(Start)), "no step of the count is left out");
    assert_eq!(got(&mut commands), Ready(None));
}

#[tokio::test]
async fn an_endless_policy_lets_the_executor_in() {
    struct Insists;
    impl SharingPolicy for Insists {
        type Commands = coldflow::BoxFlow<'static, SharingCommand, std::convert::Infallible>;
        fn commands(self, _: coldflow::SubscriptionCount) -> Self::Commands {
            coldflow::flow_of([Start, Start]).repeat(usize::MAX).boxed()
        }
    }
    let shared = flow(async |mut emitter| emitter.emit(1).await).share_in(Insists, 1);
    // In one thread: this goes on only if the sharing task lets it.
    tokio::task::yield_now().await;
    drop(shared);
}
