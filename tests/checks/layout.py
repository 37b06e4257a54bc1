#!/usr/bin/python3
"""The layout of C is what clang-format makes of it. To lay out files: ./dev format PATH..."""
import re
import subprocess

import lib


def run(report):
    for part in ("src", "include", "examples", "tests", "bench"):
        paths = [p for p in lib.files(".c", ".h", under=part) if not lib.is_data(p)]
        if not paths:
            continue
        wrong = []
        for at in range(0, len(paths), 100):  # many files for each start of the program
            done = subprocess.run(["clang-format", "--style=file", "--dry-run", "--Werror", *paths[at:at + 100]], cwd=lib.TOP,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            if done.returncode:
                found = re.findall(r"^([^\s:]+):(\d+):\d+: error", done.stderr.decode(errors="replace"), re.M)
                first = {path: line for path, line in reversed(found)}
                wrong += ["%s:%s (./dev format %s)" % (path, line, path) for path, line in sorted(first.items())]
                wrong = wrong or ["clang-format fails"]
        report.check("layout of %s/" % part, wrong)


lib.main(run)
