//! `address-spaces blame` with real tools: the component it finds is that of the known cause.

use std::{path::Path, process::Command};

use libtest_mimic::Failed;

use crate::support::{CLANG_15, POCL, RUSTICL, SID, SID_TRANSLATOR, TRANSLATOR, Test, ensure};

pub(crate) const TESTS: [Test; 7] = [
    Test {
        name: "blame_finds_the_front_end",
        needs: &[POCL, CLANG_15],
        run: || {
            check(
                "constant/write/cl12/lvalue=component,space=constant,spelling=plain,write=increment",
                "pocl",
                1,
                &["clang's front end", "known as     clang-swizzle-loses-constant"],
            )
        },
    },
    Test {
        name: "blame_finds_the_translator",
        needs: &[RUSTICL, CLANG_15, TRANSLATOR],
        run: || {
            check(
                "builtin/fence-flags/cl12/argument=variable,flags=local,function=barrier",
                "rusticl",
                1,
                &["SPIRV-LLVM-Translator", "known as     translator-fence-flags-variable"],
            )
        },
    },
    Test {
        name: "blame_finds_the_generation_of_code",
        needs: &[SID],
        run: || {
            check(
                "parameter/kernel-pointee/cl12/form=function-typedef,function=kernel,space=constant,spelling=plain,type=float4",
                "pocl@sid",
                1,
                &["clang's generation of IR", "known as     clang-kernel-by-function-typedef"],
            )
        },
    },
    Test {
        name: "blame_finds_the_driver_that_is_given_a_module",
        needs: &[SID, SID_TRANSLATOR],
        run: || {
            check(
                "execution/address-functions/cl30-generic/space=global",
                "pocl@sid --through llvm-spirv",
                1,
                &[
                    "the consumer, pocl@sid: when taking the module",
                    "llvm-spirv: its module, compared with the text       right",
                    "known as     pocl-to-global-twice",
                ],
            )
        },
    },
    Test {
        name: "blame_finds_the_maker_of_a_module",
        needs: &[SID, SID_TRANSLATOR],
        run: || {
            check(
                "codegen/constant-tables/cl12/access=read,reader=helper,table=addresses",
                "pocl@sid --through llvm-spirv",
                1,
                &[
                    "the producer, llvm-spirv: spirv-val",
                    "known as     translator-composite-of-spec-constants",
                ],
            )
        },
    },
    Test {
        name: "blame_finds_the_maker_of_a_module_that_breaks_a_law",
        needs: &[SID, SID_TRANSLATOR],
        run: || {
            check(
                "parameter/array-brackets/cl30-generic/beside=const-after,element=unqualified,form=array-of-arrays,space=unqualified,spelling=plain",
                "pocl@sid --through llvm-spirv",
                1,
                &[
                    "the producer, llvm-spirv: its module, compared with the text",
                    "known as     clang-array-parameter-private",
                ],
            )
        },
    },
    Test {
        name: "blame_finds_nothing_where_all_is_right",
        needs: &[POCL, CLANG_15],
        run: || {
            check(
                "execution/barrier/cl12/flags=local",
                "pocl",
                0,
                &[
                    "nothing: pocl conforms",
                    "pocl: when executing                                 right",
                ],
            )
        },
    },
];

/// In the repository's folder, where the root folders are. `device` is what follows `--device`.
fn check(case: &str, device: &str, status: i32, expected: &[&str]) -> Result<(), Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_address-spaces"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    let output =
        command.args(["blame", case, "--device"]).args(device.split(' ')).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let fault = format!("at fault     {}", expected[0]);
    let mut wanted = [&[fault.as_str()], &expected[1..]].concat();
    wanted.retain(|line| !said.contains(line));
    ensure(wanted.is_empty() && output.status.code() == Some(status), || {
        format!("{wanted:?}\n{said}")
    })
}
