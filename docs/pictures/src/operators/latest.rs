//! What drops the work on a value when the next one comes.

use std::time::Duration;

use coldflow::FlowExt;
use coldflow_timeline::Part;
use tokio::time::sleep;

use crate::picture::Picture;
use crate::probe::Value;

pub(crate) fn pictures() -> Vec<Picture> {
    vec![flat_map_latest(), map_latest(), transform_latest(), for_each_latest()]
}

fn flat_map_latest() -> Picture {
    Picture::record("flat_map_latest", "flat_map_latest drops the inner flow when the next value comes", async |r| {
        let source = r.source("source", ["0:a 200:b 400:c 440:|"]);
        r.operator("flat_map_latest(|value| ..)");
        let out = r.lane("out");
        out.collect(&[], source.flat_map_latest(|value| r.inner(value, "40:1 100:2 160:3 220:4 260:|"))).await;
    })
}

fn map_latest() -> Picture {
    Picture::record("map_latest", "map_latest drops the future when the next value comes", async |r| {
        let source = r.source("typed", ["0:c 80:co 300:cold 330:|"]);
        r.operator("map_latest(search)");
        let out = r.lane("out");
        out.collect(&[], source.map_latest(|value| r.job(value, 120))).await;
    })
}

fn transform_latest() -> Picture {
    Picture::record("transform_latest", "transform_latest drops the body when the next value comes", async |r| {
        let source = r.source("source", ["0:a 160:b 220:c 300:|"]);
        r.operator("transform_latest(async |value, mut emitter| ..)");
        let out = r.lane("out");
        let transformed = source.transform_latest(async |value, mut emitter| {
            let (text, hue) = value.into_parts();
            let pen = r.inner_lane(&text);
            let mut run = pen.run();
            for (n, pause) in [(1, 30), (2, 70)] {
                sleep(Duration::from_millis(pause)).await;
                pen.item([Part::new(format!("{text}{n}"), hue)]);
                emitter.emit(Value::new(format!("{text}{n}"), hue)).await;
            }
            run.end();
            Ok(())
        });
        out.collect(&[], transformed).await;
    })
}

fn for_each_latest() -> Picture {
    Picture::record("for_each_latest", "for_each_latest drops the body when the next value comes", async |r| {
        let source = r.source("pages", ["0:1 80:2 120:3 300:4 320:|"]);
        r.operator("for_each_latest(draw)");
        let drawn = source.for_each_latest(async |value| {
            r.job(value, 120).await;
        });
        let _ = drawn.await;
    })
}
