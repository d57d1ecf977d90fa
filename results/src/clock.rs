//! Moments as results files write them: UTC, to the second; they sort as time does.

use std::time::SystemTime;

use jiff::Timestamp;

/// Returns the current moment.
pub fn now() -> String {
    written(Timestamp::now())
}

/// Returns a moment of a file system.
pub fn of(time: SystemTime) -> String {
    written(Timestamp::try_from(time).unwrap_or_default())
}

/// Returns the current moment for people.
pub fn today() -> String {
    Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string()
}

fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_in_the_order_of_time() {
        assert_eq!(of(SystemTime::UNIX_EPOCH), "1970-01-01T00:00:00Z");
        assert!(of(SystemTime::UNIX_EPOCH) < now());
    }
}
