//! Wrong lowerers: modules rewritten as compilers with public bugs have emitted them. Each is detected by the law that
//! it breaks and by no other.

use checker::{Checker, Dialect, Version, objects::ProgramObjects};
use lowering::{
    ir,
    laws::{self, Comparison, Law},
    layout::Type,
    module::{Module, Parameter},
    spirv,
};

/// The program that the modules are of.
const PROGRAM: &str = include_str!("programs/objects.cl");

/// The modules that clang 19 emits for it, without optimization, for three targets.
const SPIR64: &str = include_str!("programs/objects.spir64.ll");
const AMDGCN: &str = include_str!("programs/objects.amdgcn.ll");
const NVPTX64: &str = include_str!("programs/objects.nvptx64.ll");

/// The modules that the SPIR-V translator and LLVM's SPIR-V back end write for it.
const TRANSLATOR: &[u8] = include_bytes!("programs/objects.translator.spv");
const BACK_END: &[u8] = include_bytes!("programs/objects.back-end.spv");

/// A program with pointers in objects, and what the same compilers make of it.
const POINTERS: &str = include_str!("programs/pointers.cl");
const POINTERS_SPIR64: &str = include_str!("programs/pointers.spir64.ll");
const POINTERS_AMDGCN: &str = include_str!("programs/pointers.amdgcn.ll");
const POINTERS_NVPTX64: &str = include_str!("programs/pointers.nvptx64.ll");
const POINTERS_TRANSLATOR: &[u8] = include_bytes!("programs/pointers.translator.spv");
const POINTERS_BACK_END: &[u8] = include_bytes!("programs/pointers.back-end.spv");

/// Bytes of the header of a SPIR-V module.
const HEADER: usize = 20;

fn objects(program: &str) -> ProgramObjects {
    let mut checker = Checker::new(Dialect::new(Version::V2_0));
    let report = checker.check("objects.cl", program);
    assert!(report.diagnostics.is_empty(), "{:?}", report.diagnostics);
    checker.objects()
}

fn compare(program: &str, module: &str) -> Comparison {
    compare_read(program, &ir::read(module.as_bytes()).expect("the module is well formed"))
}

fn compare_read(program: &str, module: &Module) -> Comparison {
    laws::check(&objects(program), module).expect("the target is known")
}

#[test]
fn right_modules_break_no_law() {
    let check = |comparison: Comparison| {
        assert_eq!(comparison.violations, []);
        assert_eq!(comparison.found, comparison.expected);
    };
    for (program, modules) in [
        (PROGRAM, [SPIR64, AMDGCN, NVPTX64]),
        (POINTERS, [POINTERS_SPIR64, POINTERS_AMDGCN, POINTERS_NVPTX64]),
    ] {
        for module in modules {
            check(compare(program, module));
        }
    }
    for (program, modules) in
        [(PROGRAM, [TRANSLATOR, BACK_END]), (POINTERS, [POINTERS_TRANSLATOR, POINTERS_BACK_END])]
    {
        for module in modules {
            let module = spirv::read(module).expect("the module is well formed");
            check(compare_read(program, &module));
        }
    }
}

/// A mistake: the texts that a wrong lowerer writes in place of others.
struct Wrong {
    /// The bug that it is modelled on, or the mistake.
    name: &'static str,
    program: &'static str,
    module: &'static str,
    edits: &'static [(&'static str, &'static str)],
    law: Law,
    /// Object or function that the finding is about.
    subject: &'static str,
}

const WRONG: &[Wrong] = &[
    Wrong {
        name: "llvm PR 136753: a global variable is no longer in address space 1",
        program: PROGRAM,
        module: AMDGCN,
        edits: &[("@counter = addrspace(1) global", "@counter = global")],
        law: Law::ProgramObject,
        subject: "counter",
    },
    Wrong {
        name: "a program-scope constant is put into global",
        program: PROGRAM,
        module: SPIR64,
        edits: &[("@table = addrspace(2) constant", "@table = addrspace(1) constant")],
        law: Law::ProgramObject,
        subject: "table",
    },
    Wrong {
        name: "a program-scope variable is left out",
        program: PROGRAM,
        module: SPIR64,
        edits: &[("@counter = addrspace(1) global i32 7, align 4\n", "")],
        law: Law::ProgramObject,
        subject: "counter",
    },
    Wrong {
        name: "a program-scope variable becomes a declaration",
        program: PROGRAM,
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
        program: PROGRAM,
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
        program: PROGRAM,
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
        program: PROGRAM,
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
        program: PROGRAM,
        module: AMDGCN,
        edits: &[("%sum = alloca i32, align 4, addrspace(5)", "%sum = alloca i32, align 4")],
        law: Law::PrivateObject,
        subject: "helper.sum",
    },
    Wrong {
        name: "a private object is lost",
        program: PROGRAM,
        module: SPIR64,
        edits: &[("  %sum = alloca i32, align 4\n", "")],
        law: Law::PrivateObject,
        subject: "helper.sum",
    },
    Wrong {
        name: "a compound literal is in local",
        program: PROGRAM,
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
        program: PROGRAM,
        module: SPIR64,
        edits: &[(
            "define dso_local spir_func void @make(ptr ",
            "define dso_local spir_func void @make(ptr addrspace(4) ",
        )],
        law: Law::PrivateObject,
        subject: "make.made",
    },
    Wrong {
        name: "a local array is in global",
        program: PROGRAM,
        module: SPIR64,
        edits: &[("@k.shared = internal addrspace(3)", "@k.shared = internal addrspace(1)")],
        law: Law::LocalObject,
        subject: "k.shared",
    },
    Wrong {
        name: "a local array is private to each work-item",
        program: PROGRAM,
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
        program: PROGRAM,
        module: NVPTX64,
        edits: &[("@k.shared = internal addrspace(3)", "@k.shared = internal addrspace(4)")],
        law: Law::LocalObject,
        subject: "k.shared",
    },
    Wrong {
        name: "a string literal is in private",
        program: PROGRAM,
        module: SPIR64,
        edits: &[("@.str = private unnamed_addr addrspace(2)", "@.str = private unnamed_addr")],
        law: Law::StringLiteral,
        subject: "k.a string literal",
    },
    Wrong {
        name: "a kernel's pointer points into generic",
        program: PROGRAM,
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
        program: PROGRAM,
        module: SPIR64,
        edits: &[("ptr addrspace(3) noundef align 4 %scratch", "ptr noundef align 4 %scratch")],
        law: Law::PointerParameter,
        subject: "k(scratch)",
    },
    Wrong {
        name: "a pointer parameter becomes an integer",
        program: PROGRAM,
        module: AMDGCN,
        edits: &[("ptr addrspace(3) noundef align 4 %scratch", "i32 noundef %scratch")],
        law: Law::PointerParameter,
        subject: "k(scratch)",
    },
    Wrong {
        name: "a kernel is left out",
        program: PROGRAM,
        module: SPIR64,
        edits: &[("spir_kernel void @k(", "spir_kernel void @other(")],
        law: Law::PointerParameter,
        subject: "k",
    },
    Wrong {
        name: "a structure by value is the caller's own object",
        program: PROGRAM,
        module: SPIR64,
        edits: &[("ptr noundef byval(%struct.Pair) align 4 %pair", "ptr noundef align 4 %pair")],
        law: Law::ParameterCopy,
        subject: "k(pair)",
    },
    Wrong {
        name: "an initializer loses its last element",
        program: PROGRAM,
        module: SPIR64,
        edits: &[("[3 x i32] [i32 1, i32 2, i32 3]", "[3 x i32] [i32 1, i32 2, i32 0]")],
        law: Law::Initializer,
        subject: "table",
    },
    Wrong {
        name: "an initializer is undefined",
        program: PROGRAM,
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
        program: PROGRAM,
        module: NVPTX64,
        edits: &[("addrspace(1) global i64 5", "addrspace(1) global i64 0")],
        law: Law::Initializer,
        subject: "helper.calls",
    },
    Wrong {
        name: "an array is one element short",
        program: PROGRAM,
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
        program: PROGRAM,
        module: SPIR64,
        edits: &[("%sum = alloca i32", "%sum = alloca i16")],
        law: Law::ObjectSize,
        subject: "helper.sum",
    },
    Wrong {
        name: "a vector is aligned as its element",
        program: PROGRAM,
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
        program: PROGRAM,
        module: AMDGCN,
        edits: &[("%wide = alloca i32, align 64", "%wide = alloca i32, align 4")],
        law: Law::ObjectAlignment,
        subject: "k.wide",
    },
    Wrong {
        name: "a pointer to constant is cast to global",
        program: PROGRAM,
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
        program: PROGRAM,
        module: AMDGCN,
        edits: &[(
            "  ret void\n}",
            "  call void @use(ptr addrspace(1) addrspacecast (ptr addrspace(3) @k.shared to ptr addrspace(1)))\n  ret void\n}",
        )],
        law: Law::PointerCast,
        subject: "k",
    },
    Wrong {
        name: "llvm PR 192030: null members of named spaces become integers",
        program: POINTERS,
        module: POINTERS_SPIR64,
        edits: &[(
            "@places = addrspace(2) constant %struct.Places zeroinitializer",
            "@places = addrspace(2) constant { i64, i64 } zeroinitializer",
        )],
        law: Law::PointerObject,
        subject: "places",
    },
    Wrong {
        name: "a member that points into local points into private",
        program: POINTERS,
        module: POINTERS_NVPTX64,
        edits: &[
            ("{ ptr addrspace(3), ptr addrspace(1) }", "{ ptr, ptr addrspace(1) }"),
            ("alloca %struct.Places", "alloca { ptr addrspace(3), ptr addrspace(1) }"),
            ("{ ptr addrspace(3) addrspacecast (ptr null to ptr addrspace(3)),", "{ ptr null,"),
        ],
        law: Law::PointerObject,
        subject: "places",
    },
    Wrong {
        name: "elements that point into global become generic pointers",
        program: POINTERS,
        module: POINTERS_SPIR64,
        edits: &[("alloca [2 x ptr addrspace(1)]", "alloca [2 x ptr addrspace(4)]")],
        law: Law::PointerObject,
        subject: "k.ends",
    },
    Wrong {
        name: "a pointer to constant becomes a pointer into global",
        program: POINTERS,
        module: POINTERS_AMDGCN,
        edits: &[("%none = alloca ptr addrspace(4)", "%none = alloca ptr addrspace(1)")],
        law: Law::PointerObject,
        subject: "k.none",
    },
    Wrong {
        name: "a null pointer in an initializer is address 0 of local",
        program: POINTERS,
        module: POINTERS_AMDGCN,
        edits: &[(
            "addrspace(3) addrspacecast (ptr null to ptr addrspace(3))",
            "addrspace(3) null",
        )],
        law: Law::NullPointer,
        subject: "places",
    },
    Wrong {
        name: "an initializer that is all zero makes null pointers address 0 of local",
        program: POINTERS,
        module: POINTERS_AMDGCN,
        edits: &[(
            "{ ptr addrspace(3) addrspacecast (ptr null to ptr addrspace(3)), ptr addrspace(1) null }",
            "zeroinitializer",
        )],
        law: Law::NullPointer,
        subject: "places",
    },
    Wrong {
        name: "a pointer to private is compared with address 0",
        program: POINTERS,
        module: POINTERS_AMDGCN,
        edits: &[(
            "  %cmp = icmp",
            "  %is.null = icmp eq ptr addrspace(5) %none, null\n  %cmp = icmp",
        )],
        law: Law::NullPointer,
        subject: "k",
    },
    Wrong {
        name: "a library function for pointers to global is declared with a generic one",
        program: PROGRAM,
        module: SPIR64,
        edits: &[("declare", "declare float @_Z5fractfPU3AS1f(float, ptr addrspace(4))\ndeclare")],
        law: Law::FunctionVariant,
        subject: "_Z5fractfPU3AS1f",
    },
    Wrong {
        name: "a pointer to global is read as one to local",
        program: PROGRAM,
        module: SPIR64,
        edits: &[(
            "load i32, ptr addrspace(1) %arrayidx,",
            "load i32, ptr addrspace(3) %arrayidx,",
        )],
        law: Law::AccessSpace,
        subject: "helper",
    },
    Wrong {
        name: "a pointer to local is written as a generic one",
        program: PROGRAM,
        module: SPIR64,
        edits: &[("ptr addrspace(3) %arrayidx7", "ptr addrspace(4) %arrayidx7")],
        law: Law::AccessSpace,
        subject: "k",
    },
    Wrong {
        name: "an atomic operation writes what the text reads",
        program: PROGRAM,
        module: SPIR64,
        edits: &[(
            "  %3 = load i8, ptr addrspace(2) %arrayidx,",
            "  %3 = atomicrmw volatile or ptr addrspace(2) %arrayidx, i8 0 seq_cst,",
        )],
        law: Law::AccessSpace,
        subject: "k",
    },
    Wrong {
        name: "a structure is copied into local",
        program: PROGRAM,
        module: SPIR64,
        edits: &[(
            "  ret i32 %add3",
            "  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 4 %0, ptr addrspace(1) align 4 %1, i64 8, i1 false)\n  ret i32 %add3",
        )],
        law: Law::AccessSpace,
        subject: "helper",
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
        let found: Vec<(Law, String)> = compare(wrong.program, &module)
            .violations
            .into_iter()
            .map(|violation| (violation.law, violation.subject))
            .collect();
        if found != [(wrong.law, wrong.subject.to_owned())] {
            failures.push(format!("{}: {found:?}", wrong.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_producer_of_malformed_modules_is_noticed() {
    // LLVM's SPIR-V back end gives the null constant of an event an operand too many.
    let mut module = BACK_END.to_vec();
    module[HEADER + 2] += 1;
    let violations =
        lowering::compare(&objects(PROGRAM), &module).expect("the target is known").violations;
    let laws: Vec<Law> = violations.iter().map(|violation| violation.law).collect();
    assert_eq!(laws, [Law::ModuleForm]);
}

#[test]
fn each_law_has_a_wrong_lowerer() {
    let laws = WRONG.iter().map(|wrong| wrong.law).chain(WRONG_SPIRV.iter().map(|wrong| wrong.law));
    let laws: Vec<Law> = laws.chain([Law::ModuleForm]).collect();
    for law in Law::ALL {
        assert!(laws.contains(&law), "{}", law.facts().name);
    }
}

/// A mistake of a producer of SPIR-V.
struct WrongSpirv {
    /// The bug that it is modelled on, or the mistake.
    name: &'static str,
    program: &'static str,
    module: &'static [u8],
    /// Makes the mistake in a module that was read.
    spoil: fn(&mut Module),
    law: Law,
    /// Object or function that the finding is about.
    subject: &'static str,
}

/// Storage classes.
const UNIFORM_CONSTANT: u32 = 0;
const WORKGROUP: u32 = 4;
const CROSS_WORKGROUP: u32 = 5;
const FUNCTION: u32 = 7;

const WRONG_SPIRV: &[WrongSpirv] = &[
    WrongSpirv {
        name: "SPIRV-LLVM issue 50: a constant array is in Function storage",
        program: PROGRAM,
        module: TRANSLATOR,
        spoil: |module| set_class(module, "table", FUNCTION),
        law: Law::ProgramObject,
        subject: "table",
    },
    WrongSpirv {
        name: "llvm PR 216744: the storage class does not fit the space",
        program: PROGRAM,
        module: BACK_END,
        spoil: |module| set_class(module, "k.shared", CROSS_WORKGROUP),
        law: Law::LocalObject,
        subject: "k.shared",
    },
    WrongSpirv {
        name: "a string literal is in CrossWorkgroup",
        program: PROGRAM,
        module: TRANSLATOR,
        spoil: |module| set_class(module, ".str", CROSS_WORKGROUP),
        law: Law::StringLiteral,
        subject: "k.a string literal",
    },
    WrongSpirv {
        name: "the interface of a kernel leaves out a local variable",
        program: PROGRAM,
        module: TRANSLATOR,
        spoil: |module| _ = module.entry_points[0].interface.remove("k.shared"),
        law: Law::EntryInterface,
        subject: "k",
    },
    WrongSpirv {
        name: "the interface of a kernel leaves out what a function that it calls uses",
        program: PROGRAM,
        module: BACK_END,
        spoil: |module| _ = module.entry_points[0].interface.remove("helper.calls"),
        law: Law::EntryInterface,
        subject: "k",
    },
    WrongSpirv {
        name: "llvm PR 164175: an alloca is lowered to a variable of the module",
        program: PROGRAM,
        module: BACK_END,
        spoil: |module| {
            for function in &mut module.functions {
                function.variables.retain(|variable| variable.name != "sum");
            }
            let mut global = module.globals[0].clone();
            "helper.sum".clone_into(&mut global.name);
            global.place = lowering::error::ModulePlace::Id(1);
            module.globals.push(global);
        },
        law: Law::PrivateObject,
        subject: "helper.sum",
    },
    WrongSpirv {
        name: "a private object is in CrossWorkgroup",
        program: PROGRAM,
        module: TRANSLATOR,
        spoil: |module| {
            let variables =
                module.functions.iter_mut().flat_map(|function| &mut function.variables);
            for variable in variables.filter(|variable| variable.name == "vector") {
                variable.space = CROSS_WORKGROUP;
            }
        },
        law: Law::PrivateObject,
        subject: "k.vector",
    },
    WrongSpirv {
        name: "a kernel's pointer to constant points into CrossWorkgroup",
        program: PROGRAM,
        module: TRANSLATOR,
        spoil: |module| set_parameter(module, "in", Some(CROSS_WORKGROUP)),
        law: Law::PointerParameter,
        subject: "k(in)",
    },
    WrongSpirv {
        name: "a structure by value has no attribute ByVal",
        program: PROGRAM,
        module: TRANSLATOR,
        spoil: |module| {
            let parameters =
                module.functions.iter_mut().flat_map(|function| &mut function.parameters);
            for parameter in parameters.filter(|parameter| parameter.name == "pair") {
                parameter.copy_of = None;
            }
        },
        law: Law::ParameterCopy,
        subject: "k(pair)",
    },
    WrongSpirv {
        name: "a pointer to Workgroup is written as one to CrossWorkgroup",
        program: PROGRAM,
        module: TRANSLATOR,
        spoil: |module| {
            let mut functions = module.functions.iter_mut();
            let helper = functions
                .find(|function| function.name.contains("helper"))
                .expect("the program has it");
            helper.accesses.iter_mut().for_each(|access| access.space = WORKGROUP);
        },
        law: Law::AccessSpace,
        subject: "helper",
    },
    WrongSpirv {
        name: "a constant is cast to CrossWorkgroup",
        program: PROGRAM,
        module: TRANSLATOR,
        spoil: |module| {
            module.constant_casts.push(lowering::module::Cast {
                from: UNIFORM_CONSTANT,
                to: CROSS_WORKGROUP,
                place: lowering::error::ModulePlace::Id(1),
            });
        },
        law: Law::PointerCast,
        subject: "a constant",
    },
    WrongSpirv {
        name: "llvm PR 192030: null members of named spaces become integers",
        program: POINTERS,
        module: POINTERS_BACK_END,
        spoil: |module| {
            let members = [Type::Integer(64), Type::Integer(64)].into();
            let integers = Type::Structure { is_packed: false, members };
            for global in module.globals.iter_mut().filter(|global| global.name == "places") {
                global.ty = integers.clone();
            }
        },
        law: Law::PointerObject,
        subject: "places",
    },
    WrongSpirv {
        name: "the members of a structure point into each other's storage class",
        program: POINTERS,
        module: POINTERS_TRANSLATOR,
        spoil: |module| {
            let members = [Type::Pointer(CROSS_WORKGROUP), Type::Pointer(WORKGROUP)].into();
            let turned = Type::Structure { is_packed: false, members };
            let variables =
                module.functions.iter_mut().flat_map(|function| &mut function.variables);
            for variable in variables.filter(|variable| variable.name == "own") {
                variable.ty = turned.clone();
            }
        },
        law: Law::PointerObject,
        subject: "k.own",
    },
    WrongSpirv {
        name: "a library function for pointers to global takes one into Function",
        program: PROGRAM,
        module: TRANSLATOR,
        spoil: |module| {
            let takes_pointer = |parameter: &&Parameter| parameter.points_into.is_some();
            let mut parameters = module.functions.iter().flat_map(|function| &function.parameters);
            let mut parameter =
                parameters.find(takes_pointer).expect("a kernel takes a pointer").clone();
            parameter.points_into = Some(FUNCTION);
            let mut variant = module.functions[0].clone();
            variant.is_declared = true;
            "_Z5clearPU3AS1i".clone_into(&mut variant.name);
            variant.parameters = vec![parameter];
            module.functions.push(variant);
        },
        law: Law::FunctionVariant,
        subject: "_Z5clearPU3AS1i",
    },
];

fn set_class(module: &mut Module, name: &str, class: u32) {
    for global in module.globals.iter_mut().filter(|global| global.name == name) {
        global.space = class;
    }
}

fn set_parameter(module: &mut Module, name: &str, class: Option<u32>) {
    let parameters = module.functions.iter_mut().flat_map(|function| &mut function.parameters);
    for parameter in parameters.filter(|parameter| parameter.name == name) {
        parameter.points_into = class;
    }
}

#[test]
fn each_wrong_producer_of_spirv_is_noticed_by_its_law_and_no_other() {
    let mut failures = Vec::new();
    for wrong in WRONG_SPIRV {
        let mut module = spirv::read(wrong.module).expect("the module is well formed");
        (wrong.spoil)(&mut module);
        let mut found: Vec<(Law, String)> = compare_read(wrong.program, &module)
            .violations
            .into_iter()
            .map(|violation| (violation.law, violation.subject))
            .collect();
        found.dedup();
        if found != [(wrong.law, wrong.subject.to_owned())] {
            failures.push(format!("{}: {found:?}", wrong.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_private_object_that_nothing_names_may_be_absent() {
    let mut checker = Checker::new(Dialect::new(Version::V2_0));
    let program = "kernel void k(void) { int unused; int named; named = 1; }";
    assert!(checker.check("k.cl", program).diagnostics.is_empty());
    let objects = checker.objects();
    let module = b"target triple = \"spir64\"\ndefine spir_kernel void @k() {\n  ret void\n}\n";
    let module = ir::read(module).expect("the module is well formed");
    let comparison = laws::check(&objects, &module).expect("the target is known");
    let subjects: Vec<&str> =
        comparison.violations.iter().map(|found| found.subject.as_str()).collect();
    assert_eq!(subjects, ["k.named"]);
    assert_eq!(comparison.unneeded.get(&laws::AbsenceReason::NeverNamed), Some(&1));
}
