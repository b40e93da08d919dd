//! The terminals, and the clock around them.

use coldflow::{FlowExt, SingleError};
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::holder::{Holder, delay};
use crate::interpret::Pipe;
use crate::spec::{Error, Outcome, Terminal};

/// Collects `flow` to its end.
pub(crate) async fn collect<'a>(terminal: &'a Terminal, flow: Pipe<'a>, out: Holder<'a>) -> Outcome {
    match terminal {
        Terminal::Collect { delay: pause } => outcome(
            flow.for_each(|value| {
                out.log(json!(["value", value]));
                delay(pause.unwrap_or(0))
            })
            .await,
        ),
        Terminal::CollectLatest { delay: pause } => outcome(
            flow.for_each_latest(|value| {
                let out = out.clone();
                async move {
                    out.log(json!(["begin", value]));
                    delay(pause.unwrap_or(0)).await;
                    out.log(json!(["end", value]));
                }
            })
            .await,
        ),
        Terminal::ToList => outcome(flow.to_vec().await),
        Terminal::Single => outcome(flow.single().await.map_err(|error| match error {
            SingleError::Empty => out.raise("NoSuchElement"),
            SingleError::MoreThanOne => out.raise("IllegalArgument"),
            SingleError::Upstream(error) => error,
        })),
        Terminal::SingleOrNull => outcome(flow.single_or_none().await),
        Terminal::First { pred: None } | Terminal::FirstOrNull { pred: None } => outcome(flow.first().await),
        Terminal::First { pred: Some(pred) } | Terminal::FirstOrNull { pred: Some(pred) } => {
            outcome(flow.first_where(|value| pred.holds(value)).await)
        }
        Terminal::Last | Terminal::LastOrNull => outcome(flow.last().await),
        Terminal::Count { pred: None } => outcome(flow.count().await),
        Terminal::Count { pred: Some(pred) } => outcome(flow.count_where(|value| pred.holds(value)).await),
        Terminal::Fold { initial, r#fn } => {
            outcome(flow.fold(initial.clone(), async |all, value| r#fn.of(all, value)).await)
        }
        Terminal::Reduce { r#fn } => outcome(flow.reduce(|all, value| r#fn.of(all, value)).await),
        Terminal::Any { pred } => outcome(flow.any(|value| pred.holds(&value)).await),
        Terminal::All { pred } => outcome(flow.all(|value| pred.holds(&value)).await),
        Terminal::None { pred } => outcome(flow.none(|value| pred.holds(&value)).await),
    }
}

/// `()` and `None` are the format's null.
fn outcome(result: Result<impl Serialize, Error>) -> Outcome {
    match result {
        Ok(value) => Outcome::Value(serde_json::to_value(value).unwrap_or(Json::Null)),
        Err(error) => Outcome::Error(error),
    }
}
