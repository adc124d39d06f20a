//! Tables and indexes of the file that was generated before, and not of this one.
//!
//! Terraform destroys what disappears from its files, `prevent_destroy` or not, because that setting disappears with
//! it. A `removed` block releases a resource from the state instead. The block stays in later files, since the
//! generator cannot find out whether it has been applied.

use std::collections::BTreeSet;

use super::hcl::Block;
use super::table::INDEX;

pub(super) fn blocks(previous: &str, kept: &BTreeSet<String>) -> Vec<Block> {
    let known: BTreeSet<String> = previous.lines().filter_map(address).collect();
    let gone = known.into_iter().filter(|address| !kept.contains(address));
    gone.map(|address| {
        Block::new("removed", &[])
            .comment(format!(
                "The design no longer has {address}. It stays in AWS, and Terraform forgets it."
            ))
            .set("from", address)
            .block(Block::new("lifecycle", &[]).set("destroy", "false"))
    })
    .collect()
}

/// The address in a line that begins a table or an index, or that names one as removed.
fn address(line: &str) -> Option<String> {
    let holds_items = |kind: &str| kind == "aws_dynamodb_table" || kind == INDEX;
    if let Some(rest) = line.strip_prefix("resource \"") {
        let (kind, rest) = rest.split_once("\" \"")?;
        let (name, _) = rest.split_once('"')?;
        return holds_items(kind).then(|| format!("{kind}.{name}"));
    }
    let from = line.trim().strip_prefix("from = ")?;
    let (kind, _) = from.split_once('.')?;
    holds_items(kind).then(|| from.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terraform::hcl::print;

    #[test]
    fn what_disappears_is_released_and_stays_released() {
        let previous = "resource \"aws_dynamodb_table\" \"old\" {\nresource \"aws_dynamodb_table\" \"main\" {\n\
                        resource \"aws_cloudwatch_metric_alarm\" \"old_reads\" {\n";
        let kept = BTreeSet::from(["aws_dynamodb_table.main".to_owned()]);
        let text = print(&blocks(previous, &kept));
        let expected = "# The design no longer has aws_dynamodb_table.old. It stays in AWS, and Terraform forgets it.\n\
                        removed {\n  from = aws_dynamodb_table.old\n\n  lifecycle {\n    destroy = false\n  }\n}\n";
        assert_eq!(text, expected);
        assert_eq!(print(&blocks(&text, &kept)), text);
        // A table that comes back is a resource again.
        let back =
            BTreeSet::from(["aws_dynamodb_table.main".to_owned(), "aws_dynamodb_table.old".to_owned()]);
        assert_eq!(print(&blocks(&text, &back)), "");
    }
}
