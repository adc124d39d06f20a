//! The client in Python: dataclasses, ids as `NewType`s, a file for each module, over the package `sortkey`.
//!
//! Every call exists twice, in a class that blocks and in one that is awaited. Attributes and parameters are in Python's
//! spelling; `WIRE` in `types.py` maps them to their names on the wire.

mod index;
mod module;
mod text;
mod types;

use super::clashes;
use super::{Surface, Type, Words, snake};
use crate::files::File;
use crate::header::{MARK, VERSION};
use crate::problem::Problem;

/// The file with the compiled program.
const PROGRAM_FILE: &str = "_program.py";

/// The files of a client in Python.
pub fn python(surface: &Surface) -> Result<Vec<File>, Vec<Problem>> {
    let mut files = vec![index::file(surface), program(surface), types::file(surface)];
    let mut problems = Vec::new();
    for each in &surface.modules {
        let name = format!("{}.py", text::name(&each.name));
        if files.iter().any(|file| file.name == name) {
            let what = format!("the module `{}` needs a file of its own, and {name} is taken", each.name);
            problems.push(Problem::new(what).hint("rename the module in the design"));
        }
        files.push(module::file(surface, each, name));
    }
    // The methods of a class, and the names of all that is exported, must differ.
    problems.extend(clashes::members(surface, text::name, &index::MEMBERS, "Python"));
    if problems.is_empty() { Ok(files) } else { Err(problems) }
}

/// The compiled program, which a core opens.
fn program(surface: &Surface) -> File {
    let text = format!(
        "{}\n# What a core opens.\nPROGRAM = {}.encode()\n\n# Which design this client was generated from.\nFINGERPRINT = {}\n",
        header(surface),
        text::quoted(&surface.program),
        text::quoted(&surface.fingerprint),
    );
    File::new(PROGRAM_FILE, text)
}

/// The first lines of every file.
fn header(surface: &Surface) -> String {
    let version = surface.version.map(|version| format!(" version {version}")).unwrap_or_default();
    format!(
        "# {MARK} {VERSION} from design \"{}\"{version}, {}.\n\
         # Do not edit: change the design, and run `sortkey generate python` again.\n",
        surface.name,
        &surface.fingerprint[..16],
    )
}

/// A type as Python writes it. `own` is put before the names of this client's own types.
fn ty(surface: &Surface, ty: &Type, own: &str) -> String {
    let inner = |of: &Type| self::ty(surface, of, own);
    match ty {
        Type::Any => "Any".to_owned(),
        Type::Text | Type::IsoTime | Type::Date | Type::Month => "str".to_owned(),
        Type::Id(at) => format!("{own}{}", surface.ids[*at].name),
        Type::Integer | Type::Long | Type::Milliseconds | Type::Seconds => "int".to_owned(),
        Type::Number | Type::Digits => "Decimal".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Bytes => "bytes".to_owned(),
        Type::AnyTime => "str | int".to_owned(),
        Type::Enum(at) => format!("{own}{}", surface.enums[*at].name),
        Type::Union(words) => literal(words),
        Type::Literal(text) => format!("Literal[{}]", text::quoted(text)),
        Type::List(of) => format!("builtins.list[{}]", inner(of)),
        Type::Set(of) => format!("AbstractSet[{}]", inner(of)),
        Type::Map(of) => format!("builtins.dict[str, {}]", inner(of)),
        Type::Record(id) => format!("{own}{}", surface.record(*id).name),
        Type::OneOf(ids) => {
            let names: Vec<String> =
                ids.iter().map(|id| format!("{own}{}", surface.record(*id).name)).collect();
            names.join(" | ")
        }
    }
}

/// The wire form of a type's values, as an argument of `sortkey.typed`.
fn spec(surface: &Surface, ty: &Type, own: &str) -> String {
    let inner = |of: &Type, name: &str| match spec(surface, of, own).as_str() {
        "None" if name != "SetOf" => "None".to_owned(),
        of => format!("typed.{name}({of})"),
    };
    match ty {
        Type::Bytes => "typed.BYTES".to_owned(),
        Type::Number | Type::Digits => "typed.DECIMAL".to_owned(),
        Type::List(of) => inner(of, "ListOf"),
        Type::Set(of) => inner(of, "SetOf"),
        Type::Map(of) => inner(of, "MapOf"),
        Type::Record(id) => format!("{own}{}", surface.record(*id).name),
        Type::OneOf(ids) => {
            let kind = |id: &super::RecordId| {
                let tag = surface.fields(*id).into_iter().find(|field| field.name == "$entity");
                let tag = tag.map(|field| match &field.ty {
                    Type::Literal(text) => text.clone(),
                    _ => String::new(),
                });
                format!("{}: {own}{}", text::quoted(&tag.unwrap_or_default()), surface.record(*id).name)
            };
            let kinds: Vec<String> = ids.iter().map(kind).collect();
            format!("typed.OneOf({{{}}})", kinds.join(", "))
        }
        _ => "None".to_owned(),
    }
}

/// Words as a literal type. An open enum accepts other text as well.
fn literal(words: &Words) -> String {
    let quoted: Vec<String> = words.words.iter().map(|word| text::quoted(word)).collect();
    match (quoted.is_empty(), words.open) {
        (true, _) => "str".to_owned(),
        (false, true) => format!("Literal[{}] | str", quoted.join(", ")),
        (false, false) => format!("Literal[{}]", quoted.join(", ")),
    }
}

/// The attributes of a record, which must differ: the name in Python of each field.
fn attributes<'f>(names: impl IntoIterator<Item = &'f str>) -> Vec<String> {
    let mut given: Vec<String> = Vec::new();
    for name in names {
        let mut attribute = text::escaped(&snake(name));
        while given.contains(&attribute) {
            attribute.push('_');
        }
        given.push(attribute);
    }
    given
}
