//! Recursion, which `[restrictions]` does not support: functions that call themselves, also through others.
//!
//! C declares functions before they are called. A cycle of calls thus holds a call of a function whose body is open or
//! still to come, and most programs have no such call.

use crate::{
    rule::Rule,
    sema::{
        analyser::Analyser,
        call_graph::{Call, CallGraph},
        report::Finding,
        scopes::{FunctionBody, FunctionId},
    },
    span::Span,
};

impl Analyser<'_> {
    /// Notes a call of a function by its name. The body of a block literal is executed when the block is enqueued, so
    /// its calls do not count as calls of the function around it.
    pub(super) fn note_call(&mut self, to: FunctionId, span: Span) {
        let Some(from) = self.body.and_then(|body| body.function) else { return };
        let is_ahead = self.function(to).body != FunctionBody::Read;
        self.arena.calls.push(Call { from, to, span, is_ahead });
    }

    /// Reports each cycle of calls, at the first call that closes it.
    pub(super) fn judge_recursion(&mut self) {
        if self.has_skipped || self.arena.calls.iter().all(|call| !call.is_ahead) {
            return;
        }
        let graph = CallGraph::new(&self.arena.calls, self.arena.functions.len());
        let mut reported = vec![false; self.arena.functions.len()];
        for index in 0..self.arena.calls.len() {
            let call = self.arena.calls[index];
            let cycle = graph.cycles[call.from.0 as usize];
            let closes = call.is_ahead
                && cycle == graph.cycles[call.to.0 as usize]
                && (call.from == call.to || graph.sizes[cycle] > 1);
            if !closes || reported[cycle] {
                continue;
            }
            reported[cycle] = true;
            let function = self.function(call.to);
            let message = if call.from == call.to {
                "this function calls itself: recursion is not supported"
            } else {
                "this call leads back to the function that makes it: recursion is not supported"
            };
            self.report(
                Finding::new(Rule::CRecursion, call.span, message)
                    .label(function.span, "the called function"),
            );
        }
    }
}
