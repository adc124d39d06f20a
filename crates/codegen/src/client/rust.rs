//! The client in Rust: structs, ids as newtypes, a file for each module, over the crate `sortkey`.
//!
//! A call is a value that is awaited, or waited for. Names are in Rust's spelling; serde maps them to their names on the wire.
//! Everything from outside is named by its whole path, since a design may have an entity called `Option`.

mod index;
mod module;
mod names;
mod text;
mod types;

use super::clashes;
use super::{Surface, Type};
use crate::files::File;
use crate::header::{MARK, VERSION};
use crate::problem::Problem;
use names::Names;

/// The crate's part that generated code uses.
const LIBRARY: &str = "::sortkey::client::";

/// The files of a client in Rust.
pub fn rust(surface: &Surface) -> Result<Vec<File>, Vec<Problem>> {
    let source = Source { surface, names: Names::of(surface) };
    let mut files = vec![index::file(&source), program(surface), types::file(&source)];
    let mut problems = Vec::new();
    for each in &surface.modules {
        let name = format!("{}.rs", text::name(&each.name));
        if files.iter().any(|file| file.name == name) {
            let what = format!("the module `{}` needs a file of its own, and {name} is taken", each.name);
            problems.push(Problem::new(what).hint("rename the module in the design"));
        }
        files.push(module::file(&source, each, name));
    }
    problems.extend(clashes::members(surface, text::name, &index::MEMBERS, "Rust"));
    if problems.is_empty() { Ok(files) } else { Err(problems) }
}

/// A surface, and the names of what has none in the design.
struct Source<'s> {
    surface: &'s Surface,
    names: Names,
}

impl Source<'_> {
    /// A type as Rust writes it. `own` is put before the names of this client's own types.
    fn ty(&self, ty: &Type, own: &str) -> String {
        let inner = |of: &Type| self.ty(of, own);
        match ty {
            Type::Any => format!("{LIBRARY}Json"),
            Type::Text | Type::IsoTime | Type::Date | Type::Month | Type::Literal(_) => STRING.to_owned(),
            Type::Id(at) => format!("{own}{}", self.surface.ids[*at].name),
            Type::Integer | Type::Long | Type::Milliseconds | Type::Seconds => "i64".to_owned(),
            Type::Number | Type::Digits => format!("{LIBRARY}Decimal"),
            Type::Bool => "bool".to_owned(),
            Type::Bytes => format!("{LIBRARY}Bytes"),
            Type::AnyTime => format!("{LIBRARY}AnyTime"),
            Type::Enum(at) => format!("{own}{}", self.surface.enums[*at].name),
            Type::Union(words) => format!("{own}{}", self.names.union(words)),
            Type::List(of) | Type::Set(of) => format!("::std::vec::Vec<{}>", inner(of)),
            Type::Map(of) => format!("::std::collections::BTreeMap<{STRING}, {}>", inner(of)),
            Type::Record(id) => format!("{own}{}", self.surface.record(*id).name),
            Type::OneOf(ids) => format!("{own}{}", self.names.one_of(ids)),
        }
    }

    /// The type of a parameter: text and ids are borrowed, anything else is given away.
    fn parameter(&self, ty: &Type, optional: bool, own: &str) -> String {
        let plain = match ty {
            Type::Text | Type::IsoTime | Type::Date | Type::Month => "&str".to_owned(),
            Type::Id(_) => format!("&{}", self.ty(ty, own)),
            _ => self.ty(ty, own),
        };
        if optional { option(&plain) } else { plain }
    }

    /// The name of the enum of this client's errors.
    fn error(&self) -> String {
        format!("{}Error", self.names.client)
    }
}

/// Owned text.
const STRING: &str = "::std::string::String";

/// A type of which there may be none.
fn option(ty: &str) -> String {
    format!("::core::option::Option<{ty}>")
}

/// The compiled program, which a core opens, and the tables of tests.
fn program(surface: &Surface) -> File {
    let mut out = format!(
        "{}//! The compiled design.\n\n/// What a core opens.\npub const PROGRAM: &str = {};\n\n\
         /// Which design this client was generated from.\npub const FINGERPRINT: &str = {};\n\n\
         /// The tables as `CreateTable` takes them, for tests.\npub const TABLES: &[{LIBRARY}Table] = &[\n",
        header(surface),
        text::raw(&surface.program),
        text::quoted(&surface.fingerprint),
    );
    for table in &surface.tables {
        let expiry = match &table.time_to_live {
            Some(name) => format!("::core::option::Option::Some({})", text::quoted(name)),
            None => "::core::option::Option::None".to_owned(),
        };
        out += &format!(
            "    {LIBRARY}Table {{ name: {}, create: {}, time_to_live: {expiry} }},\n",
            text::quoted(&table.name),
            text::raw(&table.create)
        );
    }
    out += "];\n";
    File::new("program.rs", out)
}

/// The first lines of every file.
fn header(surface: &Surface) -> String {
    let version = surface.version.map(|version| format!(" version {version}")).unwrap_or_default();
    format!(
        "// {MARK} {VERSION} from design \"{}\"{version}, {}.\n\
         // Do not edit: change the design, and run `sortkey generate rust` again.\n\
         #![cfg_attr(rustfmt, rustfmt_skip)]\n\
         #![allow(clippy::all, clippy::pedantic, dead_code, rustdoc::all, unused_imports)]\n",
        surface.name,
        &surface.fingerprint[..16],
    )
}
