//! The harness of the benches: rivals take turns in one run, and a table shows them side by side.
//!
//! Times on a shared machine jump by more than the differences we look for. So the cases of a row take turns, a short
//! sample each, many rounds; what counts is each one's *shortest* sample, the one that nothing disturbed, and the
//! ratio within the row, since a slow stretch of the machine meets all of them alike. Time is the processor time of the
//! thread, in which all that is measured runs: a program that takes the processor away for a while is not in it.
//!
//! What has to be alone, such as a figure of the whole process's memory, gets a process of its own for each turn.
//!
//! The same cases serve instruction counts: `--list` names them, and `--table TITLE --case ROW/NAME --times N` runs one of
//! them and nothing else, so that an instrumented run counts that one. `ci/instructions.sh` does so.

mod allocations;
mod driver;
mod processes;

use std::env;
use std::hint::black_box;
use std::process::exit;
use std::time::Duration;

pub use allocations::{CountingAllocator, allocations, bytes_held, live_bytes};
pub use cpu_time::ThreadTime;
pub use driver::{drive, on_tokio, spawned_on_tokio};
pub use processes::Turn;

/// The number with its thousands set apart, as a row's name has it.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// One way to do the work of a row.
struct Case {
    name: &'static str,
    /// Does the work so many times, and gives the last result.
    run: Box<dyn FnMut(u32) -> u64>,
}

/// One piece of work, done in several ways. The first is the one that the others are divided by.
#[allow(missing_debug_implementations)] // It is closures.
pub struct Row {
    name: String,
    /// How many items one run of it handles: times are per item.
    items: u32,
    cases: Vec<Case>,
}

impl Row {
    /// A row whose cases handle so many items in a run.
    pub fn new(name: impl Into<String>, items: u32) -> Self {
        Row { name: name.into(), items, cases: Vec::new() }
    }

    /// Adds a way to do the work. Its result has to be that of the others in the row, which is checked before they are
    /// timed.
    #[must_use]
    pub fn case(mut self, name: &'static str, mut work: impl FnMut() -> u64 + 'static) -> Self {
        let run = Box::new(move |times| {
            let mut result = 0;
            for _ in 0..times {
                result = black_box(work());
            }
            result
        });
        self.cases.push(Case { name, run });
        self
    }

    /// Panics when a case gives another result than the first.
    fn check(&mut self) {
        let results: Vec<u64> = self.cases.iter_mut().map(|case| (case.run)(1)).collect();
        for (case, result) in self.cases.iter().zip(&results) {
            assert_eq!(
                *result, results[0],
                "{} does other work than the first case of the row {}",
                case.name, self.name
            );
        }
    }
}

/// What the command line asks for.
#[derive(Debug)]
struct Options {
    rounds: u32,
    most: u64,
    sample: Duration,
    table: String,
    filter: String,
    list: bool,
    case: Option<String>,
    times: u32,
}

impl Options {
    fn parse(rounds: u32) -> Self {
        let mut options = Options {
            rounds,
            most: u64::MAX,
            sample: Duration::from_micros(50),
            table: String::new(),
            filter: String::new(),
            list: false,
            case: None,
            times: 1000,
        };
        let mut args = env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut number = || args.next().and_then(|value| value.parse().ok());
            match arg.as_str() {
                // Cargo adds it.
                "--bench" => {}
                "--rounds" => options.rounds = number().unwrap_or_else(|| usage()),
                "--most" => options.most = number().unwrap_or_else(|| usage()).into(),
                "--sample-us" => options.sample = Duration::from_micros(number().unwrap_or_else(|| usage()).into()),
                "--times" => options.times = number().unwrap_or_else(|| usage()),
                "--table" => options.table = args.next().unwrap_or_else(|| usage()),
                "--list" => options.list = true,
                "--case" => options.case = Some(args.next().unwrap_or_else(|| usage())),
                word if !word.starts_with('-') => word.clone_into(&mut options.filter),
                _ => usage(),
            }
        }
        options
    }
}

fn usage() -> ! {
    eprintln!(
        "usage: [--table TITLE] [--most N] ([ROW] [--rounds N] [--sample-us N] | --list | --case ROW/NAME [--times N])"
    );
    exit(2)
}

/// A bench: tables of rows, measured and printed as they are added.
#[derive(Debug)]
pub struct Bench {
    options: Options,
}

impl Default for Bench {
    fn default() -> Self {
        Bench::of_rounds(300)
    }
}

impl Bench {
    /// A bench whose cases take so many turns unless the command line says otherwise: fewer, where a run is long.
    pub fn of_rounds(rounds: u32) -> Self {
        Bench { options: Options::parse(rounds) }
    }

    /// The sizes that the command line lets run: `--most N` leaves out those beyond.
    pub fn sizes(&self, sizes: &[u64]) -> Vec<u64> {
        sizes.iter().copied().filter(|size| *size <= self.options.most).collect()
    }

    /// Measures the rows and prints them as a Markdown table: nanoseconds per item, and how many times the first case
    /// each of the others takes. The columns are those of the first row.
    ///
    /// # Panics
    ///
    /// When the cases of a row give different results.
    pub fn table(&self, title: &str, rows: Vec<Row>) {
        if !title.contains(&self.options.table) {
            return;
        }
        if self.options.list {
            list(title, &rows);
            return;
        }
        if let Some(wanted) = &self.options.case {
            run_one(rows, wanted, self.options.times);
            return;
        }
        let mut rows: Vec<Row> = rows.into_iter().filter(|row| row.name.contains(&self.options.filter)).collect();
        let Some(first) = rows.first() else { return };
        let columns: Vec<&'static str> = first.cases.iter().map(|case| case.name).collect();
        println!("\n### {title}\n");
        println!("| ns per item | {} |", columns.join(" | "));
        println!("|---|{}", "---:|".repeat(columns.len()));
        for row in &mut rows {
            row.check();
            let times = self.measure(row);
            let cells: Vec<String> = columns
                .iter()
                .map(|column| match row.cases.iter().position(|case| case.name == *column) {
                    None => "–".to_owned(),
                    Some(0) => format!("{:.2}", times[0]),
                    Some(index) => format!("{:.2} (×{:.2})", times[index], times[index] / times[0]),
                })
                .collect();
            println!("| {} | {} |", row.name, cells.join(" | "));
        }
    }

    /// Prints lines that were counted, not timed.
    pub fn note(&self, title: &str, lines: &[String]) {
        let Options { list, case, filter, table, .. } = &self.options;
        if !list && case.is_none() && filter.is_empty() && title.contains(table) {
            println!("\n### {title}\n\n{}", lines.join("\n"));
        }
    }

    /// The shortest time of each case of the row, in nanoseconds per item.
    fn measure(&self, row: &mut Row) -> Vec<f64> {
        let runs: Vec<u32> = row.cases.iter_mut().map(|case| runs_in(case, self.options.sample)).collect();
        let mut shortest = vec![f64::INFINITY; row.cases.len()];
        for round in 0..self.options.rounds as usize {
            for turn in 0..row.cases.len() {
                // Who comes first changes, so that none always follows the same other.
                let index = (round + turn) % row.cases.len();
                let begun = ThreadTime::now();
                (row.cases[index].run)(runs[index]);
                let time = begun.elapsed().as_secs_f64() * 1e9 / f64::from(runs[index]) / f64::from(row.items);
                shortest[index] = shortest[index].min(time);
            }
        }
        shortest
    }
}

/// How many runs of a case fill a sample.
fn runs_in(case: &mut Case, sample: Duration) -> u32 {
    let mut runs = 1;
    loop {
        let begun = ThreadTime::now();
        (case.run)(runs);
        if begun.elapsed() >= sample || runs > u32::MAX / 2 {
            return runs;
        }
        runs *= 2;
    }
}

/// A line for each case: the table, the row, how many items a run of it handles, and the case, between tabs.
fn list(title: &str, rows: &[Row]) {
    for Row { name, items, cases } in rows {
        for case in cases {
            println!("{title}\t{name}\t{items}\t{}", case.name);
        }
    }
}

fn run_one(rows: Vec<Row>, wanted: &str, times: u32) {
    for row in rows {
        for mut case in row.cases {
            if format!("{}/{}", row.name, case.name) == wanted {
                (case.run)(times);
                // Tables after this one may have a case of that name too.
                exit(0);
            }
        }
    }
}
