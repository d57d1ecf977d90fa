//! The hand-over pack of a fault that takes several programs, or several kernels in one.

use std::collections::BTreeMap;

use results::{
    line::{Header, Interaction, Line, to_json},
    text::one_line,
};
use serde::Serialize;
use tera::Context;

use crate::{
    handover::{Step, literal, literals, pack_templates, variables},
    manual::PageError,
    text::{markdown_text, shell_word},
};

/// Number of seconds that the host file gives all programs.
const TIMEOUT: u32 = 120;

/// Contents of a pack.
pub struct InteractionPack<'r> {
    /// The header of the run.
    pub header: &'r Header,
    /// The fault.
    pub interaction: &'r Interaction,
    /// The programs, in the order they are built.
    pub programs: Vec<BuiltProgram>,
    /// A program that every device builds, and one that none builds.
    pub known: [String; 2],
    /// Part of the platform's name, for devices behind the loader.
    pub platform: Option<&'r str>,
    /// Environment variables of the host file.
    pub environment: &'r [(String, String)],
    /// Commands that build one program each, for compilers.
    pub compilers: Vec<Step>,
}

/// A program and its build options.
pub struct BuiltProgram {
    /// `OpenCL` C.
    pub source: String,
    /// Build options.
    pub options: String,
}

#[derive(Serialize)]
struct InHost {
    options: String,
    lines: Vec<String>,
}

/// Returns the files of a pack, by name.
pub fn pack(pack: &InteractionPack<'_>) -> Result<BTreeMap<String, String>, PageError> {
    let mut files = BTreeMap::new();
    for (index, program) in pack.programs.iter().enumerate() {
        files.insert(format!("{}.cl", index + 1), program.source.clone());
    }
    let mut steps = pack.compilers.clone();
    if let Some(platform) = pack.platform {
        files.insert("host.c".to_owned(), host(pack)?);
        let (variables, platform) = (variables(pack.environment), shell_word(platform));
        let command = format!("cc -o host host.c -lOpenCL\n{variables}./host {platform}");
        steps.insert(0, Step { what: "With only the host file:".to_owned(), command });
    }
    let mut context = Context::new();
    context.insert("text", &markdown_text(&pack.interaction.text()));
    context.insert("device", &markdown_text(&one_line(&pack.header.name(), 80)));
    let identity = pack.header.identity.iter();
    let row = |(name, value): (&String, &String)| {
        [name, value].map(|text| markdown_text(&one_line(text, 200)))
    };
    context.insert("identity", &identity.map(row).collect::<Vec<_>>());
    context.insert("count", &pack.programs.len());
    context.insert("steps", &steps);
    context.insert("has_host", &pack.platform.is_some());
    files.insert("README.md".to_owned(), pack_templates()?.render("interaction.md", &context)?);
    let finding = to_json(&Line::Interaction(pack.interaction.clone()));
    files.insert("finding.json".to_owned(), finding);
    Ok(files)
}

/// Returns a host in C that builds the programs one after the other in a process of its own.
fn host(pack: &InteractionPack<'_>) -> Result<String, PageError> {
    let comment = |text: &str| one_line(text, 600).replace("*/", "* /").replace("/*", "/ *");
    let in_host =
        |source: &str, options: &str| InHost { options: literal(options), lines: literals(source) };
    let programs = pack.programs.iter();
    let programs: Vec<InHost> =
        programs.map(|program| in_host(&program.source, &program.options)).collect();
    let options = pack.programs.last().map_or("", |program| program.options.as_str());
    let mut context = Context::new();
    context.insert("text", &comment(&pack.interaction.text()));
    context.insert("programs", &programs);
    context.insert("known", &pack.known.each_ref().map(|source| in_host(source, options)));
    context.insert("timeout", &TIMEOUT);
    Ok(pack_templates()?.render("interaction.c", &context)?)
}
