use sortkey_design::{NoFiles, compile};

use super::*;
use crate::{Deployed, Stage, build};

const DESIGN: &str = r#"design d
table Jobs "jobs" {
  key (PK | SK)
  index Due (shard | at) project [title]
  local index Old (PK | at) project keys
  billing provisioned 5 rcu 6 wcu  stream new_image  protect deletion  recovery 7d  ttl gone
}
entity Job in Jobs {
  PK = "J#{id}" SK = "X" id uuid  at time(s)  shard int(0..9)  title string(..9)  gone time(s)
}"#;

fn table() -> Table {
    let design = compile("d.sk", DESIGN, &NoFiles).design;
    let mut built = build(&design, "d", &Stage::plain("prod"), &Default::default()).expect("a model");
    built.tables.remove(0)
}

/// The table as it is if exactly the template was deployed.
fn deployed(table: &Table) -> Found {
    let one = Deployment {
        design: "d".into(),
        version: None,
        stage: "prod".into(),
        region: None,
        keyring: None,
        tables: vec![table.clone()],
        retained: Vec::new(),
    };
    let files = crate::cloudformation(&one, crate::Format::Json).expect("a template");
    let found = Deployed::read("template.json", &files[0].text).expect("tables").tables.remove(0);
    Found {
        ttl: Some(table.ttl.clone()),
        recovery_days: table.recovery_days,
        tags: Some(table.tags.clone()),
        ..found
    }
}

fn sentences(table: &Table, found: Option<&Found>) -> Vec<String> {
    let drift = drift(std::iter::once((table, found)));
    drift_text(&drift).lines().map(str::to_owned).collect()
}

#[test]
fn a_table_deployed_from_its_template_has_no_drift() {
    let table = table();
    assert_eq!(sentences(&table, Some(&deployed(&table))), Vec::<String>::new());
}

#[test]
fn a_table_that_is_missing_is_one_difference() {
    assert_eq!(sentences(&table(), None), ["table \"jobs\": table is absent, expected present"]);
}

#[test]
fn every_fact_that_differs_is_named() {
    let table = table();
    let right = deployed(&table);
    type Change = fn(&mut Found);
    let cases: &[(Change, &str)] = &[
        (|it| it.key.sort.clear(), "table \"jobs\": key is (PK S), expected (PK S | SK S)"),
        (
            |it| it.types.insert("SK".into(), "N".into()).map_or((), drop),
            "table \"jobs\": key is (PK S | SK N), expected (PK S | SK S)",
        ),
        (|it| it.local.clear(), "table \"jobs\", index \"Old\": local index is absent, expected present"),
        (|it| it.global.clear(), "table \"jobs\", index \"Due\": index is absent, expected present"),
        (|it| it.global[0].name = "Due".into(), ""),
        (
            |it| it.global[0].projection = Projection::All,
            "table \"jobs\", index \"Due\": projection is all, expected [title]",
        ),
        (
            |it| it.global[0].key.sort.clear(),
            "table \"jobs\", index \"Due\": key is (shard N), expected (shard N | at N)",
        ),
        (
            |it| it.global[0].capacity = Some(Capacity { read: 5, write: 7 }),
            "table \"jobs\", index \"Due\": write capacity is 7, expected 6",
        ),
        (
            |it| it.billing = Some(Billing::OnDemand(Maximum::default())),
            "table \"jobs\": billing is on demand, expected provisioned 5 rcu 6 wcu",
        ),
        (
            |it| it.billing = Some(Billing::Provisioned(Capacity { read: 9, write: 6 })),
            "table \"jobs\": read capacity is 9, expected 5",
        ),
        (|it| it.stream = None, "table \"jobs\": stream is none, expected NEW_IMAGE"),
        (|it| it.deletion_protection = false, "table \"jobs\": deletion protection is off, expected on"),
        (
            |it| it.encryption = Encryption::Managed,
            "table \"jobs\": encryption is a KMS key, expected a key that AWS owns",
        ),
        (
            |it| it.class = TableClass::InfrequentAccess,
            "table \"jobs\": table class is STANDARD_INFREQUENT_ACCESS, expected STANDARD",
        ),
        (|it| it.ttl = Some(None), "table \"jobs\": expiry is none, expected gone"),
        (|it| it.recovery_days = Some(35), "table \"jobs\": recovery is 35 days, expected 7 days"),
        (
            |it| it.tags = Some(std::collections::BTreeMap::from([("sortkey:table".into(), "Jobs".into())])),
            "table \"jobs\": tag sortkey:design is absent, expected \"d\"",
        ),
        (|it| it.ttl = None, "note: table \"jobs\": its expiry could not be read"),
    ];
    for (change, expected) in cases {
        let mut found = right.clone();
        change(&mut found);
        let expected: Vec<&str> = Some(*expected).filter(|text| !text.is_empty()).into_iter().collect();
        assert_eq!(sentences(&table, Some(&found)), expected);
    }
}

#[test]
fn an_index_that_the_design_does_not_have_is_named() {
    let table = table();
    let mut found = deployed(&table);
    let extra = GlobalIndex { name: "by-hand".into(), ..found.global[0].clone() };
    found.global.push(extra);
    assert_eq!(
        sentences(&table, Some(&found)),
        ["table \"jobs\", index \"by-hand\": index is present, expected absent"]
    );
}

#[test]
fn sarif_points_at_the_design() {
    let compilation = compile("d.sk", DESIGN, &NoFiles);
    let table = table();
    let mut found = deployed(&table);
    found.global.clear();
    let drift = drift(std::iter::once((&table, Some(&found))));
    let sarif = drift_sarif(&drift, &compilation.sources);
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "d.sk");
    assert_eq!(place["region"]["startLine"], 4);
}
