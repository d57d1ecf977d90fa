//! Calls of atomic functions.

use super::{Device, Evaluator, UndefinedBehaviour, arithmetic};
use crate::random::{
    memory::{Access, Leaf},
    tree::{AtomicCall, AtomicOperation},
};
use expectations::space::AddressSpace;

impl<D: Device> Evaluator<'_, D> {
    /// Executes an atomic function and returns its result; a comparison gives 0 or 1.
    pub(super) fn atomic(
        &mut self,
        call: &AtomicCall,
        is_used: bool,
    ) -> Result<i128, UndefinedBehaviour> {
        let operand = self.number(&call.operand)?;
        let at = self.pointer(&call.object)?;
        // Of objects in private the text leaves it undefined ([atomic-restrictions]).
        if !matches!(self.memory.space(at), AddressSpace::Global | AddressSpace::Local) {
            return Err(UndefinedBehaviour::NotReachable);
        }
        let by = self.by;
        match &call.operation {
            AtomicOperation::Initialize => {
                let pointee = self.program.types.as_pointer(call.object.ty);
                let scalar = pointee.and_then(|pointer| self.program.types.as_atomic(pointer.to));
                let leaf = Leaf::Number(scalar.ok_or(UndefinedBehaviour::OtherType)?, operand);
                self.write_leaf(at, leaf).map(|()| operand)
            }
            AtomicOperation::Store | AtomicOperation::Exchange => {
                self.memory.update(at, by, Access::Write, |_| operand)
            }
            AtomicOperation::CompareExchange(expected) => {
                let expected = self.pointer(expected)?;
                let wanted = self.leaf_number(expected)?;
                let change = |old| if old == wanted { operand } else { old };
                let old = self.memory.update(at, by, Access::Write, change)?;
                if old != wanted {
                    let Leaf::Number(scalar, _) = self.read_leaf(expected)? else {
                        return Err(UndefinedBehaviour::OtherType);
                    };
                    self.write_leaf(expected, Leaf::Number(scalar, old))?;
                }
                Ok((old == wanted).into())
            }
            AtomicOperation::Fetch(function) => {
                let access = if is_used {
                    Access::Write
                } else {
                    Access::update(*function, call.manner.scope)
                };
                let change = |old| arithmetic::atomic(*function, old, operand);
                self.memory.update(at, by, access, change)
            }
        }
    }
}
