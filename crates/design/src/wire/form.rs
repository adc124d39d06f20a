//! Forms: how a type of the program is written, and read again.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sortkey_value::Number;

use super::pool::{Reading, Writing};
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

/// A type of the program that has a form on the wire.
pub trait Wire: Sized {
    /// What is written.
    type Form: Serialize + DeserializeOwned + JsonSchema;

    /// Writes it.
    fn write(&self, out: &mut Writing) -> Self::Form;

    /// Reads it.
    fn read(form: &Self::Form, from: &Reading) -> Result<Self, Unreadable>;
}

macro_rules! as_they_are {
    ($($ty:ty),+ $(,)?) => { $(
        impl Wire for $ty {
            type Form = $ty;

            fn write(&self, _: &mut Writing) -> $ty {
                self.clone()
            }

            fn read(form: &$ty, _: &Reading) -> Result<$ty, Unreadable> {
                Ok(form.clone())
            }
        }
    )+ };
}

as_they_are!(bool, char, u64, i64, String);
as_they_are!(crate::model::ReadVerb, crate::model::WriteVerb, crate::model::FieldOp, crate::model::Op);
as_they_are!(crate::model::Load, crate::model::StringFormat, crate::model::IdBody, crate::model::TimeUnit);
as_they_are!(crate::model::SlotFormat, crate::model::InputKind, crate::model::Change);

impl Wire for usize {
    type Form = u64;

    fn write(&self, _: &mut Writing) -> u64 {
        *self as u64
    }

    fn read(form: &u64, _: &Reading) -> Result<usize, Unreadable> {
        usize::try_from(*form).map_err(|_| Unreadable(format!("{form} is too large a number")))
    }
}

impl Wire for Arc<str> {
    type Form = String;

    fn write(&self, _: &mut Writing) -> String {
        self.to_string()
    }

    fn read(form: &String, _: &Reading) -> Result<Arc<str>, Unreadable> {
        Ok(form.as_str().into())
    }
}

/// Numbers have 38 digits: they are written as text.
impl Wire for Number {
    type Form = String;

    fn write(&self, _: &mut Writing) -> String {
        self.to_string()
    }

    fn read(form: &String, _: &Reading) -> Result<Number, Unreadable> {
        form.parse().map_err(|_| Unreadable(format!("\"{form}\" is no number")))
    }
}

impl<T: Wire> Wire for Option<T> {
    type Form = Option<T::Form>;

    fn write(&self, out: &mut Writing) -> Self::Form {
        self.as_ref().map(|each| each.write(out))
    }

    fn read(form: &Self::Form, from: &Reading) -> Result<Self, Unreadable> {
        form.as_ref().map(|each| T::read(each, from)).transpose()
    }
}

impl<T: Wire> Wire for Vec<T> {
    type Form = Vec<T::Form>;

    fn write(&self, out: &mut Writing) -> Self::Form {
        self.iter().map(|each| each.write(out)).collect()
    }

    fn read(form: &Self::Form, from: &Reading) -> Result<Self, Unreadable> {
        form.iter().map(|each| T::read(each, from)).collect()
    }
}

impl<I: Id, T: Wire> Wire for Arena<I, T> {
    type Form = Vec<T::Form>;

    fn write(&self, out: &mut Writing) -> Self::Form {
        self.iter().map(|each| each.write(out)).collect()
    }

    fn read(form: &Self::Form, from: &Reading) -> Result<Self, Unreadable> {
        form.iter().map(|each| T::read(each, from)).collect()
    }
}

impl<T: Wire> Wire for Box<T> {
    type Form = Box<T::Form>;

    fn write(&self, out: &mut Writing) -> Self::Form {
        Box::new((**self).write(out))
    }

    fn read(form: &Self::Form, from: &Reading) -> Result<Self, Unreadable> {
        T::read(form, from).map(Box::new)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    type Form = (A::Form, B::Form);

    fn write(&self, out: &mut Writing) -> Self::Form {
        (self.0.write(out), self.1.write(out))
    }

    fn read(form: &Self::Form, from: &Reading) -> Result<Self, Unreadable> {
        Ok((A::read(&form.0, from)?, B::read(&form.1, from)?))
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

            fn read(form: &u32, _from: &Reading) -> Result<$ty, Unreadable> {
                $(
                    if *form as usize >= _from.$list {
                        return Err(Unreadable(format!("there is no {} {form}", stringify!($list))));
                    }
                )?
                Ok($ty::new(*form as usize))
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

/// Declares the form of a structure of the program: the same fields, but for those that only say where something stands.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $field:ident: $ty:ty),+ $(,)? }
        $(places { $($place:ident),+ })?) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$about])* pub $field: <$ty as Wire>::Form,)+
        }

        impl Wire for crate::program::$name {
            type Form = $name;

            fn write(&self, out: &mut Writing) -> $name {
                $name { $($field: self.$field.write(out),)+ }
            }

            fn read(form: &$name, from: &Reading) -> Result<Self, Unreadable> {
                Ok(Self {
                    $($field: <$ty as Wire>::read(&form.$field, from)?,)+
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
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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

            fn read(form: &$name, _from: &Reading) -> Result<Self, Unreadable> {
                Ok(match form {
                    $($name::$case $(($($one),+))? $({ $($field),+ })? => {
                        Self::$case
                            $(($(<$inner as Wire>::read($one, _from)?),+))?
                            $({ $($field: <$ty as Wire>::read($field, _from)?),+ })?
                    })+
                })
            }
        }
    };
}

pub(super) use {cases, record};
