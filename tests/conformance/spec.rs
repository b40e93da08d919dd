//! The format of the traces, as data. A name or a field that the format does not have is an error.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

/// A pipeline, and what Kotlin does with it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) tags: Vec<Tag>,
    pub(crate) flow: Node,
    pub(crate) terminal: Terminal,
    pub(crate) cancel_at: Option<u64>,
    pub(crate) expect: Trace,
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
    pub(crate) outcome: Outcome,
    pub(crate) end: u64,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Value(Json),
    Error(Error),
    Cancelled(bool),
}

/// What flows: a number or a list.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Int(i64),
    List(Vec<Value>),
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

#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Source {
    Script { id: String, runs: Vec<Steps> },
    Of { values: Vec<Value> },
    Empty,
    Channel { id: String, producers: Vec<Steps> },
    Merge { ins: Vec<Node> },
    Zip { ins: [Box<Node>; 2], r#fn: Option<Join> },
    Combine { ins: Vec<Node>, r#fn: Option<Join> },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Operator {
    Map {
        r#fn: Words<Function>,
    },
    Filter {
        pred: Words<Predicate>,
    },
    MapNotNull {
        pred: Words<Predicate>,
        r#fn: Words<Function>,
    },
    Transform {
        emits: Vec<Words<Function>>,
    },
    TransformWhile {
        emits: Vec<Words<Function>>,
        pred: Words<Predicate>,
    },
    Take {
        n: usize,
    },
    Drop {
        n: usize,
    },
    TakeWhile {
        pred: Words<Predicate>,
    },
    DropWhile {
        pred: Words<Predicate>,
    },
    OnEach {
        lane: Lane,
    },
    OnStart {
        steps: Steps,
        lane: Lane,
    },
    OnCompletion {
        lane: Lane,
        #[serde(default)]
        emits: Vec<Value>,
    },
    OnEmpty {
        steps: Steps,
        lane: Lane,
    },
    Catch {
        steps: Steps,
        on: Listed,
        lane: Lane,
    },
    Retry {
        n: u64,
        on: Listed,
    },
    RetryWhen(RetryWhen),
    FailOn {
        eq: i64,
        error: Error,
    },
    DistinctUntilChanged,
    DistinctBy {
        r#fn: Words<Function>,
    },
    Scan {
        initial: Value,
        r#fn: Function2,
    },
    RunningReduce {
        r#fn: Function2,
    },
    WithIndex,
    Chunked {
        n: usize,
    },
    Buffer {
        capacity: Option<usize>,
        #[serde(default)]
        overflow: OnOverflow,
    },
    Conflate,
    Debounce {
        ms: u64,
    },
    Sample {
        ms: u64,
    },
    Timeout {
        ms: u64,
    },
    MapDelay {
        ms: u64,
        #[serde(default)]
        r#fn: Words<Function>,
    },
    MapLatest {
        ms: u64,
        #[serde(default)]
        r#fn: Words<Function>,
        lane: Lane,
    },
    TransformLatest {
        steps: Steps,
        lane: Lane,
    },
    FlatMapConcat {
        inner: Box<Node>,
    },
    FlatMapMerge {
        inner: Box<Node>,
        concurrency: Option<usize>,
    },
    FlatMapLatest {
        inner: Box<Node>,
    },
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
    Collect {
        #[serde(default)]
        delay: u64,
    },
    CollectLatest {
        #[serde(default)]
        delay: u64,
    },
    ToList,
    Single,
    SingleOrNull,
    First {
        pred: Option<Words<Predicate>>,
    },
    FirstOrNull {
        pred: Option<Words<Predicate>>,
    },
    Last,
    LastOrNull,
    Count {
        pred: Option<Words<Predicate>>,
    },
    Fold {
        initial: Value,
        r#fn: Function2,
    },
    Reduce {
        r#fn: Function2,
    },
    Any {
        pred: Words<Predicate>,
    },
    All {
        pred: Words<Predicate>,
    },
    None {
        pred: Words<Predicate>,
    },
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

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Function {
    #[default]
    Id,
    Add(i64),
    Mul(i64),
    Mod(i64),
    Neg,
    Sum,
    Const(Value),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Predicate {
    Lt(i64),
    Gt(i64),
    Eq(i64),
    Ne(i64),
    Even,
    Odd,
    True,
    False,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Function2 {
    Sum,
    Sub,
    Max,
    Pair,
    Append,
}

/// What `zip` and `combine` make of several values.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Join {
    #[default]
    List,
    Sum,
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
#[derive(Debug, Default)]
pub(crate) struct Words<T>(pub(crate) T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Words<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Vec::<Json>::deserialize(deserializer)?;
        let variant = match words.as_slice() {
            [name] => name.clone(),
            [Json::String(name), argument] => Map::from_iter([(name.clone(), argument.clone())]).into(),
            _ => return Err(D::Error::custom("expected a name and at most one argument")),
        };
        serde_json::from_value(variant).map(Words).map_err(D::Error::custom)
    }
}

impl Value {
    /// The number, or the sum over a list.
    pub(crate) fn num(&self) -> i64 {
        match self {
            Value::Int(number) => *number,
            Value::List(values) => values.iter().map(Value::num).fold(0, i64::wrapping_add),
        }
    }
}

impl Words<Function> {
    pub(crate) fn of(&self, value: &Value) -> Value {
        let number = value.num();
        Value::Int(match &self.0 {
            Function::Id => return value.clone(),
            Function::Const(constant) => return constant.clone(),
            Function::Add(k) => number.wrapping_add(*k),
            Function::Mul(k) => number.wrapping_mul(*k),
            Function::Mod(k) => number.wrapping_rem(*k),
            Function::Neg => number.wrapping_neg(),
            Function::Sum => number,
        })
    }
}

impl Words<Predicate> {
    pub(crate) fn holds(&self, value: &Value) -> bool {
        let number = value.num();
        match &self.0 {
            Predicate::Lt(k) => number < *k,
            Predicate::Gt(k) => number > *k,
            Predicate::Eq(k) => number == *k,
            Predicate::Ne(k) => number != *k,
            Predicate::Even => number % 2 == 0,
            Predicate::Odd => number % 2 != 0,
            Predicate::True => true,
            Predicate::False => false,
        }
    }
}

impl Function2 {
    pub(crate) fn of(self, a: Value, b: Value) -> Value {
        match (self, a) {
            (Function2::Sum, a) => Value::Int(a.num().wrapping_add(b.num())),
            (Function2::Sub, a) => Value::Int(a.num().wrapping_sub(b.num())),
            (Function2::Max, a) => Value::Int(a.num().max(b.num())),
            (Function2::Append, Value::List(mut values)) => {
                values.push(b);
                Value::List(values)
            }
            (Function2::Append | Function2::Pair, a) => Value::List(vec![a, b]),
        }
    }
}

impl Join {
    pub(crate) fn of(self, values: Vec<Value>) -> Value {
        let list = Value::List(values);
        match self {
            Join::List => list,
            Join::Sum => Value::Int(list.num()),
        }
    }
}
