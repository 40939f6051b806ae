//! The logical plan: what the binder yields and the rules rewrite.

use std::sync::Arc;

use tidegate_data::{DataType, Field, Schema};
use tidegate_expr::AggregateFunction;

use crate::bind::uniquify;
use crate::catalog::Table;
use crate::over::{OverGroup, Rank, Sort};
use crate::physical::WindowShape;
use crate::rex::Rex;

/// A relation: an operator, its inputs, and the columns it yields.
#[derive(Clone, Debug, PartialEq)]
pub struct Rel {
    /// What it does.
    pub op: RelOp,
    /// Where its rows come from.
    pub inputs: Vec<Rel>,
    /// The columns it yields.
    pub schema: Schema,
}

/// What a relation does.
#[derive(Clone, Debug, PartialEq)]
pub enum RelOp {
    /// Reads a table: its physical columns, then the metadata columns that it declares.
    Scan(Arc<ScanTable>),
    /// Rows of constants.
    Values(Vec<Vec<Rex>>),
    /// Computes columns.
    Project(Vec<Rex>),
    /// Keeps rows for which the condition is TRUE.
    Filter(Rex),
    /// GROUP BY: output is the keys, then the calls.
    Aggregate(Aggregate),
    /// Marks a column as the time attribute and makes watermarks.
    WatermarkAssigner {
        /// The rowtime column.
        rowtime: usize,
        /// The watermark; a call of `SOURCE_WATERMARK` when the source gives them.
        watermark: Rex,
    },
    /// A windowing table function: input columns, then window_start, window_end and window_time.
    Window(Window),
    /// Calls with OVER: input columns, then the results of each group's calls.
    Over(Vec<OverGroup>),
    /// Top-N and deduplication: input columns, then the rank if it is wanted.
    Rank(Rank),
    /// ORDER BY, LIMIT, OFFSET.
    Sort(Sort),
    /// Each row once per grouping set: per set the input column of each column (none: NULL), and the set's number, which is the
    /// last column.
    Expand(Vec<(Vec<Option<usize>>, i64)>),
    /// Each row beside the rows that a table function makes of it: input columns, then the function's.
    Correlate(Box<crate::correlate::Correlate>),
    /// MATCH_RECOGNIZE: the partition's columns, then the measures.
    Match(Box<crate::pattern::Match>),
    /// A lookup join: the input's columns, then the table's.
    Lookup(Box<crate::lookup::Lookup>),
    /// UNION ALL.
    Union,
    /// A join of two inputs; of semi and anti joins the output is the left input's columns.
    Join(Join),
    /// Several sinks of one job (a statement set) or one.
    Sink(Arc<SinkTarget>),
}

/// A table as a statement reads or writes it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanTable {
    /// The table, its options with hints applied.
    pub table: Table,
    /// The watermark as declared, once it is pushed into the source; over the scan's columns.
    pub watermark: Option<(usize, Rex)>,
}

/// GROUP BY.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// The grouping columns of the input.
    pub keys: Vec<usize>,
    /// The aggregate calls.
    pub calls: Vec<AggCall>,
    /// What a hint `STATE_TTL` says of how long its state is kept, in ms.
    pub ttl: Option<i64>,
}

/// An aggregate call over columns of the input.
#[derive(Clone, Debug, PartialEq)]
pub struct AggCall {
    /// The function.
    pub function: AggFunction,
    /// DISTINCT.
    pub distinct: bool,
    /// The argument columns.
    pub args: Vec<usize>,
    /// The FILTER column.
    pub filter: Option<usize>,
    /// The result type.
    pub ty: DataType,
    /// The name given in the SELECT list, if the call stands there by itself.
    pub name: Option<String>,
}

/// An aggregate function as plans know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggFunction {
    /// One that SQL has.
    Sql(AggregateFunction),
    /// `$SUM0`: a SUM that is 0 over nothing; only rules make it.
    Sum0,
}

impl AggFunction {
    /// The name that plans show.
    pub const fn name(self) -> &'static str {
        match self {
            AggFunction::Sql(function) => function.name(),
            AggFunction::Sum0 => "$SUM0",
        }
    }
}

/// A join of two inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// Which rows it yields.
    pub kind: JoinKind,
    /// When a pair matches, over the columns of both inputs.
    pub condition: Rex,
    /// Whether time bounds its rows.
    pub form: JoinForm,
    /// What a hint `STATE_TTL` says of how long the state of each side is kept, in ms.
    pub ttl: [Option<i64>; 2],
}

/// How time bounds the rows of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinForm {
    /// Not at all.
    Regular,
    /// By the distance of two time attributes.
    Interval(Bounds),
    /// By equal windows.
    Window,
    /// By the time that a version of the right side is asked for.
    Temporal(Versions),
}

/// The time attributes of a join with the versions of its right side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    /// The column of the left input: of which time.
    pub left_time: usize,
    /// The column of the right input: since when.
    pub right_time: usize,
}

/// The bounds of an interval join, in ms: `left time - right time` lies between them, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The lower bound.
    pub lower: i64,
    /// The upper bound.
    pub upper: i64,
    /// The time attribute of the left input.
    pub left_time: usize,
    /// The time attribute of the right input.
    pub right_time: usize,
    /// Event time or processing time.
    pub event_time: bool,
}

/// The sorts of joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// Pairs.
    Inner,
    /// Pairs, and left rows without one.
    Left,
    /// Pairs, and right rows without one.
    Right,
    /// Pairs, and rows of both sides without one.
    Full,
    /// Left rows with a match.
    Semi,
    /// Left rows without a match.
    Anti,
}

impl JoinKind {
    /// Whether left rows come without a match, padded with NULLs.
    pub const fn keeps_left(self) -> bool {
        matches!(self, JoinKind::Left | JoinKind::Full)
    }

    /// Whether right rows come without a match, padded with NULLs.
    pub const fn keeps_right(self) -> bool {
        matches!(self, JoinKind::Right | JoinKind::Full)
    }

    /// Whether the output is the left side's columns only.
    pub const fn is_semi(self) -> bool {
        matches!(self, JoinKind::Semi | JoinKind::Anti)
    }
}

/// A windowing table function over its input.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The time attribute's column.
    pub time_column: usize,
    /// Event time or processing time.
    pub event_time: bool,
    /// The shape.
    pub shape: WindowShape,
    /// The call as the syntax tree of EXPLAIN shows it; empty for a window in GROUP BY.
    pub invocation: String,
}

impl Window {
    /// Whether it is one of the older windows in GROUP BY, which are no calls in FROM.
    pub fn is_group_window(&self) -> bool {
        self.invocation.is_empty()
    }
}

/// The sink of a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct SinkTarget {
    /// The table; none for the result of a SELECT.
    pub table: Option<Table>,
    /// The name that plans show, without catalog and database.
    pub name: String,
    /// The columns that were named in the INSERT, as plans show them.
    pub target_columns: Option<Vec<usize>>,
}

impl Rel {
    /// The input of a relation with one.
    pub fn input(&self) -> &Rel {
        &self.inputs[0]
    }

    /// Takes the input out of a relation with one.
    pub fn into_input(mut self) -> Rel {
        self.inputs.swap_remove(0)
    }

    /// A projection; `names` as many as `exprs`.
    pub fn project(input: Rel, exprs: Vec<Rex>, names: Vec<String>) -> Rel {
        debug_assert_eq!(exprs.len(), names.len());
        let fields = exprs.iter().zip(names).map(|(rex, name)| Field { name, ty: rex.ty.clone() }).collect();
        Rel { op: RelOp::Project(exprs), inputs: vec![input], schema: Schema { fields } }
    }

    /// A projection that keeps some columns under their names.
    pub fn keep(input: Rel, columns: &[usize]) -> Rel {
        let names = columns.iter().map(|&i| input.schema.fields[i].name.clone()).collect();
        let exprs = columns.iter().map(|&i| input.column(i)).collect();
        Rel::project(input, exprs, names)
    }

    /// A filter.
    pub fn filter(input: Rel, condition: Rex) -> Rel {
        let schema = input.schema.clone();
        Rel { op: RelOp::Filter(condition), inputs: vec![input], schema }
    }

    /// A grouping. Unnamed calls are `$f` and their position.
    pub fn aggregate(input: Rel, aggregate: Aggregate) -> Rel {
        let mut fields: Vec<Field> = aggregate.keys.iter().map(|&key| input.schema.fields[key].clone()).collect();
        for call in &aggregate.calls {
            let name = call.name.clone().unwrap_or_else(|| format!("$f{}", fields.len()));
            fields.push(Field { name, ty: call.ty.clone() });
        }
        Rel { op: RelOp::Aggregate(aggregate), inputs: vec![input], schema: Schema { fields } }
    }

    /// Rows times grouping sets; the columns keep their places.
    pub fn expand(input: Rel, sets: Vec<(Vec<Option<usize>>, i64)>) -> Rel {
        let mut fields = input.schema.fields.clone();
        for (i, field) in fields.iter_mut().enumerate() {
            if sets.iter().any(|(columns, _)| columns[i].is_none()) {
                field.ty.nullable = true;
            }
        }
        fields.push(Field { name: "$e".into(), ty: DataType::not_null(tidegate_data::LogicalType::BigInt) });
        Rel { op: RelOp::Expand(sets), inputs: vec![input], schema: Schema { fields } }
    }

    /// Window functions. Their columns are called by group and position: `w0$o1`.
    pub fn over(input: Rel, groups: Vec<OverGroup>) -> Rel {
        let mut fields = input.schema.fields.clone();
        for (i, group) in groups.iter().enumerate() {
            let calls = group.calls.iter().enumerate();
            fields.extend(calls.map(|(j, call)| Field { name: format!("w{i}$o{j}"), ty: call.ty.clone() }));
        }
        Rel { op: RelOp::Over(groups), inputs: vec![input], schema: Schema { fields } }
    }

    /// A join.
    pub fn join(left: Rel, right: Rel, kind: JoinKind, condition: Rex) -> Rel {
        let schema = Rel::join_schema(&left, &right, kind);
        Rel {
            op: RelOp::Join(Join { kind, condition, form: JoinForm::Regular, ttl: [None, None] }),
            inputs: vec![left, right],
            schema,
        }
    }

    /// The same; of a join, the state of whose sides is kept for these times.
    #[must_use]
    pub fn kept_for(mut self, ttl: [Option<i64>; 2]) -> Rel {
        if let RelOp::Join(join) = &mut self.op {
            join.ttl = ttl;
        }
        self
    }

    /// The columns of a join: those of both sides, with names made unique, nullable where padded.
    pub fn join_schema(left: &Rel, right: &Rel, kind: JoinKind) -> Schema {
        if kind.is_semi() {
            return left.schema.clone();
        }
        Rel::both_sides(&left.schema, &right.schema, kind)
    }

    /// The columns of both sides of a join.
    pub fn both_sides(left: &Schema, right: &Schema, kind: JoinKind) -> Schema {
        let side = |schema: &Schema, padded: bool| -> Vec<Field> {
            let nullable = |field: &Field| Field {
                name: field.name.clone(),
                ty: if padded { field.ty.with_nullable(true) } else { field.ty.clone() },
            };
            schema.fields.iter().map(nullable).collect()
        };
        let mut fields = side(left, kind.keeps_right());
        fields.extend(side(right, kind.keeps_left()));
        let names = uniquify(fields.iter().map(|field| field.name.clone()).collect());
        for (field, name) in fields.iter_mut().zip(names) {
            field.name = name;
        }
        Schema { fields }
    }

    /// A bare column of this relation's output.
    pub fn column(&self, index: usize) -> Rex {
        Rex::column(index, self.schema.fields[index].ty.clone())
    }

    /// The names of its columns.
    pub fn names(&self) -> Vec<String> {
        self.schema.fields.iter().map(|field| field.name.clone()).collect()
    }

    /// The number of its columns.
    pub fn width(&self) -> usize {
        self.schema.fields.len()
    }

    /// The plan with every relation, inputs first, replaced by what `f` makes of it.
    #[must_use]
    pub fn transform(self, f: &mut dyn FnMut(Rel) -> Rel) -> Rel {
        let Rel { op, inputs, schema } = self;
        let inputs = inputs.into_iter().map(|input| input.transform(f)).collect();
        f(Rel { op, inputs, schema }.rederived())
    }

    /// The same with the names that follow from its inputs, after these were replaced.
    fn rederived(mut self) -> Rel {
        match self.op {
            RelOp::Filter(_) | RelOp::Sort(_) => self.schema = self.input().schema.clone(),
            RelOp::Aggregate(aggregate) => {
                let [input]: [Rel; 1] = match self.inputs.try_into() {
                    Ok(inputs) => inputs,
                    Err(inputs) => return Rel { op: RelOp::Aggregate(aggregate), inputs, schema: self.schema },
                };
                return Rel::aggregate(input, aggregate);
            }
            RelOp::Join(Join { kind, .. }) => {
                let names = Rel::join_schema(&self.inputs[0], &self.inputs[1], kind);
                for (field, other) in self.schema.fields.iter_mut().zip(names.fields) {
                    field.name = other.name;
                }
            }
            RelOp::Correlate(correlate) => {
                let [input]: [Rel; 1] = match self.inputs.try_into() {
                    Ok(inputs) => inputs,
                    Err(inputs) => return Rel { op: RelOp::Correlate(correlate), inputs, schema: self.schema },
                };
                return correlate.over(input);
            }
            RelOp::WatermarkAssigner { .. }
            | RelOp::Window(_)
            | RelOp::Over(_)
            | RelOp::Rank(_)
            | RelOp::Expand(_)
            | RelOp::Union => {
                let names = self.inputs[0].names();
                for (field, name) in self.schema.fields.iter_mut().zip(names) {
                    field.name = name;
                }
            }
            RelOp::Scan(_) | RelOp::Values(_) | RelOp::Project(_) | RelOp::Match(_) | RelOp::Sink(_) => {}
            RelOp::Lookup(_) => {
                let names = self.inputs[0].names();
                for (field, name) in self.schema.fields.iter_mut().zip(names) {
                    field.name = name;
                }
            }
        }
        self
    }

    /// Whether a projection passes its input through as it is, names included.
    pub fn is_identity(&self) -> bool {
        match &self.op {
            RelOp::Project(exprs) => {
                exprs.len() == self.input().width()
                    && exprs.iter().enumerate().all(|(i, rex)| rex.as_column() == Some(i))
                    && self.schema == self.input().schema
            }
            _ => false,
        }
    }
}
