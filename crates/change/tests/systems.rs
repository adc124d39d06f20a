//! The seller profiles before and after their migration: a difference of every class, as it is printed.

use std::path::Path;
use std::sync::Arc;

use sortkey_change::{diff, text};
use sortkey_design::{FileLoader, Program, compile};

fn program(file: &str) -> Arc<Program> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems/seller-profiles").join(file);
    let source = std::fs::read_to_string(&path).expect("a design");
    compile(&path.to_string_lossy(), &source, &FileLoader).program
}

#[test]
fn seller_profiles() {
    let (old, new) = (program("seller-profiles-before.sk"), program("seller-profiles.sk"));
    insta::assert_snapshot!(text(&diff(&old, &new)));
}

#[test]
fn a_system_does_not_differ_from_itself() {
    for file in ["seller-profiles-before.sk", "seller-profiles.sk"] {
        assert_eq!(diff(&program(file), &program(file)), [], "{file}");
    }
}
