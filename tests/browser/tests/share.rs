//! A run handed on: as a link to a fresh profile, as a file, and in the frames of another page.

use serde_json::json;
use tidegate_browser_tests::{Browser, Options, Playground, Site};

const TOTALS: &str = "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
SELECT product, SUM(amount) AS total FROM orders GROUP BY product;
";

fn wide() -> Options {
    Options { width: 1366, height: 768, ..Options::default() }
}

/// The changelog on screen as one text.
fn changelog(page: &Playground) -> String {
    page.changelog().into_iter().map(|row| row.join(" ")).collect::<Vec<_>>().join("\n")
}

/// Runs two rows and gives the link of the run.
fn shared(page: &Playground) -> String {
    page.run_query(TOTALS);
    page.choose("#speed", "inf");
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    page.send("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["tea", "7"]]);
    page.click("#share");
    page.find("#share-link");
    let link = page.script("return document.querySelector('#share-link').value;", &[]);
    link.as_str().unwrap_or_default().to_owned()
}

/// What the open menu says of the run.
fn digest_of(page: &Playground) -> String {
    page.find("#digest");
    let digest = page.text("#digest");
    assert_eq!(digest.len(), 16, "{digest}");
    digest
}

#[test]
fn a_run_that_is_too_long_for_a_link_goes_by_file() {
    let page = Playground::open(&wide(), "");
    page.run_query(TOTALS);
    page.choose("#speed", "inf");
    // Texts that hardly get shorter by packing.
    page.script(
        "let state = 7; const next = () => { state = (state * 1103515245 + 12345) % 2147483648; return state.toString(36); };
         const rows = Array.from({ length: 3000 }, (_, i) => `${next()}${next()}${next()},${i % 9}`);
         const data = new DataTransfer(); data.setData('text/plain', rows.join('\\n'));
         document.querySelector('.source[data-table=orders] input').dispatchEvent(
           new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));",
        &[],
    );
    page.wait_for_script("document.querySelector('#dynamic-table .label')?.textContent.replace(/\\D/g, '') === '3000'");
    page.play(false);
    page.click("#share");
    page.wait_for_text("#share-long", "more than 32 kB");
    page.screenshot("share-file");
    let digest = digest_of(&page);
    // The file as the browser would keep it.
    page.script(
        "window.kept = null;
         URL.createObjectURL = (blob) => { blob.text().then((text) => { window.kept = text; }); return 'about:blank#'; };
         HTMLAnchorElement.prototype.click = () => {};
         document.querySelector('#share-file').click();",
        &[],
    );
    page.wait_for_script("window.kept !== null");
    let text = page.script("return window.kept;", &[]);
    page.assert_no_errors();

    let other = Playground::open(&wide(), "");
    other.click("#share");
    other.script(
        "const data = new DataTransfer(); data.items.add(new File([arguments[0]], 'run.tidegate'));
         const input = document.querySelector('#open-file'); input.files = data.files;
         input.dispatchEvent(new Event('change', { bubbles: true }));",
        &[text],
    );
    other.wait_for_text("#message", "Opened from a link");
    other
        .wait_for_script("document.querySelector('#dynamic-table .label')?.textContent.replace(/\\D/g, '') === '3000'");
    other.click("#share");
    assert_eq!(digest_of(&other), digest);
    other.assert_no_errors();
}

#[test]
fn a_link_gives_the_same_run_to_a_fresh_profile_also_where_storage_is_slow() {
    let page = Playground::open(&wide(), "");
    let link = shared(&page);
    page.screenshot("share");
    let digest = digest_of(&page);
    let fragment = link.split_once('#').map_or("", |(_, fragment)| fragment);
    assert!(fragment.len() > 100, "{link}");
    for query in ["", "?store-delay=150"] {
        let other = Playground::open(&wide(), &format!("{query}#{fragment}"));
        other.wait_for_text("#message", "Opened from a link");
        other.wait_for_table(&[&["tea", "7"]]);
        assert_eq!(changelog(&other), changelog(&page));
        other.click("#share");
        assert_eq!(digest_of(&other), digest);
        other.press(&["\u{e00c}"]);
        other.wait_for_text(".cm-content", "SUM(amount)");
        // And it goes on.
        other.play(true);
        other.send("orders", 0, &["milk", "1"]);
        other.wait_for_table(&[&["tea", "7"], &["milk", "1"]]);
        other.assert_no_errors();
    }
    page.assert_no_errors();
}

#[test]
fn a_run_that_has_begun_from_a_savepoint_is_handed_on_with_its_state() {
    let page = Playground::open(&wide(), "");
    page.run_query(&TOTALS.replace("SUM(amount)", "SUM(amount) * 2"));
    page.choose("#speed", "inf");
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "6"]]);
    page.tab_of("checkpoints");
    page.click("#savepoint:enabled");
    page.find("#run-from-1:enabled");
    page.write_query(&TOTALS.replace("SUM(amount)", "SUM(amount) * 10"));
    page.click("#run-from-1:enabled");
    page.wait_for_text("#message", "Begun from savepoint 1");
    page.wait_until_live();
    page.settled();
    page.tab_of("changelog");
    page.send("orders", 0, &["tea", "4"]);
    page.wait_for_script("document.querySelector('#dynamic-table')?.textContent.includes('70')");
    page.play(false);
    page.click("#share");
    page.find("#share-link");
    let link = page.script("return document.querySelector('#share-link').value;", &[]);
    let digest = digest_of(&page);
    let fragment = link.as_str().and_then(|link| link.split_once('#')).map_or("", |(_, fragment)| fragment);
    let other = Playground::open(&wide(), &format!("#{fragment}"));
    other.wait_for_text("#message", "Opened from a link");
    other.wait_for_script("document.querySelector('#dynamic-table')?.textContent.includes('70')");
    other.wait_for_text(".cm-content", "* 10");
    other.click("#share");
    assert_eq!(digest_of(&other), digest);
    other.press(&["\u{e00c}"]);
    other.play(true);
    other.send("orders", 0, &["tea", "1"]);
    other.wait_for_script("document.querySelector('#dynamic-table')?.textContent.includes('80')");
    page.assert_no_errors();
    other.assert_no_errors();
}

#[test]
fn a_documentation_page_with_three_frames() {
    let site = Site::built().serve();
    let browser = Browser::start(&wide());
    browser.goto(&site.url("/docs.html"));
    let frames = [
        ("changelog", ".changelog .row", "1", "", "420px"),
        ("checkpoints", "#checkpoints", "2", "dark", "420px"),
        ("plan", ".plan", "1", "light", "360px"),
    ];
    for (tab, wanted, example, theme, height) in frames {
        let frame = format!("#frame-{tab}");
        browser.script("document.querySelector(arguments[0]).scrollIntoView();", &[json!(frame)]);
        let inside = format!("document.querySelector('{frame}').contentDocument?");
        browser.wait_for_script(&format!("!!{inside}.querySelector('[data-embed] main[data-live=true] {wanted}')"));
        browser.frame(Some(&frame));
        // First tab, theme and height are the address's; the result comes first and the editor is folded.
        browser.find(&format!("#tab-{tab}[aria-selected=true]"));
        let root = browser.script(
            "const root = document.documentElement;
             return [root.dataset.theme ?? '', root.style.getPropertyValue('--embed-height'),
               getComputedStyle(document.querySelector('section[aria-label=Query]')).display,
               getComputedStyle(document.querySelector('section[aria-label=Results]')).display];",
            &[],
        );
        assert_eq!(root, json!([theme, height, "none", "flex"]), "{tab}");
        browser.click_text(".regions button", "Query");
        browser.find("section[aria-label=Query].shown .cm-content");
        browser.click_text(".regions button", "Results");
        let full = browser.attribute("#open-full", "href").unwrap_or_default();
        assert!(full.contains(&format!("example={example}")) && !full.contains("embed"), "{full}");
        browser.frame(None);
        browser.screenshot(&format!("frame-{tab}"));
    }
    browser.assert_no_errors();
}

#[test]
fn a_frame_that_is_too_low_is_as_low_as_it_can_be_used() {
    let page =
        Playground::open(&Options { width: 720, height: 400, ..Options::default() }, "?embed=1&example=1&height=10");
    page.find("#changelog .row[data-kind='+U']");
    page.play(false);
    page.settled();
    page.screenshot("embed-lowest");
    let seen = page.script(
        "const body = document.body.getBoundingClientRect(), list = document.querySelector('#changelog .rows').getBoundingClientRect();
         const inside = (one) => { const box = document.querySelector(one).getBoundingClientRect();
           return box.width > 30 && box.left >= 0 && box.right <= innerWidth && box.bottom <= body.bottom + 1; };
         return [body.height, list.height >= 72, ['#play', '#step-row', '#back-row', '#go-to', '#open-full', '.regions'].filter((one) => !inside(one))];",
        &[],
    );
    assert_eq!(seen, json!([240, true, []]));
    // A place of the run can be gone to from here as well.
    page.play(true);
    page.click("#checkpoint");
    page.wait_for_event("heckpoint 1");
    page.assert_no_errors();
}

#[test]
fn a_frame_far_from_the_view_loads_nothing_yet() {
    let site = Site::built().serve();
    let browser = Browser::start(&wide());
    browser.goto(&site.url("/docs.html"));
    // Also where its author has left `loading="lazy"` out.
    browser.script(
        "const space = document.createElement('div'); space.style.height = '6000px';
         const frame = document.createElement('iframe'); frame.id = 'far'; frame.height = 420; frame.src = './?embed=1&example=1';
         document.querySelector('main').append(space, frame);",
        &[],
    );
    let inside = "document.querySelector('#far').contentDocument";
    browser
        .wait_for_script(&format!("{inside}?.readyState === 'complete' && !!{inside}.querySelector('#not-started')"));
    browser.wait_for_script(
        "!!document.querySelector('#frame-changelog').contentDocument?.querySelector('main[data-live=true] .changelog .row')",
    );
    let loaded = browser.script(
        &format!("return {inside}.defaultView.performance.getEntriesByType('resource').map((one) => one.name).filter((name) => /engine|store|editor/.test(name));"),
        &[],
    );
    assert_eq!(loaded, json!([]), "nobody has come near it yet");
    let live = format!("!!{inside}.querySelector('main[data-live=true] .changelog .row')");
    assert_eq!(browser.script(&format!("return {live};"), &[]), json!(false));
    browser.script("document.querySelector('#far').scrollIntoView();", &[]);
    browser.wait_for_script(&live);
    browser.assert_no_errors();
}

#[test]
fn the_wheel_at_a_frames_end_moves_the_page_around_it() {
    let site = Site::built().serve();
    let browser = Browser::start(&wide());
    browser.goto(&site.url("/docs.html"));
    browser.script("document.querySelector('#frame-changelog').scrollIntoView({ block: 'center' });", &[]);
    let rows = "document.querySelector('#frame-changelog').contentDocument?.querySelector('#changelog .rows')";
    // More rows than fit, at their end.
    browser.wait_for_script(&format!("{rows} && {rows}.scrollHeight > {rows}.clientHeight + 100"));
    browser.wait_for_script(&format!("{rows}.scrollTop + {rows}.clientHeight >= {rows}.scrollHeight - 2"));
    let before = browser.script("return scrollY;", &[]).as_f64().unwrap_or_default();
    browser.wheel("#frame-changelog", 300);
    browser.wait_for_script(&format!("scrollY > {before} + 100"));
    // And upwards the rows go first.
    let at = browser.script("return scrollY;", &[]);
    browser.wheel("#frame-changelog", -60);
    browser.wait_for_script(&format!("{rows}.scrollTop + {rows}.clientHeight < {rows}.scrollHeight - 20"));
    assert_eq!(browser.script("return scrollY;", &[]), at);
    browser.assert_no_errors();
}

#[test]
fn the_code_of_a_frame_can_be_copied() {
    let page = Playground::open(&wide(), "");
    shared(&page);
    page.press(&["\u{e00c}"]);
    page.tab_of("plan");
    page.click("#share");
    page.find("#copy-embed");
    page.choose("#embed-theme", "dark");
    page.fill("#embed-height", "500");
    page.script(
        "window.copied = null;
         Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } });",
        &[],
    );
    page.click("#copy-embed");
    page.wait_for_text("#message", "The code of the frame is copied");
    let code = page.script("return window.copied;", &[]);
    let other = Browser::start(&wide());
    other.goto(&format!("{}docs.html", page.url()));
    other.script(
        "const place = document.createElement('div'); place.innerHTML = arguments[0]; place.firstChild.id = 'copied';
         document.querySelector('h1').after(place);",
        std::slice::from_ref(&code),
    );
    let code = code.as_str().unwrap_or_default();
    assert!(code.contains("tab=plan") && code.contains("theme=dark") && code.contains("height=\"500\""), "{code}");
    other.wait_for_script("!!document.querySelector('#copied').contentDocument?.querySelector('#plan')");
    other.frame(Some("#copied"));
    other.click("#tab-changelog");
    other.wait_for_script(
        "[...document.querySelectorAll('#dynamic-table .rows .row')].some((row) => row.textContent === 'tea7')",
    );
    assert_eq!(other.attribute("html", "data-theme").as_deref(), Some("dark"));
    other.frame(None);
    other.screenshot("copied-frame");
    other.assert_no_errors();
}
