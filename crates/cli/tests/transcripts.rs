//! Transcripts of the command line, run as a reader would run them. `TRYCMD=overwrite` rewrites what has changed.

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
