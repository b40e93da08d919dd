//! Brings the code onto the page, `docs/compare.md`.

use std::{fs, io};

use coldflow_compare::page;

fn main() -> io::Result<()> {
    fs::write(page::path(), page::filled(&page::read()?))
}
