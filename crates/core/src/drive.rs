//! The loop around a task: sends what it asks for, and brings the answers.

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

use crate::ask::{Ask, AskId, Told};
use crate::evaluate::{compute, hash_password};
use crate::task::{Finished, Step, Task};
use crate::{Backend, Settings};

/// Runs a task to its end on a backend, with the timer, the keys and the processor of a host.
pub async fn drive(mut task: Task, backend: &dyn Backend, host: &Settings) -> Finished {
    let mut under_way = FuturesUnordered::new();
    loop {
        if let Step::Ready(finished) = task.step() {
            return finished;
        }
        under_way.extend(task.take_asks().into_iter().map(|(id, ask)| answered(id, ask, backend, host)));
        if let Some((id, told)) = under_way.next().await {
            task.answer(id, told);
        }
    }
}

async fn answered(id: AskId, ask: Ask, backend: &dyn Backend, host: &Settings) -> (AskId, Told) {
    let told = match ask {
        Ask::Send(request) => Told::Response(backend.send(request).await),
        Ask::Pause(length) => {
            host.timer.pause(length).await;
            Told::Paused
        }
        Ask::NewDataKey { alias } => Told::DataKey(host.keyring.new_data_key(&alias)),
        Ask::OpenDataKey { alias, wrapped } => Told::PlainKey(host.keyring.unwrap(&alias, &wrapped)),
        Ask::Hash { password, cost, salt } => {
            let mut hash = None;
            (host.aside)(&mut || hash = Some(hash_password(&password, cost, salt)));
            Told::Hash(hash)
        }
        Ask::Perform(effect) => Told::Performed(host.effects.perform(effect).await),
        Ask::Compute(computation) => Told::Computed(compute(&computation)),
    };
    (id, told)
}
