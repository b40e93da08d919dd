//! A picture for every operator that has to do with time, loses values or runs things at the same time.

mod busy_consumer;
mod concurrent;
mod hot;
mod latest;
mod lossy;
mod policy;
mod retry;
mod sources;
mod time;

use crate::picture::Picture;

pub(crate) fn pictures() -> Vec<Picture> {
    [
        busy_consumer::pictures(),
        concurrent::pictures(),
        hot::pictures(),
        latest::pictures(),
        lossy::pictures(),
        policy::pictures(),
        retry::pictures(),
        sources::pictures(),
        time::pictures(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
