//! SPIR-V, as far as laws look at it.

use std::{collections::BTreeSet, sync::Arc};

use checker::objects::AccessKind;
use rspirv::{
    binary::{Disassemble, ParseState, parse_bytes},
    dr::{self, Instruction, Loader, Operand},
    spirv::{
        Decoration, FunctionParameterAttribute, LinkageType, Op, OpenclStd100Op, StorageClass, Word,
    },
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    error::{ModulePlace, ReadError},
    layout::{Constant, Type},
    module::{Access, Cast, EntryPoint, Function, Global, Module, Parameter, Variable},
};

/// First word of every module, of either byte order.
const MAGIC: [[u8; 4]; 2] = [[0x03, 0x02, 0x23, 0x07], [0x07, 0x23, 0x02, 0x03]];

/// Bytes of the header.
const HEADER: usize = 20;

/// Reads a module.
pub fn read(bytes: &[u8]) -> Result<Module, ReadError> {
    let frames = Frames::new(bytes)?;
    let mut loader = Loader::new();
    parse_bytes(&frames.bytes, &mut loader).map_err(|state| frames.error(&state))?;
    let module = loader.module();
    Reader::new(&module, &frames.expressions).module(&module)
}

/// A constant expression: `OpSpecConstantOp`.
#[derive(Clone, Copy)]
struct Expression {
    opcode: Option<Op>,
    first_operand: Option<Word>,
}

/// The instructions of a module.
struct Frames {
    /// The module as the library can read it: it knows no constant expressions with any number of operands, so that
    /// `OpUndef` stands for every expression.
    bytes: Vec<u8>,
    starts: Vec<InstructionStart>,
    /// Expressions by their result.
    expressions: FxHashMap<Word, Expression>,
}

/// The beginning of an instruction, in words.
struct InstructionStart {
    /// Place in [`Frames::bytes`].
    rewritten: u32,
    /// Place in the module.
    original: u32,
    opcode: u16,
}

impl Frames {
    /// Finds the instructions. The library relies on each being within the module.
    fn new(bytes: &[u8]) -> Result<Self, ReadError> {
        let error = |place, message: &str| ReadError { place, message: message.to_owned() };
        let is_swapped = bytes.starts_with(&MAGIC[1]);
        if bytes.len() < HEADER || !is_swapped && !bytes.starts_with(&MAGIC[0]) {
            let message = "this is not SPIR-V: it does not begin with the header of a module";
            return Err(error(ModulePlace::Whole, message));
        }
        if is_swapped {
            return Err(error(ModulePlace::Whole, "modules of the other byte order are not read"));
        }
        let (words, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(error(ModulePlace::Whole, "the module ends within a word"));
        }
        let mut frames = Self {
            bytes: bytes[..HEADER].to_vec(),
            starts: Vec::new(),
            expressions: FxHashMap::default(),
        };
        let mut at = HEADER / 4;
        while let Some(word) = words.get(at) {
            let word = u32::from_le_bytes(*word);
            let length = (word >> 16) as usize;
            let place = ModulePlace::Word(at as u32);
            if length == 0 {
                return Err(error(place, "this instruction has no length"));
            }
            if length > words.len() - at {
                return Err(error(place, "the module ends within this instruction"));
            }
            frames.add(at as u32, &words[at..at + length]);
            at += length;
        }
        Ok(frames)
    }

    /// Adds an instruction.
    fn add(&mut self, original: u32, words: &[[u8; 4]]) {
        let opcode = u32::from_le_bytes(words[0]) as u16;
        let rewritten = (self.bytes.len() / 4) as u32;
        self.starts.push(InstructionStart { rewritten, original, opcode });
        if u32::from(opcode) == Op::SpecConstantOp as u32
            && let [_, ty, result, inner, operands @ ..] = words
        {
            let expression = Expression {
                opcode: Op::from_u32(u32::from_le_bytes(*inner)),
                first_operand: operands.first().map(|operand| u32::from_le_bytes(*operand)),
            };
            self.expressions.insert(u32::from_le_bytes(*result), expression);
            let head = 3 << 16 | Op::Undef as u32;
            self.bytes.extend([head.to_le_bytes(), *ty, *result].concat());
        } else {
            self.bytes.extend(words.as_flattened());
        }
    }

    /// Returns the error of the library with the place that it names.
    fn error(&self, state: &ParseState) -> ReadError {
        let message = state.to_string();
        let number = |head: &str| {
            let rest = message.split(head).nth(1)?;
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<u32>().ok()
        };
        let byte = number("offset ").or_else(|| number("index "));
        let word = byte.map(|byte| byte / 4);
        let instruction = word.and_then(|word| {
            let behind = self.starts.partition_point(|start| start.rewritten < word);
            self.starts.get(behind.checked_sub(1)?)
        });
        match instruction {
            Some(start) => {
                let name = Op::from_u32(u32::from(start.opcode)).map(|op| format!("Op{op:?}: "));
                let message = format!("{}{message}", name.unwrap_or_default());
                ReadError { place: ModulePlace::Word(start.original), message }
            }
            None => ReadError { place: ModulePlace::Whole, message },
        }
    }
}

/// `OpTypePointer`: a storage class and what is pointed to.
#[derive(Clone, Copy)]
struct PointerType {
    space: u32,
    target: Word,
}

/// The facts of a module's ids.
#[derive(Default)]
struct Reader<'m> {
    expressions: Option<&'m FxHashMap<Word, Expression>>,
    names: FxHashMap<Word, &'m str>,
    linkage: FxHashMap<Word, (&'m str, LinkageType)>,
    alignments: FxHashMap<Word, u64>,
    packed: FxHashSet<Word>,
    constant_variables: FxHashSet<Word>,
    copies: FxHashSet<Word>,
    result_slots: FxHashSet<Word>,
    types: FxHashMap<Word, Type>,
    pointers: FxHashMap<Word, PointerType>,
    constants: FxHashMap<Word, Constant>,
    /// Type of each result.
    result_types: FxHashMap<Word, Word>,
    /// Variables and functions of the module.
    module_ids: FxHashSet<Word>,
    function_ids: FxHashSet<Word>,
    /// Addresses of the functions' variables, and those that functions compute from the addresses of variables.
    variable_addresses: FxHashSet<Word>,
}

fn id(operand: &Operand) -> Option<Word> {
    operand.id_ref_any()
}

impl<'m> Reader<'m> {
    fn new(module: &'m dr::Module, expressions: &'m FxHashMap<Word, Expression>) -> Self {
        let mut reader = Self { expressions: Some(expressions), ..Self::default() };
        for name in &module.debug_names {
            if let (Op::Name, [target, Operand::LiteralString(name)]) =
                (name.class.opcode, &name.operands[..])
                && let Some(target) = id(target)
            {
                reader.names.insert(target, name);
            }
        }
        for annotation in &module.annotations {
            reader.annotate(annotation);
        }
        reader
    }

    fn annotate(&mut self, annotation: &'m Instruction) {
        let (Op::Decorate, [target, Operand::Decoration(decoration), rest @ ..]) =
            (annotation.class.opcode, &annotation.operands[..])
        else {
            return;
        };
        let Some(target) = id(target) else { return };
        match (decoration, rest) {
            (Decoration::Alignment, [Operand::LiteralBit32(bytes)]) => {
                self.alignments.insert(target, u64::from(*bytes));
            }
            (Decoration::CPacked, _) => _ = self.packed.insert(target),
            (Decoration::Constant, _) => _ = self.constant_variables.insert(target),
            (
                Decoration::FuncParamAttr,
                [Operand::FunctionParameterAttribute(FunctionParameterAttribute::ByVal)],
            ) => _ = self.copies.insert(target),
            (
                Decoration::FuncParamAttr,
                [Operand::FunctionParameterAttribute(FunctionParameterAttribute::Sret)],
            ) => _ = self.result_slots.insert(target),
            (
                Decoration::LinkageAttributes,
                [Operand::LiteralString(name), Operand::LinkageType(linkage)],
            ) => _ = self.linkage.insert(target, (name, *linkage)),
            _ => {}
        }
    }

    fn module(mut self, module: &'m dr::Module) -> Result<Module, ReadError> {
        let mut read = Module {
            spirv_version: module.header.as_ref().map(dr::ModuleHeader::version),
            ..Module::default()
        };
        for instruction in &module.types_global_values {
            self.global_value(instruction);
            read.constant_casts.extend(self.expression_cast(instruction));
            if instruction.class.opcode == Op::Variable {
                read.globals.push(self.global(instruction)?);
            }
        }
        let definitions = module.functions.iter().filter_map(|function| function.def.as_ref());
        self.function_ids.extend(definitions.filter_map(|definition| definition.result_id));
        self.module_ids.extend(&self.function_ids);
        for function in &module.functions {
            read.functions.extend(self.function(function)?);
        }
        let is_variable: BTreeSet<&str> =
            read.globals.iter().map(|global| global.name.as_str()).collect();
        for entry in &module.entry_points {
            let entry = self.entry_point(entry, &read.functions, &is_variable);
            read.entry_points.extend(entry);
        }
        Ok(read)
    }

    /// Returns the name of an id: that of its linkage, else that which is written for debugging, else its number.
    fn name(&self, id: Word) -> String {
        if let Some((name, _)) = self.linkage.get(&id) {
            return (*name).to_owned();
        }
        self.names.get(&id).map_or_else(|| format!("%{id}"), |name| (*name).to_owned())
    }

    fn ty(&self, id: Word) -> Type {
        self.types.get(&id).cloned().unwrap_or(Type::Unsized)
    }

    /// Notes a type, a constant or a variable of the module.
    fn global_value(&mut self, instruction: &'m Instruction) {
        let Some(result) = instruction.result_id else { return };
        if let Some(ty) = instruction.result_type {
            self.result_types.insert(result, ty);
        }
        let operands = &instruction.operands[..];
        let ids = || operands.iter().filter_map(id);
        let ty = match (instruction.class.opcode, operands) {
            (Op::TypeBool, _) => Type::Integer(8),
            (Op::TypeInt, [Operand::LiteralBit32(bits), ..]) => Type::Integer((*bits).min(1 << 16)),
            (Op::TypeFloat, [Operand::LiteralBit32(bits), ..]) => {
                Type::Floating((*bits).min(1 << 16))
            }
            (Op::TypeVector, [element, Operand::LiteralBit32(count)]) => {
                let element = id(element).map_or(Type::Unsized, |id| self.ty(id));
                Type::Vector(u64::from(*count), Arc::new(element))
            }
            (Op::TypeArray, [element, count]) => {
                let element = id(element).map_or(Type::Unsized, |id| self.ty(id));
                match id(count).and_then(|id| self.constants.get(&id)) {
                    Some(Constant::Number(count)) => Type::Array(*count, Arc::new(element)),
                    _ => Type::Unsized,
                }
            }
            (Op::TypeStruct, _) => Type::Structure {
                is_packed: self.packed.contains(&result),
                members: ids().map(|id| self.ty(id)).collect(),
            },
            (Op::TypePointer, [Operand::StorageClass(class), target]) => {
                let space = *class as u32;
                if let Some(target) = id(target) {
                    self.pointers.insert(result, PointerType { space, target });
                }
                Type::Pointer(space)
            }
            (Op::TypeForwardPointer, _) => Type::Unsized,
            (Op::Variable, _) => {
                self.module_ids.insert(result);
                return;
            }
            _ => {
                let constant = self.constant(instruction);
                self.constants.insert(result, constant);
                return;
            }
        };
        self.types.insert(result, ty);
    }

    fn expression(&self, instruction: &Instruction) -> Option<Expression> {
        self.expressions?.get(&instruction.result_id?).copied()
    }

    /// Returns the cast that a constant expression is.
    fn expression_cast(&self, instruction: &Instruction) -> Option<Cast> {
        let expression = self.expression(instruction)?;
        if !expression.opcode.is_some_and(is_cast) {
            return None;
        }
        let place = ModulePlace::Id(instruction.result_id?);
        self.cast(expression.first_operand?, instruction.result_type?, place)
    }

    /// Returns the cast of a pointer from one storage class to another.
    fn cast(&self, operand: Word, result: Word, place: ModulePlace) -> Option<Cast> {
        let from = self.pointers.get(self.result_types.get(&operand)?)?.space;
        let to = self.pointers.get(&result)?.space;
        (from != to).then_some(Cast { from, to, place })
    }

    fn constant(&self, instruction: &Instruction) -> Constant {
        if self.expression(instruction).is_some() {
            return Constant::Unknown;
        }
        let ty = instruction.result_type.map_or(Type::Unsized, |ty| self.ty(ty));
        match (instruction.class.opcode, &instruction.operands[..]) {
            (Op::ConstantTrue, _) => Constant::Number(1),
            (Op::ConstantFalse, _) => Constant::Number(0),
            // The bits of a null pointer are the environment's.
            (Op::ConstantNull, _) if matches!(ty, Type::Pointer(_)) => Constant::Unknown,
            (Op::ConstantNull, _) => Constant::Zero,
            (Op::Undef, _) => Constant::Undefined,
            (Op::Constant, [operand]) => {
                let bits = match operand {
                    Operand::LiteralBit32(bits) => u64::from(*bits),
                    Operand::LiteralBit64(bits) => *bits,
                    _ => return Constant::Unknown,
                };
                match ty {
                    Type::Integer(width @ 1..64) | Type::Floating(width @ 1..64) => {
                        Constant::Number(bits & (u64::MAX >> (64 - width)))
                    }
                    _ => Constant::Number(bits),
                }
            }
            (Op::ConstantComposite | Op::SpecConstantComposite, parts) => {
                let part = |operand: &Operand| {
                    let constant = id(operand).and_then(|id| self.constants.get(&id));
                    constant.cloned().unwrap_or(Constant::Unknown)
                };
                Constant::Parts(parts.iter().map(part).collect())
            }
            _ => Constant::Unknown,
        }
    }

    /// Returns the storage class and the type of the object that a variable makes.
    fn object(&self, instruction: &Instruction, id: Word) -> Result<(u32, Type), ReadError> {
        let pointer = instruction.result_type.and_then(|ty| self.pointers.get(&ty));
        let (Some(pointer), Some(Operand::StorageClass(class))) =
            (pointer, instruction.operands.first())
        else {
            return Err(error_at(id, "a variable needs a storage class and the type of a pointer"));
        };
        Ok((*class as u32, self.ty(pointer.target)))
    }

    fn global(&self, instruction: &Instruction) -> Result<Global, ReadError> {
        let result = instruction.result_id.unwrap_or(0);
        let (space, ty) = self.object(instruction, result)?;
        let linkage = self.linkage.get(&result).map(|(_, linkage)| *linkage);
        let initializer = instruction.operands.get(1).and_then(id);
        let initializer =
            initializer.map(|id| self.constants.get(&id).cloned().unwrap_or(Constant::Unknown));
        Ok(Global {
            name: self.name(result),
            space,
            ty,
            alignment: self.alignments.get(&result).copied(),
            is_declared: linkage == Some(LinkageType::Import),
            is_constant: self.constant_variables.contains(&result),
            initializer,
            place: ModulePlace::Id(result),
        })
    }

    fn function(&mut self, function: &'m dr::Function) -> Result<Option<Function>, ReadError> {
        let Some(result) = function.def.as_ref().and_then(|definition| definition.result_id) else {
            return Ok(None);
        };
        let mut read = Function {
            zero_pointers: Vec::new(),
            name: self.name(result),
            is_declared: function.blocks.is_empty(),
            parameters: Vec::new(),
            variables: Vec::new(),
            casts: Vec::new(),
            accesses: Vec::new(),
            names: BTreeSet::new(),
            place: ModulePlace::Id(result),
        };
        for instruction in &function.parameters {
            let (Some(result), Some(ty)) = (instruction.result_id, instruction.result_type) else {
                continue;
            };
            self.result_types.insert(result, ty);
            let pointer = self.pointers.get(&ty);
            let is_copy = self.copies.contains(&result);
            let is_slot = self.result_slots.contains(&result);
            read.parameters.push(Parameter {
                name: self.names.get(&result).map_or_else(String::new, |&name| name.to_owned()),
                points_into: pointer.map(|pointer| pointer.space),
                copy_of: pointer.filter(|_| is_copy).map(|pointer| self.ty(pointer.target)),
                reference_to: None,
                result_slot: pointer.filter(|_| is_slot).map(|pointer| self.ty(pointer.target)),
                alignment: self.alignments.get(&result).copied(),
            });
        }
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            self.instruction(instruction, &mut read)?;
        }
        Ok(Some(read))
    }

    fn instruction(
        &mut self,
        instruction: &Instruction,
        function: &mut Function,
    ) -> Result<(), ReadError> {
        let result = instruction.result_id.unwrap_or(0);
        if let Some(ty) = instruction.result_type {
            self.result_types.insert(result, ty);
        }
        let named = operands(instruction).iter().filter_map(id);
        // A function that is enqueued is called by an entry point of its own.
        let is_call = instruction.class.opcode == Op::FunctionCall;
        let counts = |id: &Word| {
            self.module_ids.contains(id) && (is_call || !self.function_ids.contains(id))
        };
        for named in named.filter(counts) {
            function.names.insert(self.name(named));
        }
        let is_of_module =
            |id: &Word| self.module_ids.contains(id) || self.variable_addresses.contains(id);
        if is_address(instruction.class.opcode)
            && instruction.operands.first().and_then(id).is_some_and(|base| is_of_module(&base))
        {
            self.variable_addresses.insert(result);
        }
        match instruction.class.opcode {
            Op::Variable => {
                self.variable_addresses.insert(result);
                let (space, ty) = self.object(instruction, result)?;
                function.variables.push(Variable {
                    name: self.name(result),
                    space,
                    ty,
                    alignment: self.alignments.get(&result).copied(),
                    place: ModulePlace::Id(result),
                });
            }
            opcode if is_cast(opcode) => {
                let operand = instruction.operands.first().and_then(id);
                if let (Some(operand), Some(ty)) = (operand, instruction.result_type) {
                    function.casts.extend(self.cast(operand, ty, ModulePlace::Id(result)));
                }
            }
            opcode => self.accesses(opcode, instruction, function),
        }
        Ok(())
    }

    /// Adds the accesses of an instruction by pointers that are values of the function.
    fn accesses(&self, opcode: Op, instruction: &Instruction, function: &mut Function) {
        use AccessKind::{Read, Write};
        let kinds: &[&[AccessKind]] = match opcode {
            Op::Load | Op::AtomicLoad => &[&[Read]],
            Op::Store | Op::AtomicStore | Op::AtomicFlagClear => &[&[Write]],
            Op::CopyMemory | Op::CopyMemorySized => &[&[Write], &[Read]],
            Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicCompareExchangeWeak
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicFlagTestAndSet
            | Op::AtomicFMinEXT
            | Op::AtomicFMaxEXT
            | Op::AtomicFAddEXT => &[&[Read, Write]],
            _ => return,
        };
        let place = instruction.result_id.map_or(function.place, ModulePlace::Id);
        for (operand, kinds) in instruction.operands.iter().zip(kinds) {
            let by_name =
                |id: &Word| self.module_ids.contains(id) || self.variable_addresses.contains(id);
            let Some(operand) = id(operand).filter(|id| !by_name(id)) else { continue };
            let ty = self.result_types.get(&operand);
            let Some(pointer) = ty.and_then(|ty| self.pointers.get(ty)) else { continue };
            let accesses = kinds.iter().map(|&kind| Access { kind, space: pointer.space, place });
            function.accesses.extend(accesses);
        }
    }

    fn entry_point(
        &self,
        instruction: &Instruction,
        functions: &[Function],
        variables: &BTreeSet<&str>,
    ) -> Option<EntryPoint> {
        let [_, function, Operand::LiteralString(name), interface @ ..] = &instruction.operands[..]
        else {
            return None;
        };
        let function = id(function)?;
        let by_place = |place| functions.iter().find(|function| function.place == place);
        let mut uses = BTreeSet::new();
        let mut called: Vec<&Function> = by_place(ModulePlace::Id(function)).into_iter().collect();
        let mut seen: BTreeSet<&str> = called.iter().map(|entry| entry.name.as_str()).collect();
        while let Some(next) = called.pop() {
            for name in &next.names {
                if variables.contains(name.as_str()) {
                    uses.insert(name.clone());
                } else if seen.insert(name) {
                    called.extend(functions.iter().filter(|function| function.name == *name));
                }
            }
        }
        Some(EntryPoint {
            name: name.clone(),
            interface: interface.iter().filter_map(id).map(|id| self.name(id)).collect(),
            uses,
            place: ModulePlace::Id(function),
        })
    }
}

/// Returns the operands of an instruction. The library takes the number at the end of `vloadn` and its like for an id.
fn operands(instruction: &Instruction) -> &[Operand] {
    const WITH_NUMBER: [OpenclStd100Op; 3] =
        [OpenclStd100Op::vloadn, OpenclStd100Op::vload_halfn, OpenclStd100Op::vloada_halfn];
    match &instruction.operands[..] {
        [set, Operand::LiteralExtInstInteger(number), .., _]
            if WITH_NUMBER.iter().any(|op| *op as u32 == *number) && id(set).is_some() =>
        {
            &instruction.operands[..instruction.operands.len() - 1]
        }
        operands => operands,
    }
}

/// Whether an instruction returns the address of a part of the object at another address, or the same one.
fn is_address(opcode: Op) -> bool {
    matches!(
        opcode,
        Op::Bitcast
            | Op::PtrCastToGeneric
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
    )
}

/// Whether an instruction may change the storage class of a pointer.
fn is_cast(opcode: Op) -> bool {
    matches!(
        opcode,
        Op::PtrCastToGeneric | Op::GenericCastToPtr | Op::GenericCastToPtrExplicit | Op::Bitcast
    )
}

fn error_at(id: Word, message: &str) -> ReadError {
    ReadError { place: ModulePlace::Id(id), message: message.to_owned() }
}

/// Returns the number of a storage class by its name in the specification.
pub fn storage_class(name: &str) -> Option<u32> {
    name.parse::<StorageClass>().ok().map(|class| class as u32)
}

/// Number of words of an instruction that a text shows.
const SHOWN_WORDS: usize = 8;

/// Returns the instruction that begins at a word, its operands unchanged.
pub(crate) fn words_at(bytes: &[u8], word: u32) -> String {
    let (words, _) = bytes.as_chunks::<4>();
    let mut words = words.iter().skip(word as usize).map(|word| u32::from_le_bytes(*word));
    let Some(first) = words.next() else { return String::new() };
    let length = (first >> 16) as usize;
    let name = match Op::from_u32(first & 0xffff) {
        Some(op) => format!("Op{op:?}"),
        None => format!("instruction {}", first & 0xffff),
    };
    let operands = words.take(length.saturating_sub(1).min(SHOWN_WORDS));
    let operands: Vec<String> = operands.map(|word| word.to_string()).collect();
    format!("{name} of {length} words: {}", operands.join(" "))
}

/// Returns the instruction with a result, as assembly; `None` if the module cannot be read or has none.
pub(crate) fn definition_of(bytes: &[u8], id: Word) -> Option<String> {
    let frames = Frames::new(bytes).ok()?;
    let mut loader = Loader::new();
    parse_bytes(&frames.bytes, &mut loader).ok()?;
    let module = loader.module();
    let instruction = module.all_inst_iter().find(|found| found.result_id == Some(id))?;
    Some(instruction.disassemble())
}
