//! The functions of a program and their calls of each other.

use crate::{sema::scopes::FunctionId, span::Span};

/// A call of one function by another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) from: FunctionId,
    pub(crate) to: FunctionId,
    pub(crate) span: Span,
    /// Whether the body of the called function had not ended.
    pub(crate) is_ahead: bool,
}

/// The functions of a program, grouped: two functions are in one group if each leads to a call of the other.
pub(crate) struct CallGraph {
    /// The group of each function.
    pub(crate) cycles: Vec<usize>,
    /// Number of functions in each group.
    pub(crate) sizes: Vec<usize>,
}

impl CallGraph {
    /// Groups functions by Tarjan's algorithm, without recursion.
    pub(crate) fn new(calls: &[Call], count: usize) -> Self {
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
