//! Designs changed at random: words and signs exchanged for others, lines left out.

use sortkey_testkit::Random;

/// Words that may replace each other. Most results do not compile; those that do must work.
const EXCHANGES: &[(&str, &str)] = &[
    ("project all", "project keys"),
    ("project keys", "project all"),
    (" sparse", ""),
    (" strong", ""),
    ("newest first", "oldest first"),
    ("oldest first", "newest first"),
    (" page 50", " page 2"),
    (" page 100", " page 3"),
    (" page 20", " page 1"),
    ("= list ", "= count "),
    ("= list ", "= exists "),
    ("= get ", "= list "),
    ("= count ", "= list "),
    (" including expired", ""),
    ("time(iso)", "time(ms)"),
    ("time(ms)", "time(iso)"),
    ("time(ms)", "time(s)"),
    ("uuid", "ulid"),
    ("ulid", "uuid"),
    ("string(", "slug("),
    (":escape}", "}"),
    (":date}", "}"),
    (":iso}", "}"),
    ("}#{", "}|{"),
    (" unique ", " // "),
    (" where ", " filter "),
    (" filter ", " where "),
    (" and ", " or "),
    (" >= ", " > "),
    (" <= ", " < "),
    (" < ", " >= "),
    (" = now", " = now @immutable"),
    ("? ", " "),
    (" @immutable", ""),
    (" @internal", ""),
    (" @normalize(trim, lower)", ""),
    (" when ", " // "),
    ("create ", "upsert "),
    ("upsert ", "put "),
    ("update ", "upsert "),
    (" on delete cascade", ""),
    ("transact {", "each x in [1] {"),
    (" += 1", " -= 1"),
    (" else ", " // "),
];

/// A text with a few changes.
pub(crate) fn mutated(text: &str, dice: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=dice.below(3) {
        text = match dice.once_in(6) {
            true => without_line(&text, dice),
            false => exchanged(&text, dice),
        };
    }
    text
}

fn exchanged(text: &str, dice: &mut Random) -> String {
    // A few throws find an exchange that the text has a place for.
    for _ in 0..8 {
        let (find, put) = dice.pick(EXCHANGES);
        let places: Vec<usize> = text.match_indices(find).map(|(at, _)| at).collect();
        if !places.is_empty() {
            let at = *dice.pick(&places);
            return [&text[..at], put, &text[at + find.len()..]].concat();
        }
    }
    text.to_owned()
}

/// Without one of its lines that are a clause of their own.
fn without_line(text: &str, dice: &mut Random) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_clause = |line: &&str| line.starts_with(' ') && !line.contains(['{', '}']);
    let clauses: Vec<usize> = (0..lines.len()).filter(|at| is_clause(&lines[*at])).collect();
    if clauses.is_empty() {
        return text.to_owned();
    }
    let left_out = *dice.pick(&clauses);
    let kept = lines.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, line)| *line);
    kept.collect::<Vec<_>>().join("\n")
}
