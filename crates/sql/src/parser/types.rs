//! The names of data types.

use super::{Parsed, Parser};
use crate::ast::{RowField, StringLit, TypeKind, TypeName};
use crate::tokens::TokenKind;

const TYPE_WORDS: &[&str] = &[
    "ARRAY",
    "BIGINT",
    "BINARY",
    "BOOLEAN",
    "BYTES",
    "CHAR",
    "CHARACTER",
    "DATE",
    "DEC",
    "DECIMAL",
    "DOUBLE",
    "FLOAT",
    "INT",
    "INTEGER",
    "INTERVAL",
    "MAP",
    "MULTISET",
    "NUMERIC",
    "RAW",
    "REAL",
    "ROW",
    "SMALLINT",
    "STRING",
    "TIME",
    "TIMESTAMP",
    "TIMESTAMP_LTZ",
    "TINYINT",
    "VARBINARY",
    "VARCHAR",
    "VARIANT",
];

/// Whether a type can begin with this word.
pub(super) fn is_type_word(word: &str) -> bool {
    TYPE_WORDS.iter().any(|w| w.eq_ignore_ascii_case(word))
}

impl Parser<'_> {
    /// The type of a column or field: with `NULL` or `NOT NULL` behind it.
    pub(super) fn data_type(&mut self) -> Parsed<TypeName> {
        self.type_name(true)
    }

    /// The type of a cast: without.
    pub(super) fn cast_type(&mut self) -> Parsed<TypeName> {
        self.type_name(false)
    }

    fn type_name(&mut self, nullability: bool) -> Parsed<TypeName> {
        let start = self.peek().span;
        let mut kind = self.nested(Self::type_kind)?;
        loop {
            let nullable = if nullability { self.nullability() } else { None };
            let ty = TypeName { kind, nullable, span: self.since(start) };
            if !self.at("ARRAY") && !self.at("MULTISET") {
                return Ok(ty);
            }
            self.grow()?;
            let array = self.next().is("ARRAY");
            kind = if array { TypeKind::Array(Box::new(ty)) } else { TypeKind::Multiset(Box::new(ty)) };
        }
    }

    fn nullability(&mut self) -> Option<bool> {
        if self.eat("NULL") {
            Some(true)
        } else if self.eat_all(&["NOT", "NULL"]) {
            Some(false)
        } else {
            None
        }
    }

    fn type_kind(&mut self) -> Parsed<TypeKind> {
        let token = self.peek().clone();
        let TokenKind::Word { value, quoted } = &token.kind else {
            return Err(self.unexpected(&["a data type"]));
        };
        if *quoted || !(is_type_word(value) || self.at("NULL")) {
            if self.is_clause_word() {
                return Err(self.unexpected(&["a data type"]));
            }
            return Ok(TypeKind::Named(self.object_name("a data type")?));
        }
        // MAP is no reserved word, and a type of the user's own may bear its name.
        if self.at("MAP") && !self.peek_at(1).is("<") {
            return Ok(TypeKind::Named(self.object_name("a data type")?));
        }
        self.skip(1);
        Ok(match value.to_ascii_uppercase().as_str() {
            "BOOLEAN" => TypeKind::Boolean,
            "TINYINT" => TypeKind::TinyInt,
            "SMALLINT" => TypeKind::SmallInt,
            "INT" | "INTEGER" => TypeKind::Int,
            "BIGINT" => TypeKind::BigInt,
            "FLOAT" | "REAL" => TypeKind::Float,
            "DOUBLE" => {
                self.eat("PRECISION");
                TypeKind::Double
            }
            "DECIMAL" | "DEC" | "NUMERIC" => {
                let (precision, scale) = self.precision_and_scale()?;
                TypeKind::Decimal { precision, scale }
            }
            "CHAR" | "CHARACTER" => {
                let varying = self.eat("VARYING");
                let length = self.length()?;
                if varying { TypeKind::Varchar(length) } else { TypeKind::Char(length) }
            }
            "VARCHAR" => TypeKind::Varchar(self.length()?),
            "STRING" => TypeKind::String,
            "BINARY" => {
                let varying = self.eat("VARYING");
                let length = self.length()?;
                if varying { TypeKind::Varbinary(length) } else { TypeKind::Binary(length) }
            }
            "VARBINARY" => TypeKind::Varbinary(self.length()?),
            "BYTES" => TypeKind::Bytes,
            "DATE" => TypeKind::Date,
            "TIME" => {
                let precision = self.length()?;
                self.eat_all(&["WITHOUT", "TIME", "ZONE"]);
                TypeKind::Time(precision)
            }
            "TIMESTAMP" => {
                let precision = self.length()?;
                if self.eat_all(&["WITH", "LOCAL", "TIME", "ZONE"]) {
                    TypeKind::TimestampLtz(precision)
                } else if self.eat_all(&["WITH", "TIME", "ZONE"]) {
                    TypeKind::TimestampTz(precision)
                } else {
                    self.eat_all(&["WITHOUT", "TIME", "ZONE"]);
                    TypeKind::Timestamp(precision)
                }
            }
            "TIMESTAMP_LTZ" => TypeKind::TimestampLtz(self.length()?),
            "INTERVAL" => TypeKind::Interval(self.interval_qualifier()?),
            "ARRAY" => TypeKind::Array(Box::new(self.one_in_angles()?)),
            "MULTISET" => TypeKind::Multiset(Box::new(self.one_in_angles()?)),
            "MAP" => {
                self.expect("<")?;
                let key = self.data_type()?;
                self.expect(",")?;
                let value = self.data_type()?;
                self.expect(">")?;
                TypeKind::Map(Box::new(key), Box::new(value))
            }
            "ROW" => self.row_type()?,
            "RAW" => {
                self.expect("(")?;
                let class = self.string("a class name in single quotes")?;
                self.expect(",")?;
                let serializer = self.string("a serializer in single quotes")?;
                self.expect(")")?;
                TypeKind::Raw(vec![class, serializer])
            }
            "VARIANT" => TypeKind::Variant,
            _ => TypeKind::Null,
        })
    }

    fn one_in_angles(&mut self) -> Parsed<TypeName> {
        self.expect("<")?;
        let inner = self.data_type()?;
        self.expect(">")?;
        Ok(inner)
    }

    fn row_type(&mut self) -> Parsed<TypeKind> {
        let close = if self.eat("<") {
            ">"
        } else {
            self.expect("(")?;
            ")"
        };
        if self.eat(close) {
            return Ok(TypeKind::Row(Vec::new()));
        }
        let another = |p: &Self| p.is_word() && p.peek_at(1).word().is_some_and(is_type_word);
        let fields = self.list(&[close], another, |p| {
            let name = p.ident_for_sure("a field name")?;
            let ty = p.data_type()?;
            let comment: Option<StringLit> =
                if matches!(p.peek().kind, TokenKind::String(_)) { Some(p.string("a comment")?) } else { None };
            Ok(RowField { name, ty, comment })
        })?;
        self.expect(close)?;
        Ok(TypeKind::Row(fields))
    }

    /// `(n)`, if it is there.
    fn length(&mut self) -> Parsed<Option<u32>> {
        if !self.eat("(") {
            return Ok(None);
        }
        let n = self.small_number()?;
        self.expect(")")?;
        Ok(Some(n))
    }

    fn precision_and_scale(&mut self) -> Parsed<(Option<u32>, Option<u32>)> {
        if !self.eat("(") {
            return Ok((None, None));
        }
        let precision = self.small_number()?;
        let scale = if self.eat(",") { Some(self.small_number()?) } else { None };
        self.expect(")")?;
        Ok((Some(precision), scale))
    }
}
