//! Windowing table functions: `TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND))` and its kin.

use tidegate_data::{DataType, Field, LogicalType, Schema, TimeKind, Value};
use tidegate_diag::{Diagnostic, Span};
use tidegate_sql::ast::{Arg, ArgValue, Expr, ExprKind, FunctionCall, Ident, TableArg, TableArgSource};

use super::expr::ExprContext;
use super::{Binder, Scope, suggest};
use crate::codes::{BAD_PLAN, BAD_WINDOW, NO_COLUMN, NO_FUNCTION};
use crate::logical::{Rel, RelOp, Window};
use crate::physical::WindowShape;
use crate::rex::RexKind;
use crate::text::literal_text;

/// The functions with their parameters; those behind the mark may be left out.
const FUNCTIONS: &[(&str, &[&str], usize, &str)] = &[
    (
        "TUMBLE",
        &["DATA", "TIMECOL", "SIZE", "OFFSET"],
        3,
        "TABLE table_name, DESCRIPTOR(timecol), datetime interval[, datetime interval]",
    ),
    (
        "HOP",
        &["DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"],
        4,
        "TABLE table_name, DESCRIPTOR(timecol), datetime interval, datetime interval[, datetime interval]",
    ),
    (
        "CUMULATE",
        &["DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"],
        4,
        "TABLE table_name, DESCRIPTOR(timecol), datetime interval, datetime interval[, datetime interval]",
    ),
    (
        "SESSION",
        &["DATA", "TIMECOL", "GAP"],
        3,
        "TABLE table_name [PARTITION BY (partition_column, ...)], DESCRIPTOR(timecol), datetime interval",
    ),
];

impl Binder<'_> {
    /// Binds a table function of FROM. `None` when it has errors.
    pub(super) fn window_function(&self, call: &FunctionCall) -> Option<Rel> {
        let name = call.name.last().value.to_ascii_uppercase();
        let Some((_, parameters, required, form)) = FUNCTIONS.iter().find(|(own, ..)| *own == name) else {
            let message = format!("No match found for function signature {}", call.name.last().value);
            let error = Diagnostic::error(NO_FUNCTION, message).at(call.name.span);
            self.report(suggest(error, call.name.last(), FUNCTIONS.iter().map(|(own, ..)| *own)));
            return None;
        };
        let usage = || format!("Supported form(s): {name}({form})");
        let args = self.by_parameter(call, parameters, &usage)?;
        if args[..*required].iter().any(Option::is_none) {
            let given = call.args.len();
            let message =
                format!("Invalid number of arguments to function '{name}'. Was expecting {required} arguments");
            let error = Diagnostic::error(BAD_WINDOW, message).at(call.span);
            self.report(error.hint(format!("{given} were given. {}", usage())));
            return None;
        }
        let subquery;
        let table = match args[0].map(|arg| &arg.value) {
            Some(ArgValue::Table(table)) => Some(table),
            Some(ArgValue::Expr(Expr { kind: ExprKind::Subquery(query), .. })) => {
                let source = TableArgSource::Query(query.clone());
                subquery = TableArg { source, partition_by: Vec::new(), order_by: Vec::new() };
                Some(&subquery)
            }
            Some(ArgValue::Expr(expr)) => {
                // `TUMBLE(t, …)` without the word TABLE: t is a column there, and there is none.
                let scope = Scope::default();
                if self.expr(expr, &ExprContext::rows(&scope, "TABLE")).has_error() {
                    return None;
                }
                None
            }
            _ => None,
        };
        let (Some(table), Some(ArgValue::Descriptor(columns))) = (table, args[1].map(|arg| &arg.value)) else {
            let message = format!("{name} takes a table and a DESCRIPTOR first.");
            self.report(Diagnostic::error(BAD_WINDOW, message).at(call.span).hint(usage()));
            return None;
        };
        let input = self.table_arg(table)?;
        let time_column = self.time_column(&name, form, columns, args[1].map_or(call.span, |arg| arg.span), &input)?;
        let mut lengths = Vec::new();
        let mut texts = Vec::new();
        for arg in &args[2..] {
            if let Some(arg) = arg {
                let (millis, text) = self.length(arg, &name)?;
                lengths.push((millis, arg.span));
                texts.push(text);
            } else {
                lengths.push((0, call.span));
            }
        }
        let shape = self.shape(&name, &lengths, table, &input, call.span)?;
        let event_time = input.schema.fields[time_column].ty.is_rowtime();
        let partition = match &shape {
            WindowShape::Session { partition, .. } if !partition.is_empty() => {
                let columns: Vec<String> = partition.iter().map(|column| format!("${column}")).collect();
                format!(" PARTITION BY({})", columns.join(", "))
            }
            _ => String::new(),
        };
        let invocation = format!(
            "{name}(TABLE(#0){partition}, DESCRIPTOR(_UTF-16LE'{}'), {})",
            input.schema.fields[time_column].name,
            texts.join(", ")
        );
        Some(window(input, Window { time_column, event_time, shape, invocation }))
    }

    /// The arguments in the order of the parameters.
    fn by_parameter<'q>(
        &self,
        call: &'q FunctionCall,
        parameters: &[&str],
        usage: &dyn Fn() -> String,
    ) -> Option<Vec<Option<&'q Arg>>> {
        let mut args: Vec<Option<&Arg>> = vec![None; parameters.len()];
        for (i, arg) in call.args.iter().enumerate() {
            let position = match &arg.name {
                None => (i < parameters.len()).then_some(i),
                Some(name) => parameters.iter().position(|parameter| name.is(parameter)),
            };
            match position {
                Some(position) if args[position].is_none() => args[position] = Some(arg),
                _ => {
                    let function = &call.name.last().value;
                    let message = match &arg.name {
                        Some(name) => format!("Param '{}' not found in function '{function}'", name.value),
                        None => format!("Invalid number of arguments to function '{function}'"),
                    };
                    self.report(Diagnostic::error(BAD_WINDOW, message).at(arg.span).hint(usage()));
                    return None;
                }
            }
        }
        Some(args)
    }

    fn table_arg(&self, table: &TableArg) -> Option<Rel> {
        if let Some(order) = table.order_by.first() {
            self.not_yet("ORDER BY of a table argument", order.span);
        }
        match &table.source {
            TableArgSource::Table(name) => {
                let rel = self.named_table(name, &[], None)?.rel;
                let all: Vec<usize> = (0..rel.width()).collect();
                Some(Rel::keep(rel, &all))
            }
            TableArgSource::Query(query) => self.query(query),
        }
    }

    fn time_column(&self, name: &str, form: &str, columns: &[Ident], span: Span, input: &Rel) -> Option<usize> {
        let [column] = columns else {
            let message = format!("{name} takes one column in DESCRIPTOR, the time column.");
            self.error(BAD_WINDOW, message, span);
            return None;
        };
        let Some(position) = input.schema.index_of(&column.value) else {
            let error = Diagnostic::error(NO_COLUMN, format!("Unknown identifier '{}'", column.value)).at(column.span);
            let names = input.schema.fields.iter().map(|field| field.name.as_str());
            self.report(suggest(error, column, names));
            return None;
        };
        let ty = &input.schema.fields[position].ty;
        if !ty.logical.is_timestamp() {
            let message = format!(
                "The window function {name}({form}) requires the timecol to be TIMESTAMP or TIMESTAMP_LTZ, but is {}.\nBesides, the timecol must be a time attribute type in streaming mode.",
                ty.calcite()
            );
            self.error(BAD_WINDOW, message, column.span);
            return None;
        }
        if !ty.is_rowtime() && !ty.is_proctime() {
            let message =
                format!("The window function requires the timecol is a time attribute type, but is {}.", ty.logical);
            let hint = "Declare it with WATERMARK FOR in CREATE TABLE; an aggregate or a calculation makes a plain timestamp of a time attribute.";
            self.report(Diagnostic::error(BAD_PLAN, message).at(column.span).hint(hint));
            return None;
        }
        Some(position)
    }

    /// An interval in milliseconds, and its text in the syntax tree of EXPLAIN.
    fn length(&self, arg: &Arg, name: &str) -> Option<(i64, String)> {
        let ArgValue::Expr(expr) = &arg.value else {
            self.error(BAD_WINDOW, format!("{name} takes intervals behind its DESCRIPTOR."), arg.span);
            return None;
        };
        let scope = Scope::default();
        let rex = self.expr(expr, &ExprContext::rows(&scope, "TABLE"));
        if rex.has_error() {
            return None;
        }
        match (&rex.kind, &rex.ty.logical) {
            (RexKind::Literal { value: Value::Int(millis), .. }, LogicalType::IntervalDayTime) => {
                Some((*millis, literal_text(&rex)))
            }
            (_, LogicalType::IntervalYearMonth) => {
                let message = "Window aggregate only support SECOND, MINUTE, HOUR, DAY as the time unit. MONTH and YEAR time unit are not supported yet.";
                self.error(BAD_PLAN, message, arg.span);
                None
            }
            _ => {
                self.error(
                    BAD_WINDOW,
                    format!("{name} takes intervals of constant length behind its DESCRIPTOR."),
                    arg.span,
                );
                None
            }
        }
    }

    /// The columns of PARTITION BY.
    fn partition_columns(&self, table: &TableArg, input: &Rel) -> Option<Vec<usize>> {
        let scope = Scope::of(None, Vec::new(), input.schema.clone());
        let cx = ExprContext::rows(&scope, "PARTITION BY");
        let mut columns = Vec::new();
        for expr in &table.partition_by {
            let rex = self.expr(expr, &cx);
            if rex.has_error() {
                return None;
            }
            match rex.as_column() {
                Some(column) => columns.push(column),
                None => {
                    self.error(BAD_WINDOW, "PARTITION BY of a window function takes columns.", expr.span);
                    return None;
                }
            }
        }
        Some(columns)
    }

    fn shape(
        &self,
        name: &str,
        lengths: &[(i64, Span)],
        table: &TableArg,
        input: &Rel,
        span: Span,
    ) -> Option<WindowShape> {
        let positive = |what: &str, (millis, at): (i64, Span)| {
            if millis <= 0 {
                let message = format!(
                    "{name} table function based aggregate requires {what} to be positive, but got {millis} ms."
                );
                self.error(BAD_WINDOW, message, at);
            }
            (millis > 0).then_some(millis)
        };
        if name != "SESSION" && !table.partition_by.is_empty() {
            self.not_yet("PARTITION BY of this table function", span);
            return None;
        }
        match name {
            "TUMBLE" => {
                let size = positive("size", lengths[0])?;
                let (offset, at) = lengths[1];
                if offset.abs() >= size {
                    let message = format!(
                        "TUMBLE table function parameters must satisfy abs(offset) < size, but got size {size} ms and offset {offset} ms."
                    );
                    self.error(BAD_WINDOW, message, at);
                    return None;
                }
                Some(WindowShape::Tumble { size, offset })
            }
            "HOP" => {
                let slide = positive("slide", lengths[0])?;
                let size = positive("size", lengths[1])?;
                if size % slide != 0 {
                    let message = format!(
                        "HOP table function based aggregate requires size must be an integral multiple of slide, but got size {size} ms and slide {slide} ms"
                    );
                    self.error(BAD_PLAN, message, span);
                    return None;
                }
                Some(WindowShape::Hop { slide, size, offset: lengths[2].0 })
            }
            "CUMULATE" => {
                let step = positive("step", lengths[0])?;
                let max = positive("maxSize", lengths[1])?;
                if max % step != 0 {
                    let message = format!(
                        "CUMULATE table function based aggregate requires maxSize must be an integral multiple of step, but got maxSize {max} ms and step {step} ms."
                    );
                    self.error(BAD_WINDOW, message, span);
                    return None;
                }
                Some(WindowShape::Cumulate { step, max, offset: lengths[2].0 })
            }
            _ => {
                let gap = positive("gap", lengths[0])?;
                let partition = self.partition_columns(table, input)?;
                Some(WindowShape::Session { gap, partition })
            }
        }
    }
}

/// The window columns behind the input's.
pub(super) fn window(input: Rel, window: Window) -> Rel {
    let time = &input.schema.fields[window.time_column].ty;
    let kind = if window.event_time { TimeKind::Rowtime } else { TimeKind::Proctime };
    let plain = DataType::not_null(LogicalType::Timestamp(3, TimeKind::Regular));
    let window_time = DataType::not_null(match time.logical {
        LogicalType::TimestampLtz(..) => LogicalType::TimestampLtz(3, kind),
        _ => LogicalType::Timestamp(3, kind),
    });
    let mut fields = input.schema.fields.clone();
    let mut names: Vec<String> = input.names();
    names.extend(["window_start", "window_end", "window_time"].map(String::from));
    let names = super::uniquify(names);
    for ty in [plain.clone(), plain, window_time] {
        let name = names[fields.len()].clone();
        fields.push(Field { name, ty });
    }
    Rel { op: RelOp::Window(window), inputs: vec![input], schema: Schema { fields } }
}
