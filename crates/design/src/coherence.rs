//! Declarations that contradict each other, or that lead nowhere: each is well formed by itself, and together they would
//! fail at every call, or mean nothing.

use sortkey_diagnostics::{Diagnostic, Span};

use crate::facts::{Source, actions, source, used};
use crate::model::*;
use crate::problems::{ARGUMENT, CIRCLE, DUPLICATE, MISMATCH, UNKNOWN, nearest};
use crate::program::{self, AttributeId, Attributes, ExprKind as Node, Id, Program};

/// Reports what cannot be meant.
pub(crate) fn check(design: &Design, program: &Program, problems: &mut Vec<Diagnostic>) {
    for table in &design.tables {
        key_types(design, table, problems);
        expiry(design, table, problems);
    }
    for (entity, compiled) in design.entities.iter().zip(&program.entities) {
        tenant(design, entity, problems);
        circle(entity, &compiled.attributes, problems);
    }
    for (pattern, compiled) in design.patterns.iter().zip(&program.patterns) {
        length(pattern, problems);
        let unused = |each: &&program::Parameter| !used::by_pattern(compiled, each.local);
        parameters(&pattern.params, &compiled.signature, unused, problems);
    }
    for (operation, compiled) in
        design.operations.iter().zip(&program.operations).filter(|(it, _)| !it.internal)
    {
        let unused = |each: &&program::Parameter| !used::by_operation(compiled, each.local);
        parameters(&operation.params, &compiled.signature, unused, problems);
        receipt(operation, problems);
    }
    for (at, test) in design.tests.iter().enumerate() {
        if let Some(other) = design.tests[..at].iter().find(|other| other.title == test.title) {
            let problem = DUPLICATE.at(test.span, format!("two tests are called \"{}\"", test.title));
            problems.push(problem.also(other.span, "the other one"));
        }
        if test.body.is_empty() {
            let problem = ARGUMENT.at(test.span, format!("the test \"{}\" has no statement", test.title));
            problems.push(
                problem
                    .label("cannot fail")
                    .note("Call something and say what you `expect`, or delete the test."),
            );
        }
    }
}

/// How an entity stores an attribute, and the place of its declaration.
fn kept(design: &Design, entity: &Entity, name: &str) -> Option<(Stored, String, Span)> {
    match source(entity, name)? {
        Source::Template(template) => {
            Some((Stored::S, "text made by a template".to_owned(), template.text_span))
        }
        Source::Natural(attribute) => {
            let ty = design.type_of(attribute);
            Some((ty.stored(), ty.describe(), attribute.type_place()))
        }
    }
}

/// DynamoDB knows one type for each key attribute of a table and its indexes, and refuses every item that has it in another.
fn key_types(design: &Design, table: &Table, problems: &mut Vec<Diagnostic>) {
    let own = std::iter::once(("the key of the table".to_owned(), &table.key));
    let of_indexes =
        table.indexes.iter().map(|index| (format!("part of the key of `{}`", index.name), &index.key));
    let mut seen: Vec<&str> = Vec::new();
    for (what, key) in own.chain(of_indexes) {
        for name in key.attributes() {
            if seen.contains(&name.text.as_str()) {
                continue;
            }
            seen.push(&name.text);
            // What is no scalar is refused by a rule of its own.
            let scalar = |stored: Stored| matches!(stored, Stored::S | Stored::N | Stored::B);
            let all = design
                .entities_in(table)
                .filter_map(|entity| Some((entity, kept(design, entity, &name.text)?)));
            let mut all = all.filter(|(_, (stored, _, _))| scalar(*stored));
            let Some((first, (wanted, said, place))) = all.next() else { continue };
            for (other, (stored, also, at)) in all.filter(|(_, (stored, _, _))| *stored != wanted) {
                let title = format!(
                    "the key attribute `{name}` is {} in `{}`, and {} in `{}`",
                    in_words(stored),
                    other.name,
                    in_words(wanted),
                    first.name
                );
                let note = format!(
                    "DynamoDB has one type for each key attribute, and would refuse every `{}` or every `{}`. Give both one type, or \
                     give one of them another name: an item that lacks the attribute is not in the index.",
                    first.name, other.name
                );
                let problem = MISMATCH.at(at, title).label(format!("{also}: stored as {stored:?}"));
                problems.push(
                    problem
                        .also(place, format!("{said}: stored as {wanted:?}"))
                        .also(name.span, what.clone())
                        .note(note),
                );
            }
        }
    }
}

fn in_words(stored: Stored) -> &'static str {
    match stored {
        Stored::N => "a number",
        Stored::B => "bytes",
        _ => "text",
    }
}

/// The `ttl` of a table is an attribute of one of its entities; otherwise nothing ever expires.
fn expiry(design: &Design, table: &Table, problems: &mut Vec<Diagnostic>) {
    let Some(ttl) = &table.ttl else { return };
    let mut entities = design.entities_in(table).peekable();
    let is_there = |entity: &Entity| entity.attribute(&ttl.text).is_some_and(Attribute::is_stored);
    if entities.peek().is_none() || entities.any(is_there) {
        return;
    }
    let title = format!("no entity of table `{}` has the attribute `{ttl}`, so nothing expires", table.name);
    let mut problem = UNKNOWN.at(ttl.span, title);
    let names =
        design.entities_in(table).flat_map(|entity| &entity.attributes).map(|each| each.name.text.as_str());
    problem = match nearest(&ttl.text, names) {
        Some(near) => problem.label(format!("did you mean `{near}`?")),
        None => problem.label("not an attribute"),
    };
    if let Some(template) = design.entities_in(table).find_map(|entity| entity.template(&ttl.text)) {
        problem = problem.also(template.span, "a template makes text, and only a number of seconds expires");
    }
    problems
        .push(problem.note(format!("Declare it in the entities that expire: `{ttl} time(s) = now + 30d`.")));
}

/// `tenant a` compares the item's `a` with the caller's: a caller without one may do nothing at all.
fn tenant(design: &Design, entity: &Entity, problems: &mut Vec<Diagnostic>) {
    let Some(tenant) = entity.tenant.as_ref().filter(|name| entity.attribute(&name.text).is_some()) else {
        return;
    };
    if design.caller.iter().any(|part| part.name == *tenant) {
        return;
    }
    let reads = |pattern: &&Pattern| {
        !pattern.system
            && !pattern.internal
            && pattern.entities.iter().chain(&pattern.then).any(|name| *name == entity.name)
    };
    let writes = |operation: &&Operation| {
        let sites = actions(operation);
        !operation.system && !operation.internal && sites.iter().any(|site| site.action.entity == entity.name)
    };
    let reader = design.patterns.iter().find(reads).map(|pattern| &pattern.name);
    let Some(user) =
        reader.or_else(|| design.operations.iter().find(writes).map(|operation| &operation.name))
    else {
        return;
    };
    let title = format!("callers have no `{tenant}`, so every call of `{user}` would be `Forbidden`");
    let problem = UNKNOWN
        .at(tenant.span, title)
        .label(format!("compared with `caller.{tenant}`"))
        .also(user.span, "called by callers");
    let note = match design.caller.as_slice() {
        [] => format!(
            "Declare what every call carries: `caller {{ {tenant} ... }}`; or let only the `system` use `{}`.",
            entity.name
        ),
        parts => {
            let names: Vec<String> = parts.iter().map(|part| format!("`{}`", part.name)).collect();
            format!(
                "The caller has {}. Add `{tenant}` to `caller`, or name an attribute that the caller has.",
                names.join(", ")
            )
        }
    };
    problems.push(problem.note(note));
}

/// A derived attribute that is made of itself has no value to begin with.
fn circle(entity: &Entity, attributes: &Attributes, problems: &mut Vec<Diagnostic>) {
    let inputs = |id: AttributeId| -> Vec<AttributeId> {
        let mut found = Vec::new();
        let attribute = &attributes[id];
        for fill in attribute.fill.iter().filter(|_| attribute.is_derived()) {
            fill.value.walk(&mut |each| match &each.kind {
                Node::Attribute(id) => found.push(*id),
                Node::Of { item, attribute } if matches!(item.kind, Node::Item) => found.push(*attribute),
                _ => {}
            });
        }
        found
    };
    let mut done: Vec<AttributeId> = Vec::new();
    for (start, _) in attributes.entries() {
        if done.contains(&start) {
            continue;
        }
        let mut way: Vec<(AttributeId, Vec<AttributeId>)> = vec![(start, inputs(start))];
        while let Some((at, open)) = way.last_mut() {
            let at = *at;
            let Some(next) = open.pop() else {
                way.pop();
                done.push(at);
                continue;
            };
            if let Some(first) = way.iter().position(|(each, _)| *each == next) {
                let names: Vec<&str> = way[first..].iter().map(|(id, _)| &*attributes[*id].name).collect();
                let name = &entity.attributes[next.at()].name;
                let title = format!("`{name}` is derived from itself: {} -> {name}", names.join(" -> "));
                let problem = CIRCLE.at(name.span, title).label("has no value to begin with");
                problems.push(
                    problem.note("Fill one of them with `=` instead of `:=`, and let operations write it."),
                );
                done.extend(way.drain(..).map(|(id, _)| id));
            } else if !done.contains(&next) {
                way.push((next, inputs(next)));
            }
        }
    }
}

/// A list declares the length of its answer once.
fn length(pattern: &Pattern, problems: &mut Vec<Diagnostic>) {
    let said = [
        pattern.page.map(|page| format!("page {page}")),
        pattern.limit.map(|limit| format!("limit {limit}")),
        pattern.all.then(|| "all".to_owned()),
    ];
    let said: Vec<String> = said.into_iter().flatten().map(|each| format!("`{each}`")).collect();
    if said.len() > 1 {
        let title = format!("`{}` says {}", pattern.name, said.join(" and "));
        let note = "`page n` answers n items and a cursor for the next ones, `limit n` the first n and no more, `all` every item: write one of \
                    them. Callers of a paged pattern may ask for shorter pages.";
        problems.push(ARGUMENT.at(pattern.verb_span, title).label("how long is the answer?").note(note));
    }
}

/// A parameter that nothing uses, and that nothing gives a type, is a slip of the pen that callers would have to give.
fn parameters<'p>(
    declared: &[Param],
    signature: &'p program::Signature,
    unused: impl Fn(&&'p program::Parameter) -> bool,
    problems: &mut Vec<Diagnostic>,
) {
    for param in declared.iter().filter(|param| param.ty.is_undeclared() && param.default.is_none()) {
        let Some(id) = signature.find(&param.name.text) else { continue };
        let parameter = &signature.parameters[id];
        if parameter.attribute.is_none() && unused(&parameter) {
            let title = format!("nothing uses the parameter `{}`, and no attribute is called so", param.name);
            let problem = ARGUMENT.at(param.name.span, title).label("callers would have to give it");
            problems.push(problem.note("Use it, or leave it out."));
        }
    }
}

/// A receipt is an item in the table that the operation writes.
fn receipt(operation: &Operation, problems: &mut Vec<Diagnostic>) {
    let Some((by, _)) = &operation.idempotent else { return };
    if !actions(operation).iter().any(|site| site.action.verb.writes()) {
        let title = format!("`{}` writes nothing itself, so it cannot be idempotent", operation.name);
        let problem = ARGUMENT.at(by.span, title).label("where would its receipt be?");
        let note =
            format!("Make the operation that it calls `idempotent by {by}`, and hand `{by}` on to it.");
        problems.push(problem.note(note));
    }
}
