//! The page's generator: rows for a table from its schema, by a seeded draw.

use tidegate::Feed;
use tidegate::data::{DataType, LogicalType, RowKind};

/// Texts that look like something.
const WORDS: &[&str] = &["Mary", "Bob", "Liz", "Sam", "Ana", "Kim"];
/// Paths, for columns that are called so.
const PATHS: &[&str] = &["./home", "./cart", "./prod?id=1", "./prod?id=3", "./prod?id=7", "./search"];

/// A generator's state: what it has drawn so far.
#[derive(Clone, Debug)]
pub struct Generator {
    state: u64,
    rows: u64,
    /// What a time column counts from, ms.
    start: i64,
}

impl Generator {
    /// A generator that draws from `seed`.
    pub fn new(seed: u64, start: i64) -> Generator {
        Generator { state: seed ^ 0x9E37_79B9_7F4A_7C15, rows: 0, start }
    }

    /// Goes on behind `rows` rows that an earlier generator has made.
    pub fn go_on(&mut self, rows: u64) {
        if rows > self.rows {
            self.rows = rows;
            self.state ^= rows.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        }
    }

    /// A row: kind, and a text per physical column.
    pub fn row(&mut self, feed: &Feed) -> (RowKind, Vec<Option<String>>) {
        self.rows += 1;
        let values = feed.physical.fields.iter().map(|field| self.value(&field.name, &field.ty)).collect();
        (RowKind::Insert, values)
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
        let seconds = self.start / 1000 + self.rows as i64 * 2 - self.below(3) as i64;
        let name = name.to_lowercase();
        Some(match ty.logical {
            LogicalType::Boolean => (if self.below(2) == 0 { "FALSE" } else { "TRUE" }).to_owned(),
            LogicalType::TinyInt | LogicalType::SmallInt | LogicalType::Int | LogicalType::BigInt => {
                if name == "id" || name.ends_with("_id") && self.below(4) > 0 {
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
                let list = if name.contains("url") || name.contains("path") { PATHS } else { WORDS };
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

/// `2024-01-01 12:00:00`
fn text_of(seconds: i64) -> String {
    let days = seconds.div_euclid(86_400);
    let (year, month, day) = tidegate::data::calendar::civil_from_days(days as i32);
    let rest = seconds.rem_euclid(86_400);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}
