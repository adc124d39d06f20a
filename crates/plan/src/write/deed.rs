//! The changes of an action to its item, as far as the text of the design determines them: what it sets, what it counts,
//! which states it enters, and why the item may have to be read.

use sortkey_design::model::{FieldOp, Op, WriteVerb};
use sortkey_design::program::{
    Action, AttributeId, Entity, EntityId, Expr, ExprKind, Field, Function, Program, States, Type,
};

use crate::AttributeSet;
use crate::effects::{Change, Effects, arms, effects};
use crate::request::Arm;

/// The changes of an action to its item, as far as the text of the design determines them.
#[derive(Clone, Debug)]
pub(crate) struct Deed {
    pub(crate) entity: EntityId,
    pub(crate) change: Change,
    /// Whether all of that surely happens.
    is_certain: bool,
    /// The attributes that may have to be read in any case:
    /// those of a condition that DynamoDB may be unable to express.
    doubts: AttributeSet,
    /// Its consequences.
    pub(crate) effects: Effects,
    /// The indexes that it can touch.
    pub(crate) arms: Vec<Arm>,
}

impl Deed {
    /// The changes of an action of an operation.
    pub(crate) fn of(program: &Program, action: &Action) -> Deed {
        let entity = &program.entities[action.entity];
        let mut deed = Deed::new(program, action.entity, action.verb);
        deed.gives(entity, action);
        deed.doubts.extend(action.condition.iter().flat_map(|condition| doubtful(entity, condition)));
        if matches!(action.verb, WriteVerb::Update | WriteVerb::Upsert) {
            deed.is_certain = action.takes.is_empty() && action.spreads.is_empty();
        }
        for states in &entity.states {
            deed.enter(states, action);
        }
        deed.completed(program)
    }

    /// The deletion of a child with its parent.
    pub(crate) fn deletion(program: &Program, entity: EntityId) -> Deed {
        Deed::new(program, entity, WriteVerb::Delete).completed(program)
    }

    /// The counting of something by a number of an item.
    pub(crate) fn counting(program: &Program, entity: EntityId, number: AttributeId) -> Deed {
        let mut deed = Deed::new(program, entity, WriteVerb::Update);
        deed.change.moves.insert(number);
        deed.completed(program)
    }

    fn new(program: &Program, entity: EntityId, verb: WriteVerb) -> Deed {
        let known = program.entities[entity].key_attributes.iter().copied().collect();
        let change = Change { verb, known, ..Change::default() };
        let doubts = AttributeSet::new();
        Deed { entity, change, is_certain: true, doubts, effects: Effects::default(), arms: Vec::new() }
    }

    /// Adds what an action names: in its fields, by the short form, and by copying something.
    fn gives(&mut self, entity: &Entity, action: &Action) {
        self.change.sets.extend(action.takes.iter().map(|(id, _)| *id));
        action.fields.iter().for_each(|field| self.written(field));
        if !action.spreads.is_empty() {
            let open =
                entity.attributes.entries().filter(|(_, each)| !each.is_derived() && !each.flags.immutable);
            self.change.sets.extend(open.map(|(id, _)| id));
        }
        if matches!(action.verb, WriteVerb::Update | WriteVerb::Upsert) {
            // The attributes of the key cannot change.
            self.change.sets = self.change.sets.without(&self.change.known);
        }
        // An attribute that is copied and then counted is counted.
        self.change.sets = self.change.sets.without(&self.change.moves);
    }

    fn written(&mut self, field: &Field) {
        let inside = !field.path.inside.is_empty() || field.element.is_some();
        let of_item = Some(&field.value).filter(|value| value.concerns_item());
        self.change.add(field.path.attribute, inside, field.op, of_item);
    }

    /// Adds the fields that are written on entering the state that an action sets;
    /// those of any state if the text leaves it open.
    fn enter(&mut self, states: &States, action: &Action) {
        if !self.change.given().contains(states.path.attribute) {
            return;
        }
        let sets =
            |field: &&Field| field.path == states.path && field.element.is_none() && field.op == FieldOp::Set;
        let value = action.fields.iter().find(sets).map(|field| &field.value.kind);
        let state = match value {
            Some(ExprKind::Word(word)) => Some(word),
            _ => None,
        };
        let enters =
            states.enters.iter().filter(|enter| state.is_none_or(|state| enter.states.contains(state)));
        let fields: Vec<&Field> = enters.flat_map(|enter| &enter.fields).collect();
        self.is_certain &= state.is_some() || fields.is_empty();
        fields.into_iter().for_each(|field| self.written(field));
    }

    /// Adds the consequences that the entity declares: how an item is marked as deleted, that its version counts, which
    /// checks must see the item.
    fn completed(mut self, program: &Program) -> Deed {
        let entity = &program.entities[self.entity];
        if self.change.is_soft(entity) {
            self.change.sets = entity.deleted.iter().flat_map(Expr::attributes).collect();
        }
        if self.change.changes(entity) {
            let version = entity.attributes.entries().filter(|(_, each)| each.flags.version);
            self.change.moves.extend(version.map(|(id, _)| id));
            let given = self.change.given();
            for check in &entity.checks {
                if entity.attributes.deciding(&check.condition).into_iter().any(|id| given.contains(id)) {
                    self.doubts.extend(doubtful(entity, &check.condition));
                }
            }
            let rules = entity.states.iter().flat_map(|states| &states.transitions);
            let rules = rules.filter_map(|transition| transition.condition.as_ref());
            self.doubts.extend(rules.flat_map(|rule| doubtful(entity, rule)));
        }
        self.effects = effects(program, self.entity, &self.change);
        self.arms = arms(program, self.entity, &self.change, &self.effects);
        self
    }

    /// The attributes that are read before the item is written, and whether that certainly happens.
    pub(crate) fn read_back(&self, entity: &Entity) -> (AttributeSet, bool) {
        // A `check` changes nothing, so that nothing follows from what is stored.
        let mut read = match self.change.verb {
            WriteVerb::Check => AttributeSet::new(),
            _ => self.effects.needs.clone(),
        };
        let surely = self.is_certain && !read.is_empty();
        read.join(&self.doubts);
        // Key attributes are listed only if there are no others.
        let keys = entity.key_attributes.iter().copied().collect();
        let beside = read.without(&keys);
        (if beside.is_empty() { read } else { beside }, surely)
    }

    /// Whether it changes an item that is there.
    pub(crate) fn changes(&self, program: &Program) -> bool {
        self.change.changes(&program.entities[self.entity])
    }
}

/// The attributes of a condition that DynamoDB may be unable to express: it computes with the item, or looks into JSON text
/// or at a constant of an enum.
fn doubtful(entity: &Entity, condition: &Expr) -> Vec<AttributeId> {
    let mut odd = false;
    condition.walk(&mut |expr| {
        odd |= match &expr.kind {
            ExprKind::Attribute(id) => entity.attributes.get(*id).is_some_and(|each| each.flags.computed),
            ExprKind::Binary { op: Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem, .. }
            | ExprKind::Negative(_)
            | ExprKind::Arrow { .. }
            | ExprKind::Constant { .. } => expr.concerns_item(),
            ExprKind::Function { function, .. } => *function != Function::Size && expr.concerns_item(),
            ExprKind::Member { base, .. } => match &base.kind {
                // The condition of `with` is about another item.
                ExprKind::Attribute(id) => {
                    entity.attributes.get(*id).is_some_and(|each| matches!(*each.ty, Type::Json { .. }))
                }
                _ => false,
            },
            _ => false,
        };
    });
    if odd { entity.attributes.deciding(condition) } else { Vec::new() }
}
