//! expectations
