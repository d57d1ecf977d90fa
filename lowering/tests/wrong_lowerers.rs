//! Wrong lowerers: modules rewritten as compilers with public bugs have emitted them. Each is noticed by the law that it
//! breaks and by no other.

use checker::{Checker, Dialect, Version, objects::ProgramObjects};
use lowering::{
    ir,
    laws::{self, Comparison, Law},
};

/// The program that the modules are of.
const PROGRAM: &str = include_str!("programs/objects.cl");

/// The modules that clang 19 emits for it, without optimization, for three targets.
const SPIR64: &str = include_str!("programs/objects.spir64.ll");
const AMDGCN: &str = include_str!("programs/objects.amdgcn.ll");
const NVPTX64: &str = include_str!("programs/objects.nvptx64.ll");

fn objects() -> ProgramObjects {
    let mut checker = Checker::new(Dialect::new(Version::V2_0));
    let report = checker.check("objects.cl", PROGRAM);
    assert!(report.diagnostics.is_empty(), "{:?}", report.diagnostics);
    checker.objects()
}

fn compare(module: &str) -> Comparison {
    let module = ir::read(module.as_bytes()).expect("the module is well formed");
    laws::check(&objects(), &module).expect("the target is known")
}

#[test]
fn right_modules_break_no_law() {
    for module in [SPIR64, AMDGCN, NVPTX64] {
        let comparison = compare(module);
        assert_eq!(comparison.violations, []);
        assert_eq!(comparison.found, comparison.expected);
    }
}

/// A mistake: the texts that a wrong lowerer writes in place of others.
struct Wrong {
    /// The bug that it is modelled on, or the mistake.
    name: &'static str,
    module: &'static str,
    edits: &'static [(&'static str, &'static str)],
    law: Law,
    /// Object or function that the finding is about.
    subject: &'static str,
}

const WRONG: &[Wrong] = &[
    Wrong {
        name: "llvm PR 136753: a global variable is no longer in address space 1",
        module: AMDGCN,
        edits: &[("@counter = addrspace(1) global", "@counter = global")],
        law: Law::ProgramObject,
        subject: "counter",
    },
    Wrong {
        name: "a program-scope constant is put into global",
        module: SPIR64,
        edits: &[("@table = addrspace(2) constant", "@table = addrspace(1) constant")],
        law: Law::ProgramObject,
        subject: "table",
    },
    Wrong {
        name: "a program-scope variable is left out",
        module: SPIR64,
        edits: &[("@counter = addrspace(1) global i32 7, align 4\n", "")],
        law: Law::ProgramObject,
        subject: "counter",
    },
    Wrong {
        name: "a program-scope variable becomes a declaration",
        module: SPIR64,
        edits: &[(
            "@counter = addrspace(1) global i32 7",
            "@counter = external addrspace(1) global i32",
        )],
        law: Law::ProgramObject,
        subject: "counter",
    },
    Wrong {
        name: "a static variable becomes a variable of each work-item",
        module: SPIR64,
        edits: &[
            ("@helper.calls = internal addrspace(1) global i64 5, align 8\n", ""),
            (
                "  %sum = alloca i32, align 4\n",
                "  %sum = alloca i32, align 4\n  %calls = alloca i64, align 8\n",
            ),
        ],
        law: Law::ProgramObject,
        subject: "helper.calls",
    },
    Wrong {
        name: "llvm PR 164175: an alloca is lowered to a variable of the module",
        module: SPIR64,
        edits: &[
            ("  %sum = alloca i32, align 4\n", ""),
            ("@counter =", "@helper.sum = internal global i32 0, align 4\n@counter ="),
        ],
        law: Law::PrivateObject,
        subject: "helper.sum",
    },
    Wrong {
        name: "SPIRV-LLVM-Translator PR 2986: an initialized private array is one global object",
        module: SPIR64,
        edits: &[
            ("  %own = alloca [4 x i32], align 4\n", ""),
            (
                "@counter =",
                "@k.own = internal addrspace(1) global [4 x i32] zeroinitializer, align 4\n@counter =",
            ),
        ],
        law: Law::PrivateObject,
        subject: "k.own",
    },
    Wrong {
        name: "llvm PR 220982: a private object is in another space",
        module: AMDGCN,
        edits: &[("%sum = alloca i32, align 4, addrspace(5)", "%sum = alloca i32, align 4")],
        law: Law::PrivateObject,
        subject: "helper.sum",
    },
    Wrong {
        name: "a private object is lost",
        module: SPIR64,
        edits: &[("  %sum = alloca i32, align 4\n", "")],
        law: Law::PrivateObject,
        subject: "helper.sum",
    },
    Wrong {
        name: "a compound literal is in local",
        module: AMDGCN,
        edits: &[(
            "%.compoundliteral = alloca [3 x i32], align 4, addrspace(5)",
            "%.compoundliteral = alloca [3 x i32], align 4, addrspace(3)",
        )],
        law: Law::PrivateObject,
        subject: "k.a compound literal",
    },
    Wrong {
        name: "the slot of a structure's result is in the wrong space",
        module: SPIR64,
        edits: &[
            ("sret(%struct.Pair) align 4 %agg.result", "sret(%struct.Pair) align 4 %agg.result"),
            (
                "define dso_local spir_func void @make(ptr ",
                "define dso_local spir_func void @make(ptr addrspace(4) ",
            ),
        ],
        law: Law::PrivateObject,
        subject: "make.made",
    },
    Wrong {
        name: "a local array is in global",
        module: SPIR64,
        edits: &[("@k.shared = internal addrspace(3)", "@k.shared = internal addrspace(1)")],
        law: Law::LocalObject,
        subject: "k.shared",
    },
    Wrong {
        name: "a local array is private to each work-item",
        module: SPIR64,
        edits: &[
            ("@k.shared = internal addrspace(3) global [16 x float] undef, align 4\n", ""),
            (
                "  %own = alloca [4 x i32], align 4\n",
                "  %own = alloca [4 x i32], align 4\n  %shared = alloca [16 x float], align 4\n",
            ),
        ],
        law: Law::LocalObject,
        subject: "k.shared",
    },
    Wrong {
        name: "a local array is in constant on NVPTX",
        module: NVPTX64,
        edits: &[("@k.shared = internal addrspace(3)", "@k.shared = internal addrspace(4)")],
        law: Law::LocalObject,
        subject: "k.shared",
    },
    Wrong {
        name: "a string literal is in private",
        module: SPIR64,
        edits: &[("@.str = private unnamed_addr addrspace(2)", "@.str = private unnamed_addr")],
        law: Law::StringLiteral,
        subject: "k.a string literal",
    },
    Wrong {
        name: "a kernel's pointer points into generic",
        module: SPIR64,
        edits: &[(
            "spir_kernel void @k(ptr addrspace(1) noundef align 4 %out",
            "spir_kernel void @k(ptr addrspace(4) noundef align 4 %out",
        )],
        law: Law::PointerParameter,
        subject: "k(out)",
    },
    Wrong {
        name: "a pointer to local points into private",
        module: SPIR64,
        edits: &[("ptr addrspace(3) noundef align 4 %scratch", "ptr noundef align 4 %scratch")],
        law: Law::PointerParameter,
        subject: "k(scratch)",
    },
    Wrong {
        name: "a pointer parameter becomes an integer",
        module: AMDGCN,
        edits: &[("ptr addrspace(3) noundef align 4 %scratch", "i32 noundef %scratch")],
        law: Law::PointerParameter,
        subject: "k(scratch)",
    },
    Wrong {
        name: "a kernel is left out",
        module: SPIR64,
        edits: &[("spir_kernel void @k(", "spir_kernel void @other(")],
        law: Law::PointerParameter,
        subject: "k",
    },
    Wrong {
        name: "a structure by value is the caller's own object",
        module: SPIR64,
        edits: &[("ptr noundef byval(%struct.Pair) align 4 %pair", "ptr noundef align 4 %pair")],
        law: Law::ParameterCopy,
        subject: "k(pair)",
    },
    Wrong {
        name: "an initializer loses its last element",
        module: SPIR64,
        edits: &[("[3 x i32] [i32 1, i32 2, i32 3]", "[3 x i32] [i32 1, i32 2, i32 0]")],
        law: Law::Initializer,
        subject: "table",
    },
    Wrong {
        name: "an initializer is undefined",
        module: SPIR64,
        edits: &[(
            "@counter = addrspace(1) global i32 7",
            "@counter = addrspace(1) global i32 undef",
        )],
        law: Law::Initializer,
        subject: "counter",
    },
    Wrong {
        name: "an initializer of a static variable is zero",
        module: NVPTX64,
        edits: &[("addrspace(1) global i64 5", "addrspace(1) global i64 0")],
        law: Law::Initializer,
        subject: "helper.calls",
    },
    Wrong {
        name: "an array is one element short",
        module: SPIR64,
        edits: &[(
            "@k.shared = internal addrspace(3) global [16 x float]",
            "@k.shared = internal addrspace(3) global [15 x float]",
        )],
        law: Law::ObjectSize,
        subject: "k.shared",
    },
    Wrong {
        name: "an int has two bytes",
        module: SPIR64,
        edits: &[("%sum = alloca i32", "%sum = alloca i16")],
        law: Law::ObjectSize,
        subject: "helper.sum",
    },
    Wrong {
        name: "a vector is aligned as its element",
        module: SPIR64,
        edits: &[(
            "%vector = alloca <4 x float>, align 16",
            "%vector = alloca <4 x float>, align 4",
        )],
        law: Law::ObjectAlignment,
        subject: "k.vector",
    },
    Wrong {
        name: "an aligned attribute is ignored",
        module: AMDGCN,
        edits: &[("%wide = alloca i32, align 64", "%wide = alloca i32, align 4")],
        law: Law::ObjectAlignment,
        subject: "k.wide",
    },
    Wrong {
        name: "a pointer to constant is cast to global",
        module: SPIR64,
        edits: &[(
            "  ret void\n}",
            "  %bad = addrspacecast ptr addrspace(2) @table to ptr addrspace(1)\n  ret void\n}",
        )],
        law: Law::PointerCast,
        subject: "make",
    },
    Wrong {
        name: "a constant expression casts local to global",
        module: AMDGCN,
        edits: &[(
            "  ret void\n}",
            "  call void @use(ptr addrspace(1) addrspacecast (ptr addrspace(3) @k.shared to ptr addrspace(1)))\n  ret void\n}",
        )],
        law: Law::PointerCast,
        subject: "k",
    },
];

#[test]
fn each_wrong_lowerer_is_noticed_by_its_law_and_no_other() {
    let mut failures = Vec::new();
    for wrong in WRONG {
        let mut module = wrong.module.to_owned();
        for (right, written) in wrong.edits {
            assert!(module.contains(right), "{}: `{right}` is not in the module", wrong.name);
            module = module.replacen(right, written, 1);
        }
        let found: Vec<(Law, String)> = compare(&module)
            .violations
            .into_iter()
            .map(|violation| (violation.law, violation.subject))
            .collect();
        if found != [(wrong.law, wrong.subject.to_owned())] {
            failures.push(format!("{}: {found:?}", wrong.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(WRONG.len() >= 25);
}

#[test]
fn each_law_of_llvm_ir_has_a_wrong_lowerer() {
    for law in Law::ALL.into_iter().filter(|law| *law != Law::EntryInterface) {
        assert!(WRONG.iter().any(|wrong| wrong.law == law), "{}", law.facts().name);
    }
}
