//! An engine that traps or does not come back: a named error, a page that lives, and a way on.

use tidegate_browser_tests::{Options, Playground};

/// Hands the engine's worker to the test, and holds its answers back on demand.
const SPY: &str = "
const Real = window.Worker;
window.Worker = class extends Real {
  constructor(address, options) {
    super(address, options);
    if (String(address).includes('tidegate-engine')) window.engine = this;
  }
  set onmessage(listener) {
    super.onmessage = (event) => { if (!window.silent) listener.call(this, event); };
  }
};";

const TOTALS: &str = "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
SELECT product, SUM(amount) AS total FROM orders GROUP BY product;
";

fn wide() -> Options {
    Options { width: 1366, height: 768, ..Options::default() }
}

#[test]
fn a_trap_is_named_and_restore_is_offered() {
    let page = Playground::open_with_script(&wide(), SPY);
    page.run_query(TOTALS);
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    page.script("window.engine.postMessage('nonsense');", &[]);
    page.wait_for_text("#trouble", "TG9004");
    page.screenshot("trap");
    page.click("#restore");
    page.wait_for_text("#message", "Resumed");
    page.wait_for_table(&[&["tea", "3"]]);
    page.send("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["tea", "7"]]);
    page.assert_no_errors();
}

#[test]
fn a_query_without_end_is_stopped() {
    let page = Playground::open_with_script(&wide(), SPY);
    page.run_query(TOTALS);
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    page.script("window.silent = true;", &[]);
    page.wait_for_text("#trouble", "TG9007");
    page.script("window.silent = false;", &[]);
    page.screenshot("without-end");
    page.write_query(&TOTALS.replace("SUM(amount) AS total", "COUNT(*) AS orders"));
    page.click("#afresh");
    page.wait_for_text("#changelog .row.head", "orders");
    page.wait_until_live();
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "1"]]);
    page.assert_no_errors();
}

#[test]
fn a_row_that_fails_the_job_is_named_and_the_job_stops_in_the_end() {
    let page = Playground::open(&wide(), "");
    page.run_query(
        "CREATE TABLE numbers (n BIGINT) WITH ('connector' = 'inline');
CREATE TABLE sums (odd BIGINT, total BIGINT, PRIMARY KEY (odd) NOT ENFORCED)
WITH ('connector' = 'table', 'table-name' = 'sums');
SELECT COUNT(*) AS numbers FROM numbers;
INSERT INTO sums SELECT MOD(n, 2), SUM(n) FROM numbers GROUP BY MOD(n, 2);
",
    );
    page.choose("#speed", "inf");
    page.send("numbers", 0, &["NULL"]);
    page.wait_for_table(&[&["1"]]);
    // The second job's tab tells of it while the first is shown.
    page.wait_for_text(".jobs [role=tab]:last-child .job-state", "FAILED");
    page.click(".jobs [role=tab]:last-child");
    page.wait_for_text("#failure", "Column 'odd'");
    page.wait_for_text("#failure", "sink 'sums'");
    page.wait_for_text("#failure", "odd = NULL");
    page.wait_for_text("#failure", "started again 3 times");
    page.wait_for_text("#job-state", "FAILED");
    page.screenshot("failed-for-good");
    // It goes on from its beginning, without that row.
    page.click("#run-again");
    page.wait_for_text("#job-state", "RUNNING");
    page.wait_for_script("!document.querySelector('#failure')");
    page.send("numbers", 0, &["3"]);
    page.wait_for_table(&[&["1", "3"]]);
    page.assert_no_errors();
}
