//! `choices!`: a text with a fixed set of values.
//!
//! A value outside the set is kept as `Unknown` until the input is checked, since AWS reports it as a
//! violated constraint together with the others. The values are listed in the order in which AWS prints the
//! set.

macro_rules! choices {
    (
        $(#[$meta:meta])*
        enum $name:ident {
            $($(#[$doc:meta])* $variant:ident = $wire:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum $name {
            $(
                #[doc = concat!("`", $wire, "`.")]
                $(#[$doc])*
                $variant,
            )+
            /// A value outside the set; it never passes the check of an input.
            Unknown(String),
        }

        impl $name {
            /// The values, in the order in which AWS prints them.
            pub const VALUES: &'static [&'static str] = &[$($wire),+];

            /// The value on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $wire,)+
                    Self::Unknown(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($wire => Self::$variant,)+
                    _ => Self::Unknown(text.to_owned()),
                }
            }
        }

        /// Nothing chosen: a value outside the set.
        impl Default for $name {
            fn default() -> Self {
                Self::Unknown(String::new())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::shape::Decode for $name {
            fn decode(
                decoder: &mut $crate::shape::Decoder<'_>,
                _: $crate::shape::Path<'_>,
            ) -> Result<Self, $crate::error::ApiError> {
                $crate::shape::decode_text(decoder).map(|text| Self::from(&*text))
            }

            fn class_name() -> std::borrow::Cow<'static, str> {
                <String as $crate::shape::Decode>::class_name()
            }
        }

        impl $crate::shape::Encode for $name {
            fn encode(&self, writer: &mut $crate::json::Writer<'_>) {
                writer.string(self.as_str());
            }
        }

        impl $crate::shape::Check for $name {
            fn check(&self, at: $crate::shape::Path<'_>, report: &mut $crate::shape::Report<'_>) {
                if let Self::Unknown(_) = self {
                    report.violated(self, at, &$crate::text::constraint::one_of(Self::VALUES));
                }
            }

            fn print(&self, out: &mut String) {
                out.push_str(self.as_str());
            }
        }
    };
}

pub(crate) use choices;
