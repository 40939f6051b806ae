//! What else stands in GROUP BY: GROUPING SETS, ROLLUP and CUBE, and the older group windows `TUMBLE(ts, INTERVAL '10' SECOND)`.

use tidegate_data::sorted;
use tidegate_data::{DataType, LogicalType, Value};
use tidegate_diag::{Diagnostic, Span};
use tidegate_sql::ast::{Expr, ExprKind, FunctionCall, GroupBy, GroupingItem, GroupingKind};

use super::Binder;
use super::aggregate::Grouping;
use super::expr::ExprContext;
use crate::codes::{BAD_GROUPING, BAD_PLAN};
use crate::logical::{Rel, Window};
use crate::physical::WindowShape;
use crate::rex::{Rex, RexKind};

/// The older window of a GROUP BY.
pub struct GroupWindow {
    /// TUMBLE, HOP or SESSION.
    name: String,
    /// Its arguments: the time column, then the lengths in ms.
    args: (usize, Vec<i64>),
    /// The position of window_start behind the columns of the rows; window_end and window_time follow.
    first: usize,
}

/// What a GROUP BY groups by.
pub struct GroupedBy {
    /// All keys.
    pub keys: Vec<Rex>,
    /// The grouping sets, as positions in `keys`; none where all rows are grouped by all keys.
    pub sets: Option<Vec<Vec<usize>>>,
    /// The older group window, if there is one.
    pub window: Option<GroupWindow>,
    /// The rows, with the window's columns behind them.
    pub rel: Option<Rel>,
}

impl Binder<'_> {
    /// Binds the elements of a GROUP BY over the rows of `rel`.
    pub(super) fn grouped_by(&self, group_by: &GroupBy, cx: &ExprContext<'_>, mut rel: Option<Rel>) -> GroupedBy {
        let mut window = None;
        let mut sets: Vec<Vec<Rex>> = vec![Vec::new()];
        let mut several = false;
        let mut calls = Vec::new();
        for item in &group_by.items {
            if let GroupingKind::Expr(Expr { kind: ExprKind::Function(call), .. }) = &item.kind
                && is_group_window(call)
            {
                calls.push(call);
                continue;
            }
            let own = self.sets_of(item, cx);
            several |= !matches!(item.kind, GroupingKind::Expr(_) | GroupingKind::Set(_));
            // As in SQL: each set of one element with each of the others.
            sets = sets
                .iter()
                .flat_map(|left| own.iter().map(move |right| left.iter().chain(right).cloned().collect()))
                .collect();
        }
        let mut keys: Vec<Rex> = Vec::new();
        for key in sets.iter().flatten() {
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        let place = |key: &Rex| keys.iter().position(|own| own == key).unwrap_or_default();
        let mut positions: Vec<Vec<usize>> = sets
            .iter()
            .map(|set| {
                let mut set: Vec<usize> = set.iter().map(place).collect();
                set.sort_unstable();
                set.dedup();
                set
            })
            .collect();
        if group_by.distinct {
            sorted::sort(&mut positions);
            positions.dedup();
        }
        order_sets(&mut positions);
        let all: Vec<usize> = (0..keys.len()).collect();
        let sets = (several && positions != [all]).then_some(positions);
        if let [call, rest @ ..] = calls.as_slice() {
            if let Some(second) = rest.first() {
                self.not_yet("More than one group window", second.span);
            }
            if sets.is_some() {
                self.not_yet("A group window with grouping sets", call.span);
            }
            match self.group_window(call, &keys, cx, rel) {
                Some((bound, found)) => {
                    let fields = bound.schema.fields.clone();
                    keys.extend((found.first..found.first + 3).map(|i| Rex::column(i, fields[i].ty.clone())));
                    window = Some(found);
                    rel = Some(bound);
                }
                None => {
                    keys.push(Rex::error());
                    rel = None;
                }
            }
        }
        GroupedBy { keys, sets, window, rel }
    }

    fn sets_of(&self, item: &GroupingItem, cx: &ExprContext<'_>) -> Vec<Vec<Rex>> {
        let bind = |exprs: &[Expr]| exprs.iter().map(|expr| self.expr(expr, cx)).collect::<Vec<Rex>>();
        match &item.kind {
            GroupingKind::Expr(expr) => vec![vec![self.expr(expr, cx)]],
            GroupingKind::Set(exprs) => vec![bind(exprs)],
            GroupingKind::Rollup(groups) => {
                let groups: Vec<Vec<Rex>> = groups.iter().map(|group| bind(group)).collect();
                (0..=groups.len()).rev().map(|n| groups[..n].concat()).collect()
            }
            GroupingKind::Cube(groups) => {
                if groups.len() > 8 {
                    self.error(BAD_GROUPING, "CUBE of more than 8 expressions has too many sets.", item.span);
                    return Vec::new();
                }
                let groups: Vec<Vec<Rex>> = groups.iter().map(|group| bind(group)).collect();
                let members = |mask: usize| {
                    groups.iter().enumerate().filter(move |(i, _)| mask & (1 << i) != 0).flat_map(|(_, group)| group)
                };
                (0..1usize << groups.len()).map(|mask| members(mask).cloned().collect()).collect()
            }
            GroupingKind::Sets(items) => items.iter().flat_map(|item| self.sets_of(item, cx)).collect(),
        }
    }

    fn group_window(
        &self,
        call: &FunctionCall,
        keys: &[Rex],
        cx: &ExprContext<'_>,
        rel: Option<Rel>,
    ) -> Option<(Rel, GroupWindow)> {
        let name = call.name.last().value.to_ascii_uppercase();
        let args = self.window_args(call, &name, cx)?;
        let shape = match (name.as_str(), args.1.as_slice()) {
            ("TUMBLE", [size]) => WindowShape::Tumble { size: *size, offset: 0 },
            ("HOP", [slide, size]) => WindowShape::Hop { slide: *slide, size: *size, offset: 0 },
            ("SESSION", [gap]) => {
                let partition: Option<Vec<usize>> = keys.iter().map(Rex::as_column).collect();
                if partition.is_none() {
                    self.not_yet("SESSION in a GROUP BY of something that is no column", call.span);
                }
                WindowShape::Session { gap: *gap, partition: partition? }
            }
            _ => {
                let message = format!("Invalid number of arguments to function '{name}'.");
                self.error(BAD_GROUPING, message, call.span);
                return None;
            }
        };
        let rel = rel?;
        let first = rel.width();
        let event_time = rel.schema.fields[args.0].ty.is_rowtime();
        let window = Window { time_column: args.0, event_time, shape, invocation: String::new() };
        Some((super::window::window(rel, window), GroupWindow { name, args, first }))
    }

    /// The time column and the lengths of a group window or of one of its functions.
    fn window_args(&self, call: &FunctionCall, name: &str, cx: &ExprContext<'_>) -> Option<(usize, Vec<i64>)> {
        let rows = ExprContext::rows(cx.scope, "GROUP BY");
        let args = self.arguments(call, &rows)?;
        let Some(((time, at), lengths)) = args.split_first() else {
            self.error(BAD_GROUPING, format!("{name} takes a time attribute first."), call.span);
            return None;
        };
        if args.iter().any(|(rex, _)| rex.has_error()) {
            return None;
        }
        let attribute = time.ty.is_rowtime() || time.ty.is_proctime();
        let Some(column) = time.as_column().filter(|_| attribute) else {
            let message = format!(
                "Window aggregate can only be defined over a time attribute column, but {} encountered.",
                time.ty.calcite()
            );
            self.error(BAD_PLAN, message, *at);
            return None;
        };
        let mut millis = Vec::new();
        for (rex, at) in lengths {
            match (&rex.kind, &rex.ty.logical) {
                (RexKind::Literal { value: Value::Int(n), .. }, LogicalType::IntervalDayTime) if *n > 0 => {
                    millis.push(*n);
                }
                _ => {
                    let message = "Only constant window intervals with millisecond resolution are supported.";
                    self.error(BAD_PLAN, message, *at);
                    return None;
                }
            }
        }
        Some((column, millis))
    }

    /// `TUMBLE_START(…)` and its kin: a column of the window that is grouped by.
    pub(super) fn window_property(
        &self,
        call: &FunctionCall,
        name: &str,
        span: Span,
        cx: &ExprContext<'_>,
        grouping: &Grouping,
    ) -> Rex {
        let (window, property) = name.split_once('_').unwrap_or((name, ""));
        let Some(args) = self.window_args(call, name, cx) else { return Rex::error() };
        let found = grouping.window.as_ref().filter(|own| own.name == window && own.args == args);
        let Some(own) = found else {
            let message = format!(
                "Call to auxiliary group function '{name}' must have matching call to group function '${window}' in GROUP BY clause"
            );
            return self.fail(Diagnostic::error(BAD_GROUPING, message).at(span));
        };
        let plain = DataType::not_null(LogicalType::Timestamp(3, tidegate_data::TimeKind::Regular));
        let column = |i: usize, ty: DataType| {
            grouping.key_at(own.first + i).map_or_else(Rex::error, |position| Rex::column(position, ty))
        };
        match property {
            "START" => column(0, plain),
            "END" => column(1, plain),
            "ROWTIME" | "PROCTIME" => match grouping.key_type(own.first + 2) {
                Some(ty) if ty.is_rowtime() == (property == "ROWTIME") => column(2, ty.with_nullable(true)),
                Some(_) => {
                    let message = match property {
                        "ROWTIME" => "A rowtime window property cannot be accessed of a processing-time window.",
                        _ => "A proctime window property cannot be accessed of an event-time window.",
                    };
                    self.fail(Diagnostic::error(BAD_PLAN, message).at(span))
                }
                None => Rex::error(),
            },
            _ => self.fail(super::not_yet(name, span)),
        }
    }

    /// `GROUPING(a)`, `GROUPING_ID(a, b)`: which keys a row is not grouped by, as bits.
    pub(super) fn grouping_call(
        &self,
        call: &FunctionCall,
        name: &str,
        span: Span,
        cx: &ExprContext<'_>,
        grouping: &Grouping,
    ) -> Rex {
        let rows = ExprContext::rows(cx.scope, cx.clause);
        let Some(args) = self.arguments(call, &rows) else { return Rex::error() };
        let mut keys = Vec::new();
        for (rex, at) in &args {
            match grouping.position(rex) {
                Some(position) => keys.push(position),
                None if rex.has_error() => return Rex::error(),
                None => {
                    let message = format!("Argument to {name} operator must be a grouped expression");
                    return self.fail(Diagnostic::error(BAD_GROUPING, message).at(*at));
                }
            }
        }
        if keys.is_empty() {
            let message = format!("Invalid number of arguments to function '{name}'. Was expecting 1 arguments");
            return self.fail(Diagnostic::error(BAD_GROUPING, message).at(span));
        }
        let ty = DataType::not_null(LogicalType::BigInt);
        let number = |n: i64| Rex::literal(Value::Int(n), ty.clone());
        let bits = |set: &[usize]| keys.iter().fold(0, |bits, key| bits * 2 + i64::from(!set.contains(key)));
        let Some(sets) = &grouping.sets else { return number(0) };
        let marker = grouping.marker();
        let Some((last, others)) = sets.split_last() else { return number(0) };
        let branches = others.iter().map(|set| {
            let is = vec![marker.clone(), number(set_number(set, grouping.width()))];
            let is = Rex::typed_call("=", is, DataType::not_null(LogicalType::Boolean));
            (is, number(bits(set)))
        });
        let branches: Vec<(Rex, Rex)> = branches.collect();
        if branches.is_empty() {
            return number(bits(last));
        }
        Rex { kind: RexKind::Case { branches, otherwise: Box::new(number(bits(last))) }, ty }
    }
}

/// The number of a grouping set: a bit for each key that it does not group by, the first key's highest.
pub fn set_number(set: &[usize], keys: usize) -> i64 {
    (0..keys).fold(0, |bits, key| bits * 2 + i64::from(!set.contains(&key)))
}

/// Larger sets before those that they hold, others by their keys (Calcite's `ImmutableBitSet.ORDERING`).
fn order_sets(sets: &mut [Vec<usize>]) {
    let holds = |a: &[usize], b: &[usize]| b.iter().all(|key| a.contains(key));
    // No total order: an insertion sort is enough, and stable.
    for i in 1..sets.len() {
        let mut at = i;
        while at > 0 {
            let (before, own) = (&sets[at - 1], &sets[at]);
            let ordered = before == own || holds(before, own) || (!holds(own, before) && before <= own);
            if ordered {
                break;
            }
            sets.swap(at - 1, at);
            at -= 1;
        }
    }
}

fn is_group_window(call: &FunctionCall) -> bool {
    call.over.is_none() && ["TUMBLE", "HOP", "SESSION"].iter().any(|name| call.name.last().is(name))
}
