use std::ops::AsyncFnOnce;

use coldflow_timeline::Timeline;
use tokio::runtime;

use crate::probe::Recorder;

/// A picture and the name of its file, without the ending.
#[derive(Debug)]
pub(crate) struct Picture {
    pub(crate) name: &'static str,
    pub(crate) timeline: Timeline,
}

impl Picture {
    /// Records `run` under a paused clock: only what waits for time takes time.
    ///
    /// # Panics
    ///
    /// When there can be no runtime.
    pub(crate) fn record(name: &'static str, title: &str, run: impl AsyncFnOnce(&Recorder)) -> Self {
        let runtime = runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let timeline = runtime.expect("a runtime can be built").block_on(async {
            let recorder = Recorder::new();
            run(&recorder).await;
            recorder.finish(title)
        });
        Self { name, timeline }
    }

    /// The same, with long waits cut short on the axis.
    pub(crate) fn with_breaks(mut self) -> Self {
        self.timeline.break_long_gaps();
        self
    }
}
