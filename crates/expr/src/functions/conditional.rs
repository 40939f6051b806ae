//! COALESCE, IFNULL, NULLIF, IF, GREATEST, LEAST and IN. (CASE is a form of expression of its own.)

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_schema::DataType as ArrowType;
use tidegate_data::{DataType, LogicalType, Value, interleave, only_where};

use super::comparison::{EQUAL, NOT_EQUAL, Operator, bind_comparison, compare_values, convert};
use super::logic::{AND, NOT, OR};
use super::signature::{Family, any_nullable, check};
use super::{Binding, Call, Kernel, ScalarFunction, Shape};
use crate::build::{case, common_type, literal};
use crate::eval::{Datum, EvalError, Input, case as eval_case, coalesce, full_null};
use crate::{CallError, Expr};

pub(super) const BINDINGS: &[Binding] = &[
    Binding { name: "COALESCE", bind: |_, args| bind_coalesce(&COALESCE, args) },
    Binding { name: "IFNULL", bind: |_, args| bind_ifnull(args) },
    Binding { name: "NULLIF", bind: |_, args| bind_nullif(args) },
    Binding { name: "IF", bind: |_, args| bind_if(args) },
    Binding { name: "GREATEST", bind: |_, args| bind_extreme(&GREATEST, args) },
    Binding { name: "LEAST", bind: |_, args| bind_extreme(&LEAST, args) },
    Binding { name: "IN", bind: |_, args| bind_in(args, false) },
    Binding { name: "NOT IN", bind: |_, args| bind_in(args, true) },
];

static COALESCE: ScalarFunction = ScalarFunction::new("COALESCE", Kernel::Lazy(coalesce));
static IFNULL: ScalarFunction = ScalarFunction::new("IFNULL", Kernel::Lazy(coalesce));
static IF: ScalarFunction = ScalarFunction::new("IF", Kernel::Lazy(eval_if));
static GREATEST: ScalarFunction = ScalarFunction::strict("GREATEST", |call| extreme(call, Operator::Greater));
static LEAST: ScalarFunction = ScalarFunction::strict("LEAST", |call| extreme(call, Operator::Less));
/// The first argument among the others, which are constants of its type; a list too long for a chain of OR.
static IN: ScalarFunction = ScalarFunction::new("IN", Kernel::Plain(is_in)).shown_as(Shape::Function);

fn common(args: &[Expr], message: &str) -> Result<DataType, CallError> {
    let types: Vec<DataType> = args.iter().map(|arg| arg.ty.clone()).collect();
    common_type(&types).ok_or_else(|| CallError::arguments(message, None))
}

fn convert_all(args: Vec<Expr>, to: &DataType) -> Result<Vec<Expr>, CallError> {
    args.into_iter().map(|arg| convert(arg, to)).collect()
}

fn bind_coalesce(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.is_empty() {
        return Err(CallError::count(function.name, 0, "1"));
    }
    let mut ty = common(&args, "Invalid input arguments.")?;
    ty.nullable = args.iter().all(|arg| arg.ty.nullable);
    Ok(function.on(convert_all(args, &ty)?, ty))
}

fn bind_ifnull(args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.len() != 2 {
        return Err(CallError::count("IFNULL", args.len(), "2"));
    }
    if !args[0].ty.nullable && common_type(&[args[0].ty.clone(), args[1].ty.clone()]).is_some() {
        // Flink's type strategy: what is never NULL keeps its own type.
        let ty = args[0].ty.clone();
        return Ok(IFNULL.on(args.into_iter().take(1).collect(), ty));
    }
    bind_coalesce(&IFNULL, args)
}

fn bind_nullif(args: Vec<Expr>) -> Result<Expr, CallError> {
    let [value, other] = <[Expr; 2]>::try_from(args).map_err(|args| CallError::count("NULLIF", args.len(), "2"))?;
    let equal = bind_comparison(&EQUAL, vec![value.clone(), other])?;
    case(vec![(equal, literal(Value::Null, DataType::new(LogicalType::Null)))], Some(value))
}

fn bind_if(args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.len() != 3 {
        return Err(CallError::count("IF", args.len(), "3"));
    }
    let mut args = args;
    let values = args.split_off(1);
    let mut args = check("IF", args, &[&[Family::Boolean]])?;
    let Ok(mut ty) = common(&values, "") else {
        let mut types: Vec<DataType> = args.iter().map(|arg| arg.ty.clone()).collect();
        types.extend(values.iter().map(|value| value.ty.clone()));
        let forms = ["CHARACTER", "BOOLEAN", "CHARACTER", "BINARY", "DATE", "TIMESTAMP", "TIME"];
        let forms = forms.map(|family| format!("IF(<BOOLEAN>, <{family}>, <{family}>)"));
        let numbers = "IF(<ANY_TYPE>, <NUMERIC_TYPE>, <NUMERIC_TYPE>)".to_owned();
        let forms: Vec<String> = std::iter::once(numbers).chain(forms).collect();
        return Err(CallError::cannot_apply("IF", &types, &forms));
    };
    // The planner's rule: NULL if the condition or a value may be.
    ty.nullable = any_nullable(&args) || any_nullable(&values);
    args.extend(convert_all(values, &ty)?);
    Ok(IF.on(args, ty))
}

fn eval_if(args: &[Expr], ty: &DataType, input: &Input<'_>) -> Result<Datum, EvalError> {
    eval_case(&[(args[0].clone(), args[1].clone())], &args[2], ty, input)
}

fn bind_extreme(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.is_empty() {
        return Err(CallError::count(function.name, 0, "1"));
    }
    let types: Vec<DataType> = args.iter().map(|arg| arg.ty.clone()).collect();
    let mut ty = common_type(&types).ok_or_else(|| {
        let other = types.iter().find(|ty| common_type(&[types[0].clone(), (*ty).clone()]).is_none());
        CallError::arguments(
            format!(
                "All types in a comparison should support both 'EQUALS' and 'ORDER' comparison with each other. Can not compare {} with {}",
                types[0],
                other.unwrap_or(&types[0])
            ),
            None,
        )
    })?;
    ty.nullable = any_nullable(&args);
    Ok(function.on(convert_all(args, &ty)?, ty))
}

/// The largest or smallest value; NULL if one is NULL.
fn extreme(call: &Call<'_>, operator: Operator) -> Result<ArrayRef, EvalError> {
    let mut best = call.values[0].clone().into_array(call.len);
    for (index, value) in call.values.iter().enumerate().skip(1) {
        let next = value.clone().into_array(call.len);
        let pair = [Datum::Column(next.clone()), Datum::Column(best.clone())];
        let args = [call.args[index].clone(), call.args[0].clone()];
        let better = compare_values(&Call { values: &pair, args: &args, ..*call }, operator)?;
        best = choose(better.as_boolean(), &next, &best);
    }
    let Some(nulls) = call.nulls().filter(|nulls| nulls.null_count() > 0) else { return Ok(best) };
    Ok(only_where(&best, nulls.into_inner()))
}

fn choose(truths: &BooleanArray, yes: &ArrayRef, no: &ArrayRef) -> ArrayRef {
    let picks: Vec<(usize, usize)> =
        (0..truths.len()).map(|row| (usize::from(!(truths.is_valid(row) && truths.value(row))), row)).collect();
    interleave(&[yes, no], &picks)
}

/// How many values a list has before it is searched rather than compared one by one.
const SEARCHED: usize = 8;

fn bind_in(args: Vec<Expr>, negate: bool) -> Result<Expr, CallError> {
    let mut args = args.into_iter();
    let (Some(value), list) = (args.next(), args.collect::<Vec<_>>()) else {
        return Err(CallError::count("IN", 0, "2 or more"));
    };
    if list.is_empty() {
        return Err(CallError::count("IN", 1, "2 or more"));
    }
    let list_type = common(&list, "Values in expression list must have compatible types")?;
    // The list takes the value's type where both have none in common, as text becomes a number.
    let target = common_type(&[value.ty.clone(), list_type.clone()]);
    let (value, list) = match target {
        Some(ty) => (convert(value, &ty)?, convert_all(list, &ty)?),
        None => {
            let (value_type, list_type) = (value.ty.clone(), list_type);
            if value_type.logical.is_character() {
                (value, convert_all(list, &value_type)?)
            } else if list_type.logical.is_character() && value_type.logical != LogicalType::Boolean {
                (value.clone(), convert_all(list, &value_type)?)
            } else {
                return Err(CallError::arguments("Values passed to IN operator must have compatible types", None));
            }
        }
    };
    let constants = list.iter().all(|item| item.as_literal().is_some());
    if list.len() > SEARCHED && constants {
        let mut args = vec![value];
        args.extend(list);
        let found = IN.on_booleans(args);
        return Ok(if negate { NOT.on_booleans(vec![found]) } else { found });
    }
    let (function, connective) = if negate { (&NOT_EQUAL, &AND) } else { (&EQUAL, &OR) };
    let mut tests = list
        .into_iter()
        .map(|item| bind_comparison(function, vec![value.clone(), item]))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(if tests.len() == 1 { tests.remove(0) } else { connective.on_booleans(tests) })
}

/// True if found; else NULL if the value or an item is NULL.
fn is_in(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let value = call.values[0].clone().into_array(call.len);
    let items = &call.values[1..];
    let any_null = items.iter().any(Datum::is_null_scalar);
    let mut keys: Vec<Vec<u8>> =
        items.iter().filter(|item| !item.is_null_scalar()).map(|item| key(item.array(), 0)).collect();
    keys.sort_unstable();
    if value.data_type() == &ArrowType::Null {
        return Ok(full_null(call.ty, call.len));
    }
    let mut wanted = Vec::new();
    Ok(call.make_booleans(|row| {
        if value.is_null(row) {
            return None;
        }
        wanted.clear();
        tidegate_data::keys::encode::encode_cell(&mut wanted, value.as_ref(), row);
        match keys.binary_search(&wanted) {
            Ok(_) => Some(true),
            Err(_) if any_null => None,
            Err(_) => Some(false),
        }
    }))
}

fn key(array: &ArrayRef, row: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    tidegate_data::keys::encode::encode_cell(&mut bytes, array.as_ref(), row);
    bytes
}
