//! Results: a million rows of changelog, kinds, flashes, state, files.

use serde_json::json;
use tidegate_browser_tests::{Options, Playground};

fn wide() -> Options {
    Options { width: 1366, height: 768, ..Options::default() }
}

const MILLION: &str = "CREATE TABLE numbers (n BIGINT)
WITH ('connector' = 'datagen', 'fields.n.kind' = 'sequence', 'fields.n.start' = '0', 'fields.n.end' = '1199999', 'rows-per-second' = '10000000');
SELECT n, n * 2 AS doubled FROM numbers;
";

const LIST: &str = "#changelog .rows";

/// The number of the first changelog row in view, once the rows at hand are those of that place.
fn first_in_view(page: &Playground) -> i64 {
    let place = page.wait_for_script(
        "(() => {
           const list = document.querySelector('#changelog .rows'), top = list.getBoundingClientRect().top;
           const row = [...list.querySelectorAll('.row')].find((row) => row.getBoundingClientRect().bottom > top + 12);
           if (!row || row.getBoundingClientRect().top > top + 24) return null;
           return Number(row.dataset.number) + 1;
         })()",
    );
    place.as_i64().unwrap_or_default() - 1
}

#[test]
fn any_of_a_million_rows_can_be_reached() {
    let page = Playground::open(&Options { scroll_bars: true, ..wide() }, "");
    page.choose("#speed", "inf");
    page.run_query(MILLION);
    page.wait_for_text("#job-state", "FINISHED");
    page.wait_for_text("#changelog-total", "1.2M rows");
    // The rows come a frame after the count.
    page.wait_for_script("Number(document.querySelector('#changelog .rows .row')?.dataset.number ?? 0) > 1199000");
    page.wait_for_text("#changelog-total", "kept");
    // Nothing of it is cut off, nor of the offsets of rows that far on.
    page.wait_for_text(".recent .number", "#1199999");
    let cut = page.script(
        "return [...document.querySelectorAll('#changelog-total, #changelog .foot > *, .recent .number')]
           .filter((one) => one.scrollWidth > one.clientWidth || one.getBoundingClientRect().right > one.parentElement.getBoundingClientRect().right)
           .map((one) => one.textContent)
           .concat([...document.querySelectorAll('.recent .number')].filter((one) => {
             const text = document.createRange(); text.selectNodeContents(one);
             return text.getBoundingClientRect().right + 6 > one.nextElementSibling.getBoundingClientRect().left;
           }).map((one) => `${one.textContent} meets its value`));",
        &[],
    );
    assert_eq!(cut, json!([]));

    // Home and End.
    page.click(LIST);
    page.press(&["\u{e011}"]);
    page.wait_for_script("document.querySelector('#changelog .rows').dataset.first === '0'");
    let oldest = first_in_view(&page);
    // A million at least, in whole chunks.
    assert!((190_000..=200_000).contains(&oldest), "the oldest kept is {oldest}");
    page.screenshot("million-rows-home");
    page.press(&["\u{e010}"]);
    page.wait_for_script("document.querySelector('#changelog .rows .row:last-child').dataset.number === '1199999'");
    page.screenshot("million-rows-end");

    // The scroll bar dragged to the middle; then the wheel and the keys go row by row.
    let bar = page.script(
        "const list = document.querySelector(arguments[0]), box = list.getBoundingClientRect();
         return [box.right - (list.offsetWidth - list.clientWidth) / 2, box.top, box.height];",
        &[json!(LIST)],
    );
    let [x, top, height] = [0, 1, 2].map(|place| bar[place].as_f64().unwrap_or_default());
    page.drag((x, top + height - 22.0), (x, top + height / 2.0));
    page.wait_for_script("Math.abs(Number(document.querySelector('#changelog .rows').dataset.first) - 500000) < 60000");
    let middle = first_in_view(&page);
    page.wheel(LIST, 48);
    page.wait_for_script(&format!(
        "document.querySelector('#changelog .rows').dataset.first !== '{}'",
        middle - oldest
    ));
    let after = first_in_view(&page);
    assert!((1..=3).contains(&(after - middle)), "a turn of the wheel led from {middle} to {after}");
    page.focus(LIST);
    page.press(&["\u{e015}"]);
    page.wait_for("one row further", || (first_in_view(&page) == after + 1).then_some(()));
    // The value is that row's.
    let number = after + 1;
    page.wait_for_script(&format!(
        "document.querySelector('#changelog .row[data-number=\"{number}\"]').children[1].textContent === '{number}'"
    ));
    page.screenshot("million-rows-middle");
    page.assert_no_errors();
}

#[test]
fn the_newest_rows_are_in_view_however_fast_they_come() {
    let page = Playground::open(&wide(), "");
    page.choose("#speed", "inf");
    page.choose("#rate-clicks", "1000");
    page.wait_for_script("Number(document.querySelector('#changelog .rows').dataset.total) > 3000");
    let empty = page.script(
        "return new Promise((done) => {
           let frames = 0, empty = 0;
           const tick = () => {
             const list = document.querySelector('#changelog .rows'), box = list.getBoundingClientRect();
             const seen = [...list.querySelectorAll('.row')].map((row) => row.getBoundingClientRect())
               .filter((row) => row.bottom > box.top + 4 && row.top < box.bottom - 4);
             empty += seen.length < 4 ? 1 : 0;
             frames += 1;
             frames < 120 ? requestAnimationFrame(tick) : done(empty);
           };
           requestAnimationFrame(tick);
         });",
        &[],
    );
    assert_eq!(empty, json!(0), "frames without rows");
    page.assert_no_errors();
}

const TOTALS: &str = "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
SELECT product, SUM(amount) AS total FROM orders GROUP BY product;
";

#[test]
fn kinds_can_be_singled_out_and_changes_flash() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    for (product, amount) in [("tea", "3"), ("milk", "5"), ("tea", "4"), ("milk", "1")] {
        page.send("orders", 0, &[product, amount]);
    }
    page.wait_for_table(&[&["milk", "6"], &["tea", "7"]]);
    page.find("#dynamic-table .slot.flash, #dynamic-table .slot.flash-again");

    page.click("[data-filter='+U']");
    page.wait_for("the updates alone", || {
        (page.changelog() == [["+U", "tea", "7"], ["+U", "milk", "6"]]).then_some(())
    });
    page.click("[data-filter='-U']");
    page.wait_for("both halves", || (page.changelog().len() == 4).then_some(()));
    page.screenshot("kinds");
    page.click("[data-filter='-U']");
    page.click("[data-filter='+U']");
    page.wait_for("all again", || (page.changelog().len() == 6).then_some(()));
    page.assert_no_errors();
}

#[test]
fn results_become_files() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    page.send("orders", 0, &["tea, green", "3"]);
    page.send("orders", 0, &["tea, green", "4"]);
    page.wait_for_table(&[&["tea, green", "7"]]);
    page.script(
        "window.kept = [];
         const real = URL.createObjectURL;
         URL.createObjectURL = (blob) => { blob.text().then((text) => window.kept.push(text)); return real.call(URL, blob); };",
        &[],
    );
    for (which, wanted) in [
        ("changelog-csv", "kind,product,total\n+I,\"tea, green\",3\n-U,\"tea, green\",3\n+U,\"tea, green\",7\n"),
        ("table-json", "{\"product\":\"tea, green\",\"total\":7}\n"),
    ] {
        page.click("#download");
        page.click(&format!("#download-{which}"));
        let text = page.wait_for_script("window.kept.pop()");
        assert_eq!(text.as_str(), Some(wanted));
    }
    page.assert_no_errors();
}

#[test]
fn state_is_shown_by_operator_and_key() {
    let page = Playground::open(&wide(), "");
    page.run_query(&format!("SET 'parallelism.default' = '2';\n{TOTALS}"));
    for product in ["tea", "milk", "rice", "salt"] {
        page.send("orders", 0, &[product, "3"]);
    }
    page.tab_of("state");
    page.wait_for_text("#state select", "GroupAggregate");
    page.wait_for_script("document.querySelectorAll('#state .rows .row').length === 4");
    let text = page.text("#state .rows");
    assert!(["tea", "milk", "rice", "salt"].iter().all(|key| text.contains(key)), "{text}");
    page.screenshot("state");
    page.assert_no_errors();
}

#[test]
fn each_result_of_a_statement_set_can_be_chosen() {
    let page = Playground::open(&wide(), "");
    page.choose("#speed", "inf");
    page.run_query(
        "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
CREATE TABLE sums (product STRING, total BIGINT, PRIMARY KEY (product) NOT ENFORCED) WITH ('connector' = 'table', 'table-name' = 'sums');
CREATE TABLE seen (product STRING) WITH ('connector' = 'print');
EXECUTE STATEMENT SET BEGIN
INSERT INTO sums SELECT product, SUM(amount) FROM orders GROUP BY product;
INSERT INTO seen SELECT product FROM orders WHERE amount > 3;
INSERT INTO sums SELECT 'all', SUM(amount) FROM orders;
END;
",
    );
    page.send("orders", 0, &["tea", "3"]);
    page.send("orders", 0, &["milk", "5"]);
    page.wait_for_table(&[&["tea", "3"], &["milk", "5"]]);
    assert_eq!(page.texts("#result option"), ["sums (1)", "seen", "sums (2)"]);
    page.choose("#result", "1");
    page.wait_for_table(&[&["milk"]]);
    page.wait_for_text("#changelog-total", "1 row");
    assert_eq!(page.changelog(), [["+I", "milk"]]);
    page.screenshot("statement-set");
    page.choose("#result", "2");
    page.wait_for_table(&[&["all", "8"]]);
    page.tab_of("batch");
    page.click("#compute-batch");
    page.wait_for_text("#batch .label", "equal: 1 row");
    // Two statements write to one table, which is one place.
    page.click("#checkpoint");
    page.tab_of("sink");
    page.wait_for_committed(&[&["tea", "3"], &["milk", "5"], &["all", "8"]]);
    assert_eq!(page.find_all(".reader").len(), 2);
    page.assert_no_errors();
}

#[test]
fn a_result_is_shown_as_a_stream_carries_it() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    for (product, amount) in [("tea", "3"), ("tea", "4")] {
        page.send("orders", 0, &[product, amount]);
    }
    page.wait_for_table(&[&["tea", "7"]]);
    page.choose("#encoding", "retract");
    page.wait_for("messages to add and to retract", || {
        (page.changelog() == [["add", "tea", "3"], ["retract", "tea", "3"], ["add", "tea", "7"]]).then_some(())
    });
    page.choose("#encoding", "upsert");
    page.wait_for("messages under the key", || {
        (page.changelog() == [["upsert", "tea", "3"], ["upsert", "tea", "7"]]).then_some(())
    });
    page.screenshot("upsert-stream");
    page.choose("#encoding", "append");
    page.wait_for_text("#no-encoding", "can only add");
    page.choose("#encoding", "changelog");
    page.wait_for("the kinds again", || (page.changelog().len() == 3).then_some(()));
    page.assert_no_errors();
}

#[test]
fn a_large_sink_is_counted_whole() {
    let page = Playground::open(&wide(), "");
    page.choose("#speed", "inf");
    page.run_query(
        "CREATE TABLE numbers (n BIGINT)
WITH ('connector' = 'datagen', 'fields.n.kind' = 'sequence', 'fields.n.start' = '0', 'fields.n.end' = '1299', 'rows-per-second' = '10000000');
CREATE TABLE kept (n BIGINT, PRIMARY KEY (n) NOT ENFORCED)
WITH ('connector' = 'table', 'table-name' = 'kept', 'sink.delivery-guarantee' = 'exactly-once');
CREATE TABLE told (n BIGINT)
WITH ('connector' = 'log', 'topic' = 'told', 'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'told');
INSERT INTO kept SELECT n FROM numbers;
INSERT INTO told SELECT n FROM numbers;
",
    );
    for (job, sink) in [(1, "kept"), (2, "told")] {
        page.click(&format!(".jobs [role=tab]:nth-child({job})"));
        page.wait_for_text("#job-state", "FINISHED");
        page.tab_of("sink");
        let counted = format!("200 of 1\u{202f}300 rows of {sink} shown");
        page.wait_for_text("#committed .label", &counted);
        page.wait_for_text("#uncommitted .label", &counted);
        assert_eq!(page.committed().len(), 200);
    }
    page.screenshot("large-sink");
    page.assert_no_errors();
}
