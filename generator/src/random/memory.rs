//! Memory as the language has it: objects and what is in them, no addresses.
//!
//! Everything that the text does not define is an error here: reading what was not written, using an object that no
//! longer exists or belongs to another work-item, leaving the array a pointer points into, and two work-items that
//! use the same place without a barrier between them ([memory-consistency-model], C99 6.5).

use expectations::space::AddressSpace;

use super::{
    tree::{AtomicFunction, Fence, Scope},
    types::Scalar,
};

/// The reason that the text does not define a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum UndefinedBehaviour {
    /// Something was read that nobody had written.
    Indeterminate,
    /// Something was read as another type than it was written as.
    OtherType,
    /// A pointer left the array it points into, or points to nothing.
    OutOfBounds,
    /// A pointer to an object that no longer exists.
    Dangling,
    /// Through a null pointer.
    Null,
    /// Private memory of another work-item, local memory of another group, or a different space from that of a cast.
    NotReachable,
    /// Two work-items at the same place.
    Race,
    /// A barrier, or a function of the whole group, that only some of its work-items reach.
    Divergent,
    /// Constant memory was written.
    Constant,
    /// A result that the type does not have.
    Overflow,
    /// Divided by zero.
    DivisionByZero,
    /// Pointers into different arrays subtracted or ordered, or a function called with operands for which it is not
    /// defined.
    Operands,
    /// More steps than a program is worth.
    TooLong,
    /// Something that the evaluator does not know.
    NotKnown,
}

/// Something in memory that has no parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// Nobody has written it.
    Indeterminate,
    Number(Scalar, i128),
    /// The target of a pointer; `None` is null.
    Pointer(Option<Pointer>),
}

/// The target of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    object: u32,
    generation: u32,
    leaf: u32,
    /// The array it points into.
    start: u32,
    end: u32,
}

impl Pointer {
    /// Whether both point to the same place.
    pub(super) fn same_place(self, other: Self) -> bool {
        (self.object, self.leaf) == (other.object, other.leaf)
    }

    /// Returns the number of leaves between two places of one array.
    pub(super) fn distance(self, other: Self) -> Result<i128, UndefinedBehaviour> {
        if (self.object, self.start, self.end) == (other.object, other.start, other.end) {
            Ok(i128::from(self.leaf) - i128::from(other.leaf))
        } else {
            Err(UndefinedBehaviour::Operands)
        }
    }

    /// Returns the place this many leaves on in the same array; one past its end is not used in these programs.
    pub(super) fn offset(self, leaves: i128) -> Result<Self, UndefinedBehaviour> {
        let leaf = u32::try_from(i128::from(self.leaf) + leaves).ok();
        match leaf.filter(|leaf| (self.start..self.end).contains(leaf)) {
            Some(leaf) => Ok(Self { leaf, ..self }),
            None => Err(UndefinedBehaviour::OutOfBounds),
        }
    }

    /// Returns a part of what it points to: `leaves` leaves, after the first `before`.
    pub(super) fn part(self, before: u32, leaves: u32) -> Result<Self, UndefinedBehaviour> {
        let start = self.leaf + before;
        if start + leaves > self.end {
            return Err(UndefinedBehaviour::OutOfBounds);
        }
        Ok(Self { leaf: start, start, end: start + leaves, ..self })
    }
}

/// A work-item that uses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WorkItem {
    /// Number among all work-items.
    pub(super) item: u32,
    /// The work-group.
    pub(super) group: u32,
}

/// Whose an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Everyone,
    Group(u32),
    Item(u32),
}

/// An access to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// A read, atomic or not.
    Read,
    /// A write, or an atomic change whose result depends on the order.
    Write,
    /// A change by an atomic function whose result nobody uses.
    Update(AtomicFunction, Scope),
}

impl Access {
    /// Returns a change by an atomic function of that scope whose result is not used.
    pub(super) const fn update(function: AtomicFunction, scope: Scope) -> Self {
        // What is added and what is subtracted may come in any order.
        let kind = match function {
            AtomicFunction::Subtract => AtomicFunction::Add,
            kind => kind,
        };
        Self::Update(kind, scope)
    }

    /// Whether two work-items may do this without a barrier between them: neither changes anything, or they do what
    /// commutes, atomically for each other ([memory-scope]).
    fn goes_with(self, other: Self, is_one_group: bool) -> bool {
        match (self, other) {
            (Self::Read, Self::Read) => true,
            (Self::Update(kind, scope), Self::Update(other, as_well)) => {
                let is_inclusive = (scope, as_well) == (Scope::Device, Scope::Device);
                kind == other && (is_one_group || is_inclusive)
            }
            _ => false,
        }
    }
}

/// When a work-item used a place last.
#[derive(Clone, Copy, Debug)]
struct Use {
    by: WorkItem,
    access: Access,
    epoch: u32,
}

#[derive(Clone, Debug)]
struct Object {
    space: AddressSpace,
    owner: Owner,
    generation: u32,
    leaves: Vec<Leaf>,
    /// Uses of each leaf in this launch; private objects keep none.
    uses: Vec<Vec<Use>>,
    launch: u32,
}

/// Every object of a program.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    objects: Vec<Object>,
    launch: u32,
    /// Barriers that each group has passed in this launch: for local memory, and for global.
    epochs: Vec<[u32; 2]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ObjectId(u32);

impl Memory {
    pub(super) fn new(groups: u32) -> Self {
        Self { objects: Vec::with_capacity(64), launch: 0, epochs: vec![[0; 2]; groups as usize] }
    }

    /// Begins the launch of a kernel: everything before it is complete.
    pub(super) fn launch(&mut self) {
        self.launch += 1;
        self.epochs.fill([0; 2]);
    }

    /// Orders the accesses of a group before a barrier and after it.
    pub(super) fn barrier(&mut self, group: u32, fence: Fence) {
        let epochs = &mut self.epochs[group as usize];
        for (epoch, space) in epochs.iter_mut().zip([AddressSpace::Local, AddressSpace::Global]) {
            *epoch += u32::from(fence.orders(space));
        }
    }

    /// Returns a new object of this many leaves that nobody has written.
    pub(super) fn allocate(&mut self, space: AddressSpace, owner: Owner, leaves: u32) -> ObjectId {
        let leaves = vec![Leaf::Indeterminate; leaves as usize];
        let (generation, uses) = (0, Vec::new());
        self.objects.push(Object { space, owner, generation, leaves, uses, launch: 0 });
        ObjectId(self.objects.len() as u32 - 1)
    }

    /// Ends an object, which may begin again; pointers to it must not be used any more.
    pub(super) fn end(&mut self, object: ObjectId) {
        let object = &mut self.objects[object.0 as usize];
        object.generation += 1;
        object.leaves.fill(Leaf::Indeterminate);
    }

    /// Returns a pointer to a whole object.
    pub(super) fn whole(&self, object: ObjectId) -> Pointer {
        let known = &self.objects[object.0 as usize];
        let end = known.leaves.len() as u32;
        Pointer { object: object.0, generation: known.generation, leaf: 0, start: 0, end }
    }

    /// Returns the contents of an object, for the host.
    pub(super) fn contents(&self, object: ObjectId) -> &[Leaf] {
        &self.objects[object.0 as usize].leaves
    }

    /// Writes leaves into an object from its beginning, as the host or an initializer does.
    pub(super) fn initialize(&mut self, object: ObjectId, leaves: &[Leaf]) {
        self.objects[object.0 as usize].leaves[..leaves.len()].copy_from_slice(leaves);
    }

    /// Returns the space that a pointer points into.
    pub(super) fn space(&self, pointer: Pointer) -> AddressSpace {
        self.objects[pointer.object as usize].space
    }

    /// Reads a place.
    pub(super) fn read(&mut self, at: Pointer, by: WorkItem) -> Result<Leaf, UndefinedBehaviour> {
        match self.used(at, by, Access::Read)? {
            Leaf::Indeterminate => Err(UndefinedBehaviour::Indeterminate),
            leaf => Ok(*leaf),
        }
    }

    /// Writes a leaf to a place.
    pub(super) fn write(
        &mut self,
        at: Pointer,
        leaf: Leaf,
        by: WorkItem,
    ) -> Result<(), UndefinedBehaviour> {
        *self.used(at, by, Access::Write)? = leaf;
        Ok(())
    }

    /// Changes the number at a place atomically, and returns the old one.
    pub(super) fn update(
        &mut self,
        at: Pointer,
        by: WorkItem,
        access: Access,
        change: impl FnOnce(i128) -> i128,
    ) -> Result<i128, UndefinedBehaviour> {
        let leaf = self.used(at, by, access)?;
        let Leaf::Number(scalar, old) = *leaf else {
            return Err(UndefinedBehaviour::Indeterminate);
        };
        *leaf = Leaf::Number(scalar, scalar.of_bits(change(old)));
        Ok(old)
    }

    fn used(
        &mut self,
        at: Pointer,
        by: WorkItem,
        access: Access,
    ) -> Result<&mut Leaf, UndefinedBehaviour> {
        let launch = self.launch;
        let object = &mut self.objects[at.object as usize];
        if object.generation != at.generation {
            return Err(UndefinedBehaviour::Dangling);
        }
        if at.leaf >= at.end {
            return Err(UndefinedBehaviour::OutOfBounds);
        }
        let is_reachable = match object.owner {
            Owner::Everyone => true,
            Owner::Group(group) => group == by.group,
            Owner::Item(item) => item == by.item,
        };
        if !is_reachable {
            return Err(UndefinedBehaviour::NotReachable);
        }
        if object.space == AddressSpace::Constant && access != Access::Read {
            return Err(UndefinedBehaviour::Constant);
        }
        if matches!(object.space, AddressSpace::Global | AddressSpace::Local) {
            if object.launch != launch {
                object.launch = launch;
                object.uses.iter_mut().for_each(Vec::clear);
                object.uses.resize(object.leaves.len(), Vec::new());
            }
            let epochs = self.epochs[by.group as usize];
            let epoch = epochs[usize::from(object.space == AddressSpace::Global)];
            note(&mut object.uses[at.leaf as usize], Use { by, access, epoch })?;
        }
        Ok(&mut object.leaves[at.leaf as usize])
    }
}

/// Adds a use to those of a place, if it is ordered after every use that it conflicts with.
fn note(uses: &mut Vec<Use>, now: Use) -> Result<(), UndefinedBehaviour> {
    for before in uses.iter() {
        let is_one_group = before.by.group == now.by.group;
        let is_ordered = is_one_group && before.epoch < now.epoch;
        let may_meet =
            before.by == now.by || is_ordered || before.access.goes_with(now.access, is_one_group);
        if !may_meet {
            return Err(UndefinedBehaviour::Race);
        }
    }
    match uses.iter_mut().find(|known| known.by == now.by && known.access == now.access) {
        Some(known) => known.epoch = now.epoch,
        None => uses.push(now),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBER: Leaf = Leaf::Number(Scalar::Uint, 7);

    fn item(item: u32) -> WorkItem {
        WorkItem { item, group: item / 2 }
    }

    /// Memory of two groups of two work-items, and an object of two leaves in it.
    fn memory(space: AddressSpace, owner: Owner) -> (Memory, Pointer) {
        let mut memory = Memory::new(2);
        memory.launch();
        let object = memory.allocate(space, owner, 2);
        let whole = memory.whole(object);
        (memory, whole)
    }

    #[test]
    fn what_the_text_does_not_define_is_found() {
        let (mut memory, at) = memory(AddressSpace::Local, Owner::Group(0));
        assert_eq!(memory.read(at, item(0)), Err(UndefinedBehaviour::Indeterminate));
        assert_eq!(memory.write(at, NUMBER, item(2)), Err(UndefinedBehaviour::NotReachable));
        assert_eq!(at.offset(2), Err(UndefinedBehaviour::OutOfBounds));
        assert_eq!(at.part(1, 2), Err(UndefinedBehaviour::OutOfBounds));
        assert_eq!(
            at.part(1, 1).and_then(|part| part.offset(-1)),
            Err(UndefinedBehaviour::OutOfBounds)
        );
        memory.end(ObjectId(0));
        assert_eq!(memory.read(at, item(0)), Err(UndefinedBehaviour::Dangling));
        let (mut memory, at) = self::memory(AddressSpace::Constant, Owner::Everyone);
        assert_eq!(memory.write(at, NUMBER, item(0)), Err(UndefinedBehaviour::Constant));
    }

    #[test]
    fn only_a_barrier_of_that_memory_orders_two_work_items() {
        for (space, owner, fence, other, allowed) in [
            (AddressSpace::Local, Owner::Group(0), Fence::Local, 1, true),
            (AddressSpace::Local, Owner::Group(0), Fence::Both, 1, true),
            (AddressSpace::Local, Owner::Group(0), Fence::Global, 1, false),
            (AddressSpace::Global, Owner::Everyone, Fence::Global, 1, true),
            (AddressSpace::Global, Owner::Everyone, Fence::Local, 1, false),
            (AddressSpace::Global, Owner::Everyone, Fence::Global, 2, false),
        ] {
            let (mut memory, at) = memory(space, owner);
            memory.write(at, NUMBER, item(0)).unwrap();
            memory.barrier(0, fence);
            let seen = memory.read(at, item(other));
            let expected = if allowed { Ok(NUMBER) } else { Err(UndefinedBehaviour::Race) };
            assert_eq!(seen, expected, "{space:?} {fence:?} {other}");
        }
    }

    #[test]
    fn what_is_read_may_not_be_written_by_another() {
        let (mut memory, at) = memory(AddressSpace::Global, Owner::Everyone);
        memory.initialize(ObjectId(0), &[NUMBER, NUMBER]);
        memory.read(at, item(0)).unwrap();
        memory.read(at, item(3)).unwrap();
        assert_eq!(memory.write(at, NUMBER, item(0)), Err(UndefinedBehaviour::Race));
        memory.launch();
        assert_eq!(memory.write(at, NUMBER, item(0)), Ok(()));
        let next = at.offset(1).unwrap();
        let add = Access::update(AtomicFunction::Add, Scope::Device);
        assert_eq!(memory.update(next, item(0), add, |old| old + 1), Ok(7));
        assert_eq!(memory.update(next, item(3), add, |old| old + 1), Ok(8));
        assert_eq!(memory.read(next, item(1)), Err(UndefinedBehaviour::Race));
        assert_eq!(memory.contents(ObjectId(0))[1], Leaf::Number(Scalar::Uint, 9));
    }

    #[test]
    fn atomic_changes_meet_where_they_commute_and_are_atomic_for_each_other() {
        let update = Access::update;
        let (device, group) = (Scope::Device, Scope::Group);
        for (first, second, other, allowed) in [
            (
                update(AtomicFunction::Add, device),
                update(AtomicFunction::Subtract, device),
                2,
                true,
            ),
            (update(AtomicFunction::Add, device), update(AtomicFunction::Xor, device), 1, false),
            (update(AtomicFunction::Or, group), update(AtomicFunction::Or, group), 1, true),
            (update(AtomicFunction::Or, group), update(AtomicFunction::Or, device), 2, false),
            (update(AtomicFunction::Add, device), Access::Read, 1, false),
            (Access::Write, update(AtomicFunction::Add, device), 1, false),
        ] {
            let (mut memory, at) = memory(AddressSpace::Global, Owner::Everyone);
            memory.initialize(ObjectId(0), &[NUMBER, NUMBER]);
            memory.update(at, item(0), first, |old| old).unwrap();
            let expected = if allowed { Ok(7) } else { Err(UndefinedBehaviour::Race) };
            let seen = memory.update(at, item(other), second, |old| old);
            assert_eq!(seen, expected, "{first:?} {second:?} {other}");
        }
    }
}
