//! The classes of change, from a comment to a dropped table.

use serde::Serialize;

/// The effort of applying a difference to a database that has items. The planner of a change picks the lowest class that
/// keeps every answer right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Stored items and tables stay as they are.
    Nothing,
    /// Old items are read as if the new declaration had always been there.
    ReadAsBefore,
    /// DynamoDB changes the table: `UpdateTable` and its relatives, one step at a time.
    Table,
    /// Existing items are rewritten in place.
    Rewrite,
    /// Items get another key in the same table.
    Rekey,
    /// Items go to another table.
    Move,
    /// Something stored is dropped.
    Remove,
}

impl Class {
    /// All classes, the smallest first.
    pub const ALL: [Class; 7] = [
        Class::Nothing,
        Class::ReadAsBefore,
        Class::Table,
        Class::Rewrite,
        Class::Rekey,
        Class::Move,
        Class::Remove,
    ];

    /// Its number, from 0 to 6.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The class with a number.
    pub fn of_number(number: u8) -> Option<Class> {
        Class::ALL.get(usize::from(number)).copied()
    }

    /// Its description, as a heading.
    pub fn title(self) -> &'static str {
        match self {
            Class::Nothing => "nothing to do",
            Class::ReadAsBefore => "old items are read as they are",
            Class::Table => "the table is changed",
            Class::Rewrite => "items are rewritten in place",
            Class::Rekey => "items get another key",
            Class::Move => "items move to another table",
            Class::Remove => "something stored is dropped",
        }
    }
}
