//! A run: engine and model side by side, one random step after another.

use std::collections::VecDeque;
use std::fmt::Debug;

use sortkey_api::ApiError;
use sortkey_api::shapes::returns::{ReturnConsumedCapacity, ReturnItemCollectionMetrics};
use sortkey_engine::Engine;
use sortkey_testkit::Random;

use crate::model::Model;
use crate::model::failure::Failure;
use crate::model::table::Table;
use crate::phrases::Scene;
use crate::place::Place;
use crate::shape::IndexShape;
use crate::steps::{self, Transaction};
use crate::subject::{Ask, Form, ask, json};
use crate::values::Weight;

/// How many requests a report of a difference shows.
const SHOWN: usize = 12;
/// How much of a request is shown.
const SHOWN_BYTES: usize = 1500;
/// When a run begins.
const START_MS: u64 = 1_800_000_000_000;

pub(crate) struct Session {
    pub(crate) seed: u64,
    pub(crate) form: Form,
    pub(crate) weight: Weight,
    pub(crate) dice: Random,
    pub(crate) place: Place,
    /// `None` only while a database is closed.
    engine: Option<Engine>,
    pub(crate) model: Model,
    pub(crate) requests: usize,
    /// Transactions with a token, the latest first.
    pub(crate) past: Vec<Transaction>,
    latest: VecDeque<String>,
}

impl Session {
    pub(crate) fn new(seed: u64, form: Form, weight: Weight, mut place: Place) -> Session {
        let engine = Some(place.open(seed, START_MS));
        Session {
            seed,
            form,
            weight,
            dice: Random::new(seed),
            place,
            engine,
            model: Model::new(START_MS),
            requests: 0,
            past: Vec::new(),
            latest: VecDeque::new(),
        }
    }

    /// Takes random steps until this many requests were made, then looks at everything once more.
    pub(crate) fn run(&mut self, requests: usize) {
        while self.requests < requests {
            steps::random(self);
        }
        steps::check_everything(self);
    }

    /// Sends a request to the engine.
    pub(crate) fn ask<O: Ask>(&mut self, input: O::Input) -> Result<O::Output, ApiError> {
        self.requests += 1;
        self.note(format!("{} {}", O::NAME, json(&input)));
        ask::<O>(self.engine(), self.form, input)
    }

    /// Asks again and again until the answer is as it should be; how often is not part of a run.
    pub(crate) fn ask_until<O: Ask<Input: Clone>>(
        &mut self,
        input: O::Input,
        is_done: impl Fn(&O::Output) -> bool,
    ) {
        self.note(format!("{} {} until it is done", O::NAME, json(&input)));
        loop {
            match ask::<O>(self.engine(), self.form, input.clone()) {
                Ok(answer) if is_done(&answer) => return,
                Ok(_) => std::thread::yield_now(),
                Err(error) => self.differ(&error, &"an answer"),
            }
        }
    }

    pub(crate) fn engine(&self) -> &Engine {
        self.engine.as_ref().expect("the database is open")
    }

    /// Goes on with another database that contains the same: a fork, or what a closed one left in its directory.
    pub(crate) fn change_database(&mut self) {
        self.engine = match self.place {
            Place::Memory => {
                self.note("the database is forked".to_owned());
                self.engine().fork()
            }
            Place::Directory { .. } => {
                self.note("the database is closed and opened again".to_owned());
                self.engine = None;
                Some(self.place.open(self.dice.next(), self.model.now_ms))
            }
        };
        self.check_equal(&self.place.problems(), &Vec::new());
    }

    /// Writes something down for the case that a difference must be reported.
    pub(crate) fn note(&mut self, what: String) {
        if self.latest.len() == SHOWN {
            self.latest.pop_front();
        }
        // Large values are all alike.
        let what = what.replace(&"x".repeat(64), "");
        let mut end = what.len().min(SHOWN_BYTES);
        while !what.is_char_boundary(end) {
            end -= 1;
        }
        self.latest.push_back(format!("{:>7}  {}", self.requests, &what[..end]));
    }

    /// Holds the engine's answer against the model's.
    #[track_caller]
    pub(crate) fn check<T: Debug + PartialEq>(
        &self,
        actual: &Result<T, ApiError>,
        expected: &Result<T, Failure>,
    ) {
        let same = match (actual, expected) {
            (Ok(actual), Ok(expected)) => actual == expected,
            (Err(error), Err(failure)) => failure.is(error),
            _ => false,
        };
        if !same {
            self.differ(&actual, &expected);
        }
    }

    #[track_caller]
    pub(crate) fn check_equal<T: Debug + PartialEq>(&self, actual: &T, expected: &T) {
        if actual != expected {
            self.differ(actual, expected);
        }
    }

    #[track_caller]
    pub(crate) fn differ(&self, actual: &dyn Debug, expected: &dyn Debug) -> ! {
        let latest: Vec<&str> = self.latest.iter().map(String::as_str).collect();
        panic!(
            "engine and model differ at request {} of SORTKEY_SEED={} ({:?}, {:?})\n\nthe latest requests:\n{}\n\n\
             engine: {actual:#?}\n\nmodel: {expected:#?}",
            self.requests,
            self.seed,
            self.form,
            self.weight,
            latest.join("\n"),
        );
    }

    /// The name of one of the tables, if there is one.
    pub(crate) fn any_table(&mut self) -> Option<String> {
        let names: Vec<String> = self.model.tables.keys().cloned().collect();
        (!names.is_empty()).then(|| self.dice.pick(&names).clone())
    }

    /// The table as requests can name it.
    pub(crate) fn name_or_arn(&mut self, table: &str) -> String {
        match self.dice.chance(10) {
            true => format!("arn:aws:dynamodb:us-east-1:000000000000:table/{table}"),
            false => table.to_owned(),
        }
    }

    /// One of a table's indexes that can be read, or none for the table itself.
    pub(crate) fn any_index(&mut self, table: &str) -> Option<IndexShape> {
        let indexes = &self.model.tables[table].shape.indexes;
        let active: Vec<&IndexShape> = indexes.iter().filter(|index| index.active).collect();
        if active.is_empty() || self.dice.chance(30) {
            return None;
        }
        Some((*self.dice.pick(&active)).clone())
    }

    pub(crate) fn table(&self, name: &str) -> &Table {
        &self.model.tables[name]
    }

    /// The subject of expressions about a table's items.
    pub(crate) fn scene<'m>(model: &'m Model, table: &str) -> Scene<'m> {
        Scene { shape: &model.tables[table].shape, now_ms: model.now_ms }
    }

    pub(crate) fn wanted_capacity(&mut self) -> Option<ReturnConsumedCapacity> {
        match self.dice.below(4) {
            0 => None,
            1 => Some(ReturnConsumedCapacity::Total),
            2 => Some(ReturnConsumedCapacity::None),
            _ => Some(ReturnConsumedCapacity::Indexes),
        }
    }

    pub(crate) fn wanted_metrics(&mut self) -> Option<ReturnItemCollectionMetrics> {
        self.dice.chance(30).then_some(ReturnItemCollectionMetrics::Size)
    }
}
