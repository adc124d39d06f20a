//! The image of an item: attributes filled, derived and dropped as the entity declares, then as they are stored.

use sortkey_design::Program;
use sortkey_design::program::{Attribute, AttributeId, Check, Entity, Expr, ExprKind, Template, Type};
use sortkey_value::{AttributeValue, Item, ItemBuilder, compare_names};

use crate::anatomy::{AttributeInfo, Beside, Settled};
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::seal::Place;
use crate::template;
use crate::values::{Admit, Fields, Val, lacking, store, to_stored};
use crate::{Failure, FailureKind};

/// Room for most items.
const ROOM_BYTES: usize = 1_024;

/// Fills attributes by `=` and `:=`, in order of dependence. Values in `given` are not replaced.
pub(super) fn fill(
    scope: &Scope<'_>,
    info: &EntityInfo,
    given: Fields,
    defaults: bool,
) -> Result<Fields, Failure> {
    let entity = info.of(&scope.shared.program);
    let mut fields = given;
    for settled in &info.anatomy.settled {
        match &settled.constant {
            Some(_) if fields.contains_key(&settled.name) => {}
            Some(_) if !defaults && !is_owed(&entity.attributes[settled.id]) => {}
            Some(constant) => fields.insert(settled.name.clone(), constant.clone()),
            None => settle(scope, info, settled, &entity.attributes[settled.id], &mut fields, defaults)?,
        }
    }
    Ok(fields)
}

fn settle(
    scope: &Scope<'_>,
    info: &EntityInfo,
    settled: &Settled,
    attribute: &Attribute,
    fields: &mut Fields,
    defaults: bool,
) -> Result<(), Failure> {
    let name = &attribute.name;
    if let Some(when) = &attribute.when
        && !scope.holds(when, Some(View::of(info.at, fields)))?
    {
        fields.remove(name);
        return Ok(());
    }
    let Some(fill) = &attribute.fill else { return Ok(()) };
    let is_due = defaults || !attribute.optional && !attribute.flags.transient;
    if !fill.derived && (fields.contains_key(name) || !is_due) {
        return Ok(());
    }
    let value = scope.fill(attribute, &fill.value, View::of(info.at, fields))?;
    // An attribute derived from a missing input (a password that is not given again) stays as it is.
    let is_in_hand = || follows_from_stored(info.of(&scope.shared.program), &fill.value);
    if value.is_absent() && fill.derived && fields.contains_key(name) && !is_in_hand() {
        return Ok(());
    }
    let value = Admit::computed(scope).attribute(attribute, value, name)?;
    match value.is_absent() {
        true => drop(fields.remove(name)),
        false => fields.insert(settled.name.clone(), value),
    }
    Ok(())
}

/// Whether an attribute is filled late, where an item is older than the attribute or its `when` begins to hold: no item may lack
/// it. No item has a transient one: a new key or password would replace what was derived from the first.
fn is_owed(attribute: &Attribute) -> bool {
    !attribute.may_be_absent() && !attribute.flags.transient
}

/// Whether an expression follows from the stored attributes of its item alone.
fn follows_from_stored(entity: &Entity, expr: &Expr) -> bool {
    let mut follows = true;
    expr.walk(&mut |part| match &part.kind {
        ExprKind::Attribute(id) => follows &= entity.attributes[*id].is_stored(),
        ExprKind::Arrow { .. } | ExprKind::Local(_) | ExprKind::Caller | ExprKind::CallerPart(_) => {
            follows = false
        }
        _ => {}
    });
    follows
}

/// Refuses an image that lacks something required.
///
/// An item that lost its set, or never had members in it, may still be changed: `old` is the item as it was.
pub(crate) fn complete(
    scope: &Scope<'_>,
    info: &EntityInfo,
    fields: &Fields,
    old: Option<&Fields>,
) -> Result<(), Failure> {
    let program = &scope.shared.program;
    if !info.anatomy.has_conditions && fields.have_all(&info.anatomy.required) {
        return Ok(());
    }
    for attribute in info.of(program).attributes.iter() {
        let name = &attribute.name;
        let is_set = matches!(*attribute.ty, Type::Set { .. });
        let may_lack = attribute.may_be_absent()
            || !attribute.is_stored()
            || is_set && old.is_some_and(|old| !old.contains_key(name));
        let conditional = match &attribute.when {
            Some(when) => scope.holds(when, Some(View::of(info.at, fields)))? && !attribute.optional,
            None => false,
        };
        if (conditional || !may_lack) && fields.get(name).is_none_or(Val::is_absent) {
            return Err(lacking(name, is_set));
        }
    }
    Ok(())
}

/// Refuses an image that the entity's checks do not allow.
pub(crate) fn checked(scope: &Scope<'_>, info: &EntityInfo, fields: &Fields) -> Result<(), Failure> {
    let checks = &info.of(&scope.shared.program).checks;
    for check in checks {
        if !scope.holds(&check.condition, Some(View::of(info.at, fields)))? {
            return Err(check_failed(&scope.shared.program, info, check));
        }
    }
    Ok(())
}

/// The failure of a check.
pub(crate) fn check_failed(program: &Program, info: &EntityInfo, check: &Check) -> Failure {
    let failure = Failure::new(FailureKind::CheckFailed, format!("a check of {} does not hold", info.name));
    super::declared(program, check.error, failure)
}

/// An image as it is stored: encrypted, encoded, with templates and the entity's name.
pub(crate) fn stored(scope: &Scope<'_>, info: &EntityInfo, fields: &Fields) -> Result<Item, Failure> {
    let program = &scope.shared.program;
    // Names go in as they sort: the builder has nothing to put in order.
    let mut beside = info.anatomy.beside.iter().peekable();
    let mut known = info.anatomy.attributes().iter().peekable();
    let mut item = ItemBuilder::with_capacity(ROOM_BYTES, fields.len() + beside.len());
    let mut text = String::with_capacity(ROOM_BYTES / 8);
    for (name, value) in fields {
        while let Some((earlier, made)) = beside.next_if(|(each, _)| is_before(each, name)) {
            put_beside(scope, info, fields, (earlier, *made), &mut item, &mut text)?;
        }
        // Both ascend, and what is no attribute is not stored.
        while known.next_if(|each| is_before(&each.name, name)).is_some() {}
        let is_it = |each: &&AttributeInfo| each.name.len() == name.len() && !is_before(name, &each.name);
        let Some(attribute) = known.next_if(is_it).filter(|each| each.is_stored) else {
            continue;
        };
        fit_for_key(attribute, value)?;
        if !attribute.is_encrypted {
            store(&mut item, program, name, &attribute.ty, value);
        } else if let Some(sealed) = stored_value(scope, info, attribute.id, value, fields)? {
            item.name(name);
            item.tree(&sealed);
        }
    }
    for (name, made) in beside {
        put_beside(scope, info, fields, (name, *made), &mut item, &mut text)?;
    }
    Ok(item.finish())
}

fn is_before(one: &str, other: &str) -> bool {
    compare_names(one.as_bytes(), other.as_bytes()).is_lt()
}

/// Refuses empty text in a key of the table or of an index, as DynamoDB would.
fn fit_for_key(attribute: &AttributeInfo, value: &Val) -> Result<(), Failure> {
    if !attribute.is_key || !matches!(value, Val::Text(text) if text.is_empty()) {
        return Ok(());
    }
    let name = &*attribute.name;
    Err(Failure::invalid(name, format!("`{name}` is part of a key and cannot be empty")))
}

/// Stores what is no attribute; nothing, where an attribute that a template needs is absent. `text` is scratch.
fn put_beside(
    scope: &Scope<'_>,
    info: &EntityInfo,
    fields: &Fields,
    (name, made): (&str, Beside),
    item: &mut ItemBuilder,
    text: &mut String,
) -> Result<(), Failure> {
    text.clear();
    let is_there = match made {
        Beside::Kind => {
            text.push_str(&info.name);
            true
        }
        Beside::Template(at) => {
            render(scope, info, &info.of(&scope.shared.program).templates[at], fields, text)?
        }
    };
    if is_there {
        item.name(name);
        item.string(text);
    }
    Ok(())
}

/// One attribute as it is stored.
pub(crate) fn stored_value(
    scope: &Scope<'_>,
    info: &EntityInfo,
    id: AttributeId,
    value: &Val,
    fields: &Fields,
) -> Result<Option<AttributeValue>, Failure> {
    let shared = scope.shared;
    let attribute = &info.of(&shared.program).attributes[id];
    fit_for_key(info.anatomy.by_id(id), value)?;
    if attribute.encrypted.is_some() && !matches!(value, Val::Absent | Val::Sealed(_)) {
        let place = Place::of(scope, info, attribute, fields)?;
        let sealed = shared.seals.seal(scope, &place, value, fields)?;
        return Ok(to_stored(&shared.program, &Type::Unknown, &sealed));
    }
    Ok(to_stored(&shared.program, &attribute.ty, value))
}

/// The text of a template; none where its `when` does not hold or an attribute is absent.
pub fn rendered(
    scope: &Scope<'_>,
    info: &EntityInfo,
    template: &Template,
    fields: &Fields,
) -> Result<Option<String>, Failure> {
    let mut text = String::new();
    Ok(render(scope, info, template, fields, &mut text)?.then_some(text))
}

/// Appends the text of a template; false where there is none.
fn render(
    scope: &Scope<'_>,
    info: &EntityInfo,
    template: &Template,
    fields: &Fields,
    text: &mut String,
) -> Result<bool, Failure> {
    if let Some(when) = &template.when
        && !scope.holds(when, Some(View::of(info.at, fields)))?
    {
        return Ok(false);
    }
    let entity = info.of(&scope.shared.program);
    template::fit_to_sort(entity, template, fields)?;
    let pieces = template.pieces.len();
    Ok(template::render_into(entity, template, pieces, fields, text).is_some())
}
