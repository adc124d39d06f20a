//! Names of headings in addresses, as GitHub makes them, so that a link works there and on the site.

use std::collections::BTreeMap;

/// Gives out the anchors of one page. A number distinguishes headings of one text.
#[derive(Debug, Default)]
pub(crate) struct Anchors(BTreeMap<String, usize>);

impl Anchors {
    pub(crate) fn of(&mut self, heading: &str) -> String {
        let name = slug(heading);
        let seen = self.0.entry(name.clone()).or_insert(0);
        *seen += 1;
        match *seen {
            1 => name,
            more => format!("{name}-{}", more - 1),
        }
    }
}

fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_githubs() {
        let mut anchors = Anchors::default();
        for (heading, expected) in [
            ("A first design", "a-first-design"),
            ("1. Write down what is stored", "1-write-down-what-is-stored"),
            ("`sortkey plan`: what it prints", "sortkey-plan-what-it-prints"),
            ("Differences", "differences"),
            ("Differences", "differences-1"),
        ] {
            assert_eq!(anchors.of(heading), expected);
        }
    }
}
