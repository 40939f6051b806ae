//! What outlives the page: reloads, duplicated tabs, and browsers that keep nothing.

use tidegate_browser_tests::{Options, Playground};

fn wide() -> Options {
    Options { width: 1366, height: 768, ..Options::default() }
}

const TOTALS: &str = "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
SELECT product, SUM(amount) AS total FROM orders GROUP BY product;
";

#[test]
fn a_reload_resumes_from_the_last_completed_checkpoint_and_says_so() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    page.send("orders", 0, &["tea", "3"]);
    page.send("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["tea", "7"]]);
    page.click("#checkpoint");
    page.wait_for_script("document.querySelector('.checkpoint-count')?.textContent === '1'");
    page.send("orders", 0, &["milk", "1"]);
    page.wait_for_table(&[&["tea", "7"], &["milk", "1"]]);
    page.reload();
    page.wait_until_live();
    page.wait_for_text("#message", "Resumed from checkpoint 1");
    page.wait_for_table(&[&["tea", "7"], &["milk", "1"]]);
    assert_eq!(page.changelog(), [["+I", "tea", "3"], ["-U", "tea", "3"], ["+U", "tea", "7"], ["+I", "milk", "1"]]);
    assert_eq!(page.sent(), 3);
    page.screenshot("resumed");
    page.send("orders", 0, &["tea", "1"]);
    page.wait_for_table(&[&["tea", "8"], &["milk", "1"]]);

    // Without a checkpoint, the input is replayed from its start.
    page.run_query(&TOTALS.replace("SUM(amount) AS total", "COUNT(*) AS orders"));
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "1"]]);
    page.reload();
    page.wait_until_live();
    page.wait_for_text("#message", "No checkpoint had completed");
    page.wait_for_table(&[&["tea", "1"]]);
    page.assert_no_errors();
}

#[test]
fn a_duplicated_tab_goes_its_own_way() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    let first = page.tab();
    // As "Duplicate" does: session storage is copied.
    page.script("window.open(location.href);", &[]);
    let second = page.wait_for("the second tab", || page.tabs().into_iter().find(|tab| *tab != first));
    page.switch_to(&second);
    page.wait_until_live();
    page.wait_for_text("#message", "Resumed");
    page.wait_for_table(&[&["tea", "3"]]);
    page.send("orders", 0, &["tea", "10"]);
    page.wait_for_table(&[&["tea", "13"]]);
    page.assert_no_errors();

    // The first has not heard of it, and goes on.
    page.switch_to(&first);
    page.send("orders", 0, &["milk", "1"]);
    page.wait_for_table(&[&["tea", "3"], &["milk", "1"]]);
    page.reload();
    page.wait_until_live();
    page.wait_for_table(&[&["tea", "3"], &["milk", "1"]]);

    // A tab of its own begins with the example.
    page.new_tab();
    page.goto(&page.url());
    page.wait_until_live();
    page.wait_for_text("section[aria-label=Inputs] h2", "clicks");
    page.assert_no_errors();
}

#[test]
fn works_in_memory_where_the_browser_keeps_nothing() {
    let page = Playground::open(&Options { deny_storage: true, ..wide() }, "");
    page.wait_for_text("#storage", "In memory");
    page.run_query(TOTALS);
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    page.click("#checkpoint");
    page.wait_for_script("document.querySelector('.checkpoint-count')?.textContent === '1'");
    page.screenshot("in-memory");
    // The store's worker still outlives the engine's.
    page.crash("worker");
    page.wait_for_text("#message", "Resumed from checkpoint 1");
    page.send("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["tea", "7"]]);
    page.assert_no_errors();
}

#[test]
fn workspaces_that_nobody_comes_back_to_go() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    // One unused for a month, one since yesterday, one that another page holds.
    page.script(
        "const open = (name, store) => new Promise((done, failed) => {
           const request = indexedDB.open(name, 1);
           request.onupgradeneeded = () => request.result.createObjectStore(store);
           request.onsuccess = () => done(request.result);
           request.onerror = () => failed(request.error);
         });
         return (async () => {
           const day = 24 * 3600 * 1000;
           for (const name of ['old', 'recent', 'held']) (await open(`tidegate:${name}`, 'entries')).close();
           const register = await open('tidegate-workspaces', 'used');
           const change = register.transaction('used', 'readwrite');
           for (const [name, age] of [['old', 30], ['recent', 1], ['held', 30]]) {
             change.objectStore('used').put(Date.now() - age * day, name);
           }
           await new Promise((done) => { change.oncomplete = done; });
           register.close();
         })();",
        &[],
    );
    let tab = page.tab();
    page.new_tab();
    page.goto(&page.url());
    page.script("navigator.locks.request('tidegate:held', () => new Promise(() => {}));", &[]);
    page.switch_to(&tab);
    page.reload();
    page.wait_until_live();
    let names = "return indexedDB.databases().then((all) => all.map((one) => one.name).sort());";
    page.wait_for("the old one to go", || {
        let all = page.script(names, &[]);
        let all: Vec<&str> = all.as_array().into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
        assert!(all.contains(&"tidegate:recent") && all.contains(&"tidegate:held"), "{all:?}");
        (!all.contains(&"tidegate:old")).then_some(())
    });
    page.wait_for_table(&[&["tea", "3"]]);
    page.assert_no_errors();
}

#[test]
fn an_address_that_names_an_example_opens_it_and_a_choice_names_it() {
    let page = Playground::open(&wide(), "?example=1");
    page.wait_for_text("section[aria-label=Inputs] h2", "clicks");
    page.goto(&format!("{}?example=2", page.url()));
    page.wait_until_live();
    page.wait_for_text("section[aria-label=Inputs] h2", "numbers");
    page.run_example(3);
    assert!(page.address().ends_with("?example=4"), "{}", page.address());
    page.wait_for_text("section[aria-label=Inputs] h2", "readings");
    // Loaded again it goes on; a query of one's own is no example.
    page.reload();
    page.wait_for_text("#message", "Resumed");
    page.wait_until_live();
    page.run_query(TOTALS);
    page.wait_for_script("!location.search.includes('example')");
    page.assert_no_errors();
}

#[test]
fn text_that_was_not_run_outlives_a_reload() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    let draft = TOTALS.replace("SUM(amount) AS total", "MAX(amount) AS largest");
    page.write_query(&draft);
    page.wait_for_text("#query-state", "changed since it was run");
    page.reload();
    page.wait_until_live();
    page.wait_for_text("#message", "not run yet");
    page.wait_for_text("#query-state", "not run yet");
    page.wait_for_text(".cm-content", "largest");
    page.wait_for_table(&[&["tea", "3"]]);
    page.screenshot("draft");
    page.click("#run");
    page.wait_for_text("#changelog .row.head", "largest");
    page.wait_for_text("#query-state", "continuous");
    page.reload();
    page.wait_until_live();
    page.wait_for_text("#query-state", "continuous");
    page.assert_no_errors();
}

#[test]
fn a_reload_in_a_pause_says_what_waits() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    page.play(false);
    for amount in ["1", "2", "3"] {
        page.send("orders", 0, &["tea", amount]);
    }
    page.wait_for_text("#sentence", "3 rows wait");
    page.reload();
    page.wait_until_live();
    page.wait_for_text("#sentence", "paused · 3 rows wait");
    page.screenshot("paused-reload");
    page.click("#step-row");
    page.wait_for_text("#sentence", "2 rows wait");
    page.assert_no_errors();
}

#[test]
fn a_workspace_of_another_build_is_begun_afresh_and_its_text_kept() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    page.script(
        "const id = sessionStorage.getItem('tidegate.workspace');
         return new Promise((done, failed) => {
           const request = indexedDB.open(`tidegate:${id}`);
           request.onerror = () => failed(request.error);
           request.onsuccess = () => {
             const change = request.result.transaction('entries', 'readwrite');
             const text = new TextEncoder();
             change.objectStore('entries').put(text.encode('an earlier one'), text.encode('session/build'));
             change.oncomplete = () => { request.result.close(); done(true); };
           };
         });",
        &[],
    );
    page.reload();
    page.wait_until_live();
    page.wait_for_text("#message", "another version of Tidegate");
    page.wait_for_text("#message", "runs afresh");
    page.wait_for_text(".cm-content", "SUM(amount)");
    page.screenshot("another-build");
    page.send("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["tea", "4"]]);
    page.assert_no_errors();
}
