//! The demands of a write on the stored item: once as a condition that DynamoDB checks, once as a test on the item it
//! returns, which determines the kind of failure without a second read.

use std::sync::Arc;

use sortkey_design::program::{EntityId, Expr};
use sortkey_value::{AttributeType, AttributeValue, Item, Map, Number};

use crate::Failure;
use crate::catalog::EntityInfo;
use crate::condition::{Compiler, Condition, Placeholders};
use crate::evaluate::Scope;
use crate::guard::OWNER;
use crate::interpret::bit;
use crate::values::{Fields, Val};

/// One item of a request.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) entity: EntityId,
    pub(crate) key: Item,
    pub(crate) act: Act,
    pub(crate) placeholders: Placeholders,
    pub(crate) condition: Condition,
    pub(crate) demands: Vec<Demand>,
}

/// The change of the item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Put(Item),
    /// An update expression.
    Update(String),
    Delete,
    Check,
}

/// Something that must hold, and what it means if it does not.
#[derive(Clone, Debug)]
pub(crate) struct Demand {
    pub(crate) test: Test,
    pub(crate) failure: Failure,
}

/// Something that must hold of the stored item.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// There is one.
    Exists,
    /// There is none, or only one that has expired.
    Vacant,
    /// It has not expired; nothing stored is fine.
    NotExpired,
    /// It does not count as deleted.
    NotDeleted,
    /// An attribute has this value: the tenant's.
    Is(Arc<str>, AttributeValue),
    /// A reserved attribute has this value.
    Holds(&'static str, AttributeValue),
    /// An attribute has this value, or there is no item, or only one that has expired.
    IsOrNothing(Arc<str>, AttributeValue),
    /// The version is what it was when the operation read the item.
    Version(Arc<str>, Option<AttributeValue>),
    /// Attributes that the key determines are missing, or agree with it.
    Agrees(Vec<(Arc<str>, AttributeValue)>),
    /// Attributes are missing, or stored in one of some types: a bit for each.
    Typed(Vec<(Arc<str>, u16)>),
    /// An attribute is there.
    Present(Arc<str>),
    /// A condition. `defaults` replace attributes that the item lacks, `after` has the values of the write.
    If { condition: Expr, defaults: Option<Fields>, after: Option<Fields> },
    /// An attribute is what it was when it was read.
    Unchanged(Arc<str>, Option<AttributeValue>),
    /// A number may grow by an amount without leaving its range; `start` is the value of a missing one.
    AtMost { path: Vec<Arc<str>>, most: Number, start: Number },
    /// A number may shrink by an amount without leaving its range; `start` is the value of a missing one.
    AtLeast { path: Vec<Arc<str>>, least: Number, start: Number },
    /// A number of seconds has passed, or was never set.
    Passed(String),
    /// A guard is free, expired, or ours.
    Free(Map),
}

impl Write {
    pub(crate) fn new(info: &EntityInfo, key: impl Into<Item>, act: Act) -> Write {
        Write {
            entity: info.at,
            key: key.into(),
            act,
            placeholders: Placeholders::default(),
            condition: Condition::Always,
            demands: Vec::new(),
        }
    }

    /// Adds a demand; false if DynamoDB cannot express it, so that the item must be read first.
    pub(crate) fn demand(
        &mut self,
        scope: &Scope<'_>,
        test: Test,
        failure: Failure,
    ) -> Result<bool, Failure> {
        // Most new items have no other condition, and it never changes.
        let is_first = self.demands.is_empty() && self.condition == Condition::Always;
        if let (Test::Vacant, Some(vacant)) = (&test, &scope.shared.entities[self.entity].vacant)
            && is_first
        {
            self.condition = Condition::Text(vacant.text.clone());
            self.placeholders = vacant.placeholders.clone();
            self.demands.push(Demand { test, failure });
            return Ok(true);
        }
        let Some(condition) = self.compile(scope, &test)? else { return Ok(false) };
        let earlier = std::mem::replace(&mut self.condition, Condition::Always);
        self.condition = earlier.and(condition);
        self.demands.push(Demand { test, failure });
        Ok(true)
    }

    fn compile(&mut self, scope: &Scope<'_>, test: &Test) -> Result<Option<Condition>, Failure> {
        let info = &scope.shared.entities[self.entity];
        let into = &mut self.placeholders;
        let text = |text: String| Ok(Some(Condition::Text(text)));
        match test {
            Test::Exists => text(format!("attribute_exists({})", into.name(&info.partition))),
            Test::Present(name) => text(format!("attribute_exists({})", into.name(name))),
            Test::Vacant => {
                let vacant = format!("attribute_not_exists({})", into.name(&info.partition));
                match expired(info, scope, into, "<=") {
                    Some(expired) => text(format!("{vacant} OR {expired}")),
                    None => text(vacant),
                }
            }
            Test::NotExpired => match expired(info, scope, into, ">") {
                Some(alive) => {
                    let ttl = into.name(info.ttl.as_deref().unwrap_or_default());
                    text(format!("attribute_not_exists({ttl}) OR {alive}"))
                }
                None => Ok(Some(Condition::Always)),
            },
            Test::NotDeleted => match &info.of(&scope.shared.program).deleted {
                Some(deleted) => {
                    let compiled = Compiler::new(scope, self.entity).compile(deleted, into)?;
                    Ok(compiled.map(|deleted| match deleted {
                        Condition::Text(text) => Condition::Text(format!("NOT ({text})")),
                        Condition::Always => Condition::Never,
                        Condition::Never => Condition::Always,
                    }))
                }
                None => Ok(Some(Condition::Always)),
            },
            Test::IsOrNothing(name, value) => {
                let (key, name) = (into.name(&info.partition), into.name(name));
                let other = format!("attribute_not_exists({key}) OR {name} = {}", into.value(value.clone()));
                match expired(info, scope, into, "<=") {
                    Some(expired) => text(format!("{other} OR {expired}")),
                    None => text(other),
                }
            }
            Test::Agrees(said) => {
                // An attribute that is missing differs from every value.
                let agrees = said.iter().map(|(name, value)| {
                    let (name, value) = (into.name(name), into.value(value.clone()));
                    Condition::Text(format!("attribute_not_exists({name}) OR {name} = {value}"))
                });
                Ok(Some(agrees.fold(Condition::Always, Condition::and)))
            }
            Test::Typed(types) => {
                let typed = types.iter().map(|(name, types)| Condition::Text(typed(into, name, *types)));
                Ok(Some(typed.fold(Condition::Always, Condition::and)))
            }
            // An item that is older than its version reads as having the first.
            Test::Version(name, Some(value)) if is_assumed(scope, info, name, value) => {
                let name = into.name(name);
                text(format!("attribute_not_exists({name}) OR {name} = {}", into.value(value.clone())))
            }
            Test::Holds(name, value) => text(format!("{} = {}", into.name(name), into.value(value.clone()))),
            Test::Is(name, value) | Test::Unchanged(name, Some(value)) | Test::Version(name, Some(value)) => {
                text(format!("{} = {}", into.name(name), into.value(value.clone())))
            }
            Test::Unchanged(name, None) | Test::Version(name, None) => {
                text(format!("attribute_not_exists({})", into.name(name)))
            }
            Test::If { condition, defaults, after } => {
                let (defaults, after) = (defaults.as_ref(), after.as_ref());
                Compiler { scope, entity: self.entity, defaults, after }.compile(condition, into)
            }
            Test::AtMost { path, most, start } => {
                let (path, value) = (into.path(path), into.value(AttributeValue::N(*most)));
                text(format!("{}{path} <= {value}", or_missing(&path, start <= most)))
            }
            Test::AtLeast { path, least, start } => {
                let (path, value) = (into.path(path), into.value(AttributeValue::N(*least)));
                text(format!("{}{path} >= {value}", or_missing(&path, start >= least)))
            }
            Test::Passed(name) => {
                let (name, now) = (into.name(name), AttributeValue::from(scope.now_ms.div_euclid(1_000)));
                text(format!("attribute_not_exists({name}) OR {name} <= {}", into.value(now)))
            }
            Test::Free(owner) => {
                let vacant = format!("attribute_not_exists({})", into.name(&info.partition));
                let name = into.name(&info.aside(OWNER));
                let ours = format!("{name} = {}", into.value(AttributeValue::M(owner.clone())));
                match expired(info, scope, into, "<=") {
                    Some(expired) => text(format!("{vacant} OR {ours} OR {expired}")),
                    None => text(format!("{vacant} OR {ours}")),
                }
            }
        }
    }

    /// The first demand that a stored item does not meet.
    pub(crate) fn unmet(&self, scope: &Scope<'_>, stored: Option<&Item>) -> Result<Option<&Demand>, Failure> {
        let info = &scope.shared.entities[self.entity];
        // Guards and receipts are in the tables of entities, and are none of their items.
        let fields = match stored.filter(|item| info.owns(&scope.shared.program, item)) {
            Some(item) => Some(info.read(scope, item)?),
            None => stored.map(|item| info.decode(&scope.shared.program, item)),
        };
        for demand in &self.demands {
            if !demand.test.holds(scope, info, stored, fields.as_ref())? {
                return Ok(Some(demand));
            }
        }
        Ok(None)
    }
}

/// Whether every item that lacks an attribute reads as having this value.
fn is_assumed(scope: &Scope<'_>, info: &EntityInfo, name: &str, value: &AttributeValue) -> bool {
    let attribute = info.anatomy.attribute(name);
    let assumed = attribute.and_then(|attribute| {
        let assumed = scope.shared.assumed[info.at].get(name)?;
        info.encode(&scope.shared.program, attribute.id, assumed)
    });
    assumed.as_ref() == Some(value)
}

/// That an attribute is missing, or stored in one of some types.
fn typed(into: &mut Placeholders, name: &str, types: u16) -> String {
    let name = into.name(name);
    let mut alternatives = vec![format!("attribute_not_exists({name})")];
    for ty in AttributeType::ALL.into_iter().filter(|ty| types & bit(*ty) != 0) {
        let ty = into.value(AttributeValue::S(ty.as_str().to_owned()));
        alternatives.push(format!("attribute_type({name}, {ty})"));
    }
    alternatives.join(" OR ")
}

fn or_missing(path: &str, may_be_missing: bool) -> String {
    if may_be_missing { format!("attribute_not_exists({path}) OR ") } else { String::new() }
}

/// `ttl op now`, where the table has a time to live.
fn expired(info: &EntityInfo, scope: &Scope<'_>, into: &mut Placeholders, op: &str) -> Option<String> {
    let ttl = info.ttl.as_ref()?;
    let program = &scope.shared.program;
    let own = info.of(program).ttl;
    let now = own.and_then(|own| info.encode(program, own, &Val::Time(scope.now_ms)));
    let now = now.unwrap_or_else(|| AttributeValue::from(scope.now_ms.div_euclid(1_000)));
    Some(format!("{} {op} {}", into.name(ttl), into.value(now)))
}
