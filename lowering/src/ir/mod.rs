//! LLVM IR as text, as far as laws look at it: variables, functions, their parameters and variables, and casts.
//!
//! LLVM prints a definition, or an instruction, to a line, and the reader takes no other form.

mod accesses;
mod constants;
mod cursor;
mod functions;
mod types;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    error::ReadError,
    layout::{Layouts, Type},
    module::{Function, Global, Module},
};
use cursor::{Cursor, Token};

/// Reads a module.
pub fn read(text: &[u8]) -> Result<Module, ReadError> {
    let mut reader = Reader::default();
    let mut lines = Vec::new();
    for (line, number) in text.split(|&byte| byte == b'\n').zip(1..) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let cursor = Cursor::new(line, number)?;
        if line.starts_with(b"%") {
            reader.named_type(cursor)?;
        } else if line.starts_with(b"target ") {
            reader.target(cursor)?;
        } else if !line.is_empty() {
            lines.push(cursor);
        }
    }
    let mut lines = lines.into_iter();
    while let Some(mut cursor) = lines.next() {
        match cursor.first_byte() {
            b'@' => {
                let global = reader.global(&mut cursor)?;
                reader.globals.extend(global);
            }
            b'd' if cursor.eat_word("declare") => {
                let function = reader.header(&mut cursor, true)?;
                reader.functions.push(function);
            }
            b'd' if cursor.eat_word("define") => {
                let function = reader.function(&mut cursor, &mut lines)?;
                reader.functions.push(function);
            }
            _ => {}
        }
    }
    Ok(Module {
        triple: reader.triple,
        spirv_version: None,
        layouts: reader.layouts,
        globals: reader.globals,
        functions: reader.functions,
        constant_casts: Vec::new(),
        entry_points: Vec::new(),
    })
}

/// The parts of the module that were read.
#[derive(Default)]
struct Reader<'t> {
    triple: String,
    layouts: Layouts,
    /// Number of each named type.
    type_numbers: FxHashMap<&'t str, u32>,
    globals: Vec<Global>,
    functions: Vec<Function>,
    /// Addresses that the current function computes from those of variables, and those of its own variables, by name.
    variable_addresses: FxHashSet<&'t str>,
}

impl<'t> Reader<'t> {
    /// Reads `%name = type ...`.
    fn named_type(&mut self, mut cursor: Cursor<'t>) -> Result<(), ReadError> {
        let Token::Local(name) = cursor.next()? else { return Ok(()) };
        cursor.expect('=')?;
        if !cursor.eat_word("type") {
            return Err(cursor.error("`type` is expected here"));
        }
        let number = self.type_number(name);
        if !cursor.eat_word("opaque") {
            let ty = self.ty(&mut cursor)?;
            self.layouts.named[number as usize] = Some(ty);
        }
        Ok(())
    }

    /// Returns the number of a named type, which may be defined later.
    fn type_number(&mut self, name: &'t str) -> u32 {
        let next = self.layouts.named.len() as u32;
        let number = *self.type_numbers.entry(name).or_insert(next);
        if number == next {
            self.layouts.named.push(None);
        }
        number
    }

    /// Reads `target datalayout = "..."` and `target triple = "..."`.
    fn target(&mut self, mut cursor: Cursor<'t>) -> Result<(), ReadError> {
        cursor.next()?;
        let is_triple = cursor.eat_word("triple");
        if !is_triple {
            cursor.next()?;
        }
        cursor.expect('=')?;
        let Token::Text(text) = cursor.next()? else {
            return Err(cursor.error("a string is expected here"));
        };
        if is_triple {
            text.clone_into(&mut self.triple);
        } else {
            self.layouts.pointers = pointer_sizes(text);
        }
        Ok(())
    }

    /// Reads the definition or declaration of a variable; `None` for an alias.
    fn global(&mut self, cursor: &mut Cursor<'t>) -> Result<Option<Global>, ReadError> {
        let place = cursor.line_place();
        let Token::Global(name) = cursor.next()? else {
            return Err(cursor.error("a name is expected here"));
        };
        cursor.expect('=')?;
        let mut global = Global {
            name: name.to_owned(),
            space: 0,
            ty: Type::Unsized,
            alignment: None,
            is_declared: false,
            is_constant: false,
            initializer: None,
            place,
        };
        loop {
            match cursor.next()? {
                Token::Word("addrspace") => global.space = cursor.number_in_parentheses()?,
                Token::Word("external" | "extern_weak") => global.is_declared = true,
                Token::Word("alias" | "ifunc") => return Ok(None),
                Token::Word("global") => break,
                Token::Word("constant") => {
                    global.is_constant = true;
                    break;
                }
                Token::Punct('(') => cursor.skip_to_close()?,
                Token::Word(_) => {}
                _ => return Err(cursor.error("`global` or `constant` is expected here")),
            }
        }
        global.ty = self.ty(cursor)?;
        if !global.is_declared {
            global.initializer = Some(self.constant(cursor, &global.ty)?);
        }
        while !cursor.is_at_end() {
            if cursor.next()? == Token::Word("align") {
                global.alignment = Some(cursor.number()?);
            }
        }
        Ok(Some(global))
    }
}

/// Returns the sizes in bytes of pointers that the data layout gives: `p3:32:32`.
fn pointer_sizes(layout: &str) -> BTreeMap<u32, u64> {
    let sizes = layout.split('-').filter_map(|part| {
        let (space, rest) = part.strip_prefix('p')?.split_once(':')?;
        let space = if space.is_empty() { 0 } else { space.parse().ok()? };
        let bits: u64 = rest.split(':').next()?.parse().ok()?;
        Some((space, bits / 8))
    });
    sizes.collect()
}
