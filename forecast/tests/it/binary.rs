//! The binary, run for real.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Output, Stdio};

#[cfg(unix)]
use {forecast::WeatherServer, std::process::Child, std::thread};

use crate::support::server;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forecast"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Exit code, standard output, standard error.
fn run(arguments: &[&str]) -> (i32, String, String) {
    ended(command(arguments).output().unwrap())
}

fn ended(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    assert!(!stderr.contains("panicked"), "{stderr}");
    assert!(!stdout.contains('\x1b') && !stderr.contains('\x1b'), "colour without a terminal: {stdout}{stderr}");
    (output.status.code().unwrap(), stdout, stderr)
}

#[test]
fn a_line_per_attempt_and_the_result() {
    let (code, stdout, stderr) = run(&["--script", "503:0, reset", "Seoul"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let lines: Vec<&str> = stdout.lines().collect();
    let begins = [
        ("forecast:Seoul:1  status 503, asks to wait 0 s: ", " → next attempt at once"),
        ("forecast:Seoul:2  no response: Connection reset by peer", " → next attempt at once"),
        ("forecast:Seoul:3  ", " km/h"),
        ("Seoul, South Korea: ", " (3 attempts)"),
    ];
    assert_eq!(lines.len(), begins.len(), "{stdout}");
    for (line, (begin, end)) in lines.iter().zip(begins) {
        assert!(line.starts_with(begin) && line.ends_with(end), "{line}");
    }
}

#[test]
fn what_goes_wrong_is_said_in_a_line() {
    let table: &[(&[&str], i32, &str)] = &[
        (&["--script", "ok", "Atlantis"], 1, "no city called \"Atlantis\" was found; check the spelling"),
        (&["--script", "503*", "Seoul"], 1, "after 3 attempts: the server answered with status 503; try again later"),
        (&["--script", "502*", "--max-attempts", "2", "Seoul"], 1, "after 2 attempts"),
        (&["--script", "503:9", "--no-retry", "Seoul"], 1, "after 1 attempt:"),
        (&["--script", "429", "Seoul"], 1, "Minutely API request limit exceeded."),
        (&["--script", "garbage", "Seoul"], 1, "the answer is not a forecast; check the URL of the API"),
        (&["--script", "stall*", "--timeout", "50ms", "Seoul"], 1, "after 3 attempts: no complete response came"),
        (&["--api-url", "http://127.0.0.1:1", "Seoul"], 1, "check that the server runs and can be reached"),
        (&["--script", "ok", "a\nb\u{1b}[31m"], 1, "no city called \"a b [31m\" was found"),
        (&[], 2, "no city is named"),
        (&[""], 2, "a city's name is empty"),
        (&["Seoul", "  "], 2, "a city's name is empty"),
        (&["--api-url", "nonsense", "Seoul"], 2, "\"nonsense\" is not the URL of an API"),
        (&["--api-url", "ftp://x", "Seoul"], 2, "does not begin with http:// or https://"),
        (&["--cities", "/no/such/file"], 2, "/no/such/file cannot be read: No such file or directory; name a readable"),
        (&["--cities", "/"], 2, "name a readable text file"),
        (&["--cities", "/dev/null"], 2, "names no city"),
        (&["--max-attempts", "0", "Seoul"], 2, "expected a number from 1"),
        (&["--max-attempts", "-1", "Seoul"], 2, "--max-attempts"),
        (&["--max-attempts", "2", "--no-retry", "Seoul"], 2, "cannot be used with"),
        (&["--retry", "sometimes", "Seoul"], 2, "possible values: none, immediate, exponential"),
        (&["--retry", "none", "--max-attempts", "3", "Seoul"], 2, "--retry none tries once"),
        (&["--retry", "immediate", "--no-retry", "Seoul"], 2, "cannot be used with"),
        (&["--deadline", "soon", "Seoul"], 2, "expected seconds such as 5"),
        (&["--policy", "x", "--max-attempts", "3", "Seoul"], 2, "cannot be used with"),
        (&["--policy", "/no/such/file", "Seoul"], 2, "/no/such/file cannot be read: No such file or directory"),
        (&["--script", "503*", "--retry", "none", "Seoul"], 1, "after 1 attempt:"),
        (&["--script", "503*", "--retry", "immediate", "Seoul"], 1, "after 3 attempts:"),
        (&["--script", "503*", "--retry", "exponential", "--max-attempts", "2", "Seoul"], 1, "after 2 attempts:"),
        (&["--script", "503:20*", "--deadline", "5", "Seoul"], 1, "after 1 attempt:"),
        (&["--timeout", "0", "Seoul"], 2, "expected more than 0"),
        (&["--timeout", "soon", "Seoul"], 2, "expected seconds such as 5"),
        (&["--timeout", "1e300", "Seoul"], 2, "expected seconds such as 5"),
        (&["--script", "explode", "Seoul"], 2, "\"explode\" is no step of a script"),
        (&["--script", "503", "--api-url", "http://x", "Seoul"], 2, "cannot be used with"),
        (&["--jason", "Seoul"], 2, "a similar argument exists: '--json'"),
    ];
    for (arguments, expected, message) in table {
        let (code, _, stderr) = run(arguments);
        assert_eq!(code, *expected, "{arguments:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{arguments:?}: {stderr}");
        assert!(stderr.starts_with("forecast: ") && stderr.contains(message), "{arguments:?}: {stderr}");
    }
}

/// Runs with a policy file of this text.
fn run_with_policy(text: &str, arguments: &[&str]) -> (i32, String, String) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, text).unwrap();
    let path = file.path().to_str().unwrap();
    let (code, stdout, stderr) = run(&[&["--policy", path], arguments].concat());
    (code, stdout, stderr.replace(path, "retry.toml"))
}

#[test]
fn a_policy_is_read_from_a_file() {
    let policy = "attempts = 4\nbackoff = { linear = { first = \"10ms\", step = \"10ms\" } }\n";
    let (code, stdout, _) = run_with_policy(policy, &["--script", "502*", "Seoul"]);
    assert_eq!(code, 1);
    let waits: Vec<&str> = stdout.lines().filter_map(|line| line.split_once("→ ")).map(|(_, next)| next).collect();
    let in_turn = ["next attempt in 10 ms", "next attempt in 20 ms", "next attempt in 30 ms", "no further attempt"];
    assert_eq!(waits, in_turn, "{stdout}");

    let (_, _, stderr) = run_with_policy("attempts = 2\nattempt_timeout = \"50ms\"", &["--script", "stall*", "Seoul"]);
    assert!(stderr.contains("after 2 attempts") && stderr.contains("took longer than the policy allows"), "{stderr}");
}

#[test]
fn a_policy_file_that_makes_no_sense_is_refused() {
    for (text, message) in [
        ("attempts = 0", "retry.toml, line 1: invalid value: integer `0`, expected a nonzero u32"),
        ("attempts = 3\ncap = 5", "retry.toml, line 2: invalid type: integer `5`, expected a duration with its unit"),
        ("attempts = 3\nretries = 3", "retry.toml, line 2: unknown field `retries`, expected one of `attempts`"),
        ("attempts", "retry.toml, line 1: "),
    ] {
        let (code, _, stderr) = run_with_policy(text, &["Seoul"]);
        assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
        assert!(stderr.contains(message), "{text}: {stderr}");
    }
}

#[test]
fn many_cities_end_in_a_table() {
    let (code, stdout, stderr) = run(&["--script", "502", "Seoul", "서울", "New York", "Seoul"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{stdout}");
    assert_eq!(lines[0], "CITY      ATTEMPTS  WEATHER");
    assert!(lines[1].starts_with("Seoul     2         "));
    assert!(lines[2].starts_with("서울      2         "));
    assert!(lines[3].starts_with("New York  2         "));

    let (code, stdout, stderr) = run(&["--script", "ok", "Seoul", "Atlantis"]);
    assert_eq!(code, 1);
    assert!(stdout.contains("Atlantis  1         failed: no such city"), "{stdout}");
    assert_eq!(stderr, "forecast: no forecast for 1 of 2 cities; the table says why\n");
}

#[test]
fn cities_from_standard_input() {
    let mut child = command(&["--script", "reset", "--cities", "-", "Oslo"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all("\u{feff}# capitals\r\n\r\n  Rome \r\nParis\n".as_bytes()).unwrap();
    let (code, stdout, _) = ended(child.wait_with_output().unwrap());
    assert_eq!(code, 0);
    let cities: Vec<&str> = stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(cities, ["CITY", "Oslo", "Rome", "Paris"]);
}

#[test]
fn json_is_all_there_is_on_standard_output() {
    let (code, stdout, stderr) = run(&["--json", "--script", "503", "Seoul"]);
    assert_eq!(code, 0);
    assert_eq!(stderr.lines().count(), 2, "the attempts: {stderr}");
    let object: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(object["city"], "Seoul");
    assert_eq!(object["result"], "success");
    assert_eq!(object["attempts"], 2);
    assert!(object["forecast"]["summary"].is_string() && object["forecast"]["temperature"].is_number());

    let (code, stdout, _) = run(&["--json", "--script", "503*", "--no-retry", "Seoul", "Rome"]);
    assert_eq!(code, 1);
    let objects: Vec<serde_json::Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 2);
    assert_eq!(objects[1]["city"], "Rome");
    assert_eq!(objects[1]["result"], "failure");
    assert_eq!(objects[1]["status"], 503);

    let (_, stdout, _) = run(&["--json", "--script", "ok", "Atlantis"]);
    let object: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(object["result"], "error");
    assert!(object["message"].as_str().unwrap().contains("check the spelling"));
}

#[test]
fn help_has_examples_and_verbose_shows_requests() {
    let (code, stdout, stderr) = run(&["--help"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("Examples:\n  forecast Seoul") && stdout.contains("Exit codes:"), "{stdout}");
    let (code, _, stderr) = run(&["-v", "--script", "ok", "Seoul"]);
    assert_eq!(code, 0);
    assert!(stderr.contains("/v1/search?name=Seoul") && stderr.contains("forecast:Seoul:1"), "{stderr}");
}

/// Waits for the first line and for so many requests, then sends what Ctrl-C sends.
#[cfg(unix)]
fn interrupt(mut child: Child, server: &WeatherServer, requests: usize) -> (i32, String, String) {
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    while server.received().len() < requests {
        thread::yield_now();
    }
    let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert!(sent.success());
    let (code, _, stderr) = ended(child.wait_with_output().unwrap());
    stdout.read_to_string(&mut line).unwrap();
    (code, line, stderr)
}

#[cfg(unix)]
#[test]
fn ctrl_c_during_the_wait() {
    let server = server("503:20*");
    let child = command(&["--api-url", &server.url(), "Seoul"]).spawn().unwrap();
    let (code, stdout, stderr) = interrupt(child, &server, 1);
    assert_eq!(code, 130);
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
    assert_eq!(
        stderr,
        "forecast: stopped by Ctrl-C in the wait of 20 s after attempt 1 for Seoul; nothing more is sent\n"
    );
    assert_eq!(server.attempts(), ["forecast:Seoul:1"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_during_an_attempt() {
    let server = server("502, stall*");
    let child = command(&["--api-url", &server.url(), "Seoul"]).spawn().unwrap();
    let (code, _, stderr) = interrupt(child, &server, 2);
    assert_eq!(code, 130);
    assert_eq!(stderr, "forecast: stopped by Ctrl-C during attempt 2 for Seoul; nothing more is sent\n");
    assert_eq!(server.attempts(), ["forecast:Seoul:1", "forecast:Seoul:2"]);
}

/// Where a test may write.
fn picture(name: &str) -> String {
    format!("{}/{name}.svg", env!("CARGO_TARGET_TMPDIR"))
}

/// What a picture says in words, without the numbers of times.
fn told(path: &str) -> String {
    let svg = std::fs::read_to_string(path).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    let (_, rest) = svg.split_once("<desc>").unwrap();
    let words: Vec<&str> = rest.split_once("</desc>").unwrap().0.split(' ').collect();
    let is_unit = |word: &str| matches!(word.trim_end_matches([',', '.', ':']), "ms" | "s");
    let timeless = words.iter().enumerate().filter_map(|(index, word)| match words.get(index + 1) {
        _ if is_unit(word) => None,
        Some(next) if is_unit(next) => Some(format!("_{}", next.trim_start_matches(['m', 's']))),
        _ => Some((*word).to_owned()),
    });
    timeless.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_picture_of_every_attempt_of_every_city() {
    let path = picture("cities");
    let (code, stdout, _) = run(&["--timeline", &path, "--script", "503:0, reset", "Seoul", "Atlantis"]);
    assert_eq!(code, 1);
    assert!(stdout.starts_with("CITY"), "the table is there as without it: {stdout}");
    let told = told(&path);
    let failures = "1 from _ to _, fails at _: 503, 2 from _ to _, fails at _: no response, 3 from _ to _,";
    let (seoul, atlantis) = told.split_once(" Atlantis: ").unwrap();
    assert!(seoul.starts_with(&format!("Seoul: {failures} ")) && seoul.ends_with(" °C at _."), "{told}");
    assert_eq!(atlantis, format!("{failures} fails at _: no such city."));
}

#[test]
fn a_picture_that_cannot_be_written_is_an_error_before_anything_is_sent() {
    let server = server("ok");
    let (code, stdout, stderr) = run(&["--timeline", "/no/such/folder/x.svg", "--api-url", &server.url(), "Seoul"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert_eq!(
        stderr,
        "forecast: /no/such/folder/x.svg cannot be written: No such file or directory; name another file\n"
    );
    assert_eq!(server.received().len(), 0);
}

#[cfg(unix)]
#[test]
fn a_picture_of_what_ctrl_c_cut_off() {
    let server = server("503:20*");
    let path = picture("ctrl-c");
    let child = command(&["--timeline", &path, "--api-url", &server.url(), "Seoul"]).spawn().unwrap();
    let (code, _, _) = interrupt(child, &server, 1);
    assert_eq!(code, 130);
    assert_eq!(told(&path), "Seoul: 1 from _ to _, fails at _: 503, waits from _ to _ (20 s), is cancelled at _.");
}
