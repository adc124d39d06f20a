//! Links that lead nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use crate::contents::Contents;
use crate::page::{Link, MarkdownPage};

/// A fault of a page.
#[derive(Debug, PartialEq, Eq)]
pub enum LinkProblem {
    /// A link leads to a file that does not exist.
    NoSuchFile {
        /// The page with the link.
        page: String,
        /// The link.
        target: String,
    },
    /// A link leads to a heading that its page does not have.
    NoSuchHeading {
        /// The page with the link.
        page: String,
        /// The link.
        target: String,
    },
    /// No page and no table of contents leads to this page.
    Unreachable {
        /// The page.
        page: String,
    },
}

impl fmt::Display for LinkProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkProblem::NoSuchFile { page, target } => write!(out, "{page}: {target} does not exist"),
            LinkProblem::NoSuchHeading { page, target } => {
                write!(out, "{page}: {target} names no heading there")
            }
            LinkProblem::Unreachable { page } => {
                write!(out, "{page}: nothing links to it; add it to docs/SUMMARY.md")
            }
        }
    }
}

pub(crate) fn problems(
    root: &Path,
    contents: &Contents,
    pages: &BTreeMap<String, MarkdownPage>,
) -> Vec<LinkProblem> {
    let mut problems = Vec::new();
    let mut reached: BTreeSet<String> = contents.chapters().map(|chapter| chapter.path.clone()).collect();
    for page in pages.values() {
        for link in page.links().iter().filter(|link| !link.is_external()) {
            problems.extend(problem(root, pages, page, link));
            reached.extend(link.file().filter(|file| *file != page.path));
        }
    }
    let unreachable = pages.keys().filter(|path| !reached.contains(*path));
    problems.extend(unreachable.map(|path| LinkProblem::Unreachable { page: path.clone() }));
    problems
}

fn problem(
    root: &Path,
    pages: &BTreeMap<String, MarkdownPage>,
    page: &MarkdownPage,
    link: &Link,
) -> Option<LinkProblem> {
    let (from, target) = (page.path.clone(), link.target.clone());
    let file = link.file().filter(|file| root.join(file).exists());
    let Some(file) = file else { return Some(LinkProblem::NoSuchFile { page: from, target }) };
    let anchor = link.anchor()?;
    let named =
        pages.get(&file).is_some_and(|page| page.headings.iter().any(|heading| heading.anchor == anchor));
    (!named).then_some(LinkProblem::NoSuchHeading { page: from, target })
}
