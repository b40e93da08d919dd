//! What makes a flow.

use std::time::Duration;

use coldflow::{FlowExt, channel_flow, interval};
use tokio::time::sleep;

use crate::picture::Picture;
use crate::probe::Failure;

pub(crate) fn pictures() -> Vec<Picture> {
    vec![flow(), interval_(), channel_flow_()]
}

fn flow() -> Picture {
    Picture::record("flow", "the body of a flow waits at each emission until the consumer asks for more", async |r| {
        let body = r.source("body", ["0:1 60:2 120:3 180:|"]);
        r.operator("flow(async |mut emitter| ..)");
        r.lane("consumer").collect(&[150], body).await;
    })
}

fn interval_() -> Picture {
    Picture::record(
        "interval",
        "interval keeps its rhythm and drops the ticks that a busy consumer misses",
        async |r| {
            r.operator("interval(100 ms)");
            r.lane("consumer").collect(&[0, 230, 0], interval(Duration::from_millis(100)).take(5)).await;
        },
    )
}

fn channel_flow_() -> Picture {
    Picture::record("channel_flow", "channel_flow emits what several producers send", async |r| {
        let producers = [("producer 1", ["1", "2", "3"], 0, 120), ("producer 2", ["a", "b", "c"], 60, 150)];
        let producers = producers.map(|(label, texts, first, period)| (r.lane(label), texts, first, period));
        r.operator("channel_flow(|sender| ..)");
        let sent = channel_flow(|sender| {
            let [one, two] = producers.clone().map(|(pen, texts, first, period)| {
                let sender = sender.clone();
                async move {
                    pen.start();
                    sleep(Duration::from_millis(first)).await;
                    for text in texts {
                        let _ = sender.send(pen.value(text, pen.hue(text))).await;
                        sleep(Duration::from_millis(period)).await;
                    }
                    pen.end();
                }
            });
            async move {
                tokio::join!(one, two);
                Ok::<(), Failure>(())
            }
        });
        r.lane("out").collect(&[], sent).await;
    })
}
