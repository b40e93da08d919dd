//! What collects again.

use std::time::Duration;

use coldflow::FlowExt;
use tokio::time::sleep;

use crate::picture::Picture;

pub(crate) fn pictures() -> Vec<Picture> {
    vec![retry(), retry_if(), retry_when()]
}

fn retry() -> Picture {
    Picture::record("retry", "retry collects again at once after a failure", async |r| {
        let source = r.source("source", ["50:1 150:!down", "50:1 100:2 200:!busy", "50:1 100:2 150:3 200:|"]);
        r.operator("retry(2)");
        r.lane("out").collect(&[], source.retry(2)).await;
    })
}

fn retry_if() -> Picture {
    Picture::record("retry_if", "retry_if collects again at once while its predicate holds", async |r| {
        let source = r.source("source", ["50:1 150:!down", "50:1 100:2 200:!gone"]);
        r.operator("retry_if(|cause, _| *cause != \"gone\")");
        r.lane("out").collect(&[], source.retry_if(|cause, _| *cause != "gone")).await;
    })
}

fn retry_when() -> Picture {
    Picture::record("retry_when", "retry_when awaits its predicate after a failure, then collects again", async |r| {
        let source = r.source("source", ["50:1 150:!down", "100:!busy", "50:1 100:2 200:|"]);
        r.operator("retry_when(async |cause, retried| ..)");
        let predicate = r.lane("predicate");
        let retried = source.retry_when(async |_, retried| {
            let since = r.now();
            let millis = 100 << retried;
            sleep(Duration::from_millis(millis)).await;
            predicate.wait(since, format!("{millis} ms"));
            Ok(())
        });
        r.lane("out").collect(&[], retried).await;
    })
}
