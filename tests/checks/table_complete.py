#!/usr/bin/python3
"""Proves src/calls/mpi.calls complete and right, for each MPI library by itself.

  table_complete.py [--table FILE] [--lib [openmpi=|mpich=]LIBRARY.so]...

Names: what mpi.h declares or the C library exports, minus what the table wraps, is the table's list of
unsupported names. Types: every wrapped function is declared again from the kinds of its row behind the
library's own mpi.h; the compiler compares. With --lib also: the capture library exports MPI_X and PMPI_X
of every wrapped row and nothing else of that form. Each run also breaks the table on purpose and expects
to be told: a check that cannot fail proves nothing.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "..", "..", "src", "calls", "mpi.calls")

# name: (compiler, extra flags, shared object). The flag makes Open MPI declare what MPI-3.0 removed and it exports.
LIBRARIES = {
    "openmpi": ("mpicc.openmpi", ["-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", "-DOMPI_SKIP_MPICXX"], "libmpi.so.40"),
    "mpich": ("mpicc.mpich", ["-DMPICH_SKIP_MPICXX"], "libmpich.so.12"),
}
# How many MPI_ functions a program sees that includes mpi.h without further ado, by version: the oldest first.
EXPECTED = {"openmpi": {"4.1": 405, "5.0": 458}, "mpich": {"4.0": 623, "4.2": 672}}

CLASSES = set("local send recv complete probe collective comm rma io special unsupported".split())
FLAGS = set("event nonblocking persistent poll start clock matched double aint large callback later gone empty in_place frees unfreed meets tool anytime".split())
# What a function means: the values are checked by the compiler, for each is an enumerator of src/calls/meaning.h.
COLUMNS = set("does mode order moves fit takes topology flavor bridge alike given otf2 needs turn tells alone answers base".split())

KINDS = {}  # kind: (C type, C type in the _c variant)
for line in """
sbuf:const void * | rbuf ptr pptr:void * | cstr:const char * | str:char *
size int icount dest source root tag color key nreq keyval order partition fence:int
cintptr members ranks grid nodes neighbors perdim:const int * | ranges:int (*)[3]
intptr keyvalptr newkeyval flag index indices outcount:int *
dtype:MPI_Datatype | dtypes:const MPI_Datatype * | newtype lent newtypes typeptr:MPI_Datatype *
comm:MPI_Comm | newcomm commptr:MPI_Comm * | op:MPI_Op | opptr:MPI_Op *
request newreq reqs:MPI_Request * | status statuses:MPI_Status * | message newmsg:MPI_Message *
win:MPI_Win | winptr:MPI_Win * | file:MPI_File | fileptr:MPI_File * | info keys:MPI_Info | infoptr:MPI_Info *
group partners:MPI_Group | groupptr:MPI_Group * | errh:MPI_Errhandler | errhptr:MPI_Errhandler *
session:MPI_Session | sessionptr:MPI_Session * | aint:MPI_Aint | aintptr:MPI_Aint *
offset:MPI_Offset | offsetptr:MPI_Offset * | cnt:MPI_Count | cntptr:MPI_Count *
count:int;MPI_Count | counts:const int *;const MPI_Count *
displs:const int *;const MPI_Aint * | disp:MPI_Aint;MPI_Count
""".strip().splitlines():
    for part in line.split("|"):
        names, types = part.strip().split(":")
        small, _, large = types.partition(";")
        for one in names.split():
            KINDS[one] = (small, large or small)
EITHER = {"anyints": ("int *", "const int *")}  # one version has it so, another one so
KINDS["anyints"] = EITHER["anyints"]

Row = collections.namedtuple("Row", "line name cls flags params reason only")  # params: [(name, {library: kind})]


class Bad(Exception):
    """A row that cannot be read."""


def split_outside_brackets(text):
    """Words of a row: blanks inside parentheses belong to a C type."""
    words, depth, word = [], 0, ""
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == " " and depth == 0:
            words += [word] if word else []
            word = ""
        else:
            word += c
    if depth:
        raise Bad("unbalanced parentheses")
    return words + ([word] if word else [])


def check_kind(kind):
    if not (kind in KINDS or re.fullmatch(r"as\(.+\)", kind)):
        raise Bad(f"unknown kind {kind!r}")
    return kind


def parse_param(word):
    name, colon, kind = word.partition(":")
    if not colon or not re.fullmatch(r"[a-z]\w*", name):
        raise Bad(f"not a parameter: {word!r}")
    parts = dict(p.partition("=")[::2] for p in kind.split("|")) if re.match(r"(openmpi|mpich)=", kind) else None
    if parts is None:
        return name, {lib: check_kind(kind) for lib in LIBRARIES}
    if set(parts) != set(LIBRARIES):
        raise Bad(f"not one kind for each library: {word!r}")
    return name, {lib: check_kind(k) for lib, k in parts.items()}


def parse_row(number, text):
    column = re.compile(r'^(MPIX?_\w+ \S+) (\w+)=(?:"[^"]*"|\S+)')
    while given := column.match(text):
        if given[2] not in COLUMNS:
            raise Bad(f"unknown column {given[2]!r}")
        text = given[1] + text[given.end():]
    reason = re.search(r'\s"([^"]+)"$', text)
    words = split_outside_brackets(text[:reason.start()] if reason else text)
    only = words.pop()[1:] if words[-1].startswith("@") else None
    if only and only not in LIBRARIES:
        raise Bad(f"unknown library @{only}")
    if len(words) < 2 or not re.fullmatch(r"MPIX?_\w+", words[0]):
        raise Bad("not a row")
    cls, *flags = words[1].split(",")
    if cls not in CLASSES or not set(flags) <= FLAGS or len(set(flags)) != len(flags):
        raise Bad(f"class or flags: {words[1]!r}")
    if (cls == "unsupported") != bool(reason) or (reason and (set(flags) - {"later", "gone"} or words[2:])):
        raise Bad("an unsupported row has a reason and nothing else, other rows have none")
    params = [parse_param(w) for w in words[2:]]
    if len({p for p, _ in params}) != len(params):
        raise Bad("two parameters of one name")
    return Row(number, words[0], cls, set(flags), params, reason and reason.group(1), only)


def read_table(path):
    """Rows and the messages about what is not one."""
    rows, errors, seen = [], [], {}
    with open(path, encoding="utf-8") as f:
        for number, text in enumerate(f, 1):
            text = text.strip()
            if not text or text.startswith("#"):
                continue
            try:
                row = parse_row(number, text)
            except Bad as e:
                errors.append(f"{path}:{number}: {e}")
                continue
            for name in names_of(row):
                if (name, row.only) in seen or (name, None) in seen:
                    errors.append(f"{path}:{number}: {name} stands a second time")
                seen[name, row.only] = number
            rows.append(row)
    return rows, errors


def names_of(row):
    return [row.name, row.name + "_c"] if "large" in row.flags else [row.name]


def run(command, **kw):
    return subprocess.run(command, capture_output=True, text=True, check=True, **kw).stdout


INCLUDES = ["#include <mpi.h>", "#if __has_include(<mpi-ext.h>)", "#include <mpi-ext.h>", "#endif"]


def declared(library, defaults=False):
    """Functions that mpi.h and mpi-ext.h declare; defaults: as a program sees it that includes mpi.h and defines nothing."""
    compiler, flags, _ = LIBRARIES[library]
    text = run([compiler, "-E", "-P", *([] if defaults else flags), "-x", "c", "-"], input="\n".join(INCLUDES[:1] if defaults else INCLUDES) + "\n")
    text = re.sub(r"\btypedef\b[^;]*;", ";", text)  # function types name no function
    return set(re.findall(r"(?<![\w.])(MPIX?_\w+)\s*\((?!\s*\*)", text))


def symbols(path, pattern):
    """Exported functions. A name without a lower case letter is a constant or a Fortran entry."""
    found = re.findall(r" [TWi] (\w+)", run(["nm", "-D", "--defined-only", path]))
    return {n for n in found if re.fullmatch(pattern, n) and re.search("[a-z]", n.partition("_")[2])}


def shared_object(name):
    paths = re.findall(rf"^\s*{re.escape(name)} .*=> (\S+)$", run(["/sbin/ldconfig", "-p"]), re.M)
    if not paths:
        raise SystemExit(f"table_complete: {name} is not installed")
    return paths[0]


def wrapped_by(rows, library):
    return {n for r in rows if r.cls != "unsupported" and r.only in (None, library) for n in names_of(r)}


def unsupported_by(rows, library):
    return {r.name for r in rows if r.cls == "unsupported" and r.only in (None, library)}


def excused(rows):
    """Names that need not be there with the versions that are installed."""
    at = {lib: list(EXPECTED[lib]).index(version(lib)) for lib in LIBRARIES if version(lib) in EXPECTED[lib]}
    names = {"later"} if 0 in at.values() else set()
    names |= {"gone"} if any(i == len(EXPECTED[lib]) - 1 for lib, i in at.items()) else set()
    return {n for r in rows if r.flags & names for n in names_of(r)}


def compare_names(rows, library, known):
    """known: {library: names}. Both ways: nothing forgotten, nothing listed that neither library has."""
    wrapped, listed = wrapped_by(rows, library), unsupported_by(rows, library)
    anywhere = set().union(excused(rows), *known.values())
    errors = [f"{library}: {n} is not in the table" for n in sorted(known[library] - wrapped - listed)]
    errors += [f"{library}: {n} is in the table, but no library has it" for n in sorted((wrapped | listed) - anywhere)]
    for row in rows:
        if row.only == library and row.name not in known[library]:
            errors.append(f"{library}: {row.name} says @{library}, which does not have it")
    if (known[library] - wrapped) != (listed & known[library]):
        errors.append(f"{library}: names minus wrapped is not the unsupported list")
    return errors


def prototype(row, library, name):
    """A declaration; or, where versions differ, a question whether the function has one of the types."""
    large = name != row.name
    result = "double" if "double" in row.flags else "MPI_Aint" if "aint" in row.flags else "int"

    def ctype(kind, which):
        return kind[3:-1] if kind.startswith("as(") else KINDS[kind][which if kind in EITHER else large]

    kinds = [(param, kinds[library]) for param, kinds in row.params]
    if any(kind in EITHER for _, kind in kinds):
        types = [f"{result} (*)({', '.join(f'__typeof__({ctype(kind, which)})' for _, kind in kinds)})" for which in (0, 1)]
        return f'_Static_assert(_Generic({name}, {types[0]}: 1, {types[1]}: 1, default: 0), "conflicting types");'
    return f"{result} {name}({', '.join(f'__typeof__({ctype(kind, 0)}) {param}' for param, kind in kinds) or 'void'});"


def compare_types(rows, library, have):
    """Declares again what the header declares; the compiler's errors, each with the row it belongs to."""
    compiler, flags, _ = LIBRARIES[library]
    lines, where = INCLUDES[:], {}
    for row in rows:
        if row.cls == "unsupported" or row.only not in (None, library):
            continue
        for name in names_of(row):
            if name in have:
                lines.append(prototype(row, library, name))
                where[len(lines)] = row
    command = [compiler, "-std=gnu17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-fmax-errors=0",
               "-Wno-deprecated-declarations", *flags, "-x", "c", "-"]
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    errors = []
    for number, message in re.findall(r"<stdin>:(\d+):\d+: error: (.*)", done.stderr):
        row = where.get(int(number))
        errors.append(f"{library}: mpi.calls:{row.line if row else '?'}: {lines[int(number) - 1]}\n    {message}")
    if done.returncode and not errors:
        errors.append(f"{library}: {compiler} failed:\n{done.stderr}")
    return errors, len(where)


def version(library):
    """The first two numbers of the version that the header tells."""
    macros = run([LIBRARIES[library][0], "-E", "-dM", "-x", "c", "-"], input="#include <mpi.h>\n")
    if library == "openmpi":
        return ".".join(re.search(rf"#define OMPI_{part}_VERSION (\d+)", macros)[1] for part in ("MAJOR", "MINOR"))
    return re.search(r'#define MPICH_VERSION "(?:.*really)?(\d+\.\d+)', macros)[1]


def controls(rows, library, known, have):
    """What must be noticed when the table is damaged."""
    send = next(r for r in rows if r.name == "MPI_Send")
    others = [r for r in rows if r is not send]
    errors = []
    if not compare_names(others, library, known):
        errors.append(f"{library}: a table without MPI_Send passes")
    if not compare_names(rows + [send._replace(name="MPI_Sned", flags=set())], library, known):
        errors.append(f"{library}: a table with a name that nobody has passes")
    for kind in ("rbuf", "count"):  # not const any more; no pointer any more
        damaged = send._replace(params=[(send.params[0][0], dict.fromkeys(LIBRARIES, kind))] + send.params[1:])
        if not compare_types(others + [damaged], library, have)[0]:
            errors.append(f"{library}: MPI_Send with a buffer of kind {kind} passes")
    return errors


def compare_capture(rows, library, path, have):
    names = symbols(path, r"P?MPIX?_\w+")
    later = {r.name for r in rows if "later" in r.flags}
    wanted = wrapped_by(rows, library) & (have | later)
    wanted |= {"P" + n for n in wanted}
    return ([f"{path}: {n} is not exported" for n in sorted(wanted - names)] +
            [f"{path}: {n} is exported, but not wrapped by the table" for n in sorted(names - wanted)])


class Tally:
    """Counts checks and prints what failed."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, title, errors):
        self.passed += not errors
        self.failed += bool(errors)
        if errors:
            print(f"FAILED {title}")
            print("\n".join("  " + e for e in errors))


def which_library(argument):
    library, equals, path = argument.partition("=")
    if equals and library in LIBRARIES:
        return library, path
    found = [n for n in LIBRARIES if n in os.path.basename(argument)]
    if len(found) != 1:
        raise SystemExit(f"table_complete: {argument}: which MPI? say openmpi=PATH or mpich=PATH")
    return found[0], argument


def check_library(tally, rows, library, known, have, exported):
    seen = {n for n in declared(library, defaults=True) if n.startswith("MPI_")}
    expected = EXPECTED[library].get(version(library))
    tally.check(f"{library}: count", [] if len(seen) == expected else
                [f"{version(library)}: mpi.h declares {len(seen)} MPI_ functions, expected {expected}"])
    tally.check(f"{library}: names", compare_names(rows, library, known))
    wrapped = wrapped_by(rows, library) & known[library]
    tally.check(f"{library}: the library exports what is wrapped",
                [f"{library}: {n} is declared, not exported" for n in sorted(wrapped - exported)] +
                [f"{library}: {n} is exported, not declared: its type is not proved" for n in sorted(wrapped - have)])
    errors, compared = compare_types(rows, library, have)
    tally.check(f"{library}: types", errors + ([] if compared == len(wrapped) else
                                               [f"{compared} of {len(wrapped)} prototypes compared"]))
    tally.check(f"{library}: a damaged table is noticed", controls(rows, library, known, have))
    print(f"{library} {version(library)}: mpi.h declares {len(seen)} MPI_ functions; with removed ones, extensions and exports "
          f"{len(known[library])}: {len(wrapped)} wrapped ({compared} prototypes compared), "
          f"{len(unsupported_by(rows, library) & known[library])} unsupported")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", default=os.path.normpath(TABLE))
    parser.add_argument("--lib", action="append", default=[], help="a capture library, as PATH or openmpi=PATH")
    args = parser.parse_args()
    tally = Tally()
    rows, errors = read_table(args.table)
    tally.check("rows", errors)
    have = {lib: declared(lib) for lib in LIBRARIES}
    exported = {lib: symbols(shared_object(spec[2]), r"MPIX?_\w+") for lib, spec in LIBRARIES.items()}
    known = {lib: have[lib] | exported[lib] for lib in LIBRARIES}
    for library in LIBRARIES:
        check_library(tally, rows, library, known, have[library], exported[library])
    for library, path in map(which_library, args.lib):
        errors = compare_capture(rows, library, path, have[library])
        tally.check(f"{path}: exports", errors)
        print(f"{path}: {'differs from' if errors else 'exports exactly'} the {library} rows, as MPI_ and PMPI_")
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
