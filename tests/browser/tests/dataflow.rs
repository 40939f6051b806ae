//! The graph: legible with many operators, still when nothing moves, open where one looks.

use tidegate_browser_tests::{Options, Playground};

fn wide() -> Options {
    Options { width: 1366, height: 768, ..Options::default() }
}

/// Each GROUP BY by another key wants an exchange, and so becomes a vertex of its own.
const MANY: &str = "SET 'parallelism.default' = '4';
SET 'execution.checkpointing.interval' = '2 s';
CREATE TABLE numbers (n BIGINT) WITH ('connector' = 'log', 'topic' = 'numbers', 'partitions' = '4');
CREATE TABLE sums (a BIGINT, total BIGINT, PRIMARY KEY (a) NOT ENFORCED)
WITH ('connector' = 'table', 'table-name' = 'sums', 'sink.delivery-guarantee' = 'exactly-once');
INSERT INTO sums
SELECT h, SUM(c) FROM (
 SELECT MOD(g, 5) AS h, SUM(c) AS c FROM (
  SELECT MOD(f, 7) AS g, SUM(c) AS c FROM (
   SELECT MOD(e, 11) AS f, SUM(c) AS c FROM (
    SELECT MOD(d, 13) AS e, SUM(c) AS c FROM (
     SELECT MOD(k, 17) AS d, SUM(c) AS c FROM (
      SELECT MOD(b, 19) AS k, SUM(c) AS c FROM (
       SELECT MOD(m, 23) AS b, SUM(c) AS c FROM (
        SELECT MOD(l, 29) AS m, SUM(c) AS c FROM (
         SELECT MOD(n, 31) AS l, COUNT(*) AS c FROM numbers GROUP BY MOD(n, 31)
        ) GROUP BY MOD(l, 29)
       ) GROUP BY MOD(m, 23)
      ) GROUP BY MOD(b, 19)
     ) GROUP BY MOD(k, 17)
    ) GROUP BY MOD(d, 13)
   ) GROUP BY MOD(e, 11)
  ) GROUP BY MOD(f, 7)
 ) GROUP BY MOD(g, 5)
) GROUP BY h;
";

/// The texts of the graph that overlap another one, and those that are smaller than 11 px.
const CROWDED: &str = "
const texts = [...document.querySelectorAll('.graph svg text')].filter((text) => text.textContent.trim() && text.getBoundingClientRect().width > 0);
const boxes = texts.map((text) => text.getBoundingClientRect());
const bad = [];
texts.forEach((text, i) => {
  const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
  if (size < 10.99) bad.push(`${text.textContent}: ${size} px`);
  for (let j = i + 1; j < texts.length; j += 1) {
    const [a, b] = [boxes[i], boxes[j]];
    // Lines of text may touch; half of a line they may not share.
    const [across, down] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
    if (across > 1 && down > 5) bad.push(`${text.textContent} over ${texts[j].textContent}`);
  }
  const card = text.closest('.vertex')?.querySelector('rect').getBoundingClientRect();
  if (card && boxes[i].right > card.right + 1) bad.push(`${text.textContent} leaves its card`);
});
return bad;";

fn assert_legible(page: &Playground, what: &str) {
    let bad = page.script(CROWDED, &[]);
    assert!(bad.as_array().is_some_and(Vec::is_empty), "{what}: {bad}");
}

/// The edges that leave the picture or pass behind a card or a box.
const BEHIND: &str = "
const picture = document.querySelector('.graph svg').getBoundingClientRect();
const cards = [...document.querySelectorAll('.graph .card > rect, .graph svg[data-shape=boxes] .subtask > rect')].map((card) => card.getBoundingClientRect());
const within = (box, at, by) => at.x > box.left + by && at.x < box.right - by && at.y > box.top + by && at.y < box.bottom - by;
const bad = [];
for (const line of document.querySelectorAll('.graph .line')) {
  if (getComputedStyle(line).opacity === '0') continue;
  const matrix = line.getScreenCTM(), whole = line.getTotalLength(), edge = line.closest('.channel').dataset;
  for (let at = 0; at <= whole; at += 2) {
    const point = line.getPointAtLength(at).matrixTransform(matrix);
    if (!within(picture, point, 0) || cards.some((card) => within(card, point, 2))) {
      bad.push(`${edge.edge ?? `${edge.from} to ${edge.to}`} at ${Math.round(at)} of ${Math.round(whole)}`);
      break;
    }
  }
}
return bad;";

fn assert_edges_in_sight(page: &Playground, what: &str) {
    let bad = page.script(BEHIND, &[]);
    assert!(bad.as_array().is_some_and(Vec::is_empty), "{what}: {bad}");
}

/// Four inputs that are joined one after the other, with a table of the first one's counts and event time: edges that pass by columns,
/// and more height than a line of cards has.
const JOINED: &str = "SET 'parallelism.default' = '4';
CREATE TABLE a (k INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'log', 'topic' = 'a', 'partitions' = '4');
CREATE TABLE b (k INT, v INT) WITH ('connector' = 'log', 'topic' = 'b', 'partitions' = '4');
CREATE TABLE c (k INT, v INT) WITH ('connector' = 'log', 'topic' = 'c', 'partitions' = '4');
CREATE TABLE d (k INT, v INT) WITH ('connector' = 'log', 'topic' = 'd', 'partitions' = '4');
CREATE TABLE sums (k INT, total BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'table', 'table-name' = 'sums');
INSERT INTO sums
SELECT w, SUM(n) FROM (
 SELECT MOD(j.s, 3) AS w, t.n FROM (
  SELECT d.v AS s, a.k FROM a JOIN b ON a.k = b.k JOIN c ON b.v = c.k JOIN d ON c.v = d.k
 ) AS j JOIN (SELECT k, COUNT(*) AS n FROM b GROUP BY k) AS t ON j.k = t.k
) GROUP BY w;
";

#[test]
fn edges_are_in_sight_in_their_whole_course() {
    for (width, height) in [(1366, 768), (1920, 1080), (1100, 600), (360, 740)] {
        let page = Playground::open(&Options { width, height, ..Options::default() }, "");
        let alone = JOINED.replace("'4';", "'1';");
        for (name, query) in [("joined", JOINED), ("alone", alone.as_str())] {
            if width < 700 {
                page.click_text(".regions button", "Query");
            }
            page.run_query(query);
            if width < 700 {
                page.click_text(".regions button", "Dataflow");
            }
            page.find(".graph svg .vertex");
            page.settled();
            let what = format!("{name} at {width} px");
            page.screenshot(&format!("edges-{name}-{width}"));
            assert_edges_in_sight(&page, &what);
            assert_legible(&page, &what);
        }
        page.assert_no_errors();
    }
}

#[test]
fn a_graph_that_goes_on_out_of_sight_says_so() {
    let page = Playground::open(&wide(), "");
    page.run_query(JOINED);
    page.find(".graph[data-more~=below]");
    let told = page.script("return getComputedStyle(document.querySelector('.graph-place'), '::after').content;", &[]);
    assert!(told.as_str().is_some_and(|told| told.contains("more below")), "{told}");
    page.screenshot("graph-goes-on");
    page.script("const graph = document.querySelector('.graph'); graph.scrollTop = graph.scrollHeight;", &[]);
    page.find(".graph[data-more~=above]:not([data-more~=below])");
    let told = page.script("return getComputedStyle(document.querySelector('.graph-place'), '::after').content;", &[]);
    assert_eq!(told.as_str(), Some("none"));
    page.screenshot("graph-end");
    // All channels of an edge, where the keyboard is at it.
    page.focus(".graph .bundle[data-edge]");
    page.wait_for_script("document.querySelectorAll('.graph .channels > .channel').length >= 4");
    assert_edges_in_sight(&page, "an edge that is open");
    page.assert_no_errors();
}

#[test]
fn ten_operators_at_parallelism_four_are_legible() {
    let page = Playground::open(&wide(), "");
    page.run_query(MANY);
    page.choose("#rate-numbers", "20");
    page.choose("#speed", "200");
    page.find(".graph svg[data-shape=cards]");
    let cards = page.script("return document.querySelectorAll('.graph .card').length;", &[]).as_u64().unwrap_or(0);
    assert!(cards >= 11, "{cards} vertices");
    page.wait_for_script("document.querySelector('.graph .bundle .rows-element')");
    assert_legible(&page, "running");
    assert_edges_in_sight(&page, "running");
    page.wait_for_script(
        "(() => { const graph = document.querySelector('.graph'); return graph.scrollWidth <= graph.clientWidth && graph.scrollHeight <= graph.clientHeight; })()",
    );
    page.wait_for_script("document.querySelector('.graph .bundle .barrier-element')");
    assert_legible(&page, "while a checkpoint is under way");
    page.screenshot("many-operators");

    // The keyboard opens what it comes to, and the line below tells of it.
    page.focus(".graph .vertex:nth-last-child(8)");
    page.wait_for_script("document.querySelectorAll('.graph .channels > .channel').length >= 32");
    page.wait_for_text("#told", "GroupAggregate");
    assert_edges_in_sight(&page, "a vertex that is open");
    page.screenshot("many-operators-open");

    page.click("section[aria-label=Dataflow] .expand");
    page.find("main.one");
    page.wait_for_script(
        "(() => { const graph = document.querySelector('.graph'); return graph.scrollWidth <= graph.clientWidth; })()",
    );
    assert_legible(&page, "with the whole screen");
    assert_edges_in_sight(&page, "with the whole screen");
    page.screenshot("many-operators-whole-screen");
    page.click("section[aria-label=Dataflow] .expand");
    page.assert_no_errors();
}

#[test]
fn what_only_watches_is_no_part_of_the_job() {
    let page = Playground::open(&wide(), "");
    page.run_example(1);
    page.find(".graph .subtask[data-status]");
    let text = page.script(
        "return document.querySelector('.graph').textContent + document.querySelector('#crash-menu').textContent;",
        &[],
    );
    let text = text.as_str().unwrap_or_default();
    assert!(text.contains("Source: numbers") && !text.contains("Watch"), "{text}");
    page.click("#crash");
    page.find("#crash-menu #crash-job");
    page.screenshot("crash-menu");
    page.assert_no_errors();
}

#[test]
fn is_still_when_nothing_moves() {
    let page = Playground::open(&wide(), "");
    page.run_example(1);
    page.play(false);
    let moved = page.script(
        "return new Promise((done) => {
           let changes = 0;
           const watch = new MutationObserver((list) => { changes += list.length; });
           watch.observe(document.querySelector('.graph'), { subtree: true, childList: true, attributes: true, characterData: true });
           let frames = 0;
           const tick = () => { frames += 1; frames < 90 ? requestAnimationFrame(tick) : done(changes); };
           requestAnimationFrame(tick);
         });",
        &[],
    );
    assert_eq!(moved.as_u64(), Some(0), "the graph changes in a pause");
    let running =
        page.script("return document.getAnimations().filter((one) => one.playState === 'running').length;", &[]);
    assert_eq!(running.as_u64(), Some(0));
    page.assert_no_errors();
}

#[test]
fn fits_a_narrow_screen() {
    let page = Playground::open(&Options { width: 360, height: 740, ..Options::default() }, "");
    page.run_example(1);
    page.click_text(".regions button", "Dataflow");
    page.find(".graph svg[data-shape=chips]");
    page.wait_for_script("(() => { const graph = document.querySelector('.graph'); return graph.clientWidth > 0 && graph.scrollWidth <= graph.clientWidth; })()");
    assert_legible(&page, "narrow");
    page.screenshot("narrow-graph");
    page.assert_no_errors();
}

#[test]
fn a_chain_names_its_operators_and_what_it_has_read() {
    let page = Playground::open(&wide(), "");
    page.run_query(
        "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
SELECT product FROM orders WHERE amount > 1;
",
    );
    page.choose("#speed", "inf");
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea"]]);
    page.wait_for_text(".graph .subtask", "1 read");
    page.wait_for_text(".graph .subtask .chain", "Calc");
    assert_legible(&page, "a chain");
    page.screenshot("chain");
    // By the names that the plan has.
    page.run_query(
        "CREATE TABLE orders (id INT, product STRING) WITH ('connector' = 'inline');
CREATE TABLE kept (id INT, product STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'table', 'table-name' = 'kept');
INSERT INTO kept SELECT id, product FROM orders;
",
    );
    page.wait_for_text(".graph .subtask .chain", "ConstraintEnforcer");
    page.assert_no_errors();
}
