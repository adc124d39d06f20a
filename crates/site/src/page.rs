//! A page: Markdown, its headings with their anchors, and its links.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

use crate::anchor::Anchors;

/// A page of the site.
#[derive(Debug)]
pub struct MarkdownPage {
    /// Its path in the repository.
    pub path: String,
    /// The text of its first heading.
    pub title: String,
    /// Its headings, in order.
    pub headings: Vec<Heading>,
    links: Vec<Link>,
    events: Vec<Event<'static>>,
}

/// A heading, and the text below it up to the next one.
#[derive(Debug)]
pub struct Heading {
    /// Its text.
    pub text: String,
    /// Its name in addresses.
    pub anchor: String,
    /// The text below it, without markup.
    pub body: String,
}

/// A link of a page, or an image in it.
#[derive(Clone, Debug)]
pub struct Link {
    /// As it is written.
    pub target: String,
    /// Whether it is shown instead of followed.
    pub is_image: bool,
    from: String,
}

impl Link {
    /// Whether it leads out of the repository.
    pub fn is_external(&self) -> bool {
        self.target.contains("://") || self.target.starts_with("mailto:")
    }

    /// The path in the repository that it leads to; none if it leads out of it.
    pub fn file(&self) -> Option<String> {
        let path = self.target.split('#').next().unwrap_or_default();
        match path {
            _ if self.is_external() => None,
            "" => Some(self.from.clone()),
            _ => resolve(&self.from, path),
        }
    }

    /// The heading that it leads to.
    pub fn anchor(&self) -> Option<&str> {
        self.target.split_once('#').map(|(_, anchor)| anchor)
    }
}

impl MarkdownPage {
    /// Reads a page.
    pub fn parse(path: &str, markdown: &str) -> MarkdownPage {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        let mut events: Vec<Event<'static>> =
            Parser::new_ext(markdown, options).map(Event::into_static).collect();
        let headings = name_headings(&mut events);
        let links = links(path, &events);
        let title = headings.first().map_or_else(|| path.to_owned(), |heading| heading.text.clone());
        MarkdownPage { path: path.to_owned(), title, headings, links, events }
    }

    /// Its address on the site.
    pub fn address(&self) -> String {
        address_of(&self.path)
    }

    /// Its links and images.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Its HTML. `address` gives the target of a link on the site.
    pub(crate) fn html(&self, mut address: impl FnMut(&Link) -> String) -> String {
        let mut links = self.links.iter();
        let events = self.events.iter().cloned().map(|mut event| {
            if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = &mut event
                && let Some(link) = links.next()
            {
                *dest_url = CowStr::from(address(link));
            }
            event
        });
        let mut text = String::new();
        html::push_html(&mut text, events);
        text
    }
}

/// Gives every heading its anchor.
fn name_headings(events: &mut [Event<'static>]) -> Vec<Heading> {
    let (mut headings, mut anchors, mut open) = (Vec::<Heading>::new(), Anchors::default(), None);
    for index in 0..events.len() {
        match &events[index] {
            Event::Start(Tag::Heading { .. }) => open = Some((index, String::new())),
            Event::End(TagEnd::Heading(_)) => {
                let Some((start, text)) = open.take() else { continue };
                let anchor = anchors.of(&text);
                if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
                    *id = Some(CowStr::from(anchor.clone()));
                }
                headings.push(Heading { text, anchor, body: String::new() });
            }
            Event::Text(text) | Event::Code(text) => match (&mut open, headings.last_mut()) {
                (Some((_, heading)), _) => heading.push_str(text),
                (None, Some(heading)) => {
                    heading.body.push_str(text);
                    heading.body.push(' ');
                }
                (None, None) => {}
            },
            _ => {}
        }
    }
    headings
}

fn links(path: &str, events: &[Event<'_>]) -> Vec<Link> {
    let link =
        |target: &CowStr<'_>, is_image| Link { target: target.to_string(), is_image, from: path.to_owned() };
    let links = events.iter().filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(link(dest_url, false)),
        Event::Start(Tag::Image { dest_url, .. }) => Some(link(dest_url, true)),
        _ => None,
    });
    links.collect()
}

/// The address of a file of the repository on the site.
pub(crate) fn address_of(path: &str) -> String {
    let path = path.strip_prefix("docs/").unwrap_or(path);
    match path.strip_suffix(".md") {
        Some(page) => format!("{page}.html"),
        None => path.to_owned(),
    }
}

/// The path that a relative link leads to; none if it leaves the repository.
pub(crate) fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The relative address from one page of the site to another place on it.
pub(crate) fn relative(from: &str, to: &str) -> String {
    format!("{}{to}", "../".repeat(from.matches('/').count()))
}
