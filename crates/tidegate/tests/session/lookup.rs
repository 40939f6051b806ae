//! Lookup joins: rows beside what the table store has for them when they come.

use tidegate::data::Zone;
use tidegate::{Session, SessionOptions};

use crate::drive::Host;

const TABLES: &str = "
CREATE TABLE prices (product STRING, price INT, region STRING, PRIMARY KEY (product) NOT ENFORCED) WITH ('connector' = 'table');
CREATE TABLE changes (product STRING, price INT, region STRING) WITH ('connector' = 'inline');
CREATE TABLE orders (id INT, product STRING, now_is AS PROCTIME()) WITH ('connector' = 'inline');
INSERT INTO prices SELECT product, price, region FROM changes;
";

struct Shop(Host);

impl Shop {
    fn new(query: &str) -> Shop {
        let mut host = Host::new(&format!("{TABLES}{query}"));
        host.settle();
        Shop(host)
    }

    fn price(&mut self, product: &str, price: &str, region: &str) {
        self.0.feed("changes", 0, &[product, price, region]);
        self.0.settle();
    }

    fn order(&mut self, id: &str, product: Option<&str>) {
        self.0.feed_nullable("orders", 0, &[Some(id), product]);
        self.0.settle();
    }

    /// The changelog of the query: kinds and values.
    fn rows(&self) -> Vec<String> {
        let buffer = self.0.session.jobs()[1].results[0].buffer.as_ref().expect("it collects").borrow();
        let text = |value: Option<String>| value.unwrap_or_else(|| "NULL".to_owned());
        let rows = buffer.rows(0, usize::MAX, Zone::UTC).into_iter();
        rows.map(|row| format!("{} {}", row.kind, row.values.into_iter().map(text).collect::<Vec<_>>().join(" ")))
            .collect()
    }
}

#[test]
fn a_row_meets_what_is_there_when_it_comes() {
    let mut shop = Shop::new(
        "SELECT o.id, o.product, p.price FROM orders AS o
         JOIN prices FOR SYSTEM_TIME AS OF o.now_is AS p ON o.product = p.product;",
    );
    shop.order("1", Some("tea"));
    shop.price("tea", "3", "eu");
    shop.order("2", Some("tea"));
    shop.price("tea", "4", "eu");
    shop.order("3", Some("tea"));
    shop.order("4", Some("milk"));
    shop.order("5", None);
    assert_eq!(shop.rows(), ["+I 2 tea 3", "+I 3 tea 4"]);
}

#[test]
fn a_left_join_pads_what_is_not_there() {
    let mut shop = Shop::new(
        "SELECT o.id, p.price FROM orders AS o
         LEFT JOIN prices FOR SYSTEM_TIME AS OF o.now_is AS p ON o.product = p.product AND p.region = 'eu' AND p.price > o.id;",
    );
    shop.price("tea", "3", "eu");
    shop.price("milk", "9", "us");
    for (id, product) in [("1", Some("tea")), ("3", Some("tea")), ("4", Some("milk")), ("5", None)] {
        shop.order(id, product);
    }
    assert_eq!(shop.rows(), ["+I 1 3", "+I 3 NULL", "+I 4 NULL", "+I 5 NULL"]);
}

#[test]
fn other_columns_than_the_key_can_be_looked_up() {
    let mut shop = Shop::new(
        "SELECT o.id, p.product FROM orders AS o, prices FOR SYSTEM_TIME AS OF o.now_is AS p
         WHERE o.product = p.region AND o.id > 1;",
    );
    shop.price("tea", "3", "eu");
    shop.price("milk", "9", "eu");
    shop.price("salt", "1", "us");
    shop.order("1", Some("eu"));
    shop.order("2", Some("eu"));
    let mut rows = shop.rows();
    rows.sort();
    assert_eq!(rows, ["+I 2 milk", "+I 2 tea"]);
}

#[test]
fn a_lost_engine_looks_up_anew() {
    let mut shop = Shop::new(
        "SELECT o.id, p.price FROM orders AS o JOIN prices FOR SYSTEM_TIME AS OF o.now_is AS p ON o.product = p.product;",
    );
    shop.price("tea", "3", "eu");
    shop.0.feed_nullable("orders", 0, &[Some("1"), Some("tea")]);
    // The row is on its way when the engine goes.
    shop.0.step(1);
    shop.0.lose_engine();
    shop.0.pass(2_000);
    shop.0.settle();
    assert_eq!(shop.rows(), ["+I 1 3"]);
}

#[test]
fn a_lookup_needs_a_key_and_a_time() {
    let check = |query: &str| -> Vec<String> {
        let found = Session::check(&format!("{TABLES}{query}"), &SessionOptions::default());
        found.into_iter().map(|problem| problem.message).collect()
    };
    let found =
        check("SELECT o.id FROM orders AS o JOIN prices FOR SYSTEM_TIME AS OF o.now_is AS p ON p.price > o.id;");
    assert!(found[0].starts_with("Temporal table join requires an equality condition on fields of table"), "{found:?}");
    let found = check(
        "SELECT o.id FROM orders AS o RIGHT JOIN prices FOR SYSTEM_TIME AS OF o.now_is AS p ON o.product = p.product;",
    );
    assert_eq!(found, ["Unknown join type RIGHT"]);
}
