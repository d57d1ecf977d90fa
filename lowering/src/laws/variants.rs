//! The law about functions whose mangled names have the address spaces of their pointers.

use cpp_demangle::Symbol;

use super::{Comparing, Law};

impl Comparing<'_> {
    /// Compares the parameters of functions with their mangled names.
    pub(super) fn variants(&mut self) {
        let module = self.module;
        for function in &module.functions {
            let Some(spaces) = pointers_in_name(&function.name) else { continue };
            // A method has its object in front, and the slot of a result is a parameter too.
            if spaces.len() != function.parameters.len() {
                continue;
            }
            for (parameter, named) in function.parameters.iter().zip(spaces) {
                let (Some(into), Some(named)) = (parameter.points_into, named) else { continue };
                if parameter.copy_of.is_some() {
                    continue;
                }
                let Some(required) = self.target.number_in_names(named) else { continue };
                if into != required {
                    let message = format!(
                        "its name says that it takes a pointer into {}; its parameter points \
                         into {}",
                        self.target.name_of(required),
                        self.target.name_of(into)
                    );
                    let places = (None, function.place);
                    self.break_law(Law::FunctionVariant, &function.name, places, message);
                }
            }
        }
    }
}

/// Returns the address space of each parameter that a mangled name lists, `None` for one that is no pointer; `None` if
/// the name lists none.
fn pointers_in_name(name: &str) -> Option<Vec<Option<u32>>> {
    // A pointer is `P` and a reference `R`: most names have neither.
    if !name.starts_with("_Z") || !name.contains(['P', 'R']) {
        return None;
    }
    let text = Symbol::new(name).ok()?.demangle().ok()?;
    let list = text.split_once('(')?.1.strip_suffix(')')?;
    // Pointers to functions and blocks, templates and arrays are left to other laws.
    if list.contains(['(', '<', '[']) {
        return None;
    }
    Some(list.split(", ").map(pointed_space).collect())
}

/// Returns the address space that a type points into: `float AS1*`.
fn pointed_space(ty: &str) -> Option<u32> {
    let pointed =
        ty.strip_suffix(['*', '&'])?.trim_end_matches(" const").trim_end_matches(" volatile");
    let word = pointed.rsplit([' ', '*']).next()?;
    match word.strip_prefix("AS") {
        Some(number) => number.parse().ok(),
        None => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_are_read_from_mangled_names() {
        let check = |name, spaces: Option<&[Option<u32>]>| {
            assert_eq!(pointers_in_name(name).as_deref(), spaces, "{name}");
        };
        check("k", None);
        check("_Z5fractfPU3AS1f", Some(&[None, Some(1)]));
        check("_Z6vload4mPU3AS2Kf", Some(&[None, Some(2)]));
        check("_Z10atomic_addPU3AS3Vii", Some(&[Some(3), None]));
        check("_Z5fractfPf", Some(&[None, Some(0)]));
        check("_Z1fPU3AS1PU3AS3i", Some(&[Some(1)]));
        check("_Z1fPU3AS1Pi", Some(&[Some(1)]));
        check("_Z1fPPU3AS1i", Some(&[Some(0)]));
        check("_Z13get_global_idj", None);
    }
}
