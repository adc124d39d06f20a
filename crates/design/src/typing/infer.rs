//! The type of an expression, found from the inside out.

use super::ty::{Kind, Ty, comparable, ordered};
use super::{Typing, Wanted};
use crate::facts::is_time_name;
use crate::model::*;
use crate::problems::MISMATCH;
use sortkey_diagnostics::Span;

impl<'a> Typing<'a, '_> {
    /// The type of an expression. `wanted` is what its place would like, so that the words of enums are understood.
    ///
    /// The parser bounds the height of expressions, so this may recurse.
    pub(super) fn infer(&mut self, expr: &'a Expr, wanted: Option<&'a Type>) -> Ty<'a> {
        match &expr.kind {
            ExprKind::Missing => Ty::Unknown,
            ExprKind::Number { unit, .. } => number(unit),
            ExprKind::Text { .. } => Ty::Literal,
            ExprKind::Name { name } => self.name(name, expr.span, wanted),
            ExprKind::Binary { op, left, right } => self.binary(*op, left, right, expr.span, wanted),
            ExprKind::Not { operand } => {
                self.condition(operand);
                Ty::Bool
            }
            ExprKind::Negative { operand } => self.negative(operand),
            ExprKind::Exists { operand } | ExprKind::Absent { operand } => {
                self.infer(operand, None);
                Ty::Bool
            }
            ExprKind::Range { low, high } => {
                low.iter().chain(high).for_each(|bound| drop(self.infer(bound, wanted)));
                Ty::Unknown
            }
            ExprKind::Member { base, name } => {
                let base = self.infer(base, None);
                self.member(base, name)
            }
            ExprKind::Arrow { base, name } => self.arrow(base, name, expr.span),
            ExprKind::Call { callee, args } => self.call(callee, args, expr.span, wanted),
            ExprKind::Index { base, index } => self.index(base, index),
            ExprKind::With { base, condition } => self.with(base, condition),
            ExprKind::List { elements } => self.list(elements, wanted),
            ExprKind::Object { fields } => {
                fields.fields.iter().for_each(|field| drop(self.infer(&field.value, None)));
                Ty::Map
            }
        }
    }

    fn list(&mut self, elements: &'a [Expr], wanted: Option<&'a Type>) -> Ty<'a> {
        let of = match wanted {
            Some(Type::List { of, .. } | Type::Set { of, .. }) => Some(&**of),
            _ => None,
        };
        let mut known = Ty::Unknown;
        for element in elements {
            let ty = self.infer(element, of);
            if matches!(known, Ty::Unknown) {
                known = ty;
            }
        }
        Ty::List(Box::new(known))
    }

    fn negative(&mut self, operand: &'a Expr) -> Ty<'a> {
        let ty = self.infer(operand, None);
        if !matches!(ty.kind(), Kind::Number | Kind::Duration | Kind::Any) {
            self.push(MISMATCH.at(operand.span, format!("{} has no negative", ty.named())));
            return Ty::Unknown;
        }
        ty
    }

    fn index(&mut self, base: &'a Expr, index: &'a Expr) -> Ty<'a> {
        let base = self.infer(base, None);
        self.infer(index, None);
        match base {
            Ty::Is(Type::Map { of, .. }) => Ty::of(of),
            other => other.element().unwrap_or(Ty::Unknown),
        }
    }

    fn binary(
        &mut self,
        op: Op,
        left: &'a Expr,
        right: &'a Expr,
        span: Span,
        wanted: Option<&'a Type>,
    ) -> Ty<'a> {
        match op {
            Op::Implies | Op::Or | Op::And => {
                self.condition(left);
                self.condition(right);
                Ty::Bool
            }
            Op::Eq | Op::NotEq | Op::Lt | Op::LtEq | Op::Gt | Op::GtEq => {
                self.comparison(op, left, right, span)
            }
            Op::Contains => self.contains(left, right),
            Op::StartsWith => self.starts_with(left, right),
            Op::In => self.one_of(left, right),
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem => {
                let (a, b) = (self.infer(left, wanted), self.infer(right, wanted));
                self.arithmetic(op, &a, &b, span)
            }
        }
    }

    fn comparison(&mut self, op: Op, left: &'a Expr, right: &'a Expr, span: Span) -> Ty<'a> {
        let (a, b) = self.pair(left, right);
        if !(comparable(&a, &b) || is_time(left, &b) || is_time(right, &a)) {
            let title = format!("{} is never compared with {}", a.named(), b.named());
            let problem = MISMATCH.at(span, title).label("always false, or refused");
            let problem = problem.also(left.span, a.named());
            self.push(problem.also(right.span, b.named()));
        } else if !matches!(op, Op::Eq | Op::NotEq) {
            for (ty, at) in [(&a, left.span), (&b, right.span)] {
                if !ordered(ty.kind()) {
                    self.push(MISMATCH.at(at, format!("{} has no order", ty.named())));
                    break;
                }
            }
        }
        Ty::Bool
    }

    /// Two sides of a comparison, each understood in the light of the other.
    fn pair(&mut self, left: &'a Expr, right: &'a Expr) -> (Ty<'a>, Ty<'a>) {
        // A word alone says nothing: look at the other side first.
        if self.is_word(left) {
            let b = self.infer(right, None);
            let a = self.beside(left, &b, right.span);
            return (a, b);
        }
        let a = self.infer(left, None);
        let b = self.beside(right, &a, left.span);
        (a, b)
    }

    /// A side of a comparison whose other side is known.
    fn beside(&mut self, expr: &'a Expr, other: &Ty<'a>, place: Span) -> Ty<'a> {
        let Ty::Is(ty) = other else {
            return self.infer(expr, None);
        };
        match &expr.kind {
            ExprKind::Text { .. } | ExprKind::List { .. } => {
                let wanted = Wanted::compared(ty, place);
                self.want(expr, &wanted);
                Ty::Unknown
            }
            _ => self.infer(expr, Some(ty)),
        }
    }

    fn is_word(&self, expr: &Expr) -> bool {
        expr.as_name().is_some_and(|name| {
            self.scope.local(name).is_none()
                && self.scope.attribute(name).is_none()
                && self.words.contains(name)
        })
    }

    fn contains(&mut self, left: &'a Expr, right: &'a Expr) -> Ty<'a> {
        let whole = self.infer(left, None);
        let element = match &whole {
            Ty::Is(Type::List { of, .. } | Type::Set { of, .. }) => Ty::of(of),
            Ty::List(of) => (**of).clone(),
            Ty::Unknown => Ty::Unknown,
            other if matches!(other.kind(), Kind::Text) => Ty::Text,
            other => {
                let title = format!("{} contains nothing", other.named());
                self.push(MISMATCH.at(left.span, title).note("`contains` looks into text, a list or a set."));
                Ty::Unknown
            }
        };
        let part = self.beside(right, &element, left.span);
        self.must_compare(&element, &part, right.span);
        Ty::Bool
    }

    fn starts_with(&mut self, left: &'a Expr, right: &'a Expr) -> Ty<'a> {
        for (expr, what) in [(left, "begin with anything"), (right, "be a beginning")] {
            let ty = self.infer(expr, None);
            // Days, months and ISO times are stored as text: a month begins its days.
            let text = match &ty {
                Ty::Is(each) => matches!(each.stored(), Stored::S | Stored::B | Stored::Any),
                other => matches!(other.kind(), Kind::Text | Kind::Date | Kind::Month | Kind::Any),
            };
            if !text {
                self.push(MISMATCH.at(expr.span, format!("{} cannot {what}", ty.named())));
            }
        }
        Ty::Bool
    }

    /// `a in low..high`, `a in list`
    fn one_of(&mut self, left: &'a Expr, right: &'a Expr) -> Ty<'a> {
        let value = self.infer(left, None);
        match &right.kind {
            ExprKind::Range { low, high } => {
                if !ordered(value.kind()) {
                    self.push(MISMATCH.at(left.span, format!("{} has no order", value.named())));
                }
                for bound in low.iter().chain(high) {
                    let ty = self.beside(bound, &value, left.span);
                    self.must_compare(&value, &ty, bound.span);
                }
            }
            ExprKind::List { elements } => {
                for element in elements {
                    let ty = self.beside(element, &value, left.span);
                    self.must_compare(&value, &ty, element.span);
                }
            }
            _ => {
                let whole = self.infer(right, None);
                match whole.element() {
                    Some(element) => self.must_compare(&value, &element, right.span),
                    None => {
                        let title =
                            format!("`in` looks into a list, a set or a range, not {}", whole.named());
                        self.push(MISMATCH.at(right.span, title));
                    }
                }
            }
        }
        Ty::Bool
    }

    fn must_compare(&mut self, wanted: &Ty<'a>, given: &Ty<'a>, span: Span) {
        if !comparable(wanted, given) {
            let title = format!("{} is never compared with {}", wanted.named(), given.named());
            self.push(MISMATCH.at(span, title).label(given.named()));
        }
    }

    fn arithmetic(&mut self, op: Op, a: &Ty<'a>, b: &Ty<'a>, span: Span) -> Ty<'a> {
        use Kind::{Any, Date, Duration, List, Number, Text, Time};
        match (op, a.kind(), b.kind()) {
            (_, Any, Any) => Ty::Unknown,
            (Op::Add, List, List | Any) => a.clone(),
            (Op::Add, Any, List) => b.clone(),
            // Element by element: the numbers of a list.
            (_, List, _) | (_, _, List) => {
                let left = a.element().unwrap_or_else(|| a.clone());
                let right = b.element().unwrap_or_else(|| b.clone());
                Ty::List(Box::new(self.arithmetic(op, &left, &right, span)))
            }
            (_, Number, Number | Any) | (_, Any, Number) => Ty::Number,
            (Op::Add, Text, Text | Any) | (Op::Add, Any, Text) => Ty::Text,
            (Op::Add, Duration, Time | Date) => b.clone(),
            (Op::Add | Op::Sub, Time | Date, Duration) => a.clone(),
            (Op::Sub, Time, Time) | (Op::Sub, Date, Date) => Ty::Duration,
            (_, Duration, Duration | Number | Any) | (_, Number | Any, Duration) => Ty::Duration,
            (Op::Add | Op::Sub, Time | Date, Any) | (Op::Add | Op::Sub, Any, Time | Date) => Ty::Unknown,
            _ => {
                let title = format!("`{}` does not join {} and {}", sign(op), a.named(), b.named());
                let mut problem = MISMATCH.at(span, title);
                if matches!((a.kind(), b.kind()), (Time | Date, Number) | (Number, Time | Date)) {
                    problem = problem.note("A length of time has a unit: `30d`, `15m`, `90s`.");
                }
                self.push(problem);
                Ty::Unknown
            }
        }
    }
}

/// Whether a bare number or text is a time by its name, beside something that surely is one.
fn is_time(expr: &Expr, beside: &Ty<'_>) -> bool {
    let name = match &expr.kind {
        ExprKind::Name { name } => name,
        ExprKind::Member { name, .. } => &name.text,
        _ => return false,
    };
    beside.kind() == Kind::Time && is_time_name(name)
}

/// A number with its unit.
fn number<'a>(unit: &str) -> Ty<'a> {
    match unit {
        "ms" | "s" | "m" | "h" | "d" | "w" => Ty::Duration,
        _ => Ty::Number,
    }
}

fn sign(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "/",
        _ => "%",
    }
}
