//! Modules in either language, compared with the objects of their programs.

use checker::objects::ProgramObjects;

use crate::{
    error::{ModulePlace, ReadError},
    ir,
    laws::{self, Comparison, Law, Violation},
    module::Module,
    spirv,
    target::UnknownTarget,
};

/// Beginning of LLVM IR as a compiler prints it: a comment with the name of the module.
const IR: &[u8] = b";";

fn read(bytes: &[u8]) -> Result<Module, ReadError> {
    if bytes.starts_with(IR) { ir::read(bytes) } else { spirv::read(bytes) }
}

/// Reads a module, LLVM IR or SPIR-V, and compares it with the objects of its program. A module that cannot be read
/// breaks [`Law::ModuleForm`].
pub fn compare(program: &ProgramObjects, bytes: &[u8]) -> Result<Comparison, UnknownTarget> {
    let module = match read(bytes) {
        Ok(module) => module,
        Err(ReadError { place, message }) => {
            let violation = Violation {
                law: Law::ModuleForm,
                subject: String::new(),
                place: None,
                module_place: place,
                message,
            };
            return Ok(Comparison { violations: vec![violation], ..Comparison::default() });
        }
    };
    laws::check(program, &module)
}

/// Returns the text that stands at a place of a module; empty for a module as a whole.
pub fn text_at(bytes: &[u8], place: ModulePlace) -> String {
    match place {
        ModulePlace::Whole => String::new(),
        ModulePlace::Line { line, .. } => {
            let text = String::from_utf8_lossy(bytes);
            let line = text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default();
            line.trim().to_owned()
        }
        ModulePlace::Word(word) => spirv::words_at(bytes, word),
        ModulePlace::Id(id) => spirv::definition_of(bytes, id).unwrap_or_default(),
    }
}
