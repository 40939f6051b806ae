//! Comparisons: `=`, `<`, IN, IS DISTINCT FROM; both sides get one type, as in Calcite.

use tidegate_data::{DataType, LogicalType, Value};
use tidegate_diag::Span;

use super::Binder;
use super::cast::fold_constant;
use super::expr::or;
use crate::codes::BAD_OPERANDS;
use crate::rex::Rex;

impl Binder<'_> {
    /// `IS [NOT] DISTINCT FROM` in terms of `=` and IS NULL, as in Calcite.
    pub(super) fn distinct_from(&self, left: Rex, right: Rex, negated: bool, span: Span) -> Rex {
        let op = if negated { "IS NOT DISTINCT FROM" } else { "IS DISTINCT FROM" };
        let checked = self.call(op, vec![left.clone(), right.clone()], span);
        let null = |rex: &Rex| rex.as_literal() == Some(&Value::Null);
        if checked.has_error() || null(&left) || null(&right) || !(left.ty.nullable && right.ty.nullable) {
            return checked;
        }
        let boolean = DataType::not_null(LogicalType::Boolean);
        let equal = self.equality("=", left.clone(), right.clone(), span);
        let test = |op: &str, rex: Rex| Rex::typed_call(op, vec![rex], boolean.clone());
        if negated {
            Rex::or(vec![Rex::and(vec![test("IS NULL", left), test("IS NULL", right)]), test("IS TRUE", equal)])
        } else {
            Rex::and(vec![
                Rex::or(vec![test("IS NOT NULL", left), test("IS NOT NULL", right)]),
                test("IS NOT TRUE", equal),
            ])
        }
    }

    /// `x IN (a, b)` as comparisons; the constants get one type among them.
    pub(super) fn in_list(&self, value: Rex, items: Vec<(Rex, Span)>) -> Rex {
        if value.has_error() || items.iter().any(|(item, _)| item.has_error()) {
            return Rex::error();
        }
        for (item, span) in &items {
            // A text among numbers, or a number among texts, is read as the other; nothing else is.
            let mixed = value.ty.logical.is_character() != item.ty.logical.is_character()
                && value.ty.logical != LogicalType::Boolean
                && item.ty.logical != LogicalType::Boolean;
            let takes = mixed && item.clone().cast(&value.ty, false).is_ok();
            if !takes && Rex::call("=", vec![value.clone(), item.clone()]).is_err() {
                self.error(BAD_OPERANDS, "Values passed to IN operator must have compatible types", *span);
                return Rex::error();
            }
        }
        let types: Vec<DataType> = items.iter().map(|(item, _)| item.ty.clone()).collect();
        let wanted = match tidegate_expr::common_type(&types) {
            Some(ty) if ty.logical.is_character() && value.ty.logical.is_character() => ty,
            _ => value.ty.clone(),
        };
        let boolean = |nullable: bool| DataType { logical: LogicalType::Boolean, nullable };
        let terms = items.into_iter().map(|(item, span)| {
            let null = item.as_literal() == Some(&Value::Null);
            let ty = wanted.with_nullable(item.ty.nullable);
            match item.clone().cast(&ty, false).map(|cast| fold_constant(&item, cast)) {
                Ok(cast) if !null && cast.as_literal().is_some_and(|v| *v != Value::Null) => {
                    Rex::typed_call("=", vec![value.clone(), cast], boolean(value.ty.nullable))
                }
                _ => self.equality("=", value.clone(), item, span),
            }
        });
        or(terms.collect())
    }

    /// `<` and its like: a text beside an integer makes BIGINTs of both, one beside a time is read as such a time.
    pub(super) fn order(&self, op: &str, left: Rex, right: Rex, span: Span) -> Rex {
        let text = |rex: &Rex| rex.ty.logical.is_character();
        let other = match (text(&left), text(&right)) {
            (true, false) => &right,
            (false, true) => &left,
            _ => return self.call(op, vec![left, right], span),
        };
        let target = match &other.ty.logical {
            ty if ty.is_integer() => LogicalType::BigInt,
            ty if ty.is_timestamp() || *ty == LogicalType::Date => ty.without_time_attribute(),
            _ => return self.call(op, vec![left, right], span),
        };
        let convert = |rex: Rex| {
            let ty = DataType { logical: target.clone(), nullable: rex.ty.nullable };
            match rex.clone().cast(&ty, false) {
                Ok(cast) if rex.as_literal().is_some() => fold_constant(&rex, cast),
                Ok(cast) => cast,
                Err(_) => rex,
            }
        };
        let (l, r) = match target.is_integer() {
            true => (convert(left), convert(right)),
            false if text(&left) => (convert(left), right),
            false => (left, convert(right)),
        };
        self.call(op, vec![l, r], span)
    }

    /// `=` and its like: both sides get the type that takes both, as in Calcite.
    pub(super) fn equality(&self, op: &str, left: Rex, right: Rex, span: Span) -> Rex {
        let nullable = left.ty.nullable || right.ty.nullable;
        if [(&left, &right), (&right, &left)].into_iter().any(is_boolean_and_text) {
            return Rex::typed_call(op, vec![left, right], DataType { logical: LogicalType::Boolean, nullable });
        }
        let checked = self.call(op, vec![left.clone(), right.clone()], span);
        if checked.has_error() {
            return checked;
        }
        let plain =
            |rex: &Rex| DataType { logical: rex.ty.logical.without_time_attribute(), nullable: rex.ty.nullable };
        let sides = [plain(&left), plain(&right)];
        if sides[0].logical != sides[1].logical
            && let Some(common) = tidegate_expr::common_type(&sides)
        {
            let convert = |rex: Rex| {
                let ty = common.with_nullable(rex.ty.nullable);
                rex.clone().cast(&ty, false).map(|cast| fold_constant(&rex, cast))
            };
            if let (Ok(left), Ok(right)) = (convert(left), convert(right)) {
                return Rex::typed_call(op, vec![left, right], checked.ty);
            }
        }
        checked
    }
}

/// A BOOLEAN beside a text: Flink lets it pass, and no such two are ever equal.
fn is_boolean_and_text((boolean, text): (&Rex, &Rex)) -> bool {
    boolean.ty.logical == LogicalType::Boolean && text.ty.logical.is_character()
}
