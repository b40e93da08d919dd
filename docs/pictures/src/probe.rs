//! Writes down what happens in a run: when each flow starts, emits, waits, fails, ends or is dropped, and what becomes of
//! its values.

use std::fmt::Display;
use std::future::pending;
use std::iter::repeat;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use coldflow::{Emitter, Flow, FlowExt, Restart, flow};
use coldflow_timeline::{Lane, Part, Timeline};
use tokio::time::{Instant, sleep};

use crate::script::{Ending, Script};

/// What the sources of the pictures fail with.
pub(crate) type Failure = &'static str;

/// A picture in the making. Clones are of the same one.
#[derive(Clone, Debug)]
pub(crate) struct Recorder(Arc<Mutex<Record>>);

#[derive(Debug)]
struct Record {
    began: Instant,
    /// The rows, each with its place from the top: those of one place stay in their order.
    rows: Vec<(usize, Row)>,
    /// The texts of values, whose places are their colours.
    texts: Vec<&'static str>,
}

#[derive(Debug)]
enum Row {
    Lane(Lane),
    Operator(String),
    Gap,
}

/// A lane of the picture, to draw on as things happen.
#[derive(Clone, Debug)]
pub(crate) struct Pen {
    recorder: Recorder,
    row: usize,
}

/// A value of a source. It is struck out in the picture when it is dropped and has arrived nowhere.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    text: String,
    hue: usize,
    track: Option<Arc<Track>>,
}

#[derive(Debug)]
struct Track {
    pen: Pen,
    item: usize,
    arrived: AtomicBool,
}

/// A run on a lane: when it is dropped before its end, that is written down.
#[derive(Debug)]
pub(crate) struct Run {
    pen: Pen,
    ended: bool,
}

/// Work: how long it took is written down when it is done, or dropped.
#[derive(Debug)]
pub(crate) struct Job {
    pen: Pen,
    since: Duration,
    part: Part,
    done: bool,
}

/// What can come to a consumer.
pub(crate) trait Arrive {
    /// Notes that it has come, and tells how to draw it.
    fn arrive(self) -> Vec<Part>;
}

impl Recorder {
    /// Begins now.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Record { began: Instant::now(), rows: Vec::new(), texts: Vec::new() })))
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now(&self) -> Duration {
        self.record().began.elapsed()
    }

    /// Adds an operator below the rows that there are.
    pub(crate) fn operator(&self, text: impl Into<String>) {
        self.row(Row::Operator(text.into()));
    }

    /// Sets what follows apart from the rows that there are.
    pub(crate) fn gap(&self) {
        self.row(Row::Gap);
    }

    fn row(&self, row: Row) {
        let mut record = self.record();
        let place = record.rows.len();
        record.rows.push((place, row));
    }

    /// Adds a lane below the rows that there are.
    pub(crate) fn lane(&self, label: impl Into<String>) -> Pen {
        let place = self.record().rows.len();
        self.lane_at(place, label)
    }

    /// Adds a lane of what an operator runs, below the last operator.
    pub(crate) fn inner_lane(&self, label: impl Into<String>) -> Pen {
        let place = self.record().rows.iter().rposition(|(_, row)| matches!(row, Row::Operator(_)));
        self.lane_at(place.unwrap_or(0), label)
    }

    fn lane_at(&self, place: usize, label: impl Into<String>) -> Pen {
        let mut record = self.record();
        record.rows.push((place, Row::Lane(Lane::new(label))));
        Pen { recorder: self.clone(), row: record.rows.len() - 1 }
    }

    /// The picture, once everything is over.
    pub(crate) fn finish(&self, title: &str) -> Timeline {
        let mut record = self.record();
        let mut rows = std::mem::take(&mut record.rows);
        rows.sort_by_key(|(place, _)| *place);
        let mut timeline = Timeline::new(title);
        for (_, row) in rows {
            match row {
                Row::Lane(lane) => timeline.lane(lane),
                Row::Operator(text) => timeline.operator(text),
                Row::Gap => timeline.gap(),
            }
        }
        timeline
    }

    /// Equal texts have equal colours.
    pub(crate) fn hue(&self, text: &'static str) -> usize {
        let mut record = self.record();
        let known = record.texts.iter().position(|known| *known == text);
        known.unwrap_or_else(|| {
            record.texts.push(text);
            record.texts.len() - 1
        })
    }

    /// A flow that does what a script says, on a lane of its own. Each time that it is restarted it goes on with the next
    /// one, and stays with the last.
    pub(crate) fn source<const N: usize>(
        &self,
        label: &str,
        scripts: [&'static str; N],
    ) -> impl Flow<Item = Value, Error = Failure, Stream: Restart + Send> + Clone + use<N> {
        let pen = self.lane(label);
        let scripts = scripts.map(Script::parse);
        let mut runs = 0;
        flow(move |emitter| {
            let script = scripts[runs.min(N - 1)].clone();
            runs += 1;
            pen.clone().play(script, emitter, |pen, text| pen.value(text, pen.hue(text)))
        })
    }

    /// A flow of what an operator makes of `value`, on a lane of its own: its values are called after that one.
    pub(crate) fn inner(
        &self,
        value: Value,
        script: &'static str,
    ) -> impl Flow<Item = Value, Error = Failure, Stream: Restart + Send> + Clone + use<> {
        let pen = self.inner_lane(value.text.clone());
        let (text, hue) = value.into_parts();
        let script = Script::parse(script);
        flow(move |emitter| {
            let outer = text.clone();
            pen.clone().play(script.clone(), emitter, move |pen, text| pen.value(format!("{outer}{text}"), hue))
        })
    }

    /// A future that works on `value` for so many milliseconds, on a lane of its own.
    pub(crate) fn job(&self, value: Value, millis: u64) -> impl Future<Output = Value> + Send + use<> {
        self.inner_lane(value.text.clone()).work_on(value, millis)
    }
}

impl Pen {
    fn draw(&self, how: impl FnOnce(&mut Lane, Duration)) {
        let mut record = self.recorder.record();
        let now = record.began.elapsed();
        if let Some((_, Row::Lane(lane))) = record.rows.get_mut(self.row) {
            how(lane, now);
        }
    }

    pub(crate) fn hue(&self, text: &'static str) -> usize {
        self.recorder.hue(text)
    }

    /// Does what `script` says, with what `value` makes of its texts.
    async fn play(
        self,
        script: Script,
        mut emitter: Emitter<Value>,
        value: impl Fn(&Self, &'static str) -> Value,
    ) -> Result<(), Failure> {
        let mut run = self.run();
        for step in &script.steps {
            pause(step.after).await;
            let since = self.recorder.now();
            emitter.emit(value(&self, step.text)).await;
            self.wait(since, "");
        }
        run.finish(script.ending).await
    }

    pub(crate) fn start(&self) {
        self.draw(Lane::start);
    }

    pub(crate) fn end(&self) {
        self.draw(Lane::end);
    }

    pub(crate) fn cancelled(&self) {
        self.draw(Lane::cancelled);
    }

    pub(crate) fn error(&self, label: impl Into<String>) {
        self.draw(|lane, now| lane.error(now, label));
    }

    pub(crate) fn item(&self, parts: impl IntoIterator<Item = Part>) {
        self.draw(|lane, now| _ = lane.item(now, parts));
    }

    /// Something was busy from `since` until now.
    pub(crate) fn work(&self, since: Duration, part: Part) {
        self.draw(|lane, now| lane.work(since, now, part));
    }

    /// Something waited from `since` until now, if that is any time at all.
    pub(crate) fn wait(&self, since: Duration, label: impl Into<String>) {
        self.draw(|lane, now| {
            if now > since {
                lane.wait(since, now, label);
            }
        });
    }

    /// A wait of so long begins here now.
    pub(crate) fn wait_for(&self, time: Duration, label: impl Into<String>) {
        self.draw(|lane, now| lane.wait(now, now + time, label));
    }

    /// A value that comes here now.
    pub(crate) fn value(&self, text: impl Into<String>, hue: usize) -> Value {
        let text = text.into();
        let mut item = 0;
        self.draw(|lane, now| item = lane.item(now, [Part::new(text.clone(), hue)]));
        let track = Track { pen: self.clone(), item, arrived: AtomicBool::new(false) };
        Value { text, hue, track: Some(Arc::new(track)) }
    }

    /// Collects `flow` here, and is busy for so many milliseconds with each value: those behind the last number take as long
    /// as that, and without any number none takes time.
    pub(crate) async fn collect<F>(&self, busy: &[u64], flow: F)
    where
        F: Flow<Item: Arrive, Error: Display>,
    {
        let mut run = self.run();
        let mut times = busy.iter().chain(repeat(busy.last().unwrap_or(&0)));
        let outcome = flow.for_each(|item| self.take(item, times.next().copied().unwrap_or(0))).await;
        match outcome {
            Ok(()) => run.end(),
            Err(error) => run.fail(error.to_string()),
        }
    }

    /// Takes an item here now, and is busy with it for so many milliseconds.
    pub(crate) fn take(&self, item: impl Arrive, busy: u64) -> impl Future<Output = ()> {
        let parts = item.arrive();
        let hue = parts.first().map_or(0, |part| part.hue);
        self.item(parts);
        async move {
            if busy > 0 {
                let since = self.recorder.now();
                sleep(Duration::from_millis(busy)).await;
                self.work(since, Part::new("", hue));
            }
        }
    }

    /// Works on `value` for so many milliseconds, here.
    pub(crate) async fn work_on(self, value: Value, millis: u64) -> Value {
        let (text, hue) = value.into_parts();
        let job = self.job(Part::new(&text, hue));
        sleep(Duration::from_millis(millis)).await;
        job.done();
        self.end();
        Value::new(text, hue)
    }

    /// Work begins here.
    pub(crate) fn job(&self, part: Part) -> Job {
        Job { pen: self.clone(), since: self.recorder.now(), part, done: false }
    }

    /// A run begins here.
    pub(crate) fn run(&self) -> Run {
        self.start();
        Run { pen: self.clone(), ended: false }
    }
}

impl Run {
    /// It is over.
    pub(crate) fn end(&mut self) {
        self.ended = true;
        self.pen.end();
    }

    /// It is over, and gives a result.
    pub(crate) fn give(&mut self, result: impl Into<String>, hue: usize) {
        self.pen.item([Part::new(result, hue)]);
        self.end();
    }

    /// It is over because of `cause`.
    pub(crate) fn fail(&mut self, cause: impl Into<String>) {
        self.ended = true;
        self.pen.error(cause);
    }

    async fn finish(&mut self, ending: Ending) -> Result<(), Failure> {
        match ending {
            Ending::Ends { after } => {
                pause(after).await;
                self.end();
                Ok(())
            }
            Ending::Fails { after, cause } => {
                pause(after).await;
                self.fail(cause);
                Err(cause)
            }
            Ending::Never => pending().await,
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if !self.ended {
            self.pen.cancelled();
        }
    }
}

impl Job {
    /// It is done.
    pub(crate) fn done(mut self) {
        self.done = true;
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.pen.work(self.since, self.part.clone());
        if !self.done {
            self.pen.cancelled();
        }
    }
}

impl Drop for Track {
    fn drop(&mut self) {
        if !*self.arrived.get_mut() {
            self.pen.draw(|lane, now| lane.lose(self.item, now));
        }
    }
}

impl Value {
    /// A value that no source emitted.
    pub(crate) fn new(text: impl Into<String>, hue: usize) -> Self {
        Self { text: text.into(), hue, track: None }
    }

    /// Its text and colour; with that it has arrived.
    pub(crate) fn into_parts(self) -> (String, usize) {
        if let Some(track) = &self.track {
            track.arrived.store(true, Ordering::Relaxed);
        }
        (self.text, self.hue)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Arrive for Value {
    fn arrive(self) -> Vec<Part> {
        let (text, hue) = self.into_parts();
        vec![Part::new(text, hue)]
    }
}

impl<A: Arrive, B: Arrive> Arrive for (A, B) {
    fn arrive(self) -> Vec<Part> {
        let mut parts = self.0.arrive();
        parts.append(&mut self.1.arrive());
        parts
    }
}

impl<T: Arrive> Arrive for Vec<T> {
    fn arrive(self) -> Vec<Part> {
        self.into_iter().flat_map(T::arrive).collect()
    }
}

/// A tick: its number.
impl Arrive for u64 {
    fn arrive(self) -> Vec<Part> {
        vec![Part::new(self.to_string(), 0)]
    }
}

/// Sleeps, but not for no time: that would let other tasks go first.
async fn pause(time: Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}

#[cfg(test)]
mod tests {
    use coldflow::FlowExt;

    use super::*;
    use crate::picture::Picture;

    /// What the picture says in words.
    fn told(run: impl AsyncFnOnce(&Recorder)) -> String {
        let svg = Picture::record("", "", run).timeline.to_svg();
        let (_, rest) = svg.split_once("<desc>").unwrap();
        rest.split_once("</desc>").unwrap().0.to_owned()
    }

    #[test]
    fn what_is_dropped_and_what_waits_is_written_down() {
        let told = told(async |r| {
            let source = r.source("source", ["0:1 10:2 20:3 30:|"]);
            r.operator("filter");
            let odd = source.filter(|value| value.text() != "2");
            r.lane("out").collect(&[15], odd).await;
        });
        assert_eq!(
            told,
            "source: starts at 0 ms, 1 at 0 ms, waits from 0 ms to 15 ms, 2 at 25 ms (dropped at 25 ms), 3 at 35 ms, \
             waits from 35 ms to 50 ms, ends at 60 ms. filter: out: starts at 0 ms, 1 at 0 ms, busy from 0 ms to 15 ms, \
             3 at 35 ms, busy from 35 ms to 50 ms, ends at 60 ms."
        );
    }

    #[test]
    fn a_source_goes_on_with_its_next_script_when_it_is_restarted() {
        let told = told(async |r| {
            let source = r.source("source", ["5:!down", "5:1 10:|"]);
            r.lane("out").collect(&[], source.retry(1)).await;
        });
        assert!(told.starts_with("source: starts at 0 ms, fails at 5 ms: down, starts at 5 ms, 1 at 10 ms,"), "{told}");
    }

    #[test]
    fn work_that_is_dropped_is_cancelled() {
        let told = told(async |r| {
            r.operator("job");
            let job = r.job(Value::new("a", 0), 100);
            let _ = tokio::time::timeout(Duration::from_millis(30), job).await;
        });
        assert_eq!(told, "job: a: a from 0 ms to 30 ms, is cancelled at 30 ms.");
    }
}
