//! A deployment as one CDK construct in TypeScript, on `TableV2`.
//!
//! `TableV2` makes global tables only, with or without replicas, and lets writes of provisioned tables scale always. A
//! deployment for the CDK is therefore one with `global_tables`.

mod alarms;
mod table;
mod value;

use crate::cloudformation::logical_id;
use crate::files::File;
use crate::header;
use crate::model::{Deployment, Encryption, Table};
use crate::problem::{Problem, unless};

/// The construct's file.
pub fn cdk(deployment: &Deployment) -> Result<Vec<File>, Vec<Problem>> {
    let mut problems = Vec::new();
    for (at, table) in deployment.tables.iter().enumerate() {
        let id = property(table);
        if let Some(other) =
            deployment.tables[..at].iter().find(|other| property(other).eq_ignore_ascii_case(&id))
        {
            let what = format!(
                "tables `{}` and `{}` would have properties that differ only by case, or not at all: {id}",
                other.design_name, table.design_name
            );
            problems.push(
                Problem::new(what).hint("rename one of them in the design; its deployed name can stay"),
            );
        }
        if table.capacity().is_some() && table.scaling.write.is_none() {
            let what = format!(
                "table `{}` is provisioned without autoscaling of writes, which TableV2 cannot make",
                table.design_name
            );
            let hint = format!(
                "add [stages.{}.autoscaling.write] with min and max, or make it on demand",
                deployment.stage
            );
            problems.push(Problem::new(what).hint(hint));
        }
    }
    let file = format!("{}-tables.ts", words(&deployment.design).join("-").to_lowercase());
    unless(problems, vec![File::new(file, text(deployment))])
}

fn text(deployment: &Deployment) -> String {
    let class = format!("{}Tables", logical_id(&deployment.design));
    let needs = |any: bool, line: &'static str| if any { line } else { "" };
    let has_keys = deployment.tables.iter().any(|table| matches!(table.encryption, Encryption::Customer(_)));
    let has_alarms = deployment.tables.iter().any(|table| !crate::alarms::alarms(table).is_empty());
    let fields: String = deployment
        .tables
        .iter()
        .map(|table| {
            format!("  /** Table \"{}\". */\n  readonly {}: dynamodb.TableV2;\n", table.name, property(table))
        })
        .collect();
    let body: Vec<String> = deployment
        .tables
        .iter()
        .map(|table| table::statements(table) + &alarms::statements(table) + &outputs(table))
        .collect();
    format!(
        "{header}\nimport {{ CfnOutput, RemovalPolicy }} from \"aws-cdk-lib\";\n{alarms}import * as dynamodb from \
         \"aws-cdk-lib/aws-dynamodb\";\n{keys}import {{ Construct }} from \"constructs\";\n\n\
         /** The tables of {design}, stage \"{stage}\". */\nexport class {class} extends Construct {{\n{fields}\n  \
         constructor(scope: Construct, id: string) {{\n    super(scope, id);\n\n{body}  }}\n}}\n",
        header = header::comment(deployment, "//"),
        alarms = needs(has_alarms, "import * as cloudwatch from \"aws-cdk-lib/aws-cloudwatch\";\n"),
        keys = needs(has_keys, "import * as kms from \"aws-cdk-lib/aws-kms\";\n"),
        design = header::design(deployment),
        stage = deployment.stage,
        body = body.join("\n"),
    )
}

fn outputs(table: &Table) -> String {
    let (id, own) = (logical_id(&table.design_name), property(table));
    let output = |what: &str, attribute: &str| {
        format!("    new CfnOutput(this, \"{id}{what}\", {{ value: this.{own}.{attribute} }});\n")
    };
    let stream = table.stream.as_ref().map(|_| output("StreamArn", "tableStreamArn!"));
    output("Name", "tableName") + &output("Arn", "tableArn") + &stream.unwrap_or_default()
}

/// The property of a table: `usersAccounts`.
fn property(table: &Table) -> String {
    let id = logical_id(&table.design_name);
    let mut letters = id.chars();
    let own = letters
        .next()
        .map_or(String::new(), |first| first.to_ascii_lowercase().to_string() + letters.as_str());
    // A property cannot begin with a digit, and `node` is the construct's own.
    match own.starts_with(|first: char| first.is_ascii_digit()) || own == "node" {
        true => format!("{own}Table").trim_start_matches(|each: char| each.is_ascii_digit()).to_owned(),
        false => own,
    }
}

fn words(name: &str) -> Vec<&str> {
    name.split(|each: char| !each.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect()
}
