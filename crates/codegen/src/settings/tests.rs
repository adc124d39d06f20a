use super::*;

fn problems(text: &str) -> Vec<String> {
    Stage::read("deploy.toml", text, "prod").map_or_else(
        |problems| problems.iter().map(ToString::to_string).collect(),
        |stage| vec![format!("accepted: {stage:?}")],
    )
}

fn check(text: &str, expected: &str) {
    assert_eq!(problems(text), [expected], "{text}");
}

#[test]
fn everything_a_stage_can_say_is_read() {
    let text = r#"
[stages.prod]
region = "eu-west-1"
prefix = "prod-"
parameters = { stack = "prod", shards = 4 }
table_class = "infrequent_access"
replicas = ["eu-central-1"]
insights = true
kms_key = "alias/main"
kms_keys = { eu-central-1 = "arn:aws:kms:eu-central-1:111122223333:key/a" }
global_tables = true
tags = { team = "data" }
capacity = { billing = "provisioned", read = 5, write = 1_000 }
autoscaling.read = { min = 5, max = 50 }
alarms = { topic = "arn:aws:sns:eu-west-1:111122223333:ops", throttles = 1, system_errors = 2, period = 300 }

[stages.prod.tables.Events]
capacity.max_read = 100
alarms = { iterator_age_ms = 60000, consumers = ["feed"] }
indexes.GSI1.capacity = { read = 1, write = 2 }
"#;
    let stage = Stage::read("deploy.toml", text, "prod").expect("a stage");
    assert_eq!(stage.region.as_deref(), Some("eu-west-1"));
    assert_eq!(stage.parameters["shards"], "4");
    assert_eq!(stage.all.class, Some(TableClass::InfrequentAccess));
    assert_eq!(stage.all.capacity.write, Some(1_000));
    assert_eq!(stage.all.scaling.read, Some(Range { min: 5, max: 50, target: 70 }));
    assert_eq!(stage.all.alarms.period_seconds, Some(300));
    let events = &stage.tables["Events"];
    assert_eq!(events.alarms.consumers, ["feed"]);
    assert_eq!(events.indexes["GSI1"].capacity.write, Some(2));
}

#[test]
fn a_key_that_does_not_exist_is_named_with_the_nearest_one() {
    let header = "[stages.prod]\n";
    for (text, expected) in [
        ("regoin = \"x\"", "deploy.toml:2: [stages.prod] has no key `regoin`\n hint: did you mean `region`?"),
        (
            "[stages.prod.alarms]\nthrottle = 1",
            "deploy.toml:3: [stages.prod.alarms] has no key `throttle`\n hint: did you mean `throttles`?",
        ),
        (
            "tables.Users.capacity.reads = 3",
            "deploy.toml:2: [stages.prod.tables.Users.capacity] has no key `reads`\n hint: did you mean `read`?",
        ),
        (
            "autoscaling.read = { min = 1, max = 2, wanted = 70 }",
            "deploy.toml:2: [stages.prod.autoscaling.read] has no key `wanted`\n hint: it has: min, max, target",
        ),
        ("[stage.dev]", "deploy.toml:2: there is no key `stage`\n hint: did you mean `stages`?"),
    ] {
        check(&format!("{header}{text}"), expected);
    }
}

#[test]
fn a_value_of_the_wrong_kind_is_shown() {
    let header = "[stages.prod]\n";
    for (text, expected) in [
        ("region = 7", "deploy.toml:2: `region` of [stages.prod] is a text that is not empty, not 7"),
        ("insights = \"yes\"", "deploy.toml:2: `insights` of [stages.prod] is true or false, not \"yes\""),
        (
            "capacity.read = 0",
            "deploy.toml:2: `read` of [stages.prod.capacity] is a whole number of at least 1, not 0",
        ),
        (
            "capacity.billing = \"free\"",
            "deploy.toml:2: `billing` of [stages.prod.capacity] is \"on_demand\" or \"provisioned\", not \"free\"",
        ),
        (
            "replicas = \"eu-west-1\"",
            "deploy.toml:2: `replicas` of [stages.prod] is a list of texts, not \"eu-west-1\"",
        ),
        (
            "autoscaling.read = { max = 5 }",
            "deploy.toml:2: [stages.prod.autoscaling.read] needs `min` and `max`",
        ),
        (
            "autoscaling.read = { min = 9, max = 5 }",
            "deploy.toml:2: [stages.prod.autoscaling.read] has a `min` of 9, more than its `max` of 5",
        ),
        (
            "autoscaling.write = { min = 1, max = 5, target = 95 }",
            "deploy.toml:2: [stages.prod.autoscaling.write] has a `target` of 95; it is a percentage from 20 to 90",
        ),
        (
            "alarms.period = 90",
            "deploy.toml:2: [stages.prod.alarms] has a `period` that is not a multiple of 60 seconds",
        ),
        ("tables = 3", "deploy.toml:2: `tables` of [stages.prod] is a table, not 3"),
    ] {
        check(&format!("{header}{text}"), expected);
    }
}

#[test]
fn a_stage_that_does_not_exist_is_answered_with_those_that_do() {
    check("[stages.prd]", "deploy.toml has no stage \"prod\"\n hint: did you mean \"prd\"?");
    check("[stages.integration]", "deploy.toml has no stage \"prod\"\n hint: it has: integration");
    check("", "deploy.toml has no stage \"prod\"\n hint: add it: [stages.prod]");
    // A mistake in another stage counts too.
    check(
        "[stages.prod]\n[stages.dev]\nregoin = \"x\"",
        "deploy.toml:3: [stages.dev] has no key `regoin`\n hint: did you mean `region`?",
    );
}

#[test]
fn a_file_that_is_not_toml_is_refused_with_its_line() {
    let found = problems("[stages.prod]\nregion = \n");
    assert!(found[0].starts_with("deploy.toml:2: "), "{found:?}");
}
