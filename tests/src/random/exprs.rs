//! Random expressions of a type over the columns in sight.

use super::draw::Draw;
use super::tables::{Col, Ty};

/// How far expressions go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Such as never fail, whatever order rows come in.
    Safe,
    /// All there are: casts of texts, divisions, numbers of all widths and at their limits.
    All,
}

/// The types that expressions of queries have.
pub const SAFE: [Ty; 8] = [Ty::Int, Ty::Str, Ty::Bool, Ty::BigInt, Ty::Dec(8, 2), Ty::Double, Ty::Date, Ty::Ts];
/// All types.
pub const ALL: [Ty; 13] = [
    Ty::Int,
    Ty::Str,
    Ty::Bool,
    Ty::BigInt,
    Ty::Dec(8, 2),
    Ty::Double,
    Ty::Date,
    Ty::Ts,
    Ty::TinyInt,
    Ty::SmallInt,
    Ty::Float,
    Ty::Dec(38, 18),
    Ty::Dec(20, 0),
];

/// An expression of type `ty`, or one that becomes it.
pub fn expr(draw: &mut Draw, cols: &[Col], ty: Ty, depth: usize, reach: Reach) -> String {
    if depth == 0 {
        return leaf(draw, cols, ty, reach);
    }
    let wild = reach == Reach::All;
    let next = depth - 1;
    let sub = |draw: &mut Draw, ty: Ty| expr(draw, cols, ty, next, reach);
    match draw.below(9) {
        0..=2 => leaf(draw, cols, ty, reach),
        3 => match draw.below(5) {
            0 => format!("COALESCE({}, {})", sub(draw, ty), sub(draw, ty)),
            1 => format!("NULLIF({}, {})", sub(draw, ty), sub(draw, ty)),
            2 => format!("CASE WHEN {} THEN {} END", sub(draw, Ty::Bool), sub(draw, ty)),
            3 => format!("CASE WHEN {} THEN {} ELSE {} END", sub(draw, Ty::Bool), sub(draw, ty), sub(draw, ty)),
            _ => format!(
                "CASE {} WHEN {} THEN {} ELSE {} END",
                sub(draw, ty),
                sub(draw, ty),
                sub(draw, ty),
                sub(draw, ty)
            ),
        },
        4 if wild => {
            let from = draw.of_these(&ALL);
            let word = if draw.one_in(2) { "TRY_CAST" } else { "CAST" };
            format!("{word}({} AS {})", sub(draw, from), ty.sql())
        }
        5 if wild && ty != Ty::Bool => {
            format!("{}({}, {})", draw.of_these(&["GREATEST", "LEAST"]), sub(draw, ty), sub(draw, ty))
        }
        _ => match ty {
            Ty::Bool => format!("({})", truth(draw, cols, next, reach)),
            Ty::Str => text(draw, cols, next, reach),
            Ty::Date | Ty::Ts => time(draw, cols, ty, next, reach),
            _ => number(draw, cols, ty, next, reach),
        },
    }
}

fn leaf(draw: &mut Draw, cols: &[Col], ty: Ty, reach: Reach) -> String {
    let fitting: Vec<&Col> = cols.iter().filter(|col| col.ty == ty).collect();
    if !fitting.is_empty() && draw.below(4) < 3 {
        return draw.one_of(&fitting).text.clone();
    }
    let wild = reach == Reach::All;
    if wild && draw.one_in(8) {
        return format!("CAST(NULL AS {})", ty.sql());
    }
    let cast = |text: &str| format!("CAST({text} AS {})", ty.sql());
    match ty {
        Ty::Int => match wild {
            true => draw.of_these(&["1", "0", "-1", "7", "2147483647", "-2147483648", "100"]).to_string(),
            false => draw.below(4).to_string(),
        },
        Ty::BigInt => match wild {
            true => cast(draw.of_these(&["1", "0", "-3", "9223372036854775807", "4294967296"])),
            false => cast(&draw.below(4).to_string()),
        },
        Ty::TinyInt => cast(draw.of_these(&["1", "0", "-128", "127"])),
        Ty::SmallInt => cast(draw.of_these(&["1", "0", "-32768", "32767"])),
        Ty::Float => cast(draw.of_these(&["1.5", "0", "-0.25", "3"])),
        Ty::Double => match wild {
            true => draw.of_these(&["1.5E0", "0E0", "-2.5E-1", "1E10", "1E-3"]).to_string(),
            false => draw.of_these(&["1.5E0", "0E0", "2.5E-1"]).to_string(),
        },
        Ty::Dec(8, 2) => match wild {
            true => draw.of_these(&["1.50", "0.00", "-999999.99", "3", "0.005", "12.345"]).to_string(),
            false => draw.of_these(&["1.50", "0.00", "2.25"]).to_string(),
        },
        Ty::Dec(20, 0) => cast(draw.of_these(&["1", "0", "99999999999999999999", "-5"])),
        Ty::Dec(..) => {
            cast(draw.of_these(&["1.5", "0", "12345678901234567890.123456789012345678", "-0.000000000000000001"]))
        }
        Ty::Str => match wild {
            true => {
                draw.of_these(&["'a'", "''", "'12'", "'-1.5'", "' x '", "'2024-02-29'", "'true'", "'äÖ'"]).to_string()
            }
            false => draw.of_these(&["'a'", "'b'", "''"]).to_string(),
        },
        Ty::Bool => draw.of_these(&["TRUE", "FALSE"]).to_string(),
        Ty::Date => draw.of_these(&["DATE '2024-01-31'", "DATE '2024-02-29'", "DATE '1999-12-31'"]).to_string(),
        Ty::Ts => {
            draw.of_these(&["TIMESTAMP '2024-01-01 00:10:01.500'", "TIMESTAMP '2024-02-29 23:59:59.999'"]).to_string()
        }
    }
}

fn number(draw: &mut Draw, cols: &[Col], ty: Ty, depth: usize, reach: Reach) -> String {
    let wild = reach == Reach::All;
    let sub = |draw: &mut Draw, ty: Ty| expr(draw, cols, ty, depth, reach);
    // A product of DOUBLEs may be -0.0, which is equal to 0.0 and is another key.
    let double = matches!(ty, Ty::Double | Ty::Float) && !wild;
    match draw.below(8) {
        0 => format!("({} + {})", sub(draw, ty), sub(draw, ty)),
        1 => format!("({} - {})", sub(draw, ty), sub(draw, ty)),
        2 if !double => format!("({} * {})", sub(draw, ty), sub(draw, ty)),
        3 if !double => format!("(- {})", sub(draw, ty)),
        4 if !double => {
            let name = draw.of_these(if wild { &["ABS", "SIGN", "FLOOR", "CEIL"][..] } else { &["ABS"][..] });
            format!("{name}({})", sub(draw, ty))
        }
        5 if ty == Ty::Int => format!("CHAR_LENGTH({})", sub(draw, Ty::Str)),
        5 if ty == Ty::BigInt => {
            let unit = draw.of_these(&["YEAR", "MONTH", "DAY", "QUARTER", "DOY", "DOW"]);
            let of = if draw.one_in(2) { Ty::Ts } else { Ty::Date };
            format!("EXTRACT({unit} FROM {})", sub(draw, of))
        }
        6 if wild => {
            let other = draw.of_these(&[ty, Ty::Int, Ty::BigInt, Ty::Dec(8, 2), Ty::TinyInt, Ty::Dec(38, 18)]);
            format!("({} {} {})", sub(draw, ty), draw.of_these(&["/", "/", "+", "*", "-"]), sub(draw, other))
        }
        7 if wild && !matches!(ty, Ty::Double | Ty::Float) => {
            let other = draw.of_these(&[ty, Ty::Int, Ty::BigInt, Ty::Dec(8, 2)]);
            format!("MOD({}, {})", sub(draw, ty), sub(draw, other))
        }
        6 if ty == Ty::Int => format!("({} / {})", sub(draw, ty), draw.of_these(&["2", "3"])),
        _ => leaf(draw, cols, ty, reach),
    }
}

fn text(draw: &mut Draw, cols: &[Col], depth: usize, reach: Reach) -> String {
    let sub = |draw: &mut Draw, ty: Ty| expr(draw, cols, ty, depth, reach);
    match draw.below(8) {
        0 => format!("UPPER({})", sub(draw, Ty::Str)),
        1 => format!("({} || {})", sub(draw, Ty::Str), sub(draw, Ty::Str)),
        2 => format!("SUBSTRING({}, {})", sub(draw, Ty::Str), sub(draw, Ty::Int)),
        3 => {
            let length = draw.below(3);
            format!("SUBSTRING({}, {}, {length})", sub(draw, Ty::Str), sub(draw, Ty::Int))
        }
        4 => {
            format!("TRIM({} FROM {})", draw.of_these(&["BOTH 'a'", "LEADING 'a'", "TRAILING ' '"]), sub(draw, Ty::Str))
        }
        5 => format!("REPLACE({}, 'a', {})", sub(draw, Ty::Str), sub(draw, Ty::Str)),
        6 => {
            let from = draw.of_these(&[Ty::Int, Ty::Bool, Ty::Date, Ty::Ts, Ty::Dec(8, 2)]);
            format!("CAST({} AS {})", sub(draw, from), draw.of_these(&["STRING", "VARCHAR(2)", "CHAR(12)"]))
        }
        _ => format!("CONCAT({}, {})", sub(draw, Ty::Str), sub(draw, Ty::Str)),
    }
}

fn time(draw: &mut Draw, cols: &[Col], ty: Ty, depth: usize, reach: Reach) -> String {
    let own = expr(draw, cols, ty, depth, reach);
    let interval =
        draw.of_these(&["INTERVAL '1' DAY", "INTERVAL '1' MONTH", "INTERVAL '13' MONTH", "INTERVAL '36' HOUR"]);
    match draw.below(4) {
        0 => format!("({own} + {interval})"),
        1 => format!("({own} - {interval})"),
        2 => format!("FLOOR({own} TO {})", draw.of_these(&["MONTH", "YEAR"])),
        _ => {
            let other = if ty == Ty::Ts { Ty::Date } else { Ty::Ts };
            format!("CAST({} AS {})", expr(draw, cols, other, depth, reach), ty.sql())
        }
    }
}

fn truth(draw: &mut Draw, cols: &[Col], depth: usize, reach: Reach) -> String {
    let types = if reach == Reach::All { &ALL[..] } else { &SAFE[..] };
    let ty = draw.of_these(types);
    let sub = |draw: &mut Draw, ty: Ty| expr(draw, cols, ty, depth, reach);
    match draw.below(12) {
        0 | 1 => {
            format!("{} {} {}", sub(draw, ty), draw.of_these(&["=", "<>", "<", ">", "<=", ">="]), sub(draw, ty))
        }
        2 => format!("({} AND {})", sub(draw, Ty::Bool), sub(draw, Ty::Bool)),
        3 => format!("({} OR {})", sub(draw, Ty::Bool), sub(draw, Ty::Bool)),
        4 => format!("(NOT {})", sub(draw, Ty::Bool)),
        5 => format!("{} IS {}NULL", sub(draw, ty), if draw.one_in(2) { "NOT " } else { "" }),
        6 => {
            let kept = if draw.one_in(2) { "NOT " } else { "" };
            format!("{} {kept}BETWEEN {} AND {}", sub(draw, ty), sub(draw, ty), sub(draw, ty))
        }
        7 => {
            let items: Vec<String> = (0..1 + draw.below(3)).map(|_| leaf(draw, &[], ty, reach)).collect();
            let kept = if draw.one_in(2) { "NOT " } else { "" };
            format!("{} {kept}IN ({})", sub(draw, ty), items.join(", "))
        }
        8 => {
            let pattern = draw.of_these(&["'a%'", "'%b'", "'_'", "'%a_'", "''", "'a!%' ESCAPE '!'"]);
            format!("{} {}LIKE {pattern}", sub(draw, Ty::Str), if draw.one_in(3) { "NOT " } else { "" })
        }
        9 => {
            let test = draw.of_these(&["TRUE", "NOT TRUE", "FALSE", "NOT FALSE", "UNKNOWN"]);
            format!("({}) IS {test}", sub(draw, Ty::Bool))
        }
        10 => {
            let kept = if draw.one_in(2) { "NOT " } else { "" };
            format!("{} IS {kept}DISTINCT FROM {}", sub(draw, ty), sub(draw, ty))
        }
        _ => {
            let other = draw.of_these(&[Ty::Int, Ty::Dec(8, 2), Ty::BigInt, Ty::Double]);
            format!("{} {} {}", sub(draw, Ty::Int), draw.of_these(&["=", "<", ">="]), sub(draw, other))
        }
    }
}
