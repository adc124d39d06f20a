//! The question of a pattern, in the form in which keys can be compared with it.

use sortkey_design::model::Op;
use sortkey_design::program::{
    AttributeId, Bind, BindValue, Bound, Conjunct, Entity, EntityId, Expr, ExprKind, LocalId, Pattern,
    Program, Says, TemplateId, Ty,
};

use super::{Given, GivenBy};
use crate::AttributeSet;
use crate::facts::Known;

/// Attributes and stored texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    pub(super) attributes: AttributeSet,
    pub(super) stored: Vec<TemplateId>,
}

/// A pattern as a question about one entity.
#[derive(Clone)]
pub(super) struct Question<'p> {
    pub(super) program: &'p Program,
    pub(super) pattern: &'p Pattern,
    pub(super) entity: EntityId,
    pub(super) of: &'p Entity,
    /// The attributes bound to a known value.
    pub(super) bound: Bounds,
    /// `by name = value` as conditions, for reasoning about sparse indexes.
    bind_conditions: Vec<Expr>,
    /// Optional attributes that only items which have them are asked for.
    pub(super) had: AttributeSet,
    /// That an item is not deleted, unless the pattern includes deleted ones.
    lives: Option<Expr>,
}

impl Bounds {
    pub(super) fn insert(&mut self, bound: Bound) {
        match bound {
            Bound::Attribute(id) => self.attributes.insert(id),
            Bound::Stored(id) => self.stored.push(id),
        }
    }

    pub(super) fn contains(&self, bound: Bound) -> bool {
        match bound {
            Bound::Attribute(id) => self.attributes.contains(id),
            Bound::Stored(id) => self.stored.contains(&id),
        }
    }
}

impl<'p> Question<'p> {
    pub(super) fn new(program: &'p Program, pattern: &'p Pattern, entity: EntityId) -> Question<'p> {
        let of = &program.entities[entity];
        let mut bound = Bounds::default();
        let equal = pattern.conditions.iter().filter_map(|conjunct| match conjunct.says {
            Says::Equal(to) => Some(to),
            _ => None,
        });
        for to in pattern.binds.iter().map(|bind| bind.to).chain(equal) {
            own(program, pattern, to, entity).into_iter().for_each(|to| bound.insert(to));
        }
        let deleted = of.deleted.as_ref().filter(|_| !pattern.with_deleted);
        let not = |deleted: &Expr| Expr {
            kind: ExprKind::Not(Box::new(deleted.clone())),
            ty: Ty::Bool,
            span: deleted.span,
        };
        Question {
            program,
            pattern,
            entity,
            of,
            bound,
            bind_conditions: pattern.binds.iter().filter_map(bind_condition).collect(),
            had: AttributeSet::new(),
            lives: deleted.map(not),
        }
    }

    /// This question, restricted to the items that have some optional attributes.
    pub(super) fn having(&self, attributes: &[AttributeId]) -> Question<'p> {
        Question { had: attributes.iter().copied().collect(), ..self.clone() }
    }

    /// The values known before anything is read, and their origins.
    pub(super) fn given(&self) -> Vec<Given> {
        let binds = self.pattern.binds.iter().enumerate().map(|(at, bind)| match &bind.value {
            BindValue::Parameter(local) => {
                Given { to: bind.to, by: GivenBy::Bind(at), optional: self.may_be_left_out(*local) }
            }
            BindValue::Expr(expr) => {
                Given { to: bind.to, by: GivenBy::Bind(at), optional: self.uses_optional(expr) }
            }
            BindValue::All => Given { to: bind.to, by: GivenBy::Every(at), optional: false },
            BindValue::In(_) => Given { to: bind.to, by: GivenBy::Each(at), optional: false },
        });
        let equal =
            self.pattern.conditions.iter().enumerate().filter_map(|(at, conjunct)| match conjunct.says {
                Says::Equal(to) => {
                    Some(Given { to, by: GivenBy::Condition(at), optional: !conjunct.drops.is_empty() })
                }
                _ => None,
            });
        binds.chain(equal).collect()
    }

    /// The conditions that hold for all items asked for, even if a call leaves parameters out. An attribute that is
    /// compared is present, so its `when` holds too.
    pub(super) fn known(&self) -> Known<'_> {
        let conditions = self.asked().map(|conjunct| &conjunct.expr);
        let asked = self.asked().filter_map(|conjunct| conjunct.says.about());
        let bound = self.bound.attributes.iter().map(Bound::Attribute);
        let stored = self.bound.stored.iter().copied().map(Bound::Stored);
        let whens = bound.chain(stored).chain(asked).filter_map(|present| match present {
            Bound::Attribute(id) => self.of.attributes[id].when.as_ref(),
            Bound::Stored(id) => self.of.templates[id].when.as_ref(),
        });
        let filters = self.pattern.filters.iter().filter(|each| !self.may_be_dropped(each));
        let stated = conditions.chain(filters.map(|each| &each.expr));
        let stated = stated.chain(&self.bind_conditions).chain(&self.lives);
        let conditions = stated.chain(whens.flat_map(Expr::conjuncts)).collect();
        Known { entity: self.of, conditions, present: self.bound.attributes.clone() }
    }

    /// The places of the conditions of `where` that hold for every live item of which some conditions hold and some
    /// attributes are there: an index that holds only such items answers them.
    pub(super) fn answered_by(&self, when: &[&Expr], present: &[AttributeId]) -> Vec<usize> {
        let conditions = when.iter().flat_map(|each| each.conjuncts()).chain(&self.lives).collect();
        let known = Known { entity: self.of, conditions, present: present.iter().copied().collect() };
        let conditions = self.pattern.conditions.iter().enumerate();
        conditions.filter(|(_, each)| known.implies(&each.expr)).map(|(at, _)| at).collect()
    }

    /// The conditions that every call asks.
    pub(super) fn asked(&self) -> impl Iterator<Item = &'p Conjunct> {
        self.pattern.conditions.iter().filter(|conjunct| !self.may_be_dropped(conjunct))
    }

    /// Whether a call may leave out what a condition asks with. A range asks something while it has one of its bounds.
    fn may_be_dropped(&self, conjunct: &Conjunct) -> bool {
        match &conjunct.expr.kind {
            ExprKind::Binary { op: Op::In, right, .. } => match &right.kind {
                ExprKind::Range { low, high } => {
                    low.iter().chain(high).all(|bound| self.uses_optional(bound))
                }
                _ => self.uses_optional(&conjunct.expr),
            },
            _ => self.uses_optional(&conjunct.expr),
        }
    }

    fn uses_optional(&self, expr: &Expr) -> bool {
        let mut found = false;
        expr.walk(&mut |each| {
            found |= matches!(each.kind, ExprKind::Local(local) if self.may_be_left_out(local));
        });
        found
    }

    /// Whether a call may go without a parameter altogether: nothing takes its place.
    pub(super) fn may_be_left_out(&self, local: LocalId) -> bool {
        let parameter = self.pattern.signature.parameters.iter().find(|each| each.local == local);
        parameter.is_some_and(|each| each.optional && each.default.is_none() && each.of_caller.is_none())
    }

    /// The range or prefix asked of something.
    pub(super) fn range_on(&self, of: Bound) -> Option<&'p Conjunct> {
        self.pattern.conditions.iter().find(|conjunct| is_range_on(conjunct, of))
    }

    /// The places of all ranges and prefixes asked of something.
    pub(super) fn ranges_on(&self, of: Bound) -> Vec<usize> {
        let conditions = self.pattern.conditions.iter().enumerate();
        conditions.filter(|(_, conjunct)| is_range_on(conjunct, of)).map(|(at, _)| at).collect()
    }
}

/// The attribute of another entity of a collection that corresponds to a bound one of the first.
fn own(program: &Program, pattern: &Pattern, of_first: Bound, entity: EntityId) -> Option<Bound> {
    let first = *pattern.entities.first()?;
    match of_first {
        Bound::Attribute(id) => program.same_attribute(first, id, entity).map(Bound::Attribute),
        Bound::Stored(id) => (first == entity).then_some(Bound::Stored(id)),
    }
}

fn is_range_on(conjunct: &Conjunct, of: Bound) -> bool {
    matches!(conjunct.says, Says::Range(bound) | Says::Prefix(bound) if bound == of)
}

fn bind_condition(bind: &Bind) -> Option<Expr> {
    let BindValue::Expr(value) = &bind.value else {
        return None;
    };
    let kind = match bind.to {
        Bound::Attribute(id) => ExprKind::Attribute(id),
        Bound::Stored(id) => ExprKind::Stored(id),
    };
    let left = Box::new(Expr { kind, ..Expr::default() });
    let kind = ExprKind::Binary { op: Op::Eq, left, right: Box::new(value.clone()) };
    Some(Expr { kind, ty: Ty::Bool, span: value.span })
}
