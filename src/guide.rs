//! The guide: the pages of `docs/`, whose examples run as tests.
//!
//! - [Design][design]: why the traits have the shape they have, and what else was tried.
//! - [Concurrency][concurrency]: how operators run beside a busy consumer without spawning a task.
//! - [Time and testing with a paused clock][time-and-testing]: marbles, assertions event by event, sources that are watched.
//! - [Coming from Kotlin][coming]: the table of names. [Differences from Kotlin][differences], and how they are judged.
//! - [Benchmarks][benchmarks]: what it costs, beside what one would use instead.
//! - [Pitfalls][pitfalls], and [what is left out][left-out] with the line that replaces it.
//!
//! [design]: crate::guide::design
//! [concurrency]: crate::guide::concurrency
//! [time-and-testing]: crate::guide::time_and_testing
//! [differences]: crate::guide::differences_from_kotlin
//! [coming]: crate::guide::coming_from_kotlin
//! [benchmarks]: crate::guide::benchmarks
//! [pitfalls]: crate::guide::pitfalls
//! [left-out]: crate::guide::left_out

/// A page. Its links lead to files; the first definition of a link counts, so here they lead to modules.
macro_rules! page {
    ($name:ident, $file:literal) => {
        #[doc = "[design]: crate::guide::design"]
        #[doc = "[concurrency]: crate::guide::concurrency"]
        #[doc = "[time-and-testing]: crate::guide::time_and_testing"]
        #[doc = "[differences]: crate::guide::differences_from_kotlin"]
        #[doc = "[coming]: crate::guide::coming_from_kotlin"]
        #[doc = "[benchmarks]: crate::guide::benchmarks"]
        #[doc = "[pitfalls]: crate::guide::pitfalls"]
        #[doc = "[left-out]: crate::guide::left_out"]
        #[doc = ""]
        // The examples use all that there is.
        #[cfg_attr(feature = "time", doc = include_str!(concat!("../docs/", $file)))]
        pub mod $name {}
    };
}

page!(design, "design.md");
page!(concurrency, "concurrency.md");
page!(time_and_testing, "time-and-testing.md");
page!(differences_from_kotlin, "differences-from-kotlin.md");
page!(coming_from_kotlin, "coming-from-kotlin.md");
page!(benchmarks, "benchmarks.md");
page!(pitfalls, "pitfalls.md");
page!(left_out, "left-out.md");
