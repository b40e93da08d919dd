//! What decides about values that a busy consumer has no time for.

use coldflow::{FlowExt, Overflow};

use crate::picture::Picture;

pub(crate) fn pictures() -> Vec<Picture> {
    vec![buffer(), conflate()]
}

fn buffer() -> Picture {
    Picture::record(
        "buffer",
        "buffer lets the source run ahead; when it is full, the source waits or a value is dropped",
        async |r| {
            let kinds = [Overflow::Suspend, Overflow::DropOldest, Overflow::DropLatest];
            let [suspend, drop_oldest, drop_latest] = kinds.map(|overflow| {
                if overflow != Overflow::Suspend {
                    r.gap();
                }
                let source = r.source("source", ["0:1 60:2 120:3 180:4 240:|"]);
                r.operator(format!("buffer(1, {overflow:?})"));
                let consumer = r.lane("consumer");
                async move { consumer.collect(&[200], source.buffer(1, overflow)).await }
            });
            tokio::join!(suspend, drop_oldest, drop_latest);
        },
    )
}

fn conflate() -> Picture {
    Picture::record("conflate", "conflate gives a busy consumer the latest value", async |r| {
        let source = r.source("source", ["0:1 60:2 120:3 180:4 300:5 360:|"]);
        r.operator("conflate()");
        r.lane("consumer").collect(&[200], source.conflate()).await;
    })
}
