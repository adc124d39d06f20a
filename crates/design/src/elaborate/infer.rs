//! Infers the type of an expression, bottom up.

use std::sync::Arc;

use sortkey_diagnostics::Span;
use sortkey_value::Number;

use super::{Elaboration, Wanted, missing, typed};
use crate::facts::is_time_name;
use crate::model::{self, Op, Stored};
use crate::problems::{MISMATCH, NUMBER};
use crate::program::ty::{comparable, ordered};
use crate::program::{Expr, ExprKind, Kind, Normalize, Ty, Type};

impl<'a> Elaboration<'a, '_> {
    /// An expression with its type. `wanted` is the type that its position prefers,
    /// by which the words of enums are understood.
    ///
    /// The parser bounds the height of expressions, so this may recurse.
    pub(super) fn infer(&mut self, expr: &'a model::Expr, wanted: Option<&Type>) -> Expr {
        let span = expr.span;
        match &expr.kind {
            model::ExprKind::Missing => missing(span),
            model::ExprKind::Number { digits, unit } => self.number(digits, unit, span),
            model::ExprKind::Text { value } => typed(ExprKind::Text(value.clone()), Ty::Literal, span),
            model::ExprKind::Name { name } => self.name(name, span, wanted),
            model::ExprKind::Binary { op, left, right } => self.binary(*op, left, right, span, wanted),
            model::ExprKind::Not { operand } => {
                let operand = self.condition(operand);
                typed(ExprKind::Not(Box::new(operand)), Ty::Bool, span)
            }
            model::ExprKind::Negative { operand } => self.negative(operand, span),
            model::ExprKind::Exists { operand } => {
                let operand = self.infer(operand, None);
                typed(ExprKind::Exists(Box::new(operand)), Ty::Bool, span)
            }
            model::ExprKind::Absent { operand } => {
                let operand = self.infer(operand, None);
                typed(ExprKind::Absent(Box::new(operand)), Ty::Bool, span)
            }
            model::ExprKind::Range { low, high } => {
                let mut bound = |each: &'a Option<Box<model::Expr>>| {
                    each.as_ref().map(|each| Box::new(self.infer(each, wanted)))
                };
                let (low, high) = (bound(low), bound(high));
                typed(ExprKind::Range { low, high }, Ty::Unknown, span)
            }
            model::ExprKind::Member { base, name } => {
                let base = self.infer(base, None);
                self.member(base, name, span)
            }
            model::ExprKind::Arrow { base, name } => self.arrow(base, name, span),
            model::ExprKind::Call { callee, args } => self.call(callee, args, span, wanted),
            model::ExprKind::Index { base, index } => self.index(base, index, span),
            model::ExprKind::With { base, condition } => self.with(base, condition, span),
            model::ExprKind::Do { call } => self.misplaced(call, span),
            model::ExprKind::Choose { arms, otherwise } => {
                self.choose(arms, otherwise.as_deref(), wanted, span)
            }
            model::ExprKind::List { elements } => self.list(elements, wanted, span),
            model::ExprKind::Object { fields } => self.object_inferred(fields, span),
        }
    }

    /// A number in its base unit: milliseconds for durations, bytes for sizes.
    pub(super) fn number(&mut self, digits: &str, unit: &str, span: Span) -> Expr {
        let (factor, ty) = match unit {
            "ms" => (1, Ty::Duration),
            "s" => (1_000, Ty::Duration),
            "m" => (60_000, Ty::Duration),
            "h" => (3_600_000, Ty::Duration),
            "d" => (86_400_000, Ty::Duration),
            "w" => (604_800_000, Ty::Duration),
            "KB" => (1 << 10, Ty::Number),
            "MB" => (1 << 20, Ty::Number),
            "GB" => (1 << 30, Ty::Number),
            "" | "B" => (1, Ty::Number),
            unit => {
                let title = format!("`{unit}` is not a unit");
                let note = "Times are written 500ms, 30s, 15m, 24h, 90d, 2w; sizes 10 KB, 5 MB.";
                self.push(NUMBER.at(span, title).note(note));
                return missing(span);
            }
        };
        match scaled(digits, factor) {
            Some(number) => typed(ExprKind::Number(number), ty, span),
            None => {
                let title = format!("`{digits}{unit}` is not a number that can be kept");
                self.push(NUMBER.at(span, title).note("A number has at most 38 digits."));
                Expr { ty, ..missing(span) }
            }
        }
    }

    fn object_inferred(&mut self, fields: &'a model::Fields, span: Span) -> Expr {
        let mut members = Vec::new();
        for field in &fields.fields {
            let value = self.infer(&field.value, None);
            members.extend(field.path.first().map(|name| (Arc::from(name.text.as_str()), value)));
        }
        let spreads = fields.spreads.iter().filter_map(|name| self.spread(name)).map(|(id, _)| id).collect();
        typed(ExprKind::Object { spreads, members }, Ty::Map, span)
    }

    fn list(&mut self, elements: &'a [model::Expr], wanted: Option<&Type>, span: Span) -> Expr {
        let of = match wanted {
            Some(Type::List { of, .. } | Type::Set { of, .. }) => Some(&**of),
            _ => None,
        };
        let mut known = Ty::Unknown;
        let mut list = Vec::with_capacity(elements.len());
        for element in elements {
            let element = self.infer(element, of);
            if matches!(known, Ty::Unknown) {
                known = element.ty.clone();
            }
            list.push(element);
        }
        typed(ExprKind::List(list), Ty::List(Arc::new(known)), span)
    }

    fn negative(&mut self, operand: &'a model::Expr, span: Span) -> Expr {
        let operand = self.infer(operand, None);
        if !matches!(operand.ty.kind(), Kind::Number | Kind::Duration | Kind::Any) {
            let title = format!("{} has no negative", self.named(&operand.ty));
            self.push(MISMATCH.at(operand.span, title));
            return missing(span);
        }
        let ty = operand.ty.clone();
        typed(ExprKind::Negative(Box::new(operand)), ty, span)
    }

    fn index(&mut self, base: &'a model::Expr, index: &'a model::Expr, span: Span) -> Expr {
        let base = self.infer(base, None);
        let index = self.infer(index, None);
        let ty = match base.ty.declared() {
            Some(Type::Map { of, .. }) => Ty::of(of),
            _ => base.ty.element().unwrap_or(Ty::Unknown),
        };
        typed(ExprKind::Index { base: Box::new(base), index: Box::new(index) }, ty, span)
    }

    fn binary(
        &mut self,
        op: Op,
        left: &'a model::Expr,
        right: &'a model::Expr,
        span: Span,
        wanted: Option<&Type>,
    ) -> Expr {
        let (left, right, ty) = match op {
            Op::Implies | Op::Or | Op::And => (self.condition(left), self.condition(right), Ty::Bool),
            Op::Eq | Op::NotEq | Op::Lt | Op::LtEq | Op::Gt | Op::GtEq => {
                let (left, right) = self.comparison(op, left, right, span);
                (left, right, Ty::Bool)
            }
            Op::Contains => {
                let (left, right) = self.contains(left, right);
                (left, right, Ty::Bool)
            }
            Op::StartsWith => {
                let left = self.beginning(left, "begin with anything");
                let right = self.beginning(right, "be a beginning");
                (left, right, Ty::Bool)
            }
            Op::In => {
                let (left, right) = self.one_of(left, right);
                (left, right, Ty::Bool)
            }
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem => {
                let (left, right) = (self.infer(left, wanted), self.infer(right, wanted));
                let ty = self.arithmetic(op, &left.ty, &right.ty, span);
                if matches!(op, Op::Div | Op::Rem) && is_zero(&right) {
                    let problem = NUMBER.at(span, "nothing can be divided by zero");
                    self.push(problem.label("always refused"));
                }
                (left, right, ty)
            }
        };
        typed(ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) }, ty, span)
    }

    fn comparison(
        &mut self,
        op: Op,
        left: &'a model::Expr,
        right: &'a model::Expr,
        span: Span,
    ) -> (Expr, Expr) {
        let (a, b) = self.pair(left, right);
        if !(comparable(&a.ty, &b.ty) || is_time(left, &b.ty) || is_time(right, &a.ty)) {
            let (one, other) = (self.named(&a.ty), self.named(&b.ty));
            let problem = MISMATCH.at(span, format!("{one} is never compared with {other}"));
            let problem = problem.label("always false, or refused");
            self.push(problem.also(left.span, one).also(right.span, other));
        } else if !matches!(op, Op::Eq | Op::NotEq) {
            for each in [&a, &b] {
                if !ordered(each.ty.kind()) {
                    let title = format!("{} has no order", self.named(&each.ty));
                    self.push(MISMATCH.at(each.span, title));
                    break;
                }
            }
        }
        (a, b)
    }

    /// Two sides of a comparison, each understood in the light of the other.
    fn pair(&mut self, left: &'a model::Expr, right: &'a model::Expr) -> (Expr, Expr) {
        // A word alone has no type: look at the other side first.
        if self.is_word(left) || (is_text(left) && !is_text(right)) {
            let b = self.infer(right, None);
            let steps = self.normalized_as(&b);
            let a = self.beside(left, &b.ty, &steps, right.span);
            return (a, b);
        }
        let a = self.infer(left, None);
        let steps = self.normalized_as(&a);
        let b = self.beside(right, &a.ty, &steps, left.span);
        (a, b)
    }

    /// The steps that normalise what an expression is compared with: those of the attribute that it reads. Stored values have
    /// been through them, so text that has not would never be equal.
    fn normalized_as(&self, expr: &Expr) -> Vec<Normalize> {
        let attribute = match &expr.kind {
            ExprKind::Attribute(id) => self.entity_in_view().map(|entity| (entity, *id)),
            ExprKind::Of { item, attribute } => match &item.ty {
                Ty::Item(entity) => Some((*entity, *attribute)),
                _ => None,
            },
            _ => None,
        };
        let declared =
            attribute.and_then(|(entity, id)| self.program.entities.get(entity)?.attributes.get(id));
        declared.map(|attribute| attribute.normalize.clone()).unwrap_or_default()
    }

    /// A side of a comparison whose other side is known. A literal is normalised and checked like the other side, and
    /// then has its type.
    fn beside(&mut self, expr: &'a model::Expr, other: &Ty, normalize: &[Normalize], place: Span) -> Expr {
        let Ty::Is(ty) = other else {
            return self.infer(expr, None);
        };
        match &expr.kind {
            model::ExprKind::Text { .. } | model::ExprKind::List { .. } => {
                let wanted = Wanted::compared(self.declaring, ty, place).normalized(normalize);
                let expr = self.want(expr, &wanted);
                Expr { ty: Ty::Unknown, ..expr }
            }
            _ => self.infer(expr, Some(ty)),
        }
    }

    fn is_word(&self, expr: &model::Expr) -> bool {
        expr.as_name().is_some_and(|name| {
            self.scope.local(name).is_none()
                && self.attribute_in_view(name).is_none()
                && self.words.contains(name)
        })
    }

    fn contains(&mut self, left: &'a model::Expr, right: &'a model::Expr) -> (Expr, Expr) {
        let whole = self.infer(left, None);
        let element = match &whole.ty {
            Ty::Unknown => Ty::Unknown,
            ty => match (ty.element(), ty.kind()) {
                (Some(element), _) => element,
                (None, Kind::Text) => Ty::Text,
                _ => {
                    let title = format!("{} contains nothing", self.named(ty));
                    self.push(
                        MISMATCH.at(left.span, title).note("`contains` looks into text, a list or a set."),
                    );
                    Ty::Unknown
                }
            },
        };
        let part = self.beside(right, &element, &[], left.span);
        self.must_compare(&element, &part.ty, right.span);
        (whole, part)
    }

    /// A side of `starts with`: days, months and ISO times are stored as text, so a month begins its days.
    fn beginning(&mut self, expr: &'a model::Expr, what: &str) -> Expr {
        let expr = self.infer(expr, None);
        let is_text = match expr.ty.declared() {
            Some(ty) => matches!(ty.stored(), Stored::S | Stored::B | Stored::Any),
            None => matches!(expr.ty.kind(), Kind::Text | Kind::Date | Kind::Month | Kind::Any),
        };
        if !is_text {
            let title = format!("{} cannot {what}", self.named(&expr.ty));
            self.push(MISMATCH.at(expr.span, title));
        }
        expr
    }

    /// `a in low..high`, `a in list`
    fn one_of(&mut self, left: &'a model::Expr, right: &'a model::Expr) -> (Expr, Expr) {
        let value = self.infer(left, None);
        let steps = self.normalized_as(&value);
        let right = match &right.kind {
            model::ExprKind::Range { low, high } => {
                if !ordered(value.ty.kind()) {
                    let title = format!("{} has no order", self.named(&value.ty));
                    self.push(MISMATCH.at(left.span, title));
                }
                let mut bound = |each: &'a Option<Box<model::Expr>>| {
                    each.as_ref().map(|each| Box::new(self.compared(each, &value.ty, &steps, left.span)))
                };
                let (low, high) = (bound(low), bound(high));
                typed(ExprKind::Range { low, high }, Ty::Unknown, right.span)
            }
            model::ExprKind::List { elements } => {
                let list =
                    elements.iter().map(|each| self.compared(each, &value.ty, &steps, left.span)).collect();
                typed(ExprKind::List(list), Ty::List(Arc::new(Ty::Unknown)), right.span)
            }
            _ => {
                let whole = self.infer(right, None);
                match whole.ty.element() {
                    Some(element) => self.must_compare(&value.ty, &element, right.span),
                    None => {
                        let title = format!(
                            "`in` looks into a list, a set or a range, not {}",
                            self.named(&whole.ty)
                        );
                        self.push(MISMATCH.at(right.span, title));
                    }
                }
                whole
            }
        };
        (value, right)
    }

    fn compared(&mut self, expr: &'a model::Expr, with: &Ty, normalize: &[Normalize], place: Span) -> Expr {
        let each = self.beside(expr, with, normalize, place);
        self.must_compare(with, &each.ty, expr.span);
        each
    }

    fn must_compare(&mut self, wanted: &Ty, given: &Ty, span: Span) {
        if !comparable(wanted, given) {
            let (one, other) = (self.named(wanted), self.named(given));
            self.push(MISMATCH.at(span, format!("{one} is never compared with {other}")).label(other));
        }
    }

    fn arithmetic(&mut self, op: Op, a: &Ty, b: &Ty, span: Span) -> Ty {
        use Kind::{Any, Date, Duration, List, Number, Text, Time};
        match (op, a.kind(), b.kind()) {
            (_, Any, Any) => Ty::Unknown,
            (Op::Add, List, List | Any) => a.clone(),
            (Op::Add, Any, List) => b.clone(),
            // Element by element: the numbers of a list.
            (_, List, _) | (_, _, List) => {
                let left = a.element().unwrap_or_else(|| a.clone());
                let right = b.element().unwrap_or_else(|| b.clone());
                Ty::List(Arc::new(self.arithmetic(op, &left, &right, span)))
            }
            (_, Number, Number | Any) | (_, Any, Number) => Ty::Number,
            (Op::Add, Text, Text | Any) | (Op::Add, Any, Text) => Ty::Text,
            (Op::Add, Duration, Time | Date) => b.clone(),
            (Op::Add | Op::Sub, Time | Date, Duration) => a.clone(),
            (Op::Sub, Time, Time) | (Op::Sub, Date, Date) => Ty::Duration,
            (_, Duration, Duration | Number | Any) | (_, Number | Any, Duration) => Ty::Duration,
            (Op::Add | Op::Sub, Time | Date, Any) | (Op::Add | Op::Sub, Any, Time | Date) => Ty::Unknown,
            _ => {
                let title = format!("`{}` does not join {} and {}", sign(op), self.named(a), self.named(b));
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

fn is_zero(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(number) => number.to_i64() == Some(0),
        ExprKind::Negative(operand) => is_zero(operand),
        _ => false,
    }
}

/// Digits times a factor, exactly; none if that has too many digits.
fn scaled(digits: &str, factor: i64) -> Option<Number> {
    let digits = digits.replace('_', "");
    let number = Number::parse(&digits).ok()?;
    if factor == 1 {
        return Some(number);
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let unscaled: i128 = format!("{whole}{fraction}").parse().ok()?;
    let product = unscaled.checked_mul(i128::from(factor))?;
    Number::parse(&format!("{product}E-{}", fraction.len())).ok()
}

/// Whether a bare number or text is a time by its name, beside something that surely is one.
fn is_time(expr: &model::Expr, beside: &Ty) -> bool {
    let name = match &expr.kind {
        model::ExprKind::Name { name } => name,
        model::ExprKind::Member { name, .. } => &name.text,
        _ => return false,
    };
    beside.kind() == Kind::Time && is_time_name(name)
}

fn is_text(expr: &model::Expr) -> bool {
    matches!(expr.kind, model::ExprKind::Text { .. })
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
