//! The macros in force: a sealed base of predefined ones, and what a program defines on top.

use crate::{
    lex::{Flags, PpToken},
    span::Span,
    symbol::Symbol,
};

/// A macro that the preprocessor answers itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    /// `__LINE__`, the current line.
    Line,
    /// `__FILE__`, the name of the current file.
    File,
    /// `__BASE_FILE__`, the name of the main file.
    BaseFile,
    /// `__INCLUDE_LEVEL__`, the depth of includes.
    IncludeLevel,
    /// `__COUNTER__`, a number that grows with each use.
    Counter,
    /// `_Pragma`, the operator for a pragma.
    Pragma,
    /// `__has_include`, a query in conditions.
    HasInclude,
    /// `__has_attribute`, a query in conditions.
    HasAttribute,
    /// `__has_builtin`, `__has_feature`, `__has_extension` and their like: nothing is promised.
    HasNothing,
}

/// The form of a macro's use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MacroKind {
    /// A name alone.
    Object,
    /// A name and arguments; the last parameter takes all the rest when `variadic`.
    Function { parameters: u16, variadic: bool },
    /// Answered by the preprocessor.
    Special(Special),
}

/// A definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Macro {
    pub(super) name: Symbol,
    pub(super) kind: MacroKind,
    /// Range in [`MacroTable::bodies`].
    pub(super) body: Span,
    /// Whether the body has `##` or `#parameter`.
    pub(super) operators: bool,
    /// Whether its expansion is being read; the name is then not expanded again.
    pub(super) active: bool,
    /// Place of its name in the source; empty for a predefined macro.
    pub(super) definition: Span,
}

/// Number of a macro in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MacroId(u32);

/// Every definition, found by the symbol of its name.
#[derive(Clone, Debug, Default)]
pub(super) struct MacroTable {
    /// By symbol: number of the macro plus one; 0 if there is none.
    by_symbol: Vec<u32>,
    macros: Vec<Macro>,
    bodies: Vec<PpToken>,
    /// The macro that each change after the seal replaced.
    undo: Vec<(Symbol, u32)>,
    sealed_macros: usize,
    sealed_bodies: usize,
}

impl MacroTable {
    /// Returns the macro of that name.
    pub(super) fn find(&self, name: Symbol) -> Option<MacroId> {
        match self.by_symbol.get(name.0 as usize) {
            None | Some(0) => None,
            Some(number) => Some(MacroId(number - 1)),
        }
    }

    pub(super) fn get(&self, id: MacroId) -> &Macro {
        &self.macros[id.0 as usize]
    }

    pub(super) fn set_active(&mut self, id: MacroId, active: bool) {
        self.macros[id.0 as usize].active = active;
    }

    pub(super) fn body(&self, id: MacroId) -> &[PpToken] {
        let range = self.get(id).body;
        &self.bodies[range.start as usize..range.end as usize]
    }

    /// Returns a token of a replacement list.
    pub(super) fn body_item(&self, index: u32) -> PpToken {
        self.bodies[index as usize]
    }

    /// Appends `token` to the replacement list under construction.
    pub(super) fn push_body(&mut self, token: PpToken) {
        self.bodies.push(token);
    }

    /// Returns the index of the next replacement list.
    pub(super) fn body_start(&self) -> u32 {
        self.bodies.len() as u32
    }

    /// Notes that `##` follows the last token of the list that begins at `start`. Returns `false` if the list is empty.
    pub(super) fn paste_last(&mut self, start: u32) -> bool {
        match self.bodies[start as usize..].last_mut() {
            Some(token) => {
                token.flags = token.flags.with(Flags::PASTE);
                true
            }
            None => false,
        }
    }

    /// Drops the replacement lists from `start` on.
    pub(super) fn truncate_bodies(&mut self, start: u32) {
        self.bodies.truncate(start as usize);
    }

    /// Defines `definition.name`, in place of an earlier definition.
    pub(super) fn define(&mut self, definition: Macro) {
        let index = definition.name.0 as usize;
        if index >= self.by_symbol.len() {
            self.by_symbol.resize(index + 1, 0);
        }
        self.undo.push((definition.name, self.by_symbol[index]));
        self.macros.push(definition);
        self.by_symbol[index] = self.macros.len() as u32;
    }

    /// Undefines `name`.
    pub(super) fn undefine(&mut self, name: Symbol) {
        if let Some(number) = self.by_symbol.get_mut(name.0 as usize)
            && *number != 0
        {
            self.undo.push((name, *number));
            *number = 0;
        }
    }

    /// Keeps the definitions so far for every program.
    pub(super) fn seal(&mut self) {
        for definition in &mut self.macros {
            definition.definition = Span::default();
        }
        self.undo.clear();
        self.sealed_macros = self.macros.len();
        self.sealed_bodies = self.bodies.len();
    }

    /// Restores the definitions that were kept.
    pub(super) fn reset(&mut self) {
        for (name, number) in self.undo.drain(..).rev() {
            self.by_symbol[name.0 as usize] = number;
        }
        self.macros.truncate(self.sealed_macros);
        self.bodies.truncate(self.sealed_bodies);
    }

    /// Whether two definitions are the same except for the amount of white space.
    pub(super) fn same(&self, one: &Macro, other: &Macro) -> bool {
        let list = |definition: &Macro| {
            self.bodies[definition.body.start as usize..definition.body.end as usize]
                .iter()
                .map(|token| (token.kind, token.symbol, token.flags))
        };
        one.kind == other.kind && list(one).eq(list(other))
    }
}
