//! A program that is ready to be called, bound to nothing.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use sortkey_design::Program;
use sortkey_value::Item;

use crate::answer::{public, to_public_json};
use crate::evaluate::Scope;
use crate::operate;
use crate::prepared::{Lasting, Problem, Shared, lasting};
use crate::task::{Start, Task};
use crate::values::{Origin, Val};
use crate::{Arguments, Call, Caller, Failure, Ids, Settings, Turn};

/// A prepared program. Clones are handles of the same one.
#[derive(Clone)]
pub struct Core {
    pub(crate) shared: Arc<Lasting<Shared>>,
}

impl Core {
    /// Prepares a program: a pattern without a path, or a cascade without one, is a problem.
    pub fn new(program: Arc<Program>, settings: Settings) -> Result<Core, Vec<Problem>> {
        Ok(Core { shared: Arc::new(lasting(Shared::new(program, settings)?)) })
    }

    /// The moment, by the clock of its settings.
    pub fn now_ms(&self) -> i64 {
        i64::try_from(self.shared.settings.clock.now_ms()).unwrap_or(i64::MAX)
    }

    /// Checks who calls against what the design's `caller` declares.
    pub fn caller(&self, attributes: Map<String, Json>, now_ms: i64) -> Result<Caller, Failure> {
        let scope = Scope::new(&self.shared, None, now_ms);
        let given = Arguments::try_from(attributes.clone())?.0;
        let fields = operate::caller(&scope, given, Origin::Json, true)?;
        Ok(Caller { attributes, admitted: Some((Arc::downgrade(&self.shared), fields)) })
    }

    /// An image of a stream record: the name of its entity, and the item as clients see it. None if it belongs to no
    /// entity: a guard, a receipt, or an item of another program.
    pub fn shown(&self, table: &str, image: &Item, now_ms: i64) -> Result<Option<(String, Json)>, Failure> {
        let scope = Scope::new(&self.shared, None, now_ms);
        let of_table = self.shared.entities.iter().filter(|info| info.table.name() == table);
        let Some(info) = of_table.into_iter().find(|info| info.owns(&self.shared.program, image)) else {
            return Ok(None);
        };
        let fields = info.decode_leniently(&scope, image);
        let value = public(&scope, Val::item(info.at, fields), None)?;
        Ok(Some((info.name.to_string(), to_public_json(&scope, &value))))
    }

    /// Starts a call at a moment. Its host sends its requests; `repeats` if the host sends them again itself where that may
    /// help.
    pub fn start(&self, call: Call<'_>, now_ms: i64, repeats: bool) -> Task {
        Task::new(&self.shared, call, now_ms, repeats, self.shared.settings.ids.fork())
    }

    /// Starts a turn of a worker at a moment.
    pub fn work(&self, worker: &str, turn: Turn, now_ms: i64, repeats: bool) -> Task {
        let start = Start::Turn { worker: worker.to_owned(), turn };
        Task::of(&self.shared, start, now_ms, repeats, self.shared.settings.ids.fork())
    }

    /// Like [`start`](Core::start), with the ids of a call that was recorded.
    pub fn replay(&self, call: Call<'_>, now_ms: i64, repeats: bool, ids: Ids) -> Task {
        Task::new(&self.shared, call, now_ms, repeats, ids)
    }
}
