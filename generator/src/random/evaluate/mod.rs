//! The evaluator: every buffer of a program after every launch from only the text, or the reason why the text does not
//! define it.
//!
//! The work-items of a group take each step of a kernel one after the other. The memory they share finds two that
//! use one place in one step, so that the order of their turns cannot matter.

mod arithmetic;
mod atomics;
mod expressions;
mod steps;

use self::expressions::Value;
use super::{
    device::{Device, Ideal},
    memory::{Leaf, Memory, ObjectId, Owner, Pointer, UndefinedBehaviour, WorkItem},
    tree::{Argument, Call, Initializer, Kernel, Leave, Place, Program, Statement, VariableId},
    types::{Scalar, Ty, Type, UINT},
};
use expectations::space::AddressSpace;

/// Values and statements that one program may take; a small part of it is usual.
const PATIENCE: u32 = 400_000;

/// Contents of every buffer after every launch: for each launch and each buffer, in the order of the arguments, the
/// numbers in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) after: Vec<Vec<Vec<i128>>>,
}

/// Returns the answer of a program.
pub(super) fn evaluate(program: &Program) -> Result<Answer, UndefinedBehaviour> {
    evaluate_on(program, Ideal)
}

/// Returns the answer of a program on some device.
pub(super) fn evaluate_on(
    program: &Program,
    device: impl Device,
) -> Result<Answer, UndefinedBehaviour> {
    let turns: Vec<u32> = (0..program.group).collect();
    evaluate_in_turns(program, device, &turns)
}

/// Returns the same, where the work-items of a group take their turns in this order.
pub(super) fn evaluate_in_turns(
    program: &Program,
    device: impl Device,
    turns: &[u32],
) -> Result<Answer, UndefinedBehaviour> {
    let mut evaluator = Evaluator {
        program,
        turns,
        device,
        memory: Memory::new(program.items / program.group),
        objects: vec![None; program.variables.len() * program.items as usize],
        by: WorkItem { item: 0, group: 0 },
        patience: PATIENCE,
        texts: Vec::new(),
    };
    evaluator.program_scope()?;
    let buffers = evaluator.buffers();
    let mut after = Vec::new();
    for &kernel in &program.launches {
        evaluator.launch(&program.kernels[kernel], &buffers)?;
        after.push(buffers.iter().flatten().map(|&buffer| evaluator.numbers(buffer)).collect());
    }
    Ok(Answer { after })
}

/// Returns a string as it lies in memory.
fn characters(text: &[u8]) -> Vec<Leaf> {
    text.iter().map(|&byte| Leaf::Number(Scalar::Char, byte.into())).collect()
}

struct Evaluator<'p, D> {
    program: &'p Program,
    turns: &'p [u32],
    device: D,
    memory: Memory,
    /// Objects by variable and work-item.
    objects: Vec<Option<ObjectId>>,
    /// Whose turn it is.
    by: WorkItem,
    patience: u32,
    /// String literals that were used.
    texts: Vec<(Vec<u8>, ObjectId)>,
}

/// The end of a statement.
enum Flow {
    On,
    Leave(Leave),
    Return(Value),
}

impl<D: Device> Evaluator<'_, D> {
    fn program_scope(&mut self) -> Result<(), UndefinedBehaviour> {
        let program = self.program;
        program.file_scope_variables().try_for_each(|variable| self.static_variable(variable))
    }

    /// Begins a variable that lives as long as the program.
    fn static_variable(&mut self, variable: VariableId) -> Result<(), UndefinedBehaviour> {
        let known = &self.program.variables[usize::from(variable.0)];
        let leaves = self.program.types.leaves(known.ty);
        let object = self.allocate(known.space, Owner::Everyone, leaves);
        let items = self.program.items;
        for item in 0..items {
            self.set_object(variable, item, object);
        }
        let mut leaves = Vec::new();
        match &known.initializer {
            Some(initializer) => self.initial(known.ty, initializer, &mut leaves)?,
            // What has static storage begins with zeros (C99 6.7.8).
            None => {
                leaves.extend(
                    self.scalars(known.ty).into_iter().map(|scalar| Leaf::Number(scalar, 0)),
                );
            }
        }
        self.memory.initialize(object, &leaves);
        Ok(())
    }

    /// Returns the object that a string literal is.
    fn text(&mut self, text: &[u8]) -> ObjectId {
        if let Some((_, object)) = self.texts.iter().find(|(known, _)| known == text) {
            return *object;
        }
        let object = self.allocate(AddressSpace::Constant, Owner::Everyone, text.len() as u32);
        self.memory.initialize(object, &characters(text));
        self.texts.push((text.to_vec(), object));
        object
    }

    /// Returns the object of each argument that is a buffer.
    fn buffers(&mut self) -> Vec<Option<ObjectId>> {
        let mut buffers = Vec::new();
        for (position, argument) in self.program.arguments.iter().enumerate() {
            let Argument::Buffer { element, values } = argument else {
                buffers.push(None);
                continue;
            };
            let parameter = self.program.kernels[0].parameters[position];
            let pointer = self.program.variables[usize::from(parameter.0)].ty;
            let space = self.program.types.as_pointer(pointer).map(|pointer| pointer.space);
            let scalars = self.scalars(*element);
            let leaves: Vec<Leaf> = values
                .iter()
                .zip(scalars.iter().cycle())
                .map(|(&value, &scalar)| Leaf::Number(scalar, value))
                .collect();
            let space = space.unwrap_or(AddressSpace::Global);
            let object = self.allocate(space, Owner::Everyone, leaves.len() as u32);
            self.memory.initialize(object, &leaves);
            buffers.push(Some(object));
        }
        buffers
    }

    /// Returns the numbers in an object of a type, in order.
    fn scalars(&self, ty: Ty) -> Vec<Scalar> {
        let layout = self.program.types.layout(ty);
        layout.fields.into_iter().map(|(scalar, _)| scalar).collect()
    }

    fn numbers(&self, object: ObjectId) -> Vec<i128> {
        let leaves = self.memory.contents(object).iter();
        leaves
            .map(|leaf| match leaf {
                Leaf::Number(_, value) => *value,
                Leaf::Indeterminate | Leaf::Pointer(_) => 0,
            })
            .collect()
    }

    fn launch(
        &mut self,
        kernel: &Kernel,
        buffers: &[Option<ObjectId>],
    ) -> Result<(), UndefinedBehaviour> {
        self.device.launch(&mut self.memory);
        for group in 0..self.program.items / self.program.group {
            let items = group * self.program.group..(group + 1) * self.program.group;
            self.arguments(kernel, buffers, group, items)?;
            self.steps_of_group(&kernel.steps, group)?;
        }
        Ok(())
    }

    fn arguments(
        &mut self,
        kernel: &Kernel,
        buffers: &[Option<ObjectId>],
        group: u32,
        items: std::ops::Range<u32>,
    ) -> Result<(), UndefinedBehaviour> {
        let arguments = kernel.parameters.iter().zip(&self.program.arguments).zip(buffers);
        for ((&parameter, argument), buffer) in arguments {
            let value = match (argument, buffer) {
                (Argument::Scalar(_, value), _) => Value::Number(*value),
                (Argument::Object { ty, values }, _) => self.object_by_value(*ty, values),
                (Argument::Local { element, per_item }, _) => {
                    let elements = u32::from(*per_item) * self.program.group;
                    let leaves = self.program.types.leaves(*element) * elements;
                    let owner = Owner::Group(group);
                    let object = self.allocate(AddressSpace::Local, owner, leaves);
                    Value::Pointer(Some(self.memory.whole(object)))
                }
                (Argument::Buffer { .. }, Some(object)) => {
                    Value::Pointer(Some(self.memory.whole(*object)))
                }
                (Argument::Buffer { .. }, None) => return Err(UndefinedBehaviour::Null),
            };
            for item in items.clone() {
                self.by = WorkItem { item, group };
                self.declare(parameter, &value)?;
            }
        }
        Ok(())
    }

    /// Returns an object that the host passes by value.
    fn object_by_value(&self, ty: Ty, values: &[i128]) -> Value {
        if let Type::Vector(..) = self.program.types.get(ty) {
            return Value::Vector(values.to_vec());
        }
        let leaves = self.scalars(ty).into_iter().zip(values);
        Value::Record(leaves.map(|(scalar, &value)| Leaf::Number(scalar, value)).collect())
    }

    /// Executes one statement after the other; the variables they declare end with them.
    fn block(&mut self, statements: &[Statement]) -> Result<Flow, UndefinedBehaviour> {
        let mut flow = Flow::On;
        for statement in statements {
            flow = self.statement(statement)?;
            if !matches!(flow, Flow::On) {
                break;
            }
        }
        for statement in statements {
            if let Statement::Declare(variable)
            | Statement::DeclareCall(variable, _)
            | Statement::DeclareAtomic(variable, _) = statement
            {
                self.end(*variable);
            }
        }
        Ok(flow)
    }

    fn statement(&mut self, statement: &Statement) -> Result<Flow, UndefinedBehaviour> {
        self.tick()?;
        match statement {
            Statement::Declare(variable) => {
                let known = &self.program.variables[usize::from(variable.0)];
                let mut leaves = Vec::new();
                if let Some(initializer) = &known.initializer {
                    self.initial(known.ty, initializer, &mut leaves)?;
                }
                let object = self.begin(*variable);
                self.memory.initialize(object, &leaves);
            }
            Statement::DeclareCall(variable, call) => {
                let value = self.call(call)?;
                self.declare(*variable, &value)?;
            }
            Statement::Assign(place, value) => {
                let value = self.value(value)?;
                self.store(place, &value)?;
            }
            Statement::Update(operator, place, operand) => {
                let operand = self.number(operand)?;
                let (at, scalar) = (self.place(place)?, self.scalar_of(place.ty)?);
                let Leaf::Number(_, old) = self.read_leaf(at)? else {
                    return Err(UndefinedBehaviour::OtherType);
                };
                let new = arithmetic::binary(scalar, *operator, old, operand)?;
                self.write_leaf(at, Leaf::Number(scalar, new))?;
            }
            Statement::StoreVector(value, index, pointer) => {
                let Value::Vector(numbers) = self.value(value)? else {
                    return Err(UndefinedBehaviour::OtherType);
                };
                let Type::Vector(scalar, length) = self.program.types.get(value.ty) else {
                    return Err(UndefinedBehaviour::OtherType);
                };
                let first = self.number(index)? * i128::from(length);
                let pointer = self.pointer(pointer)?;
                for (number, leaf) in numbers.into_iter().zip(first..) {
                    let leaf = pointer.offset(leaf)?;
                    self.write_leaf(leaf, Leaf::Number(scalar, number))?;
                }
            }
            Statement::CopyBytes(to, from) => {
                let element = self.program.types.as_pointer(to.ty).map(|known| known.to);
                let size = self.program.types.leaves(element.ok_or(UndefinedBehaviour::OtherType)?);
                let (to, from) = (self.pointer(to)?, self.pointer(from)?);
                for leaf in 0..i128::from(size) {
                    let value = self.read_leaf(from.offset(leaf)?)?;
                    self.write_leaf(to.offset(leaf)?, value)?;
                }
            }
            Statement::Atomic(call) => {
                self.atomic(call, false)?;
            }
            Statement::DeclareAtomic(variable, call) => {
                let result = self.atomic(call, true)?;
                self.declare(*variable, &Value::Number(Scalar::Uint.of_bits(result)))?;
            }
            Statement::Once(body) => return self.block(body),
            Statement::If(condition, then, otherwise) => {
                let taken = if self.number(condition)? != 0 { then } else { otherwise };
                return self.block(taken);
            }
            Statement::For(counter, times, body) => {
                for time in 0..*times {
                    self.declare(*counter, &Value::Number(time.into()))?;
                    match self.block(body)? {
                        Flow::Leave(Leave::Break) => break,
                        Flow::On | Flow::Leave(Leave::Continue) => {}
                        flow @ Flow::Return(_) => return Ok(flow),
                    }
                }
                self.end(*counter);
            }
            Statement::Switch(value, cases) => {
                let value = self.number(value)?;
                let last = cases.len() - 1;
                let taken = usize::try_from(value).map_or(last, |value| value.min(last));
                return self.block(&cases[taken]);
            }
            Statement::Leave(condition, leave) => {
                if self.number(condition)? != 0 {
                    return Ok(Flow::Leave(*leave));
                }
            }
            Statement::Return(value) => return Ok(Flow::Return(self.value(value)?)),
            Statement::Form(_) | Statement::Text(_) | Statement::Fork(_) => {
                return Err(UndefinedBehaviour::NotKnown);
            }
        }
        Ok(Flow::On)
    }

    fn call(&mut self, call: &Call) -> Result<Value, UndefinedBehaviour> {
        let helper = &self.program.helpers[call.helper];
        for (&parameter, argument) in helper.parameters.iter().zip(&call.arguments) {
            let value = self.value(argument)?;
            self.declare(parameter, &value)?;
        }
        let flow = self.block(&helper.body)?;
        for &parameter in &helper.parameters {
            self.end(parameter);
        }
        match flow {
            Flow::Return(value) => Ok(value),
            Flow::On | Flow::Leave(_) => Err(UndefinedBehaviour::Indeterminate),
        }
    }

    fn allocate(&mut self, space: AddressSpace, owner: Owner, leaves: u32) -> ObjectId {
        self.device.allocate(&mut self.memory, space, owner, leaves)
    }

    fn read_leaf(&mut self, at: Pointer) -> Result<Leaf, UndefinedBehaviour> {
        self.device.read(&mut self.memory, at, self.by)
    }

    fn write_leaf(&mut self, at: Pointer, leaf: Leaf) -> Result<(), UndefinedBehaviour> {
        self.device.write(&mut self.memory, at, leaf, self.by)
    }

    /// Counts a value or a statement, so that every evaluation ends.
    fn tick(&mut self) -> Result<(), UndefinedBehaviour> {
        self.patience = self.patience.checked_sub(1).ok_or(UndefinedBehaviour::TooLong)?;
        Ok(())
    }

    fn slot(&self, variable: VariableId, item: u32) -> usize {
        usize::from(variable.0) * self.program.items as usize + item as usize
    }

    fn set_object(&mut self, variable: VariableId, item: u32, object: ObjectId) {
        let slot = self.slot(variable, item);
        self.objects[slot] = Some(object);
    }

    /// Returns the object that a variable is for the work-item whose turn it is.
    fn object(&self, variable: VariableId) -> Result<ObjectId, UndefinedBehaviour> {
        self.objects[self.slot(variable, self.by.item)].ok_or(UndefinedBehaviour::Dangling)
    }

    /// Begins a private variable.
    fn begin(&mut self, variable: VariableId) -> ObjectId {
        let slot = self.slot(variable, self.by.item);
        if let Some(object) = self.objects[slot] {
            self.memory.end(object);
            return object;
        }
        let known = &self.program.variables[usize::from(variable.0)];
        let leaves = self.program.types.leaves(known.ty);
        let object = self.allocate(known.space, Owner::Item(self.by.item), leaves);
        self.objects[slot] = Some(object);
        object
    }

    /// Ends a private variable.
    fn end(&mut self, variable: VariableId) {
        if let Ok(object) = self.object(variable) {
            self.memory.end(object);
        }
    }

    /// Begins a private variable with a value.
    fn declare(&mut self, variable: VariableId, value: &Value) -> Result<(), UndefinedBehaviour> {
        let ty = self.program.variables[usize::from(variable.0)].ty;
        let object = self.begin(variable);
        let leaves = self.leaves(ty, value)?;
        self.memory.initialize(object, &leaves);
        Ok(())
    }

    fn store(&mut self, place: &Place, value: &Value) -> Result<(), UndefinedBehaviour> {
        let at = self.place(place)?;
        let leaves = self.leaves(place.ty, value)?;
        for (leaf, index) in leaves.into_iter().zip(0..) {
            self.write_leaf(at.offset(index)?, leaf)?;
        }
        Ok(())
    }

    /// Returns a value as it lies in memory.
    fn leaves(&self, ty: Ty, value: &Value) -> Result<Vec<Leaf>, UndefinedBehaviour> {
        Ok(match (self.program.types.get(ty), value) {
            (Type::Scalar(scalar), Value::Number(number)) if scalar.holds(*number) => {
                vec![Leaf::Number(scalar, *number)]
            }
            (Type::Pointer(_), Value::Pointer(pointer)) => vec![Leaf::Pointer(*pointer)],
            (Type::Vector(scalar, _), Value::Vector(numbers)) => {
                numbers.iter().map(|&number| Leaf::Number(scalar, number)).collect()
            }
            (Type::Record(_), Value::Record(leaves)) => leaves.clone(),
            _ => return Err(UndefinedBehaviour::OtherType),
        })
    }

    /// Adds the leaves that an initializer puts into an object of a type.
    fn initial(
        &mut self,
        ty: Ty,
        initializer: &Initializer,
        leaves: &mut Vec<Leaf>,
    ) -> Result<(), UndefinedBehaviour> {
        match initializer {
            Initializer::Value(value) => {
                let value = self.value(value)?;
                leaves.extend(self.leaves(ty, &value)?);
            }
            Initializer::Text(text) => leaves.extend(characters(text)),
            Initializer::Designated(..) => return Err(UndefinedBehaviour::NotKnown),
            Initializer::List(parts) => {
                let program = self.program;
                for (position, part) in parts.iter().enumerate() {
                    let part_type = match program.types.get(ty) {
                        Type::Array(element, _) => element,
                        Type::Record(record) => {
                            program.types.records()[usize::from(record)].members[position]
                        }
                        _ => UINT,
                    };
                    self.initial(part_type, part, leaves)?;
                }
            }
        }
        Ok(())
    }
}
