//! Why a statement is refused, as data; the texts are DynamoDB's. All of them reach the client as a
//! `ValidationException`.

use std::fmt;

use sortkey_expression::Problem;
use sortkey_value::NumberError;
use thiserror::Error;

/// A position and length in a statement, in characters; written `line:column:length`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// How long it is.
    pub length: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.line, self.column, self.length)
    }
}

/// A statement that DynamoDB refuses.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PartiqlError {
    // Unreadable statements.
    /// Longer than [`crate::STATEMENT_CHARACTERS`].
    #[error("Member must have length less than or equal to 8192")]
    TooLong,
    /// The text does not follow the grammar.
    #[error("Statement wasn't well formed, can't be processed: {0}")]
    NotWellFormed(&'static str),
    /// A second statement behind the first.
    #[error("Only one operation is allowed in a statement.")]
    SeveralOperations,
    /// Parameters and question marks differ in number.
    #[error("Number of parameters in request and statement don't match.")]
    ParameterCount,

    // Features of PartiQL that DynamoDB lacks.
    /// A statement of another sort.
    #[error("Unsupported operation: {0}")]
    UnsupportedOperation(&'static str),
    /// A clause such as `LIMIT`.
    #[error("Unsupported clause: {0}")]
    UnsupportedClause(&'static str),
    /// A name given to a table or a column.
    #[error("Aliasing is not supported")]
    Aliasing,
    /// A function that does not exist, or not here.
    #[error("Unrecognized function: {name} at {place}")]
    UnrecognizedFunction {
        /// In lower case.
        name: String,
        /// The place of the call.
        place: Place,
    },
    /// An operator that conditions do not have.
    #[error("Unsupported operator in Condition Expression. Operator: {0}")]
    UnsupportedConditionOperator(&'static str),
    /// An operator that updates do not have.
    #[error("Unsupported operator in Update Expression. Operator: {0}")]
    UnsupportedUpdateOperator(&'static str),

    // Tables.
    /// Something that is not the name of a table.
    #[error("Unexpected from source")]
    UnexpectedSource,
    /// Several tables.
    #[error("Only select from a single table or index is supported.")]
    SeveralSources,
    /// More than a table and an index.
    #[error("A path may contain at most 2 components in the FROM clause")]
    LongSource,
    /// An empty name.
    #[error("Path component cannot be an empty string")]
    EmptyPathComponent,
    /// A write to an index.
    #[error("This operation is not supported on an index")]
    WriteToIndex,

    // Paths.
    /// Something that is not a path, where a path is needed.
    #[error("Unexpected path component at {0}")]
    UnexpectedPathComponent(Place),
    /// `a[*]`.
    #[error("Wildcard path component like a[*].b are not supported")]
    WildcardPath,
    /// `a.*`.
    #[error("Unpivot path component like a.*.b are not supported")]
    UnpivotPath,
    /// A list index below zero or above the range of integers.
    #[error("List index is not within the allowable range; index: [{index}] at {place}")]
    IndexOutOfRange {
        /// As written.
        index: String,
        /// The place of its digits.
        place: Place,
    },

    // Literals.
    /// A number that DynamoDB cannot store.
    #[error("{} under {under}", number_text(*error))]
    Number {
        /// Its problem.
        error: NumberError,
        /// The path within the value.
        under: String,
    },
    /// Lists and maps inside each other deeper than DynamoDB stores.
    #[error("Nesting Levels have exceeded supported limits under {0}")]
    Nesting(String),
    /// Something that is not a literal inside of one.
    #[error("Unsupported data type: {kind} under key {under} at {place}")]
    UnsupportedDataType {
        /// Its kind.
        kind: String,
        /// The path within the value.
        under: String,
        /// The place in the statement.
        place: Place,
    },
    /// `` `...` ``
    #[error("Ion Literals are not supported: {text} under key {under}")]
    IonLiteral {
        /// As written.
        text: String,
        /// The path within the value.
        under: String,
    },
    /// `<<>>`
    #[error("Empty bags are not supported")]
    EmptyBag,
    /// A set of anything but strings or numbers.
    #[error("Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags")]
    BagType,
    /// A set contains a string twice.
    #[error("One or more parameter values were invalid: Input collection [{}] contains duplicates.", .0.join(", "))]
    DuplicateStrings(Vec<String>),
    /// A set contains a number twice.
    #[error(
        "One or more parameter values were invalid: Input collection [{}] contains duplicates! under {under}",
        members.join(", ")
    )]
    DuplicateNumbers {
        /// As written.
        members: Vec<String>,
        /// The path of the set within the value.
        under: String,
    },
    /// A map contains a name twice.
    #[error("Duplicate keys in tuple. Key: {key} under {under}")]
    DuplicateKey {
        /// The name.
        key: String,
        /// The path of the map within the value.
        under: String,
    },
    /// A name in a map that is not a string.
    #[error("Tuple keys must be of type String. Actual type: {kind} under {under}")]
    KeyType {
        /// Its kind.
        kind: String,
        /// The path of the map within the value.
        under: String,
    },

    // Conditions.
    /// `WHERE` with something that is neither true nor false.
    #[error("WHERE clause must contain an expression that resolves to a boolean")]
    WhereNotBoolean,
    /// `AND` or `OR` of something that is neither true nor false.
    #[error("The arguments to AND/OR must be Expressions")]
    JunctionNotBoolean,
    /// `NOT` of something that is neither true nor false.
    #[error("The argument to NOT must be a Type or Expression")]
    NegationNotBoolean,
    /// `MISSING` as a value.
    #[error("MISSING must be compared using IS operator")]
    MissingCompared,
    /// `IS` asked of something else than a value.
    #[error("The left hand side argument to IS must be a Variable Reference, Literal, or Path")]
    IsOperand,
    /// `IS` with a type that DynamoDB does not have.
    #[error(
        "Unsupported data type for IS operator: {0}. Supported data types are \
         [MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST]"
    )]
    IsType(String),
    /// `IN` without a list.
    #[error(
        "IN operator must have a left hand argument of type Variable Reference and right hand argument of \
         type Seq with at least one member"
    )]
    InOperand,
    /// A problem that DynamoDB reports for expressions of any sort.
    #[error(transparent)]
    Expression(#[from] Problem),

    // Statements.
    /// `*` beside other columns.
    #[error("Other attributes should not be present in the projection when '*' is used.")]
    StarAndColumns,
    /// A column is selected twice.
    #[error("Duplicate identifiers in select clause: {0}")]
    DuplicateColumn(String),
    /// `ORDER BY` something else than an attribute.
    #[error("Argument to ORDER BY must be of type VariableReference. Type: {0}")]
    OrderKind(&'static str),
    /// `INSERT` of something else than a map.
    #[error(
        "Unsupported format in item expression. Please use struct format {{...}} to express item values for \
         insert statement."
    )]
    ItemSyntax,
    /// `INSERT` of several items.
    #[error(
        "Unsupported operation: Inserting multiple items in a single statement is not supported, \
         use \"INSERT INTO tableName VALUE item\" instead"
    )]
    SeveralItems,
    /// `RETURNING` in `INSERT`.
    #[error("RETURNING is not supported in INSERT")]
    InsertReturning,
    /// `RETURNING` in `DELETE` of something else than the old item.
    #[error(
        "Invalid returning clause: RETURNING {0}. Only RETURNING ALL OLD * is allowed in DELETE statements."
    )]
    DeleteReturning(&'static str),
    /// `RETURNING` of single attributes.
    #[error("Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause")]
    ReturningColumns,
    /// `RETURNING` of two things.
    #[error("Invalid syntax with multiple returning elements in RETURNING clause")]
    SeveralReturning,
    /// `IS` in `SET`.
    #[error("IS operator is not supported in update expressions")]
    IsInUpdate,
    /// `set_add` or `set_delete` with fewer or more operands than two.
    #[error("SET_{function} must have exactly two arguments at {place}")]
    SetFunctionCount {
        /// `ADD` or `DELETE`.
        function: &'static str,
        /// The place of the call in the text.
        place: Place,
    },
    /// `set_add` or `set_delete` on another attribute than the one that is set.
    #[error("The first argument to SET_{function} must equal the assignment value at {place}")]
    SetFunctionTarget {
        /// `ADD` or `DELETE`.
        function: &'static str,
        /// The place of the call in the text.
        place: Place,
    },
    /// `set_add` or `set_delete` of something that is not a set.
    #[error("The second argument to SET_{function} must be a value with type SET at {place}")]
    SetFunctionValue {
        /// `ADD` or `DELETE`.
        function: &'static str,
        /// The place of its first operand.
        place: Place,
    },

    // Keys.
    /// A write without the full key of an item.
    #[error("Where clause does not contain a mandatory equality on all key attributes")]
    IncompleteKey,
    /// A write to two items.
    #[error("Multiple conditions on same key {0}. Only single item Update/Insert/Delete are supported")]
    SeveralKeyValues(String),
    /// A key value of another type than the table's.
    #[error("Key attribute's data type should match its data type in table's schema: Key {0}")]
    KeyValueType(String),
    /// Reads that would return the same item twice.
    #[error("Overlapping conditions with range keys are not supported in where clause")]
    OverlappingReads,
    /// More reads than [`plan::READS`](crate::plan::READS).
    #[error("Too many decomposed read operations for a given query.")]
    TooManyReads,
    /// `ORDER BY` without `WHERE`.
    #[error("Must have WHERE clause in the statement when using ORDER BY clause.")]
    OrderWithoutWhere,
    /// `ORDER BY` in a scan.
    #[error(
        "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."
    )]
    OrderWithoutKey,
    /// `ORDER BY` an attribute that is not in the key.
    #[error("Variable reference {0} in ORDER BY clause must be part of the primary key")]
    OrderAttribute(String),
    /// `ORDER BY` over several partitions.
    #[error(
        "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause."
    )]
    OrderWithoutPartition,
}

fn number_text(error: NumberError) -> &'static str {
    match error {
        NumberError::NotANumber => "The parameter cannot be converted to a numeric value",
        NumberError::TooManyDigits => "Attempting to store more than 38 significant digits in a Number",
        NumberError::Overflow => {
            "Number overflow. Attempting to store a number with magnitude larger than supported range"
        }
        NumberError::Underflow => {
            "Number underflow. Attempting to store a number with magnitude smaller than supported range"
        }
    }
}
