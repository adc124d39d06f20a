//! The remote DynamoDB as a backend: every request is a call.

use sortkey_api::operations::*;
use sortkey_api::{Backend, Pending, Request, Response, with_design_operations};

use crate::client::Remote;

macro_rules! send {
    ($($name:ident: $module:ident,)+) => {
        impl Backend for Remote {
            fn send(&self, request: Request) -> Pending<'_, Response> {
                match request {
                    $(Request::$name(input) => Box::pin(async {
                        Ok(Response::$name(Box::new(self.call::<$name>(*input).await?)))
                    }),)+
                }
            }

            fn repeats(&self) -> bool {
                true
            }
        }
    };
}

with_design_operations!(send);
