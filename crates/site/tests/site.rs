//! The documentation of this repository, as readers get it.

use std::path::Path;

use sortkey_site::Site;

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn site() -> Site {
    Site::read(&root()).expect("the documentation of this repository")
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let problems: Vec<String> = site().problems().iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn broken_links_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("docs")).expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join("docs").join(name), text).expect("written")
    };
    write("SUMMARY.md", "# Summary\n\n[One](one.md)\n");
    write(
        "one.md",
        "# One\n\n[a](two.md) [b](#one) [c](#two) [d](three.md#x) [e](https://example.com/x) `[f](g.md)`\n",
    );
    write("three.md", "# Three\n");
    write("four.md", "# Four\n");
    let site = Site::read(folder.path()).expect("a site");
    let problems: Vec<String> = site.problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "docs/one.md: two.md does not exist",
            "docs/one.md: #two names no heading there",
            "docs/one.md: three.md#x names no heading there",
            "docs/four.md: nothing links to it; add it to docs/SUMMARY.md",
        ]
    );
}

#[test]
fn written_pages_link_to_each_other() {
    let out = tempfile::tempdir().expect("a folder");
    let site = site();
    let count = site.write(out.path()).expect("written");
    assert_eq!(count, site.pages().len());
    let mut followed = 0;
    for page in site.pages().values() {
        let address = page.address();
        let html = std::fs::read_to_string(out.path().join(&address)).expect("a page");
        let folder = out.path().join(&address).parent().expect("a folder").to_owned();
        for target in html.split("href=\"").skip(1).chain(html.split("src=\"").skip(1)) {
            let target = target.split('"').next().unwrap_or_default();
            if target.contains("://") || target.starts_with('#') {
                continue;
            }
            let file = target.split('#').next().unwrap_or_default();
            assert!(folder.join(file).exists(), "{address} links to {target}");
            followed += 1;
        }
    }
    assert!(followed > 1_000, "{followed}");
    let index = std::fs::read_to_string(out.path().join("search.json")).expect("an index");
    assert!(index.starts_with("[[") && index.contains("language.html#patterns"));
}
