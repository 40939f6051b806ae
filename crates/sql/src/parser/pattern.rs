//! `MATCH_RECOGNIZE` and its row patterns.

use super::{Parsed, Parser};
use crate::ast::{AfterMatch, Ident, MatchRecognize, Measure, Pattern, PatternKind, TableRef};

impl Parser<'_> {
    pub(super) fn match_recognize(&mut self, input: TableRef) -> Parsed<MatchRecognize> {
        let start = self.peek().span;
        self.skip(1);
        self.expect("(")?;
        let partition_by = if self.eat("PARTITION") {
            self.expect("BY").and_then(|_| self.plain_list(Self::expr))?
        } else {
            Vec::new()
        };
        let order_by = self.order_by()?;
        let measures = if self.eat("MEASURES") {
            self.plain_list(|p| {
                let expr = p.expr()?;
                p.expect("AS")?;
                Ok(Measure { expr, alias: p.ident("a name")? })
            })?
        } else {
            Vec::new()
        };
        let all_rows = self.eat_all(&["ALL", "ROWS", "PER", "MATCH"]);
        if !all_rows && self.eat("ONE") {
            self.expect_all(&["ROW", "PER", "MATCH"])?;
        }
        let after_match = if self.eat("AFTER") { Some(self.after_match()?) } else { None };
        if !self.at("PATTERN") {
            return Err(self.unexpected(&["PATTERN"]));
        }
        self.skip(1);
        self.expect("(")?;
        let anchored_start = self.eat("^");
        let pattern = self.pattern()?;
        let anchored_end = self.eat("$");
        self.expect(")")?;
        let within = if self.eat("WITHIN") { Some(self.expr()?) } else { None };
        let mut subsets = Vec::new();
        if self.eat("SUBSET") {
            subsets = self.plain_list(|p| {
                let name = p.ident("a name")?;
                p.expect("=")?;
                Ok((name, p.ident_list("a pattern variable")?))
            })?;
        }
        self.expect("DEFINE")?;
        let defines = self.plain_list(|p| {
            let name = p.ident("a pattern variable")?;
            p.expect("AS")?;
            Ok((name, p.expr()?))
        })?;
        if !self.eat(")") {
            return Err(self.unexpected(&[",", ")"]));
        }
        Ok(MatchRecognize {
            input,
            partition_by,
            order_by,
            measures,
            all_rows,
            after_match,
            pattern,
            anchored_start,
            anchored_end,
            within,
            subsets,
            defines,
            span: self.since(start),
        })
    }

    fn after_match(&mut self) -> Parsed<AfterMatch> {
        self.expect_all(&["MATCH", "SKIP"])?;
        if self.eat("PAST") {
            self.expect_all(&["LAST", "ROW"])?;
            return Ok(AfterMatch::PastLastRow);
        }
        self.expect("TO")?;
        if self.eat_all(&["NEXT", "ROW"]) {
            return Ok(AfterMatch::NextRow);
        }
        // FIRST and LAST may name variables themselves.
        let variable_follows = self.peek_at(1).is_name() && !self.peek_at(1).is("PATTERN");
        if variable_follows && self.eat("FIRST") {
            return Ok(AfterMatch::ToFirst(self.ident("a pattern variable")?));
        }
        if variable_follows {
            self.eat("LAST");
        }
        Ok(AfterMatch::ToLast(self.ident("a pattern variable")?))
    }

    /// `A B | C`
    fn pattern(&mut self) -> Parsed<Pattern> {
        self.nested(|p| {
            let start = p.peek().span;
            let mut branches = vec![p.pattern_sequence()?];
            while p.eat("|") {
                branches.push(p.pattern_sequence()?);
            }
            if branches.len() == 1 {
                return Ok(branches.remove(0));
            }
            Ok(Pattern { kind: PatternKind::Alternation(branches), span: p.since(start) })
        })
    }

    fn pattern_sequence(&mut self) -> Parsed<Pattern> {
        let start = self.peek().span;
        let mut parts = vec![self.pattern_factor()?];
        while !self.at_end() && !self.at_any(&[")", "|", "$", "-", ","]) {
            parts.push(self.pattern_factor()?);
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        Ok(Pattern { kind: PatternKind::Concat(parts), span: self.since(start) })
    }

    fn pattern_factor(&mut self) -> Parsed<Pattern> {
        let start = self.peek().span;
        let kind = self.pattern_primary()?;
        let inner = Pattern { kind, span: self.since(start) };
        let (min, max) = if self.eat("*") {
            (0, None)
        } else if self.eat("+") {
            (1, None)
        } else if self.eat("?") {
            (0, Some(1))
        } else if self.at("{") && !self.peek_at(1).is("-") {
            self.skip(1);
            let min = if self.at(",") { None } else { Some(self.small_number()?) };
            let max = if self.eat(",") {
                if self.at("}") && min.is_some() { None } else { Some(self.small_number()?) }
            } else {
                min
            };
            self.expect("}")?;
            (min.unwrap_or(0), max)
        } else {
            return Ok(inner);
        };
        let reluctant = self.eat("?");
        let kind = PatternKind::Repeat { inner: Box::new(inner), min, max, reluctant };
        Ok(Pattern { kind, span: self.since(start) })
    }

    fn pattern_primary(&mut self) -> Parsed<PatternKind> {
        if self.eat("(") {
            if self.eat(")") {
                return Ok(PatternKind::Empty);
            }
            let inner = self.pattern()?;
            self.expect(")")?;
            return Ok(inner.kind);
        }
        if self.at_all(&["{", "-"]) {
            self.skip(2);
            let inner = self.pattern()?;
            self.expect("-")?;
            self.expect("}")?;
            return Ok(PatternKind::Exclude(Box::new(inner)));
        }
        if self.at_all(&["PERMUTE", "("]) {
            self.skip(2);
            let items = self.plain_list(Self::pattern)?;
            self.expect(")")?;
            return Ok(PatternKind::Permute(items));
        }
        let name: Ident = self.ident("a pattern variable")?;
        Ok(PatternKind::Variable(name))
    }
}
