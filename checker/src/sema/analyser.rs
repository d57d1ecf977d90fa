//! The state of one analysis: the declarations so far and the body that is open.

use crate::{
    diagnostic::{Diagnostic, Severity},
    dialect::Dialect,
    fix::SpaceSite,
    mention::Mention,
    rule::RuleSet,
    sema::{
        call_graph::Call,
        constants::PredefinedConstants,
        inventory::Inventory,
        jumps::Flow,
        scopes::{Binding, Function, FunctionId, Names, Object, ObjectId},
        sites::Sites,
    },
    space::Space,
    span::Span,
    symbol::Interner,
    types::{PredefinedNames, QualifiedType, TypeId, Types},
};

/// Tables and memory that the analyses of many programs use.
#[derive(Debug)]
pub(crate) struct Arena {
    pub(crate) types: Types,
    pub(crate) predefined: PredefinedNames,
    pub(crate) constants: PredefinedConstants,
    pub(crate) names: Names<Binding>,
    pub(crate) tags: Names<TypeId>,
    /// Objects declared `extern` inside functions, by name.
    pub(crate) linked: Names<ObjectId>,
    pub(crate) objects: Vec<Object>,
    pub(crate) functions: Vec<Function>,
    pub(crate) flow: Flow,
    /// The calls of the program's functions by each other.
    pub(crate) calls: Vec<Call>,
    /// Variables at program scope whose type was incomplete where they were declared.
    pub(crate) incomplete: Vec<ObjectId>,
    /// The names of the program, where somebody wants them.
    pub(crate) mentions: Option<Vec<Mention>>,
    pub(crate) inventory: Inventory,
    pub(crate) sites: Sites,
}

impl Arena {
    /// Interns the names of the language for good.
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
            flow: Flow::default(),
            calls: Vec::new(),
            incomplete: Vec::new(),
            mentions: None,
            inventory: Inventory::default(),
            sites: Sites::default(),
        };
        interner.seal();
        arena
    }

    /// Forgets the last program; the next one is read in `dialect`.
    pub(crate) fn reset(&mut self, dialect: Dialect) {
        self.types.reset(Space::default_pointee(dialect));
        self.names.clear();
        self.tags.clear();
        self.linked.clear();
        self.objects.clear();
        self.functions.clear();
        self.flow.clear();
        self.calls.clear();
        self.incomplete.clear();
        if let Some(mentions) = &mut self.mentions {
            mentions.clear();
        }
        self.inventory.clear();
        self.sites.clear();
    }
}

/// The function or block literal whose body is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// Type that `return` converts to; `None` in a block literal before its first `return`.
    pub(crate) result: Option<QualifiedType>,
    /// Place of the space of the result's target.
    pub(crate) result_pointee: SpaceSite,
    pub(crate) is_kernel: bool,
    pub(crate) is_block: bool,
    /// The function; `None` in a block literal.
    pub(crate) function: Option<FunctionId>,
    /// Number of block literals around this body, itself included.
    pub(crate) level: u32,
    /// Number of compound statements around the current one inside the body.
    pub(crate) nesting: u32,
    /// Place before the function; `None` in a block literal.
    pub(crate) before: Option<u32>,
    /// Place of the first item of the body; `None` in a block literal.
    pub(crate) start: Option<u32>,
    /// Start of the declaration in the head of the last `for`, which takes no storage class.
    pub(crate) for_declaration: Option<u32>,
    /// Whether a `return`, a `goto` or a label was read: some work-items may not reach what follows, or reach it again.
    pub(crate) has_jump: bool,
}

/// The extensions that `#pragma OPENCL EXTENSION` switched on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extensions {
    /// Whether `half` is an arithmetic type.
    pub(crate) half_arithmetic: bool,
    /// Whether objects smaller than 32 bits may be stored.
    pub(crate) byte_stores: bool,
}

pub(crate) struct Analyser<'a> {
    pub(crate) interner: &'a Interner,
    pub(crate) dialect: Dialect,
    pub(crate) disabled: RuleSet,
    pub(crate) arena: &'a mut Arena,
    pub(crate) diagnostics: &'a mut Vec<Diagnostic>,
    pub(crate) body: Option<Body>,
    pub(crate) extensions: Extensions,
    /// Whether the name of a space was used as an ordinary name; further uses are not reported.
    pub(crate) reserved_name_seen: bool,
    /// Whether a block was reported in a dialect without blocks; further ones are not.
    pub(crate) block_reported: bool,
    /// Whether a part of the program was skipped: a name without a declaration may be declared there.
    pub(crate) has_skipped: bool,
    /// Number of undeclared names that may still be compared with the declared ones.
    pub(crate) suggestions_left: u32,
}

/// Number of undeclared names that get a suggestion.
const SUGGESTIONS: u32 = 50;

impl<'a> Analyser<'a> {
    pub(crate) fn new(
        interner: &'a Interner,
        dialect: Dialect,
        disabled: RuleSet,
        arena: &'a mut Arena,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Self {
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
            block_reported: false,
            has_skipped: false,
            suggestions_left: SUGGESTIONS,
        }
    }

    /// Reports a construct that is not understood.
    pub(crate) fn report_unread(
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

    pub(crate) fn object(&self, id: ObjectId) -> &Object {
        &self.arena.objects[id.0 as usize]
    }

    pub(crate) fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        &mut self.arena.objects[id.0 as usize]
    }

    /// Declares `object` in the current scope.
    pub(crate) fn declare_object(&mut self, object: Object) -> ObjectId {
        self.arena.objects.push(object);
        let id = ObjectId(self.arena.objects.len() as u32 - 1);
        self.arena.names.declare(object.name, Binding::Object(id));
        self.mention_object(id, object.span);
        id
    }

    pub(crate) fn function(&self, id: FunctionId) -> Function {
        self.arena.functions[id.0 as usize]
    }
}
