//! A pipeline in one readable line.

use serde_json::Value as Json;

/// `script s1 runs=[..] | take n=2 | collect`, or `share_in started=lazily (script s1 ..); c1 at=5: collect take=2; ..`.
pub(crate) fn pipeline(scenario: &Json) -> String {
    if let Some(actors) = scenario["actors"].as_array() {
        let actors = actors.iter().map(|actor| format!("; {}", fields(actor)));
        return format!("{}{}; until {}", fields(&scenario["hot"]), actors.collect::<String>(), scenario["until"]);
    }
    let cancelled = scenario.get("cancel_at").map(|at| format!(", cancelled at {at}")).unwrap_or_default();
    format!("{} | {}{cancelled}", flow(&scenario["flow"]), alone(&scenario["terminal"]))
}

fn flow(node: &Json) -> String {
    match node.get("in") {
        Some(upstream) => format!("{} | {}", flow(upstream), alone(node)),
        None => alone(node),
    }
}

/// The hot flow, or an actor.
fn fields(object: &Json) -> String {
    let words = object.as_object().into_iter().flatten().map(|(field, value)| match field.as_str() {
        "kind" | "lane" => value.as_str().unwrap_or("?").to_owned(),
        "in" => format!("({})", flow(value)),
        _ => format!("{field}={}", value.to_string().replace('"', "")),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A node without its upstream.
fn alone(node: &Json) -> String {
    let mut words = vec![node["op"].as_str().unwrap_or("?").to_owned()];
    for (field, value) in node.as_object().into_iter().flatten() {
        match field.as_str() {
            "op" | "in" => {}
            "inner" => words.push(format!("({})", flow(value))),
            "ins" => words.extend(value.as_array().into_iter().flatten().map(|node| format!("({})", flow(node)))),
            _ => words.push(format!("{field}={}", value.to_string().replace('"', ""))),
        }
    }
    words.join(" ")
}
