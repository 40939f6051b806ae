//! What a query may not use up: memory and time. The engine stops with a name, the page lives and goes on.

use tidegate_browser_tests::{Options, Playground};

fn wide() -> Options {
    Options { width: 1366, height: 768, ..Options::default() }
}

const ORDERS: &str = "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');\n";
const TOTALS: &str = "SELECT product, SUM(amount) AS total FROM orders GROUP BY product;\n";

#[test]
fn memory_that_runs_out_is_named() {
    let page = Playground::open(&wide(), "?memory-limit=96");
    // Three million bytes become 180 million.
    page.run_query(&format!("{ORDERS}{TOTALS}SELECT REPEAT(REPEAT(product, 1000000), amount) AS text FROM orders;\n"));
    page.send("orders", 0, &["tea", "1"]);
    page.wait_for_table(&[&["tea", "1"]]);
    page.send_off("orders", 0, &["tea", "60"]);
    page.wait_for_text("#trouble", "TG9005");
    page.screenshot("memory");
    page.write_query(&format!("{ORDERS}{TOTALS}"));
    page.click("#afresh");
    page.wait_until_live();
    // The count of before may still be on the screen.
    page.send_off("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["tea", "4"]]);
    page.assert_no_errors();
}

#[test]
fn a_query_that_does_not_come_to_an_end_is_stopped() {
    let page = Playground::open(&wide(), "");
    // Half a million places, at each of which hundreds of thousands of characters fit before the last does not.
    page.run_query(&format!(
        "{ORDERS}SELECT product FROM orders WHERE REPEAT(product, 1000000) LIKE '%' || REPEAT(product, 400000) || '_b';\n"
    ));
    page.send_off("orders", 0, &["a", "1"]);
    page.wait_for_text("#trouble", "TG9007");
    page.screenshot("endless");
    page.write_query(&format!("{ORDERS}{TOTALS}"));
    page.click("#afresh");
    page.wait_until_live();
    // The count of before may still be on the screen.
    page.send_off("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["tea", "4"]]);
    page.assert_no_errors();
}
