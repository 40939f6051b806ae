//! ARRAY, MAP and ROW: their constructors, access to their parts, and the table of their functions.
//!
//! A row costs more here than a value does, so all of it goes by [`Value`]s, a row at a time.

mod array;
mod map;
mod order;

use tidegate_data::{DataType, LogicalType, Value, can_cast};

use super::comparison::convert;
use super::{Binding, Call, Kernel, ScalarFunction};
use crate::build::{WRONG_ARGUMENTS, common_type};
use crate::eval::EvalError;
use crate::{CallError, Expr};

pub(super) use order::{compare, equal};

/// What stands at a place among the arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Array,
    /// An array of the type that takes the elements of all of them.
    SameArray,
    /// An array of texts.
    Texts,
    /// A value of the first array's elements.
    Element,
    Map,
    /// A map of the type that takes the entries of all of them.
    SameMap,
    /// An array or a map.
    Collection,
    Integer,
    Boolean,
    Text,
}

impl Takes {
    fn name(self) -> &'static str {
        match self {
            Takes::Array | Takes::SameArray => "<ARRAY>",
            Takes::Texts => "<ARRAY<STRING>>",
            Takes::Element => "<ARRAY ELEMENT>",
            Takes::Map | Takes::SameMap => "<MAP>",
            Takes::Collection => "<COLLECTION>",
            Takes::Integer => "<INTEGER>",
            Takes::Boolean => "<BOOLEAN>",
            Takes::Text => "<STRING>",
        }
    }

    fn takes(self, ty: &LogicalType, first: &LogicalType) -> bool {
        match self {
            Takes::Array | Takes::SameArray => matches!(ty, LogicalType::Array(_)),
            Takes::Texts => matches!(ty, LogicalType::Array(element) if element.logical.is_character()),
            Takes::Element => element(first).is_some_and(|element| {
                *ty == LogicalType::Null
                    || can_cast(&DataType::new(ty.clone()), &element.with_nullable(true))
                        == tidegate_data::Cast::Implicit
            }),
            Takes::Map | Takes::SameMap => matches!(ty, LogicalType::Map(..)),
            Takes::Collection => matches!(ty, LogicalType::Array(_) | LogicalType::Map(..) | LogicalType::Multiset(_)),
            Takes::Integer => ty.is_integer() || *ty == LogicalType::Null,
            Takes::Boolean => matches!(ty, LogicalType::Boolean | LogicalType::Null),
            Takes::Text => ty.is_character() || *ty == LogicalType::Null,
        }
    }
}

/// A function of collections.
struct Entry {
    function: ScalarFunction,
    takes: &'static [Takes],
    /// How many of them have to be there.
    least: usize,
    /// Whether the last of them may come again and again.
    repeats: bool,
    gives: fn(&[Expr]) -> DataType,
}

const fn entry(
    name: &'static str,
    takes: &'static [Takes],
    least: usize,
    gives: fn(&[Expr]) -> DataType,
    row: RowKernel,
) -> Entry {
    let kernel = Kernel::Rows { strict: usize::MAX, row };
    Entry { function: ScalarFunction::new(name, kernel), takes, least, repeats: false, gives }
}

impl Entry {
    /// For a function that takes NULL as an element.
    const fn lenient(mut self) -> Entry {
        if let Kernel::Rows { row, .. } = self.function.kernel {
            self.function.kernel = Kernel::Rows { strict: 1, row };
        }
        self
    }

    const fn repeating(mut self) -> Entry {
        self.repeats = true;
        self
    }

    /// For a function that a row may fail.
    const fn risky(mut self) -> Entry {
        self.function = self.function.failing(|_, _| true);
        self
    }

    fn bind(&'static self, args: Vec<Expr>) -> Result<Expr, CallError> {
        let name = self.function.name;
        let most = if self.repeats { usize::MAX } else { self.takes.len() };
        if args.len() < self.least || args.len() > most {
            let mut error = CallError::unknown_function(name, &args);
            error.message.push('.');
            (error.code, error.hints) = (WRONG_ARGUMENTS, vec![self.usage()]);
            return Err(error);
        }
        let first = args[0].ty.logical.clone();
        let kinds = (0..args.len()).map(|index| self.takes[index.min(self.takes.len() - 1)]);
        let kinds: Vec<Takes> = kinds.collect();
        if let Some(at) = (0..args.len()).find(|&at| !kinds[at].takes(&args[at].ty.logical, &first)) {
            return Err(match kinds[at] {
                Takes::Collection => {
                    let forms = ["MULTISET", "ARRAY", "MAP"].map(|form| format!("{name}(<{form}>)"));
                    CallError::cannot_apply(name, &[args[at].ty.clone()], &forms)
                }
                Takes::Text => CallError::arguments(
                    format!(
                        "Unsupported argument type. Expected type of family 'CHARACTER_STRING' but actual type was '{}'.",
                        args[at].ty
                    ),
                    Some(at),
                ),
                _ => self.refused(Some(at)),
            });
        }
        let same: Vec<usize> =
            (0..args.len()).filter(|&at| matches!(kinds[at], Takes::SameArray | Takes::SameMap)).collect();
        let types: Vec<DataType> = same.iter().map(|&at| args[at].ty.clone()).collect();
        let common = common_type(&types).ok_or_else(|| self.refused(None))?;
        let converted = args.into_iter().zip(kinds).map(|(arg, kind)| match kind {
            Takes::SameArray | Takes::SameMap => convert(arg, &common),
            Takes::Element => match element(&first) {
                Some(element) => convert(arg, &element.with_nullable(true)),
                None => Ok(arg),
            },
            Takes::Integer => convert(arg, &DataType::new(LogicalType::Int)),
            Takes::Boolean if arg.ty.logical == LogicalType::Null => convert(arg, &DataType::new(LogicalType::Boolean)),
            Takes::Text if arg.ty.logical == LogicalType::Null => convert(arg, &DataType::string()),
            _ => Ok(arg),
        });
        let mut args = converted.collect::<Result<Vec<Expr>, CallError>>()?;
        // Equal types but for the NULLs in them: the common one is the result's.
        if let [first, _, ..] = same[..] {
            args[first].ty.logical = common.logical;
        }
        let ty = (self.gives)(&args);
        Ok(self.function.on(args, ty))
    }

    fn refused(&self, argument: Option<usize>) -> CallError {
        let mut error = CallError::arguments("Invalid input arguments.", argument);
        error.hints.push(self.usage());
        error
    }

    fn usage(&self) -> String {
        let kinds: Vec<&str> = self.takes.iter().map(|kind| kind.name()).collect();
        let repeats = if self.repeats { ", …" } else { "" };
        format!("It is called as {}({}{repeats}).", self.function.name, kinds.join(", "))
    }
}

/// A row of a call that goes by values.
pub(in crate::functions) type RowKernel = fn(&Call<'_>, &[Value]) -> Result<Value, EvalError>;

static TABLES: [&[Entry]; 3] = [ACCESS, array::TABLE, map::TABLE];

fn by_table(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    match TABLES.iter().copied().flatten().find(|entry| entry.function.name == name) {
        Some(entry) => entry.bind(args),
        None => Err(CallError::unknown_function(name, &args)),
    }
}

pub(super) const BINDINGS: &[Binding] = &[
    Binding { name: "ARRAY", bind: |_, args| bind_array(args) },
    Binding { name: "MAP", bind: |_, args| bind_map(args) },
    Binding { name: "ROW", bind: |_, args| Ok(bind_row(args)) },
    Binding { name: "ITEM", bind: |_, args| bind_item(args) },
    Binding { name: "CARDINALITY", bind: by_table },
    Binding { name: "ELEMENT", bind: by_table },
    Binding { name: "ARRAY_APPEND", bind: by_table },
    Binding { name: "ARRAY_CONCAT", bind: by_table },
    Binding { name: "ARRAY_CONTAINS", bind: by_table },
    Binding { name: "ARRAY_DISTINCT", bind: by_table },
    Binding { name: "ARRAY_EXCEPT", bind: by_table },
    Binding { name: "ARRAY_INTERSECT", bind: by_table },
    Binding { name: "ARRAY_JOIN", bind: by_table },
    Binding { name: "ARRAY_MAX", bind: by_table },
    Binding { name: "ARRAY_MIN", bind: by_table },
    Binding { name: "ARRAY_POSITION", bind: by_table },
    Binding { name: "ARRAY_PREPEND", bind: by_table },
    Binding { name: "ARRAY_REMOVE", bind: by_table },
    Binding { name: "ARRAY_REVERSE", bind: by_table },
    Binding { name: "ARRAY_SLICE", bind: by_table },
    Binding { name: "ARRAY_SORT", bind: by_table },
    Binding { name: "ARRAY_UNION", bind: by_table },
    Binding { name: "MAP_ENTRIES", bind: by_table },
    Binding { name: "MAP_FROM_ARRAYS", bind: by_table },
    Binding { name: "MAP_KEYS", bind: by_table },
    Binding { name: "MAP_UNION", bind: by_table },
    Binding { name: "MAP_VALUES", bind: by_table },
    Binding { name: "SPLIT", bind: by_table },
    Binding { name: "STR_TO_MAP", bind: by_table },
];

static ARRAY: ScalarFunction =
    ScalarFunction::new("ARRAY", Kernel::Rows { strict: 0, row: |_, row| Ok(Value::List(row.to_vec())) });
static ROW: ScalarFunction =
    ScalarFunction::new("ROW", Kernel::Rows { strict: 0, row: |_, row| Ok(Value::List(row.to_vec())) });
static MAP: ScalarFunction = ScalarFunction::new("MAP", Kernel::Rows { strict: 0, row: map::construct })
    .failing(|args, _| args.iter().step_by(2).any(|key| key.ty.nullable));
static ITEM: ScalarFunction = ScalarFunction::new("ITEM", Kernel::Rows { strict: usize::MAX, row: item });

const ACCESS: &[Entry] = &[
    entry(
        "CARDINALITY",
        &[Takes::Collection],
        1,
        |args| DataType { logical: LogicalType::Int, nullable: args[0].ty.nullable },
        |_, row| Ok(Value::Int(items(&row[0]).len().max(entries(&row[0]).len()) as i64)),
    ),
    entry(
        "ELEMENT",
        &[Takes::Array],
        1,
        |args| of_element(&args[0].ty).with_nullable(true),
        |_, row| match items(&row[0]) {
            [] => Ok(Value::Null),
            [one] => Ok(one.clone()),
            _ => Err(EvalError::new("Array has more than one element.")),
        },
    )
    .risky(),
];

/// The elements of an array, or the fields of a row.
fn items(value: &Value) -> &[Value] {
    match value {
        Value::List(items) => items,
        _ => &[],
    }
}

fn entries(value: &Value) -> &[(Value, Value)] {
    match value {
        Value::Map(entries) => entries,
        _ => &[],
    }
}

/// The type of an array's elements.
fn element(ty: &LogicalType) -> Option<&DataType> {
    match ty {
        LogicalType::Array(element) | LogicalType::Multiset(element) => Some(element),
        _ => None,
    }
}

fn of_element(ty: &DataType) -> DataType {
    element(&ty.logical).cloned().unwrap_or(DataType::new(LogicalType::Null))
}

fn bind_array(args: Vec<Expr>) -> Result<Expr, CallError> {
    let types: Vec<DataType> = args.iter().map(|arg| arg.ty.clone()).collect();
    let unlike = || CallError::arguments("Parameters must be of the same type", None);
    if types.is_empty() {
        return Err(CallError::arguments("Require at least 1 argument", None));
    }
    let common = common_type(&types).ok_or_else(unlike)?;
    let args = args.into_iter().map(|arg| convert(arg, &common)).collect::<Result<Vec<Expr>, CallError>>()?;
    Ok(ARRAY.on(args, DataType::not_null(LogicalType::Array(Box::new(common)))))
}

fn bind_map(args: Vec<Expr>) -> Result<Expr, CallError> {
    let types =
        |part: usize| -> Vec<DataType> { args.iter().skip(part).step_by(2).map(|arg| arg.ty.clone()).collect() };
    if args.is_empty() || args.len() % 2 == 1 {
        return Err(CallError::arguments("Map requires an even number of arguments", None));
    }
    let unlike = || CallError::arguments("Parameters must be of the same type", None);
    let key = common_type(&types(0)).ok_or_else(unlike)?;
    let value = common_type(&types(1)).ok_or_else(unlike)?;
    let args = args.into_iter().enumerate().map(|(at, arg)| convert(arg, if at % 2 == 0 { &key } else { &value }));
    let args = args.collect::<Result<Vec<Expr>, CallError>>()?;
    Ok(MAP.on(args, DataType::not_null(LogicalType::Map(Box::new(key), Box::new(value)))))
}

fn bind_row(args: Vec<Expr>) -> Expr {
    let field = |(at, arg): (usize, &Expr)| tidegate_data::Field { name: format!("EXPR${at}"), ty: arg.ty.clone() };
    let fields = args.iter().enumerate().map(field).collect();
    ROW.on(args, DataType::not_null(LogicalType::Row(fields)))
}

/// `array[index]` from 1, `map[key]`.
fn bind_item(args: Vec<Expr>) -> Result<Expr, CallError> {
    let [base, index] = <[Expr; 2]>::try_from(args).map_err(|args| CallError::count("ITEM", args.len(), "2"))?;
    let refused = |base: &Expr, index: &Expr| {
        let types = [base.ty.clone(), index.ty.clone()];
        let mut error = CallError::cannot_apply("ITEM", &types, &[]);
        error.message = format!(
            "Cannot apply 'ITEM' to arguments of type 'ITEM(<{}>, <{}>)'. Supported form(s): <ARRAY>[<INTEGER>]",
            types[0].calcite(),
            types[1].calcite()
        );
        error.hints.push("An ARRAY has elements by their number from 1, a MAP by their keys.".into());
        error
    };
    let ty = match &base.ty.logical {
        LogicalType::Array(element) if index.ty.logical.is_integer() => {
            if let Some(Value::Int(at)) = index.as_literal()
                && *at < 1
            {
                let message = format!("Array element access needs an index starting at 1 but was {at}.");
                return Err(CallError::arguments(message, Some(1)));
            }
            element.with_nullable(true)
        }
        LogicalType::Map(key, value) => {
            let plain = key.with_nullable(true);
            if can_cast(&index.ty.with_nullable(true), &plain) != tidegate_data::Cast::Implicit {
                return Err(refused(&base, &index));
            }
            let ty = value.with_nullable(true);
            let index = convert(index, &plain)?;
            return Ok(ITEM.on(vec![base, index], ty));
        }
        _ => return Err(refused(&base, &index)),
    };
    let index = convert(index, &DataType::new(LogicalType::Int))?;
    Ok(ITEM.on(vec![base, index], ty))
}

fn item(_: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    let found = match (&row[0], &row[1]) {
        (Value::List(items), Value::Int(at)) => usize::try_from(at - 1).ok().and_then(|at| items.get(at)),
        (Value::Map(entries), key) => entries.iter().rev().find(|(own, _)| equal(own, key)).map(|(_, value)| value),
        _ => None,
    };
    Ok(found.cloned().unwrap_or(Value::Null))
}
