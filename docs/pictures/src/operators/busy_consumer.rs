//! What goes on while the consumer is busy: here, and with a plain stream.

use coldflow::{FlowExt, flow_of};
use futures::{StreamExt, stream};

use crate::picture::Picture;
use crate::probe::{Recorder, Value};

/// How long a fetch takes, and what the consumer does with its result.
const FETCH: u64 = 100;
const BUSY: u64 = 150;

const TEXTS: [&str; 4] = ["1", "2", "3", "4"];

pub(crate) fn pictures() -> Vec<Picture> {
    vec![busy_consumer()]
}

fn busy_consumer() -> Picture {
    let title = "fetches go on while the consumer of a flow is busy, and stand still in a plain stream";
    Picture::record("busy-consumer", title, async |r| {
        r.operator("coldflow: then_concurrent(2, fetch).for_each(busy)");
        let mut fetches = fetches(r);
        let consumer = r.lane("consumer");
        let flow = flow_of(TEXTS).then_concurrent(2, |_| fetches.next().expect("a fetch for each"));
        let flow = consumer.collect(&[BUSY], flow);

        r.gap();
        r.operator("futures: map(fetch).buffered(2).for_each(busy)");
        let mut fetches = self::fetches(r);
        let consumer = r.lane("consumer");
        let mut run = consumer.run();
        let stream = stream::iter(TEXTS)
            .map(|_| fetches.next().expect("a fetch for each"))
            .buffered(2)
            .for_each(|item| consumer.take(item, BUSY));
        let stream = async {
            stream.await;
            run.end();
        };
        tokio::join!(flow, stream);
    })
}

/// The fetches in the order in which they begin, each with a lane.
fn fetches(r: &Recorder) -> impl Iterator<Item = impl Future<Output = Value> + use<>> + use<> {
    TEXTS.map(|text| r.lane(text).work_on(Value::new(text, r.hue(text)), FETCH)).into_iter()
}
