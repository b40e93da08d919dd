//! Measuring in processes.

use std::env;
use std::process::{Command, exit};

use crate::Bench;

/// One way to do the work of a row, as [`Bench::in_processes`] measures it.
#[derive(Clone, Debug)]
pub struct Turn<W> {
    /// What `--case` calls it.
    pub name: String,
    /// What to measure.
    pub work: W,
}

impl Bench {
    /// Measures each in a process of its own, which has seen no other, turn by turn; what counts is the least of each
    /// figure. Nothing where the command line asks for other tables or rows.
    ///
    /// # Panics
    ///
    /// When a process does not give its figures.
    pub fn in_processes<W, const FIGURES: usize>(
        &self,
        title: &str,
        turns: &[Turn<W>],
        measure: impl Fn(&W) -> [f64; FIGURES],
    ) -> Option<Vec<[f64; FIGURES]>> {
        if let Some(wanted) = &self.options.case
            && let Some(turn) = turns.iter().find(|turn| turn.name == *wanted)
        {
            println!("{}", measure(&turn.work).map(|figure| figure.to_string()).join(" "));
            exit(0);
        }
        let Self { options } = self;
        if options.list || options.case.is_some() || !title.contains(&options.table) || !title.contains(&options.filter)
        {
            return None;
        }
        let mut least = vec![[f64::INFINITY; FIGURES]; turns.len()];
        for round in 0..options.rounds as usize {
            for turn in 0..turns.len() {
                let index = (round + turn) % turns.len();
                for (least, figure) in least[index].iter_mut().zip(in_process::<FIGURES>(&turns[index].name)) {
                    *least = least.min(figure);
                }
            }
        }
        Some(least)
    }
}

/// The figures that this program prints when it is asked for one case.
fn in_process<const FIGURES: usize>(case: &str) -> [f64; FIGURES] {
    let this = env::current_exe().expect("the program knows where it is");
    let output = Command::new(this).args(["--case", case]).output().expect("it starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    let figures: Vec<f64> = printed.split_whitespace().map_while(|figure| figure.parse().ok()).collect();
    figures
        .try_into()
        .unwrap_or_else(|_| panic!("{case} gave {printed:?}, {}", String::from_utf8_lossy(&output.stderr)))
}
