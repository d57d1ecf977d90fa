//! Types: an arena of nodes named by numbers, with qualifiers beside the number.

mod compare;
mod layout;
mod predefined;
mod text;

pub(crate) use compare::Agreement;
pub(crate) use layout::LayoutAttributes;
pub(crate) use predefined::PredefinedNames;

use rustc_hash::FxHashMap;

pub(crate) use crate::scalar::Scalar;
use crate::{fix::SpaceSite, space::Space, span::Span, symbol::Symbol};

/// Number of an unqualified type in [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeId(u32);

/// `const`, `volatile`, `restrict` and the address space of one level of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Qualifiers {
    pub(crate) is_const: bool,
    pub(crate) is_volatile: bool,
    pub(crate) is_restrict: bool,
    /// `None` until inferred.
    pub(crate) space: Option<Space>,
}

impl Qualifiers {
    /// Returns the union of both sets of qualifiers; the space of `self` wins.
    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
            is_restrict: self.is_restrict || other.is_restrict,
            space: self.space.or(other.space),
        }
    }
}

/// A type with its outermost qualifiers. Those of an array are at its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QualifiedType {
    pub(crate) id: TypeId,
    pub(crate) quals: Qualifiers,
}

/// The length of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Known(u64),
    /// The length of an incomplete array, `[]`.
    Unsized,
    /// A length that is not constant.
    Variable,
    /// A constant length that the checker does not compute.
    Opaque,
}

/// The shape of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ImageKind {
    D1,
    D1Buffer,
    D1Array,
    D2,
    D2Array,
    D2Depth,
    D2ArrayDepth,
    D2Msaa,
    D2ArrayMsaa,
    D2MsaaDepth,
    D2ArrayMsaaDepth,
    D3,
}

/// The use of an image or pipe by a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Access {
    Read,
    Write,
    ReadWrite,
}

/// A type without parts that is not arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Opaque {
    Sampler,
    Event,
    ClkEvent,
    ReserveId,
    Queue,
    NdRange,
    AtomicFlag,
}

/// One level of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// The type of an expression that is unknown or already reported: converts silently to and from everything.
    Error,
    Void,
    Scalar(Scalar),
    Vector {
        element: Scalar,
        width: u32,
    },
    Atomic(Scalar),
    Pointer(QualifiedType),
    Array {
        element: QualifiedType,
        length: Length,
    },
    Function(SignatureId),
    Block(SignatureId),
    Record(RecordId),
    Image {
        kind: ImageKind,
        access: Access,
    },
    Opaque(Opaque),
    Pipe(QualifiedType),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SignatureId(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordId(u32);

/// A function's or block's result and parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature {
    pub(crate) result: QualifiedType,
    first: u32,
    count: u32,
    pub(crate) variadic: bool,
}

/// A parameter after adjustment: arrays and functions are pointers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Option<Symbol>,
    pub(crate) ty: QualifiedType,
    pub(crate) span: Span,
    /// Place of the space of its target.
    pub(crate) pointee: SpaceSite,
}

/// The types of members, and of their members, that matter to rules.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Contents {
    /// Whether one has a type that the host cannot pass.
    pub(crate) unportable: bool,
    pub(crate) pointer: bool,
}

/// A struct or union.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) tag: Option<Symbol>,
    /// The first typedef name of a record without a tag: authors use it as the name.
    pub(crate) alias: Option<Symbol>,
    pub(crate) is_union: bool,
    pub(crate) complete: bool,
    pub(crate) contents: Contents,
    first: u32,
    count: u32,
    size: Option<u64>,
    align: u64,
    is_packed: bool,
}

/// A member; anonymous structs and unions and unnamed bit-fields have no name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) name: Option<Symbol>,
    pub(crate) ty: QualifiedType,
    pub(crate) span: Span,
    pub(crate) is_bit_field: bool,
    /// Whether it has an alignment of its own.
    pub(crate) has_layout: bool,
}

/// Number of members from which on a record is searched through a map.
const LARGE: usize = 64;

/// Most levels of a type; `Types::overflowed` reports a deeper one.
const DEPTH_LIMIT: u16 = 200;

/// Every type of a program. The first nodes are the built-in types, at fixed numbers.
#[derive(Debug)]
pub(crate) struct Types {
    nodes: Vec<Type>,
    depths: Vec<u16>,
    signatures: Vec<Signature>,
    parameters: Vec<Parameter>,
    records: Vec<Record>,
    members: Vec<Member>,
    /// Members of large records, by the number of the record's first member and their name.
    large: FxHashMap<(u32, Symbol), u32>,
    default_pointee: Space,
    overflowed: bool,
}

const VECTOR_WIDTHS: [u32; 5] = [2, 3, 4, 8, 16];
const FIRST_SCALAR: u32 = 2;
const FIRST_VECTOR: u32 = FIRST_SCALAR + 16;
const FIRST_ATOMIC: u32 = FIRST_VECTOR + 16 * 5;
const FIRST_IMAGE: u32 = FIRST_ATOMIC + 16;
const FIRST_OPAQUE: u32 = FIRST_IMAGE + 12 * 3;
const BUILT_IN_COUNT: u32 = FIRST_OPAQUE + 7;

impl TypeId {
    pub(crate) const ERROR: Self = Self(0);
    pub(crate) const VOID: Self = Self(1);
    pub(crate) const CHAR: Self = Self::scalar(Scalar::Char);
    pub(crate) const INT: Self = Self::scalar(Scalar::Int);

    pub(crate) const fn scalar(scalar: Scalar) -> Self {
        Self(FIRST_SCALAR + scalar as u32)
    }

    pub(crate) const fn atomic(scalar: Scalar) -> Self {
        Self(FIRST_ATOMIC + scalar as u32)
    }

    pub(crate) const fn image(kind: ImageKind, access: Access) -> Self {
        Self(FIRST_IMAGE + kind as u32 * 3 + access as u32)
    }

    pub(crate) const fn opaque(opaque: Opaque) -> Self {
        Self(FIRST_OPAQUE + opaque as u32)
    }

    /// Returns the type without qualifiers.
    pub(crate) const fn plain(self) -> QualifiedType {
        let quals =
            Qualifiers { is_const: false, is_volatile: false, is_restrict: false, space: None };
        QualifiedType { id: self, quals }
    }
}

impl QualifiedType {
    pub(crate) const ERROR: Self = TypeId::ERROR.plain();
    pub(crate) const INT: Self = TypeId::INT.plain();
    pub(crate) const VOID: Self = TypeId::VOID.plain();

    pub(crate) fn is_error(self) -> bool {
        self.id == TypeId::ERROR
    }
}

impl Default for Types {
    fn default() -> Self {
        let mut nodes = vec![Type::Error, Type::Void];
        nodes.extend(Scalar::ALL.map(Type::Scalar));
        for element in Scalar::ALL {
            nodes.extend(VECTOR_WIDTHS.map(|width| Type::Vector { element, width }));
        }
        nodes.extend(Scalar::ALL.map(Type::Atomic));
        for kind in predefined::IMAGE_KINDS {
            for access in [Access::Read, Access::Write, Access::ReadWrite] {
                nodes.push(Type::Image { kind, access });
            }
        }
        nodes.extend(predefined::OPAQUES.map(Type::Opaque));
        debug_assert_eq!(nodes.len(), BUILT_IN_COUNT as usize);
        let depths = vec![1; nodes.len()];
        Self {
            nodes,
            depths,
            signatures: Vec::new(),
            parameters: Vec::new(),
            records: Vec::new(),
            members: Vec::new(),
            large: FxHashMap::default(),
            default_pointee: Space::Private,
            overflowed: false,
        }
    }
}

impl Types {
    /// Forgets a program's types; unqualified pointers of the next one point to `default_pointee`.
    pub(crate) fn reset(&mut self, default_pointee: Space) {
        self.nodes.truncate(BUILT_IN_COUNT as usize);
        self.depths.truncate(BUILT_IN_COUNT as usize);
        self.signatures.clear();
        self.parameters.clear();
        self.records.clear();
        self.members.clear();
        self.large.clear();
        self.default_pointee = default_pointee;
        self.overflowed = false;
    }

    /// Whether a type was nested too deeply to be built.
    pub(crate) fn overflowed(&self) -> bool {
        self.overflowed
    }

    pub(crate) fn get(&self, id: TypeId) -> Type {
        self.nodes[id.0 as usize]
    }

    pub(crate) fn of(&self, ty: QualifiedType) -> Type {
        self.get(ty.id)
    }

    fn add(&mut self, node: Type, inner: TypeId) -> TypeId {
        let depth = self.depths[inner.0 as usize] + 1;
        if depth > DEPTH_LIMIT {
            self.overflowed = true;
            return TypeId::ERROR;
        }
        self.nodes.push(node);
        self.depths.push(depth);
        TypeId(self.nodes.len() as u32 - 1)
    }

    pub(crate) fn vector(&mut self, element: Scalar, width: u32) -> TypeId {
        match VECTOR_WIDTHS.iter().position(|&known| known == width) {
            Some(index) => TypeId(FIRST_VECTOR + element as u32 * 5 + index as u32),
            None => self.add(Type::Vector { element, width }, TypeId::VOID),
        }
    }

    /// Returns a pointer; a pointee without a space is inferred as `[addr-spaces-inference]` says.
    pub(crate) fn pointer(&mut self, pointee: QualifiedType) -> TypeId {
        let pointee = match self.of(pointee) {
            Type::Function(_) => pointee,
            _ => self.in_space_if_none(pointee, self.default_pointee),
        };
        if let Some(&Type::Pointer(last)) = self.nodes.last()
            && last == pointee
        {
            return TypeId(self.nodes.len() as u32 - 1);
        }
        self.add(Type::Pointer(pointee), pointee.id)
    }

    pub(crate) fn array(&mut self, element: QualifiedType, length: Length) -> TypeId {
        self.add(Type::Array { element, length }, element.id)
    }

    pub(crate) fn pipe(&mut self, element: QualifiedType) -> TypeId {
        self.add(Type::Pipe(element), element.id)
    }

    pub(crate) fn function(&mut self, signature: SignatureId) -> TypeId {
        let deepest = self.deepest(signature);
        self.add(Type::Function(signature), deepest)
    }

    pub(crate) fn block(&mut self, signature: SignatureId) -> TypeId {
        let deepest = self.deepest(signature);
        self.add(Type::Block(signature), deepest)
    }

    fn deepest(&self, id: SignatureId) -> TypeId {
        let signature = self.signature(id);
        let parameters = self.parameters(&signature).iter().map(|parameter| parameter.ty.id);
        parameters
            .chain([signature.result.id])
            .max_by_key(|id| self.depths[id.0 as usize])
            .unwrap_or(TypeId::VOID)
    }

    pub(crate) fn add_signature(
        &mut self,
        result: QualifiedType,
        parameters: &[Parameter],
        variadic: bool,
    ) -> SignatureId {
        let first = self.parameters.len() as u32;
        self.parameters.extend_from_slice(parameters);
        self.signatures.push(Signature { result, first, count: parameters.len() as u32, variadic });
        SignatureId(self.signatures.len() as u32 - 1)
    }

    pub(crate) fn signature(&self, id: SignatureId) -> Signature {
        self.signatures[id.0 as usize]
    }

    pub(crate) fn set_result(&mut self, id: SignatureId, result: QualifiedType) {
        self.signatures[id.0 as usize].result = result;
    }

    pub(crate) fn parameters(&self, signature: &Signature) -> &[Parameter] {
        &self.parameters[signature.first as usize..][..signature.count as usize]
    }

    pub(crate) fn parameter(&self, signature: &Signature, index: u32) -> Option<Parameter> {
        (index < signature.count).then(|| self.parameters[(signature.first + index) as usize])
    }

    /// Adds a struct or union whose members are not known yet.
    pub(crate) fn add_record(&mut self, tag: Option<Symbol>, is_union: bool) -> TypeId {
        self.records.push(Record {
            tag,
            alias: None,
            is_union,
            complete: false,
            contents: Contents::default(),
            first: 0,
            count: 0,
            size: None,
            align: 1,
            is_packed: false,
        });
        let id = RecordId(self.records.len() as u32 - 1);
        self.add(Type::Record(id), TypeId::VOID)
    }

    /// Notes that a typedef names a record.
    pub(crate) fn name_record(&mut self, id: RecordId, alias: Symbol) {
        let record = &mut self.records[id.0 as usize];
        record.alias = record.alias.or(Some(alias).filter(|_| record.tag.is_none()));
    }

    pub(crate) fn record(&self, id: RecordId) -> Record {
        self.records[id.0 as usize]
    }

    pub(crate) fn members(&self, record: &Record) -> &[Member] {
        &self.members[record.first as usize..][..record.count as usize]
    }

    /// Returns the index of the member called `name`, except for those of anonymous members.
    pub(crate) fn named_member(&self, record: &Record, name: Symbol) -> Option<u64> {
        if record.count as usize > LARGE {
            return self.large.get(&(record.first, name)).map(|&index| u64::from(index));
        }
        let index = self.members(record).iter().position(|member| member.name == Some(name))?;
        Some(index as u64)
    }

    pub(crate) fn member(&self, record: &Record, index: u64) -> Option<Member> {
        let index = u32::try_from(index).ok().filter(|&index| index < record.count)?;
        Some(self.members[(record.first + index) as usize])
    }

    /// Whether an object of the type has pointers in it.
    pub(crate) fn has_pointers(&self, ty: QualifiedType) -> bool {
        self.contents(ty).pointer
    }

    fn contents(&self, ty: QualifiedType) -> Contents {
        match self.of(self.innermost(ty)) {
            Type::Pointer(_) => Contents { pointer: true, unportable: false },
            Type::Scalar(scalar) => Contents { unportable: scalar.is_unportable(), pointer: false },
            Type::Record(id) => self.record(id).contents,
            _ => Contents::default(),
        }
    }

    /// Returns `ty`, or the innermost element of an array.
    pub(crate) fn innermost(&self, mut ty: QualifiedType) -> QualifiedType {
        while let Type::Array { element, .. } = self.of(ty) {
            ty = element;
        }
        ty
    }

    /// Returns the outermost qualifiers; those of an array are those of its elements.
    pub(crate) fn quals(&self, ty: QualifiedType) -> Qualifiers {
        self.innermost(ty).quals
    }

    pub(crate) fn space(&self, ty: QualifiedType) -> Option<Space> {
        self.quals(ty).space
    }

    /// Returns the type with other outermost qualifiers, which an array passes on to its elements.
    pub(crate) fn requalified(
        &mut self,
        ty: QualifiedType,
        change: impl Fn(Qualifiers) -> Qualifiers,
    ) -> QualifiedType {
        let Type::Array { .. } = self.of(ty) else {
            return QualifiedType { quals: change(ty.quals), ..ty };
        };
        let innermost = self.innermost(ty);
        if change(innermost.quals) == innermost.quals {
            return ty;
        }
        let mut lengths = Vec::new();
        let mut inner = ty;
        while let Type::Array { element, length } = self.of(inner) {
            lengths.push(length);
            inner = element;
        }
        inner.quals = change(inner.quals);
        for length in lengths.into_iter().rev() {
            inner = self.array(inner, length).plain();
        }
        inner
    }

    pub(crate) fn in_space(&mut self, ty: QualifiedType, space: Space) -> QualifiedType {
        self.requalified(ty, |quals| Qualifiers { space: Some(space), ..quals })
    }

    pub(crate) fn in_space_if_none(&mut self, ty: QualifiedType, space: Space) -> QualifiedType {
        self.requalified(ty, |quals| Qualifiers { space: quals.space.or(Some(space)), ..quals })
    }

    pub(crate) fn pointee(&self, ty: QualifiedType) -> Option<QualifiedType> {
        match self.of(ty) {
            Type::Pointer(pointee) => Some(pointee),
            _ => None,
        }
    }
}
