//! The surroundings of a page's text: table of contents, links to the next page, search.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use crate::contents::{Chapter, Contents};
use crate::page::{self, Link, MarkdownPage};

/// The address of files of the repository that are not pages of the site.
const REPOSITORY: &str = "https://github.com/sortkey/sortkey";

/// A whole page of the site.
pub(crate) fn html(
    root: &Path,
    contents: &Contents,
    pages: &BTreeMap<String, MarkdownPage>,
    page: &MarkdownPage,
) -> String {
    let here = page.address();
    let home = page::relative(&here, "");
    let text = page.html(|link| address(root, pages, &here, link));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · Sortkey</title>\n<link rel=\"stylesheet\" href=\"{home}style.css\">\n\
         <script defer src=\"{home}search.js\" data-home=\"{home}\"></script>\n</head>\n<body>\n\
         <nav>\n<input id=\"search\" type=\"search\" placeholder=\"Search\" aria-label=\"Search\">\n<ol id=\"found\"></ol>\n\
         {contents}</nav>\n<main>\n{text}\n{turn}</main>\n</body>\n</html>\n",
        title = escaped(&page.title),
        contents = table(contents, &page.path, &here),
        turn = turn(contents, &page.path, &here),
    )
}

/// The target of a link on the site: a page or an image of it, or the repository.
fn address(root: &Path, pages: &BTreeMap<String, MarkdownPage>, here: &str, link: &Link) -> String {
    let Some(file) = link.file() else { return link.target.clone() };
    let anchor = link.anchor().map(|anchor| format!("#{anchor}")).unwrap_or_default();
    if link.is_image || pages.contains_key(&file) {
        return page::relative(here, &page::address_of(&file)) + &anchor;
    }
    let kind = if root.join(&file).is_dir() { "tree" } else { "blob" };
    format!("{REPOSITORY}/{kind}/main/{file}{anchor}")
}

fn table(contents: &Contents, current: &str, here: &str) -> String {
    let mut text = String::new();
    for part in &contents.parts {
        if !part.title.is_empty() {
            let _ = writeln!(text, "<h2>{}</h2>", escaped(&part.title));
        }
        text.push_str("<ul>\n");
        for chapter in &part.chapters {
            let mark = if chapter.path == current { " aria-current=\"page\"" } else { "" };
            let _ = writeln!(
                text,
                "<li><a{mark} href=\"{}\">{}</a></li>",
                to(chapter, here),
                escaped(&chapter.title)
            );
        }
        text.push_str("</ul>\n");
    }
    text
}

/// Links to the pages before and after this one.
fn turn(contents: &Contents, current: &str, here: &str) -> String {
    let chapters: Vec<&Chapter> = contents.chapters().collect();
    let Some(place) = chapters.iter().position(|chapter| chapter.path == current) else {
        return String::new();
    };
    let link = |place: Option<usize>, relation: &str| {
        let chapter = place.and_then(|place| chapters.get(place))?;
        Some(format!("<a rel=\"{relation}\" href=\"{}\">{}</a>", to(chapter, here), escaped(&chapter.title)))
    };
    let before = link(place.checked_sub(1), "prev").unwrap_or_default();
    let after = link(place.checked_add(1), "next").unwrap_or_default();
    format!("<footer>{before} {after}</footer>\n")
}

fn to(chapter: &Chapter, here: &str) -> String {
    page::relative(here, &page::address_of(&chapter.path))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
