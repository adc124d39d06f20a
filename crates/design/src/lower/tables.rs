//! Tables, indexes, defaults.

use super::{Lower, Unit};
use crate::model::*;
use crate::problems::{ARGUMENT, NUMBER};
use sortkey_syntax::ast::{self, AstNode, Item, TableClause, docs};

/// Fills the settings that a table leaves open from `defaults`.
pub(super) fn apply_defaults(design: &mut Design, units: &[Unit], lower: &mut Lower<'_>) {
    let mut defaults = Table::default();
    for unit in units {
        lower.file = unit.file;
        for item in unit.parse.file().items() {
            if let Item::Defaults(each) = item {
                for clause in each.clauses() {
                    lower.of_one_table(&clause);
                    lower.table_clause(&clause, &mut defaults, &mut design.allows);
                }
            }
        }
    }
    for table in &mut design.tables {
        table.billing = table.billing.take().or_else(|| defaults.billing.clone());
        table.stream = table.stream.take().or_else(|| defaults.stream.clone());
        table.recovery_days = table.recovery_days.or(defaults.recovery_days);
        table.deletion_protection |= defaults.deletion_protection;
        table.encryption = table.encryption.take().or_else(|| defaults.encryption.clone());
        table.class = table.class.take().or_else(|| defaults.class.clone());
        table.kind = table.kind.take().or_else(|| defaults.kind.clone());
        if table.replicas.is_empty() {
            table.replicas.clone_from(&defaults.replicas);
        }
    }
}

impl Lower<'_> {
    pub(super) fn table(&mut self, table: &ast::Table, allows: &mut Vec<Allow>) -> Table {
        let mut lowered = Table {
            name: self.name(table.name()),
            deployed: table.deployed().map(|name| name.value()),
            deployed_span: table.deployed().map(|name| self.span(name.range())),
            span: self.span(table.range()),
            docs: docs(table.syntax()),
            ..Table::default()
        };
        for clause in table.clauses() {
            self.table_clause(&clause, &mut lowered, allows);
        }
        lowered
    }

    fn table_clause(&mut self, clause: &TableClause, table: &mut Table, allows: &mut Vec<Allow>) {
        match clause {
            TableClause::Key(key) => table.key = self.key(key.shape().as_ref()),
            TableClause::Index(index) => {
                let span = self.span(index.range());
                allows.extend(index.allows().map(|allow| self.allow(&allow, span)));
                let lowered = self.index(index);
                table.indexes.push(lowered);
            }
            TableClause::Billing(billing) => {
                table.billing = Some(match billing.provisioned() {
                    Some(provisioned) => Billing::Provisioned(self.capacity(&provisioned)),
                    None => Billing::OnDemand,
                });
            }
            TableClause::Ttl(ttl) => table.ttl = Some(self.name(ttl.attribute())),
            TableClause::Stream(stream) => table.stream = Some(self.name(stream.view())),
            TableClause::Recovery(recovery) => {
                let days = recovery.period().map(|period| self.days(&period));
                if let (Some(0), Some(period)) = (days, recovery.period()) {
                    let span = self.span(period.range());
                    self.problems.push(NUMBER.at(span, "this keeps nothing").note("Write `recovery off`."));
                }
                table.recovery_days = Some(if recovery.is_off() { 0 } else { days.unwrap_or(35) });
            }
            TableClause::Protect(_) => table.deletion_protection = true,
            TableClause::Encryption(encryption) => {
                table.encryption = Some(Encryption {
                    kind: self.name(encryption.kind()),
                    key: encryption.key().map(|key| key.value()),
                    key_span: encryption.key().map(|key| self.span(key.range())),
                });
            }
            TableClause::Replicas(replicas) => table.replicas = self.names(replicas.regions().as_ref()),
            TableClause::Class(class) => table.class = Some(self.name(class.class())),
            TableClause::Kind(kind) => table.kind = Some(self.name(kind.attribute())),
            TableClause::Allow(allow) => {
                let lowered = self.allow(allow, table.span);
                allows.push(lowered);
            }
        }
    }

    /// `defaults` holds settings: what a table consists of is its own.
    fn of_one_table(&mut self, clause: &TableClause) {
        let (word, range) = match clause {
            TableClause::Key(each) => ("key", each.range()),
            TableClause::Index(each) => ("index", each.range()),
            TableClause::Ttl(each) => ("ttl", each.range()),
            _ => return,
        };
        let title = format!("`{word}` belongs to a table, not to `defaults`");
        self.problems.push(ARGUMENT.at(self.span(range), title).label("would have no effect"));
    }

    fn index(&mut self, index: &ast::Index) -> Index {
        let projection = index.project();
        Index {
            name: self.name(index.name()),
            deployed: index.deployed().map(|name| name.value()),
            local: index.is_local(),
            key: self.key(index.shape().as_ref()),
            projection: projection.as_ref().map(|project| match (project.names(), project.word()) {
                (Some(names), _) => Projection::Include(self.names(Some(&names))),
                (None, Some(word)) if word.text() == "keys" => Projection::Keys,
                _ => Projection::All,
            }),
            projection_span: projection.map(|project| self.span(project.range())),
            sparse: index.sparse().map(|sparse| self.span(sparse.range())),
            provisioned: index.provisioned().map(|provisioned| self.capacity(&provisioned)),
            span: self.span(index.range()),
        }
    }

    fn key(&self, shape: Option<&ast::Shape>) -> Key {
        let Some(shape) = shape else { return Key::default() };
        Key {
            partition: self.names(shape.partition().as_ref()),
            sort: self.names(shape.sort().as_ref()),
            span: self.span(shape.range()),
        }
    }

    fn capacity(&mut self, provisioned: &ast::Provisioned) -> Capacity {
        let (rcu, wcu) = provisioned.units();
        Capacity {
            rcu: rcu.map_or(0, |number| self.plain(&number)),
            wcu: wcu.map_or(0, |number| self.plain(&number)),
        }
    }
}
