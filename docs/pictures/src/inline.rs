//! The pictures that stand in pages, as definitions of links whose address is the picture itself.
//!
//! In the repository and in the book a page leads to a file. The documentation has no such files: there the first
//! definition of a link counts, which is one of these.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

/// Where the definitions stand, seen from the folder of the pictures.
pub(crate) const PATH: &str = "../../src/guide/pictures.md";

/// The definitions of those `pictures`, by the names of their files, to which a page beside their `folder` leads.
pub(crate) fn definitions(folder: &Path, pictures: &BTreeMap<String, String>) -> io::Result<String> {
    let mut pages = String::new();
    for entry in fs::read_dir(folder.join(".."))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "md") {
            pages.push_str(&fs::read_to_string(path)?);
        }
    }
    let mut definitions = String::new();
    for (file, svg) in pictures {
        let name = file.trim_end_matches(".svg");
        if pages.contains(&format!("[{name}]: timelines/{file}")) {
            let _ = writeln!(definitions, "[{name}]: data:image/svg+xml,{}", escaped(svg));
        }
    }
    Ok(definitions)
}

/// What may stand in an address as it is, and the rest as `%` and its number.
fn escaped(svg: &str) -> String {
    let mut address = String::with_capacity(svg.len() * 2);
    for byte in svg.trim_end().bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~:/,;=".contains(&byte) {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}
