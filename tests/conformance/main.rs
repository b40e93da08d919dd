//! Judged by real Kotlin: plays pipelines that were recorded from kotlinx.coroutines under virtual time, and compares.
//!
//! The pipelines are data (`spec`), and one interpreter makes flows of them out of the crate's public operators
//! (`interpret`, `terminal`, `hot`). Where the crate differs from Kotlin on purpose, the comparison has a rule (`compare`).
//!
//! - `CONFORMANCE_DIR`: the folder whose `.jsonl` files are played, with those in folders below it. Without it, the full
//!   set if it lies beside the repository, else the selection in `tests/conformance/vectors`.
//!   That one touches every operator with each of its fields, every source, terminal, step, function and action, and each
//!   kind of hot flow, event and outcome, by the shortest scenarios that do, in each family.
//! - `CONFORMANCE_ONLY`: plays only the scenarios whose id contains this.

mod compare;
mod describe;
mod holder;
mod hot;
mod interpret;
mod play;
mod recorder;
mod spec;
mod terminal;
mod value;

use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs, io};

use crate::compare::{Difference, Verdict, compare, refused};
use crate::play::{Panicked, keep_caught_panics_quiet, play};
use crate::spec::Scenario;

/// The families whose flows are still to come. Everything else that the crate lacks is a failure.
const NOT_BUILT_YET: [&str; 0] = [];

/// A line of the table.
#[derive(Debug, Default)]
struct Tally {
    passed: u32,
    failed: u32,
    not_built_yet: u32,
    differences: BTreeMap<Difference, u32>,
}

fn main() -> ExitCode {
    let began = Instant::now();
    let folder = folder();
    let only = env::var("CONFORMANCE_ONLY").unwrap_or_default();
    keep_caught_panics_quiet();

    let mut table = BTreeMap::<String, Tally>::new();
    for line in lines(&folder).unwrap_or_else(|error| fail(&format!("{}: {error}", folder.display()))) {
        let scenario: Json = serde_json::from_str(&line).unwrap_or_else(|error| fail(&format!("{error} in {line}")));
        let id = scenario["id"].as_str().unwrap_or_else(|| fail(&format!("no id in {line}"))).to_owned();
        if !id.contains(&only) {
            continue;
        }
        let family = id.split('/').next().unwrap_or_default();
        let tally = table.entry(family.to_owned()).or_default();
        if NOT_BUILT_YET.contains(&family) {
            tally.not_built_yet += 1;
            continue;
        }
        match judge(&scenario) {
            Ok(differences) => {
                tally.passed += 1;
                for difference in differences {
                    *tally.differences.entry(difference).or_default() += 1;
                }
            }
            Err(reason) => {
                tally.failed += 1;
                println!("FAILED {id}\n  {reason}\n  {}\n", describe::pipeline(&scenario));
            }
        }
    }
    report(&table, began)
}

/// Plays a scenario and compares what happens with what is expected.
fn judge(scenario: &Json) -> Verdict {
    let assembly = scenario["tags"].as_array().is_some_and(|tags| tags.contains(&"assembly".into()));
    let scenario = match Scenario::deserialize(scenario) {
        Ok(scenario) => scenario,
        Err(error) => return refused(assembly, &error.to_string()),
    };
    let scenario: &'static Scenario = Box::leak(Box::new(scenario));
    match play(scenario) {
        Ok(played) => compare(scenario, &played),
        Err(Panicked::Building(message)) => refused(assembly, &message),
        Err(Panicked::Running(message)) => Err(message),
    }
}

/// Prints the table, and tells whether all is well.
fn report(table: &BTreeMap<String, Tally>, began: Instant) -> ExitCode {
    println!("{:14}{:>8}{:>8}   differences on purpose", "family", "passed", "failed");
    for (family, tally) in table {
        let differences: Vec<_> = Difference::ALL
            .iter()
            .filter_map(|kind| tally.differences.get(kind).map(|count| format!("no. {}: {count}", *kind as u8)))
            .collect();
        match tally.not_built_yet {
            0 => println!("{family:14}{:>8}{:>8}   {}", tally.passed, tally.failed, differences.join(", ")),
            left => println!("{family:14}       not built yet ({left})"),
        }
    }
    let total = |count: fn(&Tally) -> u32| table.values().map(count).sum::<u32>();
    let (passed, failed) = (total(|tally| tally.passed), total(|tally| tally.failed));
    let ok = failed == 0 && !table.is_empty();
    println!(
        "\ntest result: {}. {passed} passed; {failed} failed; {} not built yet; finished in {:.2}s\n",
        if ok { "ok" } else { "FAILED" },
        total(|tally| tally.not_built_yet),
        began.elapsed().as_secs_f32(),
    );
    if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn folder() -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let full_set = repository.join("../shared/conformance");
    match env::var_os("CONFORMANCE_DIR") {
        Some(folder) => folder.into(),
        None if full_set.is_dir() => full_set,
        None => repository.join("tests/conformance/vectors"),
    }
}

/// The lines of all `.jsonl` files in and below a folder.
fn lines(folder: &Path) -> io::Result<Vec<String>> {
    let mut paths: Vec<_> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() {
            all.extend(lines(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            all.extend(fs::read_to_string(&path)?.lines().map(str::to_owned));
        }
    }
    Ok(all)
}

/// Gives up: without the scenarios there is nothing to judge.
fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(1);
}
