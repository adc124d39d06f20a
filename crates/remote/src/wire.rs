//! A request and its answer as they travel: one POST, one JSON body each.

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse, OrchestratorError};
use aws_smithy_types::body::SdkBody;
use sortkey_api::ApiError;

/// The protocol of DynamoDB.
pub(crate) const JSON_1_0: &str = "application/x-amz-json-1.0";

/// The protocol of KMS.
pub(crate) const JSON_1_1: &str = "application/x-amz-json-1.1";

/// A request.
#[derive(Debug)]
pub(crate) struct Asked {
    /// `DynamoDB_20120810.GetItem`.
    pub(crate) target: &'static str,
    /// The content type of the service's version of the JSON protocol.
    pub(crate) content_type: &'static str,
    /// The input's JSON.
    pub(crate) body: Vec<u8>,
}

/// A response: the output's JSON.
pub(crate) type Answered = Vec<u8>;

/// The request, before it is signed.
pub(crate) fn serialize(asked: Asked) -> Result<HttpRequest, BoxError> {
    let mut request = HttpRequest::new(SdkBody::empty());
    request.set_method("POST")?;
    request.set_uri("/")?;
    let headers = request.headers_mut();
    headers.insert("x-amz-target", asked.target);
    headers.insert("content-type", asked.content_type);
    headers.insert("content-length", asked.body.len().to_string());
    *request.body_mut() = SdkBody::from(asked.body);
    Ok(request)
}

/// The output's JSON, or the error.
pub(crate) fn deserialize(response: &HttpResponse) -> Result<Answered, OrchestratorError<ApiError>> {
    let body =
        response.body().bytes().ok_or_else(|| OrchestratorError::other("the body was not received"))?;
    if response.status().is_success() {
        return Ok(body.to_vec());
    }
    Err(OrchestratorError::operation(ApiError::read(response.status().as_u16(), body)))
}
