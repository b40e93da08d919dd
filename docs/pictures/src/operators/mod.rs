//! A picture for every operator that has to do with time, loses values or runs things at the same time.

mod concurrent;
mod hot;
mod latest;
mod lossy;
mod retry;
mod sources;
mod time;

use crate::picture::Picture;

pub(crate) fn pictures() -> Vec<Picture> {
    [
        concurrent::pictures(),
        hot::pictures(),
        latest::pictures(),
        lossy::pictures(),
        retry::pictures(),
        sources::pictures(),
        time::pictures(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
