//! The tables name every method, source, recipe and future there is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{operators, sources, terminals, types};

fn source_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The files below a directory of the sources, with their text.
fn files(dir: &Path) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
        }
    }
    all
}

/// The identifier that a text begins with.
fn identifier(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn names_after<'a>(text: &'a str, prefix: &'a str) -> impl Iterator<Item = String> + 'a {
    text.lines().filter_map(move |line| line.strip_prefix(prefix)).map(identifier)
}

fn methods() -> BTreeSet<String> {
    let text = std::fs::read_to_string(source_dir().join("ext.rs")).unwrap();
    let mut methods: BTreeSet<String> = names_after(&text, "    fn ").collect();
    assert!(methods.len() > 50, "the methods are found by their indentation");
    // And the operators on several flows, which are functions.
    for (_, text) in files(&source_dir().join("operator")) {
        methods.extend(names_after(&text, "pub fn "));
    }
    methods
}

fn missing(wanted: &BTreeSet<String>, tables: impl IntoIterator<Item = &'static str>) -> Vec<String> {
    let there: BTreeSet<String> = tables.into_iter().map(str::to_owned).collect();
    let unknown: Vec<_> = there.difference(wanted).collect();
    assert!(unknown.is_empty(), "in a table but not in the crate: {unknown:?}");
    wanted.difference(&there).cloned().collect()
}

#[test]
fn every_method_is_in_the_table_of_operators_or_of_terminals() {
    let operators = operators::operators();
    let terminals = terminals::terminals();
    let tables = operators.iter().map(|case| case.method).chain(terminals.iter().map(|case| case.method));
    let tables = tables.chain(operators::ELSEWHERE);
    let missing = missing(&methods(), tables);
    assert!(missing.is_empty(), "add these to `operators` or `terminals` in tests/it/surface: {missing:?}");
}

#[test]
fn every_method_is_in_the_table_of_types() {
    let missing = missing(&methods(), types::METHODS.iter().copied().flatten().copied());
    assert!(missing.is_empty(), "add these to tests/it/surface/types.rs: {missing:?}");
}

#[test]
fn every_source_is_in_the_table_of_sources() {
    let mut wanted = BTreeSet::new();
    for (_, text) in files(&source_dir().join("source")) {
        wanted.extend(names_after(&text, "pub fn "));
    }
    for (_, text) in files(&source_dir().join("test_util")) {
        wanted.extend(names_after(&text, "pub fn "));
    }
    for reader in sources::READERS {
        assert!(wanted.remove(reader), "{reader} is not there");
    }
    assert!(wanted.contains("flow") && wanted.contains("marble"));
    let cold = sources::sources();
    let tables = cold.iter().map(|case| case.method).chain(sources::ONE_SHOT.iter().copied());
    let missing_sources = missing(&wanted, tables);
    assert!(missing_sources.is_empty(), "add these to tests/it/surface/sources.rs: {missing_sources:?}");
    let missing_types = missing(&wanted, types::SOURCES.iter().chain(&types::TIMED_SOURCES).copied());
    assert!(missing_types.is_empty(), "add these to tests/it/surface/types.rs: {missing_types:?}");
}

/// The public structs that are a recipe, a run or a future, with what stands before each.
fn structs() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (path, text) in files(&source_dir()) {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(rest) = line.trim_start().strip_prefix("pub struct ") else { continue };
            let before: Vec<&str> = lines[..at]
                .iter()
                .rev()
                .take_while(|line| line.trim_start().starts_with(['#', '/']))
                .copied()
                .collect();
            all.push((format!("{} in {}", identifier(rest), path.display()), before.join("\n")));
        }
    }
    assert!(all.len() > 80);
    all
}

/// Those that are neither: they hold what a flow is made with, are handed to a body, or are of use without being collected.
const PLAIN: [&str; 47] = [
    "Backoff",
    "Bare",
    "BodyBlock",
    "Both",
    "BufferConfig",
    "Delays",
    "Emitter",
    "Equality",
    "Explained",
    "FlowBlock",
    "FutureBlock",
    "Gate",
    "GiveUpEvent",
    "Hint",
    "Itself",
    "Latch",
    "MapState",
    "MarbleError",
    "MutableSharedFlow",
    "MutableStateFlow",
    "NoFirstValue",
    "Numbered",
    "OnGiveUp",
    "OnHandle",
    "OnRetry",
    "ParseMarbleError",
    "Random",
    "Registration",
    "Retry",
    "RetryAtMost",
    "RetryBudget",
    "RetryError",
    "RetryEvent",
    "RetryIf",
    "SendError",
    "Sender",
    "SharedConfig",
    "SharedFlow",
    "StateFlow",
    "SubscriptionCount",
    "Timeline",
    "TimeoutError",
    "Traced",
    "TrySendError",
    "Waits",
    "When",
    "WithinBudget",
];

#[test]
fn every_recipe_run_and_future_must_be_used() {
    let without: Vec<String> = structs()
        .into_iter()
        .filter(|(name, before)| !before.contains("#[must_use = \"") && !PLAIN.contains(&identifier(name).as_str()))
        .map(|(name, _)| name)
        .collect();
    assert!(without.is_empty(), "without `#[must_use = \"..\"]`: {without:#?}");
}

#[test]
fn every_method_has_an_example_and_names_kotlin() {
    let text = std::fs::read_to_string(source_dir().join("ext.rs")).unwrap();
    let mut page = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("    fn ").map(identifier) {
            assert!(page.contains("# Examples"), "{name} has no example");
            let erased_or_error = ["boxed", "boxed_local", "err_into", "fallible"].contains(&name.as_str());
            assert!(page.contains("/// Kotlin: ") || erased_or_error, "{name} does not say what it is in Kotlin");
            page.clear();
        } else if line.trim_start().starts_with("///") {
            page.push_str(line);
        }
    }
}
