//! The example program prints what its source promises.

use std::process::Command;

#[test]
fn the_program_with_a_design_inside_runs() {
    let done = Command::new(env!("CARGO_BIN_EXE_embedded-design")).output().expect("the program runs");
    let printed = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{printed}{}", String::from_utf8_lossy(&done.stderr));
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[..2], ["call Bob", "remember the milk"]);
    assert!(lines[2].starts_with("Invalid: `words`"), "{printed}");
}
