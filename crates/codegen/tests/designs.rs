//! Infrastructure generated for small designs and for the five systems, as reviewed snapshots.
//!
//! `INSTA_UPDATE=always cargo test -p sortkey-codegen` writes them anew; look at the difference before you commit it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sortkey_codegen::model::Deployment;
use sortkey_codegen::{
    BuildError, Deployed, File, Format, Stage, TerraformOptions, WaveOptions, build, cdk, cloudformation,
    terraform, wave_files, waves,
};
use sortkey_design::{FileLoader, NoFiles, compile};
use sortkey_testkit::SYSTEMS;

/// A design with everything that a table can have.
const JOBS: &str = include_str!("fixtures/jobs.sk");

/// Stages with every setting that a stage has. The validators of clients/infrastructure use them too.
const STAGES: &str = include_str!("fixtures/deploy.toml");

fn deployment(design: &str, stage: &Stage) -> Deployment {
    let compiled = compile("jobs.sk", design, &NoFiles);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    build(&compiled.design, "jobs", stage, &BTreeMap::new()).expect("a model")
}

fn stage(name: &str) -> Stage {
    Stage::read("deploy.toml", STAGES, name).expect("a stage")
}

fn jobs(name: &str) -> Deployment {
    deployment(JOBS, &stage(name))
}

fn only(files: Result<Vec<File>, Vec<sortkey_codegen::Problem>>) -> String {
    let mut files = files.expect("files");
    assert_eq!(files.len(), 1);
    unversioned(&files.remove(0).text)
}

/// A new version of sortkey is not a difference.
fn unversioned(text: &str) -> String {
    text.replace(concat!("sortkey ", env!("CARGO_PKG_VERSION")), "sortkey [version]")
}

#[test]
fn a_template_has_everything_a_table_can_have() {
    insta::assert_snapshot!("jobs-prod.json", only(cloudformation(&jobs("prod"), Format::Json)));
}

#[test]
fn a_template_in_yaml_is_the_same_document() {
    let yaml = only(cloudformation(&jobs("prod"), Format::Yaml));
    let json = only(cloudformation(&jobs("prod"), Format::Json));
    assert_eq!(sortkey_import::read(&yaml), sortkey_import::read(&json));
    insta::assert_snapshot!("jobs-prod.yaml", yaml);
}

#[test]
fn replicas_make_a_global_table() {
    insta::assert_snapshot!("jobs-world.json", only(cloudformation(&jobs("world"), Format::Json)));
}

#[test]
fn terraform_has_everything_a_table_can_have() {
    let options = TerraformOptions::default();
    insta::assert_snapshot!("jobs-prod.tf", only(terraform(&jobs("prod"), &options)));
    insta::assert_snapshot!("jobs-world.tf", only(terraform(&jobs("world"), &options)));
}

#[test]
fn a_construct_has_everything_a_table_can_have() {
    let global = Stage { global_tables: true, ..stage("prod") };
    insta::assert_snapshot!("jobs-prod.ts", only(cdk(&deployment(JOBS, &global))));
    insta::assert_snapshot!("jobs-world.ts", only(cdk(&jobs("world"))));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn system(name: &str) -> Deployment {
    let file = root().join("systems").join(name).join(name).with_extension("sk");
    let text = std::fs::read_to_string(&file).expect("a design");
    let compiled = compile(&file.to_string_lossy(), &text, &FileLoader);
    let parameters: BTreeMap<String, String> =
        compiled.design.parameters.iter().map(|each| (each.name.text.clone(), "prod".to_owned())).collect();
    build(&compiled.design, name, &Stage::plain("prod"), &parameters).expect("a model")
}

#[test]
fn every_system_has_a_template() {
    for name in SYSTEMS {
        let template = only(cloudformation(&system(name), Format::Yaml));
        insta::assert_snapshot!(format!("{name}.yaml"), template);
    }
}

#[test]
fn every_system_has_terraform() {
    for name in SYSTEMS {
        let text = only(terraform(&system(name), &TerraformOptions::default()));
        insta::assert_snapshot!(format!("{name}.tf"), text);
    }
}

#[test]
fn what_is_generated_is_the_same_every_time() {
    for name in SYSTEMS {
        assert_eq!(cloudformation(&system(name), Format::Json), cloudformation(&system(name), Format::Json));
    }
}

/// The answer of DescribeTable for a table with one of the two indexes of `Jobs`.
const DESCRIBED: &str = r#"{ "Table": {
  "TableName": "prod-jobs-v1",
  "AttributeDefinitions": [
    { "AttributeName": "PK", "AttributeType": "S" }, { "AttributeName": "SK", "AttributeType": "S" },
    { "AttributeName": "at", "AttributeType": "N" }, { "AttributeName": "old", "AttributeType": "S" } ],
  "KeySchema": [
    { "AttributeName": "PK", "KeyType": "HASH" }, { "AttributeName": "SK", "KeyType": "RANGE" } ],
  "LocalSecondaryIndexes": [ {
    "IndexName": "Old", "Projection": { "ProjectionType": "KEYS_ONLY" },
    "KeySchema": [ { "AttributeName": "PK", "KeyType": "HASH" }, { "AttributeName": "at", "KeyType": "RANGE" } ] } ],
  "GlobalSecondaryIndexes": [ {
    "IndexName": "by-hand", "Projection": { "ProjectionType": "ALL" },
    "KeySchema": [ { "AttributeName": "old", "KeyType": "HASH" } ] } ]
} }"#;

#[test]
fn two_new_indexes_are_two_waves_and_a_script() {
    let deployed = Deployed::read("jobs.json", DESCRIBED).expect("a table");
    let wanted = jobs("prod");
    let all = waves(&wanted, &deployed, WaveOptions::default()).expect("waves");
    let names = |at: usize| -> Vec<&str> {
        let table: &sortkey_codegen::model::Table = &all[at].tables[0];
        table.global.iter().map(|index| index.name.as_str()).collect()
    };
    assert_eq!(names(0), ["by-hand", "due-index"]);
    assert_eq!(names(1), ["by-hand", "due-index", "Owner"]);
    let files = wave_files(&all, Format::Json).expect("files");
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["01-wave.json", "02-wave.json", "apply.sh"]);
    let last: serde_json::Value = serde_json::from_str(&files[1].text).expect("JSON");
    let wave = last["Outputs"]["SortkeyWave"]["Value"].as_str().expect("an output");
    let fingerprint = wave.strip_suffix("-2").expect("the second wave");
    insta::assert_snapshot!("apply.sh", unversioned(&files[2].text).replace(fingerprint, "[fingerprint]"));
}

#[test]
fn tables_that_exist_are_imported() {
    let deployed = Deployed::read("jobs.json", DESCRIBED).expect("a table");
    let options = TerraformOptions { deployed: Some(&deployed), ..TerraformOptions::default() };
    let files = terraform(&jobs("prod"), &options).expect("files");
    assert_eq!(files[1].name, "imports.tf");
    insta::assert_snapshot!("imports.tf", unversioned(&files[1].text));
}

/// Everything that is wrong with a deployment.
fn problems(design: &str, stage: &str) -> Vec<String> {
    let compiled = compile("bad.sk", design, &NoFiles);
    let stage = match Stage::read("deploy.toml", stage, "prod") {
        Ok(stage) => stage,
        Err(problems) => return problems.iter().map(ToString::to_string).collect(),
    };
    let found = match build(&compiled.design, "bad", &stage, &BTreeMap::new()) {
        Ok(deployment) => cloudformation(&deployment, Format::Json).err().unwrap_or_default(),
        Err(BuildError::Stage(problems)) => problems,
        Err(BuildError::Design(diagnostics)) => {
            return diagnostics.iter().map(|each| each.title.clone()).collect();
        }
    };
    found.iter().map(|problem| problem.to_string().replace("\n hint: ", " -> ")).collect()
}

#[test]
fn what_cannot_be_deployed_is_refused_with_the_next_step() {
    let one = "table Users { key (id) }  entity User in Users { id uuid }";
    let many: String = (0..21).map(|at| format!(" index by-{at} (a{at})")).collect();
    let attributes: String = (0..21).map(|at| format!(" a{at} uuid")).collect();
    let many = format!("table Users {{ key (id){many} }}  entity User in Users {{ id uuid{attributes} }}");
    let twins = "table users { key (id) }  table USERS { key (id) }
                 entity User in users { id uuid }  entity Other in USERS { id uuid }";
    let stage = |rest: &str| format!("[stages.prod]\n{rest}");
    for (design, settings, expected) in [
        (
            "design empty",
            "",
            "the design `empty` has no tables -> there is nothing to deploy until it has one",
        ),
        (&many, "", "table `Users` has 21 global secondary indexes; DynamoDB allows 20"),
        (
            twins,
            "",
            "table `users` and table `USERS` would have logical ids Users and USERS, which differ only by case -> \
             rename one of them in the design; its deployed name can stay",
        ),
        (
            one,
            "capacity.billing = \"provisioned\"",
            "table `Users` is provisioned, but its read and write capacity is missing -> \
             give it: [stages.prod.tables.Users.capacity] with read = 5, write = 5",
        ),
        (
            one,
            "capacity = { billing = \"provisioned\", read = 3 }",
            "table `Users` is provisioned, but its write capacity is missing -> \
             give it: [stages.prod.tables.Users.capacity] with write = 5",
        ),
        (
            one,
            "tables.User.insights = true",
            "[stages.prod.tables.User]: the design has no table `User` -> did you mean `Users`?",
        ),
        (
            one,
            "tables.Users.indexes.GSI1.capacity.read = 1",
            "[stages.prod.tables.Users.indexes.GSI1]: table `Users` has no global index `GSI1` -> it has: ",
        ),
        (
            one,
            "tables.Users.capacity.read = 1",
            "table `Users` is paid on demand, so its capacity and autoscaling have no effect -> \
             add billing = \"provisioned\" to its capacity, or remove them",
        ),
        (
            one,
            "replicas = [\"eu-west-1\"]",
            "table `Users` has replicas, but its own region is not known -> add `region` to [stages.prod]",
        ),
        (
            one,
            "region = \"us-east-1\"\nreplicas = [\"eu-west-1\"]\nkms_key = \"alias/x\"",
            "table `Users` is encrypted with a customer's key, but its replica in eu-west-1 has none -> \
             add it to `kms_keys` of [stages.prod]: eu-west-1 = \"arn:aws:kms:...\"",
        ),
        (
            one,
            "global_tables = true\ncapacity = { billing = \"provisioned\", read = 3, write = 3 }",
            "table `Users` is a provisioned global table, whose writes have to scale -> \
             add [stages.prod.autoscaling.write] with min and max, or make it on demand",
        ),
        (
            one,
            "tables.Users.alarms = { consumers = [\"feed\"], iterator_age_ms = 1000 }",
            "[stages.prod.tables.Users.alarms] names consumers, but table `Users` has no stream -> \
             add `stream new_and_old_images` to the table in the design",
        ),
        (
            "parameter stack: string(1..9)  table Users \"{stack}-u\" { key (id) }  entity User in Users { id uuid }",
            "",
            "parameter `stack` has no value",
        ),
    ] {
        assert_eq!(problems(design, &stage(settings)), [expected], "{settings}\n{design}");
    }
}

#[test]
fn inline_terraform_refuses_keys_that_it_cannot_express() {
    let options = TerraformOptions { inline: true, ..TerraformOptions::default() };
    let problems = terraform(&jobs("prod"), &options).expect_err("a refusal");
    assert_eq!(
        problems[0].what,
        "index `due-index` of table `Jobs` has a key of several attributes, which --inline cannot express"
    );
}

#[test]
fn a_file_that_describes_no_table_is_refused() {
    for (text, expected) in [
        ("{}", "f.json describes no DynamoDB table"),
        ("{\"Resources\": {}}", "f.json describes no DynamoDB table"),
    ] {
        assert_eq!(Deployed::read("f.json", text).expect_err("a refusal").what, expected);
    }
    assert!(Deployed::read("f.json", "{ not json").is_err());
}
