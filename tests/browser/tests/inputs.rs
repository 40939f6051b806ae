//! Inputs: files by drop and paste, changelog rows by hand, watermarks.

use serde_json::json;
use tidegate_browser_tests::{Options, Playground};

fn wide() -> Options {
    Options { width: 1366, height: 768, ..Options::default() }
}

const STOCK: &str = "CREATE TABLE stock (id BIGINT, product STRING, pieces INT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
SELECT product, SUM(pieces) AS pieces FROM stock GROUP BY product;
";

fn paste(page: &Playground, table: &str, text: &str) {
    page.script(
        "const data = new DataTransfer(); data.setData('text/plain', arguments[1]);
         document.querySelector(`.source[data-table=${arguments[0]}] input`).dispatchEvent(
           new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));",
        &[json!(table), json!(text)],
    );
}

#[test]
fn files_come_in_by_drop_and_paste() {
    let page = Playground::open(&wide(), "");
    page.run_query(STOCK);
    paste(&page, "stock", "id,product,pieces\n1,tea,20\n2,\"milk, fresh\",5\n");
    page.wait_for_text("#message", "2 rows sent to stock, read as CSV");
    page.wait_for_table(&[&["tea", "20"], &["milk, fresh", "5"]]);

    page.give_file("stock", "more.jsonl", "{\"id\": 3, \"product\": \"tea\", \"pieces\": 7}\n");
    page.wait_for_text("#message", "1 row sent to stock, read as JSON lines");
    page.wait_for_table(&[&["tea", "27"], &["milk, fresh", "5"]]);

    let events = "{\"before\":{\"id\":3,\"product\":\"tea\",\"pieces\":7},\"after\":{\"id\":3,\"product\":\"tea\",\"pieces\":1},\"op\":\"u\"}
{\"before\":{\"id\":2,\"product\":\"milk, fresh\",\"pieces\":5},\"after\":null,\"op\":\"d\"}";
    page.give_file("stock", "debezium.json", events);
    page.wait_for_text("#message", "3 rows sent to stock, read as Debezium JSON");
    page.wait_for_table(&[&["tea", "21"]]);
    page.screenshot("files");

    // What does not fit is said with its line, and nothing of it is sent.
    let sent = page.sent();
    page.give_file("stock", "bad.csv", "9,rice,1\n10,salt,many\n");
    page.wait_for_text("#message", "Line 2, pieces");
    assert_eq!(page.sent(), sent);
    page.assert_no_errors();
}

#[test]
fn changelog_rows_are_sent_by_hand() {
    let page = Playground::open(&wide(), "");
    page.run_query(STOCK);
    page.send("stock", 0, &["1", "tea", "20"]);
    page.wait_for_table(&[&["tea", "20"]]);
    page.choose(".source[data-table=stock] .kind-choice", "-D");
    page.send("stock", 0, &["1", "tea", "20"]);
    page.wait_for_table(&[]);
    assert_eq!(page.changelog().last().map(|row| row[0].clone()).as_deref(), Some("-D"));
    page.wait_for_text(".source[data-table=stock] .recent", "-D");
    page.assert_no_errors();
}

#[test]
fn a_watermark_by_hand_closes_windows_and_late_rows_are_counted() {
    let page = Playground::open(&wide(), "");
    page.choose("#speed", "inf");
    page.run_example(3);
    page.choose("#speed", "inf");
    let until = "12:00:10";
    page.wait_for_table(&[&[until, "attic", "3", "22"], &[until, "cellar", "1", "12"]]);
    page.wait_for_text(".graph", "1 late");
    page.click_text(".source[data-table=readings] .watermark button", "Mark idle");
    page.wait_for_text(".source[data-table=readings] .watermark", "idle");
    page.fill("#advance-readings-0", "2024-01-01 12:00:30");
    page.type_into("#advance-readings-0", "\u{e007}");
    page.wait_for_text(".source[data-table=readings] .watermark", "2024-01-01 12:00:30");
    page.wait_for_script("document.querySelectorAll('#dynamic-table .rows .row').length === 5");
    page.screenshot("late-rows");
    page.assert_no_errors();
}

#[test]
fn a_large_file_comes_in_while_the_job_goes_on() {
    let page = Playground::open(&wide(), "");
    page.run_query(STOCK);
    page.choose("#speed", "inf");
    page.send("stock", 0, &["1", "tea", "20"]);
    page.wait_for_table(&[&["tea", "20"]]);
    // Several MB; the longest time between two frames is kept.
    page.script(
        "window.longest = 0; let last = performance.now();
         const steps = document.querySelector('#steps');
         const tick = () => { const now = performance.now(); window.longest = Math.max(window.longest, now - last); last = now; requestAnimationFrame(tick); };
         requestAnimationFrame(tick);
         const rows = ['id,product,pieces'];
         for (let i = 0; i < 150000; i += 1) rows.push(`${i + 10},\"product ${i % 50}\",1`);
         const data = new DataTransfer(); data.setData('text/plain', rows.join('\\n'));
         document.querySelector('.source[data-table=stock] input').dispatchEvent(
           new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));",
        &[],
    );
    page.wait_for_text("#message", "150\u{202f}000 rows sent to stock, read as CSV");
    page.wait_for_script("!document.querySelector('#trouble')");
    page.wait_for_script("document.querySelector('#dynamic-table .label').textContent.includes('51 rows')");
    page.wait_for("all rows to be summed", || {
        page.table().iter().any(|row| row[..] == ["product 1", "3000"]).then_some(())
    });
    page.screenshot("large-file");
    page.assert_no_errors();
}

#[test]
fn a_field_takes_what_fits_and_says_what_it_sends() {
    let page = Playground::open(&wide(), "");
    page.run_query(
        "CREATE TABLE visits (n BIGINT, name STRING) WITH ('connector' = 'inline');
SELECT name, COUNT(*) AS visits, SUM(n) AS total FROM visits GROUP BY name;
",
    );
    page.send_off("visits", 0, &["1.5", "Mary"]);
    page.wait_for_text(".field.wrong .why", "'1.5' is no BIGINT");
    assert_eq!(page.sent(), 0);
    // Empty: NULL for a number, the empty text for a text; the word NULL is NULL for both.
    page.fill("[id=\"visits-0-0\"]", "");
    page.fill("[id=\"visits-0-1\"]", "");
    page.wait_for_script(
        "[...document.querySelectorAll('.field .sends')].map((one) => one.textContent).join() === \"NULL,''\"",
    );
    page.screenshot("what-is-sent");
    page.type_into("[id=\"visits-0-1\"]", "\u{e007}");
    page.wait_for_table(&[&["", "1", "NULL"]]);
    page.send("visits", 0, &["2", "NULL"]);
    page.wait_for_table(&[&["", "1", "NULL"], &["NULL", "1", "2"]]);
    // The state says NULL too where a sum is NULL.
    page.tab_of("state");
    page.wait_for_text("#state .rows", "sum(total)=NULL");
    page.assert_no_errors();
}

#[test]
fn files_of_another_make() {
    let page = Playground::open(&wide(), "");
    page.run_query(STOCK);
    page.give_file(
        "stock",
        "array.json",
        "[\n {\"id\": 1, \"product\": \"tea\", \"pieces\": 2},\n {\"id\": 2, \"product\": \"tea\", \"pieces\": 3}\n]\n",
    );
    page.wait_for_text("#message", "2 rows sent to stock, read as a JSON array");
    page.wait_for_table(&[&["tea", "5"]]);
    page.give_file("stock", "other.csv", "id;product;pieces\n1;tea;20\n");
    page.wait_for_text("#message", "semicolons");
    page.assert_no_errors();
}

#[test]
fn what_is_no_text_is_not_sent() {
    let page = Playground::open(&wide(), "");
    page.run_query(STOCK);
    page.script(
        "const data = new DataTransfer(); data.items.add(new File([new Uint8Array([49, 44, 77, 228, 114, 121, 44, 50])], 'old.csv'));
         const source = document.querySelector('.source[data-table=stock]');
         source.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));",
        &[],
    );
    page.wait_for_text("#message", "old.csv is not a text in UTF-8");
    // Nor is a file without a row, nor two at once.
    let drop = |files: &str| {
        page.script(
            &format!(
                "const data = new DataTransfer();
                 for (const text of {files}) data.items.add(new File([text], 'new.csv'));
                 const source = document.querySelector('.source[data-table=stock]');
                 source.dispatchEvent(new DragEvent('drop', {{ dataTransfer: data, bubbles: true, cancelable: true }}));"
            ),
            &[],
        );
    };
    drop("[' \\n']");
    page.wait_for_text("#message", "There is nothing in it");
    drop("['1,milk,2', '2,tea,1']");
    page.wait_for_text("#message", "One file at a time");
    assert_eq!(page.sent(), 0);
    page.assert_no_errors();
}

#[test]
fn the_next_row_is_a_row_and_no_watermark() {
    let page = Playground::open(&wide(), "");
    page.run_example(3);
    page.play(false);
    // All at its start again, with hardly any time going by.
    page.choose("#speed", "1");
    page.click("#run");
    // What was in a pause goes on with the new run.
    page.find("#play[aria-label=Pause]");
    page.play(false);
    let read = || -> u64 {
        let text = page.texts(".graph .subtask").into_iter().next().unwrap_or_default();
        let figures: Vec<&str> =
            text.split(|char: char| !char.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
        assert!(!figures.is_empty(), "{text}");
        page.script(
            "return Number([...document.querySelectorAll('.graph .subtask .figure')].map((one) => one.textContent).find((text) => text.includes('out') || text.includes('read')).match(/\\d+/)[0]);",
            &[],
        )
        .as_u64()
        .unwrap_or_default()
    };
    let before = read();
    for more in 1..=4 {
        page.click("#step-row");
        page.wait_for("one more row", || (read() == before + more).then_some(()));
    }
    page.assert_no_errors();
}
