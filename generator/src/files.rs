//! The files of a suite: those inside the program, and any that replace them or are added.

use std::collections::BTreeMap;

use expectations::{
    catalogue::CATALOGUE,
    load::{FileError, Names, RuleSource, load_rule},
    question::{QUESTIONS, QUESTIONS_PATH, load_all},
    rule::Rule,
};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../expectations/rules"]
struct EmbeddedRules;

#[derive(RustEmbed)]
#[folder = "../templates/kernels"]
struct EmbeddedKernels;

#[derive(RustEmbed)]
#[folder = "../templates/probes"]
struct EmbeddedProbes;

/// Folder of the rules.
pub const RULES: &str = "expectations/rules";
/// Folder of the templates of kernels.
pub const KERNELS: &str = "templates/kernels";
/// Folder of the templates of probes.
pub const PROBES: &str = "templates/probes";

/// Ending of the file names of kernel templates.
pub(crate) const ENDING: &str = ".cl.tera";
/// Ending of the file names of kernel templates that write a module of SPIR-V.
const MODULE_ENDING: &str = ".spvasm.tera";
/// Ending of the file names of probe templates.
pub(crate) const PROBE_ENDING: &str = ".toml.tera";

#[derive(Clone, Debug)]
pub struct SuiteFiles {
    /// Rules by id.
    rules: BTreeMap<String, RuleSource>,
    /// Templates of kernels by the path below their folder.
    kernels: BTreeMap<String, String>,
    /// Templates of probes by name: the path below their folder, without ending.
    probes: BTreeMap<String, String>,
    /// The requirements that rules cover.
    catalogue: String,
    /// Files of open questions by path, those inside the program first.
    questions: Vec<(String, String)>,
    /// Whether the rules inside the program are there as they are.
    has_own_rules: bool,
}

impl SuiteFiles {
    /// Creates a set without rules and templates; the catalogue and the questions are those inside the program.
    pub fn empty() -> Self {
        Self {
            rules: BTreeMap::new(),
            kernels: BTreeMap::new(),
            probes: BTreeMap::new(),
            catalogue: CATALOGUE.to_owned(),
            questions: vec![(QUESTIONS_PATH.to_owned(), QUESTIONS.to_owned())],
            has_own_rules: false,
        }
    }

    /// Returns the files inside the program.
    pub fn embedded() -> Self {
        let mut files = Self::empty();
        add_embedded::<EmbeddedRules>(&mut files, RULES);
        add_embedded::<EmbeddedKernels>(&mut files, KERNELS);
        add_embedded::<EmbeddedProbes>(&mut files, PROBES);
        files.has_own_rules = true;
        files
    }

    /// Adds a file by its path in the repository, or replaces the file of that path; `shown` is its path in messages. A
    /// file of questions is added, and each of its questions replaces the one of that id. Files that are not part of a
    /// suite are ignored.
    pub fn add(&mut self, path: &str, shown: &str, text: String) {
        let below = |folder: &str, ending: &str| {
            path.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(ending).map(str::to_owned)
        };
        if let Some(id) = below(RULES, ".toml") {
            let source = RuleSource { id: id.clone(), path: shown.to_owned(), text };
            self.has_own_rules &= self.rules.insert(id, source).is_none();
        } else if let Some(file) = below(KERNELS, "").filter(|file| kernel_name(file).is_some()) {
            self.kernels.insert(file, text);
        } else if let Some(name) = below(PROBES, PROBE_ENDING) {
            self.probes.insert(name, text);
        } else if path == expectations::catalogue::CATALOGUE_PATH {
            self.catalogue = text;
        } else if path == QUESTIONS_PATH {
            self.questions.push((shown.to_owned(), text));
        }
    }

    /// Returns the names of the rules, sorted.
    pub fn rules(&self) -> Vec<&str> {
        self.rules.keys().map(String::as_str).collect()
    }

    /// Returns the rule of that name, if there is one. Neither the other rules nor its templates are checked.
    pub fn rule(&self, id: &str) -> Result<Option<Rule>, Vec<FileError>> {
        let Some(source) = self.rules.get(id) else { return Ok(None) };
        let kernels: Vec<&str> = self.kernels.keys().filter_map(|file| kernel_name(file)).collect();
        let probes: Vec<&str> = self.probes.keys().map(String::as_str).collect();
        let questions = load_all(&self.questions)?;
        let questions: Vec<&str> = questions.iter().map(|question| question.id.as_str()).collect();
        let names = Names { kernels: &kernels, probes: &probes, questions: &questions };
        load_rule(source, names).map(Some)
    }

    /// Returns the rules in the order of their ids, the templates of kernels and of probes in the order of their files,
    /// the catalogue and the questions.
    pub(crate) fn into_parts(self) -> Parts {
        Parts {
            rules: self.rules.into_values().collect(),
            kernels: self.kernels.into_iter().collect(),
            probes: self.probes.into_iter().collect(),
            catalogue: self.catalogue,
            questions: self.questions,
            has_own_rules: self.has_own_rules,
        }
    }
}

/// Returns the name of the template of a kernel: its file below the folder of kernels, without ending. `None` of another
/// file.
pub(crate) fn kernel_name(file: &str) -> Option<&str> {
    file.strip_suffix(ENDING).or_else(|| file.strip_suffix(MODULE_ENDING))
}

/// The files of a suite, in their order.
pub(crate) struct Parts {
    pub(crate) rules: Vec<RuleSource>,
    pub(crate) kernels: Vec<(String, String)>,
    pub(crate) probes: Vec<(String, String)>,
    pub(crate) catalogue: String,
    pub(crate) questions: Vec<(String, String)>,
    pub(crate) has_own_rules: bool,
}

fn add_embedded<Files: RustEmbed>(files: &mut SuiteFiles, folder: &str) {
    for name in Files::iter() {
        if let Some(file) = Files::get(&name) {
            let path = format!("{folder}/{name}");
            files.add(&path, &path, String::from_utf8_lossy(&file.data).into_owned());
        }
    }
}
