//! Measures the page of the site in a folder, and prints the figures as JSON: a part of `cargo xtask bench`.
//!
//! - `first_row_ms`: from navigation to the first row of a result, each time in a fresh profile, over 10 Mbit/s with 40 ms before each answer.
//! - `frames`: intervals between frames, and the page's long tasks, while the engine counts by key at full speed.
//! - `changelog_page`: from a jump to about row 999,000 of a million to the frame that shows the row.

// Held to by the engine; here somebody waits for a browser.
#![allow(clippy::disallowed_methods)]

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tidegate_browser_tests::{Options, Playground, Site};

const BUSY: &str = "CREATE TABLE numbers (k BIGINT, v BIGINT)
WITH ('connector' = 'datagen', 'fields.k.min' = '0', 'fields.k.max' = '9999', 'rows-per-second' = '100000000');
SELECT k, COUNT(*) AS c, SUM(v) AS s FROM numbers GROUP BY k;
";
const MILLION: &str = "CREATE TABLE numbers (n BIGINT)
WITH ('connector' = 'datagen', 'fields.n.kind' = 'sequence', 'fields.n.start' = '0', 'fields.n.end' = '999999', 'rows-per-second' = '10000000');
SELECT n, n * 2 AS doubled FROM numbers;
";

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().expect("usage: page-bench FOLDER [--quick]");
    let quick = args.next().is_some_and(|flag| flag == "--quick");
    let (runs, seconds, jumps) = if quick { (1, 2, 10) } else { (5, 10, 60) };
    let folder = Path::new(&folder);
    let figures = json!({
        "first_row_ms": first_row(folder, runs),
        "frames": frames(folder, seconds),
        "changelog_page": changelog_page(folder, jumps),
    });
    println!("{figures}");
}

fn first_row(folder: &Path, runs: usize) -> Value {
    // The page's clock begins with the navigation.
    let script = "const look = () => {
        if (document.querySelector('#changelog .rows .row')) window.firstRow = performance.now(); else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);";
    let site = || Site::folder(folder).line(10e6, Duration::from_millis(40));
    let times: Vec<f64> = (0..runs)
        .map(|_| {
            let page = Playground::open_site(site(), &Options::default(), script);
            page.wait_for_script("window.firstRow").as_f64().expect("a time")
        })
        .collect();
    json!({ "median": at(&times, 0.5), "min": at(&times, 0.0), "max": at(&times, 1.0), "floor": 2500 })
}

fn frames(folder: &Path, seconds: u64) -> Value {
    let page = Playground::open_site(Site::folder(folder), &wide(), "");
    page.choose("#speed", "inf");
    page.run_query(BUSY);
    page.script(
        "window.frames_ms = []; window.tasks_ms = [0];
         new PerformanceObserver((list) => list.getEntries().forEach((task) => window.tasks_ms.push(task.duration))).observe({ type: 'longtask' });
         let last = performance.now(); const end = last + arguments[0] * 1000;
         const frame = (now) => {
           window.frames_ms.push(now - last); last = now;
           if (now < end) requestAnimationFrame(frame); else window.measured = true;
         };
         requestAnimationFrame((now) => { last = now; requestAnimationFrame(frame); });",
        &[json!(seconds)],
    );
    std::thread::sleep(Duration::from_secs(seconds));
    page.wait_for_script("window.measured");
    // To the row in what a pointer is told; the text beside it is rounded.
    let shown = page.attribute("#changelog-total", "title").unwrap_or_default();
    let said = shown.split(" · ").nth(1).and_then(|rows| rows.split("row").next()).unwrap_or_default();
    let rows: String = said.chars().filter(char::is_ascii_digit).collect();
    assert!(
        rows.parse().is_ok_and(|rows: u64| rows > 100_000),
        "the engine was to be at full speed, and has given: {shown}"
    );
    let [frames, tasks] =
        ["frames_ms", "tasks_ms"].map(|name| numbers(&page.script(&format!("return window.{name};"), &[])));
    json!({
        "median_ms": at(&frames, 0.5), "p95_ms": at(&frames, 0.95), "max_ms": at(&frames, 1.0), "frames": frames.len(),
        "longest_task_ms": at(&tasks, 1.0), "changelog_rows": rows.parse::<u64>().unwrap_or_default(), "floor_p95_ms": 20, "floor_task_ms": 50,
    })
}

fn changelog_page(folder: &Path, jumps: usize) -> Value {
    let page = Playground::open_site(Site::folder(folder), &wide(), "");
    page.choose("#speed", "inf");
    page.run_query(MILLION);
    let deadline = Instant::now() + Duration::from_secs(120);
    while !page.text("#job-state").contains("FINISHED") {
        assert!(Instant::now() < deadline, "a million rows take more than two minutes");
        std::thread::sleep(Duration::from_millis(200));
    }
    page.wait_for_script(
        "Number(document.querySelector('#changelog .rows .row:last-child')?.dataset.number ?? 0) === 999999",
    );
    let mut times = Vec::new();
    for jump in 0..jumps {
        // Far away first, so that nothing of the place is at hand.
        for (place, counts) in [(jump as f64 * 0.01, false), (0.999 + jump as f64 * 1e-6, true)] {
            page.script(
                "window.reached = undefined;
                 const list = document.querySelector('#changelog .rows'), from = performance.now();
                 // By hand: what else moves a list from its end is not followed.
                 list.dispatchEvent(new WheelEvent('wheel', { deltaY: -1, bubbles: true }));
                 list.scrollTop = (list.scrollHeight - list.clientHeight) * arguments[0];
                 const wanted = arguments[0] * 1e6;
                 const look = () => {
                   const shown = [...list.querySelectorAll('.row')].map((row) => Number(row.dataset.number));
                   if (shown.some((number) => Math.abs(number - wanted) < 60)) window.reached = performance.now() - from;
                   else requestAnimationFrame(look);
                 };
                 requestAnimationFrame(look);",
                &[json!(place)],
            );
            let ms = page.wait_for_script("window.reached").as_f64().expect("a time");
            if counts {
                times.push(ms);
            }
        }
    }
    json!({ "median_ms": at(&times, 0.5), "p95_ms": at(&times, 0.95), "max_ms": at(&times, 1.0), "jumps": jumps, "floor_p95_ms": 50 })
}

fn wide() -> Options {
    Options { width: 1366, height: 768, ..Options::default() }
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

/// The figure below which this part of all lie, rounded to tenths.
fn at(figures: &[f64], part: f64) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = ((sorted.len().max(1) - 1) as f64 * part).ceil() as usize;
    (sorted.get(place).copied().unwrap_or_default() * 10.0).round() / 10.0
}
