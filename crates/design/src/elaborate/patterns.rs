//! The expressions of patterns, and their conditions in the form in which keys can answer them.

use super::scope::{ItemScope, Scope};
use super::{Elaboration, missing};
use crate::facts;
use crate::model;
use crate::problems::MISMATCH;
use crate::program::{
    Bind, BindValue, Bound, Conjunct, EntityId, Expr, ExprKind, Id, IndexId, LocalId, Order, Pattern, Says,
    Ty, Type,
};

impl<'a> Elaboration<'a, '_> {
    /// A pattern with its expressions.
    pub(super) fn pattern(&mut self, source: &'a model::Pattern, declared: &'a Pattern) -> Pattern {
        let mut pattern = declared.clone();
        let Some(first) = pattern.entities.first().copied() else { return pattern };
        self.locals = declared.signature.parameters.len();
        for (id, parameter) in declared.signature.parameters.entries() {
            pattern.signature.parameters[id].default = self.parameter_default(&source.params, parameter);
        }
        let mut scope = Scope::of_parameters(&declared.signature.parameters, source.system);
        pattern.binds = self.within(scope.clone(), |typing| {
            source.binds.iter().filter_map(|bind| typing.bind_of(first, bind)).collect()
        });
        // In a condition a bare name is the item's attribute, unless a declared parameter hides it.
        let hides = |local: &super::scope::Local| source.param(&local.name).is_some();
        scope.locals.retain(hides);
        let optional: Vec<LocalId> = declared
            .signature
            .parameters
            .iter()
            .filter(|each| each.optional && source.param(&each.name).is_some_and(|param| param.optional))
            .map(|each| each.local)
            .collect();
        for entity in pattern.entities.clone() {
            scope.item = Some(ItemScope::Entity(entity));
            scope.lacking = (entity != first).then_some(first);
            let (conditions, filters) = self.within(scope.clone(), |typing| {
                let read = |typing: &mut Self| {
                    let conditions = typing.conditions(entity, source, &optional);
                    let filters = source.filters().into_iter();
                    let filters: Vec<Conjunct> = filters
                        .map(|expr| {
                            let expr = typing.condition(expr);
                            conjunct(expr, &optional)
                        })
                        .collect();
                    (conditions, filters)
                };
                // Mistakes in the condition were reported for the first entity.
                if entity == first { read(typing) } else { typing.silently(read) }
            });
            pattern.sieve.push(conditions.iter().chain(&filters).cloned().collect());
            if entity == first {
                (pattern.conditions, pattern.filters) = (conditions, filters);
            }
        }
        pattern.requires = source.requires.as_ref().map(|requires| {
            let mut scope = Scope::of_parameters(&declared.signature.parameters, source.system);
            scope.item = Some(ItemScope::Entity(first));
            self.within(scope, |typing| typing.condition(requires))
        });
        self.named_parts(source, first, &mut pattern);
        self.order_of(source, first, &pattern);
        pattern
    }

    /// The words of an enum have no declared order: keys would sort them by letter.
    fn order_of(&mut self, source: &model::Pattern, first: EntityId, pattern: &Pattern) {
        let name = source.order.as_ref().and_then(|order| order.by.as_ref());
        let (Some(name), Some(by)) = (name, pattern.order.as_ref().and_then(|order| order.by)) else {
            return;
        };
        let attribute = &self.program.entities[first].attributes[by];
        if matches!(*attribute.ty, Type::Enum { .. } | Type::Bool) {
            let ty = attribute.ty.clone();
            let title = format!("{} has no order", self.named(&Ty::Is(ty)));
            let note = "Store a number that says it, such as `rank int(0..9)`, and order by that.";
            self.push(MISMATCH.at(name.span, title).label("a key would sort the words by letter").note(note));
        }
    }

    /// Resolves the parts of a pattern that are names, not expressions.
    fn named_parts(&mut self, source: &model::Pattern, first: EntityId, pattern: &mut Pattern) {
        let attributes = &self.program.entities[first].attributes;
        let ids =
            |names: &[model::Name]| names.iter().filter_map(|name| attributes.find(&name.text)).collect();
        pattern.summed = ids(&source.summed);
        pattern.select = source.select.as_ref().map(|names| ids(names));
        let text = |names: &Vec<model::Name>| names.iter().map(|name| name.text.as_str().into()).collect();
        pattern.select_names = source.select.as_ref().map(text);
        pattern.order = source.order.as_ref().map(|order| Order {
            by: order.by.as_ref().and_then(|name| attributes.find(&name.text)),
            descending: order.descending,
        });
        pattern.via = source.via.as_ref().and_then(|via| {
            let table = self.program.entities[first].table?;
            let indexes = &self.program.tables[table].indexes;
            indexes.entries().find(|(_, index)| via.is(&index.name)).map(|(id, _): (IndexId, _)| id)
        });
    }

    fn conditions(
        &mut self,
        entity: EntityId,
        source: &'a model::Pattern,
        optional: &[LocalId],
    ) -> Vec<Conjunct> {
        let of = &self.design.entities[entity.at()];
        let mut found = Vec::new();
        for expr in source.conditions() {
            // An attribute that does not exist has a rule of its own.
            let strange = facts::condition(expr)
                .attribute()
                .is_some_and(|name| !of.stores(name) && of.attribute(name).is_none());
            let condition = match strange && self.scope.lacking.is_none() {
                true => missing(expr.span),
                false => self.condition(expr),
            };
            found.push(conjunct(condition, optional));
        }
        found
    }

    fn bind_of(&mut self, entity: EntityId, bind: &'a model::Bind) -> Option<Bind> {
        let of = &self.program.entities[entity];
        let to = match of.attributes.find(&bind.name.text) {
            Some(id) => Bound::Attribute(id),
            None => {
                let template = of.templates.entries().find(|(_, each)| bind.name.is(&each.name));
                Bound::Stored(template?.0)
            }
        };
        let wanted = self.wanted_of(entity, &bind.name.text);
        let value = match &bind.value {
            model::BindValue::Parameter => {
                BindValue::Parameter(self.scope.local(&bind.name.text).map(|local| local.id)?)
            }
            model::BindValue::All => BindValue::All,
            model::BindValue::Expr(expr) => BindValue::Expr(match &wanted {
                Some(wanted) => self.want(expr, wanted),
                None => self.infer(expr, None),
            }),
            model::BindValue::In(list) => {
                let list = self.infer(list, None);
                match (list.ty.element(), &wanted) {
                    (Some(element), Some(wanted)) if !self.fits(&wanted.ty, &element) => {
                        self.mismatch(&element, list.span, wanted);
                    }
                    (Some(_), _) => {}
                    (None, _) => {
                        let title = format!("`in` needs a list or a set, not {}", self.named(&list.ty));
                        self.push(MISMATCH.at(list.span, title));
                    }
                }
                BindValue::In(list)
            }
        };
        Some(Bind { to, value })
    }
}

/// A condition, classified by how it restricts one attribute.
pub(super) fn conjunct(expr: Expr, optional: &[LocalId]) -> Conjunct {
    let mut drops = Vec::new();
    let is_range =
        matches!(&expr.kind, ExprKind::Binary { right, .. } if matches!(right.kind, ExprKind::Range { .. }));
    if !is_range {
        expr.walk(&mut |each| match &each.kind {
            ExprKind::Local(id) if optional.contains(id) && !drops.contains(id) => drops.push(*id),
            _ => {}
        });
    }
    let says = Says::of(&expr);
    Conjunct { expr, drops, says }
}
