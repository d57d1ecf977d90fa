//! Modules that are cut, changed or hostile: each gets an answer, and an error has a place.

use std::{
    cell::Cell,
    fmt::Write as _,
    time::{Duration, Instant},
};

use checker::{Checker, Dialect, Version, objects::ProgramObjects};
use lowering::{
    compare,
    error::{ModulePlace, ReadError},
    ir,
    laws::Law,
    spirv, text_at,
};
use proptest::{prelude::*, test_runner::TestRunner};

const IR: &[&str] = &[
    include_str!("programs/objects.spir64.ll"),
    include_str!("programs/objects.amdgcn.ll"),
    include_str!("programs/objects.nvptx64.ll"),
    include_str!("programs/typed-pointers.ll"),
];

const SPIRV: &[&[u8]] = &[
    include_bytes!("programs/objects.translator.spv"),
    include_bytes!("programs/objects.back-end.spv"),
];

fn check(text: &[u8], place: ModulePlace, message: &str) {
    let expected = ReadError { place, message: message.to_owned() };
    assert_eq!(ir::read(text).err(), Some(expected), "{}", String::from_utf8_lossy(text));
}

const fn line(line: u32, column: u32) -> ModulePlace {
    ModulePlace::Line { line, column }
}

#[test]
fn mistakes_in_llvm_ir_have_their_place() {
    check(b"\n@x = addrspace(", line(2, 16), "a number is expected here");
    check(b"@x = global i32", line(1, 16), "a constant is expected here");
    check(b"@x = global q7 0", line(1, 12), "there is no such type");
    check(b"@x = global [2 x i32] [i32 1, i32 2", line(1, 36), "`]` is expected here");
    check(b"define void @f(i32 %x", line(1, 22), "the parameters have no end");
    check(b"define void @f() {\n  ret void", line(1, 17), "this function has no end");
    check(b"@x = global i32 0\n\xff", line(2, 1), "this byte is not UTF-8");
    check(
        b"define void @f() {\n  %y = addrspacecast ptr %x\n}",
        line(2, 28),
        "the cast has no `to`",
    );
}

#[test]
fn types_and_constants_may_not_nest_without_end() {
    let deep = |open: &str, close: &str| {
        format!("@x = global {}i8{} zeroinitializer", open.repeat(100_000), close.repeat(100_000))
    };
    for text in [deep("[1 x ", "]"), deep("{", "}"), deep("<{", "}>")] {
        assert!(ir::read(text.as_bytes()).is_err());
    }
    let constant = format!("@x = global i8 {}", "{i8 ".repeat(100_000));
    assert!(ir::read(constant.as_bytes()).is_err());
}

#[test]
fn sizes_of_structures_of_structures_take_no_time() {
    let mut text = String::from("target triple = \"spir64\"\n%s0 = type { i8, i8 }\n");
    for level in 1..100 {
        let _ = writeln!(text, "%s{level} = type {{ %s{0}, %s{0} }}", level - 1);
    }
    text += "@x = addrspace(1) global %s99 zeroinitializer\n";
    let module = ir::read(text.as_bytes()).expect("it is well formed");
    assert_eq!(module.layouts.of(&module.globals[0].ty), None);
}

#[test]
fn a_module_of_100_megabytes_is_read_in_seconds() {
    let mut text = String::from("target triple = \"spir64\"\ndefine void @f() {\n");
    while text.len() < 100 << 20 {
        text += "  %x = getelementptr inbounds i32, ptr addrspace(1) @g, i64 0\n";
    }
    let begun = Instant::now();
    assert!(ir::read(text.as_bytes()).is_err(), "the function has no end");
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
}

#[test]
fn what_is_no_spirv_is_told() {
    for bytes in [&b""[..], b"\x03\x02\x23\x07", b"; ModuleID = 'x'\n and more and more"] {
        assert!(spirv::read(bytes).is_err());
    }
    let cut = &SPIRV[0][..SPIRV[0].len() - 1];
    assert_eq!(spirv::read(cut).unwrap_err().message, "the module ends within a word");
}

/// A change of a module. Places and lengths are any numbers, taken modulo what is there; a part is a word of SPIR-V, an
/// instruction of it, or a line or a token of LLVM IR.
#[derive(Clone, Debug)]
enum Change {
    /// Everything from a byte on is cut off.
    Cut(usize),
    /// Some bytes are missing.
    Drop(usize, u8),
    /// A byte has another value.
    Byte(usize, u8),
    /// A part has another value: a number, or a hostile token.
    Part(usize, u32),
    /// A part is missing.
    DropPart(usize),
    /// A part is there twice.
    Double(usize),
    /// Two parts change places.
    Swap(usize, usize),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let place = || 0..1_000_000_usize;
    let change = prop_oneof![
        1 => place().prop_map(Change::Cut),
        2 => (place(), any::<u8>()).prop_map(|(at, count)| Change::Drop(at, count)),
        4 => (place(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        6 => (place(), 0..400_u32).prop_map(|(at, value)| Change::Part(at, value)),
        1 => (place(), any::<u32>()).prop_map(|(at, value)| Change::Part(at, value)),
        3 => place().prop_map(Change::DropPart),
        3 => place().prop_map(Change::Double),
        3 => (place(), place()).prop_map(|(one, other)| Change::Swap(one, other)),
    ];
    proptest::collection::vec(change, 1..6)
}

/// Tokens of LLVM IR that may be where they should not be.
const TOKENS: &[&str] = &[
    "{",
    "}",
    "<{",
    "}>",
    "[",
    "]",
    "(",
    ")",
    ",",
    "=",
    "ptr",
    "addrspace(4294967296)",
    "x",
    "99999999999999999999",
    "-1",
    "%",
    "@",
    "\"",
    "c\"\\zz\"",
    "zeroinitializer",
    "i0",
    "i65536",
    "to",
    "!dbg",
    "#0",
    "addrspacecast",
    "byval(",
    "sret(",
    "define",
    "\u{0}",
    "é",
];

/// Parts of a module: words of SPIR-V after its header, tokens of LLVM IR with the spaces and line breaks between.
fn parts(bytes: &[u8]) -> Vec<Vec<u8>> {
    if !bytes.starts_with(b";") {
        return bytes.chunks(4).map(<[u8]>::to_vec).collect();
    }
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    bytes.chunk_by(|&a, &b| is_word(a) && is_word(b)).map(<[u8]>::to_vec).collect()
}

fn changed(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for change in changes {
        let within = |at: usize| at % bytes.len().max(1);
        let in_parts = |edit: &dyn Fn(&mut Vec<Vec<u8>>)| {
            let mut parts = parts(&bytes);
            if !parts.is_empty() {
                edit(&mut parts);
            }
            parts.concat()
        };
        bytes = match *change {
            Change::Cut(at) => bytes[..within(at)].to_vec(),
            Change::Drop(at, count) => {
                let end = (within(at) + usize::from(count)).min(bytes.len());
                [&bytes[..within(at)], &bytes[end..]].concat()
            }
            Change::Byte(at, byte) => {
                let at = within(at);
                if let Some(changed) = bytes.get_mut(at) {
                    *changed = byte;
                }
                bytes
            }
            Change::Part(at, value) => in_parts(&|parts| {
                let at = at % parts.len();
                let is_text = parts[0].starts_with(b";");
                parts[at] = if is_text {
                    TOKENS[value as usize % TOKENS.len()].as_bytes().to_vec()
                } else {
                    value.to_le_bytes().to_vec()
                };
            }),
            Change::DropPart(at) => in_parts(&|parts| {
                parts.remove(at % parts.len());
            }),
            Change::Double(at) => in_parts(&|parts| {
                let at = at % parts.len();
                parts.insert(at, parts[at].clone());
            }),
            Change::Swap(one, other) => in_parts(&|parts| {
                let count = parts.len();
                parts.swap(one % count, other % count);
            }),
        };
    }
    bytes
}

fn objects() -> ProgramObjects {
    let mut checker = Checker::new(Dialect::new(Version::V2_0));
    checker.check("objects.cl", include_str!("programs/objects.cl"));
    checker.objects()
}

/// Compares a module, and fails where its error has no place within it.
fn answer(objects: &ProgramObjects, bytes: &[u8]) {
    let Ok(comparison) = compare(objects, bytes) else { return };
    for violation in &comparison.violations {
        let place = violation.module_place;
        text_at(bytes, place);
        let is_within = match place {
            // The header, or the module's last word, is damaged.
            ModulePlace::Whole | ModulePlace::Id(_) => true,
            ModulePlace::Line { line, .. } => {
                (line as usize) <= bytes.split(|byte| *byte == b'\n').count()
            }
            ModulePlace::Word(word) => (word as usize) < bytes.len().div_ceil(4),
        };
        assert!(is_within, "{place} of {} bytes: {}", bytes.len(), violation.message);
    }
}

fn modules() -> Vec<&'static [u8]> {
    IR.iter().map(|text| text.as_bytes()).chain(SPIRV.iter().copied()).collect()
}

#[test]
fn a_module_of_spirv_of_100_megabytes_is_read_in_seconds() {
    // Names of an id, one after the other, after the header.
    let mut bytes = SPIRV[0][..20].to_vec();
    let name = [4 << 16 | 5, 1, u32::from_le_bytes(*b"abcd"), 0];
    let name: Vec<u8> = name.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    while bytes.len() < 100 << 20 {
        bytes.extend(&name);
    }
    let begun = Instant::now();
    assert!(spirv::read(&bytes).is_ok());
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
    // An instruction longer than what is left.
    bytes.extend((u32::from(u16::MAX) << 16 | 5).to_le_bytes());
    let error = spirv::read(&bytes).unwrap_err();
    assert_eq!(error.place, ModulePlace::Word(bytes.len() as u32 / 4 - 1));
}

#[test]
fn extra_operands_have_their_place() {
    // The first type of the module gets an operand more.
    let bytes = SPIRV[1];
    let word = |at: usize| u32::from_le_bytes(bytes[at * 4..at * 4 + 4].try_into().unwrap());
    let mut at = 5;
    // OpTypeVoid
    while word(at) & 0xffff != 19 {
        at += (word(at) >> 16) as usize;
    }
    let head = (word(at) + (1 << 16)).to_le_bytes();
    let operand = 0_u32.to_le_bytes();
    let spoilt =
        [&bytes[..at * 4], &head, &bytes[at * 4 + 4..at * 4 + 8], &operand, &bytes[at * 4 + 8..]];
    let spoilt = spoilt.concat();
    let comparison = compare(&objects(), &spoilt).unwrap();
    let [violation] = &comparison.violations[..] else { panic!("{comparison:?}") };
    assert_eq!(
        (violation.law, violation.module_place),
        (Law::ModuleForm, ModulePlace::Word(at as u32))
    );
    assert!(text_at(&spoilt, violation.module_place).starts_with("OpTypeVoid of 3 words"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_modules_are_answered(which in 0..IR.len() + SPIRV.len(), changes in changes()) {
        answer(&objects(), &changed(modules()[which], &changes));
    }
}

/// Seconds of [`changed_modules_are_answered_for_long`].
const SECONDS: &str = "SECONDS";

/// Changes of modules until `SECONDS` are over; the seed of a failure is printed.
#[test]
#[ignore = "takes as long as it is told: SECONDS=600 cargo test --release -p lowering --test malformed -- --ignored"]
fn changed_modules_are_answered_for_long() {
    let seconds = std::env::var(SECONDS).ok().and_then(|text| text.parse().ok()).unwrap_or(10);
    let end = Instant::now() + Duration::from_secs(seconds);
    let tried = Cell::new(0_u64);
    let (objects, modules) = (objects(), modules());
    while Instant::now() < end {
        let config =
            ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
        let mut runner = TestRunner::new(config);
        let all = (0..modules.len(), changes());
        let ended = runner.run(&all, |(which, changes)| {
            tried.set(tried.get() + 1);
            answer(&objects, &changed(modules[which], &changes));
            Ok(())
        });
        ended.unwrap();
    }
    println!("{} modules were answered", tried.get());
}
