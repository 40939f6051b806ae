//! Writing a query, sending rows, seeing what comes of them.

use tidegate_browser_tests::{Options, Playground};

const ORDERS: &str = "CREATE TABLE orders (
  product STRING,
  amount INT
) WITH ('connector' = 'inline');

SELECT product, SUM(amount) AS total
FROM orders
GROUP BY product;
";

#[test]
fn a_first_visit_shows_a_running_example() {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    page.find("#changelog .row[data-kind='+U']");
    let shown = page.script("return performance.now();", &[]);
    println!("{} ms after the page began", shown.as_f64().unwrap_or_default());
    assert!(shown.as_f64().is_some_and(|ms| ms < 10_000.0), "rows only after {shown} ms");
    // The other result beside it, then its own table.
    page.wait_for_script("document.querySelectorAll('#beside-view .row[data-kind=\"+I\"]').length >= 2");
    page.click("#beside");
    page.wait_for_script("document.querySelectorAll('#dynamic-table .rows .row').length >= 3");
    // The five rows of the example were there before the generator's.
    page.wait_for_script("document.querySelectorAll('#changelog .rows .row').length >= 7");
    page.screenshot("first-visit");
    page.assert_no_errors();
}

#[test]
fn types_a_query_sends_rows_and_sees_retractions() {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    page.run_query(ORDERS);
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    page.send("orders", 0, &["milk", "5"]);
    page.send("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["milk", "5"], &["tea", "7"]]);
    let rows = page.changelog();
    assert_eq!(rows, [["+I", "tea", "3"], ["+I", "milk", "5"], ["-U", "tea", "3"], ["+U", "tea", "7"]]);
    let because = page.texts("#changelog .rows .row:last-child .cell:last-child");
    assert_eq!(because, ["orders #2"], "which input row caused it");

    // With real keys: another aggregate, and Ctrl+Enter.
    page.click(".cm-content");
    page.press(&["\u{e009}\u{e011}"]);
    page.write_query(&ORDERS.replace("SUM(amount) AS total", "MAX(amount) AS largest"));
    page.wait_for_text("section[aria-label=Query] h2", "changed since it was run");
    page.press(&["\u{e009}\u{e007}"]);
    page.wait_for_text("#changelog .row.head", "largest");
    page.send("orders", 0, &["tea", "3"]);
    page.send("orders", 0, &["tea", "9"]);
    page.wait_for_table(&[&["tea", "9"]]);
    page.screenshot("retractions");

    // A value that does not fit is said at its field, and nothing is sent.
    page.fill("[id=\"orders-0-1\"]", "many");
    page.type_into("[id=\"orders-0-1\"]", "\u{e007}");
    page.find(".field.wrong .why");
    assert_eq!(page.sent(), 2);
    page.screenshot("refused-value");
    page.assert_no_errors();
}

#[test]
fn errors_are_underlined_in_place_with_code_and_hint() {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    page.write_query(&ORDERS.replace("GROUP BY product", "GROUP product"));
    page.find(".cm-lintRange-error");
    page.wait_for_text("#problems", "TG1");
    page.screenshot("syntax-error");

    page.write_query(&ORDERS.replace("SUM(amount)", "SUM(amout)"));
    page.wait_for_text("#problems", "TG2");
    page.wait_for_text("#problems", "amount");
    page.wait_for_script(
        "[...document.querySelectorAll('.cm-lintRange-error')].some((mark) => mark.textContent === 'amout')",
    );
    // What runs goes on, and the error's button leads to its place.
    page.find("#play[aria-label=Pause]");
    page.click("#problems button");
    page.wait_for_script("document.activeElement.classList.contains('cm-content')");
    page.screenshot("unknown-column");

    // Mended, the underline goes.
    page.write_query(ORDERS);
    page.wait_for_script("!document.querySelector('.cm-lintRange-error') && !document.querySelector('#problems')");
    page.assert_no_errors();
}

#[test]
fn every_statement_has_a_tab_and_other_statements_answer() {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    page.run_query(&format!("{ORDERS}\nSHOW TABLES;\nSELECT COUNT(*) AS orders FROM orders;\n"));
    page.wait_for_text(".notes", "orders");
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    page.click(".jobs [role=tab]:last-child");
    page.wait_for_table(&[&["1"]]);
    page.tab_of("plan");
    page.wait_for_text("#plan", "GroupAggregate");
    page.tab_of("state");
    page.find("#state .rows .row");
    page.screenshot("two-jobs");
    page.assert_no_errors();
}

#[test]
fn fits_a_narrow_screen_and_the_dark() {
    let page = Playground::open(&Options { width: 360, height: 740, dark: true, ..Options::default() }, "");
    page.find("#changelog .row[data-kind='+U']");
    for region in ["Query", "Inputs", "Dataflow", "Results"] {
        page.click_text(".regions button", region);
        page.find(&format!("section[aria-label={region}].shown"));
        page.screenshot(&format!("narrow-{}", region.to_lowercase()));
        let wide = page.script("return document.documentElement.scrollWidth;", &[]);
        assert!(wide.as_u64().is_some_and(|wide| wide <= 360), "{region} is {wide} px wide");
        let cut = page.script(
            "return [...document.querySelectorAll('button, select, input')].filter((one) => {
               const box = one.getBoundingClientRect();
               return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1);
             }).map((one) => one.id || one.textContent);",
            &[],
        );
        let cut = cut.as_array().map_or(0, Vec::len);
        assert!(cut == 0 || region == "Results", "{cut} controls of {region} are cut off");
    }
    page.assert_no_errors();

    let page = Playground::open(&Options { width: 1366, height: 768, dark: true, ..Options::default() }, "");
    page.find("#changelog .row[data-kind='+U']");
    page.screenshot("dark");
    page.assert_no_errors();
}

#[test]
fn tables_columns_and_functions_are_completed() {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    let script = ORDERS.replace("SELECT product, SUM(amount) AS total\nFROM orders\nGROUP BY product;\n", "SELECT ");
    page.write_query(&script);
    // Typed with real keys; Enter takes the first offer.
    for (typed, offered) in [("prod", "product"), ("CHAR_LEN", "CHAR_LENGTH"), ("ord", "orders")] {
        page.wait_for(&format!("{offered} to be offered"), || {
            page.write_query(&script);
            page.press(&["\u{e009}\u{e010}"]);
            let keys: Vec<String> = typed.chars().map(String::from).collect();
            page.press(&keys.iter().map(String::as_str).collect::<Vec<_>>());
            page.find(".cm-content");
            let offers = page.script(
                "return new Promise((done) => {
                   let left = 40;
                   const look = () => {
                     const offers = [...document.querySelectorAll('.cm-tooltip-autocomplete .cm-completionLabel')].map((one) => one.textContent);
                     left -= 1;
                     offers.length || left === 0 ? done(offers) : requestAnimationFrame(look);
                   };
                   look();
                 });",
                &[],
            );
            offers.as_array().is_some_and(|all| all.iter().any(|one| one == offered)).then_some(())
        });
    }
    page.screenshot("completion");
    page.assert_no_errors();
}

#[test]
fn a_large_text_does_not_stop_what_runs() {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    page.run_query(ORDERS);
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    let list = |count: u32| (0..count).map(|number| (number * 7).to_string()).collect::<Vec<_>>().join(",");
    let select = |count: u32| format!("{ORDERS}SELECT amount FROM orders WHERE amount IN ({});\n", list(count));
    page.write_query(&select(30_000));
    page.wait_for_text("section[aria-label=Query] h2", "changed since it was run");
    page.send("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["tea", "7"]]);
    // It runs, too.
    page.click("#run");
    page.wait_for_script("document.querySelectorAll('.jobs [role=tab]').length === 2");
    page.wait_until_live();
    page.settled();
    page.send("orders", 0, &["milk", "14"]);
    page.wait_for_table(&[&["milk", "14"]]);
    // What is longer is refused by name before anything is read.
    page.write_query(&select(60_000));
    page.wait_for_text("#problems", "TG9114");
    page.click("#run");
    page.send("orders", 0, &["milk", "1"]);
    page.wait_for_table(&[&["milk", "15"]]);
    page.screenshot("long-script");
    page.assert_no_errors();
}

#[test]
fn an_example_over_a_text_of_ones_own_can_be_undone() {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    page.write_query("SELECT 'not run yet';\n");
    page.wait_for_text("section[aria-label=Query] h2", "changed since it was run");
    page.run_example(1);
    page.wait_for_text("#message", "brings your text back");
    page.wait_for_text(".cm-content", "Odd and even");
    page.click(".cm-content");
    page.press(&["\u{e009}z"]);
    page.wait_for_text(".cm-content", "not run yet");
    // On the way through several of them the word stays.
    page.run_example(2);
    page.wait_for_text("#message", "brings your text back");
    page.run_example(3);
    page.wait_for_text(".cm-content", "Late");
    page.wait_for_text("#message", "brings your text back");
    page.assert_no_errors();
}

#[test]
fn a_script_without_a_query_says_so() {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    page.write_query("CREATE TABLE orders (product STRING) WITH ('connector' = 'inline');\nSHOW TABLES;\n");
    page.wait_for_text("section[aria-label=Query] h2", "changed since it was run");
    page.click("#run");
    page.wait_for_text("#query-state", "no query");
    page.wait_for_text(".notes", "orders");
    page.assert_no_errors();
}

#[test]
fn a_setting_without_effect_is_remarked_on() {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    page.run_query(&format!(
        "SET 'table.exec.mini-batch.enabled' = 'true';\nSET 'parallelism.default' = '2';\n{ORDERS}"
    ));
    page.wait_for_text(".notes", "'table.exec.mini-batch.enabled' has no effect here");
    // What went well is no news.
    assert_eq!(page.find_all(".notes > *").len(), 1);
    page.screenshot("setting-without-effect");
    page.assert_no_errors();
}

#[test]
fn escape_leads_out_of_the_editor_and_of_an_expanded_region() {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    page.click("section[aria-label=Query] .expand");
    page.find("main.one");
    page.click(".cm-content");
    page.wait_for_script("getComputedStyle(document.querySelector('#editor-keys')).opacity === '1'");
    page.screenshot("editor-keys");
    page.press(&["\u{e00c}"]);
    page.find("main:not(.one)");
    page.press(&["\u{e004}"]);
    page.wait_for_script("!document.querySelector('.cm-content').contains(document.activeElement)");
    page.click("section[aria-label=Dataflow] .expand");
    page.find("main.one");
    page.press(&["\u{e00c}"]);
    page.find("main:not(.one)");
    page.assert_no_errors();
}
