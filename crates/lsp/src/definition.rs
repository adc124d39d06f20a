//! The declaration of a name.

use sortkey_design::Compilation;
use sortkey_design::model::*;
use sortkey_diagnostics::{FileId, Span};
use sortkey_syntax::{Kind, parse};

/// The name under a position of the open file.
pub(crate) fn name_at(text: &str, offset: u32) -> Option<(String, Span)> {
    let tree = parse(text, FileId(0)).syntax();
    let mut tokens = tree.descendants_with_tokens().filter_map(sortkey_syntax::SyntaxElement::into_token);
    let token = tokens.find(|token| {
        let range = token.text_range();
        let (start, end) = (u32::from(range.start()), u32::from(range.end()));
        token.kind() == Kind::Name && start <= offset && offset <= end
    })?;
    let range = token.text_range();
    let span = Span::new(FileId(0), range.start().into(), range.end().into());
    Some((token.text().trim_matches('`').to_owned(), span))
}

/// The declaration that a name at a place means. Declarations of the whole design come first; attributes are looked for
/// in the entity around the place, then in the entity that a pattern or operation names.
pub(crate) fn definition(compilation: &Compilation, name: &str, at: Span) -> Option<Span> {
    let design = &compilation.design;
    declared(design, name).or_else(|| {
        let around = design.entities.iter().find(|entity| entity.span.contains(at));
        let pattern = design.patterns.iter().find(|pattern| pattern.span.contains(at));
        let read = pattern.and_then(|pattern| design.entity(&pattern.entities.first()?.text));
        let operation = design.operations.iter().find(|operation| operation.span.contains(at));
        let written = operation.and_then(|operation| {
            let sites = sortkey_design::facts::actions(operation);
            let site = sites.iter().find(|site| site.action.span.contains(at)).or(sites.first())?;
            design.entity(&site.action.entity.text)
        });
        let table = design.tables.iter().find(|table| table.span.contains(at));
        let stored = table.and_then(|table| design.entities_in(table).find(|entity| entity.stores(name)));
        [around, read, written, stored].into_iter().flatten().find_map(|entity| attribute(entity, name))
    })
}

fn declared(design: &Design, name: &str) -> Option<Span> {
    let table = design.table(name).map(|each| each.name.span);
    let entity = || design.entity(name).map(|each| each.name.span);
    let enumeration = || design.enumeration(name).map(|each| each.name.span);
    let record = || design.record(name).map(|each| each.name.span);
    let pattern = || design.pattern(name).map(|each| each.name.span);
    let operation = || design.operation(name).map(|each| each.name.span);
    let rule = || design.rule(name).map(|each| each.name.span);
    let index = || {
        let indexes = design.tables.iter().flat_map(|table| &table.indexes);
        indexes.into_iter().find(|index| index.name.is(name)).map(|index| index.name.span)
    };
    entity()
        .or(table)
        .or_else(enumeration)
        .or_else(record)
        .or_else(pattern)
        .or_else(operation)
        .or_else(rule)
        .or_else(index)
}

fn attribute(entity: &Entity, name: &str) -> Option<Span> {
    let template = entity.template(name).map(|template| template.name.span);
    template.or_else(|| entity.attribute(name).map(|attribute| attribute.name.span))
}
