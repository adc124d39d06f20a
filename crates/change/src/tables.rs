//! Tables and indexes: what DynamoDB itself changes, and what it cannot change.

use sortkey_design::Program;
use sortkey_design::model::{Billing, Capacity, Design, Encryption, Index, Key, Name, Projection, Table};

use sortkey_diagnostics::counted;

use crate::{Class, Concern, Difference, Task};

/// Compares the tables of two versions.
pub(crate) fn compare(old: &Program, new: &Program, found: &mut Vec<Difference>) {
    let (old, new): (&Design, &Design) = (&old.design, &new.design);
    for table in &new.tables {
        match old.table(&table.name.text) {
            Some(before) => Pair { old: before, new: table }.compare(found),
            None => found.push(
                Difference::new(Class::Table, subject(table), "is new", "the table is created, empty")
                    .at(table.span),
            ),
        }
    }
    for table in old.tables.iter().filter(|table| new.table(&table.name.text).is_none()) {
        found.push(
            Difference::new(
                Class::Remove,
                subject(table),
                "is gone",
                "the table stays until somebody deletes it; its items are no longer served",
            )
            .of(Concern { table: Some(table.name.text.clone()), ..Concern::default() })
            .at(table.span),
        );
    }
}

fn subject(table: &Table) -> String {
    format!("table {}", table.name)
}

/// A table in both versions.
struct Pair<'a> {
    old: &'a Table,
    new: &'a Table,
}

impl Pair<'_> {
    fn compare(&self, found: &mut Vec<Difference>) {
        let (old, new) = (self.old, self.new);
        if deployed(old) != deployed(new) {
            let change = format!("is called \"{}\" instead of \"{}\"", deployed(new), deployed(old));
            found.push(
                self.moved(change, "DynamoDB cannot rename a table: items have to be copied to a new one"),
            );
        }
        if shape(&old.key) != shape(&new.key) {
            let change = format!("has the key {} instead of {}", shape(&new.key), shape(&old.key));
            found.push(
                self.moved(change, "DynamoDB cannot change a key: items have to be copied to a new table"),
            );
        }
        self.settings(found);
        for index in &new.indexes {
            match old.index(&index.name.text) {
                Some(before) => self.index(before, index, found),
                None => found.push(self.added(index)),
            }
        }
        for index in old.indexes.iter().filter(|index| new.index(&index.name.text).is_none()) {
            found.push(self.dropped(index));
        }
    }

    fn moved(&self, change: String, effect: &str) -> Difference {
        Difference::new(Class::Move, subject(self.new), change, effect).at(self.new.span)
    }

    /// The settings that one call of the control plane changes.
    fn settings(&self, found: &mut Vec<Difference>) {
        let (old, new) = (self.old, self.new);
        let mut differs = |class: Class, what: &str, before: String, after: String, effect: &str| {
            if before != after {
                let change = format!("{what} {after} instead of {before}");
                found.push(Difference::new(class, subject(new), change, effect).at(new.span));
            }
        };
        // `up` never turns off a setting that protects data or that other programs may depend on.
        let given = |is_given: bool| if is_given { Class::Table } else { Class::Remove };
        let stays = |class: Class, effect: &'static str| match class {
            Class::Remove => "it stays until somebody switches it off",
            _ => effect,
        };
        let stream = given(old.stream.is_none());
        differs(
            stream,
            "stream",
            option(old.stream.as_ref()),
            option(new.stream.as_ref()),
            stays(stream, "UpdateTable"),
        );
        let recovery = given(new.recovery_days.unwrap_or(0) > old.recovery_days.unwrap_or(0));
        differs(
            recovery,
            "recovery",
            days(old.recovery_days),
            days(new.recovery_days),
            stays(recovery, "UpdateContinuousBackups"),
        );
        let protection = |table: &Table| if table.deletion_protection { "on" } else { "off" }.to_owned();
        let protected = given(new.deletion_protection);
        differs(
            protected,
            "deletion protection",
            protection(old),
            protection(new),
            stays(protected, "UpdateTable"),
        );
        let ttl = given(old.ttl.is_none());
        differs(
            ttl,
            "ttl",
            option(old.ttl.as_ref()),
            option(new.ttl.as_ref()),
            match ttl {
                Class::Remove => {
                    "the old attribute is switched off by hand first, and DynamoDB takes up to an hour for it"
                }
                _ => "UpdateTimeToLive",
            },
        );
        // Settings that the new design no longer mentions stay as deployed.
        let mut changed =
            |what: &str, is_given: bool, (before, after): (String, String), effect: &'static str| {
                let class = given(is_given);
                differs(class, what, before, after, stays(class, effect));
            };
        changed(
            "billing",
            new.billing.is_some(),
            (billing(old.billing.as_ref()), billing(new.billing.as_ref())),
            "UpdateTable",
        );
        changed(
            "encryption",
            new.encryption.is_some(),
            (encryption(old.encryption.as_ref()), encryption(new.encryption.as_ref())),
            "UpdateTable; DynamoDB encrypts again in the background",
        );
        changed("class", new.class.is_some(), (class(old), class(new)), "UpdateTable");
        // Class 0: `up` creates no replicas, and prints a remark.
        differs(
            Class::Nothing,
            "replicas",
            list(&old.replicas),
            list(&new.replicas),
            "replicas are made by hand",
        );
        if old.kind != new.kind {
            let change =
                format!("kind {} instead of {}", option(new.kind.as_ref()), option(old.kind.as_ref()));
            let concern = Concern { table: Some(new.name.text.clone()), ..Concern::default() };
            let (class, effect, task) = match new.kind {
                Some(_) => (
                    Class::Rewrite,
                    "every item of the table gets the attribute that names its entity",
                    Task::Name,
                ),
                None => (Class::Nothing, "items keep the attribute that names their entity", Task::None),
            };
            let difference = Difference::new(class, subject(new), change, effect);
            found.push(difference.doing(task).of(concern).at(new.span));
        }
    }

    fn index(&self, old: &Index, new: &Index, found: &mut Vec<Difference>) {
        let mut changes = Vec::new();
        if shape(&old.key) != shape(&new.key) {
            changes.push(format!("key {} instead of {}", shape(&new.key), shape(&old.key)));
        }
        if projection(old) != projection(new) {
            changes.push(format!("projects {} instead of {}", projection(new), projection(old)));
        }
        if old.local != new.local || deployed_index(old) != deployed_index(new) {
            changes.push("is another index".to_owned());
        }
        let subject = self.index_subject(new);
        if !changes.is_empty() {
            let (class, effect) = match old.local || new.local {
                true => (Class::Move, "a local index is fixed when its table is created"),
                false => (
                    Class::Remove,
                    "DynamoDB cannot change an index: declare the new one under another name, and drop this one \
                     when nothing reads it any more",
                ),
            };
            found.push(Difference::new(class, subject, changes.join(", "), effect).at(new.span));
        } else if old.provisioned != new.provisioned {
            let change = format!(
                "provisioned {} instead of {}",
                capacity(new.provisioned.as_ref()),
                capacity(old.provisioned.as_ref())
            );
            found.push(Difference::new(Class::Table, subject, change, "UpdateTable").at(new.span));
        }
    }

    fn added(&self, index: &Index) -> Difference {
        let (class, effect) = match index.local {
            true => (Class::Move, "a local index is fixed when its table is created"),
            false => (
                Class::Table,
                "DynamoDB fills it from the attributes that items have; patterns use it when it is ACTIVE",
            ),
        };
        Difference::new(class, self.index_subject(index), "is new", effect).at(index.span)
    }

    fn dropped(&self, index: &Index) -> Difference {
        let class = if index.local { Class::Move } else { Class::Remove };
        let effect = match index.local {
            true => "a local index is fixed when its table is created",
            false => "the index stays until somebody deletes it",
        };
        Difference::new(class, self.index_subject(index), "is gone", effect).at(index.span)
    }

    fn index_subject(&self, index: &Index) -> String {
        format!("index {}.{}", self.new.name, index.name)
    }
}

fn deployed(table: &Table) -> &str {
    table.deployed.as_deref().unwrap_or(&table.name.text)
}

fn deployed_index(index: &Index) -> &str {
    index.deployed.as_deref().unwrap_or(&index.name.text)
}

fn shape(key: &Key) -> String {
    match key.sort.is_empty() {
        true => format!("({})", list(&key.partition)),
        false => format!("({} | {})", list(&key.partition), list(&key.sort)),
    }
}

fn list(names: &[Name]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(", "),
    }
}

fn option(name: Option<&Name>) -> String {
    name.map_or_else(|| "none".to_owned(), |name| name.text.clone())
}

fn days(days: Option<u64>) -> String {
    match days {
        None | Some(0) => "off".to_owned(),
        Some(days) => counted(days, "day"),
    }
}

fn billing(billing: Option<&Billing>) -> String {
    match billing {
        None | Some(Billing::OnDemand) => "on_demand".to_owned(),
        Some(Billing::Provisioned(units)) => format!("provisioned {}", capacity(Some(units))),
    }
}

fn capacity(capacity: Option<&Capacity>) -> String {
    capacity.map_or_else(|| "none".to_owned(), |units| format!("{} rcu {} wcu", units.rcu, units.wcu))
}

fn encryption(encryption: Option<&Encryption>) -> String {
    match encryption {
        None => "aws_owned".to_owned(),
        Some(Encryption { kind, key: None, .. }) => kind.text.clone(),
        Some(Encryption { kind, key: Some(key), .. }) => format!("{kind} \"{key}\""),
    }
}

fn class(table: &Table) -> String {
    table.class.as_ref().map_or_else(|| "standard".to_owned(), |class| class.text.clone())
}

fn projection(index: &Index) -> String {
    match &index.projection {
        None | Some(Projection::All) => "all".to_owned(),
        Some(Projection::Keys) => "keys".to_owned(),
        Some(Projection::Include(names)) => format!("[{}]", list(names)),
    }
}
