//! The numbers of the library's header, `amd_comgr.h`; those of actions differ between its interfaces 2 and 3.

/// Result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Success,
    Error,
    InvalidArgument,
    OutOfResources,
    Unknown(u32),
}

impl From<u32> for Status {
    fn from(number: u32) -> Self {
        match number {
            0 => Self::Success,
            1 => Self::Error,
            2 => Self::InvalidArgument,
            3 => Self::OutOfResources,
            number => Self::Unknown(number),
        }
    }
}

impl Status {
    pub(super) const fn number(self) -> u32 {
        match self {
            Self::Success => 0,
            Self::Error => 1,
            Self::InvalidArgument => 2,
            Self::OutOfResources => 3,
            Self::Unknown(number) => number,
        }
    }
}

/// Language of a source. The options select the version of `OpenCL` C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    None,
    OpenclC,
}

impl Language {
    pub(super) const fn number(self) -> u32 {
        match self {
            Self::None => 0,
            Self::OpenclC => 2,
        }
    }
}

/// Kind of a piece of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataKind {
    Source,
    Log,
}

impl DataKind {
    pub(super) const fn number(self) -> u32 {
        match self {
            Self::Source => 1,
            Self::Log => 5,
        }
    }
}

/// Action on data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// The front end and the generation of IR, with AMD's library of built-in functions.
    Compile,
    /// The back end.
    GenerateCode,
    /// The linker: undefined symbols are errors.
    Link,
}

impl Action {
    /// The interfaces whose numbers are known.
    pub(super) const INTERFACES: [usize; 2] = [2, 3];

    pub(super) const fn number(self, interface: usize) -> u32 {
        match (self, interface) {
            (Self::Compile, ..=2) => 0xF,
            (Self::GenerateCode, ..=2) => 0x6,
            (Self::Link, ..=2) => 0x9,
            (Self::Compile, _) => 0xC,
            (Self::GenerateCode, _) => 0x4,
            (Self::Link, _) => 0x7,
        }
    }

    /// Returns the name as the detail of an outcome shows it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Compile => "COMPILE_SOURCE_WITH_DEVICE_LIBS_TO_BC",
            Self::GenerateCode => "CODEGEN_BC_TO_RELOCATABLE",
            Self::Link => "LINK_RELOCATABLE_TO_EXECUTABLE",
        }
    }
}
