//! Values made up for a column: from the job's seed, the column and the number of the row, and from nothing else.

use tidegate_data::connector::{OptionProblem, TableShape, parse_duration};
use tidegate_data::keys::hash::hash_bytes;
use tidegate_data::{DataType, LogicalType, Value};
use tidegate_diag::{Code, Diagnostic};

use crate::options::Options;

const BAD_FIELD: Code = Code::new("TG5050");
/// Lengths of strings and of collections when nothing says otherwise, as in Flink.
const TEXT: u32 = 100;
const ITEMS: u32 = 3;

/// How the values of a column come about.
#[derive(Clone, Debug)]
pub(super) struct Generator {
    kind: Kind,
    null_rate: f64,
    /// Tells the column's draws from those of others.
    salt: u64,
}

#[derive(Clone, Debug)]
enum Kind {
    Sequence {
        start: i64,
        ty: LogicalType,
    },
    Boolean,
    Integer {
        min: i64,
        max: i64,
    },
    Float {
        min: f64,
        max: f64,
    },
    Double {
        min: f64,
        max: f64,
    },
    Decimal {
        min: f64,
        max: f64,
        precision: u8,
        scale: u8,
    },
    Text {
        length: u32,
        varies: bool,
    },
    Bytes {
        length: u32,
        varies: bool,
    },
    Date,
    Time,
    /// `factor` is the number of the type's units in a millisecond.
    Timestamp {
        max_past: i64,
        factor: i64,
    },
    List {
        length: u32,
        element: Box<Generator>,
    },
    Map {
        length: u32,
        key: Box<Generator>,
        value: Box<Generator>,
    },
    Multiset {
        length: u32,
        element: Box<Generator>,
    },
    Row(Vec<Generator>),
}

/// What a row's values are drawn from.
#[derive(Clone, Copy)]
pub(super) struct Draws {
    /// The job's seed and the source.
    pub seed: u64,
    /// Number of the row over all subtasks, from 0.
    pub row: u64,
    /// When the row is made, ms since the epoch.
    pub at: i64,
}

/// The draws of one column in one row.
struct Stream(u64);

impl Stream {
    fn next(&mut self) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 0 to 1, without 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// `min` to `max`, both included.
    fn between(&mut self, min: i64, max: i64) -> i64 {
        let span = max.wrapping_sub(min) as u64;
        let drawn = match span.checked_add(1) {
            Some(count) => ((u128::from(self.next()) * u128::from(count)) >> 64) as u64,
            None => self.next(),
        };
        min.wrapping_add(drawn as i64)
    }

    fn real(&mut self, min: f64, max: f64) -> f64 {
        let unit = self.unit();
        min * (1.0 - unit) + max * unit
    }

    fn length(&mut self, length: u32, varies: bool) -> u32 {
        if varies && length > 1 { self.between(1, i64::from(length)) as u32 } else { length }
    }
}

impl Generator {
    /// The value of a row.
    pub fn value(&self, draws: Draws) -> Value {
        let salt = self.salt ^ draws.row.wrapping_mul(0xd6e8_feb8_6659_fd93);
        let mut stream = Stream(draws.seed.wrapping_add(salt));
        self.draw(draws, &mut stream)
    }

    fn draw(&self, draws: Draws, stream: &mut Stream) -> Value {
        if self.null_rate > 0.0 && stream.unit() < self.null_rate {
            return Value::Null;
        }
        match &self.kind {
            Kind::Sequence { start, ty } => sequence(start.wrapping_add(draws.row as i64), ty),
            Kind::Boolean => Value::Boolean(stream.next() >> 63 == 1),
            Kind::Integer { min, max } => Value::Int(stream.between(*min, *max)),
            Kind::Float { min, max } => Value::Float(stream.real(*min, *max) as f32),
            Kind::Double { min, max } => Value::Double(stream.real(*min, *max)),
            Kind::Decimal { min, max, precision, scale } => {
                let limit = 10i128.pow(u32::from(*precision)) - 1;
                let unscaled = stream.real(*min, *max) * 10f64.powi(i32::from(*scale));
                Value::Decimal((unscaled.round() as i128).clamp(-limit, limit))
            }
            Kind::Text { length, varies } => {
                let length = stream.length(*length, *varies);
                let mut text = String::with_capacity(length as usize + 16);
                while text.len() < length as usize {
                    text.push_str(&format!("{:016x}", stream.next()));
                }
                text.truncate(length as usize);
                Value::String(text)
            }
            Kind::Bytes { length, varies } => {
                let length = stream.length(*length, *varies);
                let mut bytes = Vec::with_capacity(length as usize + 8);
                while bytes.len() < length as usize {
                    bytes.extend(stream.next().to_le_bytes());
                }
                bytes.truncate(length as usize);
                Value::Bytes(bytes)
            }
            Kind::Date => Value::Int(draws.at.div_euclid(86_400_000)),
            Kind::Time => Value::Int(draws.at.rem_euclid(86_400_000)),
            Kind::Timestamp { max_past, factor } => {
                let past = if *max_past > 0 { stream.between(0, *max_past) } else { 0 };
                Value::Int((draws.at - past).saturating_mul(*factor))
            }
            Kind::List { length, element } => Value::List((0..*length).map(|_| element.draw(draws, stream)).collect()),
            Kind::Map { length, key, value } => {
                let mut entries: Vec<(Value, Value)> = Vec::new();
                for _ in 0..*length {
                    let (key, value) = (key.draw(draws, stream), value.draw(draws, stream));
                    if !matches!(key, Value::Null) && entries.iter().all(|(other, _)| *other != key) {
                        entries.push((key, value));
                    }
                }
                Value::Map(entries)
            }
            Kind::Multiset { length, element } => {
                let mut entries: Vec<(Value, Value)> = Vec::new();
                for _ in 0..*length {
                    let item = element.draw(draws, stream);
                    match entries.iter_mut().find(|(other, _)| *other == item) {
                        _ if matches!(item, Value::Null) => {}
                        Some((_, Value::Int(count))) => *count += 1,
                        _ => entries.push((item, Value::Int(1))),
                    }
                }
                Value::Map(entries)
            }
            Kind::Row(fields) => Value::List(fields.iter().map(|field| field.draw(draws, stream)).collect()),
        }
    }
}

fn sequence(number: i64, ty: &LogicalType) -> Value {
    match ty {
        LogicalType::Char(_) | LogicalType::VarChar(_) => Value::String(number.to_string()),
        LogicalType::Float => Value::Float(number as f32),
        LogicalType::Double => Value::Double(number as f64),
        LogicalType::Decimal(_, scale) => Value::Decimal(i128::from(number) * 10i128.pow(u32::from(*scale))),
        _ => Value::Int(number),
    }
}

/// The generators of a table's columns, and after how many rows the shortest sequence ends.
pub(super) struct Generators {
    pub columns: Vec<Generator>,
    pub rows: Option<u64>,
    /// What is wrong with the options.
    pub problems: Vec<OptionProblem>,
}

impl Generators {
    /// As the table's options have it.
    pub fn of(table: &TableShape<'_>) -> Generators {
        let mut build = Build { options: Options(table.options), known: Vec::new(), rows: None, problems: Vec::new() };
        let fields = &table.physical.fields;
        let columns = fields.iter().map(|field| build.column(&field.name, &field.ty)).collect();
        build.unknown();
        Generators { columns, rows: build.rows, problems: build.problems }
    }
}

struct Build<'a> {
    options: Options<'a>,
    /// The paths of columns and of what is in them.
    known: Vec<String>,
    rows: Option<u64>,
    problems: Vec<OptionProblem>,
}

impl Build<'_> {
    fn column(&mut self, path: &str, ty: &DataType) -> Generator {
        self.known.push(path.to_owned());
        let null_rate = self.number(path, "null-rate", 0.0);
        if !(0.0..=1.0).contains(&null_rate) {
            self.problem(path, "null-rate", "must be from 0 to 1.".into());
        }
        let null_rate = if ty.nullable { null_rate } else { 0.0 };
        let kind = match self.option(path, "kind").map(str::to_lowercase).as_deref() {
            Some("sequence") => self.sequence(path, ty),
            _ => self.random(path, ty),
        };
        Generator { kind, null_rate, salt: hash_bytes(path.as_bytes()) }
    }

    fn sequence(&mut self, path: &str, ty: &DataType) -> Kind {
        let logical = &ty.logical;
        if !(logical.is_numeric() || logical.is_character()) {
            self.problem(path, "kind", format!("Unsupported type for a sequence: {ty}."));
        }
        let mut bound = |suffix: &str| {
            let text = self.option(path, suffix);
            let number = text.and_then(|text| text.trim().parse::<i64>().ok());
            match text {
                None => {
                    let message =
                        format!("Could not find required property 'fields.{path}.{suffix}' for sequence generator.");
                    let hint = format!("A sequence needs 'fields.{path}.start' and 'fields.{path}.end'.");
                    self.problems.push(OptionProblem::of_table(Diagnostic::error(BAD_FIELD, message).hint(hint)));
                }
                Some(_) if number.is_none() => self.problem(path, suffix, "must be a whole number.".into()),
                Some(_) => {}
            }
            number
        };
        let (start, end) = (bound("start"), bound("end"));
        let (start, end) = (start.unwrap_or(0), end.unwrap_or(0));
        let rows = (i128::from(end) - i128::from(start) + 1).max(0) as u64;
        self.rows = Some(self.rows.map_or(rows, |other| other.min(rows)));
        Kind::Sequence { start, ty: logical.clone() }
    }

    fn random(&mut self, path: &str, ty: &DataType) -> Kind {
        let element =
            |build: &mut Self, part: &str, ty: &DataType| Box::new(build.column(&format!("{path}.{part}"), ty));
        match &ty.logical {
            LogicalType::Boolean | LogicalType::Null => Kind::Boolean,
            LogicalType::TinyInt => self.integer(path, i64::from(i8::MIN), i64::from(i8::MAX)),
            LogicalType::SmallInt => self.integer(path, i64::from(i16::MIN), i64::from(i16::MAX)),
            LogicalType::Int => self.integer(path, i64::from(i32::MIN), i64::from(i32::MAX)),
            LogicalType::BigInt => self.integer(path, i64::MIN, i64::MAX),
            LogicalType::IntervalYearMonth => self.integer(path, 0, 120_000),
            LogicalType::IntervalDayTime => self.integer(path, 0, i64::from(i32::MAX)),
            LogicalType::Float => {
                let (min, max) = self.range(path, f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX));
                Kind::Float { min, max }
            }
            LogicalType::Double => {
                let (min, max) = self.range(path, f64::MIN_POSITIVE, f64::MAX);
                Kind::Double { min, max }
            }
            LogicalType::Decimal(precision, scale) => {
                let (min, max) = self.range(path, 0.0, 10f64.powi(i32::from(*precision) - i32::from(*scale)));
                Kind::Decimal { min, max, precision: *precision, scale: *scale }
            }
            LogicalType::Char(n) => Kind::Text { length: self.fixed(path, *n), varies: false },
            LogicalType::Binary(n) => Kind::Bytes { length: self.fixed(path, *n), varies: false },
            LogicalType::VarChar(n) => {
                let (length, varies) = self.varying(path, *n);
                Kind::Text { length, varies }
            }
            LogicalType::VarBinary(n) => {
                let (length, varies) = self.varying(path, *n);
                Kind::Bytes { length, varies }
            }
            LogicalType::Date => Kind::Date,
            LogicalType::Time(_) => Kind::Time,
            LogicalType::Timestamp(p, _) | LogicalType::TimestampLtz(p, _) => {
                let max_past = self.option(path, "max-past").and_then(parse_duration).unwrap_or(0);
                Kind::Timestamp { max_past, factor: tidegate_data::arrow::units_per_second(*p) / 1_000 }
            }
            LogicalType::Array(item) => {
                Kind::List { length: self.length(path, ITEMS), element: element(self, "element", item) }
            }
            LogicalType::Multiset(item) => {
                Kind::Multiset { length: self.length(path, ITEMS), element: element(self, "element", item) }
            }
            LogicalType::Map(key, value) => Kind::Map {
                length: self.length(path, ITEMS),
                key: element(self, "key", key),
                value: element(self, "value", value),
            },
            LogicalType::Row(fields) => Kind::Row(
                fields.iter().map(|field| self.column(&format!("{path}.{}", field.name), &field.ty)).collect(),
            ),
        }
    }

    fn integer(&mut self, path: &str, least: i64, greatest: i64) -> Kind {
        let mut bound =
            |suffix: &str, default: i64| match self.option(path, suffix).map(|text| text.trim().parse::<i64>()) {
                None => default,
                Some(Ok(number)) if (least..=greatest).contains(&number) => number,
                Some(_) => {
                    self.problem(path, suffix, format!("must be a whole number from {least} to {greatest}."));
                    default
                }
            };
        let (min, max) = (bound("min", least), bound("max", greatest));
        if min > max {
            self.problem(path, "min", format!("must not be above the 'max' of the field, {max}."));
        }
        Kind::Integer { min, max: max.max(min) }
    }

    fn range(&mut self, path: &str, least: f64, greatest: f64) -> (f64, f64) {
        let (min, max) = (self.number(path, "min", least), self.number(path, "max", greatest));
        if min > max {
            self.problem(path, "min", format!("must not be above the 'max' of the field, {max}."));
        }
        (min, max)
    }

    fn number(&mut self, path: &str, suffix: &str, default: f64) -> f64 {
        match self.option(path, suffix).map(|text| text.trim().parse::<f64>()) {
            None => default,
            Some(Ok(number)) if number.is_finite() => number,
            Some(_) => {
                self.problem(path, suffix, "must be a number.".into());
                default
            }
        }
    }

    fn length(&mut self, path: &str, default: u32) -> u32 {
        match self.option(path, "length").map(|text| text.trim().parse::<u32>()) {
            None => default,
            Some(Ok(length)) if length <= 1_000_000 => length,
            Some(_) => {
                self.problem(path, "length", "must be a whole number from 0 to 1000000.".into());
                default
            }
        }
    }

    fn fixed(&mut self, path: &str, n: u32) -> u32 {
        if let Some(length) = self.option(path, "length") {
            let message = format!(
                "Custom length '{length}' for fixed-length type (CHAR/BINARY) field '{path}' is not supported."
            );
            let problem = Diagnostic::error(BAD_FIELD, message).hint("Leave the option out: the type says the length.");
            self.problems.push(OptionProblem::at(format!("fields.{path}.length"), problem));
        }
        n
    }

    fn varying(&mut self, path: &str, n: u32) -> (u32, bool) {
        let default = if n == DataType::MAX_LENGTH { TEXT } else { n.min(1_000_000) };
        let length = self.length(path, default);
        if length > n {
            let message = format!(
                "Custom length '{length}' for variable-length type (VARCHAR/STRING/VARBINARY/BYTES) field '{path}' should be shorter than '{n}' defined in the schema."
            );
            let problem = Diagnostic::error(BAD_FIELD, message).hint("A shorter length, or a longer type.");
            self.problems.push(OptionProblem::at(format!("fields.{path}.length"), problem));
        }
        (length, self.options.boolean(&format!("fields.{path}.var-len"), false))
    }

    fn option(&self, path: &str, suffix: &str) -> Option<&str> {
        self.options.text(&format!("fields.{path}.{suffix}"))
    }

    fn problem(&mut self, path: &str, suffix: &str, what: String) {
        let option = format!("fields.{path}.{suffix}");
        let message = format!("Invalid value for option '{option}': it {what}");
        let hint = "Of a column: kind (random, sequence), min, max, length, null-rate, start, end, max-past, var-len.";
        self.problems.push(OptionProblem::at(option, Diagnostic::error(BAD_FIELD, message).hint(hint)));
    }

    /// Options of columns that the table does not have.
    fn unknown(&mut self) {
        for option in self.options.0.keys() {
            let Some((path, _)) = option.strip_prefix("fields.").and_then(|rest| rest.rsplit_once('.')) else {
                continue;
            };
            if !self.known.iter().any(|known| known == path) {
                let diagnostic = Diagnostic::error(
                    BAD_FIELD,
                    format!("Unsupported option '{option}': the table has no column '{path}'."),
                )
                .hint_opt(tidegate_diag::did_you_mean(path, &self.known));
                self.problems.push(OptionProblem::at(option, diagnostic));
            }
        }
    }
}
