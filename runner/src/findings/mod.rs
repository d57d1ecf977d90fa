//! What outcomes mean: judged, held against what is known of the device, and random ones that look alike taken together.

pub mod baseline;
pub mod bless;
pub mod clusters;
pub mod device_run;
pub mod judging;
