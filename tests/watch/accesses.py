#!/usr/bin/python3
"""What instrumented programs tell of their accesses: records, identities, dynamic control. The programs say in comments (@label) which lines matter."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
sys.path.insert(0, os.path.join(HERE, "..", "trace"))
import decode  # noqa: E402
import lib  # noqa: E402
from lib import HBDB, TOP, check, same  # noqa: E402

FINDINGS = ["UNWRITTEN", "NOT_LOCAL", "SHADOW_WRITE", "SHADOW_STALE", "READ_ONLY", "DEPENDENCE", "REMOTE", "REDUCTION", "UNWRITTEN_LOCAL"]
REAL8, REAL4, INTEGER4, INTEGER8, INTEGER1, COMPLEX16, COMPLEX8 = range(7)
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n", "2"],
          "mpich": ["mpirun.mpich", "-n", "2"]}
COMPILERS = {"openmpi": ["cc", "mpicc.openmpi"], "mpich": ["cc", "mpicc.mpich"],
             "gcc": ["cc", "gcc"], "clang": ["cc", "clang"], "g++": ["cc", "g++"], "clang++": ["cc", "clang++"], "gfortran": ["fc", "gfortran"]}


def labels(source):
    return {m[1]: n for n, line in enumerate(open(os.path.join(HERE, "programs", source)), 1) for m in [re.search(r"@(\w+)", line)] if m}


class Runs:
    def __init__(self, place):
        self.place, self.n = place, 0

    def build(self, compiler, source, *flags):
        """The instrumented program."""
        self.n += 1
        name = "%s/p%d" % (self.place.path, self.n)
        done = subprocess.run([HBDB, *COMPILERS[compiler], "-g", *flags, "-I", TOP + "/include", "-o", name,
                               os.path.join(HERE, "programs", source)], cwd=self.place.path, env=self.place.env, capture_output=True, text=True)
        check("%s %s compiles %s" % (compiler, " ".join(flags), source), done.returncode == 0 and not done.stderr, done.stderr)
        return name + ".hbdb-watched"

    def trace(self, program, settings, threads=4):
        self.n += 1
        with open("%s/settings" % self.place.path, "w") as f:
            f.write(settings)
        name = "r%d" % self.n
        status, out, err = self.place.run("record", "--mpi", "openmpi", "--trace", "settings", "-o", name + ".hbdb", "--", program,
                                         env={"OMP_NUM_THREADS": str(threads)}, timeout=300)
        alone = subprocess.run([program], capture_output=True, text=True, env=dict(self.place.env, OMP_NUM_THREADS=str(threads)))
        check("%s runs" % program, status == 0, err)
        got = decode.Trace("%s/%s.hbdb/rank.0.trace" % (self.place.path, name))
        got.lines, got.output, got.alone = lines_of(got, program), out, alone.stdout
        check("its trace is whole", got.over and got.whole)
        return got


def lines_of(trace, program):
    """{number of a place: line}, by the debugging information of the program."""
    places = {p["number"]: p["offset"] - p["back"] for p in trace.of("PLACE")}
    asked = subprocess.run(["addr2line", "-e", program], input="".join("%x\n" % at for at in places.values()), capture_output=True,
                           text=True, check=True).stdout.splitlines()
    return {n: int(re.search(r":(\d+|\?)", line)[1].replace("?", "0")) for n, line in zip(places, asked)}


def arrays(trace):
    return {a["name"]: (a["line"], a["element"], a["dims"][0][1]) for a in trace.of("ARRAY")}


def accesses(trace, name, line):
    """(kind, element, value) of an array at a line, in order."""
    return [(r["kind"], r["element"], r["value"]) for r in trace.of("READ", "BEFORE", "AFTER")
            if r["array"]["name"] == name and trace.lines[r["place"]] == line]


def records(runs, compiler, optimise):
    at = labels("records.c")
    name = "%s %s: " % (compiler, optimise)
    got = runs.trace(runs.build(compiler, "records.c", optimise), "level FULL\n")
    same(name + "it prints what it prints alone", got.output, got.alone)
    known = arrays(got)
    for array, line, element, n in (("v", 0, REAL8, 6), ("u", at["u"], REAL8, 6), ("grid", at["grid"], REAL8, 6), ("flags", at["flags"], INTEGER4, 6),
                                    ("raw", at["raw"], REAL4, 16), ("z", at["z"], COMPLEX8, 8), ("k", at["k"], INTEGER8, 8),
                                    ("box.p", at["box"], REAL8, 8), ("bytes", at["bytes"], INTEGER1, 64), ("lent", at["lent"], INTEGER4, 16), ("large", at["large"], REAL8, 100000), ("rows[i]", at["rows"], REAL8, 8)):
        there = known.get(array, (0, None, None))
        same(name + array + " is known by name, line, type and size", ((there[0] if line else 0),) + there[1:], (line, element, n))
    same(name + "the ordinal counts what was allocated, and not what was accessed",
         [a["ordinal"] for a in got.of("ARRAY") if a["name"] == "rows[i]"], [1])
    check(name + "nothing else is", set(known) <= {"v", "u", "grid", "flags", "raw", "z", "k", "box.p", "bytes", "lent", "rows[i]", "large"}, known)
    same(name + "writes, with the values before and after", accesses(got, "u", at["store"]),
         [("BEFORE", 1, 0.0), ("AFTER", 1, 10.0), ("BEFORE", 2, 0.0), ("AFTER", 2, 20.0)])
    same(name + "reads", accesses(got, "v", at["sum"]), [("READ", 1, 0.0), ("READ", 2, 0.0)])
    same(name + "what is read and written", accesses(got, "flags", at["add"]),
         [("READ", 1, 0), ("BEFORE", 1, 0), ("AFTER", 1, 1), ("READ", 2, 0), ("BEFORE", 2, 0), ("AFTER", 2, 1)])
    same(name + "memcpy reads", [a for a in accesses(got, "u", at["copy"]) if a[1] < 3], [("READ", 1, 10.0), ("READ", 2, 20.0)])
    wrote = accesses(got, "v", at["copy"])
    check(name + "memcpy writes", set(wrote) == {("BEFORE", 1, 0.0), ("BEFORE", 2, 0.0), ("AFTER", 1, 10.0), ("AFTER", 2, 20.0)}, wrote)
    got = runs.trace(runs.build(compiler, "records.c", optimise), "level MODIFY\n")
    check(name + "level MODIFY has writes alone", got.of("AFTER") and not got.of("READ"))
    got = runs.trace(runs.build(compiler, "records.c", optimise), "checksum accessed\n")
    touched = {r["array"]["name"]: r["access"] for r in got.of("CHECKSUM")}
    for array, how in (("v", 3), ("u", 3), ("grid", 2), ("flags", 3), ("bytes", 2)):
        same(name + "how the loop touched " + array, touched.get(array), how)


def fortran(runs):
    at = labels("records.f90")
    got = runs.trace(runs.build("gfortran", "records.f90", "-O1", "-fopenmp"), "level MODIFY\n", 1)
    same("gfortran: it prints what it prints alone", got.output, got.alone)
    same("gfortran: arrays of modules, allocated and static", arrays(got),
         {"u": (at["u"], REAL8, 8), "v": (at["v"], REAL8, 10), "mine": (at["mine"], REAL4, 8), "w": (at["w"], REAL8, 8),
          "z": (at["z"], COMPLEX16, 4), "k": (at["k"], INTEGER4, 8)})
    got = runs.trace(runs.build("gfortran", "records.f90", "-O1", "-fopenmp"), "control\n", 1)
    same("gfortran: the dependence", found(got), {("DEPENDENCE", "w", at["dependence"])})
    same("gfortran: ... with its iterations", [(c["index"], c["other_index"]) for c in got.of("CONTROL")][:1], [((3,), (2,))])


def vector(runs, compiler, optimise):
    at = labels("vector.cc")
    got = runs.trace(runs.build(compiler, "vector.cc", optimise), "level FULL\n")
    known = [(a["name"], a["element"], a["dims"][0][1]) for a in got.of("ARRAY")]
    same("%s %s: vectors and new" % (compiler, optimise), sorted(known), [("heap", REAL8, 16), ("heap", INTEGER4, 10), ("n", REAL8, 16)])
    same("%s %s: the line of new" % (compiler, optimise), [a["line"] for a in got.of("ARRAY") if a["name"] == "n"], [at["n"]])


def plugin(runs):
    """A program in C that loads a library in C++ for that library alone: operator new is in no library of the whole program."""
    folder = runs.place.path
    with open(folder + "/plugin.cc", "w") as f:
        f.write('#include <new>\nextern "C" int works(void)\n{\n\tint *a = new int(3), *b = new (std::nothrow) int[4]();\n\tint sum = *a + b[2];\n'
                "\tdelete a;\n\tdelete[] b;\n\treturn sum;\n}\n")
    with open(folder + "/loads.c", "w") as f:
        f.write("#include <dlfcn.h>\n#include <stdio.h>\nint main(int argc, char **argv)\n{\n\tvoid *it = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);\n"
                '\tint (*works)(void) = it ? (int (*)(void))dlsym(it, "works") : NULL;\n\tprintf("%d\\n", works ? works() : -1);\n\treturn 0;\n}\n')
    with open(folder + "/settings", "w") as f:
        f.write("level CHECKSUM\n")
    for flags in ((), ("-static-libstdc++",)):
        subprocess.run(["g++", "-shared", "-fPIC", *flags, "-o", "plugin.so", "plugin.cc"], cwd=folder, check=True)
        subprocess.run(["gcc", "-o", "loads", "loads.c"], cwd=folder, check=True)
        status, out, err = runs.place.run("record", "--mpi", "openmpi", "--trace", "settings", "-o", "plugin.hbdb", "--", "./loads", "./plugin.so")
        check("a plugin in C++ of a program in C runs %s" % " ".join(flags), out == "3\n" and status in (0, 2), (status, out, err))


def found(trace):
    return {(FINDINGS[c["finding"]], trace.arrays[c["array"]]["name"] if c["array"] else None, trace.lines[c["place"]])
            for c in trace.of("CONTROL")}


def control(runs, compiler):
    at = labels("control.c")
    got = runs.trace(runs.build(compiler, "control.c", "-O0"), "control\n")
    same(compiler + ": what dynamic control finds", found(got), {
        ("DEPENDENCE", "f", at["dependence"]), ("READ_ONLY", "lookup", at["constant"]), ("SHADOW_WRITE", "u", at["shadow"]),
        # the shadow element is read by the iteration of which it is the neighbour, behind the one that writes it
        ("DEPENDENCE", "u", at["neighbours"]), ("REMOTE", "u", at["remote"]), ("SHADOW_STALE", "u", at["neighbours"]),
        ("REDUCTION", "total", at["early"]), ("UNWRITTEN", "w", at["unwritten"]), ("NOT_LOCAL", "f", at["beyond"])})
    places = [(c, got.lines.get(c["other"])) for c in got.of("CONTROL") if FINDINGS[c["finding"]] == "DEPENDENCE"
              and got.arrays[c["array"]]["name"] == "f"]
    same(compiler + ": iterations and lines of the dependence", [(c["index"], c["other_index"], c["element"], line) for c, line in places],
         [((3,), (2,), 1, at["neighbours"])])
    beyond = [c["element"] for c in got.of("CONTROL") if FINDINGS[c["finding"]] == "NOT_LOCAL"]
    same(compiler + ": the element beyond", beyond, [8])
    got = runs.trace(runs.build(compiler, "control.c", "-O0", "-DRIGHT"), "control\n")
    same(compiler + ": nothing of the right program", found(got), set())
    same(compiler + ": it prints what it prints alone", got.output, got.alone)


def halo(runs, mpi):
    """Two processes: a halo that MPI brings is up to date, whatever it brings."""
    at = labels("halo.c")
    for flags, wanted in (((), set()), (("-DLATE",), {("SHADOW_STALE", "u", at["read"])})):
        program = runs.build(mpi, "halo.c", "-O1", "-Wno-stringop-overflow", *flags)
        with open(runs.place.path + "/settings", "w") as f:
            f.write("control\n")
        name = "halo-%s%d" % (mpi, len(flags))
        status, out, err = runs.place.run("record", "--trace", "settings", "-o", name + ".hbdb", "--", *LAUNCH[mpi], program, timeout=300)
        check("%s %s: it runs" % (mpi, flags), status == 0, err)
        for rank in range(2):
            got = decode.Trace("%s/%s.hbdb/rank.%d.trace" % (runs.place.path, name, rank))
            got.lines = lines_of(got, program)
            same("%s %s: process %d" % (mpi, flags, rank), found(got), wanted)


def races(runs, compiler):
    at = labels("races.c")
    got = runs.trace(runs.build(compiler, "races.c", "-O1", "-fopenmp"), "control\n")
    pairs = {(got.arrays[c["array"]]["name"], got.lines[c["place"]], got.lines[c["other"]]) for c in got.of("CONTROL")}
    same(compiler + ": only dependences", {FINDINGS[c["finding"]] for c in got.of("CONTROL")}, {"DEPENDENCE"})
    lines = {l for p in pairs for l in p[1:]}
    # chunks are known of GCC's library; LLVM's threads may take them so that no two that meet are of different threads
    for label in ("chain", "shared", "early", "late") + (("pairs",) if compiler == "gcc" else ()):
        check("%s: the race at line %d (%s)" % (compiler, at[label], label), at[label] in lines, pairs)
    expected = {at[l] for l in ("chain", "pairs", "shared", "early", "late", "head", "loop")} | {0, at["chain"] - 2, at["chain"] - 1}
    check(compiler + ": nothing else", lines <= expected, pairs)
    got = runs.trace(runs.build(compiler, "races.c", "-O1", "-fopenmp", "-DRIGHT"), "control\n")
    same(compiler + ": nothing of the right program", found(got), set())
    return {at[l] for l in ("chain", "pairs", "shared", "early", "late")} & lines


def sanitizer(runs, ours):
    """The same program under ThreadSanitizer, which knows LLVM's OpenMP by a tool of it: every race that it finds in this run is ours, too."""
    archer = "/usr/lib/llvm-14/lib/libarcher.so"
    if not os.path.exists(archer):
        print("ok (there is no libarcher to compare with)")
        return
    program = runs.place.path + "/sanitized"
    subprocess.run(["clang", "-g", "-O1", "-fopenmp", "-fsanitize=thread", os.path.join(HERE, "programs", "races.c"), "-o", program], check=True)
    said = subprocess.run(["setarch", "-R", program], capture_output=True, text=True, env=dict(os.environ, OMP_NUM_THREADS="4",
            OMP_TOOL_LIBRARIES=archer, TSAN_OPTIONS="ignore_noninstrumented_modules=1")).stderr
    theirs = {int(n) for n in re.findall(r"#0 .*races\.c:(\d+)", said)} & set(labels("races.c").values())
    at = labels("races.c")
    theirs -= {at["head"], at["loop"]}
    print("ThreadSanitizer's lines: %s; ours: %s" % (sorted(theirs), sorted(ours)))
    check("every line of a race of ThreadSanitizer's is one of ours", theirs <= ours, (theirs, ours))


def ways(runs):
    """How the instrumented program comes to run: in the place of the plain one; linked with ThreadSanitizer's library, which ours stands for."""
    at = labels("control.c")
    program = runs.build("gcc", "control.c", "-O0")
    plain = program[:-len(".hbdb-watched")]
    wanted = ("READ_ONLY", "lookup", at["constant"])

    def findings(command, name, symbols):
        with open(runs.place.path + "/settings", "w") as f:
            f.write("control\n")
        runs.place.run("record", "--mpi", "openmpi", "--trace", "settings", "-o", name, "--", command)
        got = decode.Trace("%s/%s/rank.0.trace" % (runs.place.path, name))
        got.lines = lines_of(got, symbols)
        return found(got)
    check("the plain program becomes the instrumented one", wanted in findings(plain, "exec.hbdb", program))
    os.utime(program, (1, 1))
    same("... but not an older one", findings(plain, "old.hbdb", plain), set())
    linked = runs.place.path + "/linked"
    subprocess.run(["gcc", "-g", "-O0", "-fsanitize=thread", "-I", TOP + "/include", os.path.join(HERE, "programs", "control.c"), "-o", linked], check=True)
    check("a program linked with libtsan", wanted in findings(linked, "linked.hbdb", linked))


def main():
    with lib.Place(libraries=False) as place:
        runs = Runs(place)
        for compiler in ("gcc", "clang"):
            for optimise in ("-O0", "-O2"):
                records(runs, compiler, optimise)
            control(runs, compiler)
        fortran(runs)
        for mpi in ("openmpi", "mpich"):
            halo(runs, mpi)
        for compiler in ("g++", "clang++"):
            for optimise in ("-O0", "-O2"):
                vector(runs, compiler, optimise)
        plugin(runs)
        ways(runs)
        ours = races(runs, "gcc")
        ours |= races(runs, "clang")
        sanitizer(runs, ours)
    lib.finish()


main()
