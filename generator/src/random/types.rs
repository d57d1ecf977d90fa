//! Types of random programs: an address space at every level, each type stored once.

use expectations::space::AddressSpace;

use super::names::Name;

/// A type, by its place in [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Ty(u16);

impl Ty {
    /// Whether it was one of the first `count` types.
    pub(super) fn is_among_first(self, count: usize) -> bool {
        usize::from(self.0) < count
    }
}

/// What a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Void,
    /// An integer type, by its spelling.
    Integer(&'static str),
    /// A floating type, by its spelling.
    Floating(&'static str),
    /// A vector of integers: spelling, element, length.
    Vector(&'static str, Ty, u8),
    /// An enumerated type, by its place in [`Types::enumerations`].
    Enumeration(u16),
    /// An atomic type and the type of its values; of `atomic_flag` there are none.
    Atomic(&'static str, Ty),
    /// A type whose objects are only given to built-in functions, with its access: images and samplers.
    Opaque(&'static str),
    /// A structure or union, by its place in [`Types::records`].
    Record(u16),
    Array(Ty, u8),
    Pointer(Pointee),
}

/// What a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pointee {
    /// Its type.
    pub(super) to: Ty,
    /// The address space it is in.
    pub(super) space: AddressSpace,
    /// It is not written through this pointer.
    pub(super) is_const: bool,
    pub(super) is_volatile: bool,
}

impl Pointee {
    /// An unqualified pointee.
    pub(super) fn new(to: Ty, space: AddressSpace) -> Self {
        Self { to, space, is_const: false, is_volatile: false }
    }
}

/// A structure or union.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Its tag.
    pub(super) name: Name,
    /// Of its members only one at a time.
    pub(super) is_union: bool,
    pub(super) members: Vec<Member>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) name: Name,
    /// Its type.
    pub(super) ty: Ty,
}

/// An enumerated type.
#[derive(Clone, Debug)]
pub(super) struct Enumeration {
    /// Its tag.
    pub(super) name: Name,
    /// Its constants, and their values where these are given.
    pub(super) constants: Vec<(Name, Option<u32>)>,
}

/// The types of one program.
#[derive(Clone, Debug)]
pub(super) struct Types {
    kinds: Vec<Kind>,
    records: Vec<Record>,
    enumerations: Vec<Enumeration>,
    aliases: Vec<(Ty, Name)>,
}

pub(super) const VOID: Ty = Ty(0);
pub(super) const INT: Ty = Ty(1);
pub(super) const UINT: Ty = Ty(2);
pub(super) const FLOAT: Ty = Ty(3);
pub(super) const LONG: Ty = Ty(4);
pub(super) const CHAR: Ty = Ty(5);
pub(super) const INT4: Ty = Ty(6);
pub(super) const FLOAT4: Ty = Ty(7);
pub(super) const UINT2: Ty = Ty(8);
pub(super) const ATOMIC_INT: Ty = Ty(9);
pub(super) const ATOMIC_UINT: Ty = Ty(10);
pub(super) const ATOMIC_FLOAT: Ty = Ty(11);
pub(super) const ATOMIC_FLAG: Ty = Ty(12);
pub(super) const SAMPLER: Ty = Ty(13);

/// Types of values that every program has, the simplest first. Objects of them can be stored in every version.
pub(super) const VALUES: [Ty; 7] = [INT, FLOAT, UINT, INT4, LONG, FLOAT4, UINT2];
/// Atomic types whose values are numbers.
pub(super) const ATOMICS: [Ty; 3] = [ATOMIC_INT, ATOMIC_UINT, ATOMIC_FLOAT];
/// Those of one number.
pub(super) const SCALARS: [Ty; 4] = [INT, FLOAT, UINT, LONG];

impl Types {
    pub(super) fn new() -> Self {
        let mut kinds = Vec::with_capacity(64);
        kinds.extend([
            Kind::Void,
            Kind::Integer("int"),
            Kind::Integer("uint"),
            Kind::Floating("float"),
            Kind::Integer("long"),
            Kind::Integer("char"),
            Kind::Vector("int4", INT, 4),
            Kind::Vector("float4", FLOAT, 4),
            Kind::Vector("uint2", UINT, 2),
            Kind::Atomic("atomic_int", INT),
            Kind::Atomic("atomic_uint", UINT),
            Kind::Atomic("atomic_float", FLOAT),
            Kind::Atomic("atomic_flag", VOID),
            Kind::Opaque("sampler_t"),
        ]);
        Self { kinds, records: Vec::new(), enumerations: Vec::new(), aliases: Vec::new() }
    }

    /// What `ty` is.
    pub(super) fn kind(&self, ty: Ty) -> Kind {
        self.kinds[usize::from(ty.0)]
    }

    fn intern(&mut self, kind: Kind) -> Ty {
        if let Some(index) = self.kinds.iter().position(|known| *known == kind) {
            return Ty(index as u16);
        }
        self.kinds.push(kind);
        Ty((self.kinds.len() - 1) as u16)
    }

    pub(super) fn pointer(&mut self, pointee: Pointee) -> Ty {
        self.intern(Kind::Pointer(pointee))
    }

    pub(super) fn array(&mut self, element: Ty, length: u8) -> Ty {
        self.intern(Kind::Array(element, length))
    }

    pub(super) fn record(&mut self, record: Record) -> Ty {
        self.records.push(record);
        self.intern(Kind::Record((self.records.len() - 1) as u16))
    }

    pub(super) fn vector(&mut self, spelling: &'static str, element: Ty, length: u8) -> Ty {
        self.intern(Kind::Vector(spelling, element, length))
    }

    pub(super) fn opaque(&mut self, spelling: &'static str) -> Ty {
        self.intern(Kind::Opaque(spelling))
    }

    pub(super) fn enumeration(&mut self, enumeration: Enumeration) -> Ty {
        self.enumerations.push(enumeration);
        self.intern(Kind::Enumeration((self.enumerations.len() - 1) as u16))
    }

    pub(super) fn enumeration_of(&self, index: u16) -> &Enumeration {
        &self.enumerations[usize::from(index)]
    }

    pub(super) fn enumerations(&self) -> &[Enumeration] {
        &self.enumerations
    }

    pub(super) fn record_of(&self, index: u16) -> &Record {
        &self.records[usize::from(index)]
    }

    /// What a pointer points to; `None` of other types.
    pub(super) fn pointee(&self, ty: Ty) -> Option<Pointee> {
        match self.kind(ty) {
            Kind::Pointer(pointee) => Some(pointee),
            _ => None,
        }
    }

    /// Call `ty` by this name from now on.
    pub(super) fn name(&mut self, ty: Ty, name: Name) {
        self.aliases.push((ty, name));
    }

    /// The name given to `ty`.
    pub(super) fn alias(&self, ty: Ty) -> Option<Name> {
        self.aliases.iter().find(|(named, _)| *named == ty).map(|&(_, name)| name)
    }

    /// How many types there are.
    pub(super) fn count(&self) -> usize {
        self.kinds.len()
    }

    /// Whether it is a pointer or an array of pointers.
    pub(super) fn ends_in_pointer(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            Kind::Pointer(_) => true,
            Kind::Array(element, _) => self.ends_in_pointer(element),
            _ => false,
        }
    }

    /// Whether values of it hold a pointer somewhere.
    pub(super) fn holds_pointer(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            Kind::Pointer(_) => true,
            Kind::Array(element, _) => self.holds_pointer(element),
            Kind::Record(index) => {
                self.record_of(index).members.iter().any(|member| self.holds_pointer(member.ty))
            }
            _ => false,
        }
    }

    /// Whether an object of it can be assigned to.
    pub(super) fn is_assigned(&self, ty: Ty) -> bool {
        !matches!(self.kind(ty), Kind::Array(..) | Kind::Void | Kind::Atomic(..) | Kind::Opaque(_))
    }

    /// Whether there are values of it, that an object anywhere could begin with.
    pub(super) fn is_initialized(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Array(..)) || self.is_assigned(ty)
    }

    pub(super) fn is_array(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Array(..))
    }

    pub(super) fn is_number(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Integer(_) | Kind::Floating(_))
    }
}
