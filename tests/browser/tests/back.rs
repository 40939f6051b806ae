//! Going back: to any place of the run, also to before the engine was lost, and forward again to the same.

use tidegate_browser_tests::{Options, Playground};

const TOTALS: &str = "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
SELECT product, SUM(amount) AS total FROM orders GROUP BY product;
";

fn wide() -> Options {
    Options { width: 1366, height: 768, ..Options::default() }
}

#[test]
fn back_by_rows_and_to_before_a_crash_and_forward_again() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    page.choose("#speed", "inf");
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    page.send("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["tea", "7"]]);
    page.click("#checkpoint");
    page.wait_for("the checkpoint", || (page.completed() == 1).then_some(()));
    page.crash("worker");
    page.wait_for_text("#message", "Resumed from checkpoint 1");
    page.wait_until_live();
    // What was before goes on.
    assert_eq!(page.completed(), 1);
    page.find("#timeline .crash");
    page.send("orders", 0, &["milk", "1"]);
    page.wait_for_table(&[&["tea", "7"], &["milk", "1"]]);
    page.click("#back-row");
    page.wait_for_table(&[&["tea", "7"]]);
    page.find("#past");
    page.screenshot("past");
    page.click("#back-row");
    // To before the crash.
    page.wait_for_table(&[&["tea", "3"]]);
    page.click("#back-row");
    page.wait_for_table(&[]);
    page.click("#step-row");
    page.wait_for_table(&[&["tea", "3"]]);
    page.travel(1_000_000);
    page.wait_for_table(&[&["tea", "7"], &["milk", "1"]]);
    page.wait_for_script("!document.querySelector('#past')");
    page.assert_no_errors();
}

/// The step that is shown, and the digest of all changelogs and all state there.
fn place(page: &Playground) -> (u64, String) {
    let step: String = page.text("#steps").chars().filter(char::is_ascii_digit).collect();
    page.click("#share");
    page.find("#digest");
    let digest = page.text("#digest");
    assert_eq!(digest.len(), 16, "{digest}");
    page.press(&["\u{e00c}"]);
    (step.parse().expect("a step"), digest)
}

#[test]
fn before_two_crashes_and_forward_again_to_the_same_bytes() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    page.choose("#speed", "inf");
    page.send("orders", 0, &["tea", "3"]);
    page.send("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["tea", "7"]]);
    let before = place(&page);
    page.checkpoint();
    page.crash("worker");
    page.wait_for_text("#message", "Resumed from checkpoint 1");
    page.wait_until_live();
    page.crash("job");
    page.wait_for_script("document.querySelectorAll('#timeline .crash').length === 2");
    page.wait_for_text("#job-state", "RUNNING");
    page.send("orders", 0, &["milk", "1"]);
    page.wait_for_table(&[&["tea", "7"], &["milk", "1"]]);
    let behind = place(&page);
    page.send("orders", 0, &["ink", "9"]);
    page.wait_for_table(&[&["tea", "7"], &["milk", "1"], &["ink", "9"]]);
    page.travel(before.0);
    page.wait_for_table(&[&["tea", "7"]]);
    assert_eq!(place(&page), before);
    // Over both crashes, by what was recorded.
    page.travel(behind.0);
    page.wait_for_table(&[&["tea", "7"], &["milk", "1"]]);
    assert_eq!(place(&page), behind);
    page.click("#back-element");
    page.wait_for_text("#past", &format!("Step {} of", behind.0 - 1));
    page.click("#to-now");
    page.wait_for_table(&[&["tea", "7"], &["milk", "1"], &["ink", "9"]]);
    page.assert_no_errors();
}

#[test]
fn to_a_checkpoint_by_its_name_and_by_its_mark() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    page.choose("#speed", "inf");
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    page.click("#checkpoint");
    page.wait_for("the checkpoint", || (page.completed() == 1).then_some(()));
    page.send("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["tea", "7"]]);
    let step = page.script(
        "return [...document.querySelectorAll('#go-to option')].find((one) => one.textContent.includes('heckpoint 1')).value;",
        &[],
    );
    page.choose("#go-to", step.as_str().unwrap_or_default());
    page.wait_for_text("#past", "Step ");
    page.wait_for_table(&[&["tea", "3"]]);
    page.click("#to-now");
    page.wait_for_table(&[&["tea", "7"]]);
    if !page.without_pointer() {
        page.click("#timeline .checkpoint");
        page.wait_for_table(&[&["tea", "3"]]);
        page.click("#to-now");
        page.wait_for_table(&[&["tea", "7"]]);
    }
    page.assert_no_errors();
}

#[test]
fn a_row_sent_in_the_past_cuts_off_what_came_after() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    page.choose("#speed", "inf");
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    page.send("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["tea", "7"]]);
    page.click("#back-row");
    page.wait_for_table(&[&["tea", "3"]]);
    page.send_off("orders", 0, &["milk", "5"]);
    page.wait_for_script("!document.querySelector('#past')");
    page.play(true);
    page.wait_for_table(&[&["tea", "3"], &["milk", "5"]]);
    // So it is kept.
    page.goto(&page.url());
    page.wait_for_text("#message", "Resumed");
    page.wait_for_table(&[&["tea", "3"], &["milk", "5"]]);
    page.assert_no_errors();
}

#[test]
fn a_batch_gives_what_the_stream_has_come_to() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    page.choose("#speed", "inf");
    page.send("orders", 0, &["tea", "3"]);
    page.send("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["tea", "7"]]);
    page.tab_of("batch");
    page.click("#compute-batch");
    page.wait_for_text("#batch", "equal: 1 row");
    page.screenshot("batch");
    page.assert_no_errors();
}

#[test]
fn a_batch_differs_where_the_stream_has_dropped_a_late_row() {
    let page = Playground::open(&wide(), "");
    page.run_example(3);
    page.choose("#speed", "inf");
    page.wait_for_text(".graph", "1 late");
    page.fill("#advance-readings-0", "2024-01-01 13:00:00");
    page.type_into("#advance-readings-0", "\u{e007}");
    page.wait_for_text(".source[data-table=readings] .watermark", "2024-01-01 13:00:00");
    page.tab_of("batch");
    page.click("#compute-batch");
    // The batch counts it, so the row of its window is another one: both are marked.
    page.wait_for_text("#batch", "2 rows differ");
    page.wait_for_text("#batch", "as of step");
    assert_eq!(page.find_all("#batch tr.differs").len(), 2);
    page.screenshot("batch-differs");
    page.assert_no_errors();
}

#[test]
fn a_batch_over_logs_and_generated_tables() {
    let page = Playground::open(&wide(), "");
    page.run_example(1);
    page.choose("#speed", "inf");
    page.wait_for("some rows", || (page.sent() > 20).then_some(()));
    page.choose("#rate-numbers", "0");
    page.play(false);
    page.tab_of("batch");
    page.click("#compute-batch");
    page.wait_for_text("#batch", "equal: 2 rows");
    page.screenshot("batch-log");
    page.assert_no_errors();
}

#[test]
fn the_speed_may_be_changed_while_the_past_plays() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    page.choose("#speed", "inf");
    page.choose("#rate-orders", "100");
    page.wait_for_script("Number(document.querySelector('#steps').textContent.replace(/\\D/g, '')) > 1500");
    page.choose("#rate-orders", "0");
    page.choose("#speed", "1");
    page.travel(10);
    page.wait_for_text("#past", "Step 10 of");
    page.play(true);
    page.choose("#speed", "inf");
    // At one step a second that would take many minutes.
    page.wait_for_script("!document.querySelector('#past')");
    page.assert_no_errors();
}
