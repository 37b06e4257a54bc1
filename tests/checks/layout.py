#!/usr/bin/python3
"""The layout of C is what clang-format makes of it. To lay out files: ./dev format PATH..."""
import os
import subprocess

import lib


def run(report):
    for part in ("src", "include", "examples", "tests", "bench"):
        paths = [p for p in lib.files(".c", ".h", under=part) if not lib.is_data(p)]
        if not paths:
            continue
        wrong = []
        for path in paths:
            done = subprocess.run(["clang-format", "--style=file", "--dry-run", "--Werror", path], cwd=lib.TOP,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            if done.returncode:
                first = done.stderr.decode(errors="replace").split("\n")[0]
                wrong.append("%s (./dev format %s)" % (first.split(": ")[0].replace(lib.TOP + os.sep, ""), path))
        report.check("layout of %s/" % part, wrong)


lib.main(run)
