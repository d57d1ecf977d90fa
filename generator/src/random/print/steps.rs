//! Steps of kernels and of helpers.

use super::{
    Piece::{Name, Number, Text, Value, Values},
    Printer, collective_name,
};
use crate::random::tree::{Collective, Fence, Leave, Loop, LoopForm, Step};

impl Printer<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
    }

    /// Writes steps one indentation deeper.
    pub(super) fn nested_steps(&mut self, steps: &[Step]) {
        self.indent += 1;
        self.steps(steps);
        self.indent -= 1;
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Each(statement) => self.statement(statement),
            Step::Local(variable) => self.declaration(*variable),
            Step::Static(variable) => self.static_variable(*variable),
            Step::Barrier(fence) => {
                let flags = match fence {
                    Fence::Local => "CLK_LOCAL_MEM_FENCE",
                    Fence::Global => "CLK_GLOBAL_MEM_FENCE",
                    Fence::Both => "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
                };
                self.line(&format!("barrier({flags});"));
            }
            Step::Repeat(counter, times, steps) => {
                self.loop_head(*counter, *times);
                self.nested_steps(steps);
                self.line("}");
            }
            Step::Copy { to, from, count } => {
                let (to, from) = (self.value(to), self.value(from));
                self.line("{");
                self.indent += 1;
                self.line(&format!("event_t e = async_work_group_copy({to}, {from}, {count}, 0);"));
                self.line("wait_group_events(1, &e);");
                self.indent -= 1;
                self.line("}");
            }
            Step::If(condition, then, otherwise) => {
                self.line_of(&[Text("if ("), Value(condition), Text(") {")]);
                self.nested_steps(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.nested_steps(otherwise);
                }
                self.line("}");
            }
            Step::Switch(value, cases) => {
                self.switch(value, cases, Self::nested_steps);
                self.line("}");
            }
            Step::Skip(condition, body) => {
                self.labels += 1;
                let label = self.labels;
                self.line_of(&[
                    Text("if ("),
                    Value(condition),
                    Text(") goto l"),
                    Number(label),
                    Text(";"),
                ]);
                self.line("{");
                self.nested_steps(body);
                self.line("}");
                self.line_of(&[Text("l"), Number(label), Text(": ;")]);
            }
            Step::Loop(known) => self.loop_of_steps(known),
            Step::Leave(condition, leave) => {
                let word = match leave {
                    Leave::Break => ") break;",
                    Leave::Continue => ") continue;",
                };
                self.line_of(&[Text("if ("), Value(condition), Text(word)]);
            }
            Step::Return(condition, value) => match value {
                None => self.line_of(&[Text("if ("), Value(condition), Text(") return;")]),
                Some(value) => self.line_of(&[
                    Text("if ("),
                    Value(condition),
                    Text(") return "),
                    Value(value),
                    Text(";"),
                ]),
            },
            Step::Call(variable, call) => {
                let mut out = self.begin_line();
                self.put_variable_in_function(&mut out, *variable);
                out.push_str(" = ");
                self.put_helper_name(&mut out, call.helper);
                self.put(&mut out, &[Text("("), Values(&call.arguments), Text(");")]);
                self.end_line(out);
            }
            Step::Collective(variable, function, value) => {
                let mut out = self.begin_line();
                self.put_variable_in_function(&mut out, *variable);
                let name = collective_name(*function);
                self.put(&mut out, &[Text(" = "), Text(name), Text("("), Value(value)]);
                match function {
                    // What is returned where it is so is not said, beside that it is not zero.
                    Collective::Any | Collective::All => out.push_str(") != 0;"),
                    Collective::Broadcast(id) => {
                        let mut rest = u64::from(*id);
                        for axis in &self.program.axes {
                            let group = u64::from(axis.group);
                            self.put(&mut out, &[Text(", "), Number(rest % group)]);
                            rest /= group;
                        }
                        out.push_str(");");
                    }
                    _ => out.push_str(");"),
                }
                self.end_line(out);
            }
        }
    }

    fn loop_of_steps(&mut self, Loop { form, counter, bound, body }: &Loop) {
        let (name, bound) = (Name(*counter), Value(bound));
        match form {
            LoopForm::For => {
                self.line_of(&[
                    Text("for (uint "),
                    name,
                    Text(" = 0; "),
                    name,
                    Text(" < "),
                    bound,
                    Text("; "),
                    name,
                    Text("++) {"),
                ]);
                self.nested_steps(body);
                self.line("}");
            }
            LoopForm::While => {
                self.line("{");
                self.indent += 1;
                self.line_of(&[Text("uint "), name, Text(" = "), bound, Text(";")]);
                self.line_of(&[Text("while ("), name, Text("-- > 0) {")]);
                self.nested_steps(body);
                self.line("}");
                self.indent -= 1;
                self.line("}");
            }
            LoopForm::Do => {
                self.line("{");
                self.indent += 1;
                self.line_of(&[Text("uint "), name, Text(" = 0;")]);
                self.line("do {");
                self.nested_steps(body);
                self.line_of(&[Text("} while (++"), name, Text(" < "), bound, Text(");")]);
                self.indent -= 1;
                self.line("}");
            }
        }
    }
}
