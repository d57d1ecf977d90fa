//! Commands by which a compiler makes the module that a driver is given.

use crate::text::shell_word;

/// Commands that make the module of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleCommands {
    /// Name of the compiler.
    pub compiler: String,
    /// Commands as words, in order; `{name}` stands for the name of the program's files without their endings.
    pub commands: Vec<Vec<String>>,
}

impl ModuleCommands {
    /// Returns the command line that makes `NAME.spv` of `NAME.cl`.
    fn of(&self, name: &str) -> String {
        let one = |words: &Vec<String>| {
            let words = words.iter().map(|word| shell_word(&word.replace("{name}", name)));
            words.collect::<Vec<_>>().join(" ")
        };
        self.commands.iter().map(one).collect::<Vec<_>>().join(" &&\n  ")
    }

    /// Returns the command lines for programs of these names, one after the other.
    pub fn lines(&self, names: &[&str]) -> String {
        names.iter().map(|name| self.of(name) + "\n").collect()
    }
}
