//! Brings the code of the modules onto the page.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The crates, in the order of the page, and the modules with their solutions.
pub const CRATES: [(&str, &str); 4] = [
    ("coldflow", include_str!("with_coldflow.rs")),
    ("backon", include_str!("with_backon.rs")),
    ("tokio-retry", include_str!("with_tokio_retry.rs")),
    ("relentless", include_str!("with_relentless.rs")),
];

/// The marks of the tasks in the modules, and their titles on the page.
pub const TASKS: [(&str, &str); 10] = [
    ("three_attempts", "Three attempts"),
    ("jitter_and_cap", "Exponential, with jitter and a cap"),
    ("retry_after", "`Retry-After`, with a cap"),
    ("deadline", "A deadline for all attempts"),
    ("attempt_timeout", "A timeout for each attempt"),
    ("shared_budget", "A budget that calls share"),
    ("log_each_retry", "Log each retry"),
    ("reset_when_healthy", "Begin anew after a healthy period"),
    ("retry_a_stream", "Retry a stream"),
    ("attempt_number", "The attempt's number in the request"),
];

/// Where the page is.
pub fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../compare.md")
}

/// The page as it is on the disk.
///
/// # Errors
///
/// When it cannot be read.
pub fn read() -> io::Result<String> {
    fs::read_to_string(path())
}

/// The code of a task in a module, without its indentation.
pub fn solution(module: &str, task: &str) -> Option<String> {
    let (begin, end) = (format!("// ANCHOR: {task}"), format!("// ANCHOR_END: {task}"));
    let mut lines = module.lines().skip_while(|line| line.trim() != begin);
    lines.next()?;
    let lines = lines.take_while(|line| line.trim() != end);
    Some(lines.fold(String::new(), |code, line| code + line.strip_prefix("    ").unwrap_or(line) + "\n"))
}

/// The page with the code as it is in the modules: in each block below a `<!-- code: CRATE TASK -->`, and counted in the
/// table below `<!-- lines -->`.
///
/// # Panics
///
/// When a mark is of nothing that there is, or no block stands below it.
pub fn filled(page: &str) -> String {
    let mut filled = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        filled += line;
        filled.push('\n');
        if line == "<!-- lines -->" {
            filled += &table();
            // Up to the blank line behind the table.
            lines.by_ref().take_while(|line| !line.is_empty()).for_each(drop);
            filled.push('\n');
        } else if let Some(mark) = line.strip_prefix("<!-- code: ").and_then(|rest| rest.strip_suffix(" -->")) {
            let code = mark.split_once(' ').and_then(|(name, task)| {
                let (_, module) = CRATES.iter().find(|(known, _)| *known == name)?;
                solution(module, task)
            });
            let code = code.unwrap_or_else(|| panic!("the page asks for `{mark}`, which no module has"));
            filled += &["```rust,ignore\n", &code, "```\n"].concat();
            assert_eq!(lines.next(), Some("```rust,ignore"), "below the mark of `{mark}` stands its block");
            assert!(lines.any(|line| line == "```"), "the block of `{mark}` ends");
        }
    }
    filled
}

/// How many lines each solution takes, comments not counted.
fn table() -> String {
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let head = ["lines of code"].into_iter().chain(CRATES.map(|(name, _)| name)).map(str::to_owned).collect();
    let rows = (1..).zip(TASKS).map(|(number, (task, title))| {
        let counts = CRATES.map(|(_, module)| solution(module, task).map_or("–".to_owned(), |code| lines_of(&code)));
        row([format!("{number}. {title}")].into_iter().chain(counts).collect())
    });
    [row(head), format!("|---|{}\n", "---:|".repeat(CRATES.len()))].into_iter().chain(rows).collect()
}

fn lines_of(code: &str) -> String {
    let lines = code.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count().to_string()
}
