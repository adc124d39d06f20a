//! Descriptions of values that come from a call or from the design.

use sortkey_design::model::Op;
use sortkey_design::program::{Expr, ExprKind, LocalId, Pattern, Program};

/// The names of the locals of a pattern.
pub(super) struct Names<'a> {
    pub(super) program: &'a Program,
    pub(super) pattern: &'a Pattern,
}

impl Names<'_> {
    /// A value: its literal if the design fixes it, otherwise its name, in braces.
    pub(super) fn value(&self, expr: &Expr) -> String {
        literal(expr).unwrap_or_else(|| format!("{{{}}}", self.name(expr)))
    }

    /// The parser bounds how deep expressions nest.
    fn name(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Local(local) => self.local(*local),
            ExprKind::CallerPart(part) => format!("caller.{}", self.program.caller[*part].name),
            ExprKind::Setting(setting) => self.program.settings[*setting].to_string(),
            ExprKind::Now => "now".to_owned(),
            ExprKind::Member { base, name } => format!("{}.{name}", self.name(base)),
            ExprKind::Function { function, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(|each| self.name(each)).collect();
                format!("{}({})", function.word(), arguments.join(", "))
            }
            ExprKind::Binary { op: op @ (Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem), left, right } => {
                let sign = match op {
                    Op::Add => '+',
                    Op::Sub => '-',
                    Op::Mul => '*',
                    Op::Div => '/',
                    _ => '%',
                };
                format!("{} {sign} {}", self.name(left), self.name(right))
            }
            _ => literal(expr).unwrap_or_else(|| "...".to_owned()),
        }
    }

    fn local(&self, local: LocalId) -> String {
        let parameter = self.pattern.signature.parameters.iter().find(|each| each.local == local);
        match parameter {
            Some(each) if each.optional && each.default.is_none() && each.of_caller.is_none() => {
                format!("{}?", each.name)
            }
            Some(each) => each.name.to_string(),
            None => "...".to_owned(),
        }
    }
}

/// A literal of the design.
pub(super) fn literal(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Text(text) => Some(format!("\"{text}\"")),
        ExprKind::Word(word) => Some(format!("\"{word}\"")),
        ExprKind::Number(number) => Some(number.to_string()),
        ExprKind::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}
