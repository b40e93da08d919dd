//! From a pipeline that is data to a flow: one match for the sources, one for the operators.

use coldflow::{
    Emitter, FlowExt, LocalBoxFlow, Overflow, TimeoutError, channel_flow, combine, empty, flow, flow_of, merge,
};
use futures::future::try_join_all;
use serde_json::json;
use std::cell::Cell;
use std::future::ready;
use std::rc::Rc;
use std::slice;
use std::time::Duration;

use crate::holder::{Holder, Run, delay};
use crate::recorder::Recorder;
use crate::spec::{Error, Lane, Listed, Node, OnOverflow, Operator, RetryWhen, Source, Words};
use crate::value::{Function, Value};

/// A flow of the interpreter, whatever it is made of.
pub(crate) type Pipe<'a> = LocalBoxFlow<'a, Value, Error>;

/// Where in the pipeline a node stands.
#[derive(Clone, Debug)]
pub(crate) struct Scope<'a> {
    recorder: &'a Recorder,
    /// The way from the terminal: `/in` for each operator on it, `/ins/1`, `/inner@5`.
    place: String,
    /// What the lanes of an inner flow have behind their names.
    suffix: String,
    outer: Option<i64>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(recorder: &'a Recorder) -> Self {
        Scope { recorder, place: String::new(), suffix: String::new(), outer: None }
    }

    /// Builds the flow that stands at `node`. Nothing runs yet.
    pub(crate) fn build(&self, node: &'a Node) -> Pipe<'a> {
        match node {
            Node::Source(source) => self.source(source),
            Node::Operator { upstream, operator } => self.operator(operator, self.at("in").build(upstream)),
        }
    }

    fn source(&self, source: &'a Source) -> Pipe<'a> {
        match source {
            Source::Of { values } => flow_of(values).map(Value::clone).fallible().boxed_local(),
            Source::Empty => empty().fallible().boxed_local(),
            Source::Script { id, runs } => {
                let holder = self.holder(Some(id));
                flow(move |emitter| holder.clone().run(runs, emitter)).boxed_local()
            }
            Source::Channel { id, producers } => {
                let block = self.holder(Some(id));
                channel_flow(move |sender| {
                    let block = block.clone();
                    async move {
                        let _run = Run::begin(block.clone());
                        let producers = producers
                            .iter()
                            .enumerate()
                            .map(|(index, steps)| block.producer(index).run(slice::from_ref(steps), sender.clone()));
                        try_join_all(producers).await.map(drop)
                    }
                })
                .boxed_local()
            }
            Source::Merge { ins } => merge(self.inputs(ins)).boxed_local(),
            Source::Zip { ins, r#fn } => {
                let [first, second] = &**ins;
                let (first, second) = (self.at("ins/0").build(first), self.at("ins/1").build(second));
                first.zip(second).map(|(a, b)| r#fn.unwrap_or_default().of(vec![a, b])).boxed_local()
            }
            Source::Combine { ins, r#fn } => {
                combine(self.inputs(ins)).map(|values| r#fn.unwrap_or_default().of(values)).boxed_local()
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each operator of the format")]
    fn operator(&self, operator: &'a Operator, upstream: Pipe<'a>) -> Pipe<'a> {
        match operator {
            Operator::Map { r#fn } => upstream.map(|value| r#fn.of(&value)).boxed_local(),
            Operator::Filter { pred } => upstream.filter(|value| pred.holds(value)).boxed_local(),
            Operator::MapNotNull { pred, r#fn } => {
                upstream.filter_map(|value| pred.holds(&value).then(|| r#fn.of(&value))).boxed_local()
            }
            Operator::Transform { emits } => {
                upstream.transform(|value, emitter| emit_each(emits, value, emitter)).boxed_local()
            }
            Operator::TransformWhile { emits, pred } => upstream
                .transform_while(async |value: Value, emitter| {
                    let goes_on = pred.holds(&value);
                    emit_each(emits, value, emitter).await;
                    goes_on
                })
                .boxed_local(),
            Operator::Take { n } => upstream.take(*n).boxed_local(),
            Operator::Drop { n } => upstream.skip(*n).boxed_local(),
            Operator::TakeWhile { pred } => upstream.take_while(|value| pred.holds(value)).boxed_local(),
            Operator::DropWhile { pred } => upstream.skip_while(|value| pred.holds(value)).boxed_local(),
            Operator::DistinctUntilChanged => upstream.distinct_until_changed().boxed_local(),
            Operator::DistinctBy { r#fn } => {
                upstream.distinct_until_changed_by_key(|value| r#fn.of(value)).boxed_local()
            }
            Operator::Scan { initial, r#fn } => {
                upstream.running_fold(initial.clone(), |last, value| r#fn.of(last, value)).boxed_local()
            }
            Operator::RunningReduce { r#fn } => {
                upstream.running_reduce(|last, value| r#fn.of(last, value)).boxed_local()
            }
            Operator::WithIndex => upstream
                .enumerate()
                .map(|(index, value)| Value::List(vec![Value::Int(index.try_into().expect("few values")), value]))
                .boxed_local(),
            Operator::Chunked { n } => upstream.chunks(*n).map(Value::List).boxed_local(),
            Operator::MapDelay { ms, r#fn } => upstream
                .then(async |value| {
                    delay(*ms).await;
                    r#fn.as_ref().map_or(value.clone(), |function| function.of(&value))
                })
                .boxed_local(),

            Operator::OnEach { lane } => {
                let holder = self.holder(lane.as_ref());
                upstream.inspect(move |value| holder.log(json!(["each", value]))).boxed_local()
            }
            Operator::OnStart { steps, lane } => {
                let holder = self.holder(lane.as_ref());
                upstream.on_start(move |emitter| holder.clone().play(steps, emitter)).boxed_local()
            }
            Operator::OnEmpty { steps, lane } => {
                let holder = self.holder(lane.as_ref());
                upstream.on_empty(move |emitter| holder.clone().play(steps, emitter)).boxed_local()
            }
            Operator::OnCompletion { lane, emits } => self.on_completion(lane, emits.as_ref(), upstream),

            Operator::FailOn { eq, error } => {
                let holder = self.holder(None);
                upstream
                    .try_map(move |value| if value.num() == *eq { Err(holder.raise(&error.0)) } else { Ok(value) })
                    .boxed_local()
            }
            Operator::Catch { steps, on, lane } => {
                let holder = self.holder(lane.as_ref());
                upstream
                    .catch(move |cause, emitter| {
                        let holder = holder.clone();
                        async move {
                            if !listed(on, &cause) {
                                return Err(cause);
                            }
                            holder.log(json!(["caught", cause]));
                            holder.play(steps, emitter).await
                        }
                    })
                    .boxed_local()
            }
            Operator::Retry { n, on: None } => upstream.retry(*n).boxed_local(),
            Operator::Retry { n, on } => {
                upstream.retry_if(|cause, retried| retried < *n && listed(on, cause)).boxed_local()
            }
            Operator::RetryWhen(retry) => self.retry_when(retry, upstream),

            Operator::FlatMapConcat { inner } => {
                let scope = self.clone();
                upstream.flat_map_concat(move |value| scope.inner(&value).build(inner)).boxed_local()
            }

            Operator::Buffer { capacity, overflow } => {
                let overflow = match overflow {
                    None | Some(OnOverflow::Suspend) => Overflow::Suspend,
                    Some(OnOverflow::DropOldest) => Overflow::DropOldest,
                    Some(OnOverflow::DropLatest) => Overflow::DropLatest,
                };
                upstream.buffer(*capacity, overflow).boxed_local()
            }
            Operator::Conflate => upstream.conflate().boxed_local(),
            Operator::Debounce { ms } => upstream.debounce(Duration::from_millis(*ms)).boxed_local(),
            Operator::Sample { ms } => upstream.sample(Duration::from_millis(*ms)).boxed_local(),
            Operator::Timeout { ms } => {
                let holder = self.holder(None);
                upstream
                    .timeout(Duration::from_millis(*ms))
                    .map_err(move |error| match error {
                        TimeoutError::Elapsed => holder.raise("Timeout"),
                        TimeoutError::Upstream(error) => error,
                    })
                    .boxed_local()
            }
            Operator::MapLatest { ms, r#fn, lane } => {
                let holder = self.holder(lane.as_ref());
                upstream
                    .map_latest(move |value: Value| {
                        let holder = holder.clone();
                        async move {
                            holder.log(json!(["begin", value]));
                            delay(*ms).await;
                            holder.log(json!(["end", value]));
                            r#fn.as_ref().map_or(value.clone(), |function| function.of(&value))
                        }
                    })
                    .boxed_local()
            }
            Operator::TransformLatest { steps, lane } => {
                let holder = self.holder(lane.as_ref());
                upstream
                    .transform_latest(move |value: Value, emitter| {
                        let block = Holder { outer: Some(value.num()), ..holder.clone() };
                        async move {
                            block.log(json!(["begin", value]));
                            block.clone().play(steps, emitter).await?;
                            block.log(json!(["end", value]));
                            Ok(())
                        }
                    })
                    .boxed_local()
            }
            Operator::FlatMapMerge { inner, concurrency } => {
                let scope = self.clone();
                upstream
                    .flat_map_merge(concurrency.unwrap_or(16), move |value| scope.inner(&value).build(inner))
                    .boxed_local()
            }
            Operator::FlatMapLatest { inner } => {
                let scope = self.clone();
                upstream.flat_map_latest(move |value| scope.inner(&value).build(inner)).boxed_local()
            }
        }
    }

    /// Kotlin's `onCompletion` sees cancellation, too. The values come from an operator of their own, so that a flow that
    /// is cut off while it emits them has completed before.
    fn on_completion(&self, lane: &'a Lane, emits: Option<&'a Vec<Value>>, upstream: Pipe<'a>) -> Pipe<'a> {
        let holder = self.holder(lane.as_ref());
        let cancelled = holder.clone();
        upstream
            .on_completion(move |cause, _| {
                holder.log(json!(["done", cause.map_or("none", |error| &error.0)]));
                ready(())
            })
            .on_cancel(move || cancelled.log(json!(["done", "cancelled"])))
            .on_completion(move |cause, mut emitter| {
                let emits = emits.filter(|_| cause.is_none());
                async move {
                    for value in emits.into_iter().flatten() {
                        emitter.emit(value.clone()).await;
                    }
                }
            })
            .boxed_local()
    }

    /// Kotlin's predicate may emit. Here the next run emits for it, and waits, before it starts what is above.
    fn retry_when(&self, retry: &'a RetryWhen, upstream: Pipe<'a>) -> Pipe<'a> {
        let holder = self.holder(retry.lane.as_ref());
        let left_to_next_run = Rc::new(Cell::new(None));
        let upstream = match &retry.emit {
            None => upstream,
            Some(value) => {
                let left = Rc::clone(&left_to_next_run);
                upstream
                    .on_start(move |mut emitter| {
                        let pause = left.take();
                        async move {
                            if let Some(pause) = pause {
                                emitter.emit(value.clone()).await;
                                delay(pause).await;
                            }
                        }
                    })
                    .boxed_local()
            }
        };
        upstream
            .retry_when(move |cause, retried| {
                let (holder, left_to_next_run) = (holder.clone(), Rc::clone(&left_to_next_run));
                async move {
                    holder.log(json!(["retry", cause, retried]));
                    if retried + 1 >= retry.max || !listed(&retry.on, &cause) {
                        return Err(cause);
                    }
                    let pause = retry.delay + retry.linear * (retried + 1);
                    if retry.emit.is_some() {
                        left_to_next_run.set(Some(pause));
                    } else {
                        delay(pause).await;
                    }
                    Ok(())
                }
            })
            .boxed_local()
    }

    fn inputs(&self, nodes: &'a [Node]) -> Vec<Pipe<'a>> {
        nodes.iter().enumerate().map(|(index, node)| self.at(&format!("ins/{index}")).build(node)).collect()
    }

    /// The scope of what stands next to `self`, a `step` further from the terminal.
    fn at(&self, step: &str) -> Self {
        Scope { place: format!("{}/{step}", self.place), ..self.clone() }
    }

    /// The scope of an inner flow that is made for `value`.
    fn inner(&self, value: &Value) -> Self {
        let outer = value.num();
        Scope { suffix: format!("{}@{outer}", self.suffix), outer: Some(outer), ..self.at(&format!("inner@{outer}")) }
    }

    fn holder(&self, lane: Option<&String>) -> Holder<'a> {
        Holder {
            recorder: self.recorder,
            lane: lane.map(|lane| format!("{lane}{}", self.suffix).into()),
            place: self.place.as_str().into(),
            outer: self.outer,
        }
    }
}

async fn emit_each(functions: &[Words<Function>], value: Value, mut emitter: Emitter<Value>) {
    for function in functions {
        emitter.emit(function.of(&value)).await;
    }
}

/// Whether an operator that names the errors it is for is for this one.
fn listed(on: &Listed, error: &Error) -> bool {
    on.as_ref().is_none_or(|errors| errors.contains(error))
}
