//! What the state of an operator looks like to people.

use crate::drive::Host;

#[test]
fn a_sum_or_minimum_of_nothing_is_null() {
    let mut host = Host::new(
        "CREATE TABLE t (name STRING, n BIGINT) WITH ('connector' = 'inline');
         SELECT name, SUM(n) AS total, MIN(n) AS least FROM t GROUP BY name;",
    );
    host.settle();
    host.feed_nullable("t", 0, &[Some("a"), None]);
    host.feed_nullable("t", 0, &[Some("b"), Some("0")]);
    host.settle();
    let job = &mut host.session.jobs_mut()[0].runtime;
    let mut rows = Vec::new();
    for vertex in 0..job.view().vertices.len() {
        for table in job.state_tables(vertex, 0) {
            let page = job.state_page(vertex, 0, &table.uid, &table.table, 0, 10);
            rows.extend(page.into_iter().flat_map(|page| page.rows));
        }
    }
    rows.retain(|(_, row)| row.contains("sum"));
    let wanted = [("a", "sum(total)=NULL, min(least)=NULL"), ("b", "sum(total)=0, min(least)=0")];
    assert_eq!(rows.len(), wanted.len(), "{rows:?}");
    for (key, row) in wanted {
        assert!(rows.iter().any(|(own, text)| own == key && text.ends_with(row)), "{rows:?}");
    }
}
