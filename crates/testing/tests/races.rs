//! F-19: `race` did not interleave. Operations that exceed a limit over HTTP passed it every time in a test.

use std::collections::BTreeMap;
use std::sync::Arc;

use sortkey_design::{NoFiles, compile};
use sortkey_testing::{Outcome, Suite, mutants};

/// Runs the only test of a design.
fn run(text: &str, order: Option<&[usize]>) -> Outcome {
    let text = format!(
        "defaults {{ billing on_demand  recovery 35d  encryption aws_owned  protect deletion }}
         table T \"meters\" {{ key (id) }}
         entity Meter in T {{ id slug(1..9)  calls int(0..) = 0  most int(0..) = 1 }}
         pattern meter = get Meter by id strong
         operation open = create Meter
         {text}"
    );
    let compilation = compile("t.sk", &text, &NoFiles);
    assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics);
    let suite = pollster::block_on(Suite::new(compilation.design, BTreeMap::new())).expect("it runs");
    match order {
        None => pollster::block_on(suite.run(0)),
        Some(order) => pollster::block_on(suite.replay(0, order)),
    }
}

const READS_THEN_WRITES: &str = r#"
    table L "lines" { key (lineId) }
    entity Line in L { lineId uuid = new  of slug(1..9) }
    operation admit(id) {
      let m = meter(id) else NoMeter
      require m.calls < m.most else Full
      create Line { of: m.id }
      update Meter(id) if calls >= 0 { calls += 1 }
    }
    test "one call, and no more" { open(id: "a")  race { admit("a") } { admit("a") } succeeds 1 }"#;

#[test]
fn a_limit_that_is_only_read_is_exceeded() {
    // Without `@version` nothing makes the second call notice the first.
    let text = READS_THEN_WRITES;
    let outcome = run(text, None);
    let failure = outcome.failure.expect("some order lets both through");
    assert_eq!(failure.title, "2 of these succeeded, not 1");
    let order = failure.notes.iter().find_map(|note| note.strip_prefix("Replay it with --order "));
    let order: Vec<usize> =
        order.expect("the order is shown").split(',').map(|each| each.parse().expect("a number")).collect();
    let again = run(text, Some(&order)).failure.expect("the same order fails again");
    assert_eq!(again, failure);
    // One after the other, the limit holds.
    assert!(run(text, Some(&[])).passed());
}

#[test]
fn a_limit_in_the_condition_holds_in_every_order() {
    let text = r#"
        operation admit(id) {
          let m = meter(id) else NoMeter
          update Meter(id) if calls < m.most else Full { calls += 1 }
        }
        test "one call, and no more" {
          open(id: "a")
          race { admit("a") } { admit("a") } { admit("a") } succeeds 1
          expect meter("a").calls = 1
        }"#;
    let outcome = run(text, None);
    assert!(outcome.passed(), "{:?}", outcome.failure);
}

/// Children that refer to their parent by an attribute outside its key are found after it is gone as well: what was read of it before
/// identifies them.
#[test]
fn a_child_that_comes_while_its_parent_goes_is_swept() {
    let text = r#"
        table Tags "tags" { key (PK | SK) }
        entity Tag in Tags { PK = "TAG#{tagId}"  SK = "TAG"  tagId slug(1..9)  label slug(1..9) }
        entity Link in Tags {
          PK = "LABEL#{label}"  SK = "LINK#{linkId}"
          label -> Tag.label on delete cascade
          linkId slug(1..9)
        }
        pattern links = count Link by label strong
        operation tag = create Tag
        operation link = create Link
        operation untag = delete Tag
        test "nothing is left" {
          tag(tagId: "t", label: "x")
          race { untag("t") } { link(label: "x", linkId: "l") } succeeds 2
          expect links("x") = 0
        }"#;
    // The link is made before the first request of the deletion, or before one of the others up to the query that looks for it.
    for before in 0..=3 {
        let order: Vec<usize> = std::iter::repeat_n(0, before).chain([1]).collect();
        let outcome = run(text, Some(&order));
        assert!(outcome.passed(), "{before}: {:?}", outcome.failure);
    }
    // Made after that, it stays.
    assert!(!run(text, Some(&[])).passed());
}

/// A promise that only a race exercises: what is one transaction happens at once, and what it checks holds while it does.
#[test]
fn mutants_that_only_a_race_exercises_are_found() {
    let text = r#"
        defaults { billing on_demand  recovery 35d  encryption aws_owned  protect deletion }
        table T "boxes" { key (id) }
        table L "lines" { key (boxId | lineId) }
        entity Box in T { id slug(1..9)  lines int(0..) = 0  sealed bool = false }
        entity Line in L { boxId slug(1..9)  lineId slug(1..9) }
        pattern box = get Box by id strong
        pattern lines = list Line by boxId all strong
        operation open = create Box
        operation seal(id) { update Box(id) if lines = 0 else Full { sealed: true } }
        operation add(id, lineId) {
          transact {
            create Line { boxId: id, lineId }
            update Box(id) if sealed = false else Sealed { lines += 1 }
          }
        }
        operation stamp(id, lineId) {
          let b = box(id) else NoBox
          transact {
            check Box(id) if sealed = false else Sealed
            create Line { boxId: b.id, lineId }
          }
        }
        test "a box that is sealed has no lines" {
          open(id: "a")
          race { seal("a") } { add("a", "x") } succeeds 1
          expect box("a").sealed = false or lines("a") = []
        }
        test "nothing is stamped into a sealed box" {
          open(id: "a")
          seal("a")
          expect stamp("a", "y") fails Sealed
        }"#;
    let compilation = compile("t.sk", text, &NoFiles);
    assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics);
    let found = mutants(&compilation.design);
    for what in ["the `transact` of add", "a `check` of stamp"] {
        let mutant = found.iter().find(|each| each.what == what).expect(what);
        let suite = Suite::new(Arc::new(mutant.of(&compilation.design)), BTreeMap::new());
        let suite = pollster::block_on(suite).expect("it runs");
        let noticed = (0..suite.tests().len()).any(|at| !pollster::block_on(suite.run(at)).passed());
        assert!(noticed, "{what}");
    }
    // The design itself keeps its promises.
    let suite = pollster::block_on(Suite::new(compilation.design, BTreeMap::new())).expect("it runs");
    for at in 0..suite.tests().len() {
        let outcome = pollster::block_on(suite.run(at));
        assert!(outcome.passed(), "{:?}", outcome.failure);
    }
}

/// Workers run side by side within their branch: `race { work }` did not end.
#[test]
fn workers_may_run_in_a_race() {
    let text = r#"
        design races
        defaults { billing on_demand  recovery 35d  encryption aws_owned  protect deletion }
        table T "lines" { key (boxId | lineId)  stream new_and_old_images }
        table B "boxes" { key (id) }
        entity Box in B { id slug(1..9)  lines int(0..) = 0 }
        entity Line in T { boxId slug(1..9)  lineId slug(1..9) }
        pattern box = get Box by id strong
        operation open = create Box
        operation add = create Line
        worker count on create Line as l { upsert Box(id: l.boxId) { lines += 1 } }
        test "what comes while workers run is counted in the end" {
          open(id: "a")
          add(boxId: "a", lineId: "x")
          add(boxId: "b", lineId: "x")
          race { work } { add(boxId: "a", lineId: "y") } succeeds 2
          work
          expect box("a").lines = 2
          expect box("b").lines = 1
        }"#;
    let compilation = compile("t.sk", text, &NoFiles);
    assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics);
    let suite = pollster::block_on(Suite::new(compilation.design, BTreeMap::new())).expect("it runs");
    let outcome = pollster::block_on(suite.run(0));
    assert!(outcome.passed(), "{:?}", outcome.failure);
}
