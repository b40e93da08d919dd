//! The format of the traces, as data. A name or a field that the format does not have is an error.

use coldflow::Overflow;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::ops::Deref;

use crate::value::{Function, Function2, Join, Predicate, Value};

/// What is played, and what Kotlin does with it. Its id is read beside it, since it names what cannot be read, too.
#[derive(Debug, Deserialize)]
pub(crate) struct Scenario {
    #[serde(default)]
    pub(crate) tags: Vec<Tag>,
    #[serde(flatten)]
    pub(crate) setting: Setting,
    pub(crate) expect: Trace,
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "Map<String, Json>")]
pub(crate) enum Setting {
    Cold(Cold),
    Hot(Hot),
}

/// One collection of one flow.
#[derive(Debug, Deserialize)]
pub(crate) struct Cold {
    pub(crate) flow: Node,
    pub(crate) terminal: Terminal,
    pub(crate) cancel_at: Option<u64>,
}

/// A hot flow, and those who emit into it and collect it.
#[derive(Debug, Deserialize)]
pub(crate) struct Hot {
    #[serde(rename = "hot")]
    pub(crate) kind: Kind,
    pub(crate) actors: Vec<Actor>,
    pub(crate) until: u64,
}

impl TryFrom<Map<String, Json>> for Setting {
    type Error = serde_json::Error;

    fn try_from(fields: Map<String, Json>) -> serde_json::Result<Self> {
        if fields.contains_key("hot") {
            serde_json::from_value(fields.into()).map(Setting::Hot)
        } else {
            serde_json::from_value(fields.into()).map(Setting::Cold)
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tag {
    /// Kotlin cuts a consumer off in the middle of a value.
    Cut,
    /// An operator gets an invalid number.
    Assembly,
}

/// What a scenario comes to.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trace {
    pub(crate) lanes: BTreeMap<String, Vec<Json>>,
    /// None in a hot scenario.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) end: u64,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Value(Json),
    Error(Error),
    Cancelled(bool),
}

/// What a flow fails with: a name.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Error(pub(crate) String);

/// A flow: a source, or an operator on another flow.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Map<String, Json>")]
pub(crate) enum Node {
    Source(Source),
    Operator { upstream: Box<Node>, operator: Operator },
}

impl TryFrom<Map<String, Json>> for Node {
    type Error = serde_json::Error;

    fn try_from(mut fields: Map<String, Json>) -> serde_json::Result<Self> {
        let Some(upstream) = fields.remove("in") else {
            return Ok(Node::Source(serde_json::from_value(fields.into())?));
        };
        let upstream = Box::new(serde_json::from_value(upstream)?);
        Ok(Node::Operator { upstream, operator: serde_json::from_value(fields.into())? })
    }
}

impl Node {
    /// Whether a buffer here sets the places of a concurrent operator.
    pub(crate) fn is_part_of_concurrent(&self) -> bool {
        match self {
            Node::Source(source) => matches!(source, Source::Channel { .. } | Source::Merge { .. }),
            Node::Operator { upstream, operator } => match operator {
                Operator::Buffer { .. } | Operator::Conflate => upstream.is_part_of_concurrent(),
                Operator::FlatMapMerge { .. }
                | Operator::MapLatest { .. }
                | Operator::TransformLatest { .. }
                | Operator::FlatMapLatest { .. } => true,
                _ => false,
            },
        }
    }
}

impl Operator {
    pub(crate) fn is_buffer(&self) -> bool {
        matches!(self, Operator::Buffer { .. } | Operator::Conflate)
    }
}

impl From<OnOverflow> for Overflow {
    fn from(overflow: OnOverflow) -> Self {
        match overflow {
            OnOverflow::Suspend => Overflow::Suspend,
            OnOverflow::DropOldest => Overflow::DropOldest,
            OnOverflow::DropLatest => Overflow::DropLatest,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Source {
    Script { id: String, runs: Vec<Steps> },
    Of { values: Vec<Value> },
    Empty,
    Channel { id: String, producers: Vec<Steps> },
    Merge { ins: Vec<Node> },
    Zip { ins: Box<[Node; 2]>, r#fn: Option<Join> },
    Combine { ins: Vec<Node>, r#fn: Option<Join> },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Operator {
    Map { r#fn: Words<Function> },
    Filter { pred: Words<Predicate> },
    MapNotNull { pred: Words<Predicate>, r#fn: Words<Function> },
    Transform { emits: Vec<Words<Function>> },
    TransformWhile { emits: Vec<Words<Function>>, pred: Words<Predicate> },
    Take { n: usize },
    Drop { n: usize },
    TakeWhile { pred: Words<Predicate> },
    DropWhile { pred: Words<Predicate> },
    OnEach { lane: Lane },
    OnStart { steps: Steps, lane: Lane },
    OnCompletion { lane: Lane, emits: Option<Vec<Value>> },
    OnEmpty { steps: Steps, lane: Lane },
    Catch { steps: Steps, on: Listed, lane: Lane },
    Retry { n: u64, on: Listed },
    RetryWhen(RetryWhen),
    FailOn { eq: i64, error: Error },
    DistinctUntilChanged,
    DistinctBy { r#fn: Words<Function> },
    Scan { initial: Value, r#fn: Function2 },
    RunningReduce { r#fn: Function2 },
    WithIndex,
    Chunked { n: usize },
    Buffer { capacity: Option<usize>, overflow: Option<OnOverflow> },
    Conflate,
    Debounce { ms: u64 },
    Sample { ms: u64 },
    Timeout { ms: u64 },
    MapDelay { ms: u64, r#fn: Option<Words<Function>> },
    MapLatest { ms: u64, r#fn: Option<Words<Function>>, lane: Lane },
    TransformLatest { steps: Steps, lane: Lane },
    FlatMapConcat { inner: Box<Node> },
    FlatMapMerge { inner: Box<Node>, concurrency: Option<usize> },
    FlatMapLatest { inner: Box<Node> },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetryWhen {
    pub(crate) max: u64,
    pub(crate) on: Listed,
    #[serde(default)]
    pub(crate) delay: u64,
    #[serde(default)]
    pub(crate) linear: u64,
    pub(crate) emit: Option<Value>,
    pub(crate) lane: Lane,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Terminal {
    Collect { delay: Option<u64> },
    CollectLatest { delay: Option<u64> },
    ToList,
    Single,
    SingleOrNull,
    First { pred: Option<Words<Predicate>> },
    FirstOrNull { pred: Option<Words<Predicate>> },
    Last,
    LastOrNull,
    Count { pred: Option<Words<Predicate>> },
    Fold { initial: Value, r#fn: Function2 },
    Reduce { r#fn: Function2 },
    Any { pred: Words<Predicate> },
    All { pred: Words<Predicate> },
    None { pred: Words<Predicate> },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Kind {
    Shared {
        replay: usize,
        extra: usize,
        #[serde(default)]
        overflow: OnOverflow,
        #[serde(default)]
        subs: bool,
    },
    State {
        initial: Value,
        #[serde(default)]
        subs: bool,
    },
    ShareIn {
        r#in: Node,
        started: Started,
        stop_timeout: Option<u64>,
        replay_expiration: Option<u64>,
        replay: usize,
    },
    StateIn {
        r#in: Node,
        started: Started,
        stop_timeout: Option<u64>,
        replay_expiration: Option<u64>,
        initial: Value,
    },
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Started {
    Eagerly,
    Lazily,
    WhileSubscribed,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Actor {
    pub(crate) lane: String,
    #[serde(default)]
    pub(crate) at: u64,
    #[serde(flatten)]
    pub(crate) role: Role,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    Do(Vec<Words<Action>>),
    Collect(Collect),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    Emit(Value),
    TryEmit(Value),
    Delay(u64),
    ResetReplay,
    Cache,
    Set(Value),
    Cas(Value, Value),
    Update(Words<Function>),
    Get,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Collect {
    #[serde(default)]
    pub(crate) ops: Vec<Operator>,
    pub(crate) take: Option<usize>,
    #[serde(default)]
    pub(crate) delay: u64,
    pub(crate) r#for: Option<u64>,
}

/// The lane to log in, if any.
pub(crate) type Lane = Option<String>;
/// The errors that are meant; all of them when there is no list.
pub(crate) type Listed = Option<Vec<Error>>;
pub(crate) type Steps = Vec<Words<Step>>;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    Emit(Value),
    EmitRel(i64),
    Delay(u64),
    Fail(Error),
    Log(String),
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OnOverflow {
    #[default]
    Suspend,
    DropOldest,
    DropLatest,
}

/// What the format writes as `["add", 5]` or `["neg"]`, where serde's enums are `{"add": 5}` and `"neg"`.
#[derive(Debug)]
pub(crate) struct Words<T>(T);

impl<T> Deref for Words<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Words<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Vec::<Json>::deserialize(deserializer)?;
        let variant = match words.as_slice() {
            [name] => name.clone(),
            [Json::String(name), argument] => Map::from_iter([(name.clone(), argument.clone())]).into(),
            [Json::String(name), arguments @ ..] => Map::from_iter([(name.clone(), arguments.into())]).into(),
            _ => return Err(D::Error::custom("expected a name and its arguments")),
        };
        serde_json::from_value(variant).map(Words).map_err(D::Error::custom)
    }
}
