#!/usr/bin/python3
"""Words that have their place: MPI not in format, model, rules; what differs between the two MPIs only in
src/capture/mpi/; functions that C would be better without nowhere; no printing and leaving in libraries and targets."""
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


def run(report):
    for station in ("format", "model", "rules"):
        if any(lib.files(*C, under="src/" + station)):
            report.check("src/%s does not know MPI" % station, list(findings("src/" + station, MPI, "MPI")))
    elsewhere = [f for f in findings("src", FAMILY, "a difference of the MPIs") if not f.startswith("src/capture/mpi/")]
    report.check("differences of the MPIs stand in src/capture/mpi/", elsewhere)
    for under, names in CALLS.items():
        if not under or any(lib.files(*C, under=under)):
            found = list(findings(under, calls_of(names), "banned"))
            report.check("no banned calls in %s" % (under or "any C file"), found)


lib.main(run)
