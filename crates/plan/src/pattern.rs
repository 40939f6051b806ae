//! MATCH_RECOGNIZE: the node, its texts in plans, and what the job is given of it.

use tidegate_data::{DataType, Field, LogicalType, Schema};
use tidegate_expr::{AggregateCall, AggregateFunction, CallError};

use crate::logical::{Rel, RelOp};
use crate::over::SortColumn;
use crate::physical::{self, NodeKind, SkipTo};
use crate::rex::{Rex, RexKind};
use crate::text::{Form, rex_text};

/// A search for rows that follow one another as a pattern says.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// PARTITION BY.
    pub partition: Vec<usize>,
    /// ORDER BY; the first column is the time.
    pub order: Vec<SortColumn>,
    /// Event time or processing time.
    pub event_time: bool,
    /// The names that stand for rows: all, the pattern's variables in order, subsets, and what is defined but no part of the pattern.
    pub names: Vec<RowName>,
    /// The pattern.
    pub variables: Vec<Variable>,
    /// DEFINE, in order.
    pub defines: Vec<(String, PatternRex)>,
    /// WITHIN: its ms, and the constant.
    pub within: Option<(i64, Rex)>,
    /// AFTER MATCH.
    pub skip: SkipTo,
    /// MEASURES, in order.
    pub measures: Vec<(String, PatternRex)>,
}

/// A name that stands for rows of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct RowName {
    /// The name; `*` for all rows.
    pub name: String,
    /// The variables of the pattern whose rows these are.
    pub variables: Vec<usize>,
    /// Whether it was put together by SUBSET.
    pub subset: bool,
}

/// A variable of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// How many rows it takes at least.
    pub min: u32,
    /// How many it takes at most, if there is a bound.
    pub max: Option<u32>,
    /// Whether it takes as few as it can.
    pub reluctant: bool,
    /// Whether a quantifier was written.
    pub quantified: bool,
}

/// An expression over values of a match: its columns are these.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternRex {
    /// The values.
    pub values: Vec<MatchValue>,
    /// The expression.
    pub rex: Rex,
}

/// A value of a match.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchValue {
    /// A column of one row.
    Cell {
        /// Of which of [`Match::names`].
        name: usize,
        /// How it is navigated to.
        navigation: Navigation,
        /// How far.
        offset: u32,
        /// The column of the input.
        column: usize,
    },
    /// An aggregate over rows.
    Aggregate {
        /// Over which of [`Match::names`].
        name: usize,
        /// The function.
        function: AggregateFunction,
        /// Its arguments, over the input's columns.
        args: Vec<Rex>,
        /// Its type.
        ty: DataType,
    },
    /// `MATCH_ROWTIME()`
    Rowtime,
    /// `MATCH_PROCTIME()`
    Proctime,
}

/// From where rows are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Navigation {
    /// The last row, without a word about it.
    Plain,
    /// LAST
    Last,
    /// FIRST
    First,
}

impl Match {
    /// The relation over an input.
    pub fn over(self, input: Rel) -> Rel {
        let mut fields: Vec<Field> = self.partition.iter().map(|key| input.schema.fields[*key].clone()).collect();
        fields.extend(
            self.measures.iter().map(|(name, measure)| Field { name: name.clone(), ty: measure.rex.ty.clone() }),
        );
        Rel { op: RelOp::Match(Box::new(self)), inputs: vec![input], schema: Schema { fields } }
    }

    /// The text of a physical node.
    pub fn text(&self, names: &[String], form: Form) -> String {
        let list = |columns: &[usize]| columns.iter().map(|c| names[*c].as_str()).collect::<Vec<_>>().join(", ");
        let mut parts = Vec::new();
        if !self.partition.is_empty() {
            parts.push(format!("partitionBy=[{}]", list(&self.partition)));
        }
        let order: Vec<String> = self
            .order
            .iter()
            .map(|key| format!("{} {}", names[key.column], if key.descending { "DESC" } else { "ASC" }))
            .collect();
        parts.push(format!("orderBy=[{}]", order.join(", ")));
        let measures: Vec<String> = self
            .measures
            .iter()
            .map(|(name, measure)| format!("FINAL({}) AS {name}", self.measure_text(measure, names, form)))
            .collect();
        parts.push(format!("measures=[{}]", measures.join(", ")));
        parts.push("rowsPerMatch=[ONE ROW PER MATCH]".into());
        let variable = |i: usize| format!("_UTF-16LE'{}'", self.variables[i].name);
        parts.push(match self.skip {
            SkipTo::NextRow => "after=[SKIP TO NEXT ROW]".into(),
            SkipTo::PastLastRow => "after=[SKIP PAST LAST ROW]".into(),
            SkipTo::First(i) => format!("after=[SKIP TO FIRST {}]", variable(i)),
            SkipTo::Last(i) => format!("after=[SKIP TO LAST {}]", variable(i)),
        });
        let mut pattern = String::new();
        for (i, own) in self.variables.iter().enumerate() {
            let text = match own.quantified {
                true => {
                    let max = own.max.map_or(-1, i64::from);
                    format!("PATTERN_QUANTIFIER({}, {}, {max}, {})", variable(i), own.min, own.reluctant)
                }
                false => variable(i),
            };
            pattern = if i == 0 { text } else { format!("({pattern}, {text})") };
        }
        parts.push(format!("pattern=[{pattern}]"));
        let subsets: Vec<String> = self
            .names
            .iter()
            .filter(|own| own.subset)
            .map(|own| {
                let of: Vec<&str> = own.variables.iter().map(|i| self.variables[*i].name.as_str()).collect();
                format!("{} = ({})", own.name, of.join(", "))
            })
            .collect();
        if !subsets.is_empty() {
            parts.push(format!("subset=[{}]", subsets.join(", ")));
        }
        let defines: Vec<String> = self
            .defines
            .iter()
            .map(|(name, condition)| {
                let values: Vec<String> = condition.values.iter().map(|v| self.define_text(v, name)).collect();
                format!("{name}={}", rex_text(&condition.rex, &values, Form::Physical))
            })
            .collect();
        parts.push(format!("define=[{{{}}}]", defines.join(", ")));
        format!("Match({})", parts.join(", "))
    }

    fn measure_text(&self, measure: &PatternRex, names: &[String], form: Form) -> String {
        let values: Vec<String> = measure
            .values
            .iter()
            .map(|value| match value {
                MatchValue::Cell { name, navigation, offset, column } => {
                    let cell = format!("{}.{}", self.names[*name].name, names[*column]);
                    match navigation {
                        Navigation::Plain => cell,
                        Navigation::Last => format!("LAST({cell}, {offset})"),
                        Navigation::First => format!("FIRST({cell}, {offset})"),
                    }
                }
                other => self.call_text(other, names),
            })
            .collect();
        rex_text(&measure.rex, &values, form)
    }

    fn define_text(&self, value: &MatchValue, own: &str) -> String {
        match value {
            MatchValue::Cell { name, navigation, offset, column } => {
                let name = &self.names[*name].name;
                let function = match navigation {
                    Navigation::Plain if name == own => "PREV",
                    Navigation::Plain | Navigation::Last => "LAST",
                    Navigation::First => "FIRST",
                };
                format!("{function}({name}.${column}, {offset})")
            }
            other => self.call_text(other, &[]),
        }
    }

    fn call_text(&self, value: &MatchValue, names: &[String]) -> String {
        match value {
            MatchValue::Aggregate { name, function, args, .. } => {
                let rows = &self.names[*name].name;
                let column = |column: usize| names.get(column).cloned().unwrap_or_else(|| format!("${column}"));
                let width = names.len().max(64);
                let cells: Vec<String> = (0..width).map(|own| format!("{rows}.{}", column(own))).collect();
                let args: Vec<String> = args.iter().map(|arg| rex_text(arg, &cells, Form::Physical)).collect();
                format!("{}({})", function.name(), args.join(", "))
            }
            MatchValue::Rowtime => "MATCH_ROWTIME()".into(),
            MatchValue::Proctime | MatchValue::Cell { .. } => "MATCH_PROCTIME()".into(),
        }
    }

    /// The node as the job has it.
    ///
    /// # Errors
    /// An expression that the library does not take after all.
    pub fn lower(&self) -> Result<NodeKind, CallError> {
        let variables = self.variables.iter().map(|own| {
            let condition = self.defines.iter().find(|(name, _)| *name == own.name);
            Ok(physical::PatternVariable {
                name: own.name.clone(),
                min: own.min,
                max: own.max,
                greedy: own.quantified && !own.reluctant,
                condition: condition.map(|(_, condition)| self.lowered(condition)).transpose()?,
            })
        });
        let measures = self.measures.iter().map(|(_, measure)| self.lowered(measure));
        Ok(NodeKind::PatternMatch(Box::new(physical::PatternMatch {
            partition: self.partition.clone(),
            rowtime: self.event_time.then(|| self.order[0].column),
            order: self.order[1..].to_vec(),
            variables: variables.collect::<Result<_, CallError>>()?,
            within: self.within.as_ref().map_or(0, |(length, _)| *length),
            skip: self.skip,
            measures: measures.collect::<Result<_, CallError>>()?,
        })))
    }

    /// The variables whose rows a name stands for. As in Flink no row is one of a SUBSET.
    fn rows_of(&self, name: usize) -> Vec<usize> {
        let own = &self.names[name];
        if own.subset { Vec::new() } else { own.variables.clone() }
    }

    fn lowered(&self, rex: &PatternRex) -> Result<physical::PatternExpr, CallError> {
        let values = rex.values.iter().map(|value| {
            Ok(match value {
                MatchValue::Cell { name, navigation, offset, column } => physical::PatternValue::Cell {
                    variables: self.rows_of(*name),
                    from_first: *navigation == Navigation::First,
                    offset: *offset,
                    column: *column,
                },
                MatchValue::Aggregate { name, function, args, ty } => physical::PatternValue::Aggregate {
                    variables: self.rows_of(*name),
                    call: AggregateCall {
                        function: *function,
                        args: (0..args.len()).collect(),
                        filter: None,
                        distinct: false,
                        ty: ty.clone(),
                        name: function.name().into(),
                    },
                    args: args.iter().map(Rex::lower).collect::<Result<_, CallError>>()?,
                },
                MatchValue::Rowtime => physical::PatternValue::Rowtime,
                MatchValue::Proctime => physical::PatternValue::Proctime,
            })
        });
        Ok(physical::PatternExpr { values: values.collect::<Result<_, CallError>>()?, expr: rex.rex.lower()? })
    }

    /// A time attribute of a row is none of a match: only MATCH_ROWTIME() gives one.
    pub fn materialized(mut self) -> Match {
        for (_, measure) in &mut self.measures {
            let values = measure.values.clone();
            let rex = std::mem::replace(&mut measure.rex, Rex::error());
            let bare = rex.as_column();
            let rex = rex.transform(&mut |part| match part.kind {
                RexKind::Column(index) if part.ty.is_rowtime() || part.ty.is_proctime() => {
                    let stays = bare.is_some()
                        && !matches!(values[index], MatchValue::Cell { .. } | MatchValue::Aggregate { .. });
                    let ty = DataType { logical: part.ty.logical.without_time_attribute(), nullable: part.ty.nullable };
                    if stays { part } else { part.typed_as(&ty) }
                }
                _ => part,
            });
            let ty = DataType { logical: plain(&rex, bare, &values), nullable: rex.ty.nullable };
            measure.rex = Rex { ty, ..rex };
        }
        self
    }
}

fn plain(rex: &Rex, bare: Option<usize>, values: &[MatchValue]) -> LogicalType {
    match bare {
        Some(index) if matches!(values[index], MatchValue::Rowtime | MatchValue::Proctime) => rex.ty.logical.clone(),
        _ => rex.ty.logical.without_time_attribute(),
    }
}
