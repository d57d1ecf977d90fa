# Configuration of LLVM's lit (`pip install lit`): lit -D clang=clang-19 FOLDER
# Each file was written for clang's own -verify. XFAIL stands where clang is known to be wrong.

import os
import re
import subprocess

import lit.formats

config.name = "OpenCL C address spaces"
config.suffixes = [".cl"]
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(os.path.abspath(__file__))

clang = lit_config.params.get("clang", "clang")
config.substitutions.append(("%clang_cc1", clang + " -cc1"))


def said(arguments):
    run = subprocess.run(
        clang.split() + arguments, input="", capture_output=True, text=True, check=False
    )
    return run.returncode, run.stdout


# The versions whose deviations are known; one between two of them is taken for the older.
KNOWN = [@VERSIONS@]
version = re.search(r"version (\d+)", said(["--version"])[1])
if not version:
    lit_config.fatal("no clang: name one with -D clang=PROGRAM")
older = [known for known in KNOWN if known <= int(version[1])]
config.available_features.add("clang-%d" % (older[-1] if older else KNOWN[0]))
if said(["-cc1", "-triple", "spir64", "-cl-std=CL3.1", "-x", "cl", "-fsyntax-only", "-"])[0] == 0:
    config.available_features.add("cl31")
