//! Texts of edits, with places for what varies. Both texts of an edit get the same.
//!
//! | place | is replaced by |
//! |---|---|
//! | `%n` `%m` | names of local variables |
//! | `%N` `%M` | names of file scope |
//! | `%T` | a type of values; `%P` one without pointers in it |
//! | `%V` | a type of numbers or vectors |
//! | `%k` | a constant initializer of type `%T` |
//! | `%i` | a value of type int |
//! | `%S` | a space that can be written as a qualifier, `%s` the same spelled otherwise, `%X` another one |
//! | `%W` | one whose objects can be written |
//! | `%Z` | global, local or constant; `%Y` global or constant |
//! | `%R` | a reserved name |
//! | `%L` | the flags of a sampler |

use expectations::{dialect::Version, space::AddressSpace};

use super::Builder;
use crate::random::{
    print::{PREFIX, Printer},
    requirement_of_atomics,
    tree::Side,
    types::{FLOAT, INT, LONG, Scalar, Ty, UINT},
    visit::of_value,
};

/// The replacements made so far.
#[derive(Default)]
struct Replacements {
    local_names: [Option<String>; 2],
    file_names: [Option<String>; 2],
    ty: Option<Ty>,
    plain: Option<Ty>,
    number: Option<Ty>,
    constant: Option<String>,
    value: Option<String>,
    first: Option<AddressSpace>,
    second: Option<AddressSpace>,
    written: Option<AddressSpace>,
    of_three: Option<AddressSpace>,
    of_two: Option<AddressSpace>,
    reserved: Option<&'static str>,
}

impl Builder<'_> {
    /// Returns both texts of an edit with their variables replaced.
    pub(super) fn substitute(&mut self, control: &str, edited: &str) -> (String, String) {
        let mut chosen = Replacements::default();
        let control = self.put_in(control, &mut chosen);
        let text = self.put_in(edited, &mut chosen);
        self.shape = shape(edited, &chosen);
        (control, text)
    }

    fn put_in(&mut self, text: &str, chosen: &mut Replacements) -> String {
        let mut parts = text.split('%');
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let mut characters = part.chars();
            let place = characters.next().unwrap_or_default();
            let replacement = self.replacement(place, chosen);
            out.push_str(&replacement);
            out.push_str(characters.as_str());
        }
        out
    }

    fn replacement(&mut self, place: char, chosen: &mut Replacements) -> String {
        use AddressSpace::{Constant, Global, Local, Private};
        match place {
            'n' | 'm' => {
                let slot = &mut chosen.local_names[usize::from(place == 'm')];
                slot.get_or_insert_with(|| format!("v{}", self.new_number())).clone()
            }
            'N' | 'M' => {
                let slot = &mut chosen.file_names[usize::from(place == 'M')];
                slot.get_or_insert_with(|| format!("{PREFIX}x{}", self.new_number())).clone()
            }
            'T' => {
                let ty = *chosen.ty.get_or_insert_with(|| self.element_type());
                self.printer().type_name(ty)
            }
            'P' => {
                let ty = *chosen.plain.get_or_insert_with(|| self.element_without_pointers());
                self.printer().type_name(ty)
            }
            'V' => {
                let ty = *chosen
                    .number
                    .get_or_insert_with(|| self.choices.pick(&[INT, FLOAT, UINT, LONG]));
                self.printer().type_name(ty)
            }
            'k' => {
                let ty = *chosen.ty.get_or_insert_with(|| self.element_type());
                let initializer = chosen.constant.get_or_insert_with(|| {
                    let initializer = self.constants(ty);
                    self.printer().initializer(&initializer)
                });
                initializer.clone()
            }
            'i' => {
                let value = chosen.value.get_or_insert_with(|| {
                    let mut value = self.number_of(Scalar::Int, 1);
                    // Nobody finds it in the text.
                    self.requirements.extend(requirement_of_atomics(self.dialect, |visitor| {
                        of_value(&mut value, visitor);
                    }));
                    self.printer().value(&value)
                });
                value.clone()
            }
            'S' => {
                let space = *chosen
                    .first
                    .get_or_insert_with(|| self.choices.pick(&[Global, Local, Constant, Private]));
                self.spelled_space(space)
            }
            's' => {
                let space = *chosen
                    .first
                    .get_or_insert_with(|| self.choices.pick(&[Global, Local, Constant, Private]));
                let facts = space.facts();
                let is_underscored = self.program.spelling.underscored & 1 << space as u8 != 0;
                (if is_underscored { facts.name } else { facts.underscored }).to_owned()
            }
            'X' => {
                let first = chosen.first.unwrap_or(Global);
                let space = *chosen.second.get_or_insert_with(|| {
                    let others: Vec<AddressSpace> = [Local, Global, Constant, Private]
                        .into_iter()
                        .filter(|&space| space != first)
                        .collect();
                    self.choices.pick(&others)
                });
                self.spelled_space(space)
            }
            'W' => {
                let space = *chosen
                    .written
                    .get_or_insert_with(|| self.choices.pick(&[Global, Local, Private]));
                self.spelled_space(space)
            }
            'Z' => {
                let space = *chosen
                    .of_three
                    .get_or_insert_with(|| self.choices.pick(&[Global, Local, Constant]));
                self.spelled_space(space)
            }
            'Y' => {
                let space =
                    *chosen.of_two.get_or_insert_with(|| self.choices.pick(&[Global, Constant]));
                self.spelled_space(space)
            }
            'R' => (*chosen.reserved.get_or_insert_with(|| self.reserved_name())).to_owned(),
            'L' => {
                "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST".to_owned()
            }
            other => unreachable!("a text of an edit has `%{other}`"),
        }
    }

    fn printer(&self) -> Printer<'_> {
        Printer::new(&self.program, self.dialect, Side::Control, PREFIX)
    }

    /// Returns a number that no other variable has in its name.
    fn new_number(&mut self) -> u16 {
        self.variable(INT, AddressSpace::Private, None).0
    }

    /// Returns a space as this program spells it.
    pub(super) fn spelled_space(&mut self, space: AddressSpace) -> String {
        if self.program.spelling.underscored & 1 << space as u8 == 0 {
            space.facts().name.to_owned()
        } else {
            space.facts().underscored.to_owned()
        }
    }

    fn reserved_name(&mut self) -> &'static str {
        let facts = AddressSpace::ALL.map(AddressSpace::facts);
        // The documents of 1.x do not reserve `generic`.
        let known =
            facts.iter().filter(|facts| facts.spelled || self.dialect.version >= Version::V2_0);
        let names: Vec<&str> = known.flat_map(|facts| [facts.name, facts.underscored]).collect();
        self.choices.pick(&names)
    }
}

/// Returns the edited text with its spaces, and words for the rest.
fn shape(edited: &str, chosen: &Replacements) -> String {
    let name = |space: Option<AddressSpace>| space.map_or("", |space| space.facts().name);
    let mut parts = edited.split('%');
    let mut shape = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut characters = part.chars();
        shape.push_str(match characters.next().unwrap_or_default() {
            'n' | 'm' | 'N' | 'M' => "x",
            'T' | 'P' | 'V' => "T",
            'k' | 'i' => "...",
            'S' | 's' => name(chosen.first),
            'X' => name(chosen.second),
            'W' => name(chosen.written),
            'Z' => name(chosen.of_three),
            'Y' => name(chosen.of_two),
            'R' => chosen.reserved.unwrap_or_default(),
            _ => "flags",
        });
        shape.push_str(characters.as_str());
    }
    shape.replace('@', "").replace('\n', " ")
}
