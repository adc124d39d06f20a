//! Expressions, fields and arguments.

use super::Lower;
use crate::model::*;
use sortkey_diagnostics::Span;
use sortkey_syntax::ast::{self, AstNode};

impl Lower<'_> {
    pub(super) fn expr_or_missing(&mut self, expr: Option<&ast::Expr>, hole: Span) -> Expr {
        expr.map_or(Expr { kind: ExprKind::Missing, span: hole }, |expr| self.expr(expr))
    }

    /// The parser bounds the height of expressions, so this may recurse.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        if let ast::Expr::Paren(paren) = expr {
            // Parentheses group; once grouped they mean nothing.
            return self.operand(paren.inner().as_ref(), expr);
        }
        Expr { kind: self.expr_kind(expr), span: self.span(expr.range()) }
    }

    fn expr_kind(&mut self, expr: &ast::Expr) -> ExprKind {
        match expr {
            ast::Expr::Literal(literal) => match (literal.number(), literal.text()) {
                (Some(number), _) => {
                    ExprKind::Number { digits: number.digits(), unit: number.unit().to_owned() }
                }
                (None, Some(text)) => ExprKind::Text { value: text.value() },
                (None, None) => ExprKind::Missing,
            },
            ast::Expr::Name(name) => ExprKind::Name { name: self.name(name.name()).text },
            ast::Expr::Binary(binary) => match binary.op() {
                Some((op, _)) => ExprKind::Binary {
                    op: operator(op),
                    left: self.boxed(binary.left().as_ref(), expr),
                    right: self.boxed(binary.right().as_ref(), expr),
                },
                None => ExprKind::Missing,
            },
            ast::Expr::Unary(unary) => {
                let operand = self.boxed(unary.operand().as_ref(), expr);
                if unary.is_not() { ExprKind::Not { operand } } else { ExprKind::Negative { operand } }
            }
            ast::Expr::Presence(presence) => {
                let operand = self.boxed(presence.operand().as_ref(), expr);
                if presence.exists() { ExprKind::Exists { operand } } else { ExprKind::Absent { operand } }
            }
            ast::Expr::Range(range) => ExprKind::Range {
                low: range.low().map(|low| Box::new(self.expr(&low))),
                high: range.high().map(|high| Box::new(self.expr(&high))),
            },
            ast::Expr::Member(member) => ExprKind::Member {
                base: self.boxed(member.base().as_ref(), expr),
                name: self.name(member.name()),
            },
            ast::Expr::Arrow(arrow) => ExprKind::Arrow {
                base: self.boxed(arrow.base().as_ref(), expr),
                name: self.name(arrow.name()),
            },
            ast::Expr::Call(call) => ExprKind::Call {
                callee: self.boxed(call.callee().as_ref(), expr),
                args: self.args(call.args().as_ref()),
            },
            ast::Expr::Index(index) => ExprKind::Index {
                base: self.boxed(index.base().as_ref(), expr),
                index: self.boxed(index.index().as_ref(), expr),
            },
            ast::Expr::With(with) => ExprKind::With {
                base: self.boxed(with.base().as_ref(), expr),
                condition: self.boxed(with.condition().as_ref(), expr),
            },
            ast::Expr::List(list) => {
                ExprKind::List { elements: list.elements().map(|element| self.expr(&element)).collect() }
            }
            ast::Expr::Object(object) => self.object(object),
            ast::Expr::Do(each) => ExprKind::Do { call: self.boxed(each.call().as_ref(), expr) },
            ast::Expr::Choose(choose) => self.choose(choose, expr),
            ast::Expr::Paren(_) => ExprKind::Missing,
        }
    }

    fn object(&mut self, object: &ast::ObjectExpr) -> ExprKind {
        self.plain_fields(object.fields().as_ref(), "an object");
        ExprKind::Object { fields: self.fields(object.fields().as_ref()) }
    }

    /// The arm `otherwise` covers all other cases, at any position.
    fn choose(&mut self, choose: &ast::ChooseExpr, whole: &ast::Expr) -> ExprKind {
        let (mut arms, mut otherwise) = (Vec::new(), None);
        for arm in choose.arms() {
            let condition = self.operand(arm.condition().as_ref(), whole);
            let value = self.operand(arm.value().as_ref(), whole);
            match condition.is_name("otherwise") {
                true => otherwise = Some(Box::new(value)),
                false => arms.push((condition, value)),
            }
        }
        ExprKind::Choose { arms, otherwise }
    }

    fn boxed(&mut self, operand: Option<&ast::Expr>, whole: &ast::Expr) -> Box<Expr> {
        Box::new(self.operand(operand, whole))
    }

    fn operand(&mut self, operand: Option<&ast::Expr>, whole: &ast::Expr) -> Expr {
        let hole = self.span(whole.range());
        self.expr_or_missing(operand, hole)
    }

    pub(super) fn args(&mut self, args: Option<&ast::Args>) -> Args {
        let Some(args) = args else { return Args::default() };
        Args {
            values: args
                .args()
                .map(|arg| {
                    let hole = self.span(arg.range());
                    let name = arg.name().map(|name| self.name(Some(name)));
                    (name, self.expr_or_missing(arg.value().as_ref(), hole))
                })
                .collect(),
            spreads: args.spreads().map(|spread| self.name(spread.name())).collect(),
            span: self.span(args.range()),
        }
    }

    pub(super) fn fields(&mut self, fields: Option<&ast::Fields>) -> Fields {
        let Some(fields) = fields else {
            return Fields::default();
        };
        Fields {
            fields: fields.fields().map(|field| self.field(&field)).collect(),
            spreads: fields.spreads().map(|spread| self.name(spread.name())).collect(),
            span: self.span(fields.range()),
        }
    }

    fn field(&mut self, field: &ast::Field) -> Field {
        let span = self.span(field.range());
        let path: Vec<Name> = field
            .path()
            .into_iter()
            .flat_map(|path| path.names())
            .map(|name| self.name(Some(name)))
            .collect();
        let (op, value) = match field.value() {
            Some((ast::FieldOp::Set, value)) => (FieldOp::Set, self.expr(&value)),
            Some((ast::FieldOp::Add, value)) => (FieldOp::Add, self.expr(&value)),
            Some((ast::FieldOp::Subtract, value)) => (FieldOp::Subtract, self.expr(&value)),
            None => {
                let name = path.last().map(|name| name.text.clone()).unwrap_or_default();
                (FieldOp::Set, Expr { kind: ExprKind::Name { name }, span })
            }
        };
        Field { path, index: field.index().map(|index| self.expr(&index)), op, value, span }
    }
}

fn operator(op: ast::BinaryOp) -> Op {
    match op {
        ast::BinaryOp::Implies => Op::Implies,
        ast::BinaryOp::Or => Op::Or,
        ast::BinaryOp::And => Op::And,
        ast::BinaryOp::Eq => Op::Eq,
        ast::BinaryOp::NotEq => Op::NotEq,
        ast::BinaryOp::Lt => Op::Lt,
        ast::BinaryOp::LtEq => Op::LtEq,
        ast::BinaryOp::Gt => Op::Gt,
        ast::BinaryOp::GtEq => Op::GtEq,
        ast::BinaryOp::Contains => Op::Contains,
        ast::BinaryOp::StartsWith => Op::StartsWith,
        ast::BinaryOp::In => Op::In,
        ast::BinaryOp::Add => Op::Add,
        ast::BinaryOp::Sub => Op::Sub,
        ast::BinaryOp::Mul => Op::Mul,
        ast::BinaryOp::Div => Op::Div,
        ast::BinaryOp::Rem => Op::Rem,
    }
}
