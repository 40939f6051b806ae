//! Nexmark's events: persons, auctions and bids, each a function of its number alone.
//!
//! In every 50 events there are 1 person, 3 auctions and 46 bids, 10,000 events in a second of event time, never late. Half of the bids go to a
//! hot auction; three quarters of the bids come from a hot bidder, three quarters of the auctions from a hot seller. The schema and the skew
//! are the benchmark's, the values are not those of its own generator.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::types::{Int64Type, TimestampMillisecondType};
use arrow_array::{ArrayRef, Int32Array, PrimitiveArray, StringArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType as ArrowType, Fields};
use tidegate_data::{Chunk, DataType, Field, LogicalType, Schema, TimeKind};

/// 2024-01-01 00:00:00 UTC, ms.
const START: i64 = 1_704_067_200_000;
/// The first person and the first auction.
const FIRST: i64 = 1000;

const NAMES: [&str; 11] =
    ["Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter"];
const LAST: [&str; 9] = ["Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris"];
const CITIES: [&str; 10] =
    ["Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle", "Kent", "Cheyenne"];
const STATES: [&str; 6] = ["AZ", "CA", "ID", "OR", "WA", "WY"];
const CHANNELS: [&str; 4] = ["Google", "Facebook", "Baidu", "Apple"];

/// What a field holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Number,
    Time,
    Text,
}

use Type::{Number, Text, Time};

/// Fields of persons, auctions and bids, by the event's type.
const FIELDS: [&[(&str, Type)]; 3] = [
    &[
        ("id", Number),
        ("name", Text),
        ("emailAddress", Text),
        ("creditCard", Text),
        ("city", Text),
        ("state", Text),
        ("dateTime", Time),
        ("extra", Text),
    ],
    &[
        ("id", Number),
        ("itemName", Text),
        ("description", Text),
        ("initialBid", Number),
        ("reserve", Number),
        ("dateTime", Time),
        ("expires", Time),
        ("seller", Number),
        ("category", Number),
        ("extra", Text),
    ],
    &[
        ("auction", Number),
        ("bidder", Number),
        ("price", Number),
        ("channel", Text),
        ("url", Text),
        ("dateTime", Time),
        ("extra", Text),
    ],
];

/// The columns that a table of events has.
pub fn schema() -> Schema {
    let ty = |ty: Type| {
        DataType::new(match ty {
            Number => LogicalType::BigInt,
            Time => LogicalType::Timestamp(3, TimeKind::Regular),
            Text => LogicalType::VarChar(DataType::MAX_LENGTH),
        })
    };
    let row = |kind: usize| {
        let fields = FIELDS[kind].iter().map(|(name, field)| Field { name: (*name).into(), ty: ty(*field) });
        DataType::new(LogicalType::Row(fields.collect()))
    };
    let event_type = DataType::new(LogicalType::Int);
    Schema::new([("event_type", event_type), ("person", row(0)), ("auction", row(1)), ("bid", row(2))])
}

/// `len` events, of which the first has the number `first` and each other one that is `step` higher, with these columns of [`schema`].
pub fn chunk(columns: &[usize], first: u64, step: u64, len: usize) -> Chunk {
    let mut types = Vec::with_capacity(len);
    let mut events = [0, 1, 2].map(|kind| Columns::new(kind, columns.contains(&(kind + 1)), len));
    for place in 0..len as u64 {
        let number = first + place * step;
        let kind = kind(number);
        types.push(kind as i32);
        for (other, columns) in events.iter_mut().enumerate().filter(|(_, columns)| columns.wanted) {
            if other == kind {
                columns.valid.push(true);
                let draws = &mut Draws::of(number);
                match kind {
                    0 => person(number, draws, columns),
                    1 => auction(number, draws, columns),
                    _ => bid(number, draws, columns),
                }
            } else {
                columns.null();
            }
        }
    }
    let event_type: ArrayRef = Arc::new(Int32Array::from(types));
    let events = events.map(|columns| columns.wanted.then(|| columns.finish()));
    let of = |column: &usize| match column {
        0 => event_type.clone(),
        kind => events[kind - 1].clone().expect("it was wanted"),
    };
    Chunk::insert(columns.iter().map(of).collect(), len)
}

/// 0 for a person, 1 for an auction, 2 for a bid.
fn kind(number: u64) -> usize {
    match number % 50 {
        0 => 0,
        1..=3 => 1,
        _ => 2,
    }
}

fn time(number: u64) -> i64 {
    START + (number / 10) as i64
}

/// The latest person at an event.
fn person_at(number: u64) -> i64 {
    FIRST + (number / 50) as i64
}

/// The latest auction at an event.
fn auction_at(number: u64) -> i64 {
    FIRST + 3 * (number / 50) as i64 + (number % 50).min(3) as i64 - 1
}

// The draws follow each other in the order in which they stand.

fn person(number: u64, draws: &mut Draws, to: &mut Columns) {
    to.number(0, person_at(number));
    to.text(1, |text| {
        text.push_str(draws.one_of(&NAMES));
        text.push(' ');
        text.push_str(draws.one_of(&LAST));
    });
    to.text(2, |text| {
        draws.text(text, 5, 9);
        text.push('@');
        draws.text(text, 4, 7);
        text.push_str(".com");
    });
    to.text(3, |text| {
        for part in 0..4 {
            let space = if part == 0 { "" } else { " " };
            let _ = write!(text, "{space}{:04}", draws.below(10_000));
        }
    });
    to.text(4, |text| text.push_str(draws.one_of(&CITIES)));
    to.text(5, |text| text.push_str(draws.one_of(&STATES)));
    to.number(6, time(number));
    to.text(7, |text| draws.text(text, 60, 120));
}

fn auction(number: u64, draws: &mut Draws, to: &mut Columns) {
    let initial_bid = draws.price();
    to.number(0, auction_at(number));
    to.text(1, |text| draws.text(text, 8, 20));
    to.text(2, |text| draws.text(text, 30, 100));
    to.number(3, initial_bid);
    to.number(4, initial_bid + draws.price());
    to.number(5, time(number));
    to.number(6, time(number) + 1 + draws.below(334));
    to.number(7, draws.some(person_at(number), 0));
    to.number(8, 10 + draws.below(5));
    to.text(9, |text| draws.text(text, 150, 300));
}

fn bid(number: u64, draws: &mut Draws, to: &mut Columns) {
    let latest = auction_at(number);
    let auction = if draws.below(2) != 0 { latest / 100 * 100 } else { latest - draws.below(100) };
    to.number(0, auction.max(FIRST));
    to.number(1, draws.some(person_at(number), 1));
    to.text(4, |url| {
        url.push_str("https://www.nexmark.com");
        for _ in 0..3 {
            url.push('/');
            draws.text(url, 5, 5);
        }
        url.push_str("/item.htm?query=1");
    });
    if draws.below(2) == 0 {
        to.text(3, |channel| channel.push_str(draws.one_of(&CHANNELS)));
    } else {
        let c = draws.below(10_000);
        to.text(3, |channel| {
            let _ = write!(channel, "channel-{c}");
        });
        if draws.below(10) != 0 {
            to.more(4, |url| {
                let _ = write!(url, "&channel_id={}", -((c as i32).reverse_bits() / 100));
            });
        }
    }
    to.number(2, draws.price());
    to.number(5, time(number));
    to.text(6, |text| draws.text(text, 20, 60));
}

/// The random numbers of one event: SplitMix64.
struct Draws(u64);

impl Draws {
    fn of(number: u64) -> Draws {
        Draws(number.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(42))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, k: u64) -> i64 {
        (self.next() % k) as i64
    }

    fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }

    /// Appends `least` to `most` small letters.
    fn text(&mut self, out: &mut String, least: i64, most: i64) {
        let mut bits = 0;
        for place in 0..least + self.below((most - least + 1) as u64) {
            if place % 12 == 0 {
                bits = self.next() >> 1;
            }
            out.push(char::from(b'a' + (bits % 26) as u8));
            bits /= 26;
        }
    }

    fn price(&mut self) -> i64 {
        let digits = self.below(6) as u32;
        (100 + self.below(900)) * 10i64.pow(digits)
    }

    /// The hot person of the latest hundred, or one of the latest thousand.
    fn some(&mut self, latest: i64, offset: i64) -> i64 {
        if self.below(4) != 0 { latest / 100 * 100 + offset } else { (latest - self.below(1000)).max(FIRST) }
    }
}

/// The fields of one type of events, in the making. The fields are NULL where the event is.
struct Columns {
    kind: usize,
    wanted: bool,
    valid: Vec<bool>,
    fields: Vec<Builder>,
}

enum Builder {
    Numbers(Vec<i64>),
    Texts { text: String, ends: Vec<i32> },
}

impl Columns {
    fn new(kind: usize, wanted: bool, len: usize) -> Columns {
        let capacity = if wanted { len } else { 0 };
        let fields = FIELDS[kind].iter().map(|(_, ty)| match ty {
            Number | Time => Builder::Numbers(Vec::with_capacity(capacity)),
            Text => {
                let mut ends = Vec::with_capacity(capacity + 1);
                ends.push(0);
                Builder::Texts { text: String::new(), ends }
            }
        });
        Columns { kind, wanted, valid: Vec::with_capacity(capacity), fields: fields.collect() }
    }

    fn number(&mut self, field: usize, number: i64) {
        if let Builder::Numbers(numbers) = &mut self.fields[field] {
            numbers.push(number);
        }
    }

    fn text(&mut self, field: usize, write: impl FnOnce(&mut String)) {
        if let Builder::Texts { text, ends } = &mut self.fields[field] {
            write(text);
            ends.push(text.len() as i32);
        }
    }

    /// Appends to the text that was written last.
    fn more(&mut self, field: usize, write: impl FnOnce(&mut String)) {
        if let Builder::Texts { ends, .. } = &mut self.fields[field] {
            ends.pop();
        }
        self.text(field, write);
    }

    fn null(&mut self) {
        self.valid.push(false);
        for field in &mut self.fields {
            match field {
                Builder::Numbers(numbers) => numbers.push(0),
                Builder::Texts { text, ends } => ends.push(text.len() as i32),
            }
        }
    }

    fn finish(self) -> ArrayRef {
        let nulls = Some(NullBuffer::from(self.valid)).filter(|nulls| nulls.null_count() > 0);
        let columns = self.fields.into_iter().zip(FIELDS[self.kind]).map(|(field, (_, ty))| -> ArrayRef {
            match field {
                Builder::Numbers(times) if *ty == Time => {
                    Arc::new(PrimitiveArray::<TimestampMillisecondType>::new(times.into(), nulls.clone()))
                }
                Builder::Numbers(numbers) => Arc::new(PrimitiveArray::<Int64Type>::new(numbers.into(), nulls.clone())),
                Builder::Texts { text, ends } => {
                    Arc::new(StringArray::new(OffsetBuffer::new(ends.into()), text.into_bytes().into(), nulls.clone()))
                }
            }
        });
        let ArrowType::Struct(fields) = schema().fields[self.kind + 1].ty.arrow() else {
            return Arc::new(StructArray::new_empty_fields(0, None));
        };
        let fields: Fields = fields;
        Arc::new(StructArray::new(fields, columns.collect(), nulls))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;
    use arrow_array::cast::AsArray;

    /// The sum over events of the FNV-1a-64 of their type and fields, as text, joined by 0x1f.
    fn digest(count: u64) -> u64 {
        let mut sum = 0u64;
        let mut begin = 0;
        while begin < count {
            let end = (begin + 1000).min(count);
            let chunk = chunk(&[0, 1, 2, 3], begin, 1, (end - begin) as usize);
            chunk.check(&schema());
            let types = chunk.columns[0].as_primitive::<arrow_array::types::Int32Type>();
            for row in 0..chunk.len {
                let mut text = types.value(row).to_string();
                let event = chunk.columns[types.value(row) as usize + 1].as_struct();
                assert!(event.is_valid(row));
                for field in event.columns() {
                    text.push('\x1f');
                    if let Some(texts) = field.as_string_opt::<i32>() {
                        text.push_str(texts.value(row));
                    } else if let Some(numbers) = field.as_primitive_opt::<Int64Type>() {
                        let _ = write!(text, "{}", numbers.value(row));
                    } else {
                        let _ = write!(text, "{}", field.as_primitive::<TimestampMillisecondType>().value(row));
                    }
                }
                let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                });
                sum = sum.wrapping_add(hash);
            }
            begin = end;
        }
        sum
    }

    #[test]
    fn events_are_those_that_were_recorded() {
        assert_eq!(digest(1), 0x4d12_04b7_4e0e_78a6);
        assert_eq!(digest(1_000), 0xed1a_400a_100d_0f9c);
        assert_eq!(digest(100_000), 0xabc5_79c7_7e21_ff49);
    }

    #[test]
    fn only_columns_that_are_wanted_are_made() {
        let all = chunk(&[0, 1, 2, 3], 40, 3, 120);
        let some = chunk(&[3, 0], 40, 3, 120);
        assert_eq!(some.columns, [all.columns[3].clone(), all.columns[0].clone()]);
        assert_eq!(chunk(&[], 0, 1, 3).len, 3);
    }
}
