//! What outcomes mean: judged, compared with what is known of the device, and random ones that look alike taken together.

pub mod baseline;
pub mod bless;
pub mod causes;
pub mod clusters;
pub mod judged_run;
pub mod judging;
pub mod programs;
pub mod spread;
