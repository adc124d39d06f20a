//! What a host answers, as bytes.

use sortkey_api::{ApiError, ErrorKind, OperationId, Response, decode_output};
use sortkey_core::{Ask, DataKey, KeyError, Told};

/// What was asked, as far as it decides how the answer is read.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Send(OperationId),
    Pause,
    NewDataKey,
    OpenDataKey,
    Hash,
}

impl Kind {
    pub(crate) fn of(ask: &Ask) -> Kind {
        match ask {
            Ask::Send(request) => Kind::Send(request.operation()),
            Ask::Pause(_) => Kind::Pause,
            Ask::NewDataKey { .. } => Kind::NewDataKey,
            Ask::OpenDataKey { .. } => Kind::OpenDataKey,
            Ask::Hash { .. } => Kind::Hash,
        }
    }
}

/// An answer: a response with its status, or bytes under the status 200. Any other status has words in place of the bytes.
pub(crate) fn told(kind: Kind, status: u16, body: &[u8]) -> Told {
    let refused = || KeyError(String::from_utf8_lossy(body).into_owned());
    match kind {
        Kind::Send(operation) => Told::Response(match status {
            200 => response(operation, body),
            // The host did not reach a DynamoDB, or got no answer from it.
            0 => Err(ApiError::new(ErrorKind::ServiceUnavailableException, String::from_utf8_lossy(body))),
            _ => Err(ApiError::read(status, body)),
        }),
        Kind::Pause => Told::Paused,
        Kind::NewDataKey => Told::DataKey(match (status, body.split_at_checked(32)) {
            (200, Some((plain, wrapped))) => {
                let plain = plain.try_into().map_err(|_| wrong_length());
                plain.map(|plain| DataKey { plain, wrapped: wrapped.to_vec() })
            }
            (200, None) => Err(wrong_length()),
            _ => Err(refused()),
        }),
        Kind::OpenDataKey => Told::PlainKey(match status {
            200 => body.try_into().map_err(|_| wrong_length()),
            _ => Err(refused()),
        }),
        Kind::Hash => Told::Hash(match status {
            200 => String::from_utf8(body.to_vec()).ok(),
            _ => None,
        }),
    }
}

macro_rules! responses {
    ($($name:ident),+ $(,)?) => {
        /// Reads the response to a request that calls send. They send none about tables, whose descriptions would take
        /// a good part of the module to read.
        fn response(operation: OperationId, body: &[u8]) -> Result<Response, ApiError> {
            match operation {
                $(OperationId::$name => decode_output(body).map(|output| Response::$name(Box::new(output))),)+
                _ => Err(ApiError::internal()),
            }
        }
    };
}

responses!(
    BatchGetItem,
    BatchWriteItem,
    DeleteItem,
    GetItem,
    PutItem,
    Query,
    Scan,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
);

fn wrong_length() -> KeyError {
    KeyError("a data key has 32 bytes".to_owned())
}
