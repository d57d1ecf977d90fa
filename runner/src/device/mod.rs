//! Devices: what they say of themselves, what they can therefore be asked, and how each kind is driven.

pub mod facts;

pub use facts::{Capabilities, DeviceFacts, DialectSupport, NamedVersion};
