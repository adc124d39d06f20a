//! The compiled program: a design with every name resolved, every expression typed and every call bound.
//!
//! It is made once, by [`elaborate`](crate::elaborate), from a [`Design`], and is immutable. The checker, the planner,
//! the runtime and the generators of documents all read it, so that they agree. Names are left only where they are data:
//! in the arguments of a call or in a table.

mod calls;
mod entity;
mod expression;
mod ids;
mod live;
mod migration;
mod says;
pub(crate) mod ty;
mod types;

pub use calls::*;
pub use entity::*;
pub use expression::*;
pub use ids::*;
pub use live::*;
pub use migration::*;
pub use says::Says;
pub use ty::{Kind, Ty};
pub use types::*;

use std::collections::HashMap;
use std::sync::Arc;

use crate::Design;

/// A compiled design.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The design it was made from: places, documentation, volumes.
    pub design: Arc<Design>,
    /// Deployment parameters, by name.
    pub settings: Arena<SettingId, Arc<str>>,
    /// Their values where a deployment gives none.
    pub setting_defaults: Arena<SettingId, Option<Arc<str>>>,
    /// Declared enums.
    pub enums: Arena<EnumId, Enum>,
    /// Records and object types.
    pub objects: Arena<ObjectId, Object>,
    /// The attributes of a caller.
    pub caller: Attributes,
    /// The tables.
    pub tables: Arena<TableId, Table>,
    /// The entities.
    pub entities: Arena<EntityId, Entity>,
    /// Conditions on callers.
    pub rules: Arena<RuleId, Rule>,
    /// Reads.
    pub patterns: Arena<PatternId, Pattern>,
    /// Writes.
    pub operations: Arena<OperationId, Operation>,
    /// An effect outside of the database.
    pub effects: Arena<EffectId, Effect>,
    /// A worker.
    pub workers: Arena<WorkerId, Worker>,
    /// Paths of HTTP requests.
    pub routes: Arena<RouteId, Route>,
    /// How callers are recognised.
    pub sessions: Arena<SessionId, Session>,
    /// Tests.
    pub tests: Vec<Test>,
    /// Mappings from earlier designs. They are not part of the wire format: only the compiler's own process migrates.
    pub migrations: Vec<Migration>,
    /// The names of errors.
    pub errors: Arena<ErrorId, Arc<str>>,
    /// The names that calls may use: patterns and operations by their own names, and `module.name`.
    pub names: HashMap<String, Callee>,
}

impl Program {
    /// The pattern or operation that a call names.
    pub fn callee(&self, name: &str) -> Option<Callee> {
        self.names.get(name).copied()
    }

    /// The parameters and the result of a pattern or operation.
    pub fn signature(&self, callee: Callee) -> &Signature {
        match callee {
            Callee::Pattern(id) => &self.patterns[id].signature,
            Callee::Operation(id) => &self.operations[id].signature,
            Callee::Effect(id) => &self.effects[id].signature,
        }
    }

    /// The name of a pattern or operation.
    pub fn name(&self, callee: Callee) -> &Arc<str> {
        match callee {
            Callee::Pattern(id) => &self.patterns[id].name,
            Callee::Operation(id) => &self.operations[id].name,
            Callee::Effect(id) => &self.effects[id].name,
        }
    }

    /// Whether a pattern or operation runs without a caller.
    pub fn is_system(&self, callee: Callee) -> bool {
        match callee {
            Callee::Pattern(id) => self.patterns[id].system,
            Callee::Operation(id) => self.operations[id].system,
            Callee::Effect(_) => true,
        }
    }

    /// The documentation comment of a pattern or operation.
    pub fn docs(&self, callee: Callee) -> Option<&str> {
        match callee {
            Callee::Pattern(id) => self.patterns[id].docs.as_deref(),
            Callee::Operation(id) => self.operations[id].docs.as_deref(),
            Callee::Effect(_) => None,
        }
    }

    /// Everything that can be called, patterns first.
    pub fn callees(&self) -> impl Iterator<Item = Callee> + '_ {
        let all =
            self.patterns.ids().map(Callee::Pattern).chain(self.operations.ids().map(Callee::Operation));
        // The operations of workers, routes and sessions have no name that a call could use.
        all.filter(|callee| self.names.contains_key(&**self.name(*callee)))
    }

    /// The attribute of another entity that has the same name: what `by` and `order by` mean in a collection.
    pub fn same_attribute(
        &self,
        from: EntityId,
        attribute: AttributeId,
        to: EntityId,
    ) -> Option<AttributeId> {
        match from == to {
            true => Some(attribute),
            false => self.entities[to].attributes.find(&self.entities[from].attributes[attribute].name),
        }
    }

    /// The table of an entity.
    pub fn table_of(&self, entity: EntityId) -> Option<&Table> {
        self.entities[entity].table.and_then(|id| self.tables.get(id))
    }
}

impl Program {
    /// The program of a design that is known to compile, or that a mutation made of one.
    pub fn of(design: &Arc<Design>) -> Program {
        crate::elaborate::elaborate(design, &mut Vec::new())
    }
}
