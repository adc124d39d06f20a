//! The documentation site: the Markdown pages of the repository as HTML, with a table of contents, a search and checked links.
//!
//! `docs/SUMMARY.md` is the table of contents, in the form that mdBook reads. Every page below `docs/` belongs to the site; so do
//! the pages elsewhere that the table of contents names. Nothing is fetched from the network, neither here nor by a reader.

mod anchor;
mod contents;
mod layout;
mod links;
mod page;
mod search;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

pub use contents::{Chapter, Contents};
pub use links::LinkProblem;
pub use page::MarkdownPage;

/// Everything that a site is made of, read and parsed.
#[derive(Debug)]
pub struct Site {
    root: PathBuf,
    contents: Contents,
    pages: BTreeMap<String, MarkdownPage>,
}

/// Why a site cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A line of the table of contents has another form than `- [Title](page.md)`.
    #[error("docs/SUMMARY.md:{line}: expected `- [Title](page.md)` or a heading, found {text:?}")]
    Contents {
        /// The number of the line, from 1.
        line: usize,
        /// The line.
        text: String,
    },
}

impl Site {
    /// Reads all pages of the repository at `root`.
    pub fn read(root: &Path) -> Result<Site, SiteError> {
        let contents = Contents::parse(&read(&root.join("docs/SUMMARY.md"))?)?;
        let mut paths = markdown_below(root, "docs")?;
        paths.extend(contents.chapters().map(|chapter| chapter.path.clone()));
        paths.retain(|path| path != "docs/SUMMARY.md");
        let mut pages = BTreeMap::new();
        for path in paths {
            let page = MarkdownPage::parse(&path, &read(&root.join(&path))?);
            pages.insert(path, page);
        }
        Ok(Site { root: root.to_owned(), contents, pages })
    }

    /// The table of contents.
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// All pages, by their path in the repository.
    pub fn pages(&self) -> &BTreeMap<String, MarkdownPage> {
        &self.pages
    }

    /// Links that lead nowhere, and pages that no reader can find.
    pub fn problems(&self) -> Vec<LinkProblem> {
        links::problems(&self.root, &self.contents, &self.pages)
    }

    /// Writes the site into a directory and returns how many pages it has.
    pub fn write(&self, out: &Path) -> Result<usize, SiteError> {
        for page in self.pages.values() {
            let html = layout::html(&self.root, &self.contents, &self.pages, page);
            write(&out.join(page.address()), html.as_bytes())?;
        }
        write(&out.join("search.json"), search::index(self.pages.values()).as_bytes())?;
        write(&out.join("style.css"), include_bytes!("../assets/style.css"))?;
        write(&out.join("search.js"), include_bytes!("../assets/search.js"))?;
        for image in self.images() {
            let from = self.root.join(&image);
            let bytes = fs::read(&from).map_err(|source| SiteError::File { path: from, source })?;
            write(&out.join(page::address_of(&image)), &bytes)?;
        }
        Ok(self.pages.len())
    }

    /// The images that pages show.
    fn images(&self) -> Vec<String> {
        let links = self.pages.values().flat_map(MarkdownPage::links);
        links.filter(|link| link.is_image).filter_map(page::Link::file).collect()
    }
}

/// The paths of all Markdown files below a directory of the repository.
fn markdown_below(root: &Path, directory: &str) -> Result<Vec<String>, SiteError> {
    let failed = |source| SiteError::File { path: root.join(directory), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(root.join(directory)).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = format!("{directory}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            found.extend(markdown_below(root, &path)?);
        } else if path.ends_with(".md") {
            found.push(path);
        }
    }
    Ok(found)
}

fn read(path: &Path) -> Result<String, SiteError> {
    fs::read_to_string(path).map_err(|source| SiteError::File { path: path.to_owned(), source })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), SiteError> {
    let folder = path.parent().unwrap_or(path);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, bytes));
    written.map_err(|source| SiteError::File { path: path.to_owned(), source })
}
