//! DynamoDB's data model.
