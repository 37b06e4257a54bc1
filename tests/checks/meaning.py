#!/usr/bin/python3
"""What a function means stands in src/calls and nowhere else: who names one in code, and how often.

Counted are HB_FN_ numbers, and texts that are a function's name, or the beginning of one, in a comparison or a table. The
numbers below are what is left: they may only become smaller, and a smaller one has to be written here.
"""
import os
import re

import lib

LEFT = {"capture": (266, 37), "format": (0, 0), "model": (0, 0), "rules": (0, 11), "session": (0, 0), "tool": (0, 3), "view": (0, 0)}
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
COMPARES = re.compile(r'\b(str\w*cmp|strstr|begins|ends_with|named|is_function|is_call|has_function)\s*\(|^\s*\{"')


def function_names():
    table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/calls/mpi.calls")
    with open(table, encoding="utf-8") as f:
        rows = re.findall(r"^(MPIX?_\w+) (?!unsupported)", f.read(), re.M)
    return {row.partition("_")[2] for row in rows} | set(rows)


def names_one(text, names):
    bare = text.removesuffix("_c")
    return bare in names or (len(text) > 5 and text[0].isupper() and any(name.startswith(text) for name in names))


def run(report):
    names = function_names()
    for station, (numbers, texts) in LEFT.items():
        found = {"HB_FN_": [], "names in texts": []}
        for path in lib.files(".c", ".h", under="src/" + station):
            for i, line in enumerate(lib.read(path).splitlines(), 1):
                found["HB_FN_"] += ["%s:%d" % (path, i)] * len(re.findall(r"\bHB_FN_MPIX?_\w+", line))
                if COMPARES.search(line) and any(names_one(t, names) for t in TEXT.findall(line)):
                    found["names in texts"].append("%s:%d" % (path, i))
        for (what, places), most in zip(found.items(), (numbers, texts)):
            wrong = [] if len(places) == most else ["%d %s, the number here is %d; the last: %s" % (
                len(places), what, most, ", ".join(places[-3:]))]
            report.check("src/%s: %s" % (station, what), wrong)


lib.main(run)
