//! A migration carried out on a copy of the database in memory, and with everything that can go wrong.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use sortkey_api::Requests as _;
use sortkey_api::operations::{PutItemInput, ScanInput};
use sortkey_core::internals::is_reserved;
use sortkey_core::{Backend, Runtime, Settings, Timer};
use sortkey_deploy::{MIGRATION, deploy};
use sortkey_diagnostics::counted;
use sortkey_embedded::Embedded;
use sortkey_engine::{Engine, Fault, FaultKind};
use sortkey_migrate::{Refusal, Rehearsed, Rehearsing, Side, Trouble, cut_at, rehearse, torture};

use super::place::Opened;
use crate::designs;
use crate::failure::Failure;
use crate::pause::pause;

/// As many points as a migration is cut off at; a longer one is cut off at some of its requests.
const MOST_POINTS: u64 = 1_000;

/// How much is to go wrong.
#[derive(Args, Debug)]
pub(super) struct Harm {
    /// Cut the runner and a server off at every request, and under so many random seeds with throttling, conflicts, index lag
    /// and clock jumps
    #[arg(long, value_name = "SEEDS")]
    torture: Option<u64>,

    /// The first of the seeds
    #[arg(long, default_value_t = 1, requires = "torture")]
    seed: u64,
}

/// A database in memory with what the tables hold.
struct Copy {
    engine: Engine,
    runtime: Runtime,
}

struct Now;

impl Timer for Now {
    fn pause(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async {})
    }
}

impl Rehearsing for Copy {
    fn backend(&self) -> Arc<dyn Backend> {
        Arc::new(Embedded::new(self.engine.clone()))
    }

    fn settings(&self) -> Settings {
        let clock = Arc::new(Embedded::new(self.engine.clone()));
        Settings { timer: Arc::new(Now), clock, ..self.runtime.shared().settings.clone() }
    }

    fn fork(&self) -> Copy {
        // Only a database on disk has no fork, and this one is in memory.
        let engine = self.engine.fork().unwrap_or_else(|| self.engine.clone());
        Copy { engine, runtime: self.runtime.clone() }
    }

    fn disturb(&self, trouble: Trouble) {
        let fault = |kind, remaining| Fault { kind, remaining, operation: None, table: None };
        match trouble {
            Trouble::Throttle(times) => self.engine.faults().add(fault(FaultKind::Throttle, times)),
            Trouble::Conflict(times) => self.engine.faults().add(fault(FaultKind::Conflict, times)),
            Trouble::Lag => self.engine.set_gsi_delay(Duration::from_secs(5)),
            Trouble::Jump(by_ms) => self.engine.advance_clock(by_ms),
            Trouble::Calm => {
                self.engine.faults().clear();
                self.engine.set_gsi_delay(Duration::ZERO);
            }
        }
    }

    fn design(&self, backend: Arc<dyn Backend>) -> Result<Runtime, Refusal> {
        Runtime::of_program(Arc::clone(self.runtime.program()), backend, self.settings())
            .map_err(|problems| Refusal { reasons: problems.into_iter().map(|each| each.message).collect() })
    }
}

impl Copy {
    /// Copies the old tables, and creates the new ones beside them.
    async fn of(opened: &Opened) -> Result<Copy, Failure> {
        let engine = Engine::memory(sortkey_engine::Settings::default());
        let embedded = Embedded::new(engine.clone());
        let old = opened.runner.plan().runtime(Side::Old);
        let naming = old.shared().settings.naming();
        for design in [old.design(), opened.runtime.design()] {
            deploy(design, &naming, &embedded, &pause, &mut |_| ())
                .await
                .map_err(|error| opened.failure(error))?;
            if std::ptr::eq(design, old.design()) {
                copy_items(opened, old, &embedded).await?;
            }
        }
        Ok(Copy { engine, runtime: opened.runtime.clone() })
    }
}

async fn copy_items(opened: &Opened, old: &Runtime, to: &Embedded) -> Result<(), Failure> {
    let bar = crate::progress::entries("copied to memory");
    for table in opened.runner.plan().tables(Side::Old) {
        let info = old.shared().entities.iter().find(|info| *info.table.name() == **table);
        let mut after = None;
        loop {
            let input = ScanInput {
                table_name: (&**table).into(),
                exclusive_start_key: after.map(sortkey_api::SuppliedItem::from),
                consistent_read: Some(true),
                ..ScanInput::default()
            };
            let page = opened.runtime.backend().scan(input).await.map_err(Failure::new)?;
            for item in page.items.unwrap_or_default() {
                let is_state = info.is_some_and(|info| {
                    is_reserved(&item, &info.partition)
                        && format!("{:?}", item.get(&info.partition)).contains(MIGRATION)
                });
                if is_state {
                    continue;
                }
                bar.inc(1);
                let input = PutItemInput {
                    table_name: (&**table).into(),
                    item: item.into(),
                    ..PutItemInput::default()
                };
                to.put_item(input).await.map_err(Failure::new)?;
            }
            match page.last_evaluated_key {
                Some(next) => after = Some(next),
                None => break,
            }
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// Carries the migration out on a copy.
pub(super) async fn run(opened: &Opened, harm: &Harm) -> Result<(), Failure> {
    if opened.runner.state().await.map_err(Failure::new)?.is_some() {
        return Err(Failure::new("the migration has begun: it is rehearsed before `start`"));
    }
    let copy = Copy::of(opened).await?;
    let (_, report, requests) = rehearse(&copy).await.map_err(Failure::new)?;
    designs::say(&format!(
        "carried out on a copy in memory, with switch, back and switch: {} compared, 0 differences, {requests} requests\n",
        counted(report.items, "item")
    ));
    let Some(seeds) = harm.torture else { return Ok(()) };
    let mut sum = Rehearsed::default();
    let step = requests.div_ceil(MOST_POINTS).max(1);
    let bar = crate::progress::entries("disturbed");
    for after in [false, true] {
        let mut at = u64::from(after);
        while cut_at(&copy, at, after, &mut sum)
            .await
            .map_err(|refusal| Failure::new(format_args!("cut off at request {at}: {refusal}")))?
            .is_some()
        {
            at += step;
            bar.inc(1);
        }
    }
    let which = if step == 1 { "every request".to_owned() } else { format!("every {step}th request") };
    for seed in harm.seed..harm.seed.saturating_add(seeds) {
        torture(&copy, seed, &mut sum).await.map_err(|refusal| {
            Failure::new(format_args!("seed {seed}: {refusal}"))
                .hint(format!("--torture 1 --seed {seed} does it again"))
        })?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    designs::say(&format!(
        "{} migrations, cut off at {which} and under {seeds} seeds, {} cuts: {} acknowledged writes, 0 lost, 0 differences\n",
        sum.migrations, sum.cuts, sum.writes
    ));
    Ok(())
}
