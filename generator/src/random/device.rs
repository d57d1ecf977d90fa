//! Uses of memory by devices: as the text defines them or, in tests, in another way.

use expectations::space::AddressSpace;

use super::memory::{Leaf, Memory, ObjectId, Owner, Pointer, UndefinedBehaviour, WorkItem};

/// A device that programs are evaluated on. By default it does everything as the text defines it.
pub(super) trait Device {
    /// Begins the launch of a kernel.
    fn launch(&mut self, memory: &mut Memory) {
        memory.launch();
    }

    /// Returns a new object of this many leaves.
    fn allocate(
        &mut self,
        memory: &mut Memory,
        space: AddressSpace,
        owner: Owner,
        leaves: u32,
    ) -> ObjectId {
        memory.allocate(space, owner, leaves)
    }

    /// Reads a place for a work-item.
    fn read(
        &mut self,
        memory: &mut Memory,
        at: Pointer,
        by: WorkItem,
    ) -> Result<Leaf, UndefinedBehaviour> {
        memory.read(at, by)
    }

    /// Returns a work-item writes at a place.
    fn write(
        &mut self,
        memory: &mut Memory,
        at: Pointer,
        leaf: Leaf,
        by: WorkItem,
    ) -> Result<(), UndefinedBehaviour> {
        memory.write(at, leaf, by)
    }
}

/// The device that the text describes.
pub(super) struct Ideal;

impl Device for Ideal {}
