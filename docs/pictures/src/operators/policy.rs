//! What a retry policy says.

use std::fmt::Display;
use std::time::Duration;

use coldflow::retry::{Backoff, Jitter, Random, RetryEvent};
use coldflow::{FlowExt, Retry, retry};
use coldflow_timeline::{Part, span};
use futures::future::join_all;
use tokio::time::sleep;

use crate::picture::Picture;
use crate::probe::{Failure, Pen, Recorder};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) fn pictures() -> Vec<Picture> {
    vec![retry_with(), deadline(), attempt_timeout(), reset_after(), jitter()]
}

/// 50 ms, 100 ms, 200 ms and so on.
fn doubling(attempts: u32) -> Retry {
    Retry::attempts(attempts).backoff(Backoff::exponential(ms(50)))
}

/// Draws the wait that is about to begin.
fn wait<E: Display>(waits: &Pen, event: &RetryEvent<'_, E>) {
    waits.wait_for(event.wait, span(event.wait));
}

fn retry_with() -> Picture {
    Picture::record("retry_with", "retry_with waits longer after each failure, as its policy says", async |r| {
        let source = r.source("source", ["40:!busy", "40:!down", "40:!busy", "30:1 80:2 120:|"]);
        r.operator("retry_with(Retry::attempts(4).backoff(..))");
        let waits = r.lane("waits");
        let retried = source.retry_with(doubling(4)).on_retry(|event| wait(&waits, event));
        r.lane("out").collect(&[], retried).await;
    })
}

fn deadline() -> Picture {
    Picture::record("deadline", "a wait that would go past the deadline is not begun", async |r| {
        let source = r.source("source", ["40:!busy"]);
        r.operator("Retry::attempts(9).deadline(400 ms)");
        let waits = r.lane("waits");
        let retried = source.retry_with(doubling(9).deadline(ms(400))).on_retry(|event| wait(&waits, event));
        r.lane("out").collect(&[], retried).await;
    })
}

fn attempt_timeout() -> Picture {
    Picture::record("attempt_timeout", "an attempt that takes too long is dropped and counts as failed", async |r| {
        let source = r.source("source", ["", "40:1 100:|"]);
        r.operator("Retry::attempts(3).attempt_timeout(150 ms)");
        let waits = r.lane("waits");
        let retried = source.retry_with(doubling(3).attempt_timeout(ms(150))).on_retry(|event| wait(&waits, event));
        r.lane("out").collect(&[], retried).await;
    })
}

fn reset_after() -> Picture {
    Picture::record("reset_after", "after a healthy attempt the count and the waits begin anew", async |r| {
        let source = r.source("events", ["30:!lost", "30:!lost", "30:1 90:2 190:3 230:!lost", "40:4 80:|"]);
        r.operator("Retry::attempts(3).reset_after(100 ms)");
        let waits = r.lane("waits");
        let retried = source.retry_with(doubling(3).reset_after(ms(100))).on_retry(|event| wait(&waits, event));
        r.lane("out").collect(&[], retried).await;
    })
}

fn jitter() -> Picture {
    Picture::record(
        "jitter",
        "clients that failed together come back together, unless jitter spreads them",
        async |r| {
            let policy = doubling(4);
            r.operator("Jitter::None");
            let together = clients(r, &policy);
            r.gap();
            r.operator("Jitter::Full");
            let spread = clients(r, &policy.jitter(Jitter::Full));
            tokio::join!(together, spread);
        },
    )
}

/// Four clients of a server that is busy three times.
fn clients(r: &Recorder, policy: &Retry) -> impl Future<Output = Vec<()>> + use<> {
    join_all([1, 2, 3, 4].map(|number| client(r.lane(format!("client {number}")), policy.clone(), number * 7)))
}

async fn client(pen: Pen, policy: Retry, seed: u64) {
    let mut attempts = 0;
    let outcome = retry(policy, || {
        attempts += 1;
        let (pen, attempt) = (pen.clone(), attempts);
        async move {
            let job = pen.job(Part::new("", 0));
            sleep(ms(20)).await;
            job.done();
            if attempt < 4 { Err::<(), Failure>("busy") } else { Ok(()) }
        }
    })
    .random(Random::seeded(seed))
    .on_retry(|event| {
        pen.error("");
        pen.wait_for(event.wait, "");
    })
    .await;
    if outcome.is_ok() {
        pen.item([Part::new("ok", 2)]);
    }
}
