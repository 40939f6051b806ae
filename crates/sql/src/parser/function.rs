//! Calls of functions, and the functions with a syntax of their own.

use tidegate_diag::Span;

use super::{Parsed, Parser};
use crate::ast::{
    Arg, ArgValue, Expr, ExprKind, Frame, FrameBound, FunctionCall, Ident, JsonBehavior, JsonCall, JsonWrapper,
    ObjectName, OrderItem, Over, TableArg, TableArgSource, TrimSide, WindowSpec,
};

impl Parser<'_> {
    /// A function that takes keywords among its arguments; none if `word` is no such function.
    pub(super) fn special_call(&mut self, word: &str, span: Span) -> Parsed<Option<ExprKind>> {
        let kind = match word {
            "CAST" | "TRY_CAST" => {
                self.skip(2);
                let expr = Box::new(self.expr()?);
                self.expect("AS")?;
                let to = self.cast_type()?;
                ExprKind::Cast { expr, to, try_cast: word == "TRY_CAST" }
            }
            "EXTRACT" => {
                self.skip(2);
                let unit = self.time_unit()?;
                self.expect("FROM")?;
                ExprKind::Extract { unit, expr: Box::new(self.expr()?) }
            }
            "TIMESTAMPADD" | "TIMESTAMPDIFF" => {
                self.skip(2);
                let unit = self.time_unit()?;
                self.expect(",")?;
                let first = Box::new(self.expr()?);
                self.expect(",")?;
                let second = Box::new(self.expr()?);
                if word == "TIMESTAMPADD" {
                    ExprKind::TimestampAdd { unit, count: first, time: second }
                } else {
                    ExprKind::TimestampDiff { unit, from: first, to: second }
                }
            }
            "FLOOR" | "CEIL" | "CEILING" => {
                self.skip(2);
                let expr = self.expr()?;
                if self.eat("TO") {
                    ExprKind::RoundTime { up: word != "FLOOR", expr: Box::new(expr), unit: self.time_unit()? }
                } else {
                    self.finish_plain(word, span, vec![expr])?
                }
            }
            "POSITION" => {
                self.skip(2);
                // IN would be taken for the predicate.
                let needle = self.expr_above(super::operator::NOT + 6)?;
                self.expect("IN")?;
                let mut args = vec![needle, self.expr()?];
                if self.eat("FROM") {
                    args.push(self.expr()?);
                }
                self.finish_plain(word, span, args)?
            }
            "SUBSTRING" => {
                self.skip(2);
                let mut args = vec![self.expr()?];
                if self.eat(",") || self.eat("FROM") {
                    args.push(self.expr()?);
                    if self.eat(",") || self.eat("FOR") {
                        args.push(self.expr()?);
                    }
                }
                self.finish_plain(word, span, args)?
            }
            "OVERLAY" => {
                self.skip(2);
                let mut args = vec![self.expr()?];
                self.expect("PLACING")?;
                args.push(self.expr()?);
                self.expect("FROM")?;
                args.push(self.expr()?);
                if self.eat("FOR") {
                    args.push(self.expr()?);
                }
                self.finish_plain(word, span, args)?
            }
            "TRIM" => self.trim()?,
            "JSON_VALUE" | "JSON_QUERY" | "JSON_EXISTS" | "JSON_OBJECT" | "JSON_ARRAY" | "JSON_OBJECTAGG"
            | "JSON_ARRAYAGG" => return self.json(word, span).map(Some),
            "CONVERT" | "CURSOR" | "PERIOD" | "UNIQUE" => {
                return Err(self.unsupported(span, word, ""));
            }
            _ => return Ok(None),
        };
        if !self.eat(")") {
            return Err(self.unexpected(&[",", ")"]));
        }
        Ok(Some(kind))
    }

    /// A plain call; more arguments may follow, its parenthesis is closed by the caller.
    fn finish_plain(&mut self, word: &str, span: Span, mut args: Vec<Expr>) -> Parsed<ExprKind> {
        while self.eat(",") {
            args.push(self.expr()?);
        }
        // The closing parenthesis is not taken yet, so the call's span ends there.
        let end = self.peek().span;
        let name = Ident { value: self.source(span).to_owned(), quoted: false, span };
        debug_assert!(name.is(word));
        let args =
            args.into_iter().map(|e| Arg { name: None, span: e.span, value: ArgValue::Expr(e) }).collect::<Vec<_>>();
        let mut call = empty_call(ObjectName { parts: vec![name], span }, span.to(end));
        call.args = args;
        Ok(ExprKind::Function(Box::new(call)))
    }

    fn trim(&mut self) -> Parsed<ExprKind> {
        self.skip(2);
        let sides = [("BOTH", TrimSide::Both), ("LEADING", TrimSide::Leading), ("TRAILING", TrimSide::Trailing)];
        let side = sides.iter().find(|(w, _)| self.at(w)).map(|(_, side)| *side);
        if side.is_some() {
            self.skip(1);
        }
        let mut what = None;
        if !(side.is_some() && self.at("FROM")) {
            let first = Box::new(self.expr()?);
            if side.is_none() && !self.at("FROM") {
                return Ok(ExprKind::Trim { side: TrimSide::Both, what: None, expr: first });
            }
            what = Some(first);
        }
        self.expect("FROM")?;
        let expr = Box::new(self.expr()?);
        Ok(ExprKind::Trim { side: side.unwrap_or(TrimSide::Both), what, expr })
    }

    /// The arguments and all that follows them; the name is taken, a parenthesis comes next.
    pub(super) fn call(&mut self, name: ObjectName) -> Parsed<ExprKind> {
        Ok(ExprKind::Function(Box::new(self.function_call(name)?)))
    }

    pub(super) fn function_call(&mut self, name: ObjectName) -> Parsed<FunctionCall> {
        let start = name.span;
        let mut call = empty_call(name, start);
        self.expect("(")?;
        let quantified = self.at("DISTINCT") || self.at("ALL");
        if quantified {
            call.distinct = self.next().is("DISTINCT");
            if self.at("*") || self.at(")") {
                return Err(self.unexpected(&["an expression"]));
            }
        }
        if !self.at(")") {
            call.args = self.plain_list(Self::arg)?;
            if call.args.iter().any(|a| matches!(a.value, ArgValue::Table(_))) && self.at("ORDER") {
                return Err(self.unexpected(&[",", ")"]));
            }
            call.order_by = self.order_by()?;
            if self.at("SEPARATOR") {
                let span = self.peek().span;
                return Err(self.unsupported(span, "SEPARATOR", "LISTAGG takes the separator as its second argument."));
            }
        }
        if !self.eat(")") {
            return Err(self.unexpected(&[",", ")"]));
        }
        if self.at_any(&["IGNORE", "RESPECT"]) && self.peek_at(1).is("NULLS") {
            call.ignore_nulls = Some(self.next().is("IGNORE"));
            self.skip(1);
        }
        if self.at_all(&["WITHIN", "GROUP"]) {
            self.skip(2);
            self.expect("(")?;
            call.within_group = self.order_by()?;
            if call.within_group.is_empty() {
                return Err(self.unexpected(&["ORDER"]));
            }
            self.expect(")")?;
        }
        call.filter = self.filter()?;
        if self.eat("OVER") {
            if self.at_any(&["PARTITION", "ORDER", "ROWS", "RANGE"]) {
                return Err(self.unexpected(&["("]));
            }
            call.over = Some(if self.at("(") {
                Over::Spec(self.window_spec()?)
            } else {
                Over::Name(self.ident("a window name")?)
            });
        }
        call.span = self.since(start);
        Ok(call)
    }

    fn filter(&mut self) -> Parsed<Option<Expr>> {
        if !self.eat("FILTER") {
            return Ok(None);
        }
        self.expect("(")?;
        self.expect("WHERE")?;
        let condition = self.expr()?;
        self.expect(")")?;
        Ok(Some(condition))
    }

    fn arg(&mut self) -> Parsed<Arg> {
        let start = self.peek().span;
        let mut name = None;
        if self.peek_at(1).is("=>") {
            name = Some(self.ident_for_sure("the name of an argument")?);
            self.skip(1);
        }
        let value = if self.at("*") {
            self.skip(1);
            ArgValue::Star
        } else if self.at("DEFAULT") && (self.peek_at(1).is(",") || self.peek_at(1).is(")")) {
            self.skip(1);
            ArgValue::Default
        } else if self.at_all(&["DESCRIPTOR", "("]) {
            self.skip(1);
            ArgValue::Descriptor(self.ident_list("a column name")?)
        } else if self.eat("TABLE") {
            let name = self.object_name("a table name")?;
            ArgValue::Table(self.table_arg(TableArgSource::Table(name))?)
        } else if self.at_query() && !self.at("(") {
            let span = self.peek().span;
            let query = Box::new(self.query()?);
            ArgValue::Expr(Expr { kind: ExprKind::Subquery(query), span: self.since(span) })
        } else {
            let expr = self.expr()?;
            match expr.kind {
                ExprKind::Subquery(query) if self.at("PARTITION") => {
                    ArgValue::Table(self.table_arg(TableArgSource::Query(query))?)
                }
                kind => ArgValue::Expr(Expr { kind, span: expr.span }),
            }
        };
        Ok(Arg { name, value, span: self.since(start) })
    }

    fn table_arg(&mut self, source: TableArgSource) -> Parsed<TableArg> {
        let mut partition_by = Vec::new();
        if self.eat_all(&["PARTITION", "BY"]) {
            // Several columns need parentheses, or the comma would begin the next argument.
            let by = self.expr()?;
            partition_by = match by.kind {
                ExprKind::Row(items) => items,
                kind => vec![Expr { kind, span: by.span }],
            };
        }
        let mut order_by = Vec::new();
        if self.eat_all(&["ORDER", "BY"]) {
            if self.eat("(") {
                order_by = self.plain_list(Self::order_item)?;
                self.expect(")")?;
            } else {
                order_by.push(self.order_item()?);
            }
        }
        Ok(TableArg { source, partition_by, order_by })
    }

    /// `ORDER BY …`, if it is there.
    pub(super) fn order_by(&mut self) -> Parsed<Vec<OrderItem>> {
        if !self.eat("ORDER") {
            return Ok(Vec::new());
        }
        self.expect("BY")?;
        self.list(&["LIMIT", "OFFSET", "FETCH", "ROWS", "RANGE", ")"], |_| false, Self::order_item)
    }

    fn order_item(&mut self) -> Parsed<OrderItem> {
        let expr = self.expr()?;
        let start = expr.span;
        let descending = self.eat("DESC");
        if !descending {
            self.eat("ASC");
        }
        let nulls_first = if self.eat_all(&["NULLS", "FIRST"]) {
            Some(true)
        } else if self.eat_all(&["NULLS", "LAST"]) {
            Some(false)
        } else {
            None
        };
        Ok(OrderItem { expr, descending, nulls_first, span: self.since(start) })
    }

    /// `( [name] [PARTITION BY …] [ORDER BY …] [ROWS|RANGE …] )`
    pub(super) fn window_spec(&mut self) -> Parsed<WindowSpec> {
        let start = self.expect("(")?;
        let base = if self.peek().is_name() && !self.at(")") { Some(self.ident("a window name")?) } else { None };
        let partition_by = if self.eat("PARTITION") {
            self.expect("BY").and_then(|_| self.plain_list(Self::expr))?
        } else {
            Vec::new()
        };
        let order_by = self.order_by()?;
        let frame = if self.at("ROWS") || self.at("RANGE") { Some(self.frame()?) } else { None };
        if !self.eat(")") {
            return Err(self.unexpected(&["PARTITION", "ORDER", "ROWS", "RANGE", ")"]));
        }
        Ok(WindowSpec { base, partition_by, order_by, frame, span: self.since(start) })
    }

    fn frame(&mut self) -> Parsed<Frame> {
        let token = self.next();
        let rows = token.is("ROWS");
        let (start, end) = if self.eat("BETWEEN") {
            let start = self.frame_bound()?;
            self.expect("AND")?;
            (start, Some(self.frame_bound()?))
        } else {
            (self.frame_bound()?, None)
        };
        Ok(Frame { rows, start, end, span: self.since(token.span) })
    }

    fn frame_bound(&mut self) -> Parsed<FrameBound> {
        if self.eat_all(&["CURRENT", "ROW"]) {
            return Ok(FrameBound::CurrentRow);
        }
        let unbounded = self.eat("UNBOUNDED");
        let offset = if unbounded { None } else { Some(self.expr_above(super::operator::NOT)?) };
        let preceding = self.at("PRECEDING");
        if !preceding && !self.at("FOLLOWING") {
            return Err(self.unexpected(&["PRECEDING", "FOLLOWING"]));
        }
        self.skip(1);
        Ok(match (offset, preceding) {
            (None, true) => FrameBound::UnboundedPreceding,
            (None, false) => FrameBound::UnboundedFollowing,
            (Some(n), true) => FrameBound::Preceding(n),
            (Some(n), false) => FrameBound::Following(n),
        })
    }

    fn json(&mut self, word: &str, span: Span) -> Parsed<ExprKind> {
        let mut call = JsonCall {
            name: Ident { value: self.source(span).to_owned(), quoted: false, span },
            args: Vec::new(),
            entries: Vec::new(),
            returning: None,
            wrapper: None,
            on_empty: None,
            on_error: None,
            absent_on_null: None,
            filter: None,
        };
        self.skip(2);
        match word {
            "JSON_OBJECT" | "JSON_OBJECTAGG" => {
                if !self.at(")") && !self.at_all(&["NULL", "ON"]) && !self.at("ABSENT") {
                    call.entries = self.plain_list(Self::json_entry)?;
                }
            }
            _ => {
                if !self.at(")") && !self.at_all(&["NULL", "ON"]) && !self.at("ABSENT") {
                    call.args = self.plain_list(Self::expr)?;
                }
            }
        }
        loop {
            if self.eat_all(&["NULL", "ON", "NULL"]) {
                call.absent_on_null = Some(false);
            } else if self.eat_all(&["ABSENT", "ON", "NULL"]) {
                call.absent_on_null = Some(true);
            } else if self.eat("RETURNING") {
                call.returning = Some(self.cast_type()?);
            } else if self.at("WITH") || self.at("WITHOUT") {
                call.wrapper = Some(self.json_wrapper()?);
            } else if self.at(")") {
                break;
            } else {
                let behavior = self.json_behavior()?;
                self.expect("ON")?;
                if self.eat("EMPTY") {
                    call.on_empty = Some(behavior);
                } else if self.eat("ERROR") {
                    call.on_error = Some(behavior);
                } else {
                    return Err(self.unexpected(&["EMPTY", "ERROR"]));
                }
            }
        }
        self.expect(")")?;
        call.filter = self.filter()?;
        Ok(ExprKind::Json(Box::new(call)))
    }

    fn json_entry(&mut self) -> Parsed<(Expr, Expr)> {
        self.eat("KEY");
        let key = self.expr()?;
        if !self.eat("VALUE") && !self.eat(":") && !self.eat(",") {
            return Err(self.unexpected(&["VALUE"]));
        }
        Ok((key, self.expr()?))
    }

    fn json_wrapper(&mut self) -> Parsed<JsonWrapper> {
        let with = self.next().is("WITH");
        let conditional = self.eat("CONDITIONAL");
        if !conditional {
            self.eat("UNCONDITIONAL");
        }
        self.eat("ARRAY");
        self.expect("WRAPPER")?;
        Ok(match (with, conditional) {
            (false, _) => JsonWrapper::Without,
            (true, true) => JsonWrapper::Conditional,
            (true, false) => JsonWrapper::Unconditional,
        })
    }

    fn json_behavior(&mut self) -> Parsed<JsonBehavior> {
        Ok(if self.eat("NULL") {
            JsonBehavior::Null
        } else if self.eat("ERROR") {
            JsonBehavior::Error
        } else if self.eat("TRUE") {
            JsonBehavior::True
        } else if self.eat("FALSE") {
            JsonBehavior::False
        } else if self.eat("UNKNOWN") {
            JsonBehavior::Unknown
        } else if self.eat_all(&["EMPTY", "ARRAY"]) {
            JsonBehavior::EmptyArray
        } else if self.eat_all(&["EMPTY", "OBJECT"]) {
            JsonBehavior::EmptyObject
        } else if self.eat("DEFAULT") {
            JsonBehavior::Default(self.expr()?)
        } else {
            return Err(self.unexpected(&["RETURNING", "NULL", "ERROR", "DEFAULT", ",", ")"]));
        })
    }
}

fn empty_call(name: ObjectName, span: Span) -> FunctionCall {
    FunctionCall {
        name,
        parens: true,
        distinct: false,
        args: Vec::new(),
        order_by: Vec::new(),
        ignore_nulls: None,
        within_group: Vec::new(),
        filter: None,
        over: None,
        span,
    }
}
