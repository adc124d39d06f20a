//! Designs that nobody wrote, and systems changed at random, compared with naive interpreters. They are a program of their own,
//! since they also run for hours.

mod generated;
mod mutated;
mod support;
