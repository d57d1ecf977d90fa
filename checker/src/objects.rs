//! The objects of a program with their address spaces, and the functions with their parameters.
//!
//! [`crate::Checker::objects`] lists them; [`render`] writes them as one JSON document.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};

pub use crate::access::{Access, AccessKind};
use crate::{
    dialect::Dialect,
    parse::syntax::Storage,
    sema::{
        analyser::Arena,
        inventory::{DefinedFunction, ListedObject, ObjectOrigin},
        scopes::Duration,
    },
    source::SourceMap,
    space::Space,
    span::Span,
    symbol::Interner,
    types::{QualifiedType, Type},
};

/// Version of the document's shape.
pub const FORMAT: u32 = 1;

/// Number of pointers that are listed of one object.
const POINTERS: usize = 64;

/// The objects and functions of one program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ProgramObjects {
    /// Functions that have a body, in the order of the text.
    pub functions: Vec<Function>,
    /// Objects other than parameters, in the order of the text.
    pub objects: Vec<Object>,
}

/// A function that has a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Function {
    /// Name in the text.
    pub name: String,
    /// Whether the function has the qualifier `kernel`.
    pub is_kernel: bool,
    /// Parameters in their order.
    pub parameters: Vec<Parameter>,
    /// Accesses to objects by the function's own expressions, without repetition. A call of a built-in function may
    /// read and write what its pointer arguments point to, by pointers into generic too.
    pub accesses: Vec<Access>,
    /// Names of the functions of the program that it calls, without repetition.
    pub calls: Vec<String>,
    /// Place of the name.
    pub place: Place,
}

/// A parameter of a function: an object in private.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Parameter {
    /// Name in the text.
    pub name: Option<String>,
    /// Facts of the type.
    #[serde(flatten)]
    pub ty: TypeFacts,
}

/// An object other than a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Object {
    /// Construct that makes the object.
    pub kind: ObjectKind,
    /// Name in the text; literals have none.
    pub name: Option<String>,
    /// Function that contains the construct; `null` at program scope.
    pub function: Option<String>,
    /// Whether the construct is in a block literal.
    pub is_in_block: bool,
    /// Storage class that is written.
    pub storage: Option<StorageClass>,
    /// Address space of the object.
    pub space: Space,
    /// Lifetime of the object.
    pub lifetime: Lifetime,
    /// Facts of the type.
    #[serde(flatten)]
    pub ty: TypeFacts,
    /// Whether the type is `const`, or the space `constant`.
    pub is_read_only: bool,
    /// Whether there is an initializer.
    pub is_initialized: bool,
    /// Integers that the initializer stores, as far as they are known.
    pub values: Vec<StoredValue>,
    /// The first 64 pointers in the object, except for those in unions.
    pub pointers: Vec<StoredPointer>,
    /// Functions that name the object, without repetition; `null` stands for program scope.
    pub named_in: Vec<Option<String>>,
    /// Place of the name, or of the literal.
    pub place: Place,
}

/// Construct that makes an object.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectKind {
    /// A declaration.
    Variable,
    /// A string literal that initializes no array.
    StringLiteral,
    /// A literal of the form `(type){...}`.
    CompoundLiteral,
}

/// The storage class that a declaration writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each variant is the storage class of that name")]
pub enum StorageClass {
    Static,
    Extern,
}

/// Lifetime of an object.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Lifetime {
    /// The execution of its block.
    Block,
    /// The execution of the kernel by a work-group.
    WorkGroup,
    /// The life of the program.
    Program,
}

/// A type, as far as the layout of its objects and the spaces of its pointers go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct TypeFacts {
    /// The type in the text's words.
    #[serde(rename = "type")]
    pub spelling: String,
    /// Scalar, vector, pointer and so on.
    pub type_kind: TypeKind,
    /// Size in bytes on a 64-bit device; `null` where the text leaves it open.
    pub size: Option<u64>,
    /// Alignment in bytes on a 64-bit device; `null` where the text leaves it open.
    pub alignment: Option<u64>,
    /// Whether a pointer is in the object: its size, and that of the object, may depend on the device.
    pub has_pointers: bool,
    /// Spaces of a pointer's levels: the space that it points to, then the space that the pointer there points to.
    pub levels: Vec<Space>,
}

/// The part of the type system that a type belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TypeKind {
    /// An arithmetic type.
    Scalar,
    /// Two to sixteen scalars.
    Vector,
    /// An atomic type.
    Atomic,
    /// A pointer to an object, a function or `void`.
    Pointer,
    /// An array of any element type.
    Array,
    /// A structure or a union.
    Record,
    /// An image, a sampler, a block and the like.
    Opaque,
}

/// An integer that an initializer stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct StoredValue {
    /// Offset in the object, in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// The bytes, read as a little-endian number.
    pub bits: u64,
}

/// A pointer in an object: the object itself, an element or a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct StoredPointer {
    /// Offset in the object on a 64-bit device, in bytes.
    pub offset: u64,
    /// Address space that the pointer points into.
    pub into: Space,
}

/// A place in the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Place {
    /// The file, as `#line` presents it.
    pub file: String,
    /// The line, counted from 1, as `#line` presents it.
    pub line: u32,
    /// The column in bytes, counted from 1.
    pub column: u32,
}

/// The objects of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct FileObjects {
    /// The file, as it was named.
    pub file: String,
    /// The dialect in which it was read, in words.
    pub dialect: String,
    /// Functions and objects of the file.
    #[serde(flatten)]
    pub objects: ProgramObjects,
}

/// The objects of each file.
#[derive(Serialize, JsonSchema)]
struct Document<'files> {
    /// Version of the document's shape.
    #[schemars(extend("const" = FORMAT))]
    format: u32,
    /// Version of the program.
    checker: &'static str,
    /// The files that no rule is broken in, in the order of the command line.
    files: &'files [FileObjects],
}

impl FileObjects {
    /// Returns the objects of a file.
    pub fn new(file: &str, dialect: Dialect, objects: ProgramObjects) -> Self {
        Self { file: file.to_owned(), dialect: dialect.to_string(), objects }
    }
}

/// Returns the document for `files`.
pub fn render(files: &[FileObjects]) -> String {
    let document = Document { format: FORMAT, checker: env!("CARGO_PKG_VERSION"), files };
    // Strings and numbers in structures always serialize.
    serde_json::to_string_pretty(&document).unwrap_or_default()
}

/// Returns the JSON Schema of the document.
pub fn schema() -> String {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<Document<'_>>().to_value();
    schema["$id"] = format!("urn:opencl-address-spaces:objects:{FORMAT}").into();
    schema["title"] = format!("objects, format {FORMAT}").into();
    format!("{schema:#}\n")
}

/// Returns the objects of the program that was analysed last.
pub(crate) fn list(arena: &Arena, interner: &Interner, sources: &SourceMap) -> ProgramObjects {
    Lister { arena, interner, sources }.list()
}

struct Lister<'p> {
    arena: &'p Arena,
    interner: &'p Interner,
    sources: &'p SourceMap,
}

impl Lister<'_> {
    fn list(&self) -> ProgramObjects {
        let inventory = &self.arena.inventory;
        let functions = inventory.functions.iter();
        let mut functions: Vec<Function> =
            functions.map(|function| self.function(function)).collect();
        for (function, access) in &inventory.accesses {
            functions[*function as usize].accesses.push(*access);
        }
        for (function, callee) in &inventory.calls {
            functions[*function as usize].calls.push(self.interner.text(*callee).to_owned());
        }
        let mut objects: Vec<Object> = Vec::new();
        // The object of each variable: a further declaration does not add an object.
        let mut listed: Vec<Option<usize>> = vec![None; self.arena.objects.len()];
        for object in &inventory.objects {
            if let ObjectOrigin::Variable { id, storage, .. } = object.origin {
                if let Some(known) = listed[id.0 as usize] {
                    if storage != Some(Storage::Extern) {
                        objects[known].storage = storage_class(storage);
                    }
                    continue;
                }
                listed[id.0 as usize] = Some(objects.len());
            }
            objects.push(self.object(object));
        }
        for number in &inventory.numbers {
            let Some(at) = listed[number.object.0 as usize] else { continue };
            let value = StoredValue { offset: number.offset, size: number.size, bits: number.bits };
            let values = &mut objects[at].values;
            // A later designator overrides an earlier one.
            values.retain(|known| known.offset != value.offset);
            values.push(value);
        }
        for (id, function) in &inventory.uses {
            let Some(at) = listed[id.0 as usize] else { continue };
            let function = function.map(|index| self.function_name(index));
            if !objects[at].named_in.contains(&function) {
                objects[at].named_in.push(function);
            }
        }
        ProgramObjects { functions, objects }
    }

    fn function_name(&self, index: u32) -> String {
        let name = self.arena.inventory.functions[index as usize].name;
        self.interner.text(name).to_owned()
    }

    fn function(&self, function: &DefinedFunction) -> Function {
        let types = &self.arena.types;
        let signature = types.signature(function.signature);
        let parameters = types.parameters(&signature).iter().map(|parameter| Parameter {
            name: parameter.name.map(|name| self.interner.text(name).to_owned()),
            ty: self.facts(parameter.ty),
        });
        Function {
            name: self.interner.text(function.name).to_owned(),
            is_kernel: function.is_kernel,
            parameters: parameters.collect(),
            accesses: Vec::new(),
            calls: Vec::new(),
            place: self.place(function.span),
        }
    }

    fn object(&self, listed: &ListedObject) -> Object {
        let types = &self.arena.types;
        let ListedObject { mut ty, span, function, is_in_block, .. } = *listed;
        let mut object = Object {
            kind: ObjectKind::StringLiteral,
            name: None,
            function: function.map(|index| self.function_name(index)),
            is_in_block,
            storage: None,
            space: types.space(ty).unwrap_or(Space::Unstated),
            lifetime: Lifetime::Program,
            ty: self.facts(ty),
            is_read_only: true,
            is_initialized: true,
            values: Vec::new(),
            pointers: Vec::new(),
            named_in: Vec::new(),
            place: self.place(span),
        };
        match listed.origin {
            ObjectOrigin::Variable { id, storage, layout } => {
                let variable = &self.arena.objects[id.0 as usize];
                ty = variable.ty;
                object.kind = ObjectKind::Variable;
                object.name = Some(self.interner.text(variable.name).to_owned());
                object.storage = storage_class(storage);
                object.lifetime = match variable.duration {
                    Duration::Automatic => Lifetime::Block,
                    Duration::WorkGroup => Lifetime::WorkGroup,
                    Duration::Program => Lifetime::Program,
                };
                object.is_initialized = variable.is_initialized;
                object.ty = self.facts(ty);
                let natural = object.ty.alignment;
                object.ty.alignment = natural
                    .map(|natural| natural.max(layout.alignment.unwrap_or(1)))
                    .filter(|_| !layout.is_unknown);
            }
            ObjectOrigin::CompoundLiteral => {
                object.kind = ObjectKind::CompoundLiteral;
                if object.function.is_some() {
                    object.lifetime = Lifetime::Block;
                }
            }
            ObjectOrigin::StringLiteral => {}
        }
        object.space = types.space(ty).unwrap_or(Space::Unstated);
        self.pointers(ty, 0, &mut object.pointers);
        object.is_read_only = types.quals(ty).is_const || object.space == Space::Constant;
        object
    }

    fn facts(&self, ty: QualifiedType) -> TypeFacts {
        let types = &self.arena.types;
        let size = types.size_of(ty.id);
        let mut levels = Vec::new();
        let mut level = types.innermost(ty);
        while let Some(pointee) = types.pointee(level) {
            levels.push(types.space(pointee).unwrap_or(Space::Unstated));
            level = types.innermost(pointee);
        }
        TypeFacts {
            spelling: types.spell(ty, self.interner),
            type_kind: kind(types.of(ty)),
            size,
            alignment: size.map(|_| types.align_of(ty.id)),
            has_pointers: types.has_pointers(ty),
            levels,
        }
    }

    /// Appends the pointers in an object of that type, which begins at an offset in another one.
    fn pointers(&self, ty: QualifiedType, offset: u64, pointers: &mut Vec<StoredPointer>) {
        let types = &self.arena.types;
        if pointers.len() >= POINTERS || !types.has_pointers(ty) {
            return;
        }
        let mut add_part = |index: u64, part: QualifiedType| {
            let start = types.offset_of(ty.id, index).and_then(|part| offset.checked_add(part));
            if let Some(start) = start {
                self.pointers(part, start, pointers);
            }
        };
        match types.of(ty) {
            Type::Pointer(pointee) => {
                let into = types.space(pointee).unwrap_or(Space::Unstated);
                pointers.push(StoredPointer { offset, into });
            }
            Type::Array { element, .. } => {
                let count = types.size_of(ty.id).zip(types.size_of(element.id));
                let count = count.and_then(|(whole, own)| whole.checked_div(own)).unwrap_or(0);
                (0..count.min(POINTERS as u64)).for_each(|index| add_part(index, element));
            }
            Type::Record(id) => {
                let record = types.record(id);
                if record.is_union {
                    return;
                }
                let members = types.members(&record).iter().zip(0..);
                members.for_each(|(member, index)| add_part(index, member.ty));
            }
            _ => {}
        }
    }

    fn place(&self, span: Span) -> Place {
        let position = self.sources.position(span.start);
        Place { file: position.file.to_owned(), line: position.line, column: position.column }
    }
}

fn storage_class(storage: Option<Storage>) -> Option<StorageClass> {
    match storage {
        Some(Storage::Static) => Some(StorageClass::Static),
        Some(Storage::Extern) => Some(StorageClass::Extern),
        Some(Storage::Typedef) | None => None,
    }
}

fn kind(ty: Type) -> TypeKind {
    match ty {
        Type::Scalar(_) => TypeKind::Scalar,
        Type::Vector { .. } => TypeKind::Vector,
        Type::Atomic(_) => TypeKind::Atomic,
        Type::Pointer(_) => TypeKind::Pointer,
        Type::Array { .. } => TypeKind::Array,
        Type::Record(_) => TypeKind::Record,
        _ => TypeKind::Opaque,
    }
}
