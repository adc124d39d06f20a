//! `shape!`: a structure declared once, one line per member.
//!
//! ```text
//! shape! {
//!     /// What it is.
//!     struct KeySchemaElement {
//!         attribute_name: String = "AttributeName", &[MaxLength(255), MinLength(1)];
//!         key_type: KeyType = "KeyType";
//!     }
//! }
//! ```
//!
//! A line is the Rust field, its type (`Option<T>` makes the member optional, anything else required), the
//! name on the wire, and its constraints if it has any. Members are listed in the order in which AWS reports
//! their violations, which is not the order of the service model.

macro_rules! shape {
    (
        $(#[$meta:meta])*
        struct $name:ident {
            $($(#[$doc:meta])* $field:ident: $type:ty = $wire:literal $(, $constraints:expr)?;)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $(
                #[doc = concat!("`", $wire, "`.")]
                $(#[$doc])*
                pub $field: $type,
            )*
        }

        impl $crate::shape::Decode for $name {
            fn decode(
                decoder: &mut $crate::shape::Decoder<'_>,
                at: $crate::shape::Path<'_>,
            ) -> Result<Self, $crate::error::ApiError> {
                $(let mut $field: Option<<$type as $crate::shape::Member>::Value> = None;)*
                decoder.begin_structure(Self::class_name, at)?;
                while let Some(name) = decoder.reader.next_name()? {
                    match &*name {
                        $($wire => $field = decoder.optional(at.member($wire))?,)*
                        _ => decoder.reader.skip()?,
                    }
                }
                Ok(Self {
                    $($field: {
                        const RULE: $crate::shape::MemberRule = $crate::shape::member_rule!($wire $(, $constraints)?);
                        $crate::shape::Member::complete($field, decoder, at, &RULE)
                    },)*
                })
            }

            fn class_name() -> std::borrow::Cow<'static, str> {
                concat!("com.amazonaws.dynamodb.v20120810.", stringify!($name)).into()
            }
        }

        impl $crate::shape::Encode for $name {
            fn encode(&self, writer: &mut $crate::json::Writer<'_>) {
                writer.begin_object();
                $($crate::shape::encode_member(&self.$field, concat!("\"", $wire, "\":"), writer);)*
                writer.end_object();
            }
        }

        impl $crate::shape::Check for $name {
            #[allow(unused_variables, reason = "structures without members exist")]
            fn check(&self, at: $crate::shape::Path<'_>, report: &mut $crate::shape::Report<'_>) {
                $({
                    const RULE: $crate::shape::MemberRule = $crate::shape::member_rule!($wire $(, $constraints)?);
                    $crate::shape::check_member(&self.$field, &RULE, at, report);
                })*
            }

            fn print(&self, out: &mut String) {
                out.push_str(concat!(stringify!($name), "("));
                $($crate::shape::print_member(&self.$field, $wire, out);)*
                out.push(')');
            }
        }
    };
}

/// The rule of one member of a `shape!`.
macro_rules! member_rule {
    ($wire:literal) => {
        $crate::shape::MemberRule { wire_name: $wire, constraints: &[] }
    };
    ($wire:literal, $constraints:expr) => {{
        #[allow(unused_imports, reason = "a named set of constraints needs none of the variants")]
        use $crate::shape::Constraint::*;
        $crate::shape::MemberRule { wire_name: $wire, constraints: $constraints }
    }};
}

pub(crate) use {member_rule, shape};
