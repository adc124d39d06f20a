//! Keys that show that everything below them belongs to the answer, so that items come back without being looked at.

use sortkey_design::program::Callee;
use sortkey_design::{NoFiles, compile};
use sortkey_plan::read;

const SHOP: &str = r#"
caller { shop -> Shop }
table Shops { key (PK | SK)  ttl until  index Days (day | at) project all  index Bare (at) project keys }
entity Shop in Shops { PK = "SHOP#{shop}"  SK = "PROFILE"  shop slug  name string(..9)  tenant shop }
entity Order in Shops {
  PK = "SHOP#{shop}"  SK = "ORDER#{id}"  day = "DAY#{shop}#{on}"
  shop -> Shop  id slug  on date  at int  gone bool = false  kind a | b = a
  tenant shop
}
"#;

fn is_shown(design: &str, pattern: &str) -> bool {
    let compilation = compile("shown.sk", &format!("{design}\npattern p = {pattern}\n"), &NoFiles);
    let program = compilation.program;
    let id = match program.callee("p") {
        Some(Callee::Pattern(id)) => Some(id),
        _ => None,
    };
    let choice = id.and_then(|id| read(&program, id)).expect("a pattern of an entity in a table");
    choice.plan.expect(pattern).shown
}

#[test]
fn a_key_shows_what_only_one_entity_can_store_under_it() {
    for (pattern, expected) in [
        ("get Order by shop, id", true),
        ("list Order by shop page 9", true),
        ("get Shop by shop", true),
        // These are answered by looking at the items that come back.
        ("list Order by shop filter gone = false page 9", false),
        ("count Order by shop", false),
        ("collect Shop, Order by shop page 9", false),
        // The index shows the owner of its items, and holds all of them.
        ("list Order by shop, on via Days page 9", true),
        // The key of the index does not show the owner.
        ("list Order by at via Bare page 9", false),
        ("scan Order page 9", false),
    ] {
        assert_eq!(is_shown(SHOP, pattern), expected, "{pattern}");
    }
}

#[test]
fn another_entity_an_expiry_or_a_kind_takes_a_look() {
    let list = "list Order by shop page 9";
    let line =
        "entity Line in Shops { PK = \"SHOP#{shop}\" SK = \"ORDER#{id}#LINE#{n}\" shop slug id slug n int }";
    assert!(!is_shown(&format!("{SHOP}{line}"), list), "lines lie among the orders");
    let apart = line.replace("ORDER#", "LINE#");
    assert!(is_shown(&format!("{SHOP}{apart}"), list));
    let plain = "entity Other in Shops { PK = \"SHOP#{shop}\" shop slug SK slug }";
    assert!(!is_shown(&format!("{SHOP}{plain}"), list), "a plain key may be any text");
    let expiring = SHOP.replace("gone bool = false", "until time(s)");
    assert!(!is_shown(&expiring, list));
    assert!(is_shown(&expiring, "list Order by shop including expired page 9"));
    let deleted = SHOP.replace("kind a | b = a", "deleted when gone = true");
    assert!(!is_shown(&deleted, list));
    assert!(is_shown(&deleted, "list Order by shop including deleted page 9"));
    let kind = SHOP.replace("ttl until", "kind type ttl until");
    assert!(!is_shown(&kind, list));
}
