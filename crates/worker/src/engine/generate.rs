//! The page's generator: rows for a table from its schema, by a seeded draw.

use tidegate::Feed;
use tidegate::data::{DataType, LogicalType, RowKind};

/// Texts that look like something.
const WORDS: &[&str] = &["Mary", "Bob", "Liz", "Sam", "Ana", "Kim"];
/// Words for columns that are called so: parts of a name, and what fits it. The first that fits counts.
const FITTING: &[(&[&str], &[&str])] = &[
    (&["url", "path", "page"], &["./home", "./cart", "./prod?id=1", "./prod?id=3", "./prod?id=7", "./search"]),
    (&["product", "item", "article", "goods"], &["tea", "coffee", "milk", "bread", "salt", "rice"]),
    (&["sensor", "device", "room", "place"], &["attic", "cellar", "kitchen", "hall", "garden", "roof"]),
    (&["city", "town", "region", "location"], &["Oslo", "Lima", "Kyoto", "Accra", "Turin", "Perth"]),
    (&["country", "nation"], &["NO", "PE", "JP", "GH", "IT", "AU"]),
    (&["currency"], &["EUR", "USD", "GBP", "JPY", "CHF", "NOK"]),
    (&["status", "state"], &["new", "paid", "sent", "done", "returned", "open"]),
    (&["type", "kind", "category", "channel", "event"], &["view", "click", "order", "return", "search", "visit"]),
    (&["colour", "color"], &["red", "green", "blue", "white", "black", "grey"]),
    (&["mail"], &["mary@example.org", "bob@example.org", "liz@example.org", "sam@example.org"]),
    (&["symbol", "ticker", "stock"], &["ABC", "DEF", "GHI", "KLM", "NOP", "XYZ"]),
    (&["key", "code", "tag"], &["a", "b", "c", "d", "e", "f"]),
];

/// Keys that are followed are below this.
const KEYS: u64 = 1 << 40;
/// Rows remembered for updates and deletes.
const LIVE: usize = 40;

type Row = Vec<Option<String>>;

/// A generator's state: what it has drawn so far.
#[derive(Clone, Debug)]
pub struct Generator {
    state: u64,
    rows: u64,
    /// The event time that it has come to, seconds.
    clock: i64,
    /// Seconds of event time from row to row.
    pace: i64,
    /// Rows that are there, for a table that takes deletes.
    live: Vec<Row>,
    /// The second half of an update.
    next: Option<(RowKind, Row)>,
    /// The last row, for a table whose rows may arrive twice.
    last: Option<Row>,
}

impl Generator {
    /// A generator that draws from `seed`; `pace` is the event time from row to row, in seconds.
    pub fn new(seed: u64, start: i64, pace: i64) -> Generator {
        let (state, clock) = (seed ^ 0x9E37_79B9_7F4A_7C15, start / 1000);
        Generator { state, rows: 0, clock, pace, live: Vec::new(), next: None, last: None }
    }

    /// Goes on behind `rows` rows that an earlier generator has made.
    pub fn go_on(&mut self, rows: u64) {
        if rows > self.rows {
            self.rows = rows;
            self.state ^= rows.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        }
    }

    /// Goes on behind the times of a row that was sent.
    pub fn seen(&mut self, values: &[Option<String>]) {
        let times = values.iter().flatten().filter_map(|text| seconds_of(text));
        self.clock = times.fold(self.clock, i64::max);
    }

    /// Goes on behind the key of a row that was sent to a table that changes: a new row has a key of its own.
    pub fn seen_key(&mut self, key: Option<&Option<String>>) {
        let key = key.and_then(|key| key.as_ref()?.parse::<u64>().ok()).filter(|key| *key < KEYS);
        self.rows = self.rows.max(key.unwrap_or_default());
    }

    /// A row: kind, and a text per physical column.
    pub fn row(&mut self, feed: &Feed) -> (RowKind, Row) {
        if let Some(half) = self.next.take() {
            return half;
        }
        if feed.kinds.contains(&RowKind::Delete) {
            return self.change(feed);
        }
        // At least once: what has an id may come again as it was.
        let has_id = feed.physical.fields.iter().any(|field| field.name.to_lowercase().ends_with("_id"));
        if let (true, 0, Some(last)) = (has_id, self.below(4), self.last.take()) {
            return (RowKind::Insert, last);
        }
        let row = self.fresh(feed);
        self.last = Some(row.clone());
        (RowKind::Insert, row)
    }

    fn fresh(&mut self, feed: &Feed) -> Row {
        self.rows += 1;
        self.clock += self.pace;
        feed.physical.fields.iter().map(|field| self.value(&field.name, &field.ty)).collect()
    }

    /// A row of a table that changes: a new one, an update (its first column is its key), or a delete.
    fn change(&mut self, feed: &Feed) -> (RowKind, Row) {
        let what = if self.live.len() < 3 { 0 } else { self.below(7) };
        let place = self.below(self.live.len() as u64) as usize;
        match what {
            0..3 => {
                let row = self.fresh(feed);
                self.live.push(row.clone());
                if self.live.len() > LIVE {
                    self.live.remove(0);
                }
                (RowKind::Insert, row)
            }
            3..6 => {
                let mut row = self.fresh(feed);
                let old = self.live[place].clone();
                // The last column changes, as a count or a state does.
                let kept = old.len().saturating_sub(1).max(1);
                row[..kept].clone_from_slice(&old[..kept]);
                self.live[place].clone_from(&row);
                if !feed.kinds.contains(&RowKind::UpdateBefore) {
                    return (RowKind::UpdateAfter, row);
                }
                self.next = Some((RowKind::UpdateAfter, row));
                (RowKind::UpdateBefore, old)
            }
            _ => (RowKind::Delete, self.live.remove(place)),
        }
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    fn value(&mut self, name: &str, ty: &DataType) -> Option<String> {
        let seconds = self.clock - self.below(self.pace as u64 + 1) as i64;
        let name = name.to_lowercase();
        Some(match ty.logical {
            LogicalType::Boolean => (if self.below(2) == 0 { "FALSE" } else { "TRUE" }).to_owned(),
            LogicalType::TinyInt | LogicalType::SmallInt | LogicalType::Int | LogicalType::BigInt => {
                if name == "id" || name.ends_with("_id") {
                    self.rows.to_string()
                } else {
                    (1 + self.below(9)).to_string()
                }
            }
            LogicalType::Float | LogicalType::Double | LogicalType::Decimal(..) => {
                let (whole, part) = (1 + self.below(99), self.below(100));
                match ty.logical {
                    LogicalType::Decimal(_, 0) => whole.to_string(),
                    _ => format!("{}.{part:02}", whole % 9 + 1),
                }
            }
            LogicalType::Char(_) | LogicalType::VarChar(_) => {
                let list = words_for(&name);
                let length = match ty.logical {
                    LogicalType::Char(length) | LogicalType::VarChar(length) => length as usize,
                    _ => usize::MAX,
                };
                list[self.below(list.len() as u64) as usize].chars().take(length).collect()
            }
            LogicalType::Date => text_of(seconds)[..10].to_owned(),
            LogicalType::Time(_) => text_of(seconds)[11..].to_owned(),
            LogicalType::Timestamp(..) | LogicalType::TimestampLtz(..) => text_of(seconds),
            LogicalType::Binary(_) | LogicalType::VarBinary(_) => WORDS[self.below(6) as usize].to_owned(),
            _ if ty.nullable => return None,
            _ => "0".to_owned(),
        })
    }
}

/// What a column of this name (in small letters) may hold.
fn words_for(name: &str) -> &'static [&'static str] {
    let fits = |(parts, _): &&(&[&str], &'static [&'static str])| parts.iter().any(|part| name.contains(part));
    FITTING.iter().find(fits).map_or(WORDS, |(_, words)| words)
}

/// `2024-01-01 12:00:00`
fn text_of(seconds: i64) -> String {
    let days = seconds.div_euclid(86_400);
    let (year, month, day) = tidegate::data::calendar::civil_from_days(days as i32);
    let rest = seconds.rem_euclid(86_400);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}

/// The seconds of a timestamp's text; `None` for any other text.
fn seconds_of(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let marks = [(4, b'-'), (7, b'-'), (10, b' '), (13, b':'), (16, b':')];
    if !marks.iter().all(|(place, mark)| text.as_bytes().get(*place) == Some(mark)) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let days = tidegate::data::calendar::days_from_civil(year as i32, month as i32, day as i32);
    Some(i64::from(days) * 86_400 + number(11, 13)? * 3600 + number(14, 16)? * 60 + number(17, 19)?)
}

/// The event time from row to row that lets a script's windows fill and end while somebody watches: a part of the longest one.
pub fn pace_of(sql: &str) -> i64 {
    let upper = sql.to_uppercase();
    let words = ["TUMBLE", "HOP", "CUMULATE", "SESSION"];
    let calls = words.iter().flat_map(|word| upper.match_indices(word)).filter_map(|(place, _)| upper.get(place..));
    let longest = calls.flat_map(|call| intervals(&call[..call.find(';').unwrap_or(call.len())])).max();
    longest.map_or(2, |seconds| (seconds / 12).clamp(2, 86_400))
}

/// The lengths of `INTERVAL 'n' UNIT` in a text of capitals, in seconds.
fn intervals(text: &str) -> impl Iterator<Item = i64> + '_ {
    text.match_indices("INTERVAL").filter_map(move |(place, word)| {
        let mut parts = text[place + word.len()..].split_whitespace();
        let number: i64 = parts.next()?.trim_matches('\'').parse().ok()?;
        let unit = parts.next()?.trim_end_matches(|char: char| !char.is_ascii_alphabetic());
        let seconds = match unit.trim_end_matches('S') {
            "SECOND" => 1,
            "MINUTE" => 60,
            "HOUR" => 3600,
            "DAY" => 86_400,
            _ => return None,
        };
        number.checked_mul(seconds)
    })
}
