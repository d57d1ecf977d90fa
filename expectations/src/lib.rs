//! What should happen: facts about address spaces, dialects, rules, judgement and baseline entries. Does no input or output.

pub mod baseline;
pub mod bugs;
pub mod case_id;
pub mod catalogue;
pub mod cause;
pub mod clause;
pub mod copies;
pub mod device;
pub mod dialect;
pub mod document;
pub mod families;
pub mod front_end;
pub mod implementation;
pub mod judge;
pub mod load;
pub mod located;
pub mod only_c;
pub mod outcome;
pub mod predicate;
pub mod probe;
pub mod question;
pub mod reference_pages;
pub mod renamed;
pub mod requirement;
pub mod rule;
pub mod space;
