//! The declarations of a design, without their expressions: everything that a name can mean.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::signatures::{effect_signature, operation_signature, pattern_signature, rule_parameters};
use super::types::{Maker, Types, entity_id};
use crate::model::{self, Design};
use crate::program::{
    AliasPiece, Arena, Attribute, AttributeId, Attributes, Check, Effect, EffectKind, Entity, EntityId, Enum,
    Expr, Fill, FilledKey, Flags, Id, Index, KeyPart, Normalize, Object, ObjectId, Operation, Pattern, Piece,
    Program, Reference, Rule, Share, Signature, Source, StoredKey, Table, TableId, Template, TemplateId,
    Tenant, Unique, Volume, Word,
};
use crate::size::typical_bytes;

/// The declarations of a design, and the types that they name.
pub(super) fn program(design: &Arc<Design>) -> (Program, Types<'_>) {
    let mut maker = Maker::new(design);
    let caller = attributes(design, &mut maker, &design.caller);
    let mut program = Program {
        design: Arc::clone(design),
        settings: design.parameters.iter().map(|each| each.name.text.as_str().into()).collect(),
        setting_defaults: design.parameters.iter().map(setting_default).collect(),
        enums: design.enums.iter().map(enumeration).collect(),
        entities: design.entities.iter().map(|each| entity(design, &mut maker, each)).collect(),
        caller,
        ..Program::default()
    };
    program.tables = design.tables.iter().map(|each| table(design, each)).collect();
    make_all(design, &mut maker);
    // Objects are found while types are made; those that their own attributes name come at the end.
    let mut at = 0;
    let mut objects: Vec<Attributes> = Vec::new();
    while at < maker.objects.len() {
        let source = maker.source(ObjectId::new(at));
        objects.push(attributes(design, &mut maker, source));
        at += 1;
    }
    let (types, named) = maker.finish();
    program.objects = named
        .iter()
        .zip(objects)
        .map(|(object, attributes)| Object { name: object.name.clone(), attributes })
        .collect();
    for entity in program.entities.ids() {
        tenant(design, &mut program, entity);
    }
    program.rules = design
        .rules
        .iter()
        .map(|rule| Rule {
            name: rule.name.text.as_str().into(),
            parameters: rule_parameters(design, &program, &types, rule),
            condition: Expr::default(),
        })
        .collect();
    program.patterns = design.patterns.iter().map(|each| pattern(design, &program, &types, each)).collect();
    program.operations =
        design.operations.iter().map(|each| operation(design, &program, &types, each)).collect();
    program.effects = design.effects.iter().map(|each| effect(design, &program, &types, each)).collect();
    names(design, &mut program);
    (program, types)
}

/// Makes the types that only parameters name.
fn make_all<'a>(design: &'a Design, maker: &mut Maker<'a>) {
    let params = design.operations.iter().flat_map(|each| &each.params);
    let params = params.chain(design.patterns.iter().flat_map(|each| &each.params));
    for param in params.chain(design.rules.iter().flat_map(|each| &each.params)) {
        maker.ty(&param.ty);
    }
    for effect in &design.effects {
        effect.params.iter().for_each(|param| drop(maker.ty(&param.ty)));
        maker.ty(&effect.result);
    }
    design.parameters.iter().for_each(|parameter| drop(maker.ty(&parameter.ty)));
}

/// The default of a deployment parameter.
fn setting_default(parameter: &model::Parameter) -> Option<Arc<str>> {
    match &parameter.default.as_ref()?.kind {
        model::ExprKind::Text { value } => Some(value.as_str().into()),
        model::ExprKind::Name { name } => Some(name.as_str().into()),
        model::ExprKind::Number { digits, unit } if unit.is_empty() => Some(digits.as_str().into()),
        _ => None,
    }
}

fn enumeration(each: &model::Enum) -> Enum {
    let words = each
        .members
        .iter()
        .map(|member| Word { name: member.name.text.as_str().into(), constants: Vec::new() });
    Enum { name: each.name.text.as_str().into(), words: words.collect() }
}

fn table(design: &Design, table: &model::Table) -> Table {
    let own = |(_, entity): &(usize, &model::Entity)| entity.table == table.name;
    Table {
        name: table.name.text.as_str().into(),
        deployed: table.deployed.as_ref().unwrap_or(&table.name.text).as_str().into(),
        key: stored_key(&table.key),
        indexes: table.indexes.iter().map(|each| index(table, each)).collect(),
        ttl: table.ttl.as_ref().map(|name| name.text.as_str().into()),
        kind: table.kind.as_ref().map(|name| name.text.as_str().into()),
        entities: design.entities.iter().enumerate().filter(own).map(|(at, _)| EntityId::new(at)).collect(),
    }
}

fn index(table: &model::Table, index: &model::Index) -> Index {
    let own = |name: &model::Name| table.key.contains(&name.text) || table.ttl.as_ref() == Some(name);
    let projects = match &index.projection {
        None | Some(model::Projection::All) => None,
        Some(model::Projection::Keys) => Some(Vec::new()),
        Some(model::Projection::Include(names)) => {
            Some(names.iter().map(|name| name.text.as_str().into()).collect())
        }
    };
    Index {
        name: index.name.text.as_str().into(),
        deployed: index.deployed.clone().unwrap_or_else(|| index.name.text.clone()),
        local: index.local,
        key: stored_key(&index.key),
        projects,
        holds_reserved: index.key.attributes().all(own),
    }
}

fn stored_key(key: &model::Key) -> StoredKey {
    let names = |names: &[model::Name]| names.iter().map(|name| name.text.as_str().into()).collect();
    StoredKey { partition: names(&key.partition), sort: names(&key.sort) }
}

fn entity<'a>(design: &'a Design, maker: &mut Maker<'a>, entity: &'a model::Entity) -> Entity {
    let attributes = attributes(design, maker, &entity.attributes);
    let templates: Arena<TemplateId, Template> =
        entity.templates.iter().map(|each| template(&attributes, each)).collect();
    let table = design.tables.iter().position(|table| table.name == entity.table);
    let filled = |key: &model::Key| filled_key(&attributes, &templates, key);
    let key = table.map(|at| filled(&design.tables[at].key)).unwrap_or_default();
    let indexed = |index: &model::Index| FilledKey {
        copies: copies(&attributes, &templates, index.projection.as_ref()),
        ..filled(&index.key)
    };
    let indexes = table.map(|at| design.tables[at].indexes.iter().map(indexed).collect());
    let ttl = table.and_then(|at| design.tables[at].ttl.as_ref());
    let ids = |names: &[model::Name]| names.iter().filter_map(|name| attributes.find(&name.text)).collect();
    let uniques = entity.uniques.iter().enumerate().filter(|(_, unique)| unique.via.is_none());
    let uniques = uniques.map(|(place, unique)| Unique {
        attributes: ids(&unique.names),
        when: None,
        error: None,
        place,
        is_first: is_first(entity, place),
        guard: guard(unique, is_first(entity, place)),
    });
    Entity {
        name: entity.name.text.as_str().into(),
        table: table.map(TableId::new),
        key_attributes: key_attributes(&templates, &key),
        key,
        indexes: indexes.unwrap_or_default(),
        uniques: uniques.collect(),
        checks: entity.checks.iter().map(|_| Check { condition: Expr::default(), error: None }).collect(),
        tenant: None,
        deleted: None,
        ttl: ttl.and_then(|name| attributes.find(&name.text)).filter(|id| attributes[*id].is_stored()),
        states: Vec::new(),
        volume: volume(design, entity, &attributes),
        attributes,
        templates,
    }
}

fn volume(design: &Design, entity: &model::Entity, attributes: &Attributes) -> Volume {
    let share = |(name, usual, most): &(model::Name, u64, Option<u64>)| {
        Some(Share { attribute: attributes.find(&name.text)?, usual: *usual, most: *most })
    };
    let per = entity.volume.iter().flat_map(|volume| &volume.per).filter_map(share).collect();
    Volume {
        items: entity.volume.as_ref().map(|volume| volume.items),
        bytes: typical_bytes(design, entity),
        per,
    }
}

fn filled_key(
    attributes: &Attributes,
    templates: &Arena<TemplateId, Template>,
    key: &model::Key,
) -> FilledKey {
    let part = |name: &model::Name| KeyPart {
        stored: name.text.as_str().into(),
        source: source(attributes, templates, name),
    };
    FilledKey {
        partition: key.partition.iter().map(part).collect(),
        sort: key.sort.iter().map(part).collect(),
        copies: None,
    }
}

/// The source of a stored attribute, if it has one.
fn source(
    attributes: &Attributes,
    templates: &Arena<TemplateId, Template>,
    name: &model::Name,
) -> Option<Source> {
    let template = templates.entries().find(|(_, each)| name.is(&each.name));
    let natural = || attributes.find(&name.text).filter(|id| attributes[*id].is_stored());
    template.map(|(id, _)| Source::Template(id)).or_else(|| natural().map(Source::Attribute))
}

/// The attributes of an entity that an index copies; none if it copies everything.
fn copies(
    attributes: &Attributes,
    templates: &Arena<TemplateId, Template>,
    projection: Option<&model::Projection>,
) -> Option<Vec<Source>> {
    match projection {
        None | Some(model::Projection::All) => None,
        Some(model::Projection::Keys) => Some(Vec::new()),
        Some(model::Projection::Include(names)) => {
            Some(names.iter().filter_map(|name| source(attributes, templates, name)).collect())
        }
    }
}

fn key_attributes(templates: &Arena<TemplateId, Template>, key: &FilledKey) -> Vec<AttributeId> {
    let mut found = Vec::new();
    for part in key.parts() {
        let slots: Vec<AttributeId> = match part.source {
            Some(Source::Template(id)) => templates[id].slots().collect(),
            Some(Source::Attribute(id)) => vec![id],
            None => Vec::new(),
        };
        for slot in slots {
            if !found.contains(&slot) {
                found.push(slot);
            }
        }
    }
    found
}

fn template(attributes: &Attributes, template: &model::Template) -> Template {
    let piece = |piece: &model::Piece| match piece {
        model::Piece::Literal(text) => Some(Piece::Literal(text.clone())),
        model::Piece::Slot { attribute, format } => {
            Some(Piece::Slot { attribute: attributes.find(&attribute.text)?, format: format.clone() })
        }
    };
    Template {
        name: template.name.text.as_str().into(),
        pieces: template.pieces.iter().filter_map(piece).collect(),
        when: None,
        delimiters: template.delimiters(),
    }
}

/// Attributes with their types, flags and references; their expressions follow.
fn attributes<'a>(design: &'a Design, maker: &mut Maker<'a>, source: &'a [model::Attribute]) -> Attributes {
    let names: Vec<&str> = source.iter().map(|each| each.name.text.as_str()).collect();
    let place = |name: &str| names.iter().position(|each| *each == name).map(AttributeId::new);
    let one = |attribute: &'a model::Attribute| Attribute {
        name: attribute.name.text.as_str().into(),
        ty: maker.attribute(attribute),
        optional: attribute.optional,
        flags: flags(attribute),
        normalize: normalize(attribute),
        encrypted: attribute.annotation("encrypted").map(|annotation| alias(annotation, &place)),
        reference: attribute.reference.as_ref().and_then(|each| reference(design, attribute, each)),
        counts: counts(design, attribute),
        // Only the presence of the expressions is known here; they are filled in later.
        fill: attribute.value.as_ref().map(|fill| Fill { derived: fill.derived, value: Expr::default() }),
        when: attribute.when.as_ref().map(|_| Expr::default()),
        span: attribute.name.span,
    };
    Attributes::new(source.iter().map(one).collect())
}

fn counts(design: &Design, attribute: &model::Attribute) -> Vec<EntityId> {
    let named = attribute.annotation("counts").into_iter().flat_map(|each| &each.args);
    named.filter_map(|(_, argument)| entity_id(design, argument.as_name()?)).collect()
}

fn flags(attribute: &model::Attribute) -> Flags {
    Flags {
        immutable: attribute.has("immutable"),
        transient: attribute.has("transient"),
        computed: attribute.has("virtual"),
        secret: attribute.has("secret"),
        internal: attribute.has("internal"),
        counter: attribute.has("counter"),
        version: attribute.has("version"),
        null: attribute.has("null"),
    }
}

fn normalize(attribute: &model::Attribute) -> Vec<Normalize> {
    let annotation = attribute.annotation("normalize");
    let words =
        annotation.into_iter().flat_map(|each| &each.args).filter_map(|(_, argument)| argument.as_name());
    let step = |word: &str| match word {
        "trim" => Some(Normalize::Trim),
        "lower" => Some(Normalize::Lower),
        "upper" => Some(Normalize::Upper),
        _ => None,
    };
    words.filter_map(step).collect()
}

/// `alias/k-{accountId}` in pieces.
fn alias(annotation: &model::Annotation, place: &dyn Fn(&str) -> Option<AttributeId>) -> Vec<AliasPiece> {
    let Some((_, model::Expr { kind: model::ExprKind::Text { value }, .. })) = annotation.args.first() else {
        return vec![AliasPiece::Literal("alias/sortkey".to_owned())];
    };
    let (mut pieces, mut rest) = (Vec::new(), value.as_str());
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        pieces.push(AliasPiece::Literal(before.to_owned()));
        pieces.extend(place(name).map(AliasPiece::Slot));
        rest = after;
    }
    pieces.push(AliasPiece::Literal(rest.to_owned()));
    pieces
}

fn reference(
    design: &Design,
    attribute: &model::Attribute,
    reference: &model::Reference,
) -> Option<Reference> {
    let entity = entity_id(design, &reference.entity.text)?;
    let target = reference.attribute.as_ref().unwrap_or(&attribute.name);
    let attribute = design.entities[entity.at()].attributes.iter().position(|each| each.name == *target)?;
    Some(Reference {
        entity,
        attribute: AttributeId::new(attribute),
        cascades: reference.on_delete == Some(model::OnDelete::Cascade),
    })
}

fn tenant(design: &Design, program: &mut Program, entity: EntityId) {
    let Some(name) = &design.entities[entity.at()].tenant else { return };
    let Some(attribute) = program.entities[entity].attributes.find(&name.text) else { return };
    let of_caller = program.caller.find(&name.text);
    program.entities[entity].tenant = Some(Tenant { attribute, of_caller });
}

fn pattern(design: &Design, program: &Program, types: &Types<'_>, pattern: &model::Pattern) -> Pattern {
    let entities = pattern.entities.iter().filter_map(|name| entity_id(design, &name.text)).collect();
    let signature = pattern_signature(design, program, types, pattern);
    Pattern {
        name: pattern.name.text.as_str().into(),
        system: pattern.system,
        locals: signature.parameters.len(),
        signature,
        verb: pattern.verb,
        entities,
        summed: Vec::new(),
        binds: Vec::new(),
        conditions: Vec::new(),
        sieve: Vec::new(),
        filters: Vec::new(),
        order: None,
        page: pattern.page,
        limit: pattern.limit,
        all: pattern.all,
        strong: pattern.strong,
        via: None,
        select: None,
        select_names: None,
        then: pattern.then.as_ref().and_then(|name| entity_id(design, &name.text)),
        with_expired: pattern.including_expired.is_some(),
        with_deleted: pattern.including_deleted.is_some(),
        requires: None,
        load: pattern.load,
        docs: pattern.docs.clone(),
    }
}

/// Whether no earlier clause has the same attributes.
fn is_first(entity: &model::Entity, place: usize) -> bool {
    let names = |unique: &model::Unique| unique.names.clone();
    let first = entity.uniques.get(place).map(names);
    entity.uniques.iter().position(|other| Some(names(other)) == first) == Some(place)
}

/// The name of the guards of a clause. It is derived from the text of the design, so that stored guards are found again.
fn guard(unique: &model::Unique, is_first: bool) -> Arc<str> {
    let names: Vec<&str> = unique.names.iter().map(|name| name.text.as_str()).collect();
    let names = names.join(",");
    if is_first {
        return names.into();
    }
    let condition = serde_json::to_string(&unique.when).unwrap_or_default();
    let digest = Sha256::digest(condition.as_bytes());
    let short: String = digest[..4].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{names}?{short}").into()
}

fn operation(
    design: &Design,
    program: &Program,
    types: &Types<'_>,
    operation: &model::Operation,
) -> Operation {
    let signature: Signature = operation_signature(design, program, types, operation);
    Operation {
        name: operation.name.text.as_str().into(),
        system: operation.system,
        locals: signature.parameters.len(),
        signature,
        body: Vec::new(),
        handlers: Vec::new(),
        requires: None,
        idempotent: None,
        load: operation.load,
        docs: operation.docs.clone(),
    }
}

fn effect(design: &Design, program: &Program, types: &Types<'_>, effect: &model::Effect) -> Effect {
    let kind = match &effect.kind {
        model::EffectKind::Http { method, .. } => {
            EffectKind::Http { method: method.text.as_str().into(), url: Expr::default() }
        }
        model::EffectKind::Mail => EffectKind::Mail,
        model::EffectKind::Jwt { keys, .. } => EffectKind::Jwt {
            issuer: Expr::default(),
            audience: Expr::default(),
            keys: keys.as_ref().map(|_| Expr::default()),
        },
        model::EffectKind::Live { .. } => EffectKind::Live { channel: Expr::default() },
        model::EffectKind::Extern => EffectKind::Extern,
        model::EffectKind::Streamed { .. } => EffectKind::Streamed { channel: Expr::default() },
    };
    Effect {
        name: effect.name.text.as_str().into(),
        signature: effect_signature(design, program, types, effect),
        result: types.of(&effect.result),
        kind,
        timeout_ms: effect.timeout_ms,
    }
}

/// Fills the table of names. The name of a pattern or operation hides an equal one in a module.
fn names(design: &Design, program: &mut Program) {
    use crate::program::Callee;
    let mut own = std::collections::HashMap::new();
    let internal = |at: usize| design.operations[at].internal;
    for (id, operation) in program.operations.entries().rev().filter(|(id, _)| !internal(id.at())) {
        own.insert(operation.name.to_string(), Callee::Operation(id));
    }
    let internal = |at: usize| design.patterns[at].internal;
    for (id, pattern) in program.patterns.entries().rev().filter(|(id, _)| !internal(id.at())) {
        own.insert(pattern.name.to_string(), Callee::Pattern(id));
    }
    for module in &design.modules {
        for (exported, target) in &module.entries {
            if let Some(callee) = own.get(&target.text) {
                program.names.entry(format!("{}.{exported}", module.name)).or_insert(*callee);
            }
        }
    }
    program.names.extend(own);
}
