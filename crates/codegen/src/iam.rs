//! `sortkey generate iam`: one policy for each module and each worker, with exactly what the plans of its calls need.

use sortkey_design::Program;
use sortkey_design::program::{Callee, IndexId, TableId};

use crate::access::{Accesses, Keys, Tenants, accesses, worker_accesses};
use crate::files::File;
use crate::header;
use crate::model::{Deployment, Encryption, Table};
use crate::node::{Map, Node};

/// The file of all policies.
const IAM_FILE: &str = "iam.json";

/// Settings of policies beside the needs of the plans.
#[derive(Clone, Debug, Default)]
pub struct IamOptions {
    /// The account of the tables; any if there is none.
    pub account: Option<String>,
    /// Whether keys of a tenant must name the tenant in the tags of the principal.
    pub per_tenant: bool,
}

/// The policies of a design's modules, in one file. A design without modules has one policy, under its own name.
pub fn iam(program: &Program, deployment: &Deployment, options: &IamOptions) -> Vec<File> {
    let (mut policies, mut calls) = (Map::new(), Map::new());
    let tenants = if options.per_tenant { Tenants::Principal } else { Tenants::Any };
    let place = Place { program, deployment, options };
    for (name, callees) in modules(program, deployment) {
        let names: Vec<Node> =
            callees.iter().map(|callee| program.name(*callee).to_string().into()).collect();
        policies = policies.with(name.as_str(), place.policy(&accesses(program, &callees, tenants), false));
        calls = calls.with(name, names);
    }
    let [generated, advice] = header::lines(deployment);
    let mut document = Map::new()
        .with("Generated", format!("{generated} {advice}"))
        .with("Policies", policies)
        .with("Calls", calls);
    if !program.workers.is_empty() {
        document = document.with("Workers", place.workers()).with("Work", place.work());
    }
    vec![File::new(IAM_FILE, Node::from(document).to_json())]
}

fn modules(program: &Program, deployment: &Deployment) -> Vec<(String, Vec<Callee>)> {
    let modules = &program.design.modules;
    if modules.is_empty() {
        return vec![(deployment.design.clone(), program.callees().collect())];
    }
    let callees = |module: &sortkey_design::model::Module| {
        module.entries.iter().filter_map(|(_, own)| program.callee(&own.text)).collect()
    };
    modules.iter().map(|module| (module.name.text.clone(), callees(module))).collect()
}

/// Actions on a table, or on one of its indexes, that need the same keys.
struct Grant<'a> {
    on: (TableId, Option<IndexId>),
    keys: Keys,
    actions: Vec<&'a str>,
}

struct Place<'a> {
    program: &'a Program,
    deployment: &'a Deployment,
    options: &'a IamOptions,
}

impl Place<'_> {
    /// A policy for some accesses; of a process that finds the streams of tables itself.
    fn policy(&self, accesses: &Accesses, is_process: bool) -> Map {
        let mut statements = self.items(accesses);
        statements.extend(self.streams(accesses, is_process));
        statements.extend(self.table_keys(accesses));
        statements.extend(self.data_keys(accesses));
        Map::new().with("Version", "2012-10-17").with("Statement", statements)
    }

    /// A policy for each worker as a handler.
    fn workers(&self) -> Map {
        self.program.workers.entries().fold(Map::new(), |policies, (id, worker)| {
            let accesses = worker_accesses(self.program, id, false);
            policies.with(worker.name.to_string(), self.policy(&accesses, false))
        })
    }

    /// The policy of `sortkey work`, which runs all workers.
    fn work(&self) -> Map {
        let workers = self.program.workers.ids();
        let all = workers.map(|id| worker_accesses(self.program, id, true));
        self.policy(&all.fold(Accesses::default(), Accesses::and), true)
    }

    /// The shards of a stream are listed before they are read, by Lambda with the role of a handler or by `sortkey work`.
    fn streams(&self, accesses: &Accesses, is_process: bool) -> Vec<Node> {
        let allow = |actions: &[&str], resource: String| {
            let actions: Vec<Node> = actions.iter().map(|each| format!("dynamodb:{each}").into()).collect();
            let statement = Map::new().with("Effect", "Allow").with("Action", actions);
            Node::from(statement.with("Resource", resource))
        };
        let mut statements = Vec::new();
        for table in &accesses.streams {
            let arn = self.arn(*table);
            let actions = ["DescribeStream", "GetRecords", "GetShardIterator"];
            statements.push(allow(&actions, format!("{arn}/stream/*")));
            // Lambda lists the streams of the account before it follows one, which cannot be confined to a table.
            statements.push(match is_process {
                true => allow(&["DescribeTable"], arn),
                false => allow(&["ListStreams"], "*".to_owned()),
            });
        }
        statements
    }

    /// A statement for all actions on a table, or on an index, that need the same keys.
    fn items(&self, accesses: &Accesses) -> Vec<Node> {
        let mut grants: Vec<Grant<'_>> = Vec::new();
        for ((table, index, action), keys) in &accesses.actions {
            let Some(deployed) = self.table(*table) else { continue };
            let keys = match has_text_keys(deployed, index.map(|index| self.index(*table, index))) {
                true => keys.clone(),
                false => Keys::All,
            };
            let on = (*table, *index);
            match grants.iter_mut().find(|grant| grant.on == on && grant.keys == keys) {
                Some(grant) => grant.actions.push(action),
                None => grants.push(Grant { on, keys, actions: vec![action] }),
            }
        }
        let statement = |Grant { on: (table, index), keys, actions }: Grant<'_>| {
            let mut resource = self.arn(table);
            if let Some(index) = index {
                resource = format!("{resource}/index/{}", self.index(table, index));
            }
            let actions: Vec<Node> =
                actions.iter().map(|action| format!("dynamodb:{action}").into()).collect();
            let statement =
                Map::new().with("Effect", "Allow").with("Action", actions).with("Resource", resource);
            Node::from(match keys {
                Keys::All => statement,
                Keys::Like(patterns) => {
                    let patterns: Vec<Node> = patterns.into_iter().map(Node::from).collect();
                    let leading = Map::new().with("dynamodb:LeadingKeys", patterns);
                    statement.with("Condition", Map::new().with("ForAllValues:StringLike", leading))
                }
            })
        };
        grants.into_iter().map(statement).collect()
    }

    /// Tables under a key of the customer are read and written with it, through DynamoDB only.
    fn table_keys(&self, accesses: &Accesses) -> Vec<Node> {
        let mut keys: Vec<&str> = Vec::new();
        for table in accesses.actions.keys().map(|(table, ..)| table).chain(&accesses.streams) {
            if let Some(Table { encryption: Encryption::Customer(key), .. }) = self.table(*table)
                && !keys.contains(&key.as_str())
            {
                keys.push(key);
            }
        }
        let region = self.region();
        let statement = |key: &str| {
            let actions =
                ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"];
            let via = Map::new().with("kms:ViaService", format!("dynamodb.{region}.amazonaws.com"));
            let condition = Map::new().with("StringLike", via);
            let (resource, condition) = match key.starts_with("alias/") {
                true => {
                    let alias = Map::new().with("kms:ResourceAliases", key);
                    ("*", condition.with("ForAnyValue:StringEquals", alias))
                }
                false => (key, condition),
            };
            Map::new()
                .with("Effect", "Allow")
                .with("Action", actions.map(Node::from).to_vec())
                .with("Resource", resource)
                .with("Condition", condition)
                .into()
        };
        keys.into_iter().map(statement).collect()
    }

    /// Data keys of encrypted attributes.
    fn data_keys(&self, accesses: &Accesses) -> Option<Node> {
        let key = self.deployment.keyring.as_ref().filter(|_| accesses.has_encrypted)?;
        let actions = ["kms:Decrypt", "kms:GenerateDataKey"].map(Node::from).to_vec();
        Some(Map::new().with("Effect", "Allow").with("Action", actions).with("Resource", key.as_str()).into())
    }

    fn table(&self, id: TableId) -> Option<&Table> {
        self.deployment.tables.iter().find(|table| *table.design_name == *self.program.tables[id].name)
    }

    /// The deployed name of an index.
    fn index(&self, table: TableId, index: IndexId) -> &str {
        &self.program.tables[table].indexes[index].deployed
    }

    fn region(&self) -> &str {
        self.deployment.region.as_deref().unwrap_or("*")
    }

    fn arn(&self, table: TableId) -> String {
        let account = self.options.account.as_deref().unwrap_or("*");
        let name = self.table(table).map_or("", |table| table.name.as_str());
        format!("arn:aws:dynamodb:{}:{account}:table/{name}", self.region())
    }
}

/// Whether the partition key of a table, or of one of its indexes, is one attribute of text, which policies can restrict.
fn has_text_keys(table: &Table, index: Option<&str>) -> bool {
    let global = index.and_then(|name| table.global.iter().find(|each| each.name == name));
    let key = global.map_or(&table.key, |index| &index.key);
    match key.partition.as_slice() {
        [name] => table.types.get(name).is_some_and(|ty| ty == "S"),
        _ => false,
    }
}
