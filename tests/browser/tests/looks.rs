//! What holds of the whole page: accessible, still in place while data flow, usable from the keyboard, at any width.

use tidegate_browser_tests::{Options, Playground};

fn wide() -> Options {
    Options { width: 1366, height: 768, ..Options::default() }
}

fn assert_accessible(page: &Playground, what: &str) {
    let found = page.axe();
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

#[test]
fn accessible_in_every_tab_light_and_dark() {
    for dark in [false, true] {
        let page = Playground::open(&Options { dark, ..wide() }, "");
        page.run_example(1);
        page.choose("#speed", "inf");
        page.wait_for_script("document.querySelectorAll('#dynamic-table .rows .row').length === 2");
        page.click("#checkpoint");
        page.find(".checkpoint-count");
        // A flash on its way is no state to judge.
        page.choose("#rate-numbers", "0");
        page.play(false);
        page.wait_for_script("document.getAnimations().every((one) => one.playState !== 'running')");
        for tab in ["changelog", "state", "checkpoints", "sink", "commit", "faults", "plan"] {
            page.tab_of(tab);
            assert_accessible(&page, tab);
            page.screenshot(&format!("tab-{tab}-{}", if dark { "dark" } else { "light" }));
        }
        page.tab_of("faults");
        page.click("#faults-compared");
        page.find("#outcomes .outcome");
        assert_accessible(&page, "guarantees side by side");
        page.screenshot(&format!("tab-guarantees-{}", if dark { "dark" } else { "light" }));
        page.click("#compare-bills");
        page.find("#amounts tbody tr");
        page.click("#bills-step:enabled");
        page.find("#bills .batch, #bills-say");
        assert_accessible(&page, "the bill service, twice");
        page.screenshot(&format!("tab-bills-{}", if dark { "dark" } else { "light" }));
        page.tab_of("checkpoints");
        page.click("#checkpoints-compared");
        page.click("#compare-modes");
        page.wait_for_text("#costs-say", "4000 of 4000 ms");
        assert_accessible(&page, "what a checkpoint costs");
        page.screenshot(&format!("tab-costs-{}", if dark { "dark" } else { "light" }));
        page.click("#crash");
        assert_accessible(&page, "the crash menu");
        page.press(&["\u{e00c}"]);
        page.click("#words");
        page.find("#words-menu:popover-open");
        assert_accessible(&page, "words and keys");
        page.screenshot(if dark { "words-dark" } else { "words-light" });
        page.press(&["\u{e00c}"]);
        page.click("#share");
        page.find("#digest");
        assert_accessible(&page, "the share menu");
        page.press(&["\u{e00c}"]);
        page.click("#back-row");
        page.find("#past");
        assert_accessible(&page, "the past");
        page.click("#to-now");
        page.wait_for_script("!document.querySelector('#past')");
        page.assert_no_errors();
    }
}

#[test]
fn accessible_on_a_narrow_screen_and_with_errors() {
    let page = Playground::open(&Options { width: 360, height: 740, ..Options::default() }, "");
    page.play(false);
    for region in ["Query", "Inputs", "Dataflow", "Results"] {
        page.click_text(".regions button", region);
        page.find(&format!("section[aria-label={region}].shown"));
        assert_accessible(&page, region);
    }
    page.click_text(".regions button", "Query");
    page.write_query("SELECT nothing FROM nowhere");
    page.find("#problems");
    assert_accessible(&page, "with an error");
    page.assert_no_errors();
}

/// What of the panel in sight leaves the view, or is cut off without being scrolled; and of strips of tabs, whether they say where they go on.
const AT_360: &str = "
const bad = [];
const scrolls = (one) => one && (/auto|scroll/.test(getComputedStyle(one).overflowX) ? one : scrolls(one.parentElement));
for (const one of document.querySelectorAll('header *, footer *, .regions *, .region.shown *')) {
  const box = one.getBoundingClientRect();
  if (box.width <= 1 || box.height <= 1 || one.closest('[popover], svg, .cm-editor, .unseen')) continue;
  const strip = scrolls(one.parentElement);
  if (box.right > innerWidth + 1 && !(strip && strip.scrollWidth > strip.clientWidth)) bad.push(`${one.id || one.className || one.tagName} ends at ${Math.round(box.right)}`);
}
for (const strip of document.querySelectorAll('.region.shown .tablist')) {
  const [all, own] = [strip, strip.querySelector('[aria-selected=true]')].map((one) => one.getBoundingClientRect());
  if (own.left < all.left - 1 || own.right > all.right + 1) bad.push(`${strip.ariaLabel}: the chosen tab is out of sight`);
  const more = strip.dataset.more ?? '';
  if (more.includes('right') !== strip.scrollWidth - strip.clientWidth - strip.scrollLeft > 2) bad.push(`${strip.ariaLabel} goes on at the right and says '${more}'`);
  if (more.includes('left') !== strip.scrollLeft > 2) bad.push(`${strip.ariaLabel} goes on at the left and says '${more}'`);
}
return bad;";

#[test]
fn every_tab_fits_360_px() {
    let page = Playground::open(&Options { width: 360, height: 740, ..Options::default() }, "");
    let assert_fits = |what: &str| {
        let mut found = serde_json::Value::Null;
        page.screenshot(&format!("narrow-{what}"));
        for _ in 0..20 {
            // What it says of its edges comes a frame later.
            page.script(
                "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))));",
                &[],
            );
            found = page.script(AT_360, &[]);
            if found == serde_json::json!([]) {
                return;
            }
        }
        panic!("{what}: {found}");
    };
    page.run_example(1);
    page.choose("#speed", "inf");
    page.click("#checkpoint");
    page.find(".checkpoint-count");
    for region in ["Query", "Inputs", "Dataflow", "Results"] {
        page.click_text(".regions button", region);
        page.find(&format!("section[aria-label={region}].shown"));
        assert_fits(&region.to_lowercase());
    }
    for tab in ["changelog", "state", "checkpoints", "sink", "commit", "faults", "plan", "batch"] {
        page.tab_of(tab);
        assert_fits(tab);
    }
    // A place of the run can be chosen here, too.
    page.wait_for_script("document.querySelector('#go-to').getBoundingClientRect().width > 40");
    page.tab_of("faults");
    page.click("#faults-compared");
    page.find("#outcomes .outcome");
    assert_fits("nine");
    page.click("#compare-bills");
    page.find("#amounts tbody tr");
    page.click("#bills-step:enabled");
    page.find("#bills .batch, #bills-say");
    assert_fits("bills");
    page.tab_of("checkpoints");
    page.click("#checkpoints-compared");
    page.click("#compare-modes");
    page.wait_for_text("#costs-say", "4000 of 4000 ms");
    assert_fits("costs");
    // Two jobs: the second one's tab comes into sight once it is chosen.
    page.run_example(0);
    page.tab_of("changelog");
    page.click(".jobs [role=tab]:nth-child(2)");
    page.find(".jobs [role=tab]:nth-child(2)[aria-selected=true]");
    assert_fits("second-job");
    page.assert_no_errors();
}

#[test]
fn words_that_go_on_below_say_so() {
    let page = Playground::open(&Options { width: 1366, height: 600, ..Options::default() }, "");
    page.click("#words");
    page.find("#words-menu:popover-open .scroll[data-more~=below]");
    page.screenshot("words-go-on");
    page.script(
        "const words = document.querySelector('#words-menu .scroll'); words.scrollTop = words.scrollHeight;",
        &[],
    );
    page.find("#words-menu .scroll[data-more~=above]:not([data-more~=below])");
    page.assert_no_errors();
}

#[test]
fn nothing_shifts_while_data_flow() {
    for options in [wide(), Options { width: 360, height: 740, ..Options::default() }] {
        let page = Playground::open(&options, "");
        page.choose("#speed", "inf");
        page.choose("#rate-clicks", "100");
        page.wait_for("two hundred rows", || (page.sent() > 200 || options.width < 700).then_some(()));
        page.wait_for_script("Number(document.querySelector('#changelog .rows').dataset.total) > 200");
        page.assert_no_errors();
    }
}

#[test]
fn all_of_it_works_from_the_keyboard() {
    let page = Playground::open(&wide(), "");
    // Into the editor and out again: Escape, then Tab.
    page.script("document.querySelector('.cm-content').focus();", &[]);
    page.press(&["\u{e00c}", "\u{e004}"]);
    page.wait_for_script("!document.activeElement.closest('.cm-editor')");
    // From there, Tab comes by every control that there is, and back to the beginning.
    let mut seen = Vec::new();
    for _ in 0..120 {
        let at = page.script(
            "const one = document.activeElement; return one.id || one.getAttribute('aria-label') || one.textContent.trim().slice(0, 24);",
            &[],
        );
        seen.push(at.as_str().unwrap_or_default().to_owned());
        page.press(&["\u{e004}"]);
    }
    for wanted in [
        "clicks-0-0",
        "Send",
        "rate-clicks",
        "Dataflow graph",
        "tab-changelog",
        "Changelog",
        "The result beside",
        "play",
        "step-element",
        "speed",
        "checkpoint",
        "crash",
        "example",
        "theme",
        "Between left and right",
    ] {
        assert!(seen.iter().any(|one| one.contains(wanted)), "Tab never came to {wanted}: {seen:?}");
    }
    // A crash without a pointer.
    page.script("document.querySelector('#crash').focus();", &[]);
    page.press(&["\u{e007}"]);
    page.find("#crash-menu:popover-open");
    page.press(&["\u{e004}", "\u{e004}", "\u{e007}"]);
    page.wait_for_script("document.querySelector('#timeline .mark.crash')");
    page.wait_for_text("#job-state", "RUNNING");
    page.assert_no_errors();
}

#[test]
fn accessible_in_a_frame_and_with_a_batch() {
    for dark in [false, true] {
        let page =
            Playground::open(&Options { width: 760, height: 420, dark, ..Options::default() }, "?embed=1&example=1");
        page.find("#changelog .row[data-kind='+U']");
        page.play(false);
        page.wait_for_script("document.getAnimations().every((one) => one.playState !== 'running')");
        assert_accessible(&page, "a frame");
        page.screenshot(if dark { "embed-dark" } else { "embed-light" });
        page.tab_of("batch");
        page.click("#compute-batch");
        page.find("#batch tbody tr");
        assert_accessible(&page, "a batch in a frame");
        page.assert_no_errors();
    }
}

#[test]
fn fits_every_width() {
    for (width, height) in [
        (320, 640),
        (500, 800),
        (701, 900),
        (820, 1180),
        (960, 540),
        (1024, 600),
        (1121, 700),
        (2560, 1440),
        (3840, 2160),
    ] {
        let page = Playground::open(&Options { width, height, ..Options::default() }, "");
        page.find("#changelog .row[data-kind='+U']");
        let beyond = page.script(
            "return [...document.querySelectorAll('header *, footer *, section[aria-label=Results] .tabs > *, .foot > *')].filter((one) => {
               const box = one.getBoundingClientRect();
               return box.width > 1 && !one.closest('[popover], .tablist, .shows') && (box.right > innerWidth + 1 || box.left < -1);
             }).map((one) => one.id || one.className || one.textContent.slice(0, 20)).concat(
               document.documentElement.scrollWidth > innerWidth ? [`${document.documentElement.scrollWidth} px wide`] : []);",
            &[],
        );
        assert_eq!(beyond, serde_json::json!([]), "at {width} px");
        page.screenshot(&format!("width-{width}"));
        page.assert_no_errors();
    }
}

#[test]
fn worth_showing_wide_and_with_reduced_motion() {
    let page = Playground::open(&Options { width: 1920, height: 1080, ..Options::default() }, "");
    page.run_example(1);
    page.find("#changelog .row[data-kind='+U']");
    page.screenshot("wide-1920");
    page.assert_no_errors();
    let page = Playground::open(&Options { reduced_motion: true, dark: true, ..wide() }, "");
    page.find("#changelog .row[data-kind='+U']");
    let running =
        page.script("return document.getAnimations().filter((one) => one.playState === 'running').length;", &[]);
    assert_eq!(running.as_u64(), Some(0), "something moves");
    page.screenshot("reduced-motion-dark");
    page.assert_no_errors();
}
