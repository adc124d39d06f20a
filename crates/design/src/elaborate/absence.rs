//! Values that may be absent in a position that requires one: an optional parameter, an optional attribute of an item that
//! was read, a `let` without `else`, a `choose` without a matching arm.
//!
//! A value that an earlier condition mentions counts as checked: `require x exists else E`, `when x exists`, an arm of
//! `choose`. So does `coalesce`, unless it chooses among optional parameters only.

use sortkey_diagnostics::Span;

use super::{Elaboration, Wanted};
use crate::model::{self, InputKind, Op, ReadVerb, WriteVerb};
use crate::problems::ABSENT;
use crate::program::{AttributeId, Callee, Expr, ExprKind, Function, Id, LocalId, Ty, Type, Value};

/// A value that may be absent: the reason, and the place where that is declared.
pub(super) struct Lacking {
    said: String,
    /// Whether only the database knows it, once the transaction has happened.
    unsent: bool,
    place: Option<Span>,
}

/// The locals and attributes whose presence the conditions so far have checked.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    locals: Vec<LocalId>,
    attributes: Vec<AttributeId>,
}

impl Asked {
    /// Records that a local is known to be present: the trigger of a worker has a condition of its own.
    pub(super) fn local(&mut self, local: LocalId) {
        self.locals.push(local);
    }

    /// Records the locals and attributes that a condition mentions.
    pub(super) fn about(&mut self, condition: &Expr) {
        condition.walk(&mut |each| match &each.kind {
            ExprKind::Local(local) => self.locals.push(*local),
            ExprKind::Attribute(attribute) => self.attributes.push(*attribute),
            _ => {}
        });
    }
}

impl<'a> Elaboration<'a, '_> {
    /// Refuses a value that may be absent in a position that requires one.
    pub(super) fn must_be_there(&mut self, expr: &Expr, wanted: &Wanted) {
        if self.lenient {
            return;
        }
        if let Some(lacking) = self.may_lack_something(expr) {
            let problem = ABSENT.at(expr.span, "this must always be there, but may be absent");
            let problem = problem.label(lacking.said);
            let problem = match lacking.place {
                Some(place) => problem.also(place, "declared here"),
                None => problem,
            };
            let problem = wanted.show(problem);
            let unsent = "Read it with `let` before the `transact`, write what follows from it (`n: t.n + 1`), and let the transaction \
                          confirm that it has not changed: `update T(k) if n = t.n else Conflict { n += 1 }`.";
            let of_call = "Ask for it before (`require x exists else E`, `let x = ... else E`), or give a default with `coalesce`. \
                           `when` skips writes, not calls and effects: what is done only in some cases is the work of a worker with a \
                           condition (`on create E as e when e.x exists`).";
            let of_write = "Ask for it before (`require x exists else E`, `let x = ... else E`), give a default with `coalesce`, or skip the \
                            statement with `when`.";
            self.push(problem.note(match (lacking.unsent, wanted.is_argument) {
                (true, _) => unsent,
                (_, true) => of_call,
                _ => of_write,
            }));
        }
    }

    /// The part of an expression that may be absent; none if the design rules that out.
    pub(super) fn may_lack_something(&self, expr: &Expr) -> Option<Lacking> {
        let lacking =
            |said: &str, place: Option<Span>| Some(Lacking { said: said.to_owned(), unsent: false, place });
        match &expr.kind {
            ExprKind::Local(local) if self.asked.locals.contains(local) => None,
            ExprKind::Local(local) if self.optional.contains(local) => {
                lacking("an optional parameter", self.optional_parameter(*local))
            }
            ExprKind::Local(local) if self.unsure.contains(local) => {
                let declared = self.scope.locals.iter().find(|each| each.id == *local);
                lacking("a `let` that may have found nothing", declared.map(|each| each.span))
            }
            ExprKind::Of { item, attribute } => {
                if let Some(place) = self.decided_by(item, *attribute) {
                    let said = "not known before the transaction is sent".to_owned();
                    return Some(Lacking { said, unsent: true, place: Some(place) });
                }
                if self.is_asked(item) {
                    return None;
                }
                let Ty::Item(entity) = &item.ty else { return None };
                let declared = &self.program.entities[*entity].attributes[*attribute];
                match declared.optional {
                    true => lacking("an optional attribute", Some(declared.span)),
                    false => self.may_lack_something(item),
                }
            }
            ExprKind::Member { base, name } => self.member_may_lack(base, name),
            ExprKind::Binary { op: Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem, left, right } => {
                self.may_lack_something(left).or_else(|| self.may_lack_something(right))
            }
            ExprKind::Negative(operand) => self.may_lack_something(operand),
            // The absence of one item may imply the presence of another; parameters are independent of each other.
            ExprKind::Function { function: Function::Coalesce, arguments } => {
                let is_parameter = |each: &Expr| matches!(&each.kind, ExprKind::Local(local) if self.optional.contains(local));
                let mut lacking = arguments
                    .iter()
                    .filter(|each| is_parameter(each))
                    .map(|each| self.may_lack_something(each));
                let first = lacking.next().flatten();
                first.filter(|_| arguments.iter().all(is_parameter) && lacking.all(|each| each.is_some()))
            }
            ExprKind::Choose { otherwise: None, .. } => lacking("there may be no choice", None),
            ExprKind::Attribute(id) if !self.asked.attributes.contains(id) => {
                let entity = self.entity_in_view().filter(|_| self.scope.reads_shown)?;
                let declared = &self.program.entities[entity].attributes[*id];
                declared.optional.then(|| Lacking {
                    said: "an optional attribute".to_owned(),
                    unsent: false,
                    place: Some(declared.span),
                })
            }
            _ => None,
        }
    }

    /// Whether a condition has checked what an expression is a part of.
    fn is_asked(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local(local) => self.asked.locals.contains(local),
            ExprKind::Attribute(id) => self.asked.attributes.contains(id),
            ExprKind::Of { item: base, .. }
            | ExprKind::Member { base, .. }
            | ExprKind::Index { base, .. } => self.is_asked(base),
            _ => false,
        }
    }

    /// A member of `new(E)`, of `patch(E)` or of an object that need not be given.
    fn member_may_lack(&self, base: &Expr, name: &str) -> Option<Lacking> {
        if self.is_asked(base) {
            return None;
        }
        let said =
            |said: &str, span: Span| Lacking { said: said.to_owned(), unsent: false, place: Some(span) };
        match base.ty.declared() {
            Some(Type::Input { of: InputKind::Patch, entity }) => {
                let attributes = &self.program.entities[*entity].attributes;
                attributes.find(name).map(|id| said("a patch need not have it", attributes[id].span))
            }
            Some(Type::Input { of: InputKind::New, entity }) => {
                let attributes = &self.program.entities[*entity].attributes;
                let id = attributes.find(name).filter(|id| !attributes[*id].must_be_given())?;
                Some(said("a new item need not have it", attributes[id].span))
            }
            Some(Type::Object(object)) => {
                let attributes = &self.program.objects[*object].attributes;
                match attributes.find(name).filter(|id| attributes[*id].optional) {
                    Some(id) => Some(said("an optional attribute", attributes[id].span)),
                    None => self.may_lack_something(base),
                }
            }
            _ => None,
        }
    }

    /// Whether a `let` may have found nothing: a read of one item without `else`, or an action that `when` may skip.
    pub(super) fn finds_perhaps(&self, value: &Value) -> bool {
        if !self.scope.reads_shown {
            return false;
        }
        match value {
            Value::Action(action) => {
                action.when.is_some() || matches!(action.verb, WriteVerb::Get) && action.error.is_none()
            }
            Value::Expr(expr) => match &expr.kind {
                ExprKind::Call { callee: Callee::Pattern(id), .. } => {
                    self.design.patterns[id.at()].verb == ReadVerb::Get
                }
                _ => self.may_lack_something(expr).is_some(),
            },
        }
    }
}

/// Whether a condition holds because of what an action writes: `status: retrying` and `when status = retrying`, or
/// `when status in [retrying, failed]`. In a new item, attributes that the action does not write have their defaults.
pub(super) fn makes_true(entity: &model::Entity, action: &model::Action, when: &model::Expr) -> bool {
    let model::ExprKind::Binary { op, left, right } = &when.kind else { return false };
    let Some(name) = left.as_name() else { return false };
    let is_new = matches!(action.verb, WriteVerb::Create | WriteVerb::Put);
    let spreads = action.fields.spreads.iter().chain(action.key.iter().flat_map(|args| &args.spreads));
    let value = match action.fields.get(name) {
        Some(field) => Some(&field.value).filter(|_| field.op == model::FieldOp::Set),
        None if is_new && spreads.count() == 0 => {
            entity.attribute(name).and_then(|each| each.value.as_ref()).map(|fill| &fill.value)
        }
        None => None,
    };
    match (op, &right.kind) {
        (Op::Eq, _) => value == Some(&**right),
        (Op::In, model::ExprKind::List { elements }) => value.is_some_and(|value| elements.contains(value)),
        _ => false,
    }
}
