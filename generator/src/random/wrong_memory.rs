//! Devices that are wrong about memory; some program detects each of them.

use expectations::space::AddressSpace;

use super::{
    device::Device,
    evaluate::{evaluate, evaluate_on},
    memory::{Leaf, Memory, ObjectId, Owner, Pointer, UndefinedBehaviour, WorkItem},
    tests::each_program,
    tree::Program,
};

/// Loads from local memory give what was loaded from private memory last, and the other way round.
#[derive(Default)]
struct SwapsLoads {
    /// The last from local and from private memory, by work-item.
    loaded: Vec<(WorkItem, [Option<Leaf>; 2])>,
}

impl Device for SwapsLoads {
    fn read(
        &mut self,
        memory: &mut Memory,
        at: Pointer,
        by: WorkItem,
    ) -> Result<Leaf, UndefinedBehaviour> {
        let leaf = memory.read(at, by)?;
        let own = match memory.space(at) {
            AddressSpace::Local => 0,
            AddressSpace::Private => 1,
            _ => return Ok(leaf),
        };
        let known = self.loaded.iter().position(|(item, _)| *item == by).unwrap_or_else(|| {
            self.loaded.push((by, [None; 2]));
            self.loaded.len() - 1
        });
        let loaded = &mut self.loaded[known].1;
        loaded[own] = Some(leaf);
        Ok(match (leaf, loaded[1 - own]) {
            (Leaf::Number(scalar, _), Some(other @ Leaf::Number(as_wide, _)))
                if scalar == as_wide =>
            {
                other
            }
            _ => leaf,
        })
    }
}

/// The store of that number in every launch does not happen.
struct DropsStore {
    number: u32,
    stores: u32,
}

impl Device for DropsStore {
    fn launch(&mut self, memory: &mut Memory) {
        self.stores = 0;
        memory.launch();
    }

    fn write(
        &mut self,
        memory: &mut Memory,
        at: Pointer,
        leaf: Leaf,
        by: WorkItem,
    ) -> Result<(), UndefinedBehaviour> {
        self.stores += 1;
        if self.stores == self.number { Ok(()) } else { memory.write(at, leaf, by) }
    }
}

/// Every work-item keeps its first view of shared memory for the whole launch, ignoring the writes of others.
#[derive(Default)]
struct KeepsStale {
    seen: Vec<(WorkItem, Pointer, Leaf)>,
}

impl KeepsStale {
    fn seen(&mut self, at: Pointer, by: WorkItem) -> Option<&mut Leaf> {
        let is_it =
            |(item, place, _): &&mut (WorkItem, Pointer, Leaf)| *item == by && place.same_place(at);
        self.seen.iter_mut().find(is_it).map(|(_, _, leaf)| leaf)
    }
}

impl Device for KeepsStale {
    fn launch(&mut self, memory: &mut Memory) {
        self.seen.clear();
        memory.launch();
    }

    fn read(
        &mut self,
        memory: &mut Memory,
        at: Pointer,
        by: WorkItem,
    ) -> Result<Leaf, UndefinedBehaviour> {
        let leaf = memory.read(at, by)?;
        if !matches!(memory.space(at), AddressSpace::Local | AddressSpace::Global) {
            return Ok(leaf);
        }
        if let Some(seen) = self.seen(at, by) {
            return Ok(*seen);
        }
        self.seen.push((by, at, leaf));
        Ok(leaf)
    }

    fn write(
        &mut self,
        memory: &mut Memory,
        at: Pointer,
        leaf: Leaf,
        by: WorkItem,
    ) -> Result<(), UndefinedBehaviour> {
        if let Some(seen) = self.seen(at, by) {
            *seen = leaf;
        }
        memory.write(at, leaf, by)
    }
}

/// Variables at program scope begin anew in every launch.
struct LosesProgramScope {
    /// Number of elements.
    variables: usize,
    /// Their first contents: they are the first objects.
    begin: Vec<(ObjectId, Vec<Leaf>)>,
    objects: Vec<ObjectId>,
}

impl Device for LosesProgramScope {
    fn launch(&mut self, memory: &mut Memory) {
        if self.begin.is_empty() {
            let known = self.objects.iter().take(self.variables);
            self.begin = known.map(|&object| (object, memory.contents(object).to_vec())).collect();
        }
        for (object, leaves) in &self.begin {
            memory.initialize(*object, leaves);
        }
        memory.launch();
    }

    fn allocate(
        &mut self,
        memory: &mut Memory,
        space: AddressSpace,
        owner: Owner,
        leaves: u32,
    ) -> ObjectId {
        let object = memory.allocate(space, owner, leaves);
        self.objects.push(object);
        object
    }
}

/// A group has one local object of each length.
#[derive(Default)]
struct MixesLocal {
    objects: Vec<(Owner, u32, ObjectId)>,
}

impl Device for MixesLocal {
    fn launch(&mut self, memory: &mut Memory) {
        self.objects.clear();
        memory.launch();
    }

    fn allocate(
        &mut self,
        memory: &mut Memory,
        space: AddressSpace,
        owner: Owner,
        leaves: u32,
    ) -> ObjectId {
        let is_it = |known: &&(Owner, u32, ObjectId)| known.0 == owner && known.1 == leaves;
        if space == AddressSpace::Local
            && let Some(&(_, _, object)) = self.objects.iter().find(is_it)
        {
            return object;
        }
        let object = memory.allocate(space, owner, leaves);
        if space == AddressSpace::Local {
            self.objects.push((owner, leaves, object));
        }
        object
    }
}

/// Whether some program shows that a device is wrong.
fn is_found<D: Device>(name: &str, device: impl Fn(&Program) -> D) {
    let mut found = 0;
    let mut number = 0;
    each_program(|program, _| {
        number += 1;
        // It is not known whether undefined behaviour is seen.
        if let (Ok(answer), Ok(seen)) =
            (evaluate(&program), evaluate_on(&program, device(&program)))
        {
            found += u32::from(answer != seen);
        }
    });
    assert!(found > 0, "{name} is not noticed in {number} programs");
}

#[test]
fn every_wrong_memory_is_noticed() {
    is_found("swapped loads", |_| SwapsLoads::default());
    for number in [1, 3, 10] {
        is_found(&format!("store {number} dropped"), |_| DropsStore { number, stores: 0 });
    }
    is_found("a stale value", |_| KeepsStale::default());
    is_found("lost variables at program scope", |program| LosesProgramScope {
        variables: program.file_scope_variables().count(),
        begin: Vec::new(),
        objects: Vec::new(),
    });
    is_found("mixed local memory", |_| MixesLocal::default());
}
