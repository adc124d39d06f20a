//! Requests and responses of the operations that a design sends, as two enums made of the one list.
//!
//! Inputs and outputs are boxed, so that a request costs a pointer wherever it is passed on, kept or compared.

/// Declares [`Request`](crate::Request), [`Response`](crate::Response) and what belongs to them.
macro_rules! exchange {
    ($($name:ident: $module:ident,)+) => {
        /// A request to a DynamoDB.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Request {
            $(#[doc = concat!("`", stringify!($name), "`.")] $name(Box<<$name as Operation>::Input>),)+
        }

        /// The answer to a [`Request`] of the same operation.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Response {
            $(#[doc = concat!("`", stringify!($name), "`.")] $name(Box<<$name as Operation>::Output>),)+
        }

        impl Request {
            /// The operation that is asked for.
            pub const fn operation(&self) -> OperationId {
                match self {
                    $(Request::$name(_) => OperationId::$name,)+
                }
            }

            /// The JSON of the input, as it is sent.
            pub fn encode(&self, json: &mut Vec<u8>) {
                match self {
                    $(Request::$name(input) => crate::encode(&**input, json),)+
                }
            }
        }

        impl Response {
            /// The operation that is answered.
            pub const fn operation(&self) -> OperationId {
                match self {
                    $(Response::$name(_) => OperationId::$name,)+
                }
            }

            /// The JSON of the output, as it is sent.
            pub fn encode(&self, json: &mut Vec<u8>) {
                match self {
                    $(Response::$name(output) => crate::encode(&**output, json),)+
                }
            }

            /// Reads the JSON of an output. An operation that no design sends has none.
            pub fn decode(operation: OperationId, json: &[u8]) -> Result<Response, crate::ApiError> {
                match operation {
                    $(OperationId::$name => crate::decode_output(json).map(|it| Response::$name(Box::new(it))),)+
                    _ => Err(crate::ApiError::internal()),
                }
            }
        }

        $(impl Exchanged for $name {
            fn request(input: Self::Input) -> Request {
                Request::$name(Box::new(input))
            }

            fn output(response: Response) -> Option<Box<Self::Output>> {
                match response {
                    Response::$name(output) => Some(output),
                    _ => None,
                }
            }
        })+
    };
}
pub(crate) use exchange;
