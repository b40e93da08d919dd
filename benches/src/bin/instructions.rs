//! Counts the instructions of the benches' cases under callgrind, and compares ours with those that are recorded.
//!
//! `ci/instructions.sh` builds the benches and runs it. A figure is the difference between two runs of one case that
//! differ in nothing but how often they do the work, so that neither the start of the process nor the building of the
//! bench is in it.

use std::collections::VecDeque;
use std::env;
use std::fmt;
use std::fs;
use std::iter;
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::thread;

/// Ours may grow by so much.
const TOLERANCE: f64 = 1.02;

/// The columns that are ours; the others are what they stand beside.
const OURS: [&str; 9] = [
    "coldflow",
    "its policy",
    "flow { emit }",
    "SharedFlow",
    "StateFlow",
    "combine",
    "combine_latest",
    "ordered",
    "unordered",
];

/// A table of a bench that is counted.
struct Plan {
    bench: &'static str,
    title: &'static str,
    /// The rows, or none for all of them.
    rows: &'static [&'static str],
    /// How often a case does its work in the shorter run and in the longer one.
    times: (u32, u32),
    /// How many items a figure is for, and what they are.
    per: (u32, &'static str),
}

#[rustfmt::skip]
const PLANS: [Plan; 14] = [
    Plan { bench: "retry", title: "One retried call, polled in a bare loop", rows: &[], times: (100, 1100), per: (1, "call") },
    Plan { bench: "sequential", title: "An item, polled in a bare loop", rows: &[], times: (1, 3), per: (1_000, "1,000 items") },
    Plan { bench: "sequential", title: "An emitted item, polled in a bare loop", rows: &[], times: (1, 3), per: (1_000, "1,000 items") },
    Plan { bench: "concurrency", title: "`merge`, always ready", rows: &["2 flows", "8"], times: (1, 3), per: (1_000, "1,000 items") },
    Plan { bench: "concurrency", title: "`merge`, one source waking at a time", rows: &["2 flows, waking", "8, waking"], times: (5, 25), per: (1_000, "1,000 wakes") },
    Plan { bench: "concurrency", title: "`flat_map_merge` over 1,000 inner flows of 10 items", rows: &["ready, 16 at a time"], times: (1, 3), per: (1_000, "1,000 items") },
    Plan { bench: "concurrency", title: "`then_concurrent` and `then_concurrent_unordered`", rows: &["ready, 16 at a time"], times: (1, 3), per: (1_000, "1,000 items") },
    Plan { bench: "concurrency", title: "`zip`", rows: &[], times: (1, 3), per: (1_000, "1,000 items") },
    Plan { bench: "concurrency", title: "`combine_latest`, always ready", rows: &[], times: (1, 3), per: (1_000, "1,000 items") },
    Plan { bench: "concurrency", title: "`combine`, one of two sources waking at a time", rows: &[], times: (5, 25), per: (1_000, "1,000 wakes") },
    Plan { bench: "concurrency", title: "`buffer` of 64 places", rows: &[], times: (1, 3), per: (1_000, "1,000 items") },
    Plan { bench: "hot", title: "A shared flow, in bursts of 32", rows: &["8 subscribers"], times: (1, 3), per: (1_000, "1,000 receipts") },
    Plan { bench: "hot", title: "A shared flow, one item at a time", rows: &["8 subscribers"], times: (1, 3), per: (1_000, "1,000 receipts") },
    Plan { bench: "hot", title: "A state, one value at a time", rows: &["8 subscribers"], times: (1, 3), per: (1_000, "1,000 receipts") },
];

/// What was counted, or is recorded.
struct Counts {
    /// The compiler and the C library.
    made_by: String,
    tables: Vec<Table>,
}

struct Table {
    title: String,
    columns: Vec<String>,
    rows: Vec<Row>,
}

struct Row {
    name: String,
    /// One for each column; none where a crate has no such operator.
    figures: Vec<Option<f64>>,
}

impl Counts {
    /// Reads what `Display` writes.
    fn parse(text: &str) -> Self {
        let mut counts = Counts { made_by: String::new(), tables: Vec::new() };
        for line in text.lines() {
            if let Some(made_by) = line.strip_prefix("Made by: ") {
                made_by.clone_into(&mut counts.made_by);
            } else if let Some(title) = line.strip_prefix("## ") {
                counts.tables.push(Table { title: title.to_owned(), columns: Vec::new(), rows: Vec::new() });
            } else if let (Some(table), Some(cells)) = (counts.tables.last_mut(), line.strip_prefix('|')) {
                table.add(cells.trim_end_matches('|').split('|').map(str::trim));
            }
        }
        counts
    }

    /// What of ours is worse in `now` than here, and what is missing on either side.
    fn worse(&self, now: &Counts) -> Vec<String> {
        let mut complaints = Vec::new();
        let recorded: Vec<_> = self.ours().collect();
        for (name, now) in now.ours() {
            match recorded.iter().find(|(other, _)| *other == name) {
                None => complaints.push(format!("{name}: not recorded")),
                Some((_, before)) if now > before * TOLERANCE => {
                    let percent = (now / before - 1.0) * 100.0;
                    complaints.push(format!("{name}: {now:.1} instead of {before:.1}, {percent:.1} % more"));
                }
                Some(_) => {}
            }
        }
        for (name, _) in &recorded {
            if !now.ours().any(|(other, _)| other == *name) {
                complaints.push(format!("{name}: recorded, but not counted"));
            }
        }
        complaints
    }

    /// The figures of our columns, each with its full name.
    fn ours(&self) -> impl Iterator<Item = (String, f64)> {
        self.tables.iter().flat_map(|table| {
            table.rows.iter().flat_map(move |row| {
                let figures = table.columns.iter().zip(&row.figures);
                figures.filter(|(column, _)| OURS.contains(&column.as_str())).filter_map(move |(column, figure)| {
                    Some((format!("{} / {} / {column}", table.title, row.name), (*figure)?))
                })
            })
        })
    }
}

impl Table {
    /// Takes a line of the table: first the columns, then a rule, then rows.
    fn add<'a>(&mut self, mut cells: impl Iterator<Item = &'a str>) {
        let name = cells.next().unwrap_or_default();
        if name.starts_with('-') {
            return;
        }
        if self.columns.is_empty() {
            self.columns = cells.map(str::to_owned).collect();
            return;
        }
        let figures = cells.map(|cell| cell.split(' ').next()?.parse().ok()).collect();
        self.rows.push(Row { name: name.to_owned(), figures });
    }

    /// The text of all cells, line by line, names and columns included.
    fn cells(&self) -> Vec<Vec<String>> {
        let mut lines = vec![[String::new()].into_iter().chain(self.columns.iter().cloned()).collect()];
        for Row { name, figures } in &self.rows {
            let first = figures.first().copied().flatten();
            let cells = figures.iter().enumerate().map(|(index, figure)| match (figure, first) {
                (None, _) => "–".to_owned(),
                (Some(figure), Some(first)) if index > 0 => format!("{} (×{:.2})", short(*figure), figure / first),
                (Some(figure), _) => short(*figure),
            });
            lines.push([name.clone()].into_iter().chain(cells).collect());
        }
        lines
    }
}

/// A figure without digits that say nothing.
fn short(figure: f64) -> String {
    let tenths = (figure * 10.0).round() / 10.0;
    if tenths < 1000.0 { format!("{tenths}") } else { format!("{figure:.0}") }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "## {}\n", self.title)?;
        let lines = self.cells();
        let widths: Vec<usize> = (0..=self.columns.len())
            .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default())
            .collect();
        for (index, line) in lines.iter().enumerate() {
            write!(f, "| {:<width$} |", line[0], width = widths[0])?;
            for (cell, width) in line.iter().zip(&widths).skip(1) {
                write!(f, " {cell:>width$} |")?;
            }
            writeln!(f)?;
            if index == 0 {
                write!(f, "|{:-<width$}|", "", width = widths[0] + 2)?;
                for width in &widths[1..] {
                    write!(f, "{:-<width$}:|", "", width = width + 1)?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Instructions of ours and of what stands beside it, written by `ci/instructions.sh --write`.")?;
        writeln!(f, "In brackets, how many times the first column.")?;
        writeln!(f, "Made by: {}", self.made_by)?;
        self.tables.iter().try_for_each(|table| write!(f, "\n{table}"))
    }
}

/// One figure to count.
struct Job {
    plan: &'static Plan,
    program: String,
    case: String,
    /// How many items a run handles.
    items: u32,
    /// Where the figure belongs.
    place: (usize, usize, usize),
}

impl Job {
    fn figure(&self) -> f64 {
        let (few, many) = self.plan.times;
        let instructions = self.instructions(many) - self.instructions(few);
        instructions / f64::from(many - few) / f64::from(self.items) * f64::from(self.plan.per.0)
    }

    /// How many instructions a process takes that does the work so often.
    fn instructions(&self, times: u32) -> f64 {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", &self.program])
            .args(["--table", self.plan.title, "--case", &self.case, "--times", &times.to_string()])
            .output()
            .expect("valgrind is installed");
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{} {}: {log}", self.program, self.case);
        let count = log.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
        count.unwrap_or_else(|| panic!("{} {}: no count in {log}", self.program, self.case))
    }
}

/// The table of a plan, without figures yet, and the figures to count for it.
fn lay_out(plan: &'static Plan, index: usize, programs: &[String]) -> (Table, Vec<Job>) {
    let mut table =
        Table { title: format!("{}, per {}", plan.title, plan.per.1), columns: Vec::new(), rows: Vec::new() };
    let mut jobs = Vec::new();
    let program = programs.iter().find(|path| is_bench(path, plan.bench)).expect("the bench is among the programs");
    let output = Command::new(program).args(["--table", plan.title, "--list"]).output().expect("it runs");
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let [_, row, items, case] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line} is not of a list") };
        if !plan.rows.is_empty() && !plan.rows.contains(&row) {
            continue;
        }
        if table.rows.last().is_none_or(|last| last.name != row) {
            table.rows.push(Row { name: row.to_owned(), figures: vec![None; table.columns.len()] });
        }
        let row_index = table.rows.len() - 1;
        let column = table.columns.iter().position(|column| column == case).unwrap_or_else(|| {
            table.columns.push(case.to_owned());
            table.rows.iter_mut().for_each(|row| row.figures.push(None));
            table.columns.len() - 1
        });
        jobs.push(Job {
            plan,
            program: program.clone(),
            case: format!("{row}/{case}"),
            items: items.parse().expect("a number of items"),
            place: (index, row_index, column),
        });
    }
    assert!(!jobs.is_empty(), "the bench {} has no table {}", plan.bench, plan.title);
    (table, jobs)
}

/// Whether a program is the bench of that name: Cargo adds a hash to it.
fn is_bench(program: &str, name: &str) -> bool {
    let file = Path::new(program).file_name().and_then(|file| file.to_str());
    file.and_then(|file| file.rsplit_once('-')).is_some_and(|(stem, _)| stem == name)
}

/// Counts everything, on as many cores as there are.
fn count(made_by: String, programs: &[String]) -> Counts {
    let (mut tables, jobs): (Vec<Table>, Vec<Vec<Job>>) =
        PLANS.iter().enumerate().map(|(index, plan)| lay_out(plan, index, programs)).unzip();
    let jobs: Mutex<VecDeque<Job>> = Mutex::new(jobs.into_iter().flatten().collect());
    let next = || jobs.lock().expect("no counter panicked").pop_front();
    let counted = thread::scope(|scope| {
        let counters = thread::available_parallelism().map_or(1, NonZero::get);
        let counters: Vec<_> = (0..counters)
            .map(|_| scope.spawn(|| iter::from_fn(next).map(|job| (job.place, job.figure())).collect::<Vec<_>>()))
            .collect();
        counters.into_iter().flat_map(|counter| counter.join().expect("it counts")).collect::<Vec<_>>()
    });
    for ((table, row, column), figure) in counted {
        tables[table].rows[row].figures[column] = Some(figure);
    }
    Counts { made_by, tables }
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let [mode, file, made_by, programs @ ..] = &args[..] else {
        eprintln!("usage: (compare | write) FILE MADE_BY BENCH...");
        return ExitCode::from(2);
    };
    let counts = count(made_by.clone(), programs);
    println!("{counts}");
    if mode == "write" {
        fs::write(file, counts.to_string()).expect("the file can be written");
        return ExitCode::SUCCESS;
    }
    let recorded = Counts::parse(&fs::read_to_string(file).expect("the file can be read"));
    let worse = recorded.worse(&counts);
    for complaint in &worse {
        eprintln!("{complaint}");
    }
    if recorded.made_by != counts.made_by {
        eprintln!("The recorded figures are of {}, these of {made_by}: nothing is compared.", recorded.made_by);
        return ExitCode::SUCCESS;
    }
    if worse.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::Counts;

    /// A record of one row, in which ours takes so many instructions.
    fn counts(ours: f64) -> Counts {
        Counts::parse(&format!(
            "Made by: rustc\n\n## Items\n\n| | futures-util | coldflow | other |\n|-|-:|-:|-:|\n| map | 12 | {ours} (×0.5) | – |\n"
        ))
    }

    #[test]
    fn what_is_written_is_read_again() {
        let written = counts(600.0).to_string();
        assert_eq!(Counts::parse(&written).to_string(), written);
        assert!(written.contains("| map |           12 | 600 (×50.00) |     – |"), "{written}");
    }

    #[test]
    fn more_than_two_percent_is_worse() {
        assert_eq!(counts(1000.0).worse(&counts(1020.0)), [""; 0]);
        assert_eq!(counts(1000.0).worse(&counts(500.0)), [""; 0]);
        assert_eq!(
            counts(1000.0).worse(&counts(1021.0)),
            ["Items / map / coldflow: 1021.0 instead of 1000.0, 2.1 % more"]
        );
    }

    #[test]
    fn a_row_that_only_one_side_has_is_told() {
        let none = Counts { made_by: String::new(), tables: Vec::new() };
        assert_eq!(none.worse(&counts(1.0)), ["Items / map / coldflow: not recorded"]);
        assert_eq!(counts(1.0).worse(&none), ["Items / map / coldflow: recorded, but not counted"]);
    }
}
