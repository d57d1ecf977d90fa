//! The crates depend on each other in one chain, the checker beside it; no modules depend on each other in a circle.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use syn::{
    Attribute, Item, ItemMod, ItemUse, Macro, UseTree, Visibility, punctuated::Punctuated,
    visit::Visit,
};

/// Workspace crates that a crate may name, itself left out.
const ALLOWED: [(&str, &[&str]); 8] = [
    ("checker", &[]),
    ("expectations", &[]),
    ("generator", &["expectations"]),
    ("results", &["expectations"]),
    ("reports", &["expectations", "generator", "results"]),
    ("lowering", &["checker"]),
    ("worker", &["expectations"]),
    (
        "runner",
        &["checker", "expectations", "generator", "lowering", "results", "reports", "worker"],
    ),
];

#[test]
fn crates_depend_in_one_chain() {
    for (name, allowed) in ALLOWED {
        let manifest = fs::read_to_string(root().join(name).join("Cargo.toml")).unwrap();
        let manifest: BTreeMap<String, toml_edit::Item> = manifest
            .parse::<toml_edit::DocumentMut>()
            .unwrap()
            .iter()
            .map(|(k, v)| (k.to_owned(), v.clone()))
            .collect();
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(dependencies) = manifest.get(section).and_then(|item| item.as_table()) else {
                continue;
            };
            for (dependency, _) in dependencies {
                let ours = ALLOWED.iter().any(|(crate_name, _)| *crate_name == dependency);
                assert!(
                    !ours || allowed.contains(&dependency),
                    "{name} must not depend on {dependency}"
                );
            }
        }
    }
}

#[test]
fn no_modules_depend_on_each_other() {
    let mut wrong = Vec::new();
    for (name, _) in ALLOWED {
        let modules = Modules::read(&root().join(name).join("src"));
        wrong.extend(modules.circles().iter().map(|circle| format!("{name}: {circle}")));
    }
    assert!(wrong.is_empty(), "modules depend on each other:\n{}", wrong.join("\n"));
}

/// Inputs that the test above takes for a circle, and others.
#[test]
fn circles_are_found() {
    let check = |files: &[(&str, &str)], expected: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let circles = Modules::read(folder.path()).circles();
        let found: Vec<String> = circles
            .iter()
            .map(|circle| format!("{}: {}", circle.within, circle.members.join(" ")))
            .collect();
        assert_eq!(found, expected, "{files:?}");
    };
    let lib = ("lib.rs", "mod a; mod b;");
    check(&[lib, ("a.rs", "use crate::b::B;"), ("b.rs", "pub struct B;")], &[]);
    check(&[lib, ("a.rs", "use crate::b::B;"), ("b.rs", "fn f() { super::a::g() }")], &[": a b"]);
    // In arguments of macros too.
    check(
        &[lib, ("a.rs", "fn f() { println!(\"{}\", crate::b::B); }"), ("b.rs", "use crate::a;")],
        &[": a b"],
    );
    // The needs of tests are not the needs of the module.
    check(
        &[
            lib,
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "#[cfg(test)] mod tests { use crate::a::A; }"),
        ],
        &[],
    );
    // A folder is one module to those beside it; its files are compared with each other.
    let room = ("a/mod.rs", "mod x; mod y; pub use x::X;");
    check(
        &[
            lib,
            room,
            ("a/x.rs", "use crate::b::B;"),
            ("a/y.rs", ""),
            ("b.rs", "use crate::a::y::Y;"),
        ],
        &[": a b"],
    );
    check(
        &[lib, room, ("a/x.rs", "use super::y::Y;"), ("a/y.rs", "use super::X;"), ("b.rs", "")],
        &["a: x y"],
    );
    // Through a third one.
    check(
        &[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "use crate::c::C;"),
            ("c.rs", "use crate::a::A;"),
        ],
        &[": a b c"],
    );
    // A user of a name needs the module that declares it, not those that re-export it.
    check(
        &[lib, room, ("a/x.rs", "pub struct X;"), ("a/y.rs", "use super::X;"), ("b.rs", "")],
        &[],
    );
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates stand in the workspace")
}

/// The place of a module: the names from the root of its crate.
type Place = Vec<String>;

/// The modules of a crate that are files.
struct Modules {
    /// What each names of the crate, as places that may resume items.
    uses: BTreeMap<Place, BTreeSet<Place>>,
    /// Names that a module re-exports.
    exports: BTreeMap<Place, BTreeMap<String, Place>>,
}

/// Modules within one that need each other.
struct Circle {
    within: String,
    members: Vec<String>,
    /// Which file needs which.
    because: Vec<(Place, Place)>,
}

impl std::fmt::Display for Circle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} in `{}`:", self.members.join(", "), self.within)?;
        for (from, to) in &self.because {
            writeln!(f, "    {} needs {}", from.join("::"), to.join("::"))?;
        }
        Ok(())
    }
}

impl Modules {
    fn read(src: &Path) -> Self {
        let mut files = Vec::new();
        list(src, &mut files);
        let files: BTreeMap<Place, PathBuf> = files
            .into_iter()
            .filter_map(|path| Some((place(path.strip_prefix(src).ok()?)?, path)))
            .collect();
        let mut modules = Self { uses: BTreeMap::new(), exports: BTreeMap::new() };
        for (place, path) in &files {
            let text = fs::read_to_string(path).expect("sources can be read");
            let file = syn::parse_file(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let mut names =
                Names { place, files: &files, uses: BTreeSet::new(), exports: BTreeMap::new() };
            names.visit_file(&file);
            modules.uses.insert(place.clone(), names.uses);
            modules.exports.insert(place.clone(), names.exports);
        }
        modules
    }

    /// The module that declares what is named.
    fn declaring(&self, named: &Place) -> Place {
        let mut named = named.clone();
        // As often as names are re-exported; a circle of re-exports is not a valid program.
        for _ in 0..8 {
            let depth = (0..=named.len())
                .rev()
                .find(|&depth| self.uses.contains_key(&named[..depth]))
                .unwrap_or(0);
            let (module, rest) = named.split_at(depth);
            let onwards = rest.first().and_then(|item| self.exports[module].get(item));
            match onwards {
                Some(onwards) => named = [onwards, &rest[1..]].concat(),
                None => return module.to_vec(),
            }
        }
        panic!("{} is handed on without end", named.join("::"))
    }

    fn circles(&self) -> Vec<Circle> {
        let needs: BTreeSet<(&Place, Place)> = self
            .uses
            .iter()
            .flat_map(|(from, uses)| uses.iter().map(move |to| (from, self.declaring(to))))
            .collect();
        self.uses.keys().flat_map(|within| circles_within(within, &needs)).collect()
    }
}

/// The part of a module that a file belongs to; its own file is none: parts may build on what it declares.
fn part<'p>(within: &Place, place: &'p Place) -> Option<&'p str> {
    let rest = place.strip_prefix(within.as_slice())?;
    rest.first().map(String::as_str)
}

fn circles_within(within: &Place, needs: &BTreeSet<(&Place, Place)>) -> Vec<Circle> {
    let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in needs {
        if let (Some(from), Some(to)) = (part(within, from), part(within, to))
            && from != to
        {
            edges.entry(from).or_default().insert(to);
        }
    }
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        edges.keys().map(|&from| (from, reachable(from, &edges))).collect();
    let both = |a: &str, b: &str| {
        reached.get(a).is_some_and(|from| from.contains(b))
            && reached.get(b).is_some_and(|from| from.contains(a))
    };
    let mut circles = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for &first in edges.keys() {
        if !both(first, first) || seen.contains(first) {
            continue;
        }
        let members: Vec<&str> = edges.keys().copied().filter(|other| both(first, other)).collect();
        seen.extend(&members);
        let is_member = |place| part(within, place).filter(|part| members.contains(part));
        let because = needs
            .iter()
            .filter(|(from, to)| match (is_member(from), is_member(to)) {
                (Some(from), Some(to)) => from != to,
                _ => false,
            })
            .map(|(from, to)| ((*from).clone(), to.clone()));
        circles.push(Circle {
            within: within.join("::"),
            members: members.iter().map(|&member| member.to_owned()).collect(),
            because: because.collect(),
        });
    }
    circles
}

fn reachable<'g>(from: &'g str, edges: &BTreeMap<&'g str, BTreeSet<&'g str>>) -> BTreeSet<&'g str> {
    let mut reached = BTreeSet::new();
    let mut left = vec![from];
    while let Some(next) = left.pop() {
        for &to in edges.get(next).into_iter().flatten() {
            if reached.insert(to) {
                left.push(to);
            }
        }
    }
    reached
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("folders can be read") {
        let path = entry.expect("folders can be read").path();
        if path.is_dir() {
            list(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// `None` for programs: they are not modules of the library.
fn place(path: &Path) -> Option<Place> {
    let mut place: Place =
        path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if place == ["main"] {
        return None;
    }
    if matches!(place.last().map(String::as_str), Some("mod" | "lib")) {
        place.pop();
    }
    Some(place)
}

/// Collects what a file names of its crate.
struct Names<'f> {
    place: &'f Place,
    files: &'f BTreeMap<Place, PathBuf>,
    uses: BTreeSet<Place>,
    exports: BTreeMap<String, Place>,
}

impl Names<'_> {
    /// Returns the module that a path leads to; `None` if it leaves the crate or stays in the file.
    fn resolve(&self, path: &[String]) -> Option<Place> {
        let child = |name: &String| {
            let place = [self.place.as_slice(), std::slice::from_ref(name)].concat();
            self.files.contains_key(&place)
        };
        let (mut place, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" | "super" => (self.place.clone(), path),
            _ if child(&path[0]) => (self.place.clone(), path),
            _ => return None,
        };
        while let Some(name) = rest.first() {
            match name.as_str() {
                "self" => {}
                "super" => _ = place.pop(),
                _ => break,
            }
            rest = &rest[1..];
        }
        place.extend_from_slice(rest);
        Some(place)
    }

    /// Names in a part of the file that is elsewhere, or has a shorter scope.
    fn within(&mut self, place: &Place, visit: impl FnOnce(&mut Names<'_>)) {
        let (uses, exports) = (BTreeSet::new(), BTreeMap::new());
        let mut names = Names { place, files: self.files, uses, exports };
        visit(&mut names);
        self.uses.append(&mut names.uses);
    }

    fn name(&mut self, path: &[String]) {
        self.uses.extend(self.resolve(path));
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|name| name == "test")
    })
}

/// The paths of a `use`, each with the name it gives.
fn leaves(tree: &UseTree, before: &[String], found: &mut Vec<(Vec<String>, Option<String>)>) {
    match tree {
        UseTree::Path(path) => {
            leaves(&path.tree, &[before, &[path.ident.to_string()]].concat(), found);
        }
        UseTree::Group(group) => group.items.iter().for_each(|item| leaves(item, before, found)),
        UseTree::Name(name) if name.ident == "self" => found.push((before.to_vec(), None)),
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            found.push(([before, std::slice::from_ref(&name)].concat(), Some(name)));
        }
        UseTree::Rename(rename) => {
            let path = [before, &[rename.ident.to_string()]].concat();
            found.push((path, Some(rename.rename.to_string())));
        }
        UseTree::Glob(_) => found.push((before.to_vec(), None)),
    }
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Mod(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !is_for_tests(attributes) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        // A module inside a file is a part of it.
        let place = [self.place.as_slice(), &[item.ident.to_string()]].concat();
        for item in item.content.iter().flat_map(|(_, items)| items) {
            self.within(&place, |names| names.visit_item(item));
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let mut found = Vec::new();
        leaves(&item.tree, &[], &mut found);
        for (path, name) in found {
            match name {
                Some(name) if !matches!(item.vis, Visibility::Inherited) => {
                    self.exports.extend(self.resolve(&path).map(|place| (name, place)));
                }
                _ => self.name(&path),
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        // A name alone is a local one.
        if names.len() > 1 {
            self.name(&names);
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        let arguments =
            item.parse_body_with(Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated);
        for argument in arguments.iter().flatten() {
            self.within(self.place, |names| names.visit_expr(argument));
        }
    }
}
