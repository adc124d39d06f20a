//! A stored item read as one of an entity, also one that another program wrote, or that is older than the design.
//!
//! Missing attributes are read from the item's keys where a template determines them, otherwise from the defaults of
//! the design. An item that still does not fit the design is an error that names it:
//! it is never taken for absent, and never overwritten.

mod complete;
mod types;

pub(crate) use complete::{assumed, completed, from_defaults, from_keys, misread};
pub(crate) use types::{
    ALL_TYPES, bit, has_inner_defaults, is_pure, is_required, lacks_inside, stored_types, usual_type,
};

use sortkey_diagnostics::a;
use sortkey_value::{Item, ValueRef};

use crate::anatomy::{Anatomy, AttributeInfo};
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::read::is_ours;
use crate::values::Fields;
use crate::{Failure, FailureKind};

impl EntityInfo {
    /// An item completed from its keys and from the defaults of the design.
    pub(crate) fn interpret(&self, scope: &Scope<'_>, item: &Item) -> Result<Item, Failure> {
        if self.anatomy.is_whole(scope, item) {
            return Ok(item.clone());
        }
        let (item, wrong) = completed(scope, self, item);
        match wrong {
            None => Ok(item),
            Some(wrong) => Err(unreadable(self, &item, &wrong)),
        }
    }

    /// An item that its reader is about to see; none if it is known to be another tenant's.
    pub fn interpret_ours(&self, scope: &Scope<'_>, item: Item) -> Result<Option<Item>, Failure> {
        if self.anatomy.is_whole(scope, &item) {
            return Ok(Some(item));
        }
        let (item, wrong) = completed(scope, self, &item);
        let view = View::stored(self.at, &item);
        let tenant = self.of(&scope.shared.program).tenant;
        let is_known = tenant.is_some_and(|tenant| view.get(scope.shared, tenant.attribute).is_some());
        match wrong {
            Some(_) if is_known && !is_ours(scope, view) => Ok(None),
            Some(_) if self.is_claimed_by_another(scope, &item) => Ok(None),
            Some(wrong) => Err(unreadable(self, &item, &wrong)),
            None => Ok(Some(item)),
        }
    }

    /// The attributes of an item as far as it can be understood: of one that was just written, or that explains a refusal.
    pub fn decode_leniently(&self, scope: &Scope<'_>, item: &Item) -> Fields {
        match self.anatomy.is_whole(scope, item) {
            true => self.decode(&scope.shared.program, item),
            false => self.decode(&scope.shared.program, &completed(scope, self, item).0),
        }
    }

    /// The attributes of an item.
    pub(crate) fn read(&self, scope: &Scope<'_>, item: &Item) -> Result<Fields, Failure> {
        Ok(self.decode(&scope.shared.program, &self.interpret(scope, item)?))
    }

    /// An item whose key is one of this entity's, but not the one that its attributes make, is nobody's: the error names it.
    /// None if another entity of the table has such keys too.
    pub(crate) fn contradiction(&self, scope: &Scope<'_>, item: &Item) -> Option<Failure> {
        let program = &scope.shared.program;
        let contradicts = self.shares_table
            && self.owns(program, item)
            && !self.makes(program, item)
            && !self.is_claimed_by_another(scope, item);
        contradicts.then(|| unreadable(self, item, "its attributes make another key"))
    }

    /// An item that lies where one of this entity is to be written, and is none.
    pub(crate) fn in_the_way(&self, item: &Item) -> Failure {
        unreadable(self, item, "it is not such an item, and would be overwritten")
    }

    fn is_claimed_by_another(&self, scope: &Scope<'_>, item: &Item) -> bool {
        let others = scope.shared.entities.iter();
        let mut others = others.filter(|other| other.table == self.table && other.at != self.at);
        others.any(|other| other.owns(&scope.shared.program, item))
    }
}

impl Anatomy {
    /// Whether an item has every attribute that no item may lack, each stored in a type of its own: nothing has to be
    /// completed, and nothing is misread.
    pub(crate) fn is_whole(&self, scope: &Scope<'_>, item: &Item) -> bool {
        let lacks = |attribute: &AttributeInfo| {
            let value = item.get(&attribute.name);
            value.is_some_and(|value| lacks_inside(scope, &attribute.ty, value))
        };
        self.outline.find(item, &mut []).is_some()
            && !self.attributes().iter().filter(|each| each.is_deep).any(lacks)
    }
}

/// An item that the design cannot interpret.
pub(crate) fn unreadable(info: &EntityInfo, item: &Item, why: &str) -> Failure {
    let text = |value: ValueRef<'_>| match value {
        ValueRef::S(text) => format!("{text:?}"),
        ValueRef::N(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    let key = info.parts().filter_map(|name| Some(format!("{name} = {}", text(item.get(name)?))));
    let key: Vec<String> = key.collect();
    let message = format!(
        "the item {} of table \"{}\" cannot be read as {}: {why}. It is left as it is; repair it, or change the design",
        key.join(", "),
        info.table.name(),
        a(&info.name)
    );
    Failure::new(FailureKind::Unreadable, message)
}
