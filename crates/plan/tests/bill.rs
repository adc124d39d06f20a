//! A month of a small design, reckoned by hand.

use sortkey_design::{NoFiles, compile};
use sortkey_plan::{PRICES, Prices, bill, bill_text};

const DESIGN: &str = r#"
table Notes { key (userId | noteId)  index byTag (userId | tag) project keys  stream new_and_old_images  recovery 35d }
entity Note in Notes {
  userId uuid
  noteId ulid = new
  tag    slug(1..20)
  text   string(..4_000)
  volume 10_000_000 items, 2 KB each, 20 per userId
}
system pattern notes = list Note by userId page 20 load 100/s peak 1_000/s
system pattern note = get Note by userId, noteId
system operation write = create Note load 10/s
"#;

fn prices() -> Prices {
    serde_json::from_str(PRICES).expect("the table that comes with us")
}

#[test]
fn every_region_of_the_table_has_rates() {
    let prices = prices();
    for region in prices.regions.keys() {
        assert!(prices.rates(region).is_some(), "{region}");
    }
    assert!(prices.rates("nowhere").is_none());
}

#[test]
fn a_month() {
    let compilation = compile("t.sk", DESIGN, &NoFiles);
    assert_eq!(compilation.diagnostics, []);
    let prices = prices();
    let bill = bill(&compilation.program, prices.rates("us-east-1").expect("known"));
    // 20 notes of 2 KB are ten blocks of 4 KB: 5 units a page. A note takes two units and one for its index entry.
    let seconds = 730.0 * 3_600.0;
    let reads = 100.0 * 5.0 * seconds / 1e6 * 0.125;
    let writes = 10.0 * 3.0 * seconds / 1e6 * 0.625;
    let near = |left: f64, right: f64| assert!((left - right).abs() < 0.01, "{left} is not {right}");
    let table = &bill.tables[0];
    near(table.on_demand, reads + writes);
    near(table.provisioned, (1_000.0 * 5.0 * 0.00013 + 30.0 * 0.00065) * 730.0);
    let gb = |bytes: f64| bytes * 1e7 / 1_073_741_824.0;
    let (own, index) = (gb(2_048.0 + 100.0), gb(300.0));
    near(table.stored_gb.0, own);
    near(table.stored_gb.1, index);
    near(table.storage, (own + index) * 0.25);
    near(table.recovery, own * 0.20);
    near(table.stream, (seconds - 2_500_000.0) / 1e5 * 0.02);
    near(bill.free_storage, (own + index).min(25.0) * 0.25);
    near(
        bill.total(|table| table.on_demand),
        reads + writes + table.recovery + table.stream + table.storage - bill.free_storage,
    );
    assert_eq!(bill.without_load, ["note"]);
    let text = bill_text(&bill, &prices, "us-east-1");
    assert!(text.contains("prices of 2024-11-01"), "{text}");
}
