//! The list given to `--features`.

use crate::{Dialect, Feature};

/// Returns `dialect` with the features of a list such as `none,+pipes` or `all,-__opencl_c_images`. Extensions that
/// change the rules count as features. Adding a feature adds those it needs; removing one removes those that need it.
pub(super) fn apply(dialect: Dialect, list: &str) -> Result<Dialect, String> {
    list.split(',').map(str::trim).filter(|item| !item.is_empty()).try_fold(dialect, apply_one)
}

fn apply_one(dialect: Dialect, item: &str) -> Result<Dialect, String> {
    let (adds, name) = match item.strip_prefix('-') {
        Some(name) => (false, name),
        None => (true, item.strip_prefix('+').unwrap_or(item)),
    };
    match name {
        "all" if item == "all" => return Ok(Dialect::new(dialect.version)),
        "none" if item == "none" => return Ok(dialect.without_features()),
        "cl_khr_fp16" | "fp16" if adds => return Ok(dialect.with_fp16()),
        "cl_khr_fp16" | "fp16" => return Ok(dialect.without_fp16()),
        "cl_khr_byte_addressable_store" => {
            let mut dialect = dialect;
            dialect.byte_store = adds;
            return Ok(dialect);
        }
        _ => {}
    }
    let feature = Feature::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Feature::ALL.iter().map(|feature| feature.name()).collect();
        format!(
            "`{}` is not a feature; there are all, none, cl_khr_fp16, \
             cl_khr_byte_addressable_store, {}",
            name.escape_debug(),
            names.join(", ")
        )
    })?;
    Ok(if adds { dialect.with_needs_of(feature) } else { dialect.without_dependents_of(feature) })
}

#[cfg(test)]
mod tests {
    use crate::Version;

    use super::*;

    #[test]
    fn lists() {
        let all = Dialect::new(Version::V3_0);
        let none = all.without_features();
        assert_eq!(apply(all, ""), Ok(all));
        assert_eq!(apply(all, "none"), Ok(none));
        assert_eq!(apply(all, "none,all").map(|dialect| dialect.has(Feature::Pipes)), Ok(true));
        let pipes = apply(all, "none,+pipes").expect("a feature");
        assert!(pipes.has(Feature::Pipes) && pipes.has(Feature::GenericAddressSpace));
        let poor = apply(all, "-__opencl_c_generic_address_space").expect("a feature");
        assert!(
            !poor.has(Feature::Pipes)
                && !poor.has(Feature::DeviceEnqueue)
                && poor.has(Feature::Images)
        );
        assert_eq!(apply(all, "-fp16,+cl_khr_fp16"), Ok(all));
        assert!(apply(all, "+frob").is_err());
    }
}
