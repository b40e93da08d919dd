//! What needs a clock.

use std::time::Duration;

use coldflow::{Edge, FlowExt};
use tokio::time::sleep;

use crate::picture::Picture;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) fn pictures() -> Vec<Picture> {
    vec![debounce(), debounce_by(), sample(), throttle(), timeout(), chunks_timeout(), delay_start(), take_until()]
}

fn debounce() -> Picture {
    Picture::record("debounce", "debounce emits the last value of a burst", async |r| {
        let typed = r.source("typed", ["0:c 80:co 160:col 500:cold 640:|"]);
        r.operator("debounce(200 ms)");
        r.lane("searched").collect(&[], typed.debounce(ms(200))).await;
    })
}

fn debounce_by() -> Picture {
    Picture::record("debounce_by", "debounce_by waits as long as each value says", async |r| {
        let source = r.source("source", ["0:1 80:99 300:2 380:3 700:|"]);
        r.operator("debounce_by(|n| if n > 9 { 0 } else { 200 ms })");
        let urgent = source.debounce_by(|n| if n.text().len() > 1 { ms(0) } else { ms(200) });
        r.lane("out").collect(&[], urgent).await;
    })
}

fn sample() -> Picture {
    Picture::record("sample", "sample emits the latest value of each period, if there is a new one", async |r| {
        let source = r.source("source", ["30:1 120:2 350:3 640:4 700:5 760:|"]);
        r.operator("sample(200 ms)");
        r.lane("out").collect(&[], source.sample(ms(200))).await;
    })
}

fn throttle() -> Picture {
    Picture::record(
        "throttle",
        "throttle lets a value through once per period: the first, the latest or both",
        async |r| {
            let script = "0:1 80:2 160:3 400:4 700:|";
            let edges = [Edge::Leading, Edge::Trailing, Edge::Both];
            let [leading, trailing, both] = edges.map(|edge| {
                if edge != Edge::Leading {
                    r.gap();
                }
                let source = r.source("source", [script]);
                r.operator(format!("throttle(200 ms, {edge:?})"));
                let out = r.lane("out");
                async move { out.collect(&[], source.throttle(ms(200), edge)).await }
            });
            tokio::join!(leading, trailing, both);
        },
    )
}

fn timeout() -> Picture {
    Picture::record("timeout", "timeout fails when a value takes too long", async |r| {
        let source = r.source("source", ["50:1 150:2 700:3 750:|"]);
        r.operator("timeout(300 ms)");
        r.lane("out").collect(&[], source.timeout(ms(300))).await;
    })
}

fn chunks_timeout() -> Picture {
    Picture::record("chunks_timeout", "chunks_timeout emits a chunk when it is full or its time is over", async |r| {
        let source = r.source("source", ["0:1 50:2 100:3 250:4 330:5 600:6 700:|"]);
        r.operator("chunks_timeout(3, 200 ms)");
        r.lane("out").collect(&[], source.chunks_timeout(3, ms(200))).await;
    })
}

fn delay_start() -> Picture {
    Picture::record("delay_start", "delay_start waits before anything runs above", async |r| {
        let source = r.source("source", ["0:1 100:2 200:|"]);
        r.operator("delay_start(200 ms)");
        r.lane("out").collect(&[], source.delay_start(ms(200))).await;
    })
}

fn take_until() -> Picture {
    Picture::record("take_until", "take_until drops what runs above once a future completes", async |r| {
        let source = r.source("ticks", ["0:0 100:1 200:2 300:3"]);
        r.operator("take_until(sleep(250 ms))");
        r.lane("out").collect(&[], source.take_until(sleep(ms(250)))).await;
    })
}
