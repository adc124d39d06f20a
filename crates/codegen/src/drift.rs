//! Drift: live tables compared with the design, every difference with its expected and its found value.

mod report;

use sortkey_diagnostics::Span;

use crate::deployed::Found;
use crate::model::*;

pub use report::{drift_json, drift_sarif, drift_text};

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The table's name in the design.
    pub design_name: String,
    /// The table's deployed name.
    pub table: String,
    /// The index, if the difference is one of an index.
    pub index: Option<String>,
    /// The setting that differs, as a word: `key`, `billing`, `tags.team`.
    pub what: String,
    /// The value that design and stage ask for.
    pub expected: String,
    /// The value that is there.
    pub found: String,
    /// The place of the setting in the design.
    pub span: Span,
}

/// The comparison of a whole deployment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drift {
    /// Every difference, table by table.
    pub differences: Vec<Difference>,
    /// The settings that could not be compared.
    pub remarks: Vec<String>,
}

/// Compares each table with the one that is there, if any.
pub fn drift<'a>(tables: impl Iterator<Item = (&'a Table, Option<&'a Found>)>) -> Drift {
    let mut drift = Drift::default();
    for (table, found) in tables {
        let mut comparison = Comparison { table, drift: &mut drift };
        match found {
            None => comparison.differs("table", "present", "absent"),
            Some(found) => comparison.all(found),
        }
    }
    drift
}

struct Comparison<'a> {
    table: &'a Table,
    drift: &'a mut Drift,
}

impl Comparison<'_> {
    fn all(&mut self, found: &Found) {
        let table = self.table;
        let key = |types: &dyn Fn(&str) -> String, key: &Key| shape(key, types);
        let wanted_types = |name: &str| table.type_of(name).to_owned();
        let found_types = |name: &str| found.types.get(name).cloned().unwrap_or_default();
        self.compare("key", key(&wanted_types, &table.key), key(&found_types, &found.key));
        self.local_indexes(found, &wanted_types, &found_types);
        self.global_indexes(found, &wanted_types, &found_types);
        self.billing(found);
        self.compare("stream", shown(table.stream.as_deref()), shown(found.stream.as_deref()));
        self.compare(
            "deletion protection",
            switch(table.deletion_protection),
            switch(found.deletion_protection),
        );
        self.encryption(found);
        self.compare("table class", table.class.as_str().to_owned(), found.class.as_str().to_owned());
        self.time_to_live(found);
        self.recovery(found);
        self.tags(found);
        if !table.replicas.is_empty() {
            self.remark("its replicas were not compared");
        }
        if table.insights {
            self.remark("its contributor insights were not compared");
        }
    }

    fn local_indexes(
        &mut self,
        found: &Found,
        wanted_types: &dyn Fn(&str) -> String,
        found_types: &dyn Fn(&str) -> String,
    ) {
        let table = self.table;
        for index in &table.local {
            match found.local.iter().find(|there| there.name == index.name) {
                None => self.index_differs(&index.name, "local index", "present", "absent", None),
                Some(there) => {
                    let (wanted, found) = (shape(&index.key, wanted_types), shape(&there.key, found_types));
                    self.compare_index(&index.name, "key", wanted, found, None);
                    let (wanted, found) = (projected(&index.projection), projected(&there.projection));
                    self.compare_index(&index.name, "projection", wanted, found, None);
                }
            }
        }
        let extra = |there: &&LocalIndex| !table.local.iter().any(|index| index.name == there.name);
        for there in found.local.iter().filter(extra) {
            self.index_differs(&there.name, "local index", "absent", "present", None);
        }
    }

    fn global_indexes(
        &mut self,
        found: &Found,
        wanted_types: &dyn Fn(&str) -> String,
        found_types: &dyn Fn(&str) -> String,
    ) {
        let table = self.table;
        for index in &table.global {
            match found.global.iter().find(|there| there.name == index.name) {
                None => self.index_differs(&index.name, "index", "present", "absent", index.span),
                Some(there) => {
                    let (wanted, found) = (shape(&index.key, wanted_types), shape(&there.key, found_types));
                    self.compare_index(&index.name, "key", wanted, found, index.span);
                    let (wanted, found) = (projected(&index.projection), projected(&there.projection));
                    self.compare_index(&index.name, "projection", wanted, found, index.span);
                    self.index_capacity(index, there);
                }
            }
        }
        let extra = |there: &&GlobalIndex| !table.global.iter().any(|index| index.name == there.name);
        for there in found.global.iter().filter(extra) {
            self.index_differs(&there.name, "index", "absent", "present", None);
        }
    }

    /// Capacity that scales is not compared: it is meant to change.
    fn index_capacity(&mut self, index: &GlobalIndex, there: &GlobalIndex) {
        let Some(wanted) = index.capacity else { return };
        let found = there.capacity.unwrap_or(Capacity { read: 0, write: 0 });
        let scaling = index.scaling;
        for (what, scales, wanted, found) in [
            ("read capacity", scaling.read.is_some(), wanted.read, found.read),
            ("write capacity", scaling.write.is_some(), wanted.write, found.write),
        ] {
            if !scales {
                self.compare_index(&index.name, what, wanted.to_string(), found.to_string(), index.span);
            }
        }
    }

    fn billing(&mut self, found: &Found) {
        let Some(there) = &found.billing else { return };
        match (&self.table.billing, there) {
            (Billing::OnDemand(wanted), Billing::OnDemand(found)) => {
                let units =
                    |units: Option<u64>| units.map_or("unlimited".to_owned(), |units| units.to_string());
                self.compare("maximum reads", units(wanted.read), units(found.read));
                self.compare("maximum writes", units(wanted.write), units(found.write));
            }
            (Billing::Provisioned(wanted), Billing::Provisioned(found)) => {
                let scaling = self.table.scaling;
                if scaling.read.is_none() {
                    self.compare("read capacity", wanted.read.to_string(), found.read.to_string());
                }
                if scaling.write.is_none() {
                    self.compare("write capacity", wanted.write.to_string(), found.write.to_string());
                }
            }
            (wanted, found) => self.compare("billing", mode(wanted), mode(found)),
        }
    }

    /// A key is compared by its ARN; an alias or an id could be any key.
    fn encryption(&mut self, found: &Found) {
        let kms = |encryption: &Encryption| *encryption != Encryption::Owned;
        let kind = |kms: bool| if kms { "a KMS key".to_owned() } else { "a key that AWS owns".to_owned() };
        match (&self.table.encryption, &found.encryption) {
            (Encryption::Customer(wanted), Encryption::Customer(found)) if wanted.starts_with("arn:") => {
                self.compare("encryption", wanted.clone(), found.clone());
            }
            (wanted, found) => self.compare("encryption", kind(kms(wanted)), kind(kms(found))),
        }
    }

    fn time_to_live(&mut self, found: &Found) {
        match &found.ttl {
            Some(there) => self.compare("expiry", shown(self.table.ttl.as_deref()), shown(there.as_deref())),
            None => self.remark("its expiry could not be read"),
        }
    }

    /// A design without a recovery setting accepts any.
    fn recovery(&mut self, found: &Found) {
        let Some(wanted) = self.table.recovery_days else { return };
        let days = |days: u64| if days == 0 { "off".to_owned() } else { format!("{days} days") };
        match found.recovery_days {
            Some(there) => self.compare("recovery", days(wanted), days(there)),
            None => self.remark("its recovery could not be read"),
        }
    }

    /// Tags beside those of design and stage belong to others.
    fn tags(&mut self, found: &Found) {
        let Some(there) = &found.tags else {
            self.remark("its tags could not be read");
            return;
        };
        for (key, wanted) in &self.table.tags {
            let found = there.get(key).map_or("absent".to_owned(), |value| format!("\"{value}\""));
            self.compare(&format!("tag {key}"), format!("\"{wanted}\""), found);
        }
    }

    fn compare(&mut self, what: &str, expected: String, found: String) {
        if expected != found {
            self.differs(what, &expected, &found);
        }
    }

    fn compare_index(
        &mut self,
        index: &str,
        what: &str,
        expected: String,
        found: String,
        span: Option<Span>,
    ) {
        if expected != found {
            self.index_differs(index, what, &expected, &found, span);
        }
    }

    fn differs(&mut self, what: &str, expected: &str, found: &str) {
        self.push(None, what, expected, found, None);
    }

    fn index_differs(&mut self, index: &str, what: &str, expected: &str, found: &str, span: Option<Span>) {
        self.push(Some(index.to_owned()), what, expected, found, span);
    }

    fn push(&mut self, index: Option<String>, what: &str, expected: &str, found: &str, span: Option<Span>) {
        self.drift.differences.push(Difference {
            design_name: self.table.design_name.clone(),
            table: self.table.name.clone(),
            index,
            what: what.to_owned(),
            expected: expected.to_owned(),
            found: found.to_owned(),
            span: span.unwrap_or(self.table.span),
        });
    }

    fn remark(&mut self, what: &str) {
        self.drift.remarks.push(format!("table \"{}\": {what}", self.table.name));
    }
}

/// A key as the language writes it, with types: `(userId S | at N)`.
fn shape(key: &Key, types: &dyn Fn(&str) -> String) -> String {
    let part = |names: &[String]| {
        let typed: Vec<String> = names.iter().map(|name| format!("{name} {}", types(name))).collect();
        typed.join(", ")
    };
    match key.sort.is_empty() {
        true => format!("({})", part(&key.partition)),
        false => format!("({} | {})", part(&key.partition), part(&key.sort)),
    }
}

fn projected(projection: &Projection) -> String {
    let mut names = projection.names().to_vec();
    names.sort();
    match projection {
        Projection::All => "all".to_owned(),
        Projection::KeysOnly => "keys".to_owned(),
        Projection::Include(_) => format!("[{}]", names.join(", ")),
    }
}

fn mode(billing: &Billing) -> String {
    match billing {
        Billing::OnDemand(_) => "on demand".to_owned(),
        Billing::Provisioned(capacity) => format!("provisioned {} rcu {} wcu", capacity.read, capacity.write),
    }
}

fn switch(on: bool) -> String {
    if on { "on" } else { "off" }.to_owned()
}

fn shown(value: Option<&str>) -> String {
    value.unwrap_or("none").to_owned()
}

#[cfg(test)]
mod tests;
