#![doc = include_str!("guide/links.md")]
#![doc = ""]
// The examples use all that there is.
#![cfg_attr(all(feature = "rt", feature = "macros"), doc = include_str!("../docs/README.md"))]

/// A page. Its links lead to files; the first definition of a link counts, so here they lead to modules.
macro_rules! page {
    ($name:ident, $file:literal $(, $links:literal)?) => {
        #[doc = include_str!("guide/links.md")]
        $(#[doc = include_str!($links)])?
        #[doc = ""]
        #[cfg_attr(all(feature = "rt", feature = "macros"), doc = include_str!(concat!("../docs/", $file)))]
        pub mod $name {}
    };
}

page!(why_cold_streams, "why-cold-streams.md");
page!(the_retry_pattern, "the-retry-pattern.md");
page!(ten_scenarios, "ten-scenarios.md", "guide/pictures.md");
page!(terminals, "terminals.md");
page!(errors, "errors.md");
page!(cancellation, "cancellation.md");
page!(concurrency, "concurrency.md", "guide/pictures.md");
page!(time_and_testing, "time-and-testing.md");
page!(hot_flows, "hot-flows.md", "guide/pictures.md");
page!(policies, "policies.md", "guide/pictures.md");
page!(composing, "composing.md");
page!(coming_from_kotlin, "coming-from-kotlin.md");
page!(differences_from_kotlin, "differences-from-kotlin.md");
page!(coming_from_rx, "coming-from-rx.md");
page!(choosing, "choosing.md");
page!(compare, "compare.md");
page!(pitfalls, "pitfalls.md");
page!(left_out, "left-out.md");
page!(design, "design.md");
page!(benchmarks, "benchmarks.md", "guide/charts.md");
