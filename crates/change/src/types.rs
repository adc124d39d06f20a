//! Whether the values of an old type are values of a new one.

use sortkey_design::Program;
use sortkey_design::model::StringFormat;
use sortkey_design::program::{Attributes, EntityId, ObjectId, Type, Words};

use crate::form::{reads, type_form};
use crate::show::type_text;

/// How the values of two types relate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Equal values in an equal form.
    Same,
    /// Every old value is a new one.
    Wider,
    /// Some old values are not; the reasons.
    Narrower(Vec<String>),
    /// Values are stored in another form; the reasons.
    OtherForm(Vec<String>),
}

/// Compares a type of the old version with one of the new version.
pub(crate) fn fit(old: (&Program, &Type), new: (&Program, &Type)) -> Fit {
    Pair { old: old.0, new: new.0, open: Vec::new() }.types(old.1, new.1)
}

/// Two programs whose types are compared.
struct Pair<'a> {
    old: &'a Program,
    new: &'a Program,
    /// Objects that are being compared: a record may contain itself.
    open: Vec<(ObjectId, ObjectId)>,
}

impl Pair<'_> {
    fn types(&mut self, old: &Type, new: &Type) -> Fit {
        match (old, new) {
            (Type::Unknown, _) | (_, Type::Unknown) => Fit::Same,
            (Type::Any { max: before }, Type::Any { max: after })
            | (Type::Bytes { max: before }, Type::Bytes { max: after }) => at_most(*before, *after, "bytes"),
            (_, Type::Any { max: None }) if old.is_plain() => Fit::Wider,
            (Type::Json { of: before }, Type::Json { of: after }) => self.types(before, after),
            (Type::Time { unit: before }, Type::Time { unit: after }) if before == after => Fit::Same,
            (Type::Bool, Type::Bool) | (Type::Date, Type::Date) | (Type::Month, Type::Month) => Fit::Same,
            (Type::Int { min, max }, Type::Int { min: least, max: most }) => {
                all([at_least(*min, *least), at_most(*max, *most, "value")])
            }
            (Type::Int { min, max }, Type::Decimal { digits, scale }) => {
                self.decimal_of_int(*min, *max, digits.saturating_sub(*scale))
            }
            (Type::Decimal { digits, scale }, Type::Decimal { digits: more_digits, scale: other_scale }) => {
                self.decimals((*digits, *scale), (*more_digits, *other_scale))
            }
            (Type::Enum(before), Type::Enum(after)) => words(before, after),
            (Type::Enum(before), Type::String { format: StringFormat::Plain, min, max }) => {
                let fits = |word: &str| {
                    let length = word.chars().count() as u64;
                    length >= *min && max.is_none_or(|max| length <= max)
                };
                match !before.open && before.words.iter().all(|word| fits(word)) {
                    true => Fit::Wider,
                    false => self.may_not_fit(old, new),
                }
            }
            (
                Type::String { format: before, min, max },
                Type::String { format: after, min: least, max: most },
            ) => {
                let format = match (before, after) {
                    (before, after) if before == after => Fit::Same,
                    (_, StringFormat::Plain) => Fit::Wider,
                    _ => Fit::Narrower(vec![format!("must be {}", type_text(self.new, new))]),
                };
                all([format, at_least(Some(*min), Some(*least)), at_most(*max, *most, "characters")])
            }
            (Type::Id { .. } | Type::Token { .. }, Type::String { format: StringFormat::Plain, .. }) => {
                Fit::Wider
            }
            (Type::Id { .. }, Type::Id { .. }) | (Type::Token { .. }, Type::Token { .. }) if old == new => {
                Fit::Same
            }
            (Type::List { of, max }, Type::List { of: other, max: most }) => {
                all([self.types(of, other), at_most(*max, *most, "elements")])
            }
            (Type::Set { of, max }, Type::Set { of: other, max: most }) => {
                all([self.types(of, other), at_most(*max, *most, "elements")])
            }
            (Type::Map { of, max }, Type::Map { of: other, max: most }) => {
                all([self.types(of, other), at_most(*max, *most, "entries")])
            }
            (Type::Object(before), Type::Object(after)) => self.objects(*before, *after),
            (Type::Input { of, entity }, Type::Input { of: other, entity: other_entity }) if of == other => {
                self.inputs(*entity, *other_entity)
            }
            _ if has_other_form(old, new) => {
                let (before, after) = (type_text(self.old, old), type_text(self.new, new));
                Fit::OtherForm(vec![format!("stored as {after} instead of {before}")])
            }
            _ => self.may_not_fit(old, new),
        }
    }

    fn may_not_fit(&self, old: &Type, new: &Type) -> Fit {
        let (before, after) = (type_text(self.old, old), type_text(self.new, new));
        Fit::Narrower(vec![format!("values of {before} need not be {after}")])
    }

    /// An integer as a decimal with some digits before the point.
    fn decimal_of_int(&self, min: Option<i64>, max: Option<i64>, whole_digits: u64) -> Fit {
        let digits = |bound: i64| u64::from(bound.unsigned_abs().checked_ilog10().unwrap_or(0) + 1);
        match min.zip(max) {
            Some((min, max)) if digits(min).max(digits(max)) <= whole_digits => Fit::Wider,
            _ => Fit::Narrower(vec![format!("at most {whole_digits} digits before the point")]),
        }
    }

    fn decimals(&self, (digits, scale): (u64, u64), (new_digits, new_scale): (u64, u64)) -> Fit {
        let whole = |digits: u64, scale: u64| digits.saturating_sub(scale);
        let whole_digits = at_most(
            Some(whole(digits, scale)),
            Some(whole(new_digits, new_scale)),
            "digits before the point",
        );
        all([whole_digits, at_most(Some(scale), Some(new_scale), "digits behind the point")])
    }

    fn objects(&mut self, old: ObjectId, new: ObjectId) -> Fit {
        if self.open.contains(&(old, new)) {
            return Fit::Same;
        }
        self.open.push((old, new));
        let (before, after) = (&self.old.objects[old].attributes, &self.new.objects[new].attributes);
        let fit = self.members(before, after);
        self.open.pop();
        fit
    }

    /// Compares the inputs of calls that make, change or name an item.
    fn inputs(&mut self, old: EntityId, new: EntityId) -> Fit {
        let (old, new) = (&self.old.entities[old], &self.new.entities[new]);
        if old.name != new.name {
            return Fit::OtherForm(vec![format!("{} instead of {}", new.name, old.name)]);
        }
        let mut fits = Vec::new();
        for attribute in new.attributes.iter().filter(|attribute| attribute.can_be_given()) {
            match old.attributes.find(&attribute.name).map(|id| &old.attributes[id]) {
                Some(before) => fits.push(self.types(&before.ty, &attribute.ty)),
                None if attribute.must_be_given() => {
                    fits.push(Fit::Narrower(vec![format!("`{}` must be given", attribute.name)]));
                }
                None => fits.push(Fit::Wider),
            }
        }
        let is_taken =
            |name: &str| new.attributes.find(name).is_some_and(|id| new.attributes[id].can_be_given());
        for attribute in old.attributes.iter().filter(|attribute| attribute.can_be_given()) {
            if !is_taken(&attribute.name) {
                fits.push(Fit::Narrower(vec![format!("`{}` is not taken any more", attribute.name)]));
            }
        }
        all(fits)
    }

    fn members(&mut self, old: &Attributes, new: &Attributes) -> Fit {
        let mut fits = Vec::new();
        for attribute in new.iter() {
            let Some(before) = old.find(&attribute.name).map(|id| &old[id]) else {
                fits.push(match attribute.may_be_absent() || attribute.fill.is_some() {
                    true => Fit::Wider,
                    false => Fit::Narrower(vec![format!("`{}` is required", attribute.name)]),
                });
                continue;
            };
            fits.push(self.types(&before.ty, &attribute.ty));
            if before.may_be_absent() && !attribute.may_be_absent() {
                fits.push(Fit::Narrower(vec![format!("`{}` is required", attribute.name)]));
            } else if !before.may_be_absent() && attribute.may_be_absent() {
                fits.push(Fit::Wider);
            }
        }
        for attribute in old.iter().filter(|attribute| new.find(&attribute.name).is_none()) {
            fits.push(Fit::Narrower(vec![format!("`{}` is gone", attribute.name)]));
        }
        all(fits)
    }
}

/// Whether a stored value of one type would be misread as one of the other.
fn has_other_form(old: &Type, new: &Type) -> bool {
    match (type_form(old), type_form(new)) {
        (Some(before), Some(after)) => !reads(&after, &before),
        _ => !old.is_plain() || !new.is_plain(),
    }
}

fn words(old: &Words, new: &Words) -> Fit {
    let gone: Vec<&str> = old.words.iter().map(|word| &**word).filter(|word| !new.has(word)).collect();
    match (gone.is_empty(), old.open, new.open) {
        (_, _, true) if old.open && old.words == new.words => Fit::Same,
        (_, _, true) => Fit::Wider,
        (_, true, false) => Fit::Narrower(vec!["other words are no longer accepted".to_owned()]),
        (false, ..) => Fit::Narrower(vec![format!("without {}", gone.join(", "))]),
        (true, ..) if old.words.len() == new.words.len() => Fit::Same,
        (true, ..) => Fit::Wider,
    }
}

fn at_most<T: Copy + Ord + std::fmt::Display>(old: Option<T>, new: Option<T>, unit: &str) -> Fit {
    match (old, new) {
        (None, None) => Fit::Same,
        (Some(old), Some(new)) if old == new => Fit::Same,
        (Some(old), Some(new)) if old < new => Fit::Wider,
        (Some(_), None) => Fit::Wider,
        (_, Some(new)) => Fit::Narrower(vec![match unit {
            "value" => format!("at most {new}"),
            unit => format!("at most {new} {unit}"),
        }]),
    }
}

fn at_least<T: Copy + Ord + std::fmt::Display>(old: Option<T>, new: Option<T>) -> Fit {
    match (old, new) {
        (None, None) => Fit::Same,
        (Some(old), Some(new)) if old == new => Fit::Same,
        (Some(old), Some(new)) if old > new => Fit::Wider,
        (Some(_), None) => Fit::Wider,
        (_, Some(new)) => Fit::Narrower(vec![format!("at least {new}")]),
    }
}

/// Several relations at once: another form outweighs narrower, which outweighs wider.
fn all(fits: impl IntoIterator<Item = Fit>) -> Fit {
    let mut total = Fit::Same;
    for fit in fits {
        total = match (total, fit) {
            (Fit::OtherForm(mut all), Fit::OtherForm(more)) => {
                all.extend(more);
                Fit::OtherForm(all)
            }
            (Fit::Narrower(mut all), Fit::Narrower(more)) => {
                all.extend(more);
                Fit::Narrower(all)
            }
            (other @ Fit::OtherForm(_), _) | (_, other @ Fit::OtherForm(_)) => other,
            (narrower @ Fit::Narrower(_), _) | (_, narrower @ Fit::Narrower(_)) => narrower,
            (Fit::Wider, _) | (_, Fit::Wider) => Fit::Wider,
            (Fit::Same, Fit::Same) => Fit::Same,
        };
    }
    total
}
