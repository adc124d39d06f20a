//! The kinds of errors: one line per exception of the two services, and of the layers in front of them.

/// Declares the kinds: exception name, namespace, HTTP status, spelling of the message member.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $namespace:expr, $status:literal, $message:literal;)+) => {
        /// The exception that an error is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorKind {
            $($(#[$doc])* $name,)+
        }

        impl ErrorKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The exception's name, as SDKs match on it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)+ }
            }

            /// The part of `__type` before the `#`.
            pub const fn namespace(self) -> &'static str {
                match self { $(Self::$name => $namespace,)+ }
            }

            /// The HTTP status of the answer.
            pub const fn status(self) -> u16 {
                match self { $(Self::$name => $status,)+ }
            }

            /// How the message member is spelled.
            pub const fn message_member(self) -> &'static str {
                match self { $(Self::$name => $message,)+ }
            }
        }
    };
}

const DYNAMODB: &str = "com.amazonaws.dynamodb.v20120810";
const SERVICE: &str = "com.amazon.coral.service";
const VALIDATE: &str = "com.amazon.coral.validate";
const AVAILABILITY: &str = "com.amazon.coral.availability";

kinds! {
    /// The caller may not do this.
    AccessDeniedException: SERVICE, 400, "Message";
    /// A backup is being created, deleted or restored.
    BackupInUseException: DYNAMODB, 400, "message";
    /// No backup has this ARN.
    BackupNotFoundException: DYNAMODB, 400, "message";
    /// A condition was false.
    ConditionalCheckFailedException: DYNAMODB, 400, "message";
    /// Continuous backups are not enabled yet.
    ContinuousBackupsUnavailableException: DYNAMODB, 400, "message";
    /// A PartiQL INSERT met an item with the same key.
    DuplicateItemException: DYNAMODB, 400, "message";
    /// A shard iterator is older than fifteen minutes.
    ExpiredIteratorException: DYNAMODB, 400, "message";
    /// The session that signed the request is over.
    ExpiredTokenException: SERVICE, 400, "message";
    /// A client token was used before for another export.
    ExportConflictException: DYNAMODB, 400, "message";
    /// No export has this ARN.
    ExportNotFoundException: DYNAMODB, 400, "message";
    /// A client request token was used before with other parameters.
    IdempotentParameterMismatchException: DYNAMODB, 400, "Message";
    /// A client token was used before for another import.
    ImportConflictException: DYNAMODB, 400, "message";
    /// No import has this ARN.
    ImportNotFoundException: DYNAMODB, 400, "message";
    /// The Authorization header lacks parts.
    IncompleteSignatureException: SERVICE, 400, "message";
    /// The table has no such index.
    IndexNotFoundException: DYNAMODB, 400, "message";
    /// Something on our side failed.
    InternalServerError: DYNAMODB, 500, "message";
    /// The time to export is outside the window.
    InvalidExportTimeException: DYNAMODB, 400, "message";
    /// The time to restore to is outside the window.
    InvalidRestoreTimeException: DYNAMODB, 400, "message";
    /// The signature is given twice or does not match.
    InvalidSignatureException: SERVICE, 400, "message";
    /// The items of one partition key and their local index entries are above 10 GB.
    ItemCollectionSizeLimitExceededException: DYNAMODB, 400, "message";
    /// Too many control plane operations, or too many of a kind of resource.
    LimitExceededException: DYNAMODB, 400, "message";
    /// The request is not signed.
    MissingAuthenticationTokenException: SERVICE, 400, "message";
    /// Point-in-time recovery is not enabled.
    PointInTimeRecoveryUnavailableException: DYNAMODB, 400, "message";
    /// The resource has no policy, or not the expected revision of it.
    PolicyNotFoundException: DYNAMODB, 400, "message";
    /// The table or index has no throughput left.
    ProvisionedThroughputExceededException: DYNAMODB, 400, "message";
    /// A strongly consistent replica changed the item at the same time.
    ReplicatedWriteConflictException: DYNAMODB, 400, "message";
    /// The body is above 16 MB.
    RequestEntityTooLargeException: SERVICE, 413, "message";
    /// The account has no throughput left.
    RequestLimitExceeded: DYNAMODB, 400, "message";
    /// The table exists, or is changing.
    ResourceInUseException: DYNAMODB, 400, "message";
    /// No such table, index, stream or shard.
    ResourceNotFoundException: DYNAMODB, 400, "message";
    /// The body is not the JSON of the operation's input.
    SerializationException: SERVICE, 400, "Message";
    /// The service is stopping or cannot answer at the moment.
    ServiceUnavailableException: SERVICE, 503, "message";
    /// A restore would write to a table that exists.
    TableAlreadyExistsException: DYNAMODB, 400, "message";
    /// A restore met a table that is changing.
    TableInUseException: DYNAMODB, 400, "message";
    /// A backup or restore met no table.
    TableNotFoundException: DYNAMODB, 400, "message";
    /// Too many requests.
    ThrottlingException: AVAILABILITY, 400, "message";
    /// At least one request of a transaction could not be carried out.
    TransactionCanceledException: DYNAMODB, 400, "Message";
    /// A transaction holds the item.
    TransactionConflictException: DYNAMODB, 400, "message";
    /// A request with the token of this transaction is still running.
    TransactionInProgressException: DYNAMODB, 400, "Message";
    /// The record is older than the stream's 24 hours.
    TrimmedDataAccessException: DYNAMODB, 400, "message";
    /// The target header names no operation.
    UnknownOperationException: SERVICE, 400, "message";
    /// The access key or session token is unknown.
    UnrecognizedClientException: SERVICE, 400, "message";
    /// The input breaks a rule.
    ValidationException: VALIDATE, 400, "message";
}

impl ErrorKind {
    /// How the list of throttling reasons is spelled; one exception differs from the others.
    pub(super) const fn throttling_reasons_member(self) -> &'static str {
        match self {
            Self::ThrottlingException => "throttlingReasons",
            _ => "ThrottlingReasons",
        }
    }

    /// The code of this kind in the cancellation reasons of a transaction, and in PartiQL's errors of a
    /// batch.
    pub const fn reason_code(self) -> &'static str {
        match self {
            Self::ConditionalCheckFailedException => "ConditionalCheckFailed",
            Self::ItemCollectionSizeLimitExceededException => "ItemCollectionSizeLimitExceeded",
            Self::TransactionConflictException => "TransactionConflict",
            Self::ProvisionedThroughputExceededException => "ProvisionedThroughputExceeded",
            Self::ThrottlingException => "ThrottlingError",
            Self::RequestLimitExceeded => "RequestLimitExceeded",
            Self::ValidationException => "ValidationError",
            Self::ResourceNotFoundException => "ResourceNotFound",
            Self::AccessDeniedException => "AccessDenied",
            Self::DuplicateItemException => "DuplicateItem",
            _ => "InternalServerError",
        }
    }
}
