//! Tables described by a running DynamoDB: this engine, DynamoDB Local, or any other that is reached by plain HTTP.
//!
//! The requests carry the shape of a signature and no secret: local servers look no further. AWS itself does, and is
//! reached by the tools that hold credentials; their answers can be imported as a file.

use crate::ImportError;
use serde_json::{Value, json};
use std::time::Duration;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// More tables than AWS allows in a region without asking are a server that repeats itself.
const MAX_TABLES: usize = 10_000;

/// The descriptions of a server's tables, or of those named: a list in the form of DescribeTable's answers.
pub(crate) fn describe(endpoint: &str, names: &[String]) -> Result<Value, ImportError> {
    let client = Client::new(endpoint)?;
    let names = if names.is_empty() { client.list()? } else { names.to_vec() };
    let tables: Result<Vec<Value>, ImportError> = names.iter().map(|name| client.table(name)).collect();
    Ok(Value::Array(tables?))
}

struct Client {
    agent: ureq::Agent,
    url: String,
}

impl Client {
    fn new(endpoint: &str) -> Result<Client, ImportError> {
        if !endpoint.starts_with("http://") {
            let reason = "only http:// is spoken here; describe the tables of AWS with its own tools and import the file";
            return Err(ImportError::Endpoint(reason.to_owned()));
        }
        let config = ureq::Agent::config_builder().timeout_global(Some(PATIENCE)).http_status_as_error(false);
        Ok(Client { agent: config.build().new_agent(), url: endpoint.trim_end_matches('/').to_owned() + "/" })
    }

    fn list(&self) -> Result<Vec<String>, ImportError> {
        let mut names: Vec<String> = Vec::new();
        let mut input = json!({});
        while names.len() < MAX_TABLES {
            let answer = self.call("ListTables", &input)?;
            let page = answer["TableNames"].as_array().into_iter().flatten();
            names.extend(page.filter_map(|name| name.as_str().map(str::to_owned)));
            match answer["LastEvaluatedTableName"].as_str() {
                Some(last) => input = json!({ "ExclusiveStartTableName": last }),
                None => break,
            }
        }
        Ok(names)
    }

    /// The table, with its expiry and its recovery, which have calls of their own.
    fn table(&self, name: &str) -> Result<Value, ImportError> {
        let input = json!({ "TableName": name });
        let mut described = self.call("DescribeTable", &input)?;
        // Servers for development lack one or the other; a missing setting becomes a TODO.
        for call in ["DescribeTimeToLive", "DescribeContinuousBackups"] {
            if let (Ok(Value::Object(more)), Some(all)) = (self.call(call, &input), described.as_object_mut())
            {
                all.extend(more);
            }
        }
        Ok(described)
    }

    fn call(&self, operation: &str, input: &Value) -> Result<Value, ImportError> {
        let refuse = |reason: String| ImportError::Endpoint(format!("{operation} at {}: {reason}", self.url));
        let mut response = self
            .agent
            .post(&self.url)
            .header("content-type", "application/x-amz-json-1.0")
            .header("x-amz-target", format!("DynamoDB_20120810.{operation}"))
            .header("x-amz-date", "20200101T000000Z")
            .header(
                "authorization",
                "AWS4-HMAC-SHA256 Credential=import/20200101/us-east-1/dynamodb/aws4_request, \
                 SignedHeaders=host;x-amz-date;x-amz-target, Signature=0",
            )
            .send(input.to_string())
            .map_err(|error| refuse(error.to_string()))?;
        let text = response.body_mut().read_to_string().map_err(|error| refuse(error.to_string()))?;
        let answer: Value =
            serde_json::from_str(&text).map_err(|_| refuse(format!("not JSON: {}", first_line(&text))))?;
        if response.status().is_success() {
            return Ok(answer);
        }
        let message = answer["message"].as_str().or(answer["Message"].as_str()).unwrap_or("no reason given");
        Err(refuse(format!("{}: {message}", response.status())))
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(80).collect()
}
