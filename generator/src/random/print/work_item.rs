//! Queries of work-items.

use std::fmt::Write as _;

use expectations::dialect::Version;

use super::Printer;
use crate::random::tree::WorkItem;

impl Printer<'_> {
    /// Appends a query, as `uint`.
    pub(super) fn put_work_item(&self, out: &mut String, what: WorkItem) {
        let dimensions = self.program.axes.len();
        if dimensions == 1 {
            return out.push_str(match what {
                WorkItem::GlobalId => "(uint)get_global_id(0)",
                WorkItem::LocalId => "(uint)get_local_id(0)",
                WorkItem::GroupId => "(uint)get_group_id(0)",
                WorkItem::LocalSize => "(uint)get_local_size(0)",
                WorkItem::Groups => "(uint)get_num_groups(0)",
            });
        }
        match what {
            // Group by group, which no function counts.
            WorkItem::GlobalId => {
                out.push('(');
                self.put_work_item(out, WorkItem::GroupId);
                out.push_str(" * ");
                self.put_work_item(out, WorkItem::LocalSize);
                out.push_str(" + ");
                self.put_work_item(out, WorkItem::LocalId);
                out.push(')');
            }
            WorkItem::LocalId if self.dialect.version >= Version::V2_0 => {
                out.push_str("(uint)get_local_linear_id()");
            }
            WorkItem::LocalId => put_counted(out, "get_local_id", "get_local_size", dimensions),
            WorkItem::GroupId => put_counted(out, "get_group_id", "get_num_groups", dimensions),
            WorkItem::LocalSize => put_product(out, "get_local_size", dimensions),
            WorkItem::Groups => put_product(out, "get_num_groups", dimensions),
        }
    }
}

/// Appends a number that counts along the first dimension at first.
fn put_counted(out: &mut String, number: &str, count: &str, dimensions: usize) {
    let last = dimensions - 1;
    out.push_str("(uint)");
    out.push_str(&"(".repeat(last));
    let _ = write!(out, "{number}({last})");
    for dimension in (0..last).rev() {
        let _ = write!(out, " * {count}({dimension}) + {number}({dimension}))");
    }
}

fn put_product(out: &mut String, count: &str, dimensions: usize) {
    let factors: Vec<String> =
        (0..dimensions).map(|dimension| format!("{count}({dimension})")).collect();
    let _ = write!(out, "(uint)({})", factors.join(" * "));
}
