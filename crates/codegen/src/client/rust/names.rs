//! Names of what the design writes in place, and Rust needs a name for: unions, and one of several kinds of items.

use crate::client::{Output, RecordId, Role, Surface, Type, Words, pascal};

/// The names of a client.
pub(super) struct Names {
    /// The client's own.
    pub(super) client: String,
    /// Unions, each once.
    pub(super) unions: Vec<(Words, String)>,
    /// Kinds of items that a collection gives, each list once.
    pub(super) kinds: Vec<(Vec<RecordId>, String)>,
    taken: Vec<String>,
}

impl Names {
    pub(super) fn of(surface: &Surface) -> Names {
        let client = crate::client::names::client_name(surface);
        let mut taken = vec![
            client.clone(),
            format!("{client}Error"),
            format!("{client}Change"),
            "Caller".to_owned(),
            "Handlers".to_owned(),
        ];
        taken.extend(surface.modules.iter().map(|module| pascal(&module.name)));
        taken.extend(surface.ids.iter().map(|id| id.name.clone()));
        taken.extend(surface.enums.iter().map(|each| each.name.clone()));
        taken.extend(surface.records.iter().map(|record| record.name.clone()));
        let mut names = Names { client, unions: Vec::new(), kinds: Vec::new(), taken };
        // Items first, so that `status` of an item names the union, and not an input that repeats it.
        let order = |role: Role| u8::from(role != Role::Item);
        let mut records: Vec<_> = surface.records.iter().collect();
        records.sort_by_key(|record| order(record.role));
        for record in records {
            for field in &record.fields {
                names.add(&field.ty, &format!("{}{}", record.name, pascal(&field.name)));
            }
        }
        surface
            .caller
            .iter()
            .for_each(|field| names.add(&field.ty, &format!("Caller{}", pascal(&field.name))));
        for call in surface.every_call() {
            let own = pascal(&call.own);
            for each in &call.parameters {
                names.add(&each.ty, &format!("{own}{}", pascal(&each.name)));
            }
            match &call.output {
                Output::One { ty, .. } | Output::Page(ty) | Output::All(ty) => {
                    names.add(ty, &format!("{own}Item"))
                }
                Output::Nothing => {}
            }
        }
        for effect in &surface.effects {
            names.add(&effect.result, &format!("{}Result", pascal(&effect.name)));
        }
        names
    }

    fn add(&mut self, ty: &Type, name: &str) {
        match ty {
            Type::Union(words) if !self.unions.iter().any(|(known, _)| known == words) => {
                let name = self.free(name);
                self.unions.push((words.clone(), name));
            }
            Type::OneOf(ids) if !self.kinds.iter().any(|(known, _)| known == ids) => {
                let name = self.free(name);
                self.kinds.push((ids.clone(), name));
            }
            Type::List(of) | Type::Set(of) | Type::Map(of) => self.add(of, name),
            _ => {}
        }
    }

    fn free(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        while self.taken.contains(&free) {
            free.push('_');
        }
        self.taken.push(free.clone());
        free
    }

    /// The name of a union.
    pub(super) fn union(&self, words: &Words) -> &str {
        let known = self.unions.iter().find(|(known, _)| known == words);
        known.map_or("String", |(_, name)| name)
    }

    /// The name of what is one of several kinds of items.
    pub(super) fn one_of(&self, ids: &[RecordId]) -> &str {
        let known = self.kinds.iter().find(|(known, _)| known == ids);
        known.map_or("Json", |(_, name)| name)
    }
}
