//! The compiler's messages, as a user meets them.

/// Their text belongs to one version of the compiler.
const PINNED: &str = "1.95.";

#[test]
fn messages() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = std::process::Command::new(rustc).arg("--version").output().expect("rustc runs");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.contains(&format!("rustc {PINNED}")) {
        println!("skipped: the messages are pinned for rustc {PINNED}x, this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
