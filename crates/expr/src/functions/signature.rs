//! What arguments a function takes, and the errors for others.

use tidegate_data::{DataType, LogicalType, Value};

use crate::{CallError, Expr, ExprKind};

/// How a call by name becomes an expression: the name in its own spelling and the arguments.
pub(crate) type Bind = fn(&'static str, Vec<Expr>) -> Result<Expr, CallError>;

/// A name that can be called.
pub(crate) struct Binding {
    pub name: &'static str,
    pub bind: Bind,
}

/// Kinds of types, as Calcite names them in its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Any,
    Boolean,
    Character,
    String,
    Binary,
    Integer,
    ExactNumeric,
    Numeric,
    Timestamp,
    Datetime,
    Interval,
    Comparable,
    Equivalent,
}

impl Family {
    pub fn name(self) -> &'static str {
        match self {
            Family::Any => "ANY",
            Family::Boolean => "BOOLEAN",
            Family::Character => "CHARACTER",
            Family::String => "STRING",
            Family::Binary => "BINARY",
            Family::Integer => "INTEGER",
            Family::ExactNumeric => "EXACT_NUMERIC",
            Family::Numeric => "NUMERIC",
            Family::Timestamp => "TIMESTAMP",
            Family::Datetime => "DATETIME",
            Family::Interval => "DATETIME_INTERVAL",
            Family::Comparable => "COMPARABLE_TYPE",
            Family::Equivalent => "EQUIVALENT_TYPE",
        }
    }

    /// Whether values of the type belong to it. NULL belongs everywhere.
    pub fn takes(self, ty: &LogicalType) -> bool {
        if *ty == LogicalType::Null {
            return true;
        }
        match self {
            Family::Any | Family::Comparable | Family::Equivalent => true,
            Family::Boolean => *ty == LogicalType::Boolean,
            Family::Character => ty.is_character(),
            Family::String => ty.is_character() || ty.is_binary(),
            Family::Binary => ty.is_binary(),
            Family::Integer => ty.is_integer(),
            Family::ExactNumeric => ty.is_exact_numeric(),
            Family::Numeric => ty.is_numeric(),
            Family::Timestamp => ty.is_timestamp(),
            Family::Datetime => ty.is_datetime(),
            Family::Interval => ty.is_interval(),
        }
    }

    /// The type that a bare NULL takes in its place.
    fn null_type(self) -> LogicalType {
        match self {
            Family::Boolean => LogicalType::Boolean,
            Family::Any | Family::Comparable | Family::Equivalent | Family::Character | Family::String => {
                DataType::string().logical
            }
            Family::Binary => LogicalType::VarBinary(DataType::MAX_LENGTH),
            Family::Integer | Family::ExactNumeric | Family::Numeric => LogicalType::Int,
            Family::Timestamp | Family::Datetime => LogicalType::Timestamp(3, tidegate_data::TimeKind::Regular),
            Family::Interval => LogicalType::IntervalDayTime,
        }
    }
}

/// Checks arguments against the forms that a function has; a bare NULL gets a type of its place.
///
/// # Errors
/// With the number of arguments when no form has that many, else with the types and all forms.
pub(crate) fn check(name: &str, args: Vec<Expr>, forms: &[&[Family]]) -> Result<Vec<Expr>, CallError> {
    if !forms.iter().any(|form| form.len() == args.len()) {
        return Err(CallError::count(name, args.len(), &counts(forms)));
    }
    let fits = |form: &&&[Family]| {
        form.len() == args.len() && form.iter().zip(&args).all(|(family, arg)| family.takes(&arg.ty.logical))
    };
    match forms.iter().find(fits) {
        Some(form) => Ok(args.into_iter().zip(*form).map(|(arg, family)| typed_null(arg, *family)).collect()),
        None => Err(misfit(name, &args, forms)),
    }
}

/// Like [`check`], for functions that take `least` or more arguments, all of one family.
pub(crate) fn check_variadic(
    name: &str,
    args: Vec<Expr>,
    family: Family,
    least: usize,
) -> Result<Vec<Expr>, CallError> {
    if args.len() < least {
        return Err(CallError::count(name, args.len(), &least.to_string()));
    }
    if args.iter().all(|arg| family.takes(&arg.ty.logical)) {
        return Ok(args.into_iter().map(|arg| typed_null(arg, family)).collect());
    }
    Err(misfit(name, &args, &[&[family]]))
}

fn typed_null(arg: Expr, family: Family) -> Expr {
    if arg.ty.logical == LogicalType::Null && matches!(arg.kind, ExprKind::Literal(Value::Null)) {
        Expr { kind: arg.kind, ty: DataType::new(family.null_type()) }
    } else {
        arg
    }
}

pub(crate) fn misfit(name: &str, args: &[Expr], forms: &[&[Family]]) -> CallError {
    let types: Vec<DataType> = args.iter().map(|arg| arg.ty.clone()).collect();
    let forms: Vec<String> = forms.iter().map(|form| form_text(name, form)).collect();
    let mut error = CallError::cannot_apply(name, &types, &forms);
    error.argument = None;
    error
}

fn form_text(name: &str, form: &[Family]) -> String {
    let names: Vec<String> = form.iter().map(|family| format!("<{}>", family.name())).collect();
    match &names[..] {
        [left, right] if is_infix(name) => format!("{left} {name} {right}"),
        [operand] if is_infix(name) || name == "NOT" => format!("{name}{operand}"),
        names => format!("{name}({})", names.join(", ")),
    }
}

/// Whether Calcite writes a call of it as an operator between its operands.
pub(crate) fn is_infix(name: &str) -> bool {
    matches!(name, "AND" | "OR") || name.chars().all(|c| !c.is_alphanumeric())
}

fn counts(forms: &[&[Family]]) -> String {
    let mut counts: Vec<usize> = forms.iter().map(|form| form.len()).collect();
    counts.sort_unstable();
    counts.dedup();
    let texts: Vec<String> = counts.iter().map(usize::to_string).collect();
    texts.join(" or ")
}

/// Whether any argument takes NULL.
pub(crate) fn any_nullable(args: &[Expr]) -> bool {
    args.iter().any(|arg| arg.ty.nullable)
}

/// A type that takes NULL if an argument does.
pub(crate) fn nullable_if_any(logical: LogicalType, args: &[Expr]) -> DataType {
    DataType { logical, nullable: any_nullable(args) }
}
