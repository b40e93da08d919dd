//! Sources that take time, consumers that take time, and what they see when.

use std::fmt::Debug;
use std::time::Duration;

use coldflow::{BoxFlowStream, Emitter, Flow, FlowExt, flow};
use tokio::time::{Instant, sleep};

use crate::support::{Trace, show, yield_now};

/// What a [`script`] does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Do {
    Emit(i32),
    /// Waits so many milliseconds.
    Wait(u64),
    Yield,
    Fail(&'static str),
    /// Waits for ever.
    Hang,
}

pub(crate) use Do::{Emit, Fail, Hang, Wait, Yield};

pub(crate) fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) async fn pause(millis: u64) {
    sleep(ms(millis)).await;
}

/// A cold flow that does what it says, and notes when it starts, when an emission has returned and when it is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    trace: Trace,
    name: &'static str,
    steps: Vec<Do>,
}

pub(crate) fn script(steps: impl Into<Vec<Do>>) -> Script {
    traced(&Trace::new(), "script", steps)
}

pub(crate) fn traced(trace: &Trace, name: &'static str, steps: impl Into<Vec<Do>>) -> Script {
    Script { trace: trace.clone(), name, steps: steps.into() }
}

impl Script {
    async fn run(self, mut emitter: Emitter<i32>) -> Result<(), &'static str> {
        let _guard = self.trace.guard(self.name);
        for step in self.steps {
            match step {
                Emit(n) => {
                    emitter.emit(n).await;
                    self.trace.note(format!("{} after {n}", self.name));
                }
                Wait(millis) => pause(millis).await,
                Yield => yield_now().await,
                Fail(error) => return Err(error),
                Hang => std::future::pending().await,
            }
        }
        Ok(())
    }
}

impl Flow for Script {
    type Item = i32;
    type Error = &'static str;
    type Stream = BoxFlowStream<'static, i32, &'static str>;

    fn into_stream(self) -> Self::Stream {
        flow(move |emitter| self.clone().run(emitter)).boxed().into_stream()
    }
}

/// `count` items at once, from 1 on.
pub(crate) fn burst(count: i32) -> Vec<Do> {
    (1..=count).map(Emit).collect()
}

/// `count` items, `millis` behind each.
pub(crate) fn paced(count: i32, millis: u64) -> Vec<Do> {
    (1..=count).flat_map(|n| [Emit(n), Wait(millis)]).collect()
}

/// What a consumer sees that is busy with each item for `busy` milliseconds: `time item`, and `time |` at the end.
pub(crate) async fn seen<F>(flow: F, busy: u64) -> Vec<String>
where
    F: Flow<Item: Debug, Error: Debug>,
{
    let began = Instant::now();
    let mut lines = Vec::new();
    let end = flow
        .for_each(|item| {
            lines.push(format!("{} {item:?}", began.elapsed().as_millis()));
            async move {
                if busy > 0 {
                    pause(busy).await;
                }
            }
        })
        .await;
    let end = end.map_or_else(|error| show(Err::<(), _>(error)), |()| "|".to_owned());
    lines.push(format!("{} {end}", began.elapsed().as_millis()));
    lines
}

/// The items that a consumer sees that is busy with each for `busy` milliseconds, and the error.
pub(crate) async fn items<F>(flow: F, busy: u64) -> Vec<String>
where
    F: Flow<Item: Debug, Error: Debug>,
{
    let mut lines = seen(flow, busy).await;
    let end = lines.pop().unwrap();
    let strip = |line: &String| line.split_once(' ').unwrap().1.to_owned();
    let mut items: Vec<String> = lines.iter().map(strip).collect();
    if strip(&end) != "|" {
        items.push(strip(&end));
    }
    items
}
