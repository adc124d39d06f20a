//! A design whose items are being migrated: the old one answers until the switch, the new one from then on.
//!
//! Both designs run on the layer that writes both. Every request looks up the design that answers in a copy of the
//! migration's state that is a few seconds old at most, so nothing is restarted at the switch.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sortkey_core::{Backend, Runtime, Settings};
use sortkey_gateway::{Admission, Gateway};
use sortkey_migrate::{Ages, Layer, Phase, Plan, Shadow, Side, State, Steady, Watch};
use sortkey_server::hyper::{Request, Response, StatusCode};
use sortkey_server::{Bytes, Content, Handler, Mount};

use crate::designs;
use crate::failure::Failure;

/// Both designs of a migration.
pub(super) struct Following {
    pub(super) old: Runtime,
    pub(super) new: Runtime,
    pub(super) plan: Arc<Plan>,
    watch: Arc<Watch>,
}

impl Following {
    /// Both designs of the migration that a design declares; none if it declares none. The runtime is that of the new
    /// design on the bare backend.
    pub(super) fn of(
        new: &Runtime,
        backend: &Arc<dyn Backend>,
        settings: &Settings,
    ) -> Result<Option<Following>, Failure> {
        if new.design().migrations.is_empty() {
            return Ok(None);
        }
        let plan = Arc::new(Plan::new(new.clone()).map_err(Failure::new)?);
        let steady = Steady::new(Arc::clone(backend), settings.clone());
        let watch = Watch::new(&plan, steady.clone(), Ages::SHARED)
            .ok_or_else(|| Failure::new("the state of the migration has no place in the old tables"))?;
        let watch = Arc::new(watch);
        let on = |side: Side| {
            let layer = Layer::new(Arc::clone(&plan), steady.clone(), Arc::clone(&watch), side);
            let bare = plan.runtime(side);
            let mut settings = bare.shared().settings.clone();
            if side == Side::Old {
                let spawn = Arc::new(|work| drop(tokio::spawn(work)));
                let shadow = Shadow::new(Arc::clone(&plan), steady.clone(), Arc::clone(&watch), spawn);
                settings.observer = shadow.map(|shadow| Arc::new(shadow) as _);
            }
            Runtime::of_program(Arc::clone(bare.program()), Arc::new(layer), settings)
                .map_err(|problems| Failure::new(problems.first().map_or("", |each| &each.message)))
        };
        let (old, new) = (on(Side::Old)?, on(Side::New)?);
        Ok(Some(Following { old, new, plan, watch }))
    }

    /// The state of the migration; none if it has not begun.
    pub(super) async fn state(&self) -> Result<Option<State>, Failure> {
        self.watch.state().await.map_err(Failure::new)
    }

    /// The design that answers now.
    pub(super) fn answering(&self, state: Option<&State>) -> &Runtime {
        match state.map_or(Side::Old, |state| state.phase.answers()) {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }

    /// The places of both designs on a server. A path that both have leads to the one that answers.
    pub(super) fn mounts(
        &self,
        admission: &dyn Fn() -> Result<Admission, Failure>,
    ) -> Result<Vec<Mount>, Failure> {
        let old = Gateway::new(self.old.clone(), admission()?).mounts();
        let new = Gateway::new(self.new.clone(), admission()?).mounts();
        let answers_new = Arc::new(AtomicBool::new(false));
        let mut prefixes: Vec<&'static str> = old.iter().chain(&new).map(|mount| mount.prefix).collect();
        prefixes.dedup();
        let mut mounts: Vec<Mount> = Vec::new();
        for prefix in prefixes {
            if mounts.iter().any(|mount| mount.prefix == prefix) {
                continue;
            }
            let find = |all: &[Mount]| all.iter().find(|mount| mount.prefix == prefix).cloned();
            let (before, after) = (find(&old), find(&new));
            let Some(access) = before.as_ref().or(after.as_ref()).map(|mount| mount.access) else { continue };
            let handler = Follow {
                old: before.map(|mount| mount.handler),
                new: after.map(|mount| mount.handler),
                watch: Arc::clone(&self.watch),
                answers_new: Arc::clone(&answers_new),
            };
            mounts.push(Mount { prefix, access, handler: Arc::new(handler) });
        }
        Ok(mounts)
    }
}

/// Tells the person at the terminal what is served.
pub(super) fn say(state: Option<&State>) {
    let text = match state.map(|state| state.phase) {
        None | Some(Phase::Prepared) => {
            "a migration is pending: the old design answers until it is switched. `sortkey migrate start --endpoint` with this \
             address begins it\n"
        }
        Some(Phase::Starting | Phase::Both | Phase::Shadow) => {
            "a migration is under way: the old design answers, and both are written\n"
        }
        Some(Phase::Switched) => "a migration is under way: the new design answers, and both are written\n",
        Some(Phase::Finished) => "",
    };
    designs::say(text);
}

struct Follow {
    old: Option<Arc<dyn Handler>>,
    new: Option<Arc<dyn Handler>>,
    watch: Arc<Watch>,
    /// The last answer to which design answers: it holds while the state cannot be read.
    answers_new: Arc<AtomicBool>,
}

impl Handler for Follow {
    fn handle<'a>(
        &'a self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Response<Content>> + Send + 'a>> {
        Box::pin(async move {
            if let Ok(state) = self.watch.state().await {
                let side = state.map_or(Side::Old, |state| state.phase.answers());
                self.answers_new.store(side == Side::New, Ordering::Relaxed);
            }
            let handler = match self.answers_new.load(Ordering::Relaxed) {
                true => self.new.as_ref(),
                false => self.old.as_ref(),
            };
            match handler {
                Some(handler) => handler.handle(request).await,
                None => {
                    let body = b"{\"error\":\"the design that answers now has no such path\"}".to_vec();
                    let mut response = Response::new(Content::Whole(body));
                    *response.status_mut() = StatusCode::NOT_FOUND;
                    response
                }
            }
        })
    }

    fn refuse(&self, status: StatusCode, why: &str) -> Option<Response<Content>> {
        let handler = match self.answers_new.load(Ordering::Relaxed) {
            true => self.new.as_ref(),
            false => self.old.as_ref(),
        };
        handler.and_then(|handler| handler.refuse(status, why))
    }
}
