//! Generated data, with a bar while it is made.

use indicatif::ProgressBar;
use sortkey_core::Runtime;
use sortkey_testing::seeding::{Seeded, seed};

use crate::failure::Failure;
use crate::{designs, progress};

/// A fixed seed, so that two runs generate the same values. Ids still differ, since they must not be guessable.
const SEED: u64 = 1;

/// Fills the tables of a design, and sums up what there is.
pub(super) async fn generate(runtime: &Runtime, most: u64) -> Result<(), Failure> {
    let mut bar: Option<(String, ProgressBar)> = None;
    let mut watch = |seeded: &Seeded| {
        if bar.as_ref().is_none_or(|(entity, _)| *entity != seeded.entity) {
            if let Some((_, bar)) = bar.take() {
                bar.finish_and_clear();
            }
            bar = Some((seeded.entity.clone(), progress::items(&seeded.entity, seeded.wanted)));
        }
        if let Some((_, bar)) = &bar {
            bar.set_position(seeded.made);
        }
    };
    let done = seed(runtime, most, SEED, &mut watch).await.map_err(Failure::new)?;
    if let Some((_, bar)) = bar {
        bar.finish_and_clear();
    }
    let made = done.iter().filter(|seeded| seeded.made > 0);
    let made: Vec<String> = made.map(|seeded| format!("{} {}", seeded.made, seeded.entity)).collect();
    designs::say(&format!("Generated: {}\n", made.join(", ")));
    // Ids cannot be guessed, so nobody would find what was made.
    if let Some(caller) = done.iter().find_map(|seeded| seeded.caller.clone()) {
        designs::say(&format!(
            "Somebody who has items: SORTKEY_CALLER='{}'\n",
            serde_json::Value::Object(caller)
        ));
    }
    for seeded in done.iter().filter(|seeded| seeded.made == 0) {
        let why = seeded.trouble.as_deref().unwrap_or("nothing asks for any");
        designs::say(&format!("  note: no {}: {why}\n", seeded.entity));
    }
    Ok(())
}
