//! Signatures and patterns on the wire.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::form::{Unreadable, Wire, cases, record};
use super::pool::{Reading, Writing};
use crate::model::{Load, ReadVerb};
use crate::program::{self, Arena, AttributeId, EntityId, IndexId, LocalId, ParameterId, TemplateId, Type};

record! {
    /// The parameters and the result of a pattern or an operation.
    Signature {
        /// Its parameters, in the order of positional calls.
        parameters: Arena<ParameterId, program::Parameter>,
        /// Its result.
        yields: program::Yields,
    }
}

record! {
    /// One parameter.
    Parameter {
        /// Its name.
        name: Arc<str>,
        /// Its type.
        ty: Arc<Type>,
        /// Whether a call may leave it out.
        optional: bool,
        /// The part of the caller that is taken if it is left out.
        of_caller: Option<AttributeId>,
        /// The attribute that it corresponds to.
        attribute: Option<(EntityId, AttributeId)>,
        /// Its value if it is left out.
        default: Option<program::Expr>,
        /// Its name in the body.
        local: LocalId,
        /// Whether the design declares it.
        declared: bool,
    }
    places { span }
}

cases! {
    /// The result of a call.
    Yields {
        /// Nothing.
        Nothing,
        /// An item of an entity, or nothing.
        Item(entity: EntityId),
        /// Items of some entities, by pages.
        Page(entities: Vec<EntityId>),
        /// All items of some entities.
        Items(entities: Vec<EntityId>),
        /// A number of items.
        Count,
        /// Whether there is one.
        Exists,
        /// Sums, by name.
        Sums(names: Vec<Arc<str>>),
        /// The value of `return`.
        Value,
    }
}

record! {
    /// A read.
    Pattern {
        /// Its name.
        name: Arc<str>,
        /// Whether it runs without a caller.
        system: bool,
        /// Its parameters and its result.
        signature: program::Signature,
        /// The kind of read.
        verb: ReadVerb,
        /// The entities it reads; the keys are those of the first.
        entities: Vec<EntityId>,
        /// The attributes that `sum` adds up.
        summed: Vec<AttributeId>,
        /// The attributes bound to a known value.
        binds: Vec<program::Bind>,
        /// The conditions of `where`, of the first entity.
        conditions: Vec<program::Conjunct>,
        /// The conditions of `where` and `filter`, for each entity.
        sieve: Vec<Vec<program::Conjunct>>,
        /// The conditions of `filter`, of the first entity.
        filters: Vec<program::Conjunct>,
        /// The order.
        order: Option<program::Order>,
        /// Items per page.
        page: Option<u64>,
        /// Items at most.
        limit: Option<u64>,
        /// Whether it follows pages to the end.
        all: bool,
        /// Whether it asks for strong consistency.
        strong: bool,
        /// The index it is pinned to.
        via: Option<IndexId>,
        /// The attributes it returns.
        select: Option<Vec<AttributeId>>,
        /// Their names, with those that only its further entities have.
        select_names: Option<Vec<Arc<str>>>,
        /// The entity that is fetched next.
        then: Option<EntityId>,
        /// Whether expired items come back.
        with_expired: bool,
        /// Whether deleted items come back.
        with_deleted: bool,
        /// The condition on the caller.
        requires: Option<program::Expr>,
        /// How often it runs.
        load: Option<Load>,
        /// How many locals its expressions use.
        locals: usize,
        /// The text of its documentation comment.
        docs: Option<String>,
    }
}

record! {
    /// `name`, `name = value` or `name in values`.
    Bind {
        /// The bound name.
        to: program::Bound,
        /// Its value.
        value: program::BindValue,
    }
}

cases! {
    /// The target of a binding.
    Bound {
        /// An attribute.
        Attribute(id: AttributeId),
        /// The stored text of a template.
        Stored(id: TemplateId),
    }
}

cases! {
    /// The value of a binding.
    BindValue {
        /// A parameter.
        Parameter(local: LocalId),
        /// An expression.
        Expr(expr: program::Expr),
        /// Every value of its bounded type, one query each.
        All,
        /// Each element of a list.
        In(list: program::Expr),
    }
}

record! {
    /// One condition.
    Conjunct {
        /// The condition.
        expr: program::Expr,
        /// The optional parameters that it uses: left out, they drop it.
        drops: Vec<LocalId>,
        /// Its restriction of one attribute.
        says: program::Says,
    }
}

cases! {
    /// The restriction of one attribute or stored text by a condition.
    Says {
        /// `a = x`
        Equal(to: program::Bound),
        /// One stretch of the order.
        Range(of: program::Bound),
        /// `a starts with x`
        Prefix(of: program::Bound),
        /// `a exists`
        Exists(of: program::Bound),
        /// Anything else.
        Other,
    }
}

record! {
    /// The order of a list.
    Order {
        /// The attribute of `order by`; null for `newest first` and `oldest first`.
        by: Option<AttributeId>,
        /// Whether the largest comes first.
        descending: bool,
    }
}
