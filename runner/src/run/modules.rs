//! Modules that a driver was given, for those who have nothing but the folder of a finding: the commands that make
//! them, and their files.

use std::collections::BTreeMap;

use expectations::{
    device::{DeviceFile, Step},
    dialect::Dialect,
    requirement::Requirement,
};
use reports::{
    handover::{ModuleFile, PackModules},
    module_commands::ModuleCommands,
};
use results::text::{one_line, printable};

use super::devices;
use crate::{
    device::{FILE_PLACEHOLDER, Making, making, text::telling_line, with_options},
    engine::make_module,
    interrupts,
};

/// Longer words of compilers are cut.
const MOST_SAID: usize = 300;

/// Language and options of a program that becomes a module.
#[derive(Clone, Copy)]
pub struct ProgramOptions<'o> {
    pub dialect: Dialect,
    pub requirements: &'o [Requirement],
    /// Options besides those of the dialect.
    pub options: &'o [String],
}

/// Returns the commands that make the module of a program in any folder; `None` if the device is given sources.
pub fn commands(device: &DeviceFile, program: ProgramOptions<'_>) -> Option<ModuleCommands> {
    let compiler = device.through.as_ref()?.name.clone();
    let step = |step: Step| {
        let word = |word: &String| match word.as_str() {
            FILE_PLACEHOLDER => "{name}.cl".to_owned(),
            word => word.replace("{scratch}/kernel.", "{name}.").replace("{scratch}", "."),
        };
        step.command.iter().map(word).collect()
    };
    let commands = making_of(device, program)?.by.into_iter().map(step).collect();
    Some(ModuleCommands { compiler, commands })
}

fn making_of(device: &DeviceFile, program: ProgramOptions<'_>) -> Option<Making> {
    let ProgramOptions { dialect, requirements, options } = program;
    let making = making(&device.through.as_ref()?.kind, dialect, requirements)?;
    Some(with_options(making, options.iter().cloned()))
}

/// Returns the modules of programs, by the names of the programs, for a pack, and the files; `None` if the device is
/// given sources.
pub fn for_pack(
    device: &DeviceFile,
    program: ProgramOptions<'_>,
    sources: &[(&str, &str)],
) -> Option<(PackModules, BTreeMap<String, Vec<u8>>)> {
    let mut modules =
        PackModules { commands: commands(device, program)?, files: Vec::new(), missing: None };
    let mut files = BTreeMap::new();
    let making = making_of(device, program)?;
    for (name, source) in sources {
        match files_of(device, &making, source) {
            Ok(of_program) => {
                for MadeFile { ending, what, bytes } in of_program {
                    let file = format!("{name}.{ending}");
                    let what = format!("{what} of `{name}.cl`");
                    modules.files.push(ModuleFile { name: file.clone(), what });
                    files.insert(file, bytes);
                }
            }
            Err(why) => {
                let why = telling_line(&why).unwrap_or_default();
                modules.missing = Some(one_line(&printable(why), MOST_SAID));
            }
        }
    }
    Some((modules, files))
}

/// A file that was made of a program.
struct MadeFile {
    ending: &'static str,
    /// Description of the file.
    what: &'static str,
    bytes: Vec<u8>,
}

/// Returns the files of a module: the module, and its text if there is a disassembler.
fn files_of(device: &DeviceFile, making: &Making, source: &str) -> Result<Vec<MadeFile>, String> {
    let config = devices::config_of_one(device).map_err(|error| error.to_string())?;
    let make = |making: Making| make_module(device, making, source, &config, &interrupts::cancel());
    let bytes = make(making.clone())?;
    let mut files = vec![MadeFile { ending: "spv", what: "the module", bytes }];
    if let Ok(bytes) = make(disassembled(making.clone())) {
        let what = "the text that `spirv-dis` makes of the module";
        files.push(MadeFile { ending: "spvasm", what, bytes });
    }
    Ok(files)
}

/// Returns the commands with one more, which writes the text of the module.
fn disassembled(mut making: Making) -> Making {
    let text = "{scratch}/kernel.spvasm";
    let command = ["spirv-dis", making.file.as_str(), "-o", text].map(str::to_owned).to_vec();
    making.by.push(Step { name: "spirv-dis".to_owned(), command, rejects_with: Vec::new() });
    text.clone_into(&mut making.file);
    making
}
