//! Every example runs at once, and shows what it says.

use tidegate_browser_tests::{Options, Playground};

fn wide() -> Options {
    Options { width: 1366, height: 768, ..Options::default() }
}

#[test]
fn clicks_have_an_updating_and_an_append_only_result() {
    let page = Playground::open(&wide(), "");
    page.wait_for_script("document.querySelectorAll('.jobs [role=tab]').length === 2");
    page.find("#changelog .row[data-kind='+U']");
    // Both at once, without being asked for.
    page.wait_for_script("document.querySelectorAll('#beside-view .row[data-kind=\"+I\"]').length >= 2");
    page.screenshot("example-side-by-side");
    page.click("#beside");
    page.wait_for_script("document.querySelectorAll('#dynamic-table .rows .row').length >= 3");
    page.click(".jobs [role=tab]:last-child");
    page.wait_for_script("document.querySelectorAll('#changelog .rows .row').length >= 2");
    let kinds = page.script(
        "return [...document.querySelectorAll('#changelog .rows .row')].every((row) => row.dataset.kind === '+I');",
        &[],
    );
    assert_eq!(kinds.as_bool(), Some(true), "windows only add");
    page.click(".jobs [role=tab]:first-child");
    page.click("#beside");
    page.wait_for_script("document.querySelectorAll('#beside-view .row[data-kind=\"+I\"]').length >= 2");
    page.find("#changelog .row[data-kind='+U']");
    page.click_text("#beside-view button", "table");
    page.wait_for_script("document.querySelectorAll('#beside-view .rows .row').length >= 2");
    page.screenshot("example-clicks-per-hour");
    page.assert_no_errors();
}

#[test]
fn bills_count_a_payment_once() {
    let page = Playground::open(&wide(), "");
    page.run_example(2);
    page.choose("#speed", "inf");
    page.choose("#rate-payments", "0");
    for (split, row) in
        [(0, ["1000001", "Zoe", "10.00"]), (1, ["1000001", "Zoe", "10.00"]), (0, ["1000002", "Zoe", "5.50"])]
    {
        page.send("payments", split, &row);
    }
    page.tab_of("sink");
    page.wait_for("Zoe's balance to be committed", || {
        page.committed().iter().any(|row| row[..] == ["Zoe", "15.50", "2"]).then_some(())
    });
    page.screenshot("example-bills");
    page.assert_no_errors();
}

#[test]
fn a_changelog_source_updates_and_deletes() {
    let page = Playground::open(&wide(), "");
    page.run_example(4);
    page.choose("#speed", "inf");
    page.choose("#rate-stock", "100");
    for kind in ["+I", "-U", "+U", "-D"] {
        page.find(&format!("#changelog .row[data-kind='{kind}'], [data-filter='{kind}']:enabled"));
        page.wait_for_script(&format!(
            "document.querySelector(`.source[data-table=stock] .recent`).textContent.includes('{kind}')"
        ));
    }
    page.choose("#rate-stock", "0");
    page.screenshot("example-changelog");
    page.assert_no_errors();
}

#[test]
fn examples_may_be_changed_quickly_and_checkpoint_pressed_twice() {
    let page = Playground::open(&wide(), "");
    for index in [1, 2, 4, 3, 1] {
        page.choose("#example", &index.to_string());
    }
    page.wait_until_live();
    page.wait_for_text("section[aria-label=Inputs] h2", "numbers");
    page.find("#checkpoint:enabled");
    page.script("const button = document.querySelector('#checkpoint'); button.click(); button.click();", &[]);
    page.wait_for("a checkpoint", || (page.completed() >= 1).then_some(()));
    let message = page.script("return document.querySelector('#message')?.textContent ?? '';", &[]);
    assert_eq!(message.as_str(), Some(""));
    page.screenshot("example-sums");
    page.assert_no_errors();
}

#[test]
fn every_query_of_nexmark_runs_to_its_end() {
    let page = Playground::open(&wide(), "");
    for query in 0..24 {
        page.choose("#example", &(5 + query).to_string());
        page.wait_for_script(&format!(
            "[...document.querySelectorAll('.jobs [role=tab]')].some((tab) => tab.textContent.includes('q{query}_sink'))"
        ));
        page.wait_for_text("#job-state", "FINISHED");
        // Ten seconds of the clock do not pass within the run.
        if query != 12 {
            page.click_text(".jobs [role=tab]", &format!("q{query}_sink"));
            page.wait_for_script("document.querySelectorAll('#changelog .rows .row').length > 0");
        }
    }
    page.assert_no_errors();
}
