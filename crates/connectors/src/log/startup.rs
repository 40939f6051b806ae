//! Where the partitions of a topic are read from, and to: `scan.startup.mode` and `scan.bounded.mode`.

use std::collections::BTreeMap;
use tidegate_data::sorted::SortedMap;

use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::Key;

use super::base;
use crate::args::{NOT_AGAIN, ReadTo};
use crate::options::Options;
use crate::transaction::escape;

const NO_OFFSET: Code = Code::new("TG5032");

/// Where reading begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Startup {
    Earliest,
    Latest,
    /// Where the group has got to; else as the reset says, `None` being a failure.
    Group(Option<Box<Startup>>),
    /// At the first row of this time or later.
    Timestamp(i64),
    Offsets(SortedMap<u32, u64>),
}

/// Where reading ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Unbounded,
    Latest,
    Group,
    Timestamp(i64),
    Offsets(SortedMap<u32, u64>),
}

impl Startup {
    /// As the table's options have it; `default` is the connector's.
    pub fn of(options: Options<'_>, default: &str) -> Startup {
        match options.word("scan.startup.mode", default).as_str() {
            "latest-offset" => Startup::Latest,
            "timestamp" => Startup::Timestamp(options.int("scan.startup.timestamp-millis").unwrap_or(0)),
            "specific-offsets" => Startup::Offsets(
                parse_offsets(options.text("scan.startup.specific-offsets").unwrap_or_default()).unwrap_or_default(),
            ),
            "group-offsets" => Startup::Group(match options.word("properties.auto.offset.reset", "none").as_str() {
                "earliest" => Some(Box::new(Startup::Earliest)),
                "latest" => Some(Box::new(Startup::Latest)),
                _ => None,
            }),
            _ => Startup::Earliest,
        }
    }

    /// The first offset of a partition that ends at `end` now, and of which the group has got to `group`.
    ///
    /// # Errors
    /// When the group has no offset and nothing says what then (TG5032).
    pub fn offset(&self, topic: &str, partition: u32, end: u64, group: Option<u64>) -> Result<u64, Diagnostic> {
        match self {
            Startup::Earliest | Startup::Timestamp(_) => Ok(0),
            Startup::Latest => Ok(end),
            Startup::Offsets(offsets) => Ok(offsets.get(&partition).copied().unwrap_or(0)),
            Startup::Group(reset) => match (group, reset) {
                (Some(offset), _) => Ok(offset),
                (None, Some(reset)) => reset.offset(topic, partition, end, None),
                (None, None) => {
                    let message =
                        format!("Undefined offset with no reset policy for partitions: [{topic}-{partition}]");
                    let hint =
                        "Set 'scan.startup.mode' = 'earliest-offset', or 'properties.auto.offset.reset' = 'earliest'.";
                    Err(Diagnostic::error(NO_OFFSET, message).hint(hint))
                }
            },
        }
    }
}

impl Bound {
    /// As the table's options have it.
    pub fn of(options: Options<'_>) -> Bound {
        match options.word("scan.bounded.mode", "unbounded").as_str() {
            "latest-offset" => Bound::Latest,
            "group-offsets" => Bound::Group,
            "timestamp" => Bound::Timestamp(options.int("scan.bounded.timestamp-millis").unwrap_or(i64::MAX)),
            "specific-offsets" => Bound::Offsets(
                parse_offsets(options.text("scan.bounded.specific-offsets").unwrap_or_default()).unwrap_or_default(),
            ),
            _ => Bound::Unbounded,
        }
    }

    /// The offset before which reading of a partition ends.
    pub fn offset(&self, partition: u32, end: u64, group: Option<u64>) -> u64 {
        match self {
            Bound::Unbounded => u64::MAX,
            Bound::Latest | Bound::Timestamp(_) => end,
            Bound::Group => group.unwrap_or(0),
            Bound::Offsets(offsets) => offsets.get(&partition).copied().unwrap_or(end),
        }
    }
}

/// Options under which a table is read once more, from where it was read from on up to where it was read.
///
/// # Errors
/// When it is not known where reading began (TG5012).
pub(crate) fn read_to(options: &mut BTreeMap<String, String>, to: &ReadTo) -> Result<(), Diagnostic> {
    let own = Options(options);
    let refused = |why: &str| {
        let message =
            format!("A log that is read from {why} on cannot be read again: where that was then is not kept.");
        Err(Diagnostic::error(NOT_AGAIN, message).hint("With 'scan.startup.mode' = 'earliest-offset' it can."))
    };
    if own.text("topic").is_some_and(|topics| topics.contains(';')) {
        let message = "How far several topics of one table were read is not kept by topic.";
        return Err(Diagnostic::error(NOT_AGAIN, message).hint("With a table for each topic it can be read again."));
    }
    match own.word("scan.startup.mode", "").as_str() {
        "latest-offset" => return refused("its newest rows"),
        "group-offsets" => match own.word("properties.auto.offset.reset", "none").as_str() {
            "earliest" => drop(options.insert("scan.startup.mode".to_owned(), "earliest-offset".to_owned())),
            _ => return refused("the offsets of its group"),
        },
        _ => {}
    }
    let offsets: Vec<String> =
        to.splits.iter().map(|(partition, offset)| format!("partition:{partition},offset:{offset}")).collect();
    options.insert("scan.bounded.mode".to_owned(), "specific-offsets".to_owned());
    options.insert("scan.bounded.specific-offsets".to_owned(), offsets.join(";"));
    Ok(())
}

/// `partition:0,offset:42;partition:1,offset:300` as offsets by partition; `None` if it reads otherwise.
pub(super) fn parse_offsets(text: &str) -> Option<SortedMap<u32, u64>> {
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    let offsets = parts.map(|part| {
        let (partition, offset) = part.split_once(',')?;
        let partition = partition.trim().strip_prefix("partition:")?.trim().parse().ok()?;
        Some((partition, offset.trim().strip_prefix("offset:")?.trim().parse().ok()?))
    });
    offsets.collect()
}

/// The key under which a group commits how far it has read a partition.
pub(super) fn group_key(topic: &str, group: &str, partition: u32) -> Key {
    format!("{}group/{}/{partition:05}", base(topic), escape(group)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_read() {
        let offsets = parse_offsets("partition:0,offset:42;partition:1,offset:300").unwrap();
        assert_eq!(offsets, SortedMap::from([(0, 42), (1, 300)]));
        assert_eq!(parse_offsets("0:42"), None);
        assert_eq!(parse_offsets(""), Some(SortedMap::new()));
    }

    #[test]
    fn a_group_without_offsets_needs_a_reset() {
        let none = Startup::Group(None);
        assert_eq!(none.offset("t", 0, 5, Some(3)), Ok(3));
        assert_eq!(none.offset("t", 0, 5, None).unwrap_err().code, NO_OFFSET);
        assert_eq!(Startup::Group(Some(Box::new(Startup::Latest))).offset("t", 0, 5, None), Ok(5));
    }
}
