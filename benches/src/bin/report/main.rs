//! Draws the charts of the guide and fills in the tables of its page on benchmarks, from what `benches/record.sh` has
//! recorded. With `--check` it changes nothing and fails where they are not what it would write.

mod chart;
mod results;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use chart::{Bars, Lines};
use results::Results;

/// Where a table is filled in: `<!-- BENCH: TITLE -->`, and below it the lines of the table.
fn filled(page: &str, results: &mut Results) -> Result<String, String> {
    let mut filled = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        filled.push_str(line);
        filled.push('\n');
        let marker = line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->"));
        if let Some((bench, title)) = marker.and_then(|marker| marker.split_once(": ")) {
            filled.push_str(&results.table(bench, title)?.markdown);
            while lines.next_if(|line| line.starts_with('|')).is_some() {}
        }
    }
    Ok(filled)
}

/// A chart as the definition of a link whose address is the chart itself. The documentation has no files beside its
/// pages: there this one comes before that of the page, and counts.
fn definition(name: &str, chart: &str) -> String {
    let mut definition = format!("[{name}]: data:image/svg+xml,");
    for byte in chart.trim_end().bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~:/,;=".contains(&byte) {
            definition.push(char::from(byte));
        } else {
            let _ = write!(definition, "%{byte:02X}");
        }
    }
    definition + "\n"
}

/// The files, and what is to be in them.
fn files(docs: &Path, results: &mut Results) -> Result<Vec<(PathBuf, String)>, String> {
    let in_flight = results.table("in_flight", "Calls in flight: heap while all sleep")?;
    let fan_in = results.table("fan_in", "Inner flows of one item that is pending once")?;
    let adapters = results.table("sequential", "An item, polled in a bare loop")?;
    let charts = [
        (
            "in-flight",
            Bars {
                title: "Memory of a call that waits for its next attempt",
                unit: "bytes on the heap per call, a million at once",
                columns: &["loop", "coldflow", "backon"],
                rows: in_flight.rows_with(|name| name.strip_suffix(", 1,000,000 calls")),
                table: &in_flight,
            }
            .to_string(),
        ),
        (
            "fan-in",
            Lines {
                title: "An inner flow among many",
                unit: "ns per inner flow, by how many run at a time",
                rows: fan_in.rows_with(|name| name.strip_prefix("pending, ")?.strip_suffix(" at a time")),
                table: &fan_in,
            }
            .to_string(),
        ),
        (
            "adapters",
            Bars {
                title: "An item through an operator",
                unit: "ns per item in a bare loop",
                columns: &["futures-util", "coldflow", "tokio-stream"],
                rows: adapters.rows_with(Some),
                table: &adapters,
            }
            .to_string(),
        ),
    ];
    let definitions = charts.iter().map(|(name, chart)| definition(name, chart)).collect();
    let mut files = vec![(docs.join("../src/guide/charts.md"), definitions)];
    files.extend(charts.into_iter().map(|(name, chart)| (docs.join(format!("charts/{name}.svg")), chart)));
    let page = docs.join("benchmarks.md");
    let text = fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
    files.push((page, filled(&text, results)?));
    Ok(files)
}

fn main() -> ExitCode {
    let check = std::env::args().any(|arg| arg == "--check");
    let benches = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = match files(&benches.join("../docs"), &mut Results::of(benches.join("results"))) {
        Ok(files) => files,
        Err(error) => {
            eprintln!("report: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut status = ExitCode::SUCCESS;
    for (path, text) in files {
        if fs::read_to_string(&path).is_ok_and(|present| present == text) {
            continue;
        }
        if check {
            eprintln!("report: {} is not what the recorded results make it: run the report", path.display());
            status = ExitCode::FAILURE;
        } else if let Err(error) = fs::write(&path, text) {
            eprintln!("report: {}: {error}", path.display());
            status = ExitCode::FAILURE;
        }
    }
    status
}
