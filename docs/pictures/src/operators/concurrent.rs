//! What runs several things at the same time.

use coldflow::{FlowExt, combine, combine_latest, merge, race};
use tokio::runtime::Handle;

use crate::picture::Picture;

pub(crate) fn pictures() -> Vec<Picture> {
    vec![
        merge_(),
        zip(),
        combine_(),
        combine_latest_(),
        with_latest_from(),
        race_(),
        flat_map_concat(),
        flat_map_merge(),
        then_concurrent(),
        then_concurrent_unordered(),
        flow_on(),
    ]
}

fn merge_() -> Picture {
    Picture::record("merge", "merge emits what any of the flows emits", async |r| {
        let a = r.source("a", ["0:1 200:2 420:3 500:|"]);
        let b = r.source("b", ["100:a 280:b 360:|"]);
        r.operator("merge((a, b))");
        r.lane("out").collect(&[], merge((a, b))).await;
    })
}

fn zip() -> Picture {
    Picture::record("zip", "zip pairs values by their position, and ends with the shorter flow", async |r| {
        let a = r.source("a", ["0:1 60:2 120:3 180:4 300:|"]);
        let b = r.source("b", ["100:a 220:b 340:c 460:|"]);
        r.operator("a.zip(b)");
        r.lane("out").collect(&[], a.zip(b)).await;
    })
}

fn combine_() -> Picture {
    Picture::record("combine", "combine emits the latest values together; changes of one moment are one", async |r| {
        let a = r.source("a", ["0:1 200:2 400:3 500:|"]);
        let b = r.source("b", ["100:a 300:b 400:c 460:|"]);
        r.operator("combine((a, b))");
        r.lane("out").collect(&[], combine((a, b))).await;
    })
}

fn combine_latest_() -> Picture {
    Picture::record("combine_latest", "combine_latest emits the latest values together at each change", async |r| {
        let a = r.source("a", ["0:1 60:2 200:3 400:4 500:|"]);
        let b = r.source("b", ["100:a 300:b 440:|"]);
        r.operator("combine_latest((a, b))");
        r.lane("out").collect(&[], combine_latest((a, b))).await;
    })
}

fn with_latest_from() -> Picture {
    Picture::record(
        "with_latest_from",
        "with_latest_from pairs each value with the latest one of another flow",
        async |r| {
            let source = r.source("source", ["0:1 160:2 360:3 480:4 540:|"]);
            let other = r.source("other", ["100:a 220:b 300:c 420:|"]);
            r.operator("source.with_latest_from(other)");
            r.lane("out").collect(&[], source.with_latest_from(other)).await;
        },
    )
}

fn race_() -> Picture {
    Picture::record("race", "race goes on with the flow that is first, and drops the others", async |r| {
        let a = r.source("a", ["160:1 240:2 400:|"]);
        let b = r.source("b", ["80:a 200:b 320:c 400:|"]);
        r.operator("race((a, b))");
        r.lane("out").collect(&[], race((a, b))).await;
    })
}

fn flat_map_concat() -> Picture {
    Picture::record("flat_map_concat", "flat_map_concat collects one inner flow after the other", async |r| {
        let source = r.source("source", ["0:a 80:b 160:|"]);
        r.operator("flat_map_concat(|value| ..)");
        let out = r.lane("out");
        out.collect(&[], source.flat_map_concat(|value| r.inner(value, "40:1 120:2 200:|"))).await;
    })
}

fn flat_map_merge() -> Picture {
    Picture::record("flat_map_merge", "flat_map_merge collects up to so many inner flows at once", async |r| {
        let source = r.source("source", ["0:a 80:b 160:c 200:|"]);
        r.operator("flat_map_merge(2, |value| ..)");
        let out = r.lane("out");
        out.collect(&[], source.flat_map_merge(2, |value| r.inner(value, "40:1 160:2 240:|"))).await;
    })
}

/// Jobs that are not done in the order in which they began.
const MILLIS: [u64; 4] = [240, 100, 140, 80];

fn then_concurrent() -> Picture {
    Picture::record("then_concurrent", "then_concurrent runs so many futures at once and keeps the order", async |r| {
        let source = r.source("source", ["0:1 20:2 40:3 60:4 80:|"]);
        r.operator("then_concurrent(3, fetch)");
        let out = r.lane("out");
        let mut millis = MILLIS.into_iter();
        let fetched = source.then_concurrent(3, |value| r.job(value, millis.next().unwrap_or(0)));
        out.collect(&[], fetched).await;
    })
}

fn then_concurrent_unordered() -> Picture {
    Picture::record(
        "then_concurrent_unordered",
        "then_concurrent_unordered runs so many futures at once and emits what is ready",
        async |r| {
            let source = r.source("source", ["0:1 20:2 40:3 60:4 80:|"]);
            r.operator("then_concurrent_unordered(3, fetch)");
            let out = r.lane("out");
            let mut millis = MILLIS.into_iter();
            let fetched = source.then_concurrent_unordered(3, |value| r.job(value, millis.next().unwrap_or(0)));
            out.collect(&[], fetched).await;
        },
    )
}

fn flow_on() -> Picture {
    Picture::record("flow_on", "flow_on runs what is above in a task of its own, ahead of a busy consumer", async |r| {
        let source = r.source("task", ["0:1 80:2 160:3 240:|"]);
        r.operator("flow_on(&handle)");
        r.lane("consumer").collect(&[150], source.flow_on(&Handle::current())).await;
    })
}
