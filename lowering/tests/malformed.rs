//! Modules that are cut, changed or hostile: each gets an answer, and an error has a place.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use lowering::{
    error::{ModulePlace, ReadError},
    ir, laws, spirv,
};
use proptest::prelude::*;

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
    check(b"\n@x = addrspace(", line(2, 16), "a number should stand here");
    check(b"@x = global i32", line(1, 16), "a constant should stand here");
    check(b"@x = global q7 0", line(1, 12), "there is no such type");
    check(b"@x = global [2 x i32] [i32 1, i32 2", line(1, 36), "`]` should stand here");
    check(b"define void @f(i32 %x", line(1, 22), "the parameters have no end");
    check(b"define void @f() {\n  ret void", line(1, 17), "this function has no end");
    check(b"@x = global i32 0\n\xff", line(2, 1), "this byte is no UTF-8");
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

/// Edits of a module: places, as a part of its length, and bytes.
fn edits() -> impl Strategy<Value = Vec<(usize, u8, bool)>> {
    proptest::collection::vec((0..1_000_000_usize, any::<u8>(), any::<bool>()), 1..6)
}

fn edited(bytes: &[u8], edits: &[(usize, u8, bool)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (place, byte, is_cut) in edits {
        let at = place % bytes.len().max(1);
        match is_cut {
            true if place % 7 == 0 => bytes.truncate(at),
            true => _ = bytes.drain(at..(at + usize::from(*byte)).min(bytes.len())),
            false if at < bytes.len() => bytes[at] = *byte,
            false => {}
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_llvm_ir_is_answered(which in 0..IR.len(), edits in edits()) {
        if let Ok(module) = ir::read(&edited(IR[which].as_bytes(), &edits)) {
            let _ = laws::check(&checker::objects::ProgramObjects::default(), &module);
        }
    }

    #[test]
    fn changed_spirv_is_answered(which in 0..SPIRV.len(), edits in edits()) {
        if let Ok(module) = spirv::read(&edited(SPIRV[which], &edits)) {
            let _ = laws::check(&checker::objects::ProgramObjects::default(), &module);
        }
    }

    /// Words stay words, so that more of what is read is meant.
    #[test]
    fn spirv_with_other_words_is_answered(which in 0..SPIRV.len(), words in proptest::collection::vec((0..100_000_usize, 0..400_u32), 1..5)) {
        let mut bytes = SPIRV[which].to_vec();
        for (place, word) in words {
            let at = 20 + place % (bytes.len() / 4 - 5) * 4;
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        if let Ok(module) = spirv::read(&bytes) {
            let _ = laws::check(&checker::objects::ProgramObjects::default(), &module);
        }
    }
}
