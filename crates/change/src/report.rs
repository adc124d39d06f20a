//! Differences as text for people and as JSON for programs.

use serde::Serialize;
use sortkey_diagnostics::counted;

use crate::{Class, Difference};

/// The differences by class, each with what it takes.
pub fn text(differences: &[Difference]) -> String {
    if differences.is_empty() {
        return "no differences\n".to_owned();
    }
    let mut text = String::new();
    for class in Class::ALL {
        let own: Vec<&Difference> = differences.iter().filter(|each| each.class == class).collect();
        if own.is_empty() {
            continue;
        }
        text += &format!("class {}: {}\n", class.number(), class.title());
        for each in own {
            text += &format!("  {}: {}\n", each.subject, each.change);
            // The heading of class 0 already implies that nothing happens.
            if class != Class::Nothing {
                text += &format!("      {}\n", each.effect);
            }
            if let Some(work) = &each.work {
                text += &format!(
                    "      {} items, about {} rcu and {} wcu\n",
                    thousands(work.items),
                    thousands(work.rcu),
                    thousands(work.wcu)
                );
            }
            if let Some(breaks) = &each.breaks {
                text += &format!("      callers: {breaks}\n");
            }
        }
    }
    text + &summary(differences)
}

fn summary(differences: &[Difference]) -> String {
    let highest = differences.iter().map(|each| each.class).max().unwrap_or(Class::Nothing);
    let count = counted(differences.len(), "difference");
    let breaking = differences.iter().filter(|each| each.breaks.is_some()).count();
    let breaking = match breaking {
        0 => String::new(),
        1 => ", 1 of them is noticed by callers".to_owned(),
        many => format!(", {many} of them are noticed by callers"),
    };
    format!("{count}, class {} at most{breaking}\n", highest.number())
}

/// The differences as JSON.
pub fn json(differences: &[Difference]) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Numbered<'a> {
        number: u8,
        #[serde(flatten)]
        difference: &'a Difference,
    }
    let numbered: Vec<Numbered<'_>> = differences
        .iter()
        .map(|difference| Numbered { number: difference.class.number(), difference })
        .collect();
    serde_json::to_string_pretty(&serde_json::json!({ "differences": numbered })).map(|text| text + "\n")
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
