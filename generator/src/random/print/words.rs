//! Names of operators and functions.

use super::super::tree::{Binary, Collective, Compare, NumberFunction};

pub(super) fn equality(is_equal: bool) -> &'static str {
    if is_equal { "==" } else { "!=" }
}

pub(in crate::random) fn operator_text(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Remainder => "%",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
    }
}

pub(in crate::random) fn comparison_text(operator: Compare) -> &'static str {
    match operator {
        Compare::Equal => "==",
        Compare::Unequal => "!=",
        Compare::Less => "<",
        Compare::LessOrEqual => "<=",
    }
}

pub(in crate::random) fn function_name(function: NumberFunction, is_float: bool) -> &'static str {
    match function {
        NumberFunction::Minimum if is_float => "fmin",
        NumberFunction::Maximum if is_float => "fmax",
        NumberFunction::Minimum => "min",
        NumberFunction::Maximum => "max",
        NumberFunction::Clamp => "clamp",
        NumberFunction::Rotate => "rotate",
        NumberFunction::LeadingZeros => "clz",
        NumberFunction::HalvingAdd => "hadd",
        NumberFunction::HighProduct => "mul_hi",
        NumberFunction::SaturatingAdd => "add_sat",
        NumberFunction::SaturatingSubtract => "sub_sat",
    }
}

pub(in crate::random) fn collective_name(function: Collective) -> &'static str {
    match function {
        Collective::Any => "work_group_any",
        Collective::All => "work_group_all",
        Collective::Broadcast(_) => "work_group_broadcast",
        Collective::ReduceAdd => "work_group_reduce_add",
        Collective::ReduceMinimum => "work_group_reduce_min",
        Collective::ReduceMaximum => "work_group_reduce_max",
        Collective::ScanInclusiveAdd => "work_group_scan_inclusive_add",
        Collective::ScanExclusiveAdd => "work_group_scan_exclusive_add",
    }
}
