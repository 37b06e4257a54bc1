#!/usr/bin/python3
"""The layout of C is what clang-format makes of it. To lay out files: ./dev format PATH...

The sources are laid out by the version of Debian 12. Others put spaces within a line elsewhere (`(long) * p` or
`(long)*p`) and break macros at other words: there only the breaks of all other lines and the indentation are compared."""
import re
import subprocess

import lib

VERSION = 14


def version():
    text = subprocess.run(["clang-format", "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout
    found = re.search(r"version (\d+)", text)
    return int(found[1]) if found else 0


def loose(text):
    """The lines, with their indentation, without other spaces; a macro is one line."""
    text = re.sub(r"\s*\\\n\s*", "", text)
    text = re.sub(r"^\s+:", ":", text, flags=re.M)  # operands of assembler
    return [re.match(r"\s*", line)[0] + re.sub(r"\s+", "", line) for line in text.split("\n")]


def line_of_difference(path):
    """None: only what other versions do in another way."""
    done = subprocess.run(["clang-format", "--style=file", path], cwd=lib.TOP, stdout=subprocess.PIPE, check=False)
    here, there = loose(lib.read(path)), loose(done.stdout.decode(errors="replace"))
    if done.returncode or len(here) != len(there):
        at = next((n for n, (a, b) in enumerate(zip(here, there)) if a != b), 0)
        return at + 1
    return next((n + 1 for n, (a, b) in enumerate(zip(here, there)) if a != b), None)


def run(report):
    same = version() == VERSION
    for part in ("src", "lib", "include", "examples", "tests", "bench"):
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
                bad = {path: line if same else line_of_difference(path) for path, line in first.items()}
                wrong += ["%s:%s (./dev format %s)" % (path, line, path) for path, line in sorted(bad.items()) if line]
                wrong = wrong or ([] if first else ["clang-format fails"])
        report.check("layout of %s/%s" % (part, "" if same else " (breaks and indentation)"), wrong)


lib.main(run)
