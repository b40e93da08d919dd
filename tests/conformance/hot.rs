//! Hot scenarios: a hot flow, and the actors that emit into it and collect it.

use coldflow::{
    BoxFlow, FlowExt, MutableSharedFlow, MutableStateFlow, SharedConfig, SharedFlow, SharingCommand, SharingPolicy,
    SharingStarted, StateFlow, SubscriptionCount,
};
use futures::future::{join_all, pending};
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::{sleep_until, timeout, timeout_at};

use crate::holder::{Holder, delay};
use crate::interpret::Scope;
use crate::recorder::Recorder;
use crate::spec::{Action, Actor, Collect, Error, Hot, Kind, Node, Role, Started};
use crate::value::Value;

/// The hot flow of a scenario: what can be done to it depends on its kind.
#[derive(Debug)]
enum HotFlow {
    Shared(MutableSharedFlow<Value>),
    State(MutableStateFlow<Value>),
    SharedIn(SharedFlow<Value>),
    StateIn(StateFlow<Value>),
}

/// Plays a scenario until its end, when the actors are dropped, and then the sharing.
pub(crate) async fn play(scenario: &'static Hot, recorder: &'static Recorder) {
    let scope = Scope::new(recorder);
    let hot = HotFlow::new(&scenario.kind, &scope.at("hot"));
    let actors = scenario.actors.iter().enumerate().map(|(index, actor)| {
        let scope = scope.at(&format!("actors/{index}"));
        act(actor, &hot, scope, recorder)
    });
    let playing = async {
        let counting = count_subscribers(&scenario.kind, &hot, scope.holder(Some(&"subs".to_owned())));
        futures::join!(counting, join_all(actors), pending::<()>());
    };
    let _cut_off = timeout_at(recorder.instant(scenario.until), playing).await;
    drop(hot);
    // The task of the sharing goes with the last handle.
    for _ in 0..3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(Handle::current().metrics().num_alive_tasks(), 0, "a sharing goes on that nobody has a handle of");
}

impl HotFlow {
    fn new(kind: &'static Kind, scope: &Scope<'static>) -> Self {
        match kind {
            Kind::Shared { replay, extra, overflow, .. } => {
                let (replay, extra_capacity, overflow) = (*replay, *extra, (*overflow).into());
                HotFlow::Shared(MutableSharedFlow::new(SharedConfig { replay, extra_capacity, overflow }))
            }
            Kind::State { initial, .. } => HotFlow::State(MutableStateFlow::new(initial.clone())),
            Kind::ShareIn { r#in, started, stop_timeout, replay_expiration, replay } => {
                let (flow, started) = until_failed(r#in, sharing(*started, *stop_timeout, *replay_expiration), scope);
                HotFlow::SharedIn(flow.share_in(started, *replay))
            }
            Kind::StateIn { r#in, started, stop_timeout, replay_expiration, initial } => {
                let (flow, started) = until_failed(r#in, sharing(*started, *stop_timeout, *replay_expiration), scope);
                HotFlow::StateIn(flow.state_in(started, initial.clone()))
            }
        }
    }

    /// A collection, which is a subscriber when it runs.
    fn flow(&self) -> BoxFlow<'static, Value, Infallible> {
        match self {
            HotFlow::Shared(flow) => flow.as_shared().boxed(),
            HotFlow::State(flow) => flow.as_state().boxed(),
            HotFlow::SharedIn(flow) => flow.clone().boxed(),
            HotFlow::StateIn(flow) => flow.clone().boxed(),
        }
    }

    async fn emit(&self, value: Value) {
        match self {
            HotFlow::Shared(flow) => flow.emit(value).await,
            other => other.state().set(value),
        }
    }

    fn try_emit(&self, value: Value) -> bool {
        if let HotFlow::Shared(flow) = self {
            return flow.try_emit(value);
        }
        self.state().set(value);
        true
    }

    fn reset_replay(&self) {
        let HotFlow::Shared(flow) = self else { panic!("only a mutable shared flow has a replay to reset") };
        flow.reset_replay_cache();
    }

    fn cache(&self) -> Vec<Value> {
        match self {
            HotFlow::Shared(flow) => flow.as_shared().replay_cache(),
            HotFlow::SharedIn(flow) => flow.replay_cache(),
            HotFlow::State(_) | HotFlow::StateIn(_) => vec![self.get()],
        }
    }

    fn get(&self) -> Value {
        match self {
            HotFlow::StateIn(flow) => flow.value(),
            other => other.state().value(),
        }
    }

    fn state(&self) -> &MutableStateFlow<Value> {
        let HotFlow::State(flow) = self else { panic!("only a mutable state can be set") };
        flow
    }
}

/// Plays an actor to its end.
async fn act(actor: &'static Actor, hot: &HotFlow, scope: Scope<'static>, recorder: &'static Recorder) {
    sleep_until(recorder.instant(actor.at)).await;
    let holder = scope.holder(Some(&actor.lane));
    match &actor.role {
        Role::Do(actions) => {
            for action in actions {
                perform(action, hot, &holder).await;
            }
        }
        Role::Collect(how) => collect(how, hot, &scope, &holder).await,
    }
}

async fn perform(action: &Action, hot: &HotFlow, holder: &Holder<'static>) {
    match action {
        Action::Emit(value) => {
            hot.emit(value.clone()).await;
            holder.log(json!(["emitted", value]));
        }
        Action::TryEmit(value) => holder.log(json!(["try", value, hot.try_emit(value.clone())])),
        Action::Delay(millis) => delay(*millis).await,
        Action::ResetReplay => {
            hot.reset_replay();
            holder.log(json!(["reset"]));
        }
        Action::Cache => holder.log(json!(["cache", hot.cache()])),
        Action::Set(value) => {
            hot.state().set(value.clone());
            holder.log(json!(["set", value]));
        }
        Action::Cas(expected, new) => {
            holder.log(json!(["cas", hot.state().compare_and_set(expected, new.clone())]));
        }
        Action::Update(function) => {
            holder.log(json!(["updated", hot.state().update_and_get(|value| function.of(value))]));
        }
        Action::Get => holder.log(json!(["get", hot.get()])),
    }
}

async fn collect(how: &'static Collect, hot: &HotFlow, scope: &Scope<'static>, holder: &Holder<'static>) {
    let flow = scope.stack(&how.ops, hot.flow());
    let flow = if let Some(n) = how.take { flow.take(n).boxed() } else { flow };
    let collection = flow.for_each(|value| {
        holder.log(json!(["value", value]));
        delay(how.delay)
    });
    let ended = match how.r#for {
        Some(millis) => timeout(Duration::from_millis(millis), collection).await,
        None => Ok(collection.await),
    };
    holder.log(match ended {
        Ok(Ok(())) => json!(["done"]),
        Ok(Err(error)) => json!(["error", error]),
        Err(_) => json!(["cancelled"]),
    });
}

/// Logs the subscription count, if the scenario asks for it.
async fn count_subscribers(kind: &Kind, hot: &HotFlow, subs: Holder<'static>) {
    let counts = match hot {
        HotFlow::Shared(flow) => flow.subscription_count(),
        HotFlow::State(flow) => flow.subscription_count(),
        HotFlow::SharedIn(flow) => flow.subscription_count(),
        HotFlow::StateIn(flow) => flow.subscription_count(),
    };
    if let Kind::Shared { subs: true, .. } | Kind::State { subs: true, .. } = kind {
        let Ok(()) = counts.for_each(async |count| subs.log(json!(["count", count]))).await;
    }
}

fn sharing(started: Started, stop_timeout: Option<u64>, replay_expiration: Option<u64>) -> SharingStarted {
    match started {
        Started::Eagerly => SharingStarted::Eagerly,
        Started::Lazily => SharingStarted::Lazily,
        Started::WhileSubscribed => SharingStarted::while_subscribed(
            Duration::from_millis(stop_timeout.unwrap_or(0)),
            replay_expiration.map_or(Duration::MAX, Duration::from_millis),
        ),
    }
}

/// What is shared must not fail: here a failure is logged, and the sharing stays as it is for good. The flow does not go on,
/// and no command follows that would start it again.
fn until_failed(
    node: &'static Node,
    started: SharingStarted,
    scope: &Scope<'static>,
) -> (BoxFlow<'static, Value, Infallible>, UntilFailed) {
    let failed = Arc::new(AtomicBool::new(false));
    let (has_failed, holder) = (Arc::clone(&failed), scope.holder(Some(&"scope".to_owned())));
    let flow = scope.shared(node, move |flow| {
        flow.catch(move |error: Error, _| {
            holder.log(json!(["error", error]));
            has_failed.store(true, Ordering::Relaxed);
            pending::<()>()
        })
        .boxed()
    });
    (flow, UntilFailed { started, failed })
}

/// A policy of which nothing is heard any more when what it is for has failed.
#[derive(Debug)]
struct UntilFailed {
    started: SharingStarted,
    failed: Arc<AtomicBool>,
}

impl SharingPolicy for UntilFailed {
    type Commands = BoxFlow<'static, SharingCommand, Infallible>;

    fn commands(self, subscribers: SubscriptionCount) -> Self::Commands {
        let commands = self.started.commands(subscribers);
        commands.take_while(move |_| !self.failed.load(Ordering::Relaxed)).boxed()
    }
}
