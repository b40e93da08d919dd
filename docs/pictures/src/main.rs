//! Draws the pictures in `docs/timelines`, and those of the scenarios into the links of the guide, too: each operator and
//! each scenario is run, and what happened is drawn.
//!
//! `cargo run -p coldflow-pictures` draws them all. With `--check` it draws nothing and fails when a picture that is there
//! is not what it would draw.

mod inline;
mod operators;
mod picture;
mod probe;
mod scenarios;
mod script;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../timelines");
    let arguments: Vec<String> = env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => write(&folder),
        ["--check"] => check(&folder),
        _ => Err("usage: coldflow-pictures [--check]".to_owned()),
    };
    match done {
        Ok(line) => {
            println!("pictures: {line}");
            ExitCode::SUCCESS
        }
        Err(line) => {
            eprintln!("pictures: {line}");
            ExitCode::FAILURE
        }
    }
}

/// The names of the files and what is to stand in them.
fn drawn(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let pictures = operators::pictures().into_iter().chain(scenarios::pictures());
    let mut drawn = pictures
        .map(|picture| (format!("{}.svg", picture.name), picture.timeline.to_svg()))
        .collect::<BTreeMap<_, _>>();
    let definitions = inline::definitions(folder, &drawn).map_err(|error| format!("the pages: {error}"))?;
    drawn.insert(inline::PATH.to_owned(), definitions);
    Ok(drawn)
}

fn write(folder: &Path) -> Result<String, String> {
    let pictures = drawn(folder)?;
    let failed = |error: io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    for path in present(folder).map_err(failed)? {
        if !pictures.contains_key(&name_of(&path)) {
            fs::remove_file(path).map_err(failed)?;
        }
    }
    for (name, svg) in &pictures {
        fs::write(folder.join(name), svg).map_err(failed)?;
    }
    Ok(format!("{} files drawn", pictures.len()))
}

fn check(folder: &Path) -> Result<String, String> {
    let pictures = drawn(folder)?;
    let mut wrong = Vec::new();
    for (name, svg) in &pictures {
        match fs::read_to_string(folder.join(name)) {
            Ok(there) if there == *svg => {}
            Ok(_) => wrong.push(format!("{} is not what its run shows", in_repository(name))),
            Err(error) => wrong.push(format!("{}: {error}", in_repository(name))),
        }
    }
    for path in present(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let name = name_of(&path);
        if !pictures.contains_key(&name) {
            wrong.push(format!("{} is drawn by nothing", in_repository(&name)));
        }
    }
    if wrong.is_empty() {
        return Ok(format!("{} files are what their runs show", pictures.len()));
    }
    wrong.push("`cargo run -p coldflow-pictures` draws them anew".to_owned());
    Err(wrong.join("\npictures: "))
}

/// The pictures in the folder.
fn present(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths: io::Result<Vec<PathBuf>> = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect();
    Ok(paths?.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "svg")).collect())
}

/// The path of a file that is named as seen from the folder of the pictures.
fn in_repository(name: &str) -> String {
    name.strip_prefix("../../").map_or_else(|| format!("docs/timelines/{name}"), str::to_owned)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
