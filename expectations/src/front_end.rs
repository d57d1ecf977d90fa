//! Front ends of devices: votes are counted by front end, so a name must be one that others use, or be declared as new.

use std::collections::BTreeSet;

use serde::Deserialize;
use toml::Spanned;

use crate::{
    baseline::Deviation,
    implementation::Identity,
    load::{FileError, place},
    predicate::nearest,
};

/// The keys of a device file that name what is inside.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct FrontEndKeys {
    front_end: Option<Spanned<String>>,
    own_front_end: Option<Spanned<String>>,
}

/// Whether a device file declares a front end of its own.
pub fn is_own(text: &str) -> bool {
    toml::from_str::<FrontEndKeys>(text).is_ok_and(|named| named.own_front_end.is_some())
}

/// Checks that the front end which a device file names is known: another device has it (`others`), or a deviation in a
/// front end's file speaks of it. `file` is the path and the text of the device file.
pub fn check(file: (&str, &str), others: &[&str], shared: &[Deviation]) -> Result<(), FileError> {
    let (path, text) = file;
    let Some(name) = toml::from_str::<FrontEndKeys>(text).ok().and_then(|named| named.front_end)
    else {
        return Ok(());
    };
    let named = shared.iter().flat_map(|deviation| &deviation.implementations);
    let mut known: BTreeSet<String> = named.map(ToString::to_string).collect();
    for text in others {
        let Ok(FrontEndKeys { front_end, own_front_end }) = toml::from_str(text) else { continue };
        known.extend(front_end.into_iter().chain(own_front_end).map(Spanned::into_inner));
    }
    let given = name.get_ref();
    let speaks_of_it = |deviation: &Deviation| {
        let identity = Identity {
            device: "",
            family: "",
            driver: None,
            front_end: given,
            version_pattern: None,
        };
        deviation.implementations.iter().any(|implementation| implementation.is(&identity))
    };
    if known.contains(given) || shared.iter().any(speaks_of_it) {
        return Ok(());
    }
    let hint = nearest(given, known.iter().map(String::as_str))
        .map(|near| format!(" (did you mean `{near}`?)"))
        .unwrap_or_default();
    let message = format!(
        "no other device has the front end `{given}`{hint}; a new one is declared by `own-front-end = \"{given}\"`"
    );
    Err(place(path, text, name.span().start, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_or_declared() {
        let others = ["own-front-end = \"clang 19\""];
        let check =
            |text: &str| check(("d.toml", text), &others, &[]).map_err(|error| error.to_string());
        assert_eq!(check("front-end = \"clang 19\""), Ok(()));
        assert_eq!(check("own-front-end = \"ours 1\""), Ok(()));
        assert_eq!(
            check("what = \"x\"\nfront-end = \"clagn 19\"").unwrap_err(),
            "d.toml:2:13: no other device has the front end `clagn 19` (did you mean `clang 19`?); \
             a new one is declared by `own-front-end = \"clagn 19\"`"
        );
    }
}
