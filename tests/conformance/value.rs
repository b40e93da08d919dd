//! What flows through the pipelines, and the functions of it.

use serde::{Deserialize, Serialize};

/// What flows: a number or a list.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Int(i64),
    List(Vec<Value>),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Function {
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

impl Value {
    /// The number, or the sum over a list.
    pub(crate) fn num(&self) -> i64 {
        match self {
            Value::Int(number) => *number,
            Value::List(values) => values.iter().map(Value::num).fold(0, i64::wrapping_add),
        }
    }
}

impl Function {
    /// What the function makes of `value`.
    pub(crate) fn of(&self, value: &Value) -> Value {
        let number = value.num();
        Value::Int(match self {
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

impl Predicate {
    pub(crate) fn holds(&self, value: &Value) -> bool {
        let number = value.num();
        match self {
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
