//! Shapes that several operations share, by theme.

pub mod backup;
pub mod batch;
pub mod capacity;
pub mod expression;
pub mod index;
pub mod legacy;
pub mod limits;
pub mod recovery;
pub mod returns;
pub mod statement;
pub mod stream;
pub mod table;
pub mod tag;
pub mod throughput;
pub mod time_to_live;
pub mod transaction;
pub mod transfer;
