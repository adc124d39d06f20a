//! Defects that were found from outside, one file each, kept from coming back.
//!
//! The tests use nothing but what any program may: a design compiled from text, calls with JSON, and raw requests of
//! DynamoDB for items that another program wrote. They do not depend on how the crates are built inside.

#![expect(clippy::panic, reason = "a test that cannot go on says why")]

mod bounds;
mod computed;
mod edges;
mod f02;
mod f03;
mod f04;
mod f05;
mod f06;
mod f07;
mod f08;
mod f09;
mod f10;
mod f11;
mod f12;
mod f13;
mod f14;
mod f15;
mod f17;
mod f20;
mod f21;
mod f22;
mod f23;
mod f24;
mod f26;
mod f27;
mod f33;
mod f34;
mod f36;
mod f37;
mod f38;
mod f39;
mod generated;
mod later;
mod paths;
mod receipts;
mod repeats;
mod support;
mod tenants;
mod transient;
