//! Findings: outcomes are judged and compared with the baseline, and similar deviations of random programs are grouped.

pub mod baseline;
pub mod bless;
pub mod causes;
pub mod clusters;
pub mod judged_run;
pub mod judging;
pub mod programs;
pub mod spread;
