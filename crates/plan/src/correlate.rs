//! Rows beside what a table function makes of them: `CROSS JOIN UNNEST(t.tags)`, and the repeated rows of INTERSECT ALL and EXCEPT ALL.

use tidegate_data::{Field, Schema};
use tidegate_expr::CallError;

use crate::logical::{Rel, RelOp};
use crate::phys::{Phys, PhysKind};
use crate::physical::{NodeKind, TableFunction};
use crate::rex::{Rex, RexKind};
use crate::rules::simplify::simplify_condition;
use crate::text::{Form, rex_text};

/// A table function called for each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Correlate {
    /// The function.
    pub function: TableFunction,
    /// Its arguments, over the input's columns.
    pub args: Vec<Rex>,
    /// Its columns.
    pub columns: Vec<Field>,
    /// What must be true of its columns.
    pub condition: Option<Rex>,
    /// Whether rows stay for which there is none, padded with NULLs.
    pub outer: bool,
}

impl Correlate {
    /// The relation over an input.
    pub fn over(self, input: Rel) -> Rel {
        let mut fields = input.schema.fields.clone();
        fields.extend(self.columns.iter().map(|field| Field {
            name: field.name.clone(),
            ty: if self.outer { field.ty.with_nullable(true) } else { field.ty.clone() },
        }));
        let names = crate::bind::uniquify(fields.iter().map(|field| field.name.clone()).collect());
        fields.iter_mut().zip(names).for_each(|(field, name)| field.name = name);
        Rel { op: RelOp::Correlate(Box::new(self)), inputs: vec![input], schema: Schema { fields } }
    }

    /// The node as the job has it.
    ///
    /// # Errors
    /// An expression that the library does not take after all.
    pub fn lower(&self) -> Result<NodeKind, CallError> {
        Ok(NodeKind::Correlate {
            function: self.function,
            args: self.args.iter().map(Rex::lower).collect::<Result<_, _>>()?,
            condition: self.condition.as_ref().map(Rex::lower).transpose()?,
            outer: self.outer,
        })
    }

    /// Flink's name of the function.
    fn name(&self) -> &'static str {
        match self.function {
            TableFunction::Unnest { ordinality: false, .. } => "$UNNEST_ROWS$1",
            TableFunction::Unnest { ordinality: true, .. } => "$UNNEST_ROWS_WITH_ORDINALITY$1",
            TableFunction::Replicate => "$REPLICATE_ROWS$1",
        }
    }

    /// The text of a physical node.
    pub fn text(&self, node: &Phys, names: &[String], form: Form) -> String {
        let call = |names: &[String], form: Form, between: &str| {
            let args: Vec<String> = self.args.iter().map(|arg| rex_text(arg, names, form)).collect();
            format!("{}({})", self.name(), args.join(between))
        };
        let (invocation, shown) = match self.function {
            TableFunction::Replicate => (call(&[], Form::Tree, ", "), call(names, Form::Physical, ",")),
            TableFunction::Unnest { .. } => {
                let number = correlates(node.input()) + 1;
                let outer: Vec<String> = names.iter().map(|name| format!("$cor{number}.{name}")).collect();
                let call = call(&outer, Form::Physical, ", ");
                (call.clone(), call)
            }
        };
        let _ = form;
        let columns: Vec<String> =
            node.schema.fields.iter().map(|field| format!("{} {}", field.ty.calcite(), field.name)).collect();
        let record = if names.is_empty() { "RecordType:peek_no_expand" } else { "RecordType" };
        let condition = self
            .condition
            .as_ref()
            .map(|c| format!(", condition=[{}]", rex_text(c, &[], Form::Tree)))
            .unwrap_or_default();
        format!(
            "Correlate(invocation=[{invocation}], correlate=[table({shown})], select=[{}], rowType=[{record}({})], joinType=[{}]{condition})",
            node.names().join(","),
            columns.join(", "),
            if self.outer { "LEFT" } else { "INNER" },
        )
    }
}

fn correlates(node: &Phys) -> usize {
    usize::from(matches!(node.kind, PhysKind::Correlate(_))) + node.inputs.iter().map(correlates).sum::<usize>()
}

/// A filter above: what is on the input goes below, what is on the function's columns into the call. `push` goes on below.
pub fn filtered(condition: Rex, mut correlate: Correlate, input: Rel, push: &dyn Fn(Rel) -> Rel) -> Rel {
    let width = input.width();
    let (mut below, mut rest) = (Vec::new(), Vec::new());
    let mut own: Vec<Rex> = correlate.condition.take().into_iter().collect();
    for term in condition.conjuncts() {
        if term.is_constant() || !term.is_deterministic() {
            rest.push(term);
        } else if term.reads_only(|column| column < width) {
            below.push(term);
        } else if !correlate.outer && term.reads_only(|column| column >= width) {
            own.push(term.map_columns(&|column| column - width));
        } else {
            rest.push(term);
        }
    }
    correlate.condition = (!own.is_empty()).then(|| Rex::and(own));
    let input = if below.is_empty() { input } else { push(Rel::filter(input, simplify_condition(Rex::and(below)))) };
    let called = correlate.over(input);
    if rest.is_empty() { called } else { Rel::filter(called, Rex::and(rest)) }
}

/// Whether an argument reads a column of the query around it.
pub fn reads_outer(args: &[Rex]) -> bool {
    args.iter().any(|arg| arg.any(&mut |part| matches!(part.kind, RexKind::Column(_))))
}
