//! Modules that compilers emit, read and compared with the address spaces that the program's text demands.
//!
//! [`ir::read`] reads LLVM IR as text, [`spirv::read`] reads SPIR-V; both return a [`module::Module`]. [`laws::check`]
//! compares it with the objects that [`checker::Checker::objects`] lists; [`compare()`] does both.

mod compare;
pub mod error;
pub mod ir;
pub mod laws;
pub mod layout;
pub mod module;
pub mod spirv;
pub mod target;

pub use compare::{compare, text_at};
