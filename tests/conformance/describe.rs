//! A pipeline in one readable line.

use serde_json::Value as Json;

/// `script s1 runs=[..] | take n=2 | collect`.
pub(crate) fn pipeline(scenario: &Json) -> String {
    let cancelled = scenario.get("cancel_at").map(|at| format!(", cancelled at {at}")).unwrap_or_default();
    format!("{} | {}{cancelled}", flow(&scenario["flow"]), alone(&scenario["terminal"]))
}

fn flow(node: &Json) -> String {
    match node.get("in") {
        Some(upstream) => format!("{} | {}", flow(upstream), alone(node)),
        None => alone(node),
    }
}

/// A node without its upstream.
fn alone(node: &Json) -> String {
    let mut text = node["op"].as_str().unwrap_or("?").to_owned();
    for (field, value) in node.as_object().into_iter().flatten() {
        match field.as_str() {
            "op" | "in" => {}
            "inner" => text += &format!(" ({})", flow(value)),
            "ins" => {
                let flows: Vec<_> = value.as_array().into_iter().flatten().map(flow).collect();
                text += &format!(" ({})", flows.join(") ("));
            }
            _ => text += &format!(" {field}={}", value.to_string().replace('"', "")),
        }
    }
    text
}
