//! What the benches have printed, what was counted, and the tables in them.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

/// The folder of what was recorded, a file for each bench. The counted instructions lie beside it.
pub(crate) struct Results {
    folder: PathBuf,
    files: HashMap<String, String>,
}

/// A table, as it was printed and as numbers.
pub(crate) struct Table {
    pub(crate) markdown: String,
    pub(crate) columns: Vec<String>,
    rows: Vec<(String, Vec<Option<f64>>)>,
}

/// A row of a chart: its label and the figures of all columns.
pub(crate) type Labelled<'a> = (&'a str, &'a [Option<f64>]);

impl Results {
    pub(crate) fn of(folder: PathBuf) -> Self {
        Results { folder, files: HashMap::new() }
    }

    /// The table with this title in what the bench has printed.
    pub(crate) fn table(&mut self, bench: &str, title: &str) -> Result<Table, String> {
        if !self.files.contains_key(bench) {
            let counted = bench == "instructions";
            let path = self.folder.join(if counted { "../instructions.txt".into() } else { format!("{bench}.md") });
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            self.files.insert(bench.to_owned(), text);
        }
        let markdown: String = self.files[bench]
            .lines()
            .skip_while(|line| line.trim_start_matches('#').trim_start() != title || !line.starts_with('#'))
            .skip_while(|line| !line.starts_with('|'))
            .take_while(|line| line.starts_with('|'))
            .flat_map(|line| [line, "\n"])
            .collect();
        let mut lines = markdown.lines().map(cells);
        let columns = lines.next().ok_or_else(|| format!("{bench} has no table `{title}`"))?;
        let columns = columns[1..].iter().map(|&name| name.to_owned()).collect();
        // The line below the heads is a rule.
        let rows =
            lines.skip(1).map(|cells| (cells[0].to_owned(), cells[1..].iter().map(|cell| number(cell)).collect()));
        Ok(Table { rows: rows.collect(), columns, markdown })
    }
}

impl Table {
    /// The rows for whose name there is a label.
    pub(crate) fn rows_with<'a>(&'a self, label: impl Fn(&'a str) -> Option<&'a str>) -> Vec<Labelled<'a>> {
        self.rows.iter().filter_map(|(name, figures)| Some((label(name)?, figures.as_slice()))).collect()
    }
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

/// The figure of a cell, which may be followed by its comparison; a dash has none.
fn number(cell: &str) -> Option<f64> {
    cell.split_whitespace().next()?.parse().ok()
}
