#!/usr/bin/env python3
"""A runner of its own: judges a compiler by an exported suite, with nothing but the manifest.

  address-spaces dev export suite --dialect cl12
  run-export.py suite clang-19 -cc1 -triple spir64 -finclude-default-header -fdeclare-opencl-builtins -fsyntax-only

The case's options and file are added to the command. A line per case: finding, then id. Cases that need a feature
or extension are left out: only you know what your compiler has.
"""

import json
import pathlib
import re
import subprocess
import sys


def build(command, suite, case):
    """Whether the case is accepted, and the lines its errors stand on."""
    words = [*command, *case["options"].split(), str(suite / case["file"])]
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=60)
    lines = re.findall(r"\.cl:(\d+):\d+: (?:fatal )?error", done.stdout + done.stderr)
    return done.returncode == 0, {int(line) for line in lines}


def judge(case, built):
    accepted, lines = built[case["id"]]
    if case["expectation"] == "disputed":
        return "disputed"
    if case["expectation"] == "accept":
        return "pass" if accepted else "fail"
    if accepted:
        return "fail"
    # A rejection proves nothing unless the control was accepted, and the error stands where it belongs.
    if "control" not in case or not built[case["control"]][0]:
        return "inconclusive"
    return "pass" if not lines or lines & set(case["guilty-lines"]) else "fail"


def main():
    suite, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    cases = [json.loads(line) for line in (suite / "manifest.jsonl").open()]
    cases = [case for case in cases if not case["needs"]]
    built = {case["id"]: build(command, suite, case) for case in cases}
    for case in cases:
        print(judge(case, built), case["id"])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main()
