//! Recursion, which `[restrictions]` does not support: functions that call themselves, also through others.
//!
//! C declares functions before they are called. A cycle of calls thus holds a call of a function whose body is open or
//! still to come, and most programs have no such call.

use crate::{
    rule::Rule,
    sema::{
        analyser::Analyser,
        report::Finding,
        scopes::{FunctionBody, FunctionId},
    },
    span::Span,
};

/// A call of one function by another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    from: FunctionId,
    to: FunctionId,
    span: Span,
    /// Whether the body of the called function had not ended.
    is_ahead: bool,
}

impl Analyser<'_> {
    /// Notes a call of a function by its name. The body of a block literal is executed when the block is enqueued, so
    /// its calls are none of the function around it.
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

/// The functions of a program, grouped: two functions are in one group where each leads to a call of the other.
struct CallGraph {
    /// The group of each function.
    cycles: Vec<usize>,
    /// Number of functions in each group.
    sizes: Vec<usize>,
}

impl CallGraph {
    /// Groups functions by Tarjan's algorithm, without recursion.
    fn new(calls: &[Call], count: usize) -> Self {
        const UNSEEN: usize = usize::MAX;
        let mut called: Vec<Vec<usize>> = vec![Vec::new(); count];
        for call in calls {
            called[call.from.0 as usize].push(call.to.0 as usize);
        }
        let mut graph = Self { cycles: vec![UNSEEN; count], sizes: Vec::new() };
        let (mut index, mut low) = (vec![UNSEEN; count], vec![UNSEEN; count]);
        let mut open: Vec<usize> = Vec::new();
        let mut next = 0;
        for root in 0..count {
            if index[root] != UNSEEN {
                continue;
            }
            let mut path = vec![(root, 0)];
            while let Some(&mut (function, ref mut position)) = path.last_mut() {
                if *position == 0 && index[function] == UNSEEN {
                    (index[function], low[function]) = (next, next);
                    next += 1;
                    open.push(function);
                }
                if let Some(&inner) = called[function].get(*position) {
                    *position += 1;
                    if index[inner] == UNSEEN {
                        path.push((inner, 0));
                    } else if graph.cycles[inner] == UNSEEN {
                        low[function] = low[function].min(index[inner]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(outer, _)) = path.last() {
                    low[outer] = low[outer].min(low[function]);
                }
                if low[function] == index[function] {
                    graph.close(function, &mut open);
                }
            }
        }
        graph
    }

    /// Makes a group of the functions opened since `first`.
    fn close(&mut self, first: usize, open: &mut Vec<usize>) {
        let group = self.sizes.len();
        let mut size = 0;
        while let Some(function) = open.pop() {
            self.cycles[function] = group;
            size += 1;
            if function == first {
                break;
            }
        }
        self.sizes.push(size);
    }
}
