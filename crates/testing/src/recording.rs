//! Recorded tests: the calls of a design's tests with their moments, ids, requests and answers, and the items that they leave.
//!
//! A recording is replayed by every language that runs designs, each on an engine of its own. Equal requests, answers and items
//! show that they are one program. `docs/design/recordings.md` describes the lines.

mod replay;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

pub use replay::{Answered, Difference, Replayer, replay};
pub(crate) use replay::{Player, dump, first_difference};

/// The version of the format.
pub const VERSION: u32 = 1;

/// Every item of every table, as sorted texts.
pub type Items = BTreeMap<String, Vec<String>>;

/// The tests of a design, recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The state in which all tests begin.
    pub setup: Setup,
    /// The tests.
    pub tests: Vec<Recorded>,
}

/// The state in which all tests begin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Setup {
    /// The version of the format.
    pub recording: u32,
    /// The moment at which every test begins.
    pub now: u64,
    /// Values of the design's parameters.
    pub parameters: BTreeMap<String, String>,
    /// The key that seals cursors, in hexadecimal digits.
    pub cursor_key: String,
    /// The key that wraps data keys, in hexadecimal digits.
    pub master_key: String,
    /// The logarithm of the rounds of bcrypt.
    pub bcrypt_cost: u32,
    /// The requests that create the tables.
    pub tables: Vec<Sent>,
}

/// A request: its operation, and its body as it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent(pub String, pub String);

/// One test, recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// The sentence of the test.
    pub title: String,
    /// The calls and writes, in order.
    pub steps: Vec<Step>,
    /// The items that are stored afterwards.
    pub items: Items,
}

/// One step of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// The clock is set.
    Now(u64),
    /// Items past their time are deleted.
    Expire(bool),
    /// A write that no call sends: by a worker, or by the test itself.
    Send(Sent),
    /// A call.
    Call(Box<Called>),
}

/// A call as a client makes it, and what comes of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Called {
    /// The message that starts it, as hosts of a core send it.
    pub start: Json,
    /// Data keys that are made for it, by alias: plain and wrapped, in Base64.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub keys: BTreeMap<String, (String, String)>,
    /// The results of its effects, in order: the name, the status and the body.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<(String, u16, String)>,
    /// The requests that it sends, in order.
    pub sent: Vec<Sent>,
    /// The message of its end.
    pub done: Json,
}

/// A line of a recording.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Line {
    Setup(Setup),
    Test(String),
    #[serde(untagged)]
    Step(Step),
    #[serde(untagged)]
    End {
        items: Items,
    },
}

impl Recording {
    /// The text of a recording: one JSON object in each line.
    pub fn write(&self) -> String {
        let mut lines = vec![Line::Setup(self.setup.clone())];
        for test in &self.tests {
            lines.push(Line::Test(test.title.clone()));
            lines.extend(test.steps.iter().cloned().map(Line::Step));
            lines.push(Line::End { items: test.items.clone() });
        }
        let text = |line: &Line| serde_json::to_string(line).unwrap_or_default() + "\n";
        lines.iter().map(text).collect()
    }

    /// Reads the output of [`write`](Recording::write), or returns its fault.
    pub fn read(text: &str) -> Result<Recording, String> {
        let mut lines = text.lines().enumerate().map(|(at, line)| {
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1))
        });
        let Some(Line::Setup(setup)) = lines.next().transpose()? else {
            return Err("line 1: expected the setup of a recording".to_owned());
        };
        if setup.recording != VERSION {
            return Err(format!(
                "the recording has version {}; this program reads {VERSION}",
                setup.recording
            ));
        }
        let mut tests: Vec<Recorded> = Vec::new();
        for line in lines {
            let line = line?;
            match (line, tests.last_mut()) {
                (Line::Test(title), _) => tests.push(Recorded { title, ..Recorded::default() }),
                (Line::Step(step), Some(test)) => test.steps.push(step),
                (Line::End { items }, Some(test)) => test.items = items,
                _ => return Err("a step stands before the first test".to_owned()),
            }
        }
        Ok(Recording { setup, tests })
    }
}
