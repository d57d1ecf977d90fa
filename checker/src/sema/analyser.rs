//! The state of one analysis: the program's tokens, its declarations so far and the function being read.
//!
//! The language can be judged while it is read: every name is declared before it is used. So the grammar
//! (`parse`) drives and asks the rules (`sema`) at each construct; there is no tree in between.

use crate::{
    diagnostic::{Diagnostic, Severity},
    dialect::Dialect,
    parse::{declarators::Chunk, expressions::Pending, recovery::Recovery},
    rule::RuleSet,
    sema::{
        constants::PredefinedConstants,
        operand::Operand,
        scopes::{Binding, Function, FunctionId, Names, Object, ObjectId},
    },
    space::Space,
    span::Span,
    symbol::{Interner, Symbol},
    token::{Token, TokenKind},
    types::{Member, Parameter, PredefinedNames, Qualified, TypeId, Types},
};

/// What analyses of many programs share: tables made once and memory used again.
#[derive(Debug)]
pub(crate) struct Arena {
    pub(crate) types: Types,
    pub(crate) predefined: PredefinedNames,
    pub(crate) constants: PredefinedConstants,
    pub(crate) names: Names<Binding>,
    pub(crate) tags: Names<TypeId>,
    /// Objects declared `extern` inside functions, to be met again elsewhere.
    pub(crate) linked: Names<ObjectId>,
    pub(crate) objects: Vec<Object>,
    pub(crate) functions: Vec<Function>,
    /// Levels of the declarators being read.
    pub(crate) chunks: Vec<Chunk>,
    /// Parameters, members and arguments of the lists being read.
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) members: Vec<Member>,
    pub(crate) arguments: Vec<Operand>,
    /// Binary operators of the expressions being read.
    pub(crate) pending: Vec<Pending>,
}

impl Arena {
    /// Intern the names of the language for good.
    pub(crate) fn new(interner: &mut Interner) -> Self {
        let arena = Self {
            types: Types::default(),
            predefined: PredefinedNames::new(interner),
            constants: PredefinedConstants::new(interner),
            names: Names::default(),
            tags: Names::default(),
            linked: Names::default(),
            objects: Vec::new(),
            functions: Vec::new(),
            chunks: Vec::new(),
            parameters: Vec::new(),
            members: Vec::new(),
            arguments: Vec::new(),
            pending: Vec::new(),
        };
        interner.seal();
        arena
    }

    /// Forget the last program; the next one is read as `dialect`.
    pub(crate) fn reset(&mut self, dialect: Dialect) {
        self.types.reset(Space::default_pointee(dialect));
        self.names.clear();
        self.tags.clear();
        self.linked.clear();
        self.objects.clear();
        self.functions.clear();
        self.chunks.clear();
        self.parameters.clear();
        self.members.clear();
        self.arguments.clear();
        self.pending.clear();
    }
}

/// What is being read cannot be understood; the reason was reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop;

pub(crate) type Parsed<T> = Result<T, Stop>;

/// The function or block literal whose body is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// What `return` must convert to; `None` until the first `return` of a block literal tells.
    pub(crate) result: Option<Qualified>,
    /// Where the space of what the result points to would be written, if it is not.
    pub(crate) result_pointee: Option<u32>,
    pub(crate) is_kernel: bool,
    pub(crate) is_block: bool,
    /// How many block literals stand around this body, itself included.
    pub(crate) level: u32,
    /// How many compound statements stand around the current one inside the body.
    pub(crate) nesting: u32,
    /// Where the declaration in the head of the last `for` begins: it has no storage class.
    pub(crate) for_declaration: Option<u32>,
}

/// What `#pragma OPENCL EXTENSION` has switched on so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extensions {
    /// `half` is an arithmetic type.
    pub(crate) half_arithmetic: bool,
    /// Objects smaller than 32 bits may be stored.
    pub(crate) byte_stores: bool,
}

pub(crate) struct Analyser<'a> {
    pub(crate) tokens: &'a [Token],
    pub(crate) at: usize,
    pub(crate) current: Token,
    pub(crate) previous: Span,
    pub(crate) depth: u32,
    pub(crate) interner: &'a Interner,
    pub(crate) dialect: Dialect,
    pub(crate) disabled: RuleSet,
    pub(crate) arena: &'a mut Arena,
    pub(crate) diagnostics: &'a mut Vec<Diagnostic>,
    pub(crate) body: Option<Body>,
    pub(crate) extensions: Extensions,
    /// A space's name was used as an ordinary one; its further uses are not reported.
    pub(crate) reserved_name_seen: bool,
    /// Before 2.0, a program that names something `generic` means that name everywhere.
    pub(crate) generic_is_a_name: bool,
    /// Whether a body follows the parameter list being read, once it was asked.
    pub(crate) list_is_of_definition: Option<bool>,
    pub(crate) recovery: Recovery,
    /// How many undeclared names may still be compared with the declared ones.
    pub(crate) suggestions_left: u32,
}

/// Undeclared names that get a suggestion; more help nobody.
const SUGGESTIONS: u32 = 50;

impl<'a> Analyser<'a> {
    pub(crate) fn new(
        tokens: &'a [Token],
        interner: &'a Interner,
        dialect: Dialect,
        disabled: RuleSet,
        arena: &'a mut Arena,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Self {
        let end = tokens.last().map_or(0, |token| token.span.end);
        let end = Token { kind: TokenKind::End, symbol: Symbol::EMPTY, span: Span::new(end, end) };
        let mut analyser = Self {
            tokens,
            at: 0,
            current: tokens.first().copied().unwrap_or(end),
            previous: Span::default(),
            depth: 0,
            interner,
            dialect,
            disabled,
            arena,
            diagnostics,
            body: None,
            extensions: Extensions {
                half_arithmetic: false,
                byte_stores: dialect.byte_addressable_store(),
            },
            reserved_name_seen: false,
            generic_is_a_name: false,
            list_is_of_definition: None,
            recovery: Recovery::default(),
            suggestions_left: SUGGESTIONS,
        };
        analyser.skip_pragmas();
        analyser
    }

    /// Report that the program is not understood at `span`; reading may go on behind it.
    pub(crate) fn fatal<T>(&mut self, span: Span, message: impl Into<String>) -> Parsed<T> {
        if self.recovery.is_news(self.at) {
            self.not_understood(span, message, None);
        }
        Err(Stop)
    }

    /// Report that the program is not understood from `span` on.
    pub(crate) fn hopeless<T>(&mut self, span: Span, message: impl Into<String>) -> Parsed<T> {
        let stop = self.fatal(span, message);
        self.recovery.give_up();
        stop
    }

    /// Report something that is not understood and does not keep the rest from being read.
    pub(crate) fn not_understood(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        self.diagnostics.push(Diagnostic {
            severity: Severity::Fatal,
            rule: None,
            message: message.into(),
            span,
            labels: Vec::new(),
            help,
            note: None,
            suppression: None,
            mends: [None; 2],
        });
    }

    pub(crate) fn enter_scope(&mut self) {
        self.arena.names.enter();
        self.arena.tags.enter();
    }

    pub(crate) fn leave_scope(&mut self) {
        self.arena.names.leave();
        self.arena.tags.leave();
    }

    pub(crate) fn object(&self, id: ObjectId) -> &Object {
        &self.arena.objects[id.0 as usize]
    }

    pub(crate) fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        &mut self.arena.objects[id.0 as usize]
    }

    /// Declare `object` in the current scope.
    pub(crate) fn declare_object(&mut self, object: Object) -> ObjectId {
        self.arena.objects.push(object);
        let id = ObjectId(self.arena.objects.len() as u32 - 1);
        self.arena.names.declare(object.name, Binding::Object(id));
        id
    }

    pub(crate) fn function(&self, id: FunctionId) -> Function {
        self.arena.functions[id.0 as usize]
    }
}
