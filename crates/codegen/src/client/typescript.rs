//! The client in TypeScript: plain interfaces, a file for each module, over the npm package `sortkey`.
//!
//! No conditional and no mapped types: an editor shows what a call takes and gives, and `tsc` reads a hundred entities in
//! no time.

mod index;
mod module;
mod program;
mod records;
mod text;

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::{Surface, Type, Words, camel};
use crate::files::File;
use crate::header::{MARK, VERSION};
use crate::problem::Problem;

/// The files of a client in TypeScript.
pub fn typescript(surface: &Surface) -> Result<Vec<File>, Vec<Problem>> {
    let mut files = vec![index::file(surface), program::file(surface), records::file(surface)];
    let mut problems = Vec::new();
    for each in &surface.modules {
        let name = format!("{}.ts", each.name);
        if files.iter().any(|file| file.name.eq_ignore_ascii_case(&name)) {
            let what = format!("the module `{}` needs a file of its own, and {name} is taken", each.name);
            problems.push(Problem::new(what).hint("rename the module in the design"));
        }
        files.push(module::file(surface, each));
    }
    let mut members: Vec<String> = surface.modules.iter().map(|each| camel(&each.name)).collect();
    members.extend(surface.calls.iter().map(|each| each.name.clone()));
    members.extend(index::MEMBERS.map(str::to_owned));
    members.sort();
    for pair in members.windows(2).filter(|pair| pair[0] == pair[1]) {
        let what = format!("two members of the client would be called `{}`", pair[0]);
        problems.push(Problem::new(what).hint("rename the module or the call in the design"));
    }
    if problems.is_empty() { Ok(files) } else { Err(problems) }
}

/// The function that binds a module to a client.
fn module_function(name: &str) -> String {
    text::parameter(&camel(name))
}

/// A file under construction, with the names that it imports.
struct Source<'s> {
    surface: &'s Surface,
    text: String,
    /// Names of this client's own types.
    own: RefCell<BTreeSet<String>>,
    /// Names of the package's types.
    library: RefCell<BTreeSet<&'static str>>,
}

impl<'s> Source<'s> {
    fn new(surface: &'s Surface) -> Source<'s> {
        Source { surface, text: String::new(), own: RefCell::default(), library: RefCell::default() }
    }

    /// Says that a type of the package is used.
    fn library(&self, name: &'static str) -> &'static str {
        self.library.borrow_mut().insert(name);
        name
    }

    /// Says that a type of this client is used.
    fn own(&self, name: &str) -> String {
        self.own.borrow_mut().insert(name.to_owned());
        name.to_owned()
    }

    /// A type as TypeScript writes it.
    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Any => "unknown".to_owned(),
            Type::Text => "string".to_owned(),
            Type::Id(at) => self.own(&self.surface.ids[*at].name),
            Type::Integer | Type::Number => "number".to_owned(),
            Type::Digits | Type::Long => self.library("Digits").to_owned(),
            Type::Bool => "boolean".to_owned(),
            Type::Bytes => "Uint8Array".to_owned(),
            Type::IsoTime => self.library("IsoTime").to_owned(),
            Type::Milliseconds => self.library("Milliseconds").to_owned(),
            Type::Seconds => self.library("Seconds").to_owned(),
            Type::AnyTime => format!("{} | {}", self.library("IsoTime"), self.library("Milliseconds")),
            Type::Date => self.library("IsoDate").to_owned(),
            Type::Month => self.library("IsoMonth").to_owned(),
            Type::Enum(at) => self.own(&self.surface.enums[*at].name),
            Type::Union(words) => union(words),
            Type::Literal(text) => text::quoted(text),
            Type::List(of) | Type::Set(of) => {
                let of = self.ty(of);
                if of.contains(" | ") { format!("({of})[]") } else { format!("{of}[]") }
            }
            Type::Map(of) => format!("{{ [name: string]: {} }}", self.ty(of)),
            Type::Record(id) => self.own(&self.surface.record(*id).name),
            Type::OneOf(ids) => {
                let names: Vec<String> =
                    ids.iter().map(|id| self.own(&self.surface.record(*id).name)).collect();
                names.join(" | ")
            }
        }
    }

    /// The file: header, imports, text.
    fn file(self, name: String, imports: &str) -> File {
        let mut head = header(self.surface);
        let list = |names: Vec<String>| names.join(", ");
        let library: Vec<String> = self.library.borrow().iter().map(ToString::to_string).collect();
        if !library.is_empty() {
            head += &format!("import type {{ {} }} from \"sortkey\";\n", list(library));
        }
        head += imports;
        let own: Vec<String> = self.own.borrow().iter().cloned().collect();
        if !own.is_empty() && name != records::FILE {
            head += &format!("import type {{ {} }} from \"./types.js\";\n", list(own));
        }
        File::new(name, format!("{head}\n{}", self.text))
    }
}

/// The first lines of every file.
fn header(surface: &Surface) -> String {
    let version = surface.version.map(|version| format!(" version {version}")).unwrap_or_default();
    format!(
        "// {MARK} {VERSION} from design \"{}\"{version}, {}.\n\
         // Do not edit: change the design, and run `sortkey generate typescript` again.\n\n",
        surface.name,
        &surface.fingerprint[..16],
    )
}

/// Words as a union. An open one accepts other text as well, and editors still propose the words.
fn union(words: &Words) -> String {
    let mut members: Vec<String> = words.words.iter().map(|word| text::quoted(word)).collect();
    if words.open || members.is_empty() {
        members.push("(string & {})".to_owned());
    }
    members.join(" | ")
}
