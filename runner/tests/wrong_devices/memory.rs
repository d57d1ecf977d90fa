//! Drivers that are wrong about memory: real ones, under a shim. Random programs whose answers are known find each.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use libtest_mimic::{Completion, Failed, Trial};

/// A driver under a shim, which programs find.
struct Wrong {
    name: &'static str,
    /// What is wrong.
    shim: Shim,
    device: &'static str,
    /// Of the programs from seed 1 on one that shows it.
    program: &'static str,
    /// Constructs or spaces that it takes to show it.
    shows: &'static [&'static str],
}

/// What makes a driver wrong.
#[derive(Clone, Copy)]
pub(crate) enum Shim {
    /// A plugin of Oclgrind, which does this.
    Plugin(&'static str),
    /// A layer of the loader, of this source.
    Layer(&'static str),
}

const WRONG: [Wrong; 6] = [
    Wrong {
        name: "memory/local_and_private_loads_are_swapped",
        shim: Shim::Plugin("swaps loads"),
        device: "oclgrind",
        program: "random/run/cl12/seed=1659",
        shows: &["local", "private"],
    },
    Wrong {
        name: "memory/a_store_is_dropped",
        shim: Shim::Plugin("drops a store"),
        device: "oclgrind",
        program: "random/run/cl11/seed=122",
        shows: &["global"],
    },
    Wrong {
        name: "memory/a_value_is_stale_behind_a_barrier",
        shim: Shim::Plugin("keeps a stale value"),
        device: "oclgrind",
        program: "random/run/cl12/seed=267",
        shows: &["barrier"],
    },
    Wrong {
        name: "memory/local_objects_are_mixed_up",
        shim: Shim::Plugin("mixes local objects"),
        device: "oclgrind",
        program: "random/run/cl11/seed=242",
        shows: &["local"],
    },
    Wrong {
        name: "memory/local_arguments_are_mixed_up",
        shim: Shim::Layer("mixed_local_arguments.c"),
        device: "pocl",
        program: "random/run/cl12/seed=99",
        shows: &["local"],
    },
    Wrong {
        name: "memory/program_scope_is_lost_between_launches",
        shim: Shim::Layer("lost_program_scope.c"),
        device: "intel-cpu",
        program: "random/run/cl20/seed=1180",
        shows: &["global"],
    },
];

impl Shim {
    /// The shim, built in that folder, and what the device is started with to be under it; or what there is too little
    /// of for that.
    pub(crate) fn environment(self, folder: &Path) -> Result<Vec<(&'static str, PathBuf)>, String> {
        let (compiler, options, source): (&str, &[&str], &str) = match self {
            Self::Plugin(_) => {
                // Neither has Oclgrind any type information.
                ("g++", &["-std=c++17", "-fno-rtti", "-loclgrind"], "wrong_memory.cpp")
            }
            Self::Layer(source) => ("gcc", &["-std=c11"], source),
        };
        let library = folder.join("libshim.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong_devices").join(source);
        let built = Command::new(compiler)
            .args(["-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared", "-o"])
            .args([&library, &source])
            .args(options)
            .output();
        match built {
            Ok(built) if built.status.success() => {}
            Ok(built) => {
                let said = String::from_utf8_lossy(&built.stderr).into_owned();
                return Err(format!(
                    "{said}needs: apt-get install g++ liboclgrind-dev opencl-c-headers"
                ));
            }
            Err(error) => return Err(format!("{compiler}: {error}: apt-get install g++")),
        }
        Ok(match self {
            Self::Plugin(wrong) => {
                vec![("OCLGRIND_PLUGINS", library), ("WRONG_MEMORY", wrong.into())]
            }
            Self::Layer(_) => vec![("OPENCL_LAYERS", library)],
        })
    }
}

impl Wrong {
    fn run(&self, environment: &[(&str, PathBuf)]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_address-spaces"))
            .args(["--device", self.device, "--exact", self.program])
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .output()
            .unwrap()
    }

    /// Nothing is wrong without the shim; with it a kind of wrong values has all that it takes, in a few lines.
    fn is_found(&self) -> Result<Completion, Failed> {
        let right = self.run(&[]);
        if text(&right).contains("--install") {
            return Ok(Completion::ignored_with(format!("needs the device {}", self.device)));
        }
        if right.status.code() != Some(0) {
            return Err(text(&right).into());
        }
        let folder = tempfile::tempdir()?;
        let environment = self.shim.environment(folder.path())?;
        let wrong = self.run(&environment);
        let said = text(&wrong);
        let kinds = said.lines().filter(|line| line.contains(": computes wrong values"));
        let shown = |line: &&str| self.shows.iter().all(|what| line.contains(what));
        let begin = format!("reduced from {}", self.program);
        let left = said.lines().skip_while(|line| !line.contains(&begin)).skip(1);
        let is_small = (1..20).contains(&left.take_while(|line| !line.is_empty()).count());
        if wrong.status.code() == Some(1) && kinds.filter(shown).count() > 0 && is_small {
            return Ok(Completion::Completed);
        }
        Err(said.into())
    }
}

pub(crate) fn text(output: &Output) -> String {
    let streams = [&output.stdout, &output.stderr];
    streams.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    WRONG.iter().map(|wrong| Trial::ignorable_test(wrong.name, || wrong.is_found()))
}
