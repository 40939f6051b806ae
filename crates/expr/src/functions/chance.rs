//! Chance: RAND, RAND_INTEGER, UUID. The numbers come from [`crate::EvalContext::chance`], which the operator sets, so that a run that is played
//! again draws the same ones. They are not those of Java's generator, with a seed neither.

use arrow_array::ArrayRef;
use arrow_array::types::{Float64Type, Int32Type};
use tidegate_data::LogicalType;

use super::signature::{Family, check, nullable_if_any};
use super::{Binding, Call, Kernel, ScalarFunction};
use crate::eval::{EvalContext, EvalError};
use crate::{CallError, Expr};

pub(super) const BINDINGS: &[Binding] = &[
    Binding {
        name: "RAND",
        bind: |name, args| bind(&RAND, name, args, &[&[], &[Family::Integer]], LogicalType::Double),
    },
    Binding {
        name: "RAND_INTEGER",
        bind: |name, args| {
            let forms: &[&[Family]] = &[&[Family::Integer], &[Family::Integer, Family::Integer]];
            bind(&RAND_INTEGER, name, args, forms, LogicalType::Int)
        },
    },
    Binding { name: "UUID", bind: |name, args| bind(&UUID, name, args, &[&[]], LogicalType::Char(36)) },
];

static RAND: ScalarFunction = ScalarFunction::new("RAND", Kernel::Plain(rand)).volatile();
static RAND_INTEGER: ScalarFunction =
    ScalarFunction::new("RAND_INTEGER", Kernel::Plain(rand_integer)).volatile().failing(|_, _| true);
static UUID: ScalarFunction = ScalarFunction::new("UUID", Kernel::Plain(uuid)).volatile();

fn bind(
    function: &'static ScalarFunction,
    name: &str,
    args: Vec<Expr>,
    forms: &[&[Family]],
    logical: LogicalType,
) -> Result<Expr, CallError> {
    let args = check(name, args, forms)?;
    let ty = nullable_if_any(logical, &args);
    Ok(function.on(args, ty))
}

/// The next number (SplitMix64).
fn draw(context: &EvalContext) -> u64 {
    let state = context.chance.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    context.chance.set(state);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn rand(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let seeds = if call.values.is_empty() { None } else { Some(call.integers(0)?) };
    Ok(call.make_numbers::<Float64Type>(|row| {
        let seed = seeds.as_ref().map_or(Some(0), |seeds| seeds.get(row))?;
        Some(((draw(call.ctx) ^ seed as u64) >> 11) as f64 / (1u64 << 53) as f64)
    }))
}

fn rand_integer(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let bounds = call.integers(call.values.len() - 1)?;
    if (0..call.len).any(|row| bounds.get(row).is_some_and(|bound| bound <= 0)) {
        return Err(EvalError::new("bound must be positive"));
    }
    Ok(call.make_numbers::<Int32Type>(|row| {
        let bound = bounds.get(row)?;
        Some((draw(call.ctx) >> 1).checked_rem(bound as u64)? as i32)
    }))
}

fn uuid(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    Ok(call.make_strings(|_, out| {
        let high = (draw(call.ctx) & !0xf000) | 0x4000;
        let low = (draw(call.ctx) & !(0b11 << 62)) | (0b10 << 62);
        let hex = format!("{high:016x}{low:016x}");
        for (at, end) in [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)] {
            out.push_str(if at == 0 { "" } else { "-" });
            out.push_str(&hex[at..end]);
        }
        true
    }))
}

#[cfg(test)]
mod tests {
    use tidegate_data::{Chunk, DataType, LogicalType, Value, value_at};

    use crate::{EvalContext, call, literal};

    #[test]
    fn chance_follows_its_seed() {
        let int = |value: i64| literal(Value::Int(value), DataType::not_null(LogicalType::Int));
        let draw = |name: &str, args: Vec<crate::Expr>| {
            let expr = call(name, args).unwrap();
            let column = expr.eval(&Chunk::insert(Vec::new(), 50), &EvalContext::default()).unwrap();
            (0..50).map(|row| value_at(&column, row, &expr.ty)).collect::<Vec<_>>()
        };
        for (name, args) in
            [("RAND", vec![]), ("RAND", vec![int(7)]), ("RAND_INTEGER", vec![int(10)]), ("UUID", vec![])]
        {
            let once = draw(name, args.clone());
            assert_eq!(once, draw(name, args));
            assert!(once.iter().any(|value| *value != once[0]), "{name}");
            for value in once {
                match value {
                    Value::Double(value) => assert!((0.0..1.0).contains(&value)),
                    Value::Int(value) => assert!((0..10).contains(&value)),
                    Value::String(text) => assert!(text.len() == 36 && text.as_bytes()[14] == b'4', "{text}"),
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}
