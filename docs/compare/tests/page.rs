//! The page shows the code that is compiled and run here, and all of it.

use coldflow_compare::page;

#[test]
fn the_code_on_the_page_is_the_code_that_runs() {
    let text = page::read().expect("the page");
    assert!(text == page::filled(&text), "`cargo run -p coldflow-compare` brings the code onto docs/compare.md");
}

#[test]
fn every_solution_is_on_the_page_and_what_cannot_be_done_is_said_to_be_so() {
    let text = page::read().expect("the page");
    for (number, (task, title)) in (1..).zip(page::TASKS) {
        let heading = format!("## {number}. {title}\n");
        let section = text.split_once(&heading).unwrap_or_else(|| panic!("no section {heading:?}")).1;
        let section = section.split("\n## ").next().unwrap_or_default();
        for (name, module) in page::CRATES {
            let shown = section.contains(&format!("<!-- code: {name} {task} -->"));
            let blank = section.contains(&format!("**{name}:** –"));
            assert_eq!(shown, page::solution(module, task).is_some(), "{name} {task}");
            assert!(shown != blank, "{name} {task}: its code, or why there is none");
        }
    }
}

#[test]
fn the_table_says_how_long_each_is() {
    let text = page::read().expect("the page");
    assert!(text.contains("<!-- lines -->\n| lines of code | coldflow | backon | tokio-retry | relentless |\n"));
    assert!(text.contains("| 9. Retry a stream | 7 | – | – | – |\n"));
}

#[test]
fn a_solution_is_what_stands_between_its_marks() {
    let module = "fn f() {\n    // ANCHOR: one\n    a\n        .b()\n    // ANCHOR_END: one\n    c\n}\n";
    assert_eq!(page::solution(module, "one").as_deref(), Some("a\n    .b()\n"));
    assert_eq!(page::solution(module, "two"), None);
}
