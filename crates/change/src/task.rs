//! The work that a difference takes on items that are stored already.

/// The parts of the design that a difference concerns, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Concern {
    /// The table, for a difference of a table.
    pub table: Option<String>,
    /// The entity, for a difference of an entity or of an attribute.
    pub entity: Option<String>,
    /// The attribute, under the name that the newer version of it has.
    pub attribute: Option<String>,
}

/// The work on every stored item that a difference concerns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Task {
    /// Nothing.
    #[default]
    None,
    /// Every item gets a guard for a unique value.
    Guard,
    /// The value of the attribute has to be one of its type.
    VerifyValue,
    /// The checks of the entity have to hold.
    VerifyChecks,
    /// Derived attributes, normalised text and the texts of index keys are computed again.
    Recompute,
    /// The value is stored under another name from now on.
    Rename {
        /// The name under which it is stored so far.
        from: String,
    },
    /// An item that lacks the attribute gets the default of the old version.
    Freeze,
    /// An item that lacks the attribute gets the default of the new version, since an index is made of it.
    Fill,
    /// The value is encrypted.
    Seal,
    /// The value is decrypted as the old version encrypted it, and stored in the form of the new version.
    Unseal,
    /// The value is stored in another form.
    Convert,
    /// The item gets the attribute that names its entity.
    Name,
}

impl Task {
    /// Whether the items themselves are written.
    pub fn writes_items(&self) -> bool {
        use Task::*;
        matches!(self, Recompute | Rename { .. } | Freeze | Fill | Seal | Unseal | Name)
    }
}
