//! Rules on the English of doc comments and on the names of types.

use std::{fmt, path::Path};

use proc_macro2::Span;
use regex::Regex;
use syn::{
    Attribute, Expr, ExprLit, Field, File, ImplItemFn, Item, ItemFn, Lit, Meta, TraitItemFn,
    Variant,
    visit::{self, Visit},
};

/// Words that no doc comment opens with: a reader has to guess what the sentence is about.
const OPENINGS: [&str; 13] =
    ["What", "How", "Where", "Its", "Which", "Why", "Those", "It", "Of", "So", "Who", "That", "As"];
/// Words after a plural noun: `Cases of a rule` opens with no verb.
const AFTER_NOUNS: [&str; 2] = ["of", "which"];
/// Plural nouns that look like verbs in the third person.
const NOUNS: [&str; 12] = [
    "Bytes", "Cases", "Details", "Devices", "Entries", "Ids", "Lines", "Names", "Options", "Rules",
    "Sizes", "Words",
];
/// Past tenses and participles that do not end in `-ed`.
const IRREGULAR: [&str; 40] = [
    "Began",
    "Begun",
    "Bound",
    "Broken",
    "Brought",
    "Built",
    "Came",
    "Chosen",
    "Done",
    "Drawn",
    "Fallen",
    "Felt",
    "Found",
    "Given",
    "Gone",
    "Got",
    "Heard",
    "Held",
    "Kept",
    "Known",
    "Laid",
    "Left",
    "Lost",
    "Made",
    "Meant",
    "Met",
    "Ran",
    "Read",
    "Said",
    "Seen",
    "Sent",
    "Set",
    "Shown",
    "Spoken",
    "Taken",
    "Thought",
    "Told",
    "Understood",
    "Went",
    "Written",
];
/// Words that add nothing to the name.
const EMPTY_WORDS: [&str; 11] =
    ["a", "an", "the", "of", "its", "is", "this", "whether", "returns", "are", "it"];

/// A place that breaks a rule.
pub(super) struct Fault {
    /// Path from the project's folder.
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) rule: &'static str,
    /// Name of the item.
    pub(super) item: String,
    message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, rule, item, message } = self;
        write!(f, "{file}:{line}: {rule}: `{item}` {message}")
    }
}

/// A word that the glossary bans.
pub(super) struct Banned {
    pub(super) pattern: Regex,
    /// Word to use instead.
    pub(super) word: String,
}

/// Kinds of items that a doc comment stands at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Function,
    Other,
}

/// Checks one file of Rust.
pub(super) fn faults_of(path: &Path, text: &str, banned: &[Banned]) -> Vec<Fault> {
    let file: File =
        syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut checked = Checker { file: path.display().to_string(), banned, faults: Vec::new() };
    checked.visit_file(&file);
    checked.faults
}

/// Visitor that checks the items of one file.
struct Checker<'a> {
    file: String,
    banned: &'a [Banned],
    faults: Vec<Fault>,
}

impl Checker<'_> {
    fn report(&mut self, span: Span, rule: &'static str, item: &str, message: String) {
        let line = span.start().line;
        self.faults.push(Fault {
            file: self.file.clone(),
            line,
            rule,
            item: item.to_owned(),
            message,
        });
    }

    /// Checks the doc comment of an item.
    fn check_comment(&mut self, attributes: &[Attribute], name: &str, kind: Kind) {
        let Some((span, comment)) = doc_comment(attributes) else { return };
        let unclear = comment.split("\n\n").map(first_words).find(opens_unclearly);
        let (first, second) = first_words(&comment);
        if let Some((first, _)) = unclear {
            self.report(span, "opening", name, format!("opens with `{first}`: name the subject"));
        } else if kind == Kind::Function && !opens_with_verb(&first, &second) {
            let message = format!("opens with `{first}`: say what the function does, as `Returns`");
            self.report(span, "verb", name, message);
        }
        if repeats(&comment, name) {
            let message =
                format!("has the comment `{}`, which only repeats the name", comment.trim());
            self.report(span, "repeated-name", name, message);
        }
        for Banned { pattern, word } in self.banned {
            if let Some(found) = pattern.find(&comment) {
                let message = format!("says `{}`: the glossary has `{word}`", found.as_str());
                self.report(span, "glossary", name, message);
            }
        }
    }

    fn check_type(&mut self, name: &syn::Ident) {
        if is_participle(&name.to_string()) {
            let message = "is a bare participle: say of which noun".to_owned();
            self.report(name.span(), "participle", &name.to_string(), message);
        }
    }
}

impl<'ast> Visit<'ast> for Checker<'_> {
    fn visit_file(&mut self, file: &'ast File) {
        self.check_comment(&file.attrs, "", Kind::Other);
        visit::visit_file(self, file);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = match item {
            Item::Struct(item) => (&item.attrs, &item.ident),
            Item::Enum(item) => (&item.attrs, &item.ident),
            Item::Type(item) => (&item.attrs, &item.ident),
            Item::Trait(item) => (&item.attrs, &item.ident),
            Item::Mod(item) => (&item.attrs, &item.ident),
            Item::Const(item) => (&item.attrs, &item.ident),
            Item::Static(item) => (&item.attrs, &item.ident),
            _ => return visit::visit_item(self, item),
        };
        if is_for_tests(attributes) {
            return;
        }
        if matches!(item, Item::Struct(_) | Item::Enum(_) | Item::Type(_) | Item::Trait(_)) {
            self.check_type(name);
        }
        self.check_comment(attributes, &name.to_string(), Kind::Other);
        visit::visit_item(self, item);
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.check_comment(&function.attrs, &function.sig.ident.to_string(), Kind::Function);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.check_comment(&function.attrs, &function.sig.ident.to_string(), Kind::Function);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        self.check_comment(&function.attrs, &function.sig.ident.to_string(), Kind::Function);
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_field(&mut self, field: &'ast Field) {
        let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        self.check_comment(&field.attrs, &name, Kind::Other);
        visit::visit_field(self, field);
    }

    fn visit_variant(&mut self, variant: &'ast Variant) {
        self.check_comment(&variant.attrs, &variant.ident.to_string(), Kind::Other);
        visit::visit_variant(self, variant);
    }
}

/// Returns whether an item is compiled for tests only.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

/// Returns the text of a doc comment and where it begins.
fn doc_comment(attributes: &[Attribute]) -> Option<(Span, String)> {
    let mut lines = Vec::new();
    let mut begin = None;
    for attribute in attributes {
        if let Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("doc")
            && let Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) = &pair.value
        {
            begin = begin.or_else(|| Some(attribute.pound_token.span));
            lines.push(line.value().trim().to_owned());
        }
    }
    begin.map(|begin| (begin, lines.join("\n")))
}

/// Returns the first two words of a text, without marks around them.
fn first_words(text: &str) -> (String, String) {
    let mut words = text
        .split_whitespace()
        .map(|word| word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '`').to_owned());
    (words.next().unwrap_or_default(), words.next().unwrap_or_default())
}

/// Returns whether a paragraph opens with a word whose subject has to be guessed.
fn opens_unclearly((first, second): &(String, String)) -> bool {
    OPENINGS.contains(&first.as_str()) || (first == "In" && second == "which")
}

/// Returns whether a sentence opens with a verb in the third person, or with `Whether`.
fn opens_with_verb(first: &str, second: &str) -> bool {
    let is_capital = first.starts_with(|c: char| c.is_ascii_uppercase());
    let is_third_person = first.ends_with('s') && !first.ends_with("ss") && first != "This";
    let is_noun = NOUNS.contains(&first) || AFTER_NOUNS.contains(&second);
    first == "Whether" || is_capital && is_third_person && !is_noun
}

/// Returns whether a comment holds no word beside those of the name.
fn repeats(comment: &str, name: &str) -> bool {
    let stem = |word: &str| word.to_lowercase().trim_end_matches('s').to_owned();
    let of_name: Vec<String> = words_of(name).iter().map(|word| stem(word)).collect();
    let words = comment.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words = words.filter(|word| !EMPTY_WORDS.contains(&word.to_lowercase().as_str()));
    !name.is_empty() && words.all(|word| of_name.contains(&stem(word)))
}

/// Returns the words of a name in either case.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_uppercase() {
            words.push(String::new());
        }
        if c != '_' {
            words.last_mut().expect("begins with one").push(c);
        }
    }
    words
}

/// Returns whether a type's name is a single participle or past tense.
fn is_participle(name: &str) -> bool {
    let is_one_word = name.chars().filter(|c| c.is_uppercase()).count() == 1;
    let is_regular =
        name.ends_with("ed") && !["eed", "Red", "Bed"].iter().any(|end| name.ends_with(end));
    is_one_word && (is_regular || IRREGULAR.contains(&name))
}
