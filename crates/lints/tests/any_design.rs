//! Designs with pieces torn out and put elsewhere: whatever the text, checking and laying out never panic.

use sortkey_design::NoFiles;
use sortkey_diagnostics::{Style, render};
use sortkey_lints::{Options, check};
use sortkey_plan::lock_file;
use sortkey_testkit::Random;
use std::path::Path;

/// Cuts some words out and puts some where they do not belong.
fn torn(text: &str, dice: &mut Random) -> String {
    let mut words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
    for _ in 0..1 + dice.below(6) {
        let (from, to) = (dice.below(words.len()), dice.below(words.len()));
        match dice.below(3) {
            0 => drop(words.remove(from)),
            1 => words.insert(to, words[from]),
            _ => words.swap(from, to),
        }
    }
    words.concat()
}

#[test]
fn torn_designs_are_checked_without_a_panic() {
    let systems = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems");
    let mut dice = Random::new(0x5eed_5eed_5eed_5eed);
    for name in ["ferryhook/ferryhook.sk", "t3nets/t3nets.sk", "seller-profiles/as-written.sk"] {
        let text = std::fs::read_to_string(systems.join(name)).unwrap_or_default();
        assert!(!text.is_empty(), "{name}");
        for _ in 0..120 {
            let torn = torn(&text, &mut dice);
            let compilation = check("torn.sk", &torn, &NoFiles, &Options::default());
            for diagnostic in compilation.diagnostics.iter().take(20) {
                assert!(!render(diagnostic, &compilation.sources, Style::Plain).is_empty());
            }
            assert!(!lock_file(&compilation.program).is_empty());
            let parsed = sortkey_syntax::parse(&torn, sortkey_diagnostics::FileId(0));
            if let Some(once) = sortkey_syntax::format(&parsed) {
                let again = sortkey_syntax::parse(&once, sortkey_diagnostics::FileId(0));
                assert_eq!(sortkey_syntax::format(&again).as_ref(), Some(&once));
            }
        }
    }
}
