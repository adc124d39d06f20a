//! The fenced blocks of a Markdown page, and what is next to them.

/// A fenced block of code.
#[derive(Debug)]
pub(crate) struct Block {
    /// The word after the fence: `console`, `sk`, `sh`.
    pub(crate) language: String,
    /// The text between the fences.
    pub(crate) text: String,
    /// The paragraph before the block.
    pub(crate) before: String,
}

/// All fenced blocks of a page, in order.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let (mut blocks, mut before, mut open) = (Vec::new(), String::new(), None::<Block>);
    for line in page.lines() {
        match (open.take(), line.strip_prefix("```")) {
            (None, Some(language)) => {
                let before = std::mem::take(&mut before);
                open = Some(Block { language: language.to_owned(), text: String::new(), before });
            }
            (Some(block), Some(_)) => blocks.push(block),
            (Some(mut block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
                open = Some(block);
            }
            // A paragraph ends at an empty line; the empty line before a fence keeps it.
            (None, None) if line.is_empty() => {}
            (None, None) => {
                before.clear();
                before.push_str(line);
            }
        }
    }
    assert!(open.is_none(), "the last fence of the page is never closed");
    blocks
}

/// A command of a transcript and what it printed.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) command: String,
    pub(crate) expected: String,
}

/// The commands of a transcript. A command that ends with a backslash goes on in the next line.
pub(crate) fn steps(transcript: &str) -> Vec<Step> {
    let mut steps = Vec::<Step>::new();
    for line in transcript.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => {
                steps.push(Step { command: command.to_owned(), expected: String::new() });
            }
            (None, Some(step)) if step.expected.is_empty() && step.command.ends_with('\\') => {
                step.command.push('\n');
                step.command.push_str(line);
            }
            (None, Some(step)) => {
                step.expected.push_str(line);
                step.expected.push('\n');
            }
            (None, None) => panic!("a transcript begins with a command, not with {line:?}"),
        }
    }
    steps
}

/// Whether a text is the expected one; a line `...` matches any number of lines.
pub(crate) fn fits(expected: &str, actual: &str) -> bool {
    fn fit(expected: &[&str], actual: &[&str]) -> bool {
        match expected.split_first() {
            None => actual.is_empty(),
            Some((&"...", rest)) => (0..=actual.len()).any(|skipped| fit(rest, &actual[skipped..])),
            Some((line, rest)) => {
                actual.split_first().is_some_and(|(first, more)| first == line && fit(rest, more))
            }
        }
    }
    let expected: Vec<&str> = expected.trim().lines().collect();
    let actual: Vec<&str> = actual.trim().lines().collect();
    fit(&expected, &actual)
}
