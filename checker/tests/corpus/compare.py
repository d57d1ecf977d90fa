#!/usr/bin/env python3
"""Compares the checker with clang on the OpenCL C programs of installed Debian packages.

Every program that clang accepts must be accepted by the checker, and every program that clang rejects for an
address-space reason must be rejected, in each dialect. A disagreement that the language's text settles is listed in
explained.toml with its reason and clause; an entry that explains nothing is an error.

Nothing is installed. clang's verdicts are kept in target/corpus, so that only the first run takes minutes.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[3]
DIALECTS = ["CL1.2", "CL2.0", "CL3.0"]
TIMEOUT = 60


@dataclasses.dataclass(frozen=True)
class Package:
    """A Debian package and the options under which its programs are meant to be compiled."""

    name: str
    # Folders to search for includes: those that hold a file of this name.
    include_beside: tuple[str, ...] = ()
    # `{include}` stands for the first of these folders.
    options: tuple[str, ...] = ()
    # Options of single files, by pattern of the file's name.
    per_file: tuple[tuple[str, tuple[str, ...]], ...] = ()
    # Options of the files that mention a name.
    where_mentioned: tuple[tuple[str, str], ...] = ()


PACKAGES = [
    Package(
        "hashcat-data",
        ("inc_vendor.h",),
        (
            "-DKERNEL_STATIC",
            "-DINCLUDE_PATH={include}",
            "-DXM2S(x)=#x",
            "-DM2S(x)=XM2S(x)",
            "-DVENDOR_ID=64",
            "-DCUDA_ARCH=0",
            "-DVECT_SIZE=1",
            "-DDEVICE_TYPE=2",
            "-DDGST_R0=0",
            "-DDGST_R1=1",
            "-DDGST_R2=2",
            "-DDGST_R3=3",
            "-DDGST_ELEM=4",
            "-DKERN_TYPE=0",
            "-DATTACK_EXEC=11",
            "-DATTACK_KERN=0",
            "-DATTACK_MODE=0",
            "-DLOCAL_MEM_TYPE=2",
        ),
        where_mentioned=(("FIXED_LOCAL_SIZE", "-DFIXED_LOCAL_SIZE=8"),),
    ),
    Package(
        "piglit",
        ("include_test.h",),
        per_file=(
            ("macro-definitions*.cl", ("-DBUILD_OPT1=1", "-DBUILD_OPT2=2")),
            ("mixed-macro-definitions.cl", ("-DBUILD_OPT1", "-DBUILD_OPT2=2")),
            ("define-GENTYPE.cl", ("-DGENTYPE=int",)),
        ),
    ),
    Package("mandelbulber2-data"),
    Package("darktable", ("common.h",)),
    Package(
        "ufo-filters-data",
        ("reductor.cl",),
        per_file=(
            ("median.cl", ("-DBOXSIZE=3",)),
            ("edge.cl", ("-DEDGE=sobel",)),
        ),
    ),
    Package("pocl-tests", ("test_include.h",)),
    Package("python3-pyopencl", ("pyopencl-complex.h",)),
    Package(
        "python3-silx",
        ("kahan.cl",),
        per_file=(
            ("backproj*.cl", ("-DIMAGE_WIDTH=64", "-DSHARED_SIZE=64")),
            ("convolution*.cl", ("-DIMAGE_DIMS=2", "-DFILTER_DIMS=2")),
        ),
    ),
]

# What a message of clang's, or the notes below it, says when a space is the matter.
SPACE_REASON = re.compile(
    r"address space|address_space|'(__)?generic' type qualifier"
    r"|(qualified|qualifier).*'(__)?(global|local|constant|private|generic)'"
    r"|'(__)?(global|local|constant|private|generic)' (type )?qualifier"
    r"|in the (__)?(global|local|constant|private) ",
)


@dataclasses.dataclass(frozen=True)
class Program:
    """A file of a package and all the options it is compiled with."""

    package: str
    path: pathlib.Path
    options: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What a compiler decided: accepts, rejects (for whatever reason) or fails (crash, timeout)."""

    decision: str
    about_spaces: bool
    reason: str


@dataclasses.dataclass(frozen=True)
class Disagreement:
    """A program on which the two decide differently."""

    program: Program
    dialect: str
    ours: Verdict
    theirs: Verdict


def main() -> int:
    arguments = parse_arguments()
    tools = [arguments.clang, str(arguments.checker), "dpkg"]
    absent = [tool for tool in tools if shutil.which(tool) is None]
    if absent:
        complain_about(absent, arguments)
        return 2
    programs, missing = find_programs(arguments)
    if missing:
        print("missing; type: apt-get install " + " ".join(missing))
        if not arguments.available:
            return 2
    if not programs:
        print("no program selected")
        return 2
    verdicts = compile_all(programs, arguments)
    entries = tomllib.loads(arguments.explained.read_text()).get("explained", [])
    return report(verdicts, entries, arguments)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clang", default="clang-19", help="default: %(default)s")
    parser.add_argument(
        "--checker",
        type=pathlib.Path,
        default=newest_checker(),
        help="the checker's program; default: the newest one in target",
    )
    parser.add_argument("--package", action="append", help="only this package (repeatable)")
    parser.add_argument("--dialect", action="append", choices=DIALECTS, help="only this dialect (repeatable)")
    parser.add_argument("--file", default="*", help="only files whose path matches this pattern")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth program")
    parser.add_argument("--available", action="store_true", help="leave out the packages that are missing")
    parser.add_argument("--no-cache", action="store_true", help="ask clang again")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="default: %(default)s")
    parser.add_argument(
        "--explained",
        type=pathlib.Path,
        default=pathlib.Path(__file__).with_name("explained.toml"),
        help="the disagreements that the text settles; default: beside this script",
    )
    return parser.parse_args()


def newest_checker() -> pathlib.Path:
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [path for path in (target / "release/address-spaces-check", target / "debug/address-spaces-check") if path.exists()]
    return max(built, key=lambda path: path.stat().st_mtime, default=target / "debug/address-spaces-check")


def complain_about(absent: list[str], arguments: argparse.Namespace) -> None:
    for tool in absent:
        if tool == str(arguments.checker):
            print(f"{tool} is missing; type: cargo build --release -p checker")
        elif tool == "dpkg":
            print("dpkg is missing: the programs come from packages of Debian")
        else:
            print(f"{tool} is missing; type: apt-get install {tool}")


def find_programs(arguments: argparse.Namespace) -> tuple[list[Program], list[str]]:
    programs, missing = [], []
    for package in PACKAGES:
        if arguments.package and package.name not in arguments.package:
            continue
        files = installed_files(package.name)
        if files is None:
            missing.append(package.name)
            continue
        folders = sorted({path.parent for path in files if path.name in package.include_beside})
        for path in files:
            if path.suffix == ".cl" and fnmatch.fnmatch(str(path), arguments.file):
                programs.append(Program(package.name, path, options_for(package, path, folders)))
    return programs[:: arguments.every], missing


def installed_files(package: str) -> list[pathlib.Path] | None:
    listing = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        return None
    return sorted(pathlib.Path(line) for line in listing.stdout.splitlines())


def options_for(package: Package, path: pathlib.Path, folders: list[pathlib.Path]) -> tuple[str, ...]:
    options = [f"-I{folder}" for folder in folders]
    options += [option.replace("{include}", str(folders[0]) if folders else "") for option in package.options]
    for pattern, more in package.per_file:
        if fnmatch.fnmatch(path.name, pattern):
            options += more
    if package.where_mentioned:
        text = path.read_text(errors="replace")
        options += [option for name, option in package.where_mentioned if name in text]
    return tuple(options)


def compile_all(
    programs: list[Program], arguments: argparse.Namespace
) -> list[tuple[Program, str, Verdict, Verdict]]:
    cache = Cache(arguments)
    jobs = [(program, dialect) for program in programs for dialect in arguments.dialect or DIALECTS]

    def compile_one(job: tuple[Program, str]) -> tuple[Program, str, Verdict, Verdict]:
        program, dialect = job
        theirs = cache.get(program, dialect) or cache.put(program, dialect, ask_clang(program, dialect, arguments))
        return program, dialect, ask_checker(program, dialect, arguments), theirs

    verdicts = []
    try:
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for verdict in pool.map(compile_one, jobs):
                verdicts.append(verdict)
                if sys.stderr.isatty() and len(verdicts) % 100 == 0:
                    print(f"\r{len(verdicts)} of {len(jobs)}", end="", file=sys.stderr, flush=True)
    finally:
        cache.save()
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    return verdicts


class Cache:
    """clang's verdicts by compiler, options and contents of the file."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.path = ROOT / "target/corpus/verdicts.json"
        self.known: dict[str, list] = {}
        if not arguments.no_cache and self.path.exists():
            self.known = json.loads(self.path.read_text())
        version = subprocess.run([arguments.clang, "--version"], capture_output=True, text=True, check=False)
        self.salt = version.stdout

    def key(self, program: Program, dialect: str) -> str:
        digest = hashlib.sha256(repr((self.salt, dialect, program.options, str(program.path))).encode())
        digest.update(program.path.read_bytes())
        return digest.hexdigest()

    def get(self, program: Program, dialect: str) -> Verdict | None:
        known = self.known.get(self.key(program, dialect))
        return Verdict(*known) if known else None

    def put(self, program: Program, dialect: str, verdict: Verdict) -> Verdict:
        self.known[self.key(program, dialect)] = list(dataclasses.astuple(verdict))
        return verdict

    def save(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.known))


def run(command: list[str]) -> tuple[int | None, str, str]:
    """Exit status (None after the time limit), standard output and error."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return None, "", f"still running after {TIMEOUT} s"
    return done.returncode, done.stdout, done.stderr


def ask_clang(program: Program, dialect: str, arguments: argparse.Namespace) -> Verdict:
    fixed = "-cc1 -triple spir64 -cl-ext=+all -finclude-default-header -fdeclare-opencl-builtins -fblocks -fsyntax-only"
    command = [arguments.clang, *fixed.split(), "-w", "-ferror-limit", "0", f"-cl-std={dialect}"]
    status, _, log = run([*command, *program.options, "-x", "cl", str(program.path)])
    if status == 0:
        return Verdict("accepts", False, "")
    errors = split_errors(log)
    about_spaces = [error for error in errors if SPACE_REASON.search(error)]
    chosen = (about_spaces or errors or [log.strip() or "no message"])[0]
    decision = "rejects" if status == 1 else "fails"
    return Verdict(decision, bool(about_spaces), chosen.splitlines()[0])


def split_errors(log: str) -> list[str]:
    """Each error with the notes below it."""
    errors = []
    for line in log.splitlines():
        if re.search(r": (fatal )?error: ", line):
            errors.append(line)
        elif errors and ": note: " in line:
            errors[-1] += "\n" + line
    return errors


def ask_checker(program: Program, dialect: str, arguments: argparse.Namespace) -> Verdict:
    command = [str(arguments.checker), "--std", dialect, "--format", "json"]
    status, findings, log = run([*command, *program.options, str(program.path)])
    if status == 0:
        return Verdict("accepts", False, "")
    reason = first_finding(findings) or (log.strip().splitlines() or [f"exit status {status}"])[0]
    return Verdict("rejects" if status in (1, 2) else "fails", status == 1, reason)


def first_finding(document: str) -> str | None:
    """The first error in the checker's JSON: its place, rule, message and clause."""
    try:
        files = json.loads(document)["files"]
    except (json.JSONDecodeError, KeyError, TypeError):
        return None
    for finding in (finding for file in files for finding in file["diagnostics"]):
        if finding["severity"] in ("error", "fatal"):
            place = finding["location"]
            rule = f"{finding['rule']}: " if finding["rule"] else ""
            clause = f" [{finding['clause']}]" if finding["clause"] else ""
            return f"{place['file']}:{place['line']}:{place['column']}: {rule}{finding['message']}{clause}"
    return None


def report(
    verdicts: list[tuple[Program, str, Verdict, Verdict]], entries: list[dict], arguments: argparse.Namespace
) -> int:
    used = [0] * len(entries)
    unexpected = []
    counts: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    for program, dialect, ours, theirs in verdicts:
        count = counts[f"{program.package} {dialect}"]
        count["programs"] += 1
        count[theirs.decision if not theirs.about_spaces else "spaces"] += 1
        if agree(ours, theirs):
            continue
        disagreement = Disagreement(program, dialect, ours, theirs)
        at = explanation(disagreement, entries)
        if at is None:
            count["unexpected"] += 1
            unexpected.append(disagreement)
        else:
            count["explained"] += 1
            used[at] += 1
    print_counts(counts)
    for disagreement in unexpected:
        print_disagreement(disagreement)
    whole = not (arguments.package or arguments.dialect or arguments.every > 1 or arguments.file != "*")
    faults = check_entries(entries, used if whole and not arguments.available else None)
    for fault in faults:
        print(fault)
    print(f"{len(verdicts)} compilations, {len(unexpected)} unexpected disagreements")
    return 1 if unexpected or faults else 0


def agree(ours: Verdict, theirs: Verdict) -> bool:
    if ours.decision == "fails":
        return False
    if theirs.decision == "accepts":
        return ours.decision == "accepts"
    return ours.decision == "rejects" or not theirs.about_spaces


def explanation(disagreement: Disagreement, entries: list[dict]) -> int | None:
    for at, entry in enumerate(entries):
        if (
            disagreement.ours.decision == entry["ours"]
            and disagreement.program.package == entry["package"]
            and disagreement.dialect in entry["dialects"]
            and any(fnmatch.fnmatch(disagreement.program.path.name, name) for name in entry["files"])
        ):
            return at
    return None


def check_entries(entries: list[dict], used: list[int] | None) -> list[str]:
    """What is wrong with the explanations themselves; use is judged only where `used` is known."""
    faults = []
    for at, entry in enumerate(entries):
        empty = [key for key in ("reason", "clause") if not entry.get(key, "").strip()]
        name = f"explained.toml, entry {at + 1} ({entry['package']} {' '.join(entry['files'])})"
        if empty:
            faults.append(f"{name}: no {' and no '.join(empty)}")
        if used is not None and used[at] == 0:
            faults.append(f"{name}: explains nothing any more, remove it")
    return faults


def print_counts(counts: dict[str, collections.Counter]) -> None:
    columns = ["programs", "accepts", "spaces", "rejects", "fails", "explained", "unexpected"]
    print(f"{'':28}{'':9}clang: rejects{'':17}disagreements")
    print(f"{'':28}" + "".join(f"{name:>12}" for name in columns))
    for name, count in counts.items():
        print(f"{name:28}" + "".join(f"{count[column]:>12}" for column in columns))


def print_disagreement(disagreement: Disagreement) -> None:
    ours, theirs = disagreement.ours, disagreement.theirs
    print(f"\n{disagreement.program.path} {disagreement.dialect} {' '.join(disagreement.program.options)}")
    print(f"  checker {ours.decision}: {ours.reason}")
    print(f"  clang {theirs.decision}: {theirs.reason}")


if __name__ == "__main__":
    sys.exit(main())
