//! Operators between and behind operands, with the precedences of Flink's parser (Calcite).

use tidegate_diag::Span;

use super::{Parsed, Parser, Stop};
use crate::ast::{BinaryOp, Expr, ExprKind, JsonKind, PeriodOp};

// Higher binds closer. Calcite: OR 22, AND 24, NOT 26, IS 28, comparisons 30, IN/BETWEEN/LIKE 32, + - 40,
// * / % || 60, unary minus 80.
const OR: u8 = 22;
const AND: u8 = 24;
pub(super) const NOT: u8 = 26;
const IS: u8 = 28;
const COMPARISON: u8 = 30;
const MEMBERSHIP: u8 = 32;
const SUM: u8 = 40;
const PRODUCT: u8 = 60;
pub(super) const SIGN: u8 = 80;

/// What an operator does with what stands right of it.
enum Infix {
    Binary(BinaryOp),
    Is,
    Between,
    In,
    Like,
    Similar,
    Period(PeriodOp),
    Unsupported,
}

/// Operands from which on a chain of one operator becomes a balanced tree.
pub(super) const LONG_CHAIN: usize = 100;

/// Joins neighbours, then what they have become, until one is left: a tree that is as low as can be. `signs` has what stands
/// between two neighbours.
pub(super) fn balanced<T, S: Copy>(mut items: Vec<T>, signs: &[S], join: &dyn Fn(T, S, T) -> T) -> T {
    let half = items.len().div_ceil(2);
    let right = items.split_off(half);
    match (items.len(), right.len()) {
        (1, 0) => items.remove(0),
        _ => {
            let left = balanced(items, &signs[..half - 1], join);
            join(left, signs[half - 1], balanced(right, &signs[half..], join))
        }
    }
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.expr_above(0)
    }

    /// An expression of operators that bind closer than `power`.
    pub(super) fn expr_above(&mut self, power: u8) -> Parsed<Expr> {
        self.nested(|p| {
            let mut left = p.prefix()?;
            while let Some((infix, binding, words)) = p.infix() {
                if binding <= power {
                    break;
                }
                if let Infix::Binary(
                    op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Plus | BinaryOp::Multiply | BinaryOp::Concat),
                ) = infix
                {
                    left = p.operands(left, op, binding)?;
                    continue;
                }
                p.grow()?;
                left = p.apply(left, infix, binding, words)?;
            }
            Ok(left)
        })
    }

    /// `left` and all operands behind it that the same operator joins to it.
    fn operands(&mut self, left: Expr, op: BinaryOp, binding: u8) -> Parsed<Expr> {
        let mut operands = vec![left];
        let mut signs = Vec::new();
        while matches!(self.infix(), Some((Infix::Binary(next), ..)) if next == op) {
            if operands.len() <= LONG_CHAIN {
                self.grow()?;
            }
            signs.push(self.next().span);
            operands.push(self.expr_above(binding)?);
        }
        let join = |left: Expr, op_span, right: Expr, chain| {
            let span = left.span.to(right.span);
            Expr { kind: ExprKind::Binary { op, op_span, left: Box::new(left), right: Box::new(right), chain }, span }
        };
        let long = operands.len() > LONG_CHAIN;
        if long {
            return Ok(balanced(operands, &signs, &|left, sign, right| join(left, sign, right, true)));
        }
        let mut operands = operands.into_iter();
        let first = operands.next().ok_or(Stop)?;
        Ok(operands.zip(signs).fold(first, |left, (right, sign)| join(left, sign, right, false)))
    }

    /// The operator that comes next, how close it binds, and whether NOT stands before it.
    fn infix(&mut self) -> Option<(Infix, u8, bool)> {
        let negated = self.at("NOT");
        let token = self.peek_at(usize::from(negated));
        let found = |infix, binding| Some((infix, binding, negated));
        if token.is("IN") {
            return found(Infix::In, MEMBERSHIP);
        }
        if token.is("BETWEEN") {
            return found(Infix::Between, MEMBERSHIP);
        }
        if token.is("LIKE") {
            return found(Infix::Like, MEMBERSHIP);
        }
        if token.is("SIMILAR") {
            return found(Infix::Similar, MEMBERSHIP);
        }
        if token.is("ILIKE") || token.is("RLIKE") {
            return found(Infix::Unsupported, MEMBERSHIP);
        }
        if negated {
            return None;
        }
        let binary = |op, binding| Some((Infix::Binary(op), binding, false));
        if let crate::tokens::TokenKind::Symbol(symbol) = token.kind {
            return match symbol {
                "=" | "==" => binary(BinaryOp::Eq, COMPARISON),
                "<>" | "!=" => binary(BinaryOp::NotEq, COMPARISON),
                "<" => binary(BinaryOp::Lt, COMPARISON),
                "<=" => binary(BinaryOp::LtEq, COMPARISON),
                ">" => binary(BinaryOp::Gt, COMPARISON),
                ">=" => binary(BinaryOp::GtEq, COMPARISON),
                "+" => binary(BinaryOp::Plus, SUM),
                "-" => binary(BinaryOp::Minus, SUM),
                "*" => binary(BinaryOp::Multiply, PRODUCT),
                "/" => binary(BinaryOp::Divide, PRODUCT),
                "%" => binary(BinaryOp::Modulo, PRODUCT),
                "||" => binary(BinaryOp::Concat, PRODUCT),
                _ => None,
            };
        }
        let word = token.word()?;
        let is = |w: &str| word.eq_ignore_ascii_case(w);
        if is("OR") {
            return binary(BinaryOp::Or, OR);
        }
        if is("AND") {
            return binary(BinaryOp::And, AND);
        }
        if is("IS") {
            return found(Infix::Is, IS);
        }
        let period = if is("OVERLAPS") {
            PeriodOp::Overlaps
        } else if is("CONTAINS") {
            PeriodOp::Contains
        } else if is("EQUALS") {
            PeriodOp::Equals
        } else if is("PRECEDES") {
            PeriodOp::Precedes
        } else if is("SUCCEEDS") {
            PeriodOp::Succeeds
        } else if is("IMMEDIATELY") && self.peek_at(1).is("PRECEDES") {
            PeriodOp::ImmediatelyPrecedes
        } else if is("IMMEDIATELY") && self.peek_at(1).is("SUCCEEDS") {
            PeriodOp::ImmediatelySucceeds
        } else {
            return None;
        };
        found(Infix::Period(period), COMPARISON)
    }

    fn apply(&mut self, left: Expr, infix: Infix, binding: u8, negated: bool) -> Parsed<Expr> {
        let start = left.span;
        if negated {
            self.skip(1);
        }
        let op_span = self.peek().span;
        let left = Box::new(left);
        let kind = match infix {
            Infix::Binary(op) => {
                self.foreign_operator(op_span);
                self.skip(1);
                let comparison = binding == COMPARISON;
                if comparison && self.at_any(&["ALL", "SOME", "ANY"]) && self.peek_at(1).is("(") {
                    self.quantified(left, op)?
                } else {
                    let right = Box::new(self.expr_above(binding)?);
                    ExprKind::Binary { op, op_span, left, right, chain: false }
                }
            }
            Infix::Is => self.is_predicate(left)?,
            Infix::Between => {
                self.skip(1);
                let symmetric = self.eat("SYMMETRIC");
                if !symmetric {
                    self.eat("ASYMMETRIC");
                }
                let low = Box::new(self.expr_above(MEMBERSHIP)?);
                self.expect("AND")?;
                let high = Box::new(self.expr_above(MEMBERSHIP)?);
                ExprKind::Between { expr: left, negated, symmetric, low, high }
            }
            Infix::In => self.in_predicate(left, negated)?,
            Infix::Like => {
                self.skip(1);
                let (pattern, escape) = self.pattern_and_escape()?;
                ExprKind::Like { expr: left, negated, pattern, escape }
            }
            Infix::Similar => {
                self.skip(1);
                self.expect("TO")?;
                let (pattern, escape) = self.pattern_and_escape()?;
                ExprKind::SimilarTo { expr: left, negated, pattern, escape }
            }
            Infix::Unsupported => {
                let what = self.source(op_span).to_ascii_uppercase();
                let hint = "LOWER(x) LIKE 'pattern' or REGEXP(x, 'pattern') do the same.";
                return Err(self.unsupported(op_span, &what, hint));
            }
            Infix::Period(op) => {
                self.eat("IMMEDIATELY");
                self.skip(1);
                let right = Box::new(self.expr_above(binding)?);
                ExprKind::Period { op, left, right }
            }
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// Reports operators that other databases have.
    fn foreign_operator(&mut self, span: Span) {
        if self.at("!=") {
            self.foreign(span, "Bang equal '!=' is not allowed under the current SQL conformance level.", "<>");
        } else if self.at("==") {
            let message = self.encountered(self.peek());
            self.foreign(span, &message, "=");
        }
    }

    fn quantified(&mut self, left: Box<Expr>, op: BinaryOp) -> Parsed<ExprKind> {
        let all = self.next().is("ALL");
        let start = self.peek().span;
        let kind = if self.at_query_in_parens() {
            self.skip(1);
            ExprKind::Subquery(Box::new(self.query()?))
        } else {
            self.skip(1);
            ExprKind::Row(self.plain_list(Self::expr)?)
        };
        self.expect(")")?;
        let right = Box::new(Expr { kind, span: self.since(start) });
        Ok(ExprKind::Quantified { left, op, all, right })
    }

    fn is_predicate(&mut self, expr: Box<Expr>) -> Parsed<ExprKind> {
        self.skip(1);
        let negated = self.eat("NOT");
        if self.eat("NULL") {
            return Ok(ExprKind::IsNull { expr, negated });
        }
        for (word, value) in [("TRUE", Some(true)), ("FALSE", Some(false)), ("UNKNOWN", None)] {
            if self.eat(word) {
                return Ok(ExprKind::IsTruth { expr, negated, value });
            }
        }
        if self.eat_all(&["DISTINCT", "FROM"]) {
            let right = Box::new(self.expr_above(COMPARISON)?);
            return Ok(ExprKind::IsDistinctFrom { left: expr, right, negated });
        }
        if self.eat("JSON") {
            let kinds = [("VALUE", JsonKind::Value), ("OBJECT", JsonKind::Object), ("ARRAY", JsonKind::Array)];
            let kind = match kinds.iter().find(|(w, _)| self.at(w)) {
                Some((_, kind)) => {
                    self.skip(1);
                    *kind
                }
                None if self.eat("SCALAR") => JsonKind::Scalar,
                None => JsonKind::Value,
            };
            return Ok(ExprKind::IsJson { expr, negated, kind });
        }
        Err(self.unexpected(&["NULL", "TRUE", "FALSE", "UNKNOWN", "DISTINCT", "JSON"]))
    }

    fn in_predicate(&mut self, expr: Box<Expr>, negated: bool) -> Parsed<ExprKind> {
        self.skip(1);
        if self.at_query_in_parens() {
            self.skip(1);
            let query = Box::new(self.query()?);
            self.expect(")")?;
            return Ok(ExprKind::InSubquery { expr, negated, query });
        }
        self.expect("(")?;
        let another = |p: &Self| {
            matches!(p.peek().kind, crate::tokens::TokenKind::String(_) | crate::tokens::TokenKind::Number(_))
        };
        let list = self.list(&[")"], another, Self::expr)?;
        if !self.eat(")") {
            return Err(self.unexpected(&[",", ")"]));
        }
        Ok(ExprKind::InList { expr, negated, list })
    }

    fn pattern_and_escape(&mut self) -> Parsed<(Box<Expr>, Option<Box<Expr>>)> {
        // LIKE leans right.
        let pattern = Box::new(self.expr_above(MEMBERSHIP - 1)?);
        let escape = if self.eat("ESCAPE") { Some(Box::new(self.expr_above(MEMBERSHIP)?)) } else { None };
        Ok((pattern, escape))
    }
}
