//! Control flow around barriers: of whole groups by conditions that are equal in a group, and of work-items between
//! barriers.

use expectations::{dialect::Version, space::AddressSpace};

use super::{
    Builder, Position,
    objects::{KernelArgument, own_from},
    place_of,
    places::{Base, Root},
    read,
};
use crate::random::{
    settings::Feature,
    tree::{
        Binary, Call, Collective, Compare, Expression, Fence, Helper, Initializer, Item, Leave,
        Loop, LoopForm, Node, Place, PlaceNode, Statement, Step, VariableId, WorkItem,
    },
    types::{INT, Pointer, Scalar, Ty, Type, UINT},
};

/// Elements of the memory that a helper shares with the group, for each work-item.
const SHARED: u16 = 2;

/// The facts of the control flow at the place where a step is made.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// Numbers that are equal in a group, `uint`.
    equal: Vec<Expression>,
    /// Elements that are not written while a kernel runs, found in the same place by all work-items.
    tables: Vec<Root>,
    /// Declarations that the kernel's outermost scope needs for a step further in.
    declarations: Vec<Step>,
    /// The ways out of the innermost loop of steps.
    leaves: &'static [Leave],
    /// Helpers with steps.
    helpers: Vec<usize>,
    /// The pointer of the helper that is made to what it shares with the group.
    shared: Option<Expression>,
}

impl Builder<'_> {
    /// Returns the number of helpers that have no steps; the others come after them.
    pub(super) fn plain_helpers(&self) -> u32 {
        let helpers = self.program.helpers.iter();
        helpers.take_while(|helper| helper.steps.is_empty()).count() as u32
    }

    /// Begins a kernel.
    pub(super) fn begin_flow(&mut self, parameters: &[VariableId]) {
        self.flow.tables = self.tables();
        self.flow.leaves = &[];
        self.flow.shared = None;
        self.flow.equal.clear();
        for (KernelArgument { ty, .. }, &parameter) in self.given.iter().zip(parameters) {
            if self.program.types.as_scalar(*ty).is_some() {
                let number = Self::convert(UINT, read(place_of(parameter, *ty)));
                self.flow.equal.push(number);
            }
        }
    }

    fn tables(&self) -> Vec<Root> {
        let is_table = |root: &&Root| {
            let is_whole = matches!(*root.base, Base::Array(_, None) | Base::Pointer(_, None));
            !root.is_writable && root.element == UINT && is_whole
        };
        self.roots.iter().filter(is_table).cloned().collect()
    }

    /// Returns how many numbers are known to be equal in a group.
    pub(super) fn equal_numbers(&self) -> usize {
        self.flow.equal.len()
    }

    /// Adds a number that is equal in a group.
    pub(super) fn know_equal(&mut self, number: Expression) {
        self.flow.equal.push(number);
    }

    /// Forgets the numbers known to be equal in a group, except for the first ones.
    pub(super) fn forget_equal_numbers(&mut self, known: usize) {
        self.flow.equal.truncate(known);
    }

    /// Returns the declarations that the outermost scope needs for a step that was made.
    pub(super) fn flow_declarations(&mut self) -> Vec<Step> {
        std::mem::take(&mut self.flow.declarations)
    }

    /// Returns steps with control flow, if the program has some.
    pub(super) fn flow_step(&mut self, parameters: &[VariableId]) -> Option<Vec<Step>> {
        let (groups, items) = (self.has(Feature::GroupFlow), self.has(Feature::ItemFlow));
        if !(groups || items) || self.choices.below(3) == 0 {
            return None;
        }
        let of_group = groups && (!items || self.choices.below(3) > 0);
        let nesting = self.limits.nesting.max(1);
        let equal = self.flow.equal.len();
        let mut steps = Vec::new();
        let made = if of_group {
            self.group_step(parameters, nesting, &mut steps)
        } else {
            self.item_step(parameters, nesting, &mut steps)
        };
        let mut all = self.flow_declarations();
        if made.is_none() {
            self.flow.equal.truncate(equal);
            return None;
        }
        all.extend(steps);
        Some(all)
    }

    /// Returns the end of some work-items after the last barrier.
    pub(super) fn last_return(&mut self) -> Option<Step> {
        if !self.one_in_with(Feature::ItemFlow, 3) {
            return None;
        }
        Some(Step::Return(self.idle_condition(), None))
    }

    /// Adds a step that the whole group takes, or a few that belong together.
    fn group_step(
        &mut self,
        parameters: &[VariableId],
        nesting: u32,
        into: &mut Vec<Step>,
    ) -> Option<()> {
        let is_kernel = self.position == Position::Kernel;
        match self.choices.below(if nesting > 0 { 14 } else { 6 }) {
            0 => {
                let fence = self.choices.pick(&[Fence::Local, Fence::Global, Fence::Both]);
                into.push(Step::Barrier(fence));
            }
            1 => {
                let made = self.exchange()?;
                self.add_made(made, into);
            }
            2 if is_kernel => {
                let made = self.async_copy()?;
                into.push(Step::Barrier(Fence::Local));
                self.add_made(made, into);
            }
            3 => self.group_call(into)?,
            4 if self.choices.below(2) == 1 => {
                self.collective(into)?;
            }
            4 if is_kernel => {
                let made = self.counter(parameters)?;
                self.add_made(made, into);
            }
            5 => self.way_out(into)?,
            6..=8 => {
                let condition = self.equal_condition(into);
                let then = self.group_block(parameters, nesting - 1);
                let otherwise = if self.choices.below(2) == 1 {
                    self.group_block(parameters, nesting - 1)
                } else {
                    Vec::new()
                };
                into.push(Step::If(condition, then, otherwise));
            }
            9 if self.has(Feature::Jumps) => {
                let number = self.equal_here(into);
                let value = Self::binary(Binary::And, number, Self::uint(3));
                let outside = self.flow.leaves;
                // What leaves a loop here would leave the `switch`.
                self.flow.leaves = if outside.is_empty() { &[] } else { &[Leave::Continue] };
                let count = 2 + self.choices.below(2);
                let cases = (0..count).map(|_| self.group_block(parameters, nesting - 1)).collect();
                self.flow.leaves = outside;
                into.push(Step::Switch(value, cases));
            }
            10..=12 if self.has(Feature::Loops) => {
                let known = self.group_loop(parameters, nesting, into);
                into.push(Step::Loop(known));
            }
            13 if self.has(Feature::Jumps) => {
                let condition = self.equal_condition(into);
                let body = self.group_block(parameters, nesting - 1);
                into.push(Step::Skip(condition, body));
            }
            _ => return None,
        }
        Some(())
    }

    /// Adds steps to a block; declarations that belong into the outermost scope go there.
    pub(super) fn add_made(&mut self, made: Vec<Step>, into: &mut Vec<Step>) {
        for step in made {
            match step {
                Step::Local(_) | Step::Static(_) => self.flow.declarations.push(step),
                step => into.push(step),
            }
        }
    }

    /// Returns a block of steps that the whole group takes.
    fn group_block(&mut self, parameters: &[VariableId], nesting: u32) -> Vec<Step> {
        let (known, equal) = (self.roots.len(), self.flow.equal.len());
        self.depth += 1;
        let mut block = Vec::new();
        let mut turns = self.turns(1, 2);
        while self.takes_turn(&mut turns) {
            let (known, equal, made) = (self.roots.len(), self.flow.equal.len(), block.len());
            if let Some(swept) = self.sweeps() {
                self.add_made(swept, &mut block);
                self.choices.close();
                continue;
            }
            self.roots.truncate(known);
            let is_plain = self.choices.below(4) == 0;
            let step = match self.choices.below(4) {
                3 if self.has(Feature::ItemFlow) => self.item_step(parameters, 0, &mut block),
                _ if is_plain => None,
                _ => self.group_step(parameters, nesting, &mut block),
            };
            if step.is_none() {
                self.roots.truncate(known);
                self.flow.equal.truncate(equal);
                block.truncate(made);
                self.plain_steps(&mut block);
            }
            self.choices.close();
        }
        self.depth -= 1;
        self.roots.truncate(known);
        self.flow.equal.truncate(equal);
        block
    }

    /// Adds a statement that each work-item executes.
    pub(super) fn plain_steps(&mut self, into: &mut Vec<Step>) {
        let mut statements = Vec::new();
        self.statement(1, &mut statements);
        into.extend(statements.into_iter().map(Step::Each));
    }

    fn group_loop(
        &mut self,
        parameters: &[VariableId],
        nesting: u32,
        into: &mut Vec<Step>,
    ) -> Loop {
        let form = self.loop_form();
        let number = self.equal_here(into);
        let mut bound = Self::binary(Binary::And, number, Self::uint(3));
        let mut times = 3;
        if self.choices.below(3) > 0 {
            bound = Self::binary(Binary::Add, bound, Self::uint(1));
            times = 4;
        }
        let counter = self.variable(UINT, AddressSpace::Private, None);
        let outside = std::mem::replace(&mut self.flow.leaves, &[Leave::Break, Leave::Continue]);
        let (equal, known) = (self.flow.equal.len(), self.counters.len());
        self.counters.push((counter, times));
        self.flow.equal.push(read(place_of(counter, UINT)));
        let mut body = self.group_block(parameters, nesting - 1);
        // Some start the next iteration before the others do.
        if self.one_in_with(Feature::ItemFlow, 3) && self.has(Feature::Jumps) {
            body.push(Step::Leave(self.idle_condition(), Leave::Continue));
            let last = self.item_block(0);
            body.extend(last);
        }
        self.counters.truncate(known);
        self.flow.equal.truncate(equal);
        self.flow.leaves = outside;
        Loop { form, counter, bound, body }
    }

    pub(super) fn loop_form(&mut self) -> LoopForm {
        self.choices.pick(&[LoopForm::For, LoopForm::While, LoopForm::Do])
    }

    /// Adds the end of the loop around, of its iteration, or of the function, for the whole group.
    fn way_out(&mut self, into: &mut Vec<Step>) -> Option<()> {
        if !self.has(Feature::Jumps) {
            return None;
        }
        if !self.flow.leaves.is_empty() && self.choices.below(4) > 0 {
            let leave = self.choices.pick(self.flow.leaves);
            let condition = self.equal_condition(into);
            into.push(Step::Leave(condition, leave));
        } else if self.choices.below(3) == 2 {
            let condition = self.equal_condition(into);
            let value = match self.position {
                Position::Helper => Some(self.number_of(Scalar::Uint, 1)),
                _ => None,
            };
            into.push(Step::Return(condition, value));
        } else {
            return None;
        }
        Some(())
    }

    /// Makes functions that groups call, with barriers in them.
    pub(super) fn group_helpers(&mut self) {
        if !self.has(Feature::GroupFlow) {
            return;
        }
        let mut turns = self.turns(0, self.limits.helpers);
        while self.takes_turn(&mut turns) {
            let outside = self.roots.len();
            self.position = Position::Helper;
            let helper = self.group_helper();
            self.position = Position::Program;
            self.roots.truncate(outside);
            self.flow.shared = None;
            let number = self.program.helpers.len();
            // Without steps it is a helper like the others, which have to come before.
            if let Some(helper) = helper {
                self.program.helpers.push(helper);
                self.program.file_scope.push(Item::Helper(number));
                self.flow.helpers.push(number);
            }
            self.choices.close();
        }
    }

    fn group_helper(&mut self) -> Option<Helper> {
        self.flow.tables = self.tables();
        self.flow.leaves = &[];
        let level = self.variable(UINT, AddressSpace::Private, None);
        self.flow.equal = vec![read(place_of(level, UINT))];
        let spaces: &[AddressSpace] = if self.dialect.generic {
            &[AddressSpace::Local, AddressSpace::Generic]
        } else {
            &[AddressSpace::Local]
        };
        let space = self.choices.pick(spaces);
        let ty = self.shared_type(space);
        let shared = self.variable(ty, AddressSpace::Private, None);
        let pointer = read(place_of(shared, ty));
        self.flow.shared = Some(pointer.clone());
        let base = Base::Pointer(pointer, Some(own_from(WorkItem::LocalId, SHARED)));
        self.add_own(base, UINT, space, SHARED);
        let mut parameters = vec![level, shared];
        if self.choices.below(2) == 1 {
            let element = self.element_type();
            let ty = self.pointer_type(element, 1);
            let further = self.variable(ty, AddressSpace::Private, None);
            self.add_parameter_roots(further);
            parameters.push(further);
        }
        let is_noinline = self.choices.below(2) == 1;
        self.depth = 1;
        let steps = self.group_block(&[], self.limits.nesting.max(1));
        let value = self.number_of(Scalar::Uint, self.limits.fuel);
        self.depth = 0;
        let body = vec![Statement::Return(value)];
        let helper = Helper { parameters, result: UINT, is_noinline, storage: "", steps, body };
        (!helper.steps.is_empty()).then_some(helper)
    }

    fn shared_type(&mut self, space: AddressSpace) -> Ty {
        let (is_const, is_volatile) = (false, false);
        let pointer = Pointer { to: UINT, space, is_const, is_volatile, run: SHARED };
        self.program.types.intern(Type::Pointer(pointer))
    }

    /// Adds a call of a function with barriers.
    fn group_call(&mut self, into: &mut Vec<Step>) -> Option<()> {
        if self.flow.helpers.is_empty() {
            return None;
        }
        let helper = self.choices.pick(&self.flow.helpers);
        let parameters = self.program.helpers[helper].parameters.clone();
        let types: Vec<Ty> = parameters
            .iter()
            .map(|parameter| self.program.variables[usize::from(parameter.0)].ty)
            .collect();
        let pointer = match self.flow.shared.clone() {
            Some(shared) => shared,
            None => self.new_shared(into)?,
        };
        let wanted = types[1];
        let has = self.program.types.as_pointer(pointer.ty)?.space;
        let pointer = if pointer.ty == wanted {
            pointer
        } else if has == AddressSpace::Local {
            Expression::new(wanted, Node::Implicit(Box::new(pointer)))
        } else {
            return None;
        };
        let mut arguments = vec![self.equal_number(1), pointer];
        for &ty in &types[2..] {
            arguments.push(self.argument(ty)?);
        }
        let variable = self.variable(UINT, AddressSpace::Private, None);
        self.add_variable_roots(variable);
        into.push(Step::Call(variable, Call { helper, arguments }));
        Some(())
    }

    /// Returns a pointer to a new local array, whose parts the work-items own and have written.
    fn new_shared(&mut self, into: &mut Vec<Step>) -> Option<Expression> {
        let made = self.new_local(UINT, SHARED)?;
        self.add_made(made, into);
        let Base::Array(array, _) = &*self.roots.last()?.base else { return None };
        let node = PlaceNode::Element(Box::new(array.clone()), Box::new(Self::uint(0)));
        let first = Place { ty: UINT, node };
        Some(Expression::new(self.shared_type(AddressSpace::Local), Node::Address(first)))
    }

    /// Adds a call of a function of the whole group, and returns its result.
    pub(super) fn collective(&mut self, into: &mut Vec<Step>) -> Option<Expression> {
        // In 3.0 the functions are a feature of the device.
        if self.dialect.version != Version::V2_0 {
            return None;
        }
        let id = self.choices.below(self.program.group);
        let function = self.choices.pick(&[
            Collective::Any,
            Collective::All,
            Collective::Any,
            Collective::All,
            Collective::Broadcast(id),
            Collective::ReduceAdd,
            Collective::ReduceMinimum,
            Collective::ReduceMaximum,
            Collective::ScanInclusiveAdd,
            Collective::ScanExclusiveAdd,
        ]);
        let is_vote = matches!(function, Collective::Any | Collective::All);
        let value = if is_vote { self.condition(1) } else { self.number_of(Scalar::Uint, 1) };
        let variable = self.variable(UINT, AddressSpace::Private, None);
        self.known(variable).is_const = true;
        into.push(Step::Collective(variable, function, value));
        self.add_variable_roots(variable);
        let result = read(place_of(variable, UINT));
        if !matches!(function, Collective::ScanInclusiveAdd | Collective::ScanExclusiveAdd) {
            self.flow.equal.push(result.clone());
        }
        Some(result)
    }

    /// Returns a condition that is equal in a group, after the steps that it needs.
    pub(super) fn equal_condition(&mut self, into: &mut Vec<Step>) -> Expression {
        let number = self.equal_here(into);
        let (operator, left, right) = match self.choices.below(5) {
            0 => {
                let wanted = self.choices.below(2);
                (
                    Compare::Equal,
                    Self::binary(Binary::And, number, Self::uint(1)),
                    Self::uint(wanted),
                )
            }
            1 => {
                let not = self.choices.below(3);
                let number = Self::binary(Binary::Remainder, number, Self::uint(3));
                (Compare::Unequal, number, Self::uint(not))
            }
            2 => {
                let other = self.equal_number(1);
                let small = |number| Self::binary(Binary::And, number, Self::uint(7));
                (Compare::Less, small(number), small(other))
            }
            3 => {
                let by = 1 + self.choices.below(4);
                let number = Self::binary(Binary::ShiftRight, number, Self::uint(by));
                (Compare::LessOrEqual, number, Self::uint(1))
            }
            _ => (Compare::Unequal, number, Self::uint(0)),
        };
        Expression::new(INT, Node::Compare(operator, Box::new(left), Box::new(right)))
    }

    /// Returns a number that is equal in a group, after the steps that it needs.
    pub(super) fn equal_here(&mut self, into: &mut Vec<Step>) -> Expression {
        match self.choices.below(5) {
            1 => {
                let value = Initializer::Value(self.equal_number(2));
                let variable = self.variable(UINT, AddressSpace::Private, Some(value));
                self.known(variable).is_const = true;
                into.push(Step::Each(Statement::Declare(variable)));
                let number = read(place_of(variable, UINT));
                self.flow.equal.push(number.clone());
                number
            }
            2 | 3 if self.position == Position::Kernel => self.number_of_one(into),
            4 => match self.collective(into) {
                // Each has another sum: that of all before it.
                Some(result) if self.flow.equal.iter().any(|equal| is_same(equal, &result)) => {
                    result
                }
                _ => self.equal_number(2),
            },
            _ => self.equal_number(2),
        }
    }

    /// Returns a number that one work-item writes to local memory, and all read after a barrier.
    fn number_of_one(&mut self, into: &mut Vec<Step>) -> Expression {
        let ty = self.program.types.intern(Type::Array(UINT, 1));
        let variable = self.variable(ty, AddressSpace::Local, None);
        self.flow.declarations.push(Step::Local(variable));
        let node = PlaceNode::Element(Box::new(place_of(variable, ty)), Box::new(Self::uint(0)));
        let place = Place { ty: UINT, node };
        let one = self.choices.below(self.program.group);
        let is_one = Self::compare(Compare::Equal, Self::work_item(WorkItem::LocalId), one);
        let value = self.number_of(Scalar::Uint, 1);
        let write = vec![Statement::Assign(place.clone(), value)];
        // It may have been read a moment ago, in the iteration before.
        into.push(Step::Barrier(Fence::Local));
        into.push(Step::Each(Statement::If(is_one, write, Vec::new())));
        into.push(Step::Barrier(Fence::Local));
        read(place)
    }

    /// Returns a number that is equal in a group, often in a form that does not look so.
    fn equal_number(&mut self, fuel: u32) -> Expression {
        self.choices.open();
        let number = match self.choices.below(if fuel > 0 { 9 } else { 4 }) {
            1 => {
                let what = self.choices.pick(&[
                    WorkItem::GroupId,
                    WorkItem::GroupId,
                    WorkItem::LocalSize,
                    WorkItem::Groups,
                ]);
                Self::work_item(what)
            }
            2 if !self.flow.equal.is_empty() => {
                let number = self.choices.below(self.flow.equal.len() as u32) as usize;
                self.flow.equal[number].clone()
            }
            3 => self.equal_place(),
            4..=6 => self.equal_in_disguise(fuel - 1),
            7 => {
                let operator = self.choices.pick(&[
                    Binary::Add,
                    Binary::Xor,
                    Binary::Multiply,
                    Binary::Subtract,
                    Binary::Or,
                ]);
                let (left, right) = (self.equal_number(fuel - 1), self.equal_number(fuel - 1));
                Self::binary(operator, left, right)
            }
            8 => {
                let (left, right) = (self.equal_number(0), self.equal_number(0));
                let node = Node::Compare(Compare::Less, Box::new(left), Box::new(right));
                let condition = Box::new(Expression::new(INT, node));
                let (yes, no) = (self.equal_number(fuel - 1), self.equal_number(fuel - 1));
                Expression::new(UINT, Node::Conditional(condition, Box::new(yes), Box::new(no)))
            }
            _ => Self::uint(self.choices.below(8)),
        };
        self.choices.close();
        number
    }

    /// Returns an element of a table that all work-items of the group find in the same place.
    fn equal_place(&mut self) -> Expression {
        if self.flow.tables.is_empty() {
            return Self::uint(1);
        }
        let number = self.choices.below(self.flow.tables.len() as u32) as usize;
        let table = self.flow.tables[number].clone();
        let index = self.equal_number(0);
        let last = Self::uint(u32::from(table.run) - 1);
        let index = Box::new(Self::binary(Binary::And, index, last));
        let node = match &*table.base {
            Base::Array(array, _) => PlaceNode::Element(Box::new(array.clone()), index),
            Base::Pointer(pointer, _) => PlaceNode::Target(Box::new(pointer.clone()), Some(index)),
            Base::Place(place) => return read(place.clone()),
        };
        read(Place { ty: UINT, node })
    }

    /// Returns a number that is equal in a group, computed from what is not.
    fn equal_in_disguise(&mut self, fuel: u32) -> Expression {
        let number = self.equal_number(fuel);
        let id = || Self::work_item(WorkItem::LocalId);
        let size = || Self::work_item(WorkItem::LocalSize);
        match self.choices.below(8) {
            0 => Self::binary(Binary::Add, Self::binary(Binary::Subtract, id(), id()), number),
            1 => Self::binary(Binary::Xor, Self::binary(Binary::Xor, number, id()), id()),
            2 => Self::binary(Binary::Add, Self::binary(Binary::Divide, id(), size()), number),
            3 => {
                let all = Self::work_item(WorkItem::GlobalId);
                Self::binary(Binary::Add, Self::binary(Binary::Subtract, all, id()), number)
            }
            4 => {
                let small = Self::binary(Binary::And, number, Self::uint(255));
                let first = Self::binary(Binary::Multiply, small, size());
                Self::binary(Binary::Divide, Self::binary(Binary::Add, first, id()), size())
            }
            5 => {
                let node = Node::Compare(Compare::Less, Box::new(id()), Box::new(size()));
                let condition = Box::new(Expression::new(INT, node));
                let other = Box::new(self.number_of(Scalar::Uint, 0));
                Expression::new(UINT, Node::Conditional(condition, Box::new(number), other))
            }
            6 => {
                let own = self.number_of(Scalar::Uint, 0);
                let sum = Self::binary(Binary::Add, number, own.clone());
                Self::binary(Binary::Subtract, sum, own)
            }
            _ => {
                let few = Self::binary(Binary::And, id(), Self::uint(3));
                let none = Self::binary(Binary::ShiftRight, few, Self::uint(2));
                Self::binary(Binary::Or, number, none)
            }
        }
    }

    /// Adds a step in which the work-items of a group diverge and meet again.
    fn item_step(
        &mut self,
        parameters: &[VariableId],
        nesting: u32,
        into: &mut Vec<Step>,
    ) -> Option<()> {
        match self.choices.below(if nesting > 0 { 9 } else { 6 }) {
            0 | 1 => {
                let condition = self.idle_condition();
                let then = self.item_block(nesting);
                let otherwise =
                    if self.choices.below(3) == 2 { self.item_block(nesting) } else { Vec::new() };
                into.push(Step::If(condition, then, otherwise));
            }
            2 | 3 if self.has(Feature::Loops) => {
                let known = self.uneven_loop(nesting);
                into.push(Step::Loop(known));
            }
            4 if self.has(Feature::Jumps) => {
                let value = self.own_small();
                let count = 2 + self.choices.below(2);
                let cases = (0..count).map(|_| self.item_block(nesting)).collect();
                into.push(Step::Switch(value, cases));
            }
            5 if self.has(Feature::Jumps) => {
                let condition = self.idle_condition();
                let body = self.item_block(nesting);
                into.push(Step::Skip(condition, body));
            }
            6..=8 if self.has(Feature::Loops) => {
                let known = self.loop_of_unlike_lengths(parameters, nesting);
                into.push(Step::Loop(known));
            }
            _ => return None,
        }
        Some(())
    }

    /// Returns a block of steps without a barrier.
    fn item_block(&mut self, nesting: u32) -> Vec<Step> {
        let (known, equal) = (self.roots.len(), self.flow.equal.len());
        if nesting > 0 && self.choices.below(3) == 2 {
            self.depth += 1;
            let mut block = Vec::new();
            let made = self.item_step(&[], 0, &mut block);
            self.depth -= 1;
            self.roots.truncate(known);
            self.flow.equal.truncate(equal);
            if made.is_some() {
                return block;
            }
        }
        self.block(1).into_iter().map(Step::Each).collect()
    }

    /// Returns a loop without a barrier, in which some work-items take more iterations than others.
    fn uneven_loop(&mut self, nesting: u32) -> Loop {
        let form = self.loop_form();
        let bound = self.own_small();
        let counter = self.variable(UINT, AddressSpace::Private, None);
        self.counters.push((counter, 4));
        let mut body = self.item_block(nesting);
        if self.has(Feature::Jumps) && self.choices.below(3) == 2 {
            let leave = self.choices.pick(&[Leave::Break, Leave::Continue]);
            let leave = Step::Leave(self.idle_condition(), leave);
            body.insert(0, leave);
        }
        self.counters.pop();
        Loop { form, counter, bound, body }
    }

    /// Returns a loop in which some work-items take more iterations than others; while all are in it they meet at
    /// barriers.
    fn loop_of_unlike_lengths(&mut self, parameters: &[VariableId], nesting: u32) -> Loop {
        let form = self.choices.pick(&[LoopForm::For, LoopForm::Do]);
        let together = 1 + self.choices.below(3);
        let further = self.own_small();
        let bound = Self::binary(Binary::Add, Self::uint(together), further);
        let counter = self.variable(UINT, AddressSpace::Private, None);
        self.counters.push((counter, together + 3));
        let outside = std::mem::take(&mut self.flow.leaves);
        let equal = self.flow.equal.len();
        let number = read(place_of(counter, UINT));
        let are_all = Self::compare(Compare::Less, number.clone(), together);
        self.flow.equal.push(number);
        let meet = if self.has(Feature::GroupFlow) {
            self.group_block(parameters, nesting - 1)
        } else {
            self.meeting()
        };
        self.flow.equal.truncate(equal);
        self.flow.leaves = outside;
        let otherwise = if self.choices.below(2) == 1 { self.item_block(0) } else { Vec::new() };
        let mut body = vec![Step::If(are_all, meet, otherwise)];
        if self.choices.below(2) == 1 {
            body.extend(self.item_block(0));
        }
        self.counters.pop();
        Loop { form, counter, bound, body }
    }

    /// Returns steps with a barrier.
    fn meeting(&mut self) -> Vec<Step> {
        let known = self.roots.len();
        self.depth += 1;
        let made = self.exchange().unwrap_or_else(|| vec![Step::Barrier(Fence::Both)]);
        let mut block = Vec::new();
        self.add_made(made, &mut block);
        self.plain_steps(&mut block);
        self.depth -= 1;
        self.roots.truncate(known);
        block
    }

    /// Returns a condition that holds for some work-items of a group.
    fn idle_condition(&mut self) -> Expression {
        let id = || Self::work_item(WorkItem::LocalId);
        match self.choices.below(6) {
            0 | 1 => {
                let first = self.choices.below(self.program.group);
                Self::compare(Compare::Less, id(), first)
            }
            2 => {
                let one = self.choices.below(self.program.group);
                Self::compare(Compare::Equal, id(), one)
            }
            3 => {
                let odd = Self::binary(Binary::And, id(), Self::uint(1));
                Self::compare(Compare::Unequal, odd, 0)
            }
            4 => {
                let last = self.choices.below(self.program.items);
                let all = Self::work_item(WorkItem::GlobalId);
                let last = Box::new(Self::uint(last));
                Expression::new(INT, Node::Compare(Compare::LessOrEqual, last, Box::new(all)))
            }
            _ => self.condition(1),
        }
    }

    /// Returns a number below four that differs from work-item to work-item.
    fn own_small(&mut self) -> Expression {
        let number = match self.choices.below(3) {
            0 => Self::work_item(WorkItem::LocalId),
            1 => Self::work_item(WorkItem::GlobalId),
            _ => self.number_of(Scalar::Uint, 1),
        };
        Self::binary(Binary::And, number, Self::uint(3))
    }

    pub(super) fn uint(value: u32) -> Expression {
        Expression::literal(UINT, value.into())
    }

    pub(super) fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
        Expression::new(UINT, Node::Binary(operator, Box::new(left), Box::new(right)))
    }

    fn compare(operator: Compare, left: Expression, right: u32) -> Expression {
        let right = Box::new(Self::uint(right));
        Expression::new(INT, Node::Compare(operator, Box::new(left), right))
    }
}

/// Whether both are the value of one variable.
fn is_same(one: &Expression, other: &Expression) -> bool {
    let variable = |value: &Expression| match &value.node {
        Node::Read(Place { node: PlaceNode::Variable(variable), .. }) => Some(*variable),
        _ => None,
    };
    variable(one).is_some() && variable(one) == variable(other)
}
