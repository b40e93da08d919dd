//! What is there whether anybody collects it or not.

use std::time::Duration;

use coldflow::{FlowExt, MutableSharedFlow, MutableStateFlow, SharedConfig, SharingStarted, StreamFlowExt};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::picture::Picture;
use crate::probe::{Pen, Value};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) fn pictures() -> Vec<Picture> {
    vec![shared_flow(), state_flow(), share_in(), state_in(), produce_in()]
}

/// Does something to each value at its time, from the start on.
async fn at(pen: &Pen, script: &[(u64, &'static str)], mut op: impl AsyncFnMut(Value)) {
    pen.start();
    let mut before = 0;
    for (millis, text) in script {
        sleep(ms(millis - before)).await;
        before = *millis;
        op(pen.value(*text, pen.hue(text))).await;
    }
    sleep(ms(60)).await;
    pen.end();
}

fn shared_flow() -> Picture {
    Picture::record(
        "shared_flow",
        "a SharedFlow gives each value to all who have subscribed, and newcomers the replay",
        async |r| {
            let emitter = r.lane("emit");
            r.operator("MutableSharedFlow, replay: 1");
            let (early, late) = (r.lane("early"), r.lane("late"));
            let events =
                MutableSharedFlow::new(SharedConfig { replay: 1, extra_capacity: 8, ..SharedConfig::default() });
            let shared = events.as_shared();
            tokio::join!(
                async move {
                    let script = [(0, "1"), (80, "2"), (200, "3"), (360, "4"), (480, "5")];
                    at(&emitter, &script, async |value| events.emit(value).await).await;
                },
                async {
                    sleep(ms(140)).await;
                    early.collect(&[], shared.clone()).await;
                },
                async {
                    sleep(ms(280)).await;
                    late.collect(&[], shared.clone()).await;
                },
            );
        },
    )
}

fn state_flow() -> Picture {
    Picture::record(
        "state_flow",
        "a StateFlow gives the value of now, and then the latest to whoever is ready",
        async |r| {
            let setter = r.lane("set");
            r.operator("MutableStateFlow");
            let (quick, slow) = (r.lane("quick"), r.lane("slow"));
            let state = MutableStateFlow::new(Value::new("0", r.hue("0")));
            let reader = state.as_state();
            tokio::join!(
                async move {
                    let script = [(100, "1"), (180, "2"), (260, "3"), (460, "4")];
                    at(&setter, &script, async |value| state.set(value)).await;
                },
                quick.collect(&[], reader.clone()),
                async {
                    sleep(ms(60)).await;
                    slow.collect(&[220], reader.clone()).await;
                },
            );
        },
    )
}

fn share_in() -> Picture {
    Picture::record(
        "share_in",
        "share_in collects once for all subscribers, and here only while there are any",
        async |r| {
            let source = r.source("source", ["40:1 120:2 200:3 280:4 360:5 440:6", "40:1 120:2 200:3"]);
            r.operator("share_in(while_subscribed(60 ms, MAX), 0)");
            let (a, b, c) = (r.lane("a"), r.lane("b"), r.lane("c"));
            let started = SharingStarted::while_subscribed(ms(60), Duration::MAX);
            let shared = source.catch(async |_, _| ()).share_in(started, 0);
            let subscribe = async |pen: Pen, after, count| {
                sleep(ms(after)).await;
                pen.collect(&[], shared.clone().take(count)).await;
            };
            tokio::join!(subscribe(a, 0, 3), subscribe(b, 90, 3), subscribe(c, 460, 2));
        },
    )
}

fn state_in() -> Picture {
    Picture::record(
        "state_in",
        "state_in shares the latest value as a state, and an initial one until there is one",
        async |r| {
            let source = r.source("source", ["120:1 240:2 320:3 400:|"]);
            r.operator("state_in(Eagerly, initial)");
            let (a, b) = (r.lane("a"), r.lane("b"));
            let initial = Value::new("0", r.hue("0"));
            let state = source.catch(async |_, _| ()).state_in(SharingStarted::Eagerly, initial);
            let subscribe = async |pen: Pen, after, count| {
                sleep(ms(after)).await;
                pen.collect(&[], state.clone().take(count)).await;
            };
            tokio::join!(subscribe(a, 40, 4), subscribe(b, 180, 3), sleep(ms(460)));
        },
    )
}

fn produce_in() -> Picture {
    Picture::record(
        "produce_in",
        "produce_in collects in a task from now on, ahead of whoever takes the values",
        async |r| {
            let source = r.source("task", ["0:1 60:2 120:3 180:|"]);
            r.operator("produce_in(&mut set)");
            let consumer = r.lane("consumer");
            let mut set = JoinSet::new();
            let produced = source.produce_in(&mut set);
            sleep(ms(150)).await;
            consumer.collect(&[60], produced.into_try_flow()).await;
        },
    )
}
