//! Whoever plays steps and logs in a lane: a source, an `on_start`, a `catch`, ...

use coldflow::{Emitter, Sender};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::time::Duration;

use crate::recorder::Recorder;
use crate::spec::{Error, Step, Steps};
use crate::value::Value;

/// Logs for one node of the pipeline.
#[derive(Clone, Debug)]
pub(crate) struct Holder<'a> {
    pub(crate) recorder: &'a Recorder,
    pub(crate) lane: Option<Arc<str>>,
    pub(crate) place: Arc<str>,
    /// The value that the enclosing inner flow or block was made for.
    pub(crate) outer: Option<i64>,
}

/// A run of a source: logs its start and, when it is dropped, its stop.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    holder: Holder<'a>,
    number: u64,
}

/// Where steps emit to.
pub(crate) trait Outlet {
    async fn put(&mut self, value: Value);
}

impl Outlet for Emitter<Value> {
    async fn put(&mut self, value: Value) {
        self.emit(value).await;
    }
}

impl Outlet for Sender<Value> {
    async fn put(&mut self, value: Value) {
        self.send(value).await.expect("a body does not outlive its collection");
    }
}

impl<'a> Holder<'a> {
    /// Logs an event, if there is a lane for it.
    pub(crate) fn log(&self, words: Json) {
        if let Some(lane) = &self.lane {
            self.recorder.log(lane, &self.place, words);
        }
    }

    /// The error of this name, which comes into being here.
    pub(crate) fn raise(&self, name: &str) -> Error {
        self.recorder.raise(Error(name.to_owned()), &self.place)
    }

    /// The holder of a producer within a channel.
    pub(crate) fn producer(&self, index: usize) -> Self {
        let lane = self.lane.as_ref().map(|lane| format!("{lane}.{index}").into());
        Holder { lane, ..self.clone() }
    }

    /// Plays `steps` in order; the first failure is the end.
    pub(crate) async fn play(self, steps: &'a Steps, mut outlet: impl Outlet) -> Result<(), Error> {
        for step in steps {
            match &**step {
                Step::Emit(value) => outlet.put(value.clone()).await,
                Step::EmitRel(k) => {
                    let outer = self.outer.expect("`emit_rel` stands in an inner flow or a block");
                    outlet.put(Value::Int(outer.wrapping_add(*k))).await;
                }
                Step::Delay(millis) => delay(*millis).await,
                Step::Fail(error) => return Err(self.raise(&error.0)),
                Step::Log(text) => self.log(json!(["log", text])),
            }
        }
        Ok(())
    }

    /// Plays `steps` as the run of a source.
    pub(crate) async fn run(self, steps: &'a [Steps], outlet: impl Outlet) -> Result<(), Error> {
        let run = Run::begin(self.clone());
        let last = steps.len() - 1;
        let index = usize::try_from(run.number - 1).map_or(last, |index| index.min(last));
        self.play(&steps[index], outlet).await
    }
}

impl<'a> Run<'a> {
    pub(crate) fn begin(holder: Holder<'a>) -> Self {
        let lane = holder.lane.as_ref().expect("a source has a lane");
        let number = holder.recorder.next_run(lane);
        holder.log(json!(["start", number]));
        Run { holder, number }
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.holder.log(json!(["stop", self.number]));
    }
}

/// Lets virtual time pass.
pub(crate) async fn delay(millis: u64) {
    if millis > 0 {
        tokio::time::sleep(Duration::from_millis(millis)).await;
    }
}
