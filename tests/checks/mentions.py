#!/usr/bin/python3
"""Words that have their place: MPI not in format, model, rules and the core of capture, and of the tool in parallel/ alone; what differs between the two MPIs
only in src/capture/mpi/family/; functions that C would be better without nowhere; no printing and leaving in libraries and targets."""
import os
import re

import lib

MPI = re.compile(r"\bP?MPI_[A-Z]\w*|\bP?MPIX_\w+|#\s*include\s*[<\"]mpi\.h")
FAMILY = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b.*\b(?:OPEN_MPI|OMPI_\w+|MPICH|MPICH_\w+)\b", re.M)
BANNED = "strcpy stpcpy strcat sprintf vsprintf gets strtok tmpnam mktemp alloca"
LEAVES = "exit _exit _Exit quick_exit abort"
PRINTS = "printf vprintf puts putchar perror"
CALLS = {
    "": BANNED.split(),
    "src/format": (LEAVES + " " + PRINTS + " fprintf err errx warn warnx").split(),
    "src/model": (LEAVES + " " + PRINTS + " fprintf err errx warn warnx").split(),
    "src/rules": (LEAVES + " " + PRINTS + " fprintf err errx warn warnx").split(),
    "src/capture": (LEAVES + " " + PRINTS + " assert system").split(),
}
C = (".c", ".h", ".inc", ".cc", ".tmpl")


def findings(under, pattern, what):
    for path in lib.files(*C, under=under):
        text = lib.bare(lib.read(path), strings="include" in pattern.pattern)
        if "include" in pattern.pattern:
            # keep the file name of an include, blank every other literal
            text = re.sub(r'^(?![ \t]*#[ \t]*include)(.*)$', lambda m: lib.bare(m[0]), text, flags=re.M)
        for match in pattern.finditer(text):
            yield "%s:%d: %s: %s" % (path, lib.line_of(text, match.start()), what, match[0].strip())


def calls_of(names):
    # not x.exit(, x->exit(, and not a declaration of a pointer with that name
    return re.compile(r"(?<![\w.>])(?:%s)[ \t]*\(" % "|".join(names))


# What a function means stands in src/calls and nowhere else. Counted are HB_FN_ numbers, and texts that are a function's name, or
# the beginning of one, in a comparison or a table: what is left, which may only become smaller and is then written here.
# In capture: one function with arguments like no other's, one that is called as the program would, and six that are asked for because a library
# or its version may lack them.
LEFT = {"capture": (8, 0), "format": (0, 0), "model": (0, 0), "rules": (0, 0), "session": (0, 0), "tool": (0, 0), "view": (0, 0)}
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
# ... and the name of a function at hand that is looked into, or given with a piece of one to somebody who does; two names may be
# compared with each other.
LOOKS_INTO = re.compile(r'\bstr\w+\((?!.*fn->name.*fn->name)[^;"]*\bfn->name\b|\bfn->name \+|\bfn->name\[|\b\w+\((?:\w+->)*fn, "')
COMPARES = re.compile(r'\b(str\w*cmp|strstr|begins|ends_with|named|is_function|is_call|has_function)\s*\(|^\s*\{"')


def function_names():
    table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/calls/mpi.calls")
    with open(table, encoding="utf-8") as f:
        rows = re.findall(r"^(MPIX?_\w+) (?!unsupported)", f.read(), re.M)
    return {row.partition("_")[2] for row in rows} | set(rows)


def names_one(text, names):
    bare = text.removesuffix("_c")
    return bare in names or (len(text) > 5 and text[0].isupper() and any(name.startswith(text) for name in names))


def named_outside_of_the_table(report):
    names = function_names()
    for station, (numbers, texts) in LEFT.items():
        found = {"HB_FN_": [], "names in texts": []}
        for path in lib.files(".c", ".h", under="src/" + station):
            for i, line in enumerate(lib.read(path).splitlines(), 1):
                found["HB_FN_"] += ["%s:%d" % (path, i)] * len(re.findall(r"\bHB_FN_MPIX?_\w+", line))
                one = COMPARES.search(line) and any(names_one(t, names) for t in TEXT.findall(line))
                if one or LOOKS_INTO.search(line):
                    found["names in texts"].append("%s:%d" % (path, i))
        for (what, places), most in zip(found.items(), (numbers, texts)):
            fewer = len(places) < most and bool(os.environ.get("HBDB_TOP"))  # a small tree of the self-test
            wrong = [] if len(places) == most or fewer else ["%d %s, the number here is %d; the last: %s" % (
                len(places), what, most, ", ".join(places[-3:]))]
            report.check("src/%s: %s" % (station, what), wrong)


def run(report):
    for station in ("format", "model", "rules", "capture/core", "capture/user", "capture/heap"):
        if any(lib.files(*C, under="src/" + station)):
            report.check("src/%s does not know MPI" % station, list(findings("src/" + station, MPI, "MPI")))
    elsewhere = [f for f in findings("src/tool", MPI, "MPI") if not f.startswith("src/tool/parallel/")]
    report.check("src/tool does not know MPI, but for the program in src/tool/parallel", elsewhere)
    said = []
    for path in lib.files(*C, under="src/capture/core"):
        said += ["%s:%d: %s" % (path, i, m[0]) for i, line in enumerate(lib.read(path).splitlines(), 1)
                 for m in re.finditer(r'(?<=")[^"]*\bMPIX?_[A-Z][a-z]\w*', line.partition("/*")[0])]
    report.check("messages of src/capture/core name no function of MPI: its layer tells them", said)
    elsewhere = [f for f in findings("src", FAMILY, "a difference of the MPIs") if not f.startswith("src/capture/mpi/family/")]
    report.check("differences of the MPIs stand in src/capture/mpi/family/", elsewhere)
    for under, names in CALLS.items():
        if not under or any(lib.files(*C, under=under)):
            found = list(findings(under, calls_of(names), "banned"))
            report.check("no banned calls in %s" % (under or "any C file"), found)
    named_outside_of_the_table(report)


lib.main(run)
