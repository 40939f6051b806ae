//! The page of what there is says what there is.

use tidegate_tests::coverage::{outdated, page_path, rows};

#[test]
fn the_page_is_up_to_date() {
    let page = std::fs::read_to_string(page_path()).expect("docs/coverage.md");
    let found = outdated(&page, &rows());
    assert!(found.is_empty(), "docs/coverage.md is out of date: cargo xtask coverage\n{}", found.join("\n"));
}
