//! Effects of a write beyond the attributes that it names: the runtime follows the plan, also where they once differed.

use std::collections::BTreeMap;

use sortkey_design::{NoFiles, compile};
use sortkey_testing::Suite;

/// Runs the only test of a design.
fn passes(text: &str) {
    let text = format!(
        "defaults {{ billing on_demand  recovery 35d  encryption aws_owned  protect deletion }}\n{text}"
    );
    let compilation = compile("t.sk", &text, &NoFiles);
    assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics);
    let suite = pollster::block_on(Suite::new(compilation.design, BTreeMap::new())).expect("it runs");
    let outcome = pollster::block_on(suite.run(0));
    assert!(outcome.passed(), "{:?}", outcome.failure);
}

/// An update that gave only the attribute stored it whatever the state was, since nothing asked for the state.
#[test]
fn an_attribute_whose_when_does_not_hold_is_not_stored() {
    passes(
        r#"
        table T "jobs" { key (id) }
        entity Job in T { id slug(1..9)  status idle | busy = idle  worker? slug(1..9) when status = busy }
        pattern job = get Job by id strong
        operation open = create Job
        operation assign(id, worker) { update Job(id) { worker } }
        operation start(id) { update Job(id) { status: busy } }
        test "an idle job has no worker" {
          open(id: "a")
          assign("a", "w")
          expect job("a").worker absent
          start("a")
          assign("a", "w")
          expect job("a").worker = "w"
        }"#,
    );
}

/// A `put` over an item freed the guards of the item as it was read, whatever had become of the condition of the clause.
#[test]
fn a_put_frees_the_guard_that_the_item_has_by_then() {
    passes(
        r#"
        table T "members" { key (id) }
        entity Member in T { id slug(1..9)  team slug(1..9)  isLead bool = false  unique team when isLead = true else Led }
        operation set(id, team, isLead) { put Member { id, team, isLead } }
        operation promote(id) { update Member(id) { isLead: true } }
        test "a team that lost its lead may have another" {
          set("a", "t", false)
          race { set("a", "t", false) } { promote("a") } succeeds 2
          set("a", "t", false)
          set("b", "t", true)
        }"#,
    );
}

/// A `let` of one handler hid the `let` of the body from the handlers after it, which found nothing there.
#[test]
fn a_handler_sees_the_names_of_the_body_and_of_no_other_handler() {
    passes(
        r#"
        table T "jobs" { key (id) }
        entity Job in T { id slug(1..9)  tries int = 0  last? string(..9) }
        pattern job = get Job by id strong
        operation open = create Job
        effect send(to: string(..9)) -> { error? string(..9) } = extern
        system operation deliver(id) {
          let j = get Job(id) strong else Gone
          let r = do send(to: "a")
          require j.tries < 3 else Over
          require r.error absent else Failed
        }
          on Over { let r = get Job(id) strong  update Job(id) { last: r.last } }
          on Failed { update Job(id) { tries += 1, last: r.error } }
        test "the answer of the effect is there" {
          given send -> { error: "busy" }
          open(id: "a")
          expect deliver("a") fails Failed
          expect job("a").last = "busy"
        }"#,
    );
}
