//! Steps of a group, taken by those of its work-items that come to them.

use super::Flow;
use super::{Device, Evaluator, UndefinedBehaviour, expressions::Value};
use crate::random::{
    memory::{Owner, WorkItem},
    tree::{Call, Collective, Expression, Leave, Loop, LoopForm, Statement, Step, VariableId},
    types::Scalar,
};

/// The work-items of a group that take the same steps, by their turns.
pub(super) struct Party {
    group: u32,
    /// Work-items that take the next step.
    on: Vec<u32>,
    /// Work-items that have left the loop.
    left: Vec<u32>,
    /// Work-items that have gone to the end of the iteration.
    skipped: Vec<u32>,
    /// Work-items that have returned, with the result of a helper.
    returned: Vec<(u32, Option<Value>)>,
}

impl Party {
    fn of(group: u32, on: Vec<u32>) -> Self {
        Self { group, on, left: Vec::new(), skipped: Vec::new(), returned: Vec::new() }
    }

    /// Fails if `break` or `continue` stood outside a loop.
    fn has_left_every_loop(&self) -> Result<(), UndefinedBehaviour> {
        let is_so = self.left.is_empty() && self.skipped.is_empty();
        if is_so { Ok(()) } else { Err(UndefinedBehaviour::NotKnown) }
    }

    /// Adds the work-items of a part of this party.
    fn join(&mut self, part: Self) {
        self.on.extend(part.on);
        self.on.sort_unstable();
        self.left.extend(part.left);
        self.skipped.extend(part.skipped);
        self.returned.extend(part.returned);
    }
}

/// Returns the variables that steps declare in their own block.
fn declared(steps: &[Step]) -> impl Iterator<Item = VariableId> {
    steps.iter().filter_map(|step| match step {
        Step::Each(
            Statement::Declare(variable)
            | Statement::DeclareCall(variable, _)
            | Statement::DeclareAtomic(variable, _),
        )
        | Step::Call(variable, _)
        | Step::Collective(variable, ..) => Some(*variable),
        _ => None,
    })
}

impl<D: Device> Evaluator<'_, D> {
    /// Takes the steps of a kernel with a whole group.
    pub(super) fn steps_of_group(
        &mut self,
        steps: &[Step],
        group: u32,
    ) -> Result<(), UndefinedBehaviour> {
        let everyone = (0..self.program.group).collect();
        let mut party = Party::of(group, everyone);
        self.steps(steps, &mut party)?;
        party.has_left_every_loop()
    }

    fn set_turn(&mut self, party: &Party, turn: u32) {
        let group = party.group;
        let item = group * self.program.group + self.turns[turn as usize];
        self.by = WorkItem { item, group };
    }

    fn each(
        &mut self,
        party: &Party,
        mut what: impl FnMut(&mut Self) -> Result<(), UndefinedBehaviour>,
    ) -> Result<(), UndefinedBehaviour> {
        for &turn in &party.on {
            self.set_turn(party, turn);
            what(self)?;
        }
        Ok(())
    }

    /// Fails if a step that all work-items of the group must come to is not taken by all
    /// ([table-builtin-synchronization], [work-group-functions], [async-copies]).
    fn require_all(&self, party: &Party) -> Result<(), UndefinedBehaviour> {
        if party.on.len() == self.turns.len() { Ok(()) } else { Err(UndefinedBehaviour::Divergent) }
    }

    fn steps(&mut self, steps: &[Step], party: &mut Party) -> Result<(), UndefinedBehaviour> {
        for step in steps {
            if party.on.is_empty() {
                break;
            }
            self.step(step, party)?;
        }
        Ok(())
    }

    /// Takes the steps of a block with some of a party, and ends the variables that it declares.
    fn block_of_steps(
        &mut self,
        steps: &[Step],
        on: Vec<u32>,
        party: &mut Party,
    ) -> Result<(), UndefinedBehaviour> {
        let everyone = on.clone();
        let mut part = Party::of(party.group, on);
        self.steps(steps, &mut part)?;
        for turn in everyone {
            self.set_turn(party, turn);
            declared(steps).for_each(|variable| self.end(variable));
        }
        party.join(part);
        Ok(())
    }

    /// Takes out of a party those for which a value is as `is_wanted` says.
    fn take(
        &mut self,
        party: &mut Party,
        value: &Expression,
        mut is_wanted: impl FnMut(i128) -> bool,
    ) -> Result<Vec<u32>, UndefinedBehaviour> {
        let (mut taken, mut rest) = (Vec::new(), Vec::new());
        for &turn in &party.on {
            self.set_turn(party, turn);
            let number = self.number(value)?;
            if is_wanted(number) { &mut taken } else { &mut rest }.push(turn);
        }
        party.on = rest;
        Ok(taken)
    }

    fn step(&mut self, step: &Step, party: &mut Party) -> Result<(), UndefinedBehaviour> {
        match step {
            Step::Each(statement) => {
                self.each(party, |this| this.statement(statement).map(|_| ()))?;
            }
            Step::Local(variable) => {
                let known = &self.program.variables[usize::from(variable.0)];
                let leaves = self.program.types.leaves(known.ty);
                let object = self.allocate(known.space, Owner::Group(party.group), leaves);
                for item in 0..self.program.group {
                    let item = party.group * self.program.group + item;
                    self.set_object(*variable, item, object);
                }
            }
            Step::Static(variable) => {
                if self.objects[self.slot(*variable, 0)].is_none() {
                    self.static_variable(*variable)?;
                }
            }
            Step::Barrier(fence) => {
                self.require_all(party)?;
                self.memory.barrier(party.group, *fence);
            }
            Step::Repeat(counter, times, steps) => {
                let mut out = Party::of(party.group, Vec::new());
                for time in 0..*times {
                    self.each(party, |this| this.declare(*counter, &Value::Number(time.into())))?;
                    self.iteration(steps, party, &mut out)?;
                }
                party.join(out);
            }
            Step::Copy { to, from, count } => {
                self.require_all(party)?;
                self.copy(to, from, *count, party)?;
            }
            Step::If(condition, then, otherwise) => {
                let yes = self.take(party, condition, |number| number != 0)?;
                let no = std::mem::take(&mut party.on);
                self.block_of_steps(then, yes, party)?;
                self.block_of_steps(otherwise, no, party)?;
            }
            Step::Skip(condition, body) => {
                let body_of = self.take(party, condition, |number| number == 0)?;
                self.block_of_steps(body, body_of, party)?;
            }
            Step::Switch(value, cases) => {
                let mut of_cases = vec![Vec::new(); cases.len()];
                for turn in std::mem::take(&mut party.on) {
                    self.set_turn(party, turn);
                    let last = cases.len() - 1;
                    let taken = usize::try_from(self.number(value)?);
                    of_cases[taken.map_or(last, |taken| taken.min(last))].push(turn);
                }
                for (case, these) in cases.iter().zip(of_cases) {
                    self.block_of_steps(case, these, party)?;
                }
            }
            Step::Loop(known) => self.loop_of_steps(known, party)?,
            Step::Leave(condition, leave) => {
                let leaving = self.take(party, condition, |number| number != 0)?;
                match leave {
                    Leave::Break => party.left.extend(leaving),
                    Leave::Continue => party.skipped.extend(leaving),
                }
            }
            Step::Return(condition, value) => {
                for turn in self.take(party, condition, |number| number != 0)? {
                    self.set_turn(party, turn);
                    let value = value.as_ref().map(|value| self.value(value)).transpose()?;
                    party.returned.push((turn, value));
                }
            }
            Step::Call(variable, call) => self.call_with_steps(*variable, call, party)?,
            Step::Collective(variable, function, value) => {
                self.require_all(party)?;
                self.collective(*variable, *function, value, party)?;
            }
        }
        Ok(())
    }

    fn copy(
        &mut self,
        to: &Expression,
        from: &Expression,
        count: u32,
        party: &Party,
    ) -> Result<(), UndefinedBehaviour> {
        let mut ends = None;
        self.each(party, |this| {
            let now = (this.pointer(to)?, this.pointer(from)?);
            match ends.replace(now) {
                Some(before) if before != now => Err(UndefinedBehaviour::Operands),
                _ => Ok(()),
            }
        })?;
        let Some((to_place, from_place)) = ends else { return Ok(()) };
        let element = self.program.types.as_pointer(to.ty).map(|known| known.to);
        let size = self.program.types.leaves(element.ok_or(UndefinedBehaviour::Operands)?);
        for leaf in 0..i128::from(count * size) {
            let value = self.read_leaf(from_place.offset(leaf)?)?;
            self.write_leaf(to_place.offset(leaf)?, value)?;
        }
        Ok(())
    }

    /// Executes the body of a loop once; those that leave the loop are in `out` afterwards.
    fn iteration(
        &mut self,
        body: &[Step],
        party: &mut Party,
        out: &mut Party,
    ) -> Result<(), UndefinedBehaviour> {
        let mut part = Party::of(party.group, Vec::new());
        let on = std::mem::take(&mut party.on);
        self.block_of_steps(body, on, &mut part)?;
        out.on.append(&mut part.left);
        part.on.append(&mut part.skipped);
        party.join(part);
        Ok(())
    }

    fn loop_of_steps(
        &mut self,
        Loop { form, counter, bound, body }: &Loop,
        party: &mut Party,
    ) -> Result<(), UndefinedBehaviour> {
        let everyone = party.on.clone();
        let mut out = Party::of(party.group, Vec::new());
        // The bound of `while` is computed once.
        let mut bounds = vec![0; self.turns.len()];
        if *form == LoopForm::While {
            for &turn in &party.on {
                self.set_turn(party, turn);
                bounds[turn as usize] = self.number(bound)?;
            }
        }
        for time in 0_i128.. {
            self.tick()?;
            match form {
                LoopForm::While => {
                    let is_over = |turn: &u32| bounds[*turn as usize] <= time;
                    out.on.extend(party.on.extract_if(.., |turn| is_over(turn)));
                    for &turn in &party.on {
                        self.set_turn(party, turn);
                        let number = bounds[turn as usize] - 1 - time;
                        self.declare(*counter, &Value::Number(number))?;
                    }
                }
                LoopForm::For | LoopForm::Do => {
                    self.each(party, |this| this.declare(*counter, &Value::Number(time)))?;
                    if *form == LoopForm::For || time > 0 {
                        let over = self.take(party, bound, |bound| bound <= time)?;
                        out.on.extend(over);
                    }
                }
            }
            if party.on.is_empty() {
                break;
            }
            self.iteration(body, party, &mut out)?;
        }
        for turn in everyone {
            self.set_turn(party, turn);
            self.end(*counter);
        }
        party.join(out);
        Ok(())
    }

    fn call_with_steps(
        &mut self,
        variable: VariableId,
        call: &Call,
        party: &mut Party,
    ) -> Result<(), UndefinedBehaviour> {
        let helper = &self.program.helpers[call.helper];
        self.each(party, |this| {
            for (&parameter, argument) in helper.parameters.iter().zip(&call.arguments) {
                let value = this.value(argument)?;
                this.declare(parameter, &value)?;
            }
            Ok(())
        })?;
        let mut inside = Party::of(party.group, party.on.clone());
        self.steps(&helper.steps, &mut inside)?;
        inside.has_left_every_loop()?;
        for turn in std::mem::take(&mut inside.on) {
            self.set_turn(party, turn);
            let Flow::Return(value) = self.block(&helper.body)? else {
                return Err(UndefinedBehaviour::Indeterminate);
            };
            inside.returned.push((turn, Some(value)));
        }
        for (turn, value) in inside.returned {
            self.set_turn(party, turn);
            for &parameter in &helper.parameters {
                self.end(parameter);
            }
            declared(&helper.steps).for_each(|variable| self.end(variable));
            self.declare(variable, &value.ok_or(UndefinedBehaviour::Indeterminate)?)?;
        }
        Ok(())
    }

    fn collective(
        &mut self,
        variable: VariableId,
        function: Collective,
        value: &Expression,
        party: &Party,
    ) -> Result<(), UndefinedBehaviour> {
        let mut of_ids = vec![0; self.turns.len()];
        for &turn in &party.on {
            self.set_turn(party, turn);
            of_ids[self.turns[turn as usize] as usize] = self.number(value)?;
        }
        let sum = |numbers: &[i128]| Scalar::Uint.of_bits(numbers.iter().sum());
        for &turn in &party.on {
            self.set_turn(party, turn);
            let id = self.turns[turn as usize] as usize;
            let result = match function {
                Collective::Any => of_ids.iter().any(|&number| number != 0).into(),
                Collective::All => of_ids.iter().all(|&number| number != 0).into(),
                Collective::Broadcast(id) => {
                    *of_ids.get(id as usize).ok_or(UndefinedBehaviour::Operands)?
                }
                Collective::ReduceAdd => sum(&of_ids),
                Collective::ReduceMinimum => of_ids.iter().copied().min().unwrap_or(0),
                Collective::ReduceMaximum => of_ids.iter().copied().max().unwrap_or(0),
                Collective::ScanInclusiveAdd => sum(&of_ids[..=id]),
                Collective::ScanExclusiveAdd => sum(&of_ids[..id]),
            };
            self.declare(variable, &Value::Number(result))?;
        }
        Ok(())
    }
}
