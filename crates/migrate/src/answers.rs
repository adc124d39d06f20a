//! The comparison of answers: every pattern of the old design with its successor, for arguments that old items give.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use sortkey_core::internals::{EntityInfo, Fields, read_whole};
use sortkey_design::program::{BindValue, Bound};
use sortkey_value::Item;

use crate::hidden;
use crate::mapper::Mapper;
use crate::patterns::{Compared, Gap, Pair, pairs};
use crate::place::Place;
use crate::plan::Side;
use crate::refusal::Refusal;
use crate::runner::Runner;
use crate::verify::{Answers, Difference, Extent, Report};

/// How often an answer is asked for again while other programs write.
const LOOKS: usize = 3;

/// The comparisons of one pattern so far.
#[derive(Default)]
struct Asked {
    arguments: HashSet<u64>,
    compared: u64,
    differences: u64,
}

impl Runner {
    /// Compares the answers of both designs, for arguments that items of some old tables give.
    pub(crate) async fn verify_answers(
        &self,
        mapper: Mapper<'_>,
        extent: Extent,
        tables: &[Arc<str>],
        report: &mut Report,
    ) -> Result<(), Refusal> {
        let (pairs, without) = pairs(&self.plan);
        let mut asked: Vec<Asked> = pairs.iter().map(|_| Asked::default()).collect();
        for table in tables {
            let mut after = None;
            loop {
                let (items, next) = self.page(table, after, None).await?;
                for item in &items {
                    let Some(info) = self.plan.owner(Side::Old, table, item) else { continue };
                    self.ask_of(mapper, extent, info, item, &pairs, &mut asked, report).await?;
                }
                let is_enough = |asked: &Asked| match extent {
                    Extent::Sample(most) => asked.compared >= most,
                    Extent::Full => false,
                };
                match next.filter(|_| !asked.iter().all(is_enough)) {
                    Some(next) => after = Some(next),
                    None => break,
                }
            }
        }
        report.patterns = pairs
            .iter()
            .zip(&asked)
            .map(|(pair, asked)| Answers {
                old: pair.name.clone(),
                new: pair.successor.clone(),
                compared: asked.compared,
                differences: asked.differences,
            })
            .collect();
        report.without = without;
        Ok(())
    }

    /// Asks every pattern of an entity with the attributes of one of its items.
    #[allow(
        clippy::too_many_arguments,
        reason = "what is walked, what is asked, and where it is written down"
    )]
    async fn ask_of(
        &self,
        mapper: Mapper<'_>,
        extent: Extent,
        info: &EntityInfo,
        item: &Item,
        pairs: &[Pair],
        asked: &mut [Asked],
        report: &mut Report,
    ) -> Result<(), Refusal> {
        let own = pairs.iter().zip(asked.iter_mut());
        for (pair, asked) in own.filter(|(pair, _)| self.plan.mappings[pair.mapping].of.old == info.at) {
            if matches!(extent, Extent::Sample(most) if asked.compared >= most) {
                continue;
            }
            // An unreadable item was reported with the items.
            let Ok(fields) = read_whole(&self.plan.old.scope(None), info, &hidden::bare(item)) else { break };
            if !asked.arguments.insert(self.print(pair, &fields)) {
                continue;
            }
            let place = Place::of(info, item);
            let source = Some((info, &place));
            let mut compared = mapper.compare_steadily(&self.backend, pair, &fields, source).await?;
            for _ in 0..LOOKS {
                if !report.is_captured || !matches!(compared, Compared::Differs(_)) {
                    break;
                }
                self.caught_up().await?;
                compared = mapper.compare_steadily(&self.backend, pair, &fields, source).await?;
            }
            match compared {
                Compared::Same => asked.compared += 1,
                Compared::Differs(Gap { what, .. }) => {
                    asked.compared += 1;
                    asked.differences += 1;
                    report.add(vec![Difference { place, what }]);
                }
                Compared::Unable => {}
            }
        }
        Ok(())
    }

    /// A hash of a pattern's arguments, to skip repeated ones.
    fn print(&self, pair: &Pair, fields: &Fields) -> u64 {
        let pattern = &self.plan.old.program().patterns[pair.old];
        let info = self.plan.info(Side::Old, pattern.entities[0]);
        let mut hasher = DefaultHasher::new();
        for bind in &pattern.binds {
            if let (Bound::Attribute(id), BindValue::Parameter(_)) = (bind.to, &bind.value) {
                format!("{:?}", fields.get(info.name_of(id))).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}
