//! From a pipeline that is data to a flow: one match for the sources, one for the operators.

use coldflow::{BoxFlow, Emitter, FlowExt, TimeoutError, channel_flow, combine, empty, flow, flow_of, merge};
use futures::future::try_join_all;
use serde_json::json;
use std::convert::Infallible;
use std::future::ready;
use std::slice;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::holder::{Holder, Run, delay};
use crate::recorder::Recorder;
use crate::spec::{Error, Lane, Listed, Node, Operator, RetryWhen, Source, Words};
use crate::value::{Function, Value};

/// A flow of the interpreter, whatever it is made of.
pub(crate) type Pipe<'a> = BoxFlow<'a, Value, Error>;

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

    /// Builds `operators` on a hot flow, the first on the flow itself. Its buffers fuse with it.
    pub(crate) fn stack(&self, operators: &'a [Operator], hot: BoxFlow<'a, Value, Infallible>) -> Pipe<'a> {
        let buffers = operators.iter().take_while(|operator| operator.is_buffer()).count();
        let (buffers, others) = operators.split_at(buffers);
        let buffered = buffers.iter().fold(hot, |flow, operator| buffer(operator, flow)).fallible().boxed();
        others.iter().enumerate().fold(buffered, |flow, (index, operator)| {
            let above_terminal = others.len() - index;
            (0..above_terminal).fold(self.clone(), |scope, _| scope.at("in")).operator(operator, flow)
        })
    }

    /// Builds the flow that stands at `node`, to be shared once `handle` has seen to its errors. A buffer at its end stays
    /// at the end, where the sharing takes it over; one that is part of a concurrent operator stays with that.
    pub(crate) fn shared(
        &self,
        node: &'a Node,
        handle: impl FnOnce(Pipe<'a>) -> BoxFlow<'a, Value, Infallible>,
    ) -> BoxFlow<'a, Value, Infallible> {
        match node {
            Node::Operator { upstream, operator } if operator.is_buffer() && !node.is_part_of_concurrent() => {
                buffer(operator, self.at("in").shared(upstream, handle))
            }
            node => handle(self.build(node)),
        }
    }

    fn source(&self, source: &'a Source) -> Pipe<'a> {
        match source {
            Source::Of { values } => flow_of(values).map(Value::clone).fallible().boxed(),
            Source::Empty => empty().fallible().boxed(),
            Source::Script { id, runs } => {
                let holder = self.holder(Some(id));
                flow(move |emitter| holder.clone().run(runs, emitter)).boxed()
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
                .boxed()
            }
            Source::Merge { ins } => merge(self.inputs(ins)).boxed(),
            Source::Zip { ins, r#fn } => {
                let [first, second] = &**ins;
                let (first, second) = (self.at("ins/0").build(first), self.at("ins/1").build(second));
                first.zip(second).map(|(a, b)| r#fn.unwrap_or_default().of(vec![a, b])).boxed()
            }
            Source::Combine { ins, r#fn } => {
                combine(self.inputs(ins)).map(|values| r#fn.unwrap_or_default().of(values)).boxed()
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each operator of the format")]
    fn operator(&self, operator: &'a Operator, upstream: Pipe<'a>) -> Pipe<'a> {
        match operator {
            Operator::Map { r#fn } => upstream.map(|value| r#fn.of(&value)).boxed(),
            Operator::Filter { pred } => upstream.filter(|value| pred.holds(value)).boxed(),
            Operator::MapNotNull { pred, r#fn } => {
                upstream.filter_map(|value| pred.holds(&value).then(|| r#fn.of(&value))).boxed()
            }
            Operator::Transform { emits } => {
                upstream.transform(|value, emitter| emit_each(emits, value, emitter)).boxed()
            }
            Operator::TransformWhile { emits, pred } => upstream
                .transform_while(async |value: Value, emitter| {
                    let goes_on = pred.holds(&value);
                    emit_each(emits, value, emitter).await;
                    goes_on
                })
                .boxed(),
            Operator::Take { n } => upstream.take(*n).boxed(),
            Operator::Drop { n } => upstream.skip(*n).boxed(),
            Operator::TakeWhile { pred } => upstream.take_while(|value| pred.holds(value)).boxed(),
            Operator::DropWhile { pred } => upstream.skip_while(|value| pred.holds(value)).boxed(),
            Operator::DistinctUntilChanged => upstream.distinct_until_changed().boxed(),
            Operator::DistinctBy { r#fn } => upstream.distinct_until_changed_by_key(|value| r#fn.of(value)).boxed(),
            Operator::Scan { initial, r#fn } => {
                upstream.running_fold(initial.clone(), |last, value| r#fn.of(last, value)).boxed()
            }
            Operator::RunningReduce { r#fn } => upstream.running_reduce(|last, value| r#fn.of(last, value)).boxed(),
            Operator::WithIndex => upstream
                .enumerate()
                .map(|(index, value)| Value::List(vec![Value::Int(index.try_into().expect("few values")), value]))
                .boxed(),
            Operator::Chunked { n } => upstream.chunks(*n).map(Value::List).boxed(),
            Operator::MapDelay { ms, r#fn } => upstream
                .then(async |value| {
                    delay(*ms).await;
                    r#fn.as_ref().map_or(value.clone(), |function| function.of(&value))
                })
                .boxed(),

            Operator::OnEach { lane } => {
                let holder = self.holder(lane.as_ref());
                upstream.inspect(move |value| holder.log(json!(["each", value]))).boxed()
            }
            Operator::OnStart { steps, lane } => {
                let holder = self.holder(lane.as_ref());
                upstream.on_start(move |emitter| holder.clone().play(steps, emitter)).boxed()
            }
            Operator::OnEmpty { steps, lane } => {
                let holder = self.holder(lane.as_ref());
                upstream.on_empty(move |emitter| holder.clone().play(steps, emitter)).boxed()
            }
            Operator::OnCompletion { lane, emits } => self.on_completion(lane, emits.as_ref(), upstream),

            Operator::FailOn { eq, error } => {
                let holder = self.holder(None);
                upstream
                    .try_map(move |value| if value.num() == *eq { Err(holder.raise(&error.0)) } else { Ok(value) })
                    .boxed()
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
                    .boxed()
            }
            Operator::Retry { n, on: None } => upstream.retry(*n).boxed(),
            Operator::Retry { n, on } => upstream.retry_if(|cause, retried| retried < *n && listed(on, cause)).boxed(),
            Operator::RetryWhen(retry) => self.retry_when(retry, upstream),

            Operator::FlatMapConcat { inner } => {
                let scope = self.clone();
                upstream.flat_map_concat(move |value| scope.inner(&value).build(inner)).boxed()
            }

            Operator::Buffer { .. } | Operator::Conflate => buffer(operator, upstream),
            Operator::Debounce { ms } => upstream.debounce(Duration::from_millis(*ms)).boxed(),
            Operator::Sample { ms } => upstream.sample(Duration::from_millis(*ms)).boxed(),
            Operator::Timeout { ms } => {
                let holder = self.holder(None);
                upstream
                    .timeout(Duration::from_millis(*ms))
                    .map_err(move |error| match error {
                        TimeoutError::Elapsed => holder.raise("Timeout"),
                        TimeoutError::Upstream(error) => error,
                    })
                    .boxed()
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
                    .boxed()
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
                    .boxed()
            }
            Operator::FlatMapMerge { inner, concurrency } => {
                let scope = self.clone();
                upstream
                    .flat_map_merge(concurrency.unwrap_or(16), move |value| scope.inner(&value).build(inner))
                    .boxed()
            }
            Operator::FlatMapLatest { inner } => {
                let scope = self.clone();
                upstream.flat_map_latest(move |value| scope.inner(&value).build(inner)).boxed()
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
            .boxed()
    }

    /// Kotlin's predicate may emit. Here the next run emits for it, and waits, before it starts what is above.
    fn retry_when(&self, retry: &'a RetryWhen, upstream: Pipe<'a>) -> Pipe<'a> {
        let holder = self.holder(retry.lane.as_ref());
        let left_to_next_run = Arc::new(Mutex::new(None));
        let upstream = match &retry.emit {
            None => upstream,
            Some(value) => {
                let left = Arc::clone(&left_to_next_run);
                upstream
                    .on_start(move |mut emitter| {
                        let pause = left.lock().expect("nothing panics beside it").take();
                        async move {
                            if let Some(pause) = pause {
                                emitter.emit(value.clone()).await;
                                delay(pause).await;
                            }
                        }
                    })
                    .boxed()
            }
        };
        upstream
            .retry_when(move |cause, retried| {
                let (holder, left_to_next_run) = (holder.clone(), Arc::clone(&left_to_next_run));
                async move {
                    holder.log(json!(["retry", cause, retried]));
                    if retried + 1 >= retry.max || !listed(&retry.on, &cause) {
                        return Err(cause);
                    }
                    let pause = retry.delay + retry.linear * (retried + 1);
                    if retry.emit.is_some() {
                        *left_to_next_run.lock().expect("nothing panics beside it") = Some(pause);
                    } else {
                        delay(pause).await;
                    }
                    Ok(())
                }
            })
            .boxed()
    }

    fn inputs(&self, nodes: &'a [Node]) -> Vec<Pipe<'a>> {
        nodes.iter().enumerate().map(|(index, node)| self.at(&format!("ins/{index}")).build(node)).collect()
    }

    /// The scope of what stands next to `self`, a `step` further from the terminal.
    pub(crate) fn at(&self, step: &str) -> Self {
        Scope { place: format!("{}/{step}", self.place), ..self.clone() }
    }

    /// The scope of an inner flow that is made for `value`.
    fn inner(&self, value: &Value) -> Self {
        let outer = value.num();
        Scope { suffix: format!("{}@{outer}", self.suffix), outer: Some(outer), ..self.at(&format!("inner@{outer}")) }
    }

    pub(crate) fn holder(&self, lane: Option<&String>) -> Holder<'a> {
        Holder {
            recorder: self.recorder,
            lane: lane.map(|lane| format!("{lane}{}", self.suffix).into()),
            place: self.place.as_str().into(),
            outer: self.outer,
        }
    }
}

/// Builds a buffer on a flow of any error.
fn buffer<'a, E: Send + 'a>(operator: &Operator, flow: BoxFlow<'a, Value, E>) -> BoxFlow<'a, Value, E> {
    match operator {
        Operator::Buffer { capacity, overflow } => flow.buffer(*capacity, overflow.unwrap_or_default().into()).boxed(),
        Operator::Conflate => flow.conflate().boxed(),
        other => unreachable!("{other:?} is no buffer"),
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
