//! Lookup joins: `JOIN d FOR SYSTEM_TIME AS OF o.proctime`, d a table that is asked for rows by their keys.

use std::sync::Arc;

use tidegate_data::Schema;
use tidegate_diag::Diagnostic;
use tidegate_expr::CallError;

use crate::codes::BAD_TEMPORAL;
use crate::join::{join_keys, kind_text};
use crate::logical::{JoinKind, Rel, RelOp, ScanTable};
use crate::lower::table_ref;
use crate::phys::{Phys, PhysKind};
use crate::physical::NodeKind;
use crate::rex::Rex;
use crate::rules::simplify::simplify_condition;
use crate::text::{Form, rex_text};

/// A lookup join; its input is the left side.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup {
    /// Inner or left.
    pub kind: JoinKind,
    /// The table.
    pub scan: Arc<ScanTable>,
    /// Its columns, over the physical ones.
    pub columns: Vec<Rex>,
    /// When a pair matches, over the columns of both sides.
    pub condition: Rex,
}

impl Lookup {
    /// The lookup of `right`, a table as FROM has it; none where it is something else.
    pub fn of(right: &Rel, kind: JoinKind, condition: Rex) -> Option<Lookup> {
        let condition = simplify_condition(condition);
        match &right.op {
            RelOp::WatermarkAssigner { .. } => Lookup::of(right.input(), kind, condition),
            RelOp::Scan(scan) => {
                let columns = (0..right.width()).map(|column| right.column(column)).collect();
                Some(Lookup { kind, scan: Arc::clone(scan), columns, condition })
            }
            RelOp::Project(columns) => match &right.input().op {
                RelOp::Scan(scan) if scan.table.metadata().is_empty() => {
                    Some(Lookup { kind, scan: Arc::clone(scan), columns: columns.clone(), condition })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The relation: the columns of both sides.
    pub fn over(self, left: Rel, right: &Rel) -> Rel {
        let schema = Rel::both_sides(&left.schema, &right.schema, self.kind);
        Rel { op: RelOp::Lookup(Box::new(self)), inputs: vec![left], schema }
    }

    fn width(&self, node: &Phys) -> usize {
        node.input().schema.fields.len()
    }

    /// The node as the job has it.
    ///
    /// # Errors
    /// An expression that the library does not take after all.
    pub fn lower(&self, node: &Phys) -> Result<NodeKind, CallError> {
        let keys = join_keys(&self.condition, self.width(node));
        let (mut pairs, mut rest) = (Vec::new(), keys.rest);
        for (left, right) in keys.left.into_iter().zip(keys.right) {
            let (own, other) = (&node.schema.fields[left].ty, &self.columns[right].ty);
            match self.columns[right].as_column() {
                Some(physical) if own.logical == other.logical => pairs.push((left, physical)),
                _ => {
                    let column = |at: usize| Rex::column(at, node.schema.fields[at].ty.clone());
                    let args = vec![column(left), column(self.width(node) + right)];
                    rest.push(Rex::call("=", args)?);
                }
            }
        }
        Ok(NodeKind::LookupJoin {
            table: table_ref(&self.scan.table),
            keys: pairs,
            columns: self.columns.iter().map(Rex::lower).collect::<Result<_, _>>()?,
            condition: (!rest.is_empty()).then(|| Rex::and(rest).lower()).transpose()?,
            outer: self.kind == JoinKind::Left,
        })
    }

    /// The text of a physical node.
    pub fn text(&self, node: &Phys, form: Form) -> String {
        let names = node.names();
        let width = self.width(node);
        let keys = join_keys(&self.condition, width);
        let own = |column: usize| self.scan.table.columns.get(column).map_or("", |column| column.name.as_str());
        let pairs: Vec<String> = keys
            .left
            .iter()
            .zip(&keys.right)
            .map(|(left, right)| format!("{}={}", own(*right), names[*left]))
            .collect();
        let rest = match keys.rest.is_empty() {
            true => String::new(),
            false => format!(", joinCondition=[{}]", rex_text(&Rex::and(keys.rest), &names, form)),
        };
        format!(
            "LookupJoin(table=[default_catalog.default_database.{}], joinType=[{}], lookup=[{}]{rest}, select=[{}])",
            self.scan.table.name,
            kind_text(self.kind),
            pairs.join(", "),
            names.join(", ")
        )
    }
}

/// A filter above: what is on the left side goes below, the rest of an inner join into its condition. `push` goes on below.
pub fn filtered(condition: Rex, mut lookup: Lookup, left: Rel, schema: Schema, push: &dyn Fn(Rel) -> Rel) -> Rel {
    let width = left.width();
    let (mut below, mut rest, mut own) = (Vec::new(), Vec::new(), vec![lookup.condition.clone()]);
    for term in condition.conjuncts() {
        if term.is_constant() || !term.is_deterministic() {
            rest.push(term);
        } else if term.reads_only(|column| column < width) {
            below.push(term);
        } else if lookup.kind == JoinKind::Inner {
            own.push(term);
        } else {
            rest.push(term);
        }
    }
    lookup.condition = simplify_condition(Rex::and(own));
    let left = if below.is_empty() { left } else { push(Rel::filter(left, simplify_condition(Rex::and(below)))) };
    let joined = Rel { op: RelOp::Lookup(Box::new(lookup)), inputs: vec![left], schema };
    if rest.is_empty() { joined } else { Rel::filter(joined, Rex::and(rest)) }
}

/// Whether the lookup joins of a plan have a key.
///
/// # Errors
/// In Flink's words, where they have not.
pub fn check(node: &Phys) -> Result<(), Diagnostic> {
    if let PhysKind::Lookup(lookup) = &node.kind
        && !join_keys(&lookup.condition, lookup.width(node))
            .right
            .iter()
            .any(|&own| lookup.columns[own].as_column().is_some())
    {
        let message = format!(
            "Temporal table join requires an equality condition on fields of table [default_catalog.default_database.{}].",
            lookup.scan.table.name
        );
        return Err(Diagnostic::error(BAD_TEMPORAL, message).hint("Say in ON which row is meant: ON a.k = b.k."));
    }
    node.inputs.iter().try_for_each(check)
}
