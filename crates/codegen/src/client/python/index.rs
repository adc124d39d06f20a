//! `__init__.py`: the two clients, and everything that the other files export.

use std::fmt::Write as _;

use super::header;
use super::module::{IMPORTS, Kind, method};
use super::text::{self, quoted};
use super::types::classes;
use crate::client::{Surface, Trigger, pascal};
use crate::files::File;

/// The client's own members, beside modules and calls.
pub(super) const MEMBERS: [&str; 4] = ["acting_as", "changes", "is_async", "workers"];

/// The options of a client, beside the SDK's client and the caller.
const OPTIONS: [(&str, &str, &str); 9] = [
    ("keyring", "sortkey.Keyring | None", "None"),
    ("effects", "Mapping[str, Callable[[Any], Any]] | None", "None"),
    ("on_request", "Callable[[sortkey.Request], None] | None", "None"),
    ("clock", "Callable[[], int] | None", "None"),
    ("seed", "bytes | None", "None"),
    ("cursor_key", "bytes | None", "None"),
    ("table_prefix", "str | None", "None"),
    ("parameters", "Mapping[str, str] | None", "None"),
    ("bcrypt_cost", "int", "12"),
];

/// The file.
pub(super) fn file(surface: &Surface) -> File {
    let imports = IMPORTS
        .replace("import Set as AbstractSet", "import Callable, Iterable, Mapping, Set as AbstractSet")
        .replace("from sortkey import typed", "import sortkey\nfrom sortkey import typed")
        .replace(
            "import builtins\n",
            if has_schedules(surface) { "import builtins\nimport datetime\n" } else { "import builtins\n" },
        )
        .replace("from . import types\n", "");
    let mut own: Vec<String> = surface.ids.iter().map(|id| id.name.clone()).collect();
    own.extend(surface.enums.iter().map(|each| each.name.clone()));
    own.extend(classes(surface).into_iter().map(|id| surface.record(id).name.clone()));
    own.extend(surface.errors.iter().map(|name| pascal(name)));
    if !surface.caller.is_empty() {
        own.push("Caller".to_owned());
    }
    own.sort();
    own.dedup();
    let (name, awaited) = client_names(surface, &own);
    let mut out = format!(
        "{}\n\"\"\"A client of the design `{}`: `{name}` blocks, `{awaited}` is awaited.\"\"\"\n\n{imports}",
        header(surface),
        surface.name,
    );
    out += "from . import types\nfrom ._program import FINGERPRINT, PROGRAM\n";
    for module in &surface.modules {
        let _ = writeln!(out, "from . import {0} as _{0}", text::name(&module.name));
    }
    if !own.is_empty() {
        let _ = writeln!(out, "from .types import (\n    {},\n)", own.join(",\n    "));
    }
    let feed = format!("{name}Change");
    if let Some(kinds) = followed(surface) {
        let kinds: Vec<String> = kinds.iter().map(|(_, record)| format!("typed.Change[{record}]")).collect();
        let _ = writeln!(
            out,
            "\n# A change of an item, from the stream of its table.\n{feed} = (\n    {}\n)",
            kinds.join("\n    | ")
        );
        own.push(feed);
    }
    for kind in [Kind::Blocking, Kind::Awaited] {
        out += &workers(surface, &name, kind);
        out += &client(surface, if kind == Kind::Blocking { &name } else { &awaited }, kind);
    }
    own.extend([name, awaited, "FINGERPRINT".to_owned()]);
    own.sort();
    let all: Vec<String> = own.iter().map(|name| quoted(name)).collect();
    let _ = write!(out, "\n\n__all__ = [\n    {},\n]\n", all.join(",\n    "));
    File::new("__init__.py", out)
}

/// The names of the two clients. A type of the design may have the design's own name.
fn client_names(surface: &Surface, own: &[String]) -> (String, String) {
    let name = pascal(&surface.name);
    let name = if own.contains(&name) { format!("{name}Client") } else { name };
    let awaited = format!("Async{name}");
    (name, awaited)
}

/// A client: its modules as attributes, the other calls as methods.
fn client(surface: &Surface, name: &str, kind: Kind) -> String {
    let (class, is_async, sdk) = match kind {
        Kind::Blocking => ("Client", "False", "a boto3 client of `dynamodb`"),
        Kind::Awaited => ("AsyncClient", "True", "an aiobotocore client of `dynamodb`"),
    };
    let caller = if surface.caller.is_empty() { "None" } else { "types.Caller | None" };
    let mut out = format!(
        "\n\nclass {name}:\n    \"\"\"The design `{}`, over {sdk} or a transport of `sortkey`.\"\"\"\n\n    \
         IS_ASYNC = {is_async}\n\n    def __init__(\n        self,\n        client: object,\n        *,\n        \
         caller: {caller} = None,\n",
        surface.name
    );
    for (option, ty, default) in OPTIONS {
        let _ = writeln!(out, "        {option}: {ty} = {default},");
    }
    out += "    ) -> None:\n        options: dict[str, Any] = {\n";
    for (option, ..) in OPTIONS {
        let _ = writeln!(out, "            {0}: {option},", quoted(option));
    }
    let given =
        if surface.caller.is_empty() { "caller" } else { "cast(\"Mapping[str, Any] | None\", caller)" };
    let _ = write!(
        out,
        "        }}\n        self._bind(\n            typed.{class}.open(\n                \
         PROGRAM, FINGERPRINT, types.WIRE, types.DECLARED, client, {given}, options\n            )\n        )\n\n    \
         def _bind(self, client: typed.{class}) -> None:\n        self._client = client\n"
    );
    for module in &surface.modules {
        let attribute = text::name(&module.name);
        let prefix = if kind == Kind::Blocking { "" } else { "Async" };
        let _ =
            writeln!(out, "        self.{attribute} = _{attribute}.{prefix}{}(client)", pascal(&module.name));
    }
    if !surface.workers.is_empty() {
        let (own, prefix) = match kind {
            Kind::Blocking => (name, ""),
            Kind::Awaited => (name.strip_prefix("Async").unwrap_or(name), "Async"),
        };
        let _ = writeln!(out, "        self.workers = {prefix}{own}Workers(client.program)");
    }
    if !surface.caller.is_empty() {
        let _ = write!(
            out,
            "\n    def acting_as(self, caller: types.Caller) -> {name}:\n        \
             \"\"\"The same database, as another caller sees it.\"\"\"\n        \
             other = {name}.__new__({name})\n        \
             other._bind(self._client.acting_as(cast(\"Mapping[str, Any]\", caller)))\n        return other\n"
        );
    }
    out += &changes(surface, name, kind);
    for call in &surface.calls {
        out += &method(surface, call, kind);
    }
    out
}

/// The method that reads the records of a stream, if there is one to follow.
fn changes(surface: &Surface, name: &str, kind: Kind) -> String {
    let Some(kinds) = followed(surface) else { return String::new() };
    let feed = name.strip_prefix("Async").filter(|_| kind == Kind::Awaited).unwrap_or(name);
    let kinds: Vec<String> =
        kinds.iter().map(|(entity, record)| format!("{}: types.{record}", quoted(entity))).collect();
    format!(
        "\n    def changes(self, records: Iterable[Mapping[str, Any]]) -> builtins.list[{feed}Change]:\n        \
         \"\"\"Changes from a stream, in the design's types: `event[\"Records\"]` of a Lambda.\"\"\"\n        \
         return self._client.changes({{{}}}, records)\n",
        kinds.join(", ")
    )
}

/// The kinds of items whose changes can be followed: the entity's name in the design, and its class.
fn followed(surface: &Surface) -> Option<Vec<(&str, &str)>> {
    let items = surface.feeds.iter().flat_map(|feed| &feed.items);
    let kinds: Vec<(&str, &str)> =
        items.map(|(entity, id)| (entity.as_str(), surface.record(*id).name.as_str())).collect();
    (!kinds.is_empty()).then_some(kinds)
}

fn has_schedules(surface: &Surface) -> bool {
    surface.workers.iter().any(|each| each.trigger == Trigger::Every)
}

/// The workers of a client, as methods.
fn workers(surface: &Surface, client: &str, kind: Kind) -> String {
    if surface.workers.is_empty() {
        return String::new();
    }
    let prefix = if kind == Kind::Blocking { "" } else { "Async" };
    let mut out = format!(
        "\n\nclass {prefix}{client}Workers(typed.{prefix}Workers):\n    \"\"\"The workers of `{}`: each method does what there is \
         to do and returns.\"\"\"\n",
        surface.name
    );
    let changes = surface.workers.iter().filter(|each| matches!(each.trigger, Trigger::Changes { .. }));
    let changes: Vec<&str> = changes.map(|each| &*each.name).collect();
    if !changes.is_empty() {
        let named: Vec<String> = changes.iter().map(|name| format!("`{name}`")).collect();
        let listed: Vec<String> = changes.iter().map(|name| quoted(name)).collect();
        out += &worker_method(
            kind,
            "records",
            ["records: Iterable[Mapping[str, Any]]", "*", ON_FAILURE],
            "typed.BatchAnswer",
            &format!(
                "Runs what the records of a stream start: {}. Lambda takes the answer.",
                named.join(", ")
            ),
            &format!("_records([{}], records, on_failure)", listed.join(", ")),
        );
    }
    for each in &surface.workers {
        let (method, name) = (text::name(&each.name), quoted(&each.name));
        out += &match &each.trigger {
            Trigger::Changes { .. } => continue,
            Trigger::Due { item, concurrency, per } => {
                let entity = &surface.record(*item).name;
                let per = per.map_or("None".to_owned(), |per| per.to_string());
                let docs = format!(
                    "Runs `{}` on every `{entity}` that is due; none begins after `until`, in seconds since 1970.",
                    each.name
                );
                let body = format!("_due({name}, {concurrency}, {per}, until, on_failure)");
                let parameters = ["*", "until: float | None = None", ON_FAILURE];
                worker_method(kind, &method, parameters, "typed.WorkReport", &docs, &body)
            }
            Trigger::Every => {
                let docs = format!("Runs the slot of `{}` that a moment belongs to, once.", each.name);
                let parameters = ["at: datetime.datetime | str | None = None"];
                worker_method(
                    kind,
                    &method,
                    parameters,
                    "typed.WorkReport",
                    &docs,
                    &format!("_slot({name}, at)"),
                )
            }
        };
    }
    out
}

/// The parameter with the function that is called for failed runs.
const ON_FAILURE: &str = "on_failure: typed.OnFailure | None = None";

fn worker_method<const COUNT: usize>(
    kind: Kind,
    name: &str,
    parameters: [&str; COUNT],
    result: &str,
    docs: &str,
    body: &str,
) -> String {
    let (verb, waits) = if kind == Kind::Blocking { ("def", "") } else { ("async def", "await ") };
    format!(
        "\n    {verb} {name}(self, {}) -> {result}:\n        \"\"\"{docs}\"\"\"\n        return {waits}self.{body}\n",
        parameters.join(", ")
    )
}
