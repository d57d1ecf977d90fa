//! Laws about modules, and the comparison of a module with the objects of its program.

mod accesses;
mod objects;
mod parameters;
mod table;
mod variants;
mod wide;

use std::collections::BTreeMap;

use checker::objects::{Place, ProgramObjects};

use crate::{
    error::ModulePlace,
    module::{Function, Global, Module, Variable},
    target::{Target, UnknownTarget},
};
pub use table::{Law, LawFacts};

/// A module that breaks a law.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The law that is broken.
    pub law: Law,
    /// Object, parameter or function concerned: `k.x`.
    pub subject: String,
    /// Place in the program; `None` if the module has what no construct of the program asks for.
    pub place: Option<Place>,
    /// Place in the module.
    pub module_place: ModulePlace,
    /// Required and emitted.
    pub message: String,
}

/// Reason why a module does without an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AbsenceReason {
    /// The function is not in the module, and nothing in the module calls it.
    FunctionUnused,
    /// Nothing names the object, and no other program can.
    NeverNamed,
    /// No function of the module names the object.
    NamedByAbsentFunctions,
    /// A constant expression or `sizeof` has the requested value.
    ValueKnown,
    /// The object has a type without a size, as samplers and events do.
    NoMemory,
    /// The declaration is of an object of another program.
    DeclaredOnly,
}

impl AbsenceReason {
    /// Returns the reason in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::FunctionUnused => "its function is not in the module and nothing calls it",
            Self::NeverNamed => "nothing names it",
            Self::NamedByAbsentFunctions => "only functions that are not in the module name it",
            Self::ValueKnown => "its value is known and its address is not taken",
            Self::NoMemory => "its type has no memory",
            Self::DeclaredOnly => "the program only declares it",
        }
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Number of objects and parameters that the program has.
    pub expected: usize,
    /// Number of those that the module has.
    pub found: usize,
    /// Number of those that the module does without, by reason.
    pub unneeded: BTreeMap<AbsenceReason, usize>,
    /// Laws that are broken.
    pub violations: Vec<Violation>,
}

impl Comparison {
    /// Adds the numbers and violations of another comparison.
    pub fn add(&mut self, other: Self) {
        self.expected += other.expected;
        self.found += other.found;
        for (reason, count) in other.unneeded {
            *self.unneeded.entry(reason).or_default() += count;
        }
        self.violations.extend(other.violations);
    }
}

/// Compares a module with the objects of its program.
pub fn check(program: &ProgramObjects, module: &Module) -> Result<Comparison, UnknownTarget> {
    let target = Target::of(module)?;
    let mut comparing = Comparing {
        program,
        module,
        target,
        index: Index::new(module),
        comparison: Comparison::default(),
    };
    comparing.objects();
    comparing.parameters();
    comparing.casts();
    comparing.accesses();
    comparing.null_pointers();
    comparing.variants();
    comparing.interfaces();
    Ok(comparing.comparison)
}

struct Comparing<'c> {
    program: &'c ProgramObjects,
    module: &'c Module,
    target: &'static Target,
    index: Index<'c>,
    comparison: Comparison,
}

impl Comparing<'_> {
    fn break_law(
        &mut self,
        law: Law,
        subject: &str,
        places: (Option<&Place>, ModulePlace),
        message: String,
    ) {
        self.comparison.violations.push(Violation {
            law,
            subject: subject.to_owned(),
            place: places.0.cloned(),
            module_place: places.1,
            message,
        });
    }
}

/// A module by the names of the program.
struct Index<'m> {
    globals: BTreeMap<&'m str, Vec<&'m Global>>,
    /// Functions by their name in the program.
    functions: BTreeMap<&'m str, Vec<&'m Function>>,
}

impl<'m> Index<'m> {
    fn new(module: &'m Module) -> Self {
        let mut index = Self { globals: BTreeMap::new(), functions: BTreeMap::new() };
        for global in &module.globals {
            index.globals.entry(without_number(&global.name)).or_default().push(global);
        }
        for function in &module.functions {
            index.functions.entry(text_name(&function.name)).or_default().push(function);
        }
        index
    }

    /// Returns the functions with a body that have this name in the program: a kernel may be two, overloads are more.
    fn bodies(&self, name: &str) -> impl Iterator<Item = &'m Function> {
        let functions = self.functions.get(name).map_or(&[][..], Vec::as_slice);
        functions.iter().copied().filter(|function| !function.is_declared)
    }
}

/// Beginning of the name of a kernel's body, where clang makes the body a function of its own.
const KERNEL_BODY: &str = "__clang_ocl_kern_imp_";

/// Part of the name of a block literal's body: clang puts it behind the name of the function around the block.
const BLOCK_BODY: &str = "_block_invoke";

/// Returns the name that a function of a module has in the program.
fn text_name(name: &str) -> &str {
    let name = name.strip_prefix(KERNEL_BODY).unwrap_or(name);
    if let Some(block) = name.strip_prefix("__")
        && let Some((function, _)) = block.split_once(BLOCK_BODY)
    {
        return text_name(function);
    }
    let Some(mangled) = name.strip_prefix("_Z") else { return name };
    let digits = mangled.bytes().take_while(u8::is_ascii_digit).count();
    let length: Option<usize> = mangled[..digits].parse().ok();
    let length = length.filter(|_| digits > 0);
    let plain = length.and_then(|length| mangled.get(digits..digits.checked_add(length)?));
    let plain = plain.unwrap_or(name);
    plain.strip_prefix(KERNEL_BODY).unwrap_or(plain)
}

/// Returns a name of LLVM without the number that distinguishes it from others: `x` for `x12`, `k.x` for `k.x.3`.
fn without_number(name: &str) -> &str {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match plain.strip_suffix('.') {
        Some(shorter) if plain.len() < name.len() => shorter,
        _ => plain,
    }
}

/// Whether a name of LLVM is the name of the program, with or without a number after it.
fn is_named(emitted: &str, name: &str) -> bool {
    let Some(rest) = emitted.strip_prefix(name) else { return false };
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    rest.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a variable of a function is that of an object without a name.
fn is_compound_literal(variable: &Variable) -> bool {
    is_named(&variable.name, ".compoundliteral")
}
