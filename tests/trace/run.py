#!/usr/bin/python3
"""Traces of programs whose constructs, arrays and points are known: marks and OpenMP, both MPIs, levels, windows, limits, ends of all kinds."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
import decode

BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
HBDB = os.path.join(BUILD, "hbdb")
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n"],
          "mpich": ["mpiexec.mpich", "-n"]}
folder = tempfile.mkdtemp(prefix="hbdb-trace.")
count = {"passed": 0, "failed": 0}


def check(good, what, more=""):
    count["passed" if good else "failed"] += 1
    print("%s %s%s" % ("ok" if good else "FAIL", what, "" if good else "\n     " + str(more)[-2000:].replace("\n", "\n     ")), flush=True)
    return good


def run(*command, env=None, timeout=300):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=timeout,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, XDG_STATE_HOME=folder + "/state", **(env or {})))
    done.all = done.stdout + done.stderr
    return done


def compiled(name, *options, compiler="gcc", to=None):
    to = to or "%s-%s" % (name.split(".")[0], compiler)
    done = run(compiler, "-g", "-O1", "-I", os.path.join(TOP, "include"), "-o", to, os.path.join(HERE, "programs", name), *options)
    check(done.returncode == 0, "%s compiles %s" % (compiler, name), done.all)
    return "./" + to


number = 0


def traced(command, *settings, env=None, wanted=0):
    """The traces of a recorded run, by rank, and what it printed."""
    global number
    number += 1
    name = "run%d" % number
    with open(os.path.join(folder, name + ".settings"), "w") as f:
        f.write("".join(line + "\n" for line in settings))
    done = run(HBDB, "record", "--trace", name + ".settings", "-o", name + ".hbdb", "--", *command, env=env)
    if wanted is not None:
        check(done.returncode == wanted, "%s: status %d" % (" ".join(command[-2:]), wanted), done.all)
    traces, at = [], os.path.join(folder, name + ".hbdb")
    for i in range(64):
        path = os.path.join(at, "rank.%d.trace" % i)
        if not os.path.exists(path):
            break
        traces.append(decode.Trace(path))
    done.folder = at
    return traces, done


def iterations(trace, thread=None):
    # without indices: behind the iterations of a chunk, of which it is not known which one is done
    return [r["index"] for r in trace.of("ITERATION") if r["index"] and (thread is None or r["thread"] == thread)]


def summed(trace):
    """The points at whose ends checksums stand."""
    found, pending = [], False
    for r in trace.records:
        if r["kind"] == "CHECKSUM":
            pending = True
        elif r["kind"] == "END":
            if pending:
                found.append(decode.text_of(r["point"]))
            pending = False
    return found


def sums(traces):
    """{(point, array): {tile: (hash, count)}} over all processes."""
    total = {}
    for trace in traces:
        pending = []
        for r in trace.records:
            if r["kind"] == "CHECKSUM":
                pending.append(r)
            elif r["kind"] == "END":
                for c in pending:
                    tiles = total.setdefault((decode.text_of(r["point"]), c["array"]["name"], c["array"]["ordinal"]), {})
                    for tile, value in c["tiles"].items():
                        old = tiles.get(tile, (0, 0))
                        tiles[tile] = ((old[0] + value[0]) % 2**64, old[1] + value[1])
                pending = []
    return total


# ---- marks ----

def marks_expected(steps):
    points = []
    n = 0
    for _ in range(steps):
        points += [("%d.B" % (n + 1), "PL", "sweep"), ("%d.E" % (n + 1), "PL", "sweep"), ("%d.B" % (n + 2), "TR", "tasks"),
                   ("%d.E" % (n + 2), "TR", "tasks"), ("%d.B" % (n + 3), "PT", "between"), ("%d.E" % (n + 3), "PT", "between")]
        n += 3
    return points + [("%d.B" % (n + 1), "PL", "sum"), ("%d.E" % (n + 1), "PL", "sum")]


def check_marks(what, traces, processes, steps, reference):
    if not check(len(traces) == processes and all(t.over and t.whole for t in traces), "%s: %d whole traces" % (what, processes), len(traces)):
        return
    tasks = {}
    for rank, trace in enumerate(traces):
        points = [p for p in trace.points() if p[0].count(".") == 1]
        check(points == marks_expected(steps), "%s: the points of rank %d are those of any run" % (what, rank), points)
        check((trace.rank, trace.size) == (rank, processes), "%s: rank and size" % what, (trace.rank, trace.size))
        for r in trace.of("BEGIN"):
            if len(r["point"]) == 3:
                tasks.setdefault(r["point"], []).append(rank)
    want = {(3 * s + 2, task, k): [task % processes] for s in range(steps) for task in range(4) for k in (1, 2)}
    check(tasks == want, what + ": each task has its points, in the process that did it", tasks)
    whole = {key: value for key, value in sums(traces).items() if key[0].count(".") == 0}
    check(whole and whole == {k: v for k, v in reference.items() if k[0].count(".") == 0}, what + ": the sums over all processes are those of one", whole)


def marks():
    alone, _ = traced([compiled("marks.c", "-DALONE"), "3"], "level CHECKSUM")
    reference = sums(alone)
    check(len(reference) == 10 + 24 and all(sum(t[1] for t in tiles.values()) == 48 * 48 for tiles in reference.values()),
          "alone: each point has a checksum of all elements", reference)
    check_marks("alone", alone, 1, 3, reference)
    for mpi, sizes in (("openmpi", (1, 2, 4)), ("mpich", (1, 2))):
        program = compiled("marks.c", compiler="mpicc." + mpi)
        for n in sizes:
            traces, done = traced(LAUNCH[mpi] + [str(n), program, "3"], "level CHECKSUM")
            check_marks("%s on %d" % (mpi, n), traces, n, 3, reference)
            results = {r["value"] for t in traces for r in t.of("RESULT")}
            check(results == {alone[0].of("RESULT")[0]["value"]}, "%s on %d: the result of the reduction" % (mpi, n), results)
        dumped = run(HBDB, "dump", "--plain", done.folder).stdout
        check("0:2 begin loop sweep(point=1)" in dumped and "begin loop part(region=2, task=0, point=1)" in dumped and "point between(point=3)" in dumped,
              mpi + ": points are events", dumped[:1500])
        replay = run(HBDB, "replay", done.folder)
        check(replay.returncode == 0 and "no difference" in replay.stderr, mpi + ": and are replayed", replay.all)
    events = {(r["kind"], r["point"]): r["event"] for r in traces[0].of("BEGIN", "END")}
    check(events[("BEGIN", (1,))] == 2 and events[("END", (1,))] == 3, "a record has the number of its event", events)


def identity():
    traces, _ = traced([compiled("arrays.c")], "level CHECKSUM")
    t = traces[0]
    names = [(a["name"], a["ordinal"], a["line"] > 0, a["file"]) for a in t.of("ARRAY")]
    check(names[:2] == [("made", 0, True, "arrays.c"), ("made", 1, True, "arrays.c")], "one line makes two arrays: ordinals", names)
    wholes = [a for a in t.of("ARRAY") if a["name"] == "whole"]
    check(len(wholes) == 2 and wholes[0]["number"] == wholes[1]["number"] and [w["dims"][0][1] for w in wholes] == [10, 5],
          "an array that is told again has changed, or not", wholes)
    at, now = {}, []
    for r in t.records:
        if r["kind"] == "CHECKSUM":
            now.append((r["array"]["name"], r["state"]))
        elif r["kind"] == "END":
            at[r["construct"]["name"]], now = sorted(now), []
    check(at["two"] == [("made", 0)] * 2 and at["one"] == [("made", 0)], "an array that is gone has no checksum", at)
    check([n for n, _ in at["overlap"]] == ["made", "part", "whole"] and any("taken for gone" in r["text"] for r in t.of("TROUBLE")),
          "memory is of one array: the older one is told to be gone", at["overlap"])
    check(("hole", 2) in at["strange"] and ("hole", 0) in at["readable"] and ("hole", 2) in at["unmapped"],
          "memory that cannot be read is told, and harms nobody", at)
    check(("strange", 3) in at["strange"] and ("nowhere", 3) in at["strange"] and not any(n == "flat" for n, _ in at["strange"]),
          "descriptions that make no sense", at["strange"])
    troubles = [r["text"] for r in t.of("TROUBLE") if r["what"] == 1]
    check(len(troubles) == 4 and all(any(w in x for x in troubles) for w in ("\"part\"", "\"strange\"", "0 dimensions", "no address")),
          "and each is told", troubles)


def nest():
    traces, _ = traced([compiled("nest.c")], "level CHECKSUM")
    t = traces[0]
    troubles = [r["text"] for r in t.of("TROUBLE")]
    check([x.split('"')[1] for x in troubles] == ["early", "outer", "", "before the first task", "deep"], "marks that do not fit are told", troubles)
    check([p[0] for p in t.points()] == ["1.B", "1.E", "2.B", "2.0.1.B", "2.0.1.E", "2.0.2.B", "2.0.2.E", "2.E", "3.B", "3.E"],
          "and the others have their points", t.points())
    check(t.over and t.records[-2]["kind"] == "END", "the nest is closed again", t.records[-2:])


# ---- what is wanted ----

def levels():
    program = compiled("limits.c")
    got = {}
    for level in ("NONE", "MINIMAL", "MODIFY", "FULL", "CHECKSUM"):
        traces, _ = traced([program], "level " + level)
        got[level] = {kind: len(traces[0].of(kind)) for kind in ("BEGIN", "END", "ITERATION", "CHECKSUM")}
    nothing = {"BEGIN": 0, "END": 0, "ITERATION": 0, "CHECKSUM": 0}
    some = {"BEGIN": 41, "END": 41, "ITERATION": 20 + 240 + 18, "CHECKSUM": 0}
    check(got["NONE"] == nothing, "NONE: nothing", got["NONE"])
    check(got["MINIMAL"] == got["MODIFY"] == got["FULL"] == some, "MINIMAL: begins, ends, iterations", got)
    check(got["CHECKSUM"] == dict(some, ITERATION=0, CHECKSUM=20 + 18 + 2), "CHECKSUM: begins, ends, checksums", got["CHECKSUM"])
    place = [line for line in open(os.path.join(HERE, "programs", "limits.c"))]
    line = {name: next(i for i, text in enumerate(place, 1) if 'hb_%s("%s")' % (how, name) in text) for how, name in (("steps", "steps"), ("loop", "loop"))}
    traces, _ = traced([program], "level NONE", 'construct 1(0) SL 1 "steps" "limits.c" %d MINIMAL' % line["steps"],
                       'construct 2(1) PL 2 "loop" "elsewhere/limits.c" %d INHERITED' % line["loop"])
    kinds = {r["construct"]["name"] for r in traces[0].of("BEGIN")}
    check(kinds == {"steps", "loop"} and len(traces[0].of("ITERATION")) == 260, "levels of constructs, and what is inherited", kinds)
    for parent, file in ((0, "limits.c"), (1, "other.c")):
        traces, _ = traced([program], "level NONE", 'construct 1(0) SL 1 "steps" "limits.c" %d INHERITED' % line["steps"],
                           'construct 2(%d) PL 2 "loop" "%s" %d MINIMAL' % (parent, file, line["loop"]))
        check(not traces[0].of("BEGIN"), "a construct in another one, or in another file, is not this one", traces[0].of("BEGIN")[:2])
    traces, _ = traced([program], "level CHECKSUM", 'construct 1(0) SL 1 "steps" "limits.c" %d INHERITED' % line["steps"],
                       'construct 2(1) PL 2 "loop" "limits.c" %d MINIMAL' % line["loop"])
    check(len(traces[0].of("ITERATION")) == 240 and set(summed(traces[0])) == set(summed(traces[0])) and "20" not in summed(traces[0]) and "21" in summed(traces[0]),
          "a construct in another one has its own level", summed(traces[0]))
    traces, _ = traced([program], "level CHECKSUM", 'construct 1(0) SL 1 "steps" "limits.c" %d INHERITED' % line["steps"],
                       'construct 2(1) PL 2 "loop" "limits.c" %d INHERITED' % line["loop"], '  array "a" "limits.c" 7 0 w', '  array "b" "limits.c" 9 1 rw',
                       '  array "c" "limits.c" 9 1 r')
    states = {(c["array"]["name"], c["access"], c["state"]) for c in traces[0].of("CHECKSUM")}
    check(states == {("a", 2, 0), ("b", 3, 1), ("a", 0, 0)}, "the arrays that the settings tell, and one of them is not there", states)
    check(len(traces[0].of("ARRAY")) == 2, "which is defined once", traces[0].of("ARRAY"))


def window():
    program = "./limits-gcc"
    whole = [str(n) for n in range(1, 21)]
    tasks = {r: [["%d.%d.%d" % (r, t, k) for k in (1, 2, 3)] for t in range(3)] for r in (21, 22)}
    for start, finish, want in (
            ("3.E", "5.E", whole[2:5]), ("3.B", "4.B", whole[2:3]), ("", "2.E", whole[:2]),
            ("22.2.1.E", "", tasks[22][2] + ["22"]),
            ("21.1.1.E", "21.1.2.E", tasks[21][1][:2]), ("20.B", "21.1.2.E", whole[19:] + tasks[21][1][:2]),
            ("21.1.3.B", "22.B", tasks[21][1][2:] + ["21"]), ("21.1.2.B", "22.2.1.E", tasks[21][1][1:] + ["21"] + tasks[22][2][:1])):
        traces, _ = traced([program], "level CHECKSUM", *(["start " + start] if start else []), *(["finish " + finish] if finish else []))
        got = summed(traces[0])
        check(got == want, "from %s to %s" % (start or "the begin", finish or "the end"), got)
        check(len(traces[0].of("BEGIN")) == 41, "and all begins", len(traces[0].of("BEGIN")))
    traces, _ = traced([program], "level CHECKSUM", "start 3.1.2.B", "finish 5.0.1.E")
    told = [r for r in traces[0].of("TROUBLE") if r["what"] == 3]
    check(summed(traces[0]) == whole[2:5] and len(told) == 2 and "3.1.2.B" in told[0]["text"], "points in tasks of no region: the whole construct", told)
    traces, _ = traced([program], "level MINIMAL", "start 3.1.2.B", "finish 5.0.1.E")
    check(len([i for i in iterations(traces[0]) if len(i) == 2]) == 36, "with all that is in it", iterations(traces[0]))


def limits():
    program = "./limits-gcc"
    inner = [(i, j) for i in range(6) for j in range(2)]
    tasks = [(k,) for _ in range(6) for k in range(3)]

    def expect(what, settings, want):
        traces, _ = traced([program], "level MINIMAL", *settings)
        got = iterations(traces[0])
        check(got == want, what, got)
        check(len(traces[0].of("BEGIN")) == 41 and traces[0].over, "with all begins", len(traces[0].of("BEGIN")))

    expect("the first steps", ["loop 2 -1"], [(0,)] + inner + [(1,)] + inner + tasks)
    expect("the last steps", ["loop -1 2"], [(18,)] + inner + [(19,)] + inner + tasks)
    expect("no step", ["loop 0 -1"], tasks)
    expect("first and last steps and iterations", ["loop 1 1", "local 1 2"],
           [(0,), inner[0], inner[10], inner[11], (19,), inner[0], inner[10], inner[11]] + tasks)
    expect("more than there are", ["loop 15 15", "local -1 50"], sum([[(t,)] + inner for t in range(20)], []) + tasks)
    expect("the last iterations alone", ["local -1 2", "finish 2.B"], [(0,)] + inner[10:] + [(1,)])
    expect("global indices", ["loop 0 1", "global 2 3 1 -1"], [(19,), (2, 1), (3, 1)] + [(2,)] * 6)
    traces, _ = traced([program], "level CHECKSUM", "loop -1 2")
    check(summed(traces[0])[:3] == ["19", "20", "21.0.1"], "checksums of the last steps", summed(traces[0])[:3])


def save():
    import ast
    pieces = {}
    traces, done = traced(LAUNCH["openmpi"] + ["2", "./marks-mpicc.openmpi", "3"], "save-at 4.E", 'save "u" "marks.c" %d 0' % array_line())
    for trace in traces:
        saved = trace.of("SAVED")
        if not check(len(saved) == 1 and saved[0]["point"] == (4,), "an array is saved at a point", [r for r in trace.of("TROUBLE", "SAVED")]):
            return
        with open(os.path.join(done.folder, saved[0]["file"]), "rb") as f:
            data = f.read()
        head = ast.literal_eval(data[10:10 + int.from_bytes(data[8:10], "little")].decode())
        check(data[:6] == b"\x93NUMPY" and head["shape"] == (24, 48) and head["descr"] == "<f8" and not head["fortran_order"] and
              (10 + int.from_bytes(data[8:10], "little")) % 64 == 0, "as a file of NumPy", head)
        import struct
        pieces[trace.rank] = struct.unpack("<%dd" % (24 * 48), data[-24 * 48 * 8:])
    check(list(pieces[0] + pieces[1]) == [2.0 * i for i in range(48 * 48)], "and has the elements that each process owns", pieces[0][:5])
    traces, _ = traced(["./limits-gcc"], "save-at 4.E", 'save "none" "marks.c" 1 0')
    check([r["what"] for r in traces[0].of("TROUBLE")] == [4], "an array that is not there is told", traces[0].of("TROUBLE"))


def array_line():
    return next(i for i, text in enumerate(open(os.path.join(HERE, "programs", "marks.c")), 1) if "HB_ARRAY" in text)


# ---- OpenMP ----

def constructs(trace):
    return [(p[0], p[2]) for p in trace.points() if p[0].endswith("B")]


def openmp():
    source = open(os.path.join(HERE, "programs", "openmp.c")).read().split("\n")
    lines = [i for i, text in enumerate(source, 1) if text.startswith("#pragma omp parallel")]
    clang = [("fill", lines[0])] * 2 + [("main", lines[i]) for i in (3, 4, 5, 6)] + [("nested", lines[1])]
    # GCC gives a region that is no loop the line of its first statement
    gcc = clang[:4] + [("main", lines[5] + 1)] + clang[5:]
    programs = {"gcc": compiled("openmp.c", "-fopenmp"), "gcc -O3": compiled("openmp.c", "-fopenmp", "-O3", to="openmp-fast")}
    if shutil.which("clang"):
        programs["clang"] = compiled("openmp.c", "-fopenmp", compiler="clang")
        programs["clang -O3"] = compiled("openmp.c", "-fopenmp", "-O3", compiler="clang", to="openmp-fast-clang")
    dynamic = sorted([(i,) for i in range(1000)] * 2 + [(i,) for i in range(4, 1000, 3)] + [(i,) for i in range(999, -1, -2)])
    for compiler, program in programs.items():
        printed = set()
        want = gcc if compiler.startswith("gcc") else clang
        for threads in (1, 2, 4):
            traces, done = traced([program], "level MINIMAL", env={"OMP_NUM_THREADS": str(threads), "OMP_SCHEDULE": "dynamic,3"})
            printed.add(done.stdout)
            got = [(r["construct"]["name"], r["construct"]["line"]) for r in traces[0].of("BEGIN")]
            check(got == want, "%s, %d threads: the constructs, by function and line" % (compiler, threads), (got, want))
            check([p[0] for p in traces[0].points()] == ["%d.%s" % (i, s) for i in range(1, 8) for s in "BE"], "and their points", traces[0].points())
            if compiler.startswith("gcc"):
                sections = [i for i in iterations(traces[0])]
                check(sorted(sections) == dynamic, "each iteration that the library gave out once", len(sections))
                begins = [n for n, r in enumerate(traces[0].records) if r["kind"] in ("BEGIN", "END")]
                others = [n for n, r in enumerate(traces[0].records) if r["kind"] == "ITERATION"]
                check(all(sum(b < n for b in begins) % 2 for n in others), "within its construct", "")
        check(len(printed) == 1 and printed != {""}, compiler + ": the program computes the same", printed)
    bare = compiled("openmp.c", "-fopenmp", "-g0", to="openmp-bare")
    traces, _ = traced([bare], "level MINIMAL")
    names = [r["construct"]["name"] for r in traces[0].of("BEGIN")]
    check(len(names) == 7 and all(n.startswith("openmp-bare+0x") for n in names) and len(set(names)) == 6, "without debugging information: module and offset", names)


def openmp_fortran():
    source = open(os.path.join(HERE, "programs", "openmp.f90")).read().split("\n")
    lines = [i for i, text in enumerate(source, 1) if text.strip().startswith("!$omp parallel")]
    program = compiled("openmp.f90", "-fopenmp", compiler="gfortran")
    for threads in (1, 4):
        traces, _ = traced([program], "level MINIMAL", env={"OMP_NUM_THREADS": str(threads)})
        got = [(r["construct"]["name"], r["construct"]["line"]) for r in traces[0].of("BEGIN")]
        check(got == [("fill", lines[0])] + [("openmp", line) for line in lines[1:]], "Fortran, %d threads: the constructs" % threads, (got, lines))
        check(sorted(iterations(traces[0])) == [(i,) for i in range(1, 1001)], "and iterations", len(iterations(traces[0])))


def openmp_limits():
    """With limits each thread has its own first and last ones."""
    traces, _ = traced(["./openmp-gcc"], "level MINIMAL", "local 2 3", "start 1.B", "finish 2.B", env={"OMP_NUM_THREADS": "2", "OMP_SCHEDULE": "dynamic,3"})
    plain, _ = traced(["./openmp-gcc"], "level MINIMAL", "start 1.B", "finish 2.B", env={"OMP_NUM_THREADS": "1"})
    check(len(iterations(plain[0])) == 1000, "one construct in the window", len(iterations(plain[0])))
    for thread in range(traces[0].threads):
        got = iterations(traces[0], thread)
        check(len(got) in (0, 5) and got == sorted(got), "thread %d: its first 2 and its last 3 iterations" % thread, got)
    check(sum(len(iterations(traces[0], t)) for t in range(2)) >= 5, "which are there", "")


def hybrid():
    for mpi in ("openmpi", "mpich"):
        program = compiled("openmp.c", "-fopenmp", "-DWITH_MPI", compiler="mpicc." + mpi, to="openmp-" + mpi)
        traces, _ = traced(LAUNCH[mpi] + ["2", program], "level CHECKSUM", env={"OMP_NUM_THREADS": "2"})
        check(len(traces) == 2 and all(len(t.points()) == 14 and t.over for t in traces), "%s with OpenMP: each process has the points" % mpi,
              [t.points() for t in traces])


def mixed():
    want = [("1.B", "PL", "before"), ("1.E", "PL", "before"), ("2.B", "PL", "main"), ("2.E", "PL", "main"), ("3.B", "PL", "rows"), ("3.E", "PL", "rows"),
            ("4.B", "PL", "main"), ("4.E", "PL", "main"), ("5.B", "PT", "last"), ("5.E", "PT", "last")]
    for mpi, n in (("openmpi", 1), ("openmpi", 2), ("mpich", 2)):
        program = compiled("mixed.c", "-fopenmp", compiler="mpicc." + mpi)
        traces, done = traced(LAUNCH[mpi] + [str(n), program], "level MINIMAL", env={"OMP_NUM_THREADS": "3"})
        check(len(traces) == n and all(t.over and t.whole and t.points() == want for t in traces), "%s on %d: threads inside of a parallel loop have no points" % (mpi, n),
              [t.points() for t in traces])
        check([(t.rank, t.size, t.threads) for t in traces] == [(r, n, 3) for r in range(n)], "rank and size, told behind the first points, and threads",
              [(t.rank, t.size, t.threads) for t in traces])
        for t in traces:
            rows = len([r for r in t.of("BEGIN") if not r["point"]])
            check(rows == 8 // n, "rank %d: a construct for each row" % t.rank, rows)
            nest, outside = [""], 0
            for r in t.records:
                if r["kind"] == "BEGIN":
                    nest.append(r["construct"]["name"])
                elif r["kind"] == "END":
                    nest.pop()
                outside += r["thread"] > 0 and nest[-1] != "main"
            check(not outside, "and what other threads do stands in it", outside)
            other = sorted(i for r in t.of("ITERATION") for i in r["index"])
            check(other == sorted(list(range(30000)) * (rows + 2) + list(range(t.rank, 8, n))), "and each iteration of each thread once", len(other))
        for thread in (1, 2):
            got = iterations(traces[0], thread)[:-30000]
            check(got == sorted(got[:len(got) // (8 // n)]) * (8 // n), "thread %d: in its order" % thread, got[:5])


def dry():
    traces, _ = traced(["./limits-gcc"], "dry", "level FULL")
    t = traces[0]
    costs = {r["construct"]["name"]: r["cost"][:4] for r in t.of("COST")}
    check(costs == {"steps": (1, 20, 0, 0), "loop": (20, 240, 0, 0), "region": (2, 0, 0, 0), "part": (18, 18, 0, 0)}, "a dry run counts", costs)
    check(not t.of("ITERATION") and all(not c["tiles"] and not c["state"] for c in t.of("CHECKSUM")) and len(t.of("BEGIN")) == 41, "and writes the structure alone", "")


# ---- ends ----

def ends():
    program = compiled("ends.c")
    bare = run(program)
    for how, status in (("kill", 128 + signal.SIGKILL), ("crash", 128 + signal.SIGSEGV), ("_exit", 3)):
        traces, _ = traced([program, how], "level MINIMAL", wanted=status)
        t = traces[0]
        check([p[0] for p in t.points()] == ["1.B", "1.E", "2.B", "2.E", "3.B", "3.E"] and len(t.of("ITERATION")) == 300, how + ": all up to the last point is there", t.points())
        check(not t.over and t.whole and t.threads == 0, how + ": and no end is told", t.records[-1])
    traces, done = traced([program, "fork"], "level MINIMAL")
    check([p[2] for p in traces[0].points()][::2] == ["mine"] * 4 + ["unfinished"] and traces[0].over, "fork: the child writes nothing into it", traces[0].points())
    check(len([f for f in os.listdir(done.folder) if f.endswith(".trace")]) == 1, "fork: nor a trace of its own", os.listdir(done.folder))
    traces, done = traced([program, "close", os.path.join(folder, "own.txt")], "level MINIMAL")
    check(len(traces[0].points()) == 12 and open(os.path.join(folder, "own.txt")).read() == "mine\n", "a program that closes all descriptors keeps its own files", traces[0].points())
    check(done.stdout == bare.stdout, "and prints what it prints", done.stdout)


def others():
    for mpi in ("openmpi", "mpich"):
        program = compiled("forked.c", "-pthread", compiler="mpicc." + mpi)
        traces, done = traced(LAUNCH[mpi] + ["1", program], "level MINIMAL")
        check([p[2] for p in traces[0].points()] == ["mine"] * 4 and traces[0].over and traces[0].whole, mpi + ": neither a child nor another thread makes points", traces[0].points())
        told = [r["text"] for r in traces[0].of("TROUBLE")]
        check(len(told) == 1 and "thread's" in told[0], "which is told of the thread", told)
        check(len([f for f in os.listdir(done.folder) if f.endswith(".trace")]) == 1, "there is one trace", os.listdir(done.folder))


def disk():
    program = "./ends-gcc"
    bare = run(program, "many", "4000")
    number_of_settings = os.path.join(folder, "disk.settings")
    with open(number_of_settings, "w") as f:
        f.write("level CHECKSUM\n")
    script = """mkdir -p disk && mount -t tmpfs -o size=1m none disk || exit 99
        %s record --trace disk.settings --keep-raw -o disk/r.hbdb -- %s many 4000 >full.out 2>full.err; echo $? >full.status
        cp disk/r.hbdb/rank.0.trace full.trace""" % (HBDB, program)
    done = run("unshare", "-m", "sh", "-c", script)
    if done.returncode == 99:
        print("no file system can be mounted here: full disks are not looked at")
        return
    said = [line for line in open(os.path.join(folder, "full.err")) if ".trace" in line]
    check(open(os.path.join(folder, "full.out")).read() == bare.stdout and open(os.path.join(folder, "full.status")).read() == "0\n", "full disk: the program goes on", done.all)
    check(len(said) == 1 and "No space left" in said[0] and "its trace ends here" in said[0], "full disk: one line says so", said)
    t = decode.Trace(os.path.join(folder, "full.trace"))
    check(t.whole and not t.over and 10 < len(t.points()) < 8006, "full disk: what was written can be read", len(t.points()))
    done = run("sh", "-c", "ulimit -f 300; exec %s record --trace disk.settings --keep-raw -o limit.hbdb -- %s many 4000" % (HBDB, program))
    check(done.returncode == 0 and done.stdout == bare.stdout and "File too large" in done.stderr, "a limit of file sizes does not end the program", done.all)
    t = decode.Trace(os.path.join(folder, "limit.hbdb", "rank.0.trace"))
    check(t.whole and not t.over and len(t.points()) > 10, "and what was written can be read", len(t.points()))


def settings():
    with open(os.path.join(folder, "bad.settings"), "w") as f:
        f.write("level CHECKSUM\nstart 6\n")
    for name, says in (("bad.settings", "bad.settings: line 2:"), ("none.settings", "none.settings: No such file")):
        done = run(HBDB, "record", "--trace", name, "-o", "bad.hbdb", "--", "./limits-gcc")
        check(done.returncode == 2 and says in done.stderr and not os.path.exists(os.path.join(folder, "bad.hbdb")), "settings that are none: " + says, done.all)
    plain = run(HBDB, "record", "-o", "plain.hbdb", "--", "./limits-gcc")
    check(not os.path.exists(os.path.join(folder, "plain.hbdb")) and "nothing was recorded" in plain.stderr, "without --trace marks do nothing", plain.all)


try:
    marks()
    identity()
    nest()
    levels()
    window()
    limits()
    save()
    openmp()
    openmp_fortran()
    openmp_limits()
    hybrid()
    mixed()
    dry()
    ends()
    others()
    disk()
    settings()
finally:
    if os.environ.get("KEEP"):
        print(folder)
    else:
        shutil.rmtree(folder)
print("%d passed, %d failed" % (count["passed"], count["failed"]))
sys.exit(count["failed"] != 0)
