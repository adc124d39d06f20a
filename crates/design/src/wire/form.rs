//! Forms: how a type of the program is written, and read again.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;
use sortkey_value::Number;

use super::json::{case, expected, is_case, list, member, no_case, object, part, place, text};
use super::pool::{Reading, Writing};
use crate::model::{
    Change, FieldOp, IdBody, InputKind, Load, Op, ReadVerb, SlotFormat, StringFormat, TimeUnit, WriteVerb,
};
use crate::program::{
    Arena, AttributeId, EffectId, EntityId, EnumId, ErrorId, Id, IndexId, LocalId, ObjectId, OperationId,
    ParameterId, PatternId, RuleId, SettingId, TableId, TemplateId, UniqueId,
};

/// Why a written program cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(pub String);

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

/// A part of a program that is being read. If another part cannot be read, this one is freed, except on WebAssembly: the code
/// for that would be a tenth of the reader, and an instance whose program cannot be read is given up.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn hold<T>(part: T) -> T {
    part
}

/// The part that was held.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn release<T>(part: T) -> T {
    part
}

#[cfg(target_arch = "wasm32")]
pub(super) use std::mem::ManuallyDrop;

#[cfg(target_arch = "wasm32")]
pub(super) fn hold<T>(part: T) -> ManuallyDrop<T> {
    ManuallyDrop::new(part)
}

#[cfg(target_arch = "wasm32")]
pub(super) fn release<T>(part: ManuallyDrop<T>) -> T {
    ManuallyDrop::into_inner(part)
}

/// A type of the program that has a form on the wire.
pub trait Wire: Sized {
    /// The form on the wire.
    type Form: Serialize + JsonSchema;

    /// Writes it.
    fn write(&self, out: &mut Writing) -> Self::Form;

    /// Reads what was written.
    fn read(json: &Json, from: &Reading) -> Result<Self, Unreadable>;
}

/// Types that are written as they are, and how each is read.
macro_rules! as_they_are {
    ($($ty:ty: $read:expr),+ $(,)?) => { $(
        impl Wire for $ty {
            type Form = $ty;

            fn write(&self, _: &mut Writing) -> $ty {
                self.clone()
            }

            fn read(json: &Json, _: &Reading) -> Result<$ty, Unreadable> {
                $read(json)
            }
        }
    )+ };
}

as_they_are! {
    bool: |json: &Json| json.as_bool().ok_or_else(|| expected("a flag", "true or false", json)),
    char: |json: &Json| text(json)?.parse().map_err(|_| expected("a character", "one", json)),
    u32: place,
    u64: |json: &Json| json.as_u64().ok_or_else(|| expected("a number", "one that is not negative", json)),
    i64: |json: &Json| json.as_i64().ok_or_else(|| expected("a number", "an integer", json)),
    String: |json: &Json| text(json).map(str::to_owned),
}

/// Enumerations of the model that are their own form. Reading them by name takes a fraction of the code that is derived.
macro_rules! words {
    ($($ty:ident { $($case:ident $(($one:ident: $inner:ty))?),+ $(,)? })+) => { $(
        impl Wire for $ty {
            type Form = $ty;

            fn write(&self, _: &mut Writing) -> $ty {
                match self {
                    $($ty::$case $(($one))? => $ty::$case $(($one.clone()))?,)+
                }
            }

            fn read(json: &Json, _from: &Reading) -> Result<$ty, Unreadable> {
                let (name, _body) = case(json, stringify!($ty))?;
                $(
                    if is_case(name, stringify!($case)) {
                        $(let $one = <$inner as Wire>::read(_body, _from)?;)?
                        return Ok($ty::$case $(($one))?);
                    }
                )+
                Err(no_case(stringify!($ty), name))
            }
        }
    )+ };
}

words! {
    ReadVerb { Get, List, Count, Exists, Sum, Collect, Scan }
    WriteVerb { Create, Put, Update, Upsert, Delete, Purge, Check, Get }
    FieldOp { Set, Add, Subtract }
    Op {
        Implies, Or, And, Eq, NotEq, Lt, LtEq, Gt, GtEq, Contains, StartsWith, In, Add, Sub, Mul, Div, Rem,
    }
    StringFormat { Plain, Slug, Email, Url, Cron, Matching(pattern: String) }
    IdBody { Uuid, Ulid, Nanoid(length: u64) }
    TimeUnit { Iso, IsoSeconds, Milliseconds, Seconds, Unstated }
    SlotFormat { Pad(width: u32), Time(form: String), Escape, Lower }
    InputKind { New, Patch, Key, Item }
    Change { Create, Update, Delete, Expire }
}

impl Wire for Load {
    type Form = Load;

    fn write(&self, _: &mut Writing) -> Load {
        *self
    }

    fn read(json: &Json, _: &Reading) -> Result<Load, Unreadable> {
        let members = object(json, "Load", &["per_second", "peak_per_second"])?;
        let rate = |json: &Json| json.as_f64().ok_or_else(|| expected("a rate", "a number", json));
        let peak = member(members, "peak_per_second");
        Ok(Load {
            per_second: rate(member(members, "per_second"))?,
            peak_per_second: (!peak.is_null()).then(|| rate(peak)).transpose()?,
            ..Load::default()
        })
    }
}

impl Wire for usize {
    type Form = u64;

    fn write(&self, _: &mut Writing) -> u64 {
        *self as u64
    }

    fn read(json: &Json, _: &Reading) -> Result<usize, Unreadable> {
        let number = json.as_u64().and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| expected("a number", "one that is not too large", json))
    }
}

impl Wire for Arc<str> {
    type Form = String;

    fn write(&self, _: &mut Writing) -> String {
        self.to_string()
    }

    fn read(json: &Json, _: &Reading) -> Result<Arc<str>, Unreadable> {
        Ok(text(json)?.into())
    }
}

/// Numbers have 38 digits: they are written as text.
impl Wire for Number {
    type Form = String;

    fn write(&self, _: &mut Writing) -> String {
        self.to_string()
    }

    fn read(json: &Json, _: &Reading) -> Result<Number, Unreadable> {
        text(json)?.parse().map_err(|_| expected("a number", "at most 38 digits", json))
    }
}

impl<T: Wire> Wire for Option<T> {
    type Form = Option<T::Form>;

    fn write(&self, out: &mut Writing) -> Self::Form {
        self.as_ref().map(|each| each.write(out))
    }

    fn read(json: &Json, from: &Reading) -> Result<Self, Unreadable> {
        (!json.is_null()).then(|| T::read(json, from)).transpose()
    }
}

impl<T: Wire> Wire for Vec<T> {
    type Form = Vec<T::Form>;

    fn write(&self, out: &mut Writing) -> Self::Form {
        self.iter().map(|each| each.write(out)).collect()
    }

    fn read(json: &Json, from: &Reading) -> Result<Self, Unreadable> {
        // A plain loop: an iterator that is collected is four times the code, for every type that there are lists of.
        let list = list(json)?;
        let mut all = hold(Vec::with_capacity(list.len()));
        for each in list {
            all.push(T::read(each, from)?);
        }
        Ok(release(all))
    }
}

impl<I: Id, T: Wire> Wire for Arena<I, T> {
    type Form = Vec<T::Form>;

    fn write(&self, out: &mut Writing) -> Self::Form {
        self.iter().map(|each| each.write(out)).collect()
    }

    fn read(json: &Json, from: &Reading) -> Result<Self, Unreadable> {
        Vec::read(json, from).map(Arena::from)
    }
}

impl<T: Wire> Wire for Box<T> {
    type Form = Box<T::Form>;

    fn write(&self, out: &mut Writing) -> Self::Form {
        Box::new((**self).write(out))
    }

    fn read(json: &Json, from: &Reading) -> Result<Self, Unreadable> {
        T::read(json, from).map(Box::new)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    type Form = (A::Form, B::Form);

    fn write(&self, out: &mut Writing) -> Self::Form {
        (self.0.write(out), self.1.write(out))
    }

    fn read(json: &Json, from: &Reading) -> Result<Self, Unreadable> {
        Ok((A::read(part(json, 0, 2)?, from)?, B::read(part(json, 1, 2)?, from)?))
    }
}

/// An id is a place in a list. Those of the program's own lists are compared with how long these are; the places of
/// attributes, templates and locals are judged by [`super::verify`].
macro_rules! places {
    ($($ty:ident $($list:ident)?),+ $(,)?) => { $(
        impl Wire for $ty {
            type Form = u32;

            fn write(&self, _: &mut Writing) -> u32 {
                u32::try_from(self.at()).unwrap_or(u32::MAX)
            }

            fn read(json: &Json, _from: &Reading) -> Result<$ty, Unreadable> {
                let place = place(json)? as usize;
                $(
                    if place >= _from.$list {
                        return Err(Unreadable(format!("there is no {} {place}", stringify!($list))));
                    }
                )?
                Ok($ty::new(place))
            }
        }
    )+ };
}

places!(
    TableId tables,
    EntityId entities,
    EnumId enums,
    ObjectId objects,
    SettingId settings,
    RuleId rules,
    PatternId patterns,
    OperationId operations,
    EffectId effects,
    ErrorId errors,
    IndexId,
    AttributeId,
    TemplateId,
    UniqueId,
    ParameterId,
    LocalId,
);

/// Declares the form of a structure of the program: the same fields, without those that only hold a place in the text.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $field:ident: $ty:ty),+ $(,)? }
        $(places { $($place:ident),+ })?) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$about])* pub $field: <$ty as Wire>::Form,)+
        }

        impl Wire for crate::program::$name {
            type Form = $name;

            fn write(&self, out: &mut Writing) -> $name {
                $name { $($field: self.$field.write(out),)+ }
            }

            fn read(
                json: &serde_json::Value,
                from: &Reading,
            ) -> Result<Self, Unreadable> {
                let names = &[$(stringify!($field)),+];
                use crate::wire::form::{hold, release};
                let members = crate::wire::json::object(json, stringify!($name), names)?;
                let member = |name| crate::wire::json::member(members, name);
                $(let $field = hold(<$ty as Wire>::read(member(stringify!($field)), from)?);)+
                Ok(Self {
                    $($field: release($field),)+
                    $($($place: Default::default(),)+)?
                })
            }
        }
    };
}

/// Declares the form of an enumeration of the program: the same cases.
macro_rules! cases {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$about:meta])* $case:ident
            $(($($one:ident: $inner:ty),+))?
            $({ $($(#[$told:meta])* $field:ident: $ty:ty),+ $(,)? })?),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        pub enum $name {
            $($(#[$about])* $case
                $(($(<$inner as Wire>::Form),+))?
                $({ $($(#[$told])* $field: <$ty as Wire>::Form,)+ })?,)+
        }

        impl Wire for crate::program::$name {
            type Form = $name;

            fn write(&self, _out: &mut Writing) -> $name {
                match self {
                    $(Self::$case $(($($one),+))? $({ $($field),+ })? => {
                        $name::$case $(($($one.write(_out)),+))? $({ $($field: $field.write(_out)),+ })?
                    })+
                }
            }

            fn read(
                json: &serde_json::Value,
                _from: &Reading,
            ) -> Result<Self, Unreadable> {
                #[allow(unused_imports, reason = "cases that hold nothing need neither")]
                use crate::wire::form::{hold, release};
                use crate::wire::json;
                let (name, _body) = json::case(json, stringify!($name))?;
                $(
                    if json::is_case(name, stringify!($case)) {
                        $(
                            let (mut at, of) = (0, [$(stringify!($one)),+].len());
                            let mut next = || {
                                at += 1;
                                json::part(_body, at - 1, of)
                            };
                            $(let $one = hold(<$inner as Wire>::read(next()?, _from)?);)+
                        )?
                        $(
                            let names = &[$(stringify!($field)),+];
                            let members = json::object(_body, stringify!($case), names)?;
                            $(
                                let $field = json::member(members, stringify!($field));
                                let $field = hold(<$ty as Wire>::read($field, _from)?);
                            )+
                        )?
                        return Ok(Self::$case
                            $(($(release($one)),+))?
                            $({ $($field: release($field)),+ })?);
                    }
                )+
                Err(json::no_case(stringify!($name), name))
            }
        }
    };
}

pub(super) use {cases, record};
