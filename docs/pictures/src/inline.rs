//! The pictures that stand in Markdown pages, as definitions of links whose address is the picture itself.
//!
//! In the repository and in the book these pages lead to files. The documentation has no such files: there the first
//! definition of a link counts, which is one of these.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Where the definitions stand, seen from the folder of the pictures.
pub(crate) const PATH: &str = "../../src/guide/pictures.md";

/// The definitions of the scenarios among `pictures`, which are the names of the files and what is in them.
pub(crate) fn definitions(pictures: &BTreeMap<String, String>) -> String {
    let mut page = String::new();
    for (file, svg) in pictures.iter().filter(|(file, _)| file.starts_with("scenario-")) {
        let name = file.trim_end_matches(".svg");
        let _ = writeln!(page, "[{name}]: data:image/svg+xml,{}", escaped(svg));
    }
    page
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
