use std::collections::HashSet;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use crate::args::Exit;
use crate::text::without_number;

/// The cities of the command line and of the file, each once.
pub(crate) fn gather(named: &[String], file: Option<&Path>) -> Result<Vec<String>, Exit> {
    let mut cities: Vec<String> = Vec::new();
    for city in named {
        let city = city.trim();
        if city.is_empty() {
            return Err(Exit::usage("a city's name is empty; write it like: forecast Seoul".to_owned()));
        }
        cities.push(city.to_owned());
    }
    if let Some(file) = file {
        let text = read(file).map_err(|error| {
            let advice = "name a readable text file with one city per line";
            Exit::usage(format!("{} cannot be read: {}; {advice}", file.display(), without_number(&error)))
        })?;
        // Some editors mark the start of a text file.
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        cities.extend(lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned));
        if cities.is_empty() {
            return Err(Exit::usage(format!("{} names no city; write one per line", file.display())));
        }
    }
    if cities.is_empty() {
        return Err(Exit::usage("no city is named; write one like: forecast Seoul".to_owned()));
    }
    // Asking twice would give the same answer under the same request ids.
    let mut seen = HashSet::new();
    cities.retain(|city| seen.insert(city.clone()));
    Ok(cities)
}

fn read(file: &Path) -> io::Result<String> {
    if file == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text)?;
        Ok(text)
    } else {
        fs::read_to_string(file)
    }
}
