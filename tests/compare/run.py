#!/usr/bin/python3
"""hbdb diff on pairs of runs that differ in one known thing.

usage: run.py [--mpi openmpi|mpich|spread]
"""
import argparse
import json
import os
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
sys.path.insert(0, os.path.join(HERE, "..", "contents"))
import lib  # noqa: E402
import turn  # noqa: E402
from lib import check, has, same  # noqa: E402
from second_reader import Reader  # noqa: E402
from shown import digest_of  # noqa: E402

GOLDEN = os.path.join(lib.TOP, "tests/golden/digests")
RANKS = 3
TIMEOUT = 300
LAUNCH = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"],
    "mpich": ["mpirun.mpich"],
}
# Two ways of adding whose results differ.
TUNED = ["--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_allreduce_algorithm"]
RING = ["-genv", "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "nb", "-genv", "MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM", "tsp_ring"]
ADDING = {"openmpi": (TUNED + ["1"], TUNED + ["3"]), "mpich": ([], RING)}
NBC = ["--mca", "coll_libnbc_iallreduce_algorithm"]
ADDING_LATER = {"openmpi": (NBC + ["1"], NBC + ["2"]), "mpich": ([], RING)}
WHOLE = ("--digests", "whole")
DATA = ("--level", "data", "--inputs", "off", *WHOLE)


def line_of(source, text):
    """The line of a source that has this text first."""
    for number, line in enumerate(open(os.path.join(HERE, source)), 1):
        if text in line:
            return number
    raise KeyError(text)


class Runs:
    """Records programs of one MPI and compares what was recorded."""

    def __init__(self, place, mpi):
        self.place, self.mpi = place, mpi
        for program in ("steps", "race", "reduce", "dot", "later"):
            self.compile(program, program, "-O1")

    def compile(self, program, name, *flags, compiler="gcc"):
        quiet = ["-Wno-stringop-overflow"] if compiler == "gcc" else []
        subprocess.run(["mpicc." + self.mpi, "-g", *quiet, *flags, "-o", self.path(name), os.path.join(HERE, program + ".c")], check=True,
                       env=dict(os.environ, OMPI_CC=compiler, MPICH_CC=compiler))

    def path(self, name):
        return "%s/%s-%s" % (self.place.path, name, self.mpi)

    def name(self, name):
        return "%s-%s.hbdb" % (name, self.mpi)

    def record(self, name, program, *args, options=WHOLE, ranks=RANKS, launch=(), status=0, environment=None):
        command = ["record", *options, "-o", self.name(name), "--", *LAUNCH[self.mpi], *launch, "-n", str(ranks),
                   self.path(program), *map(str, args)]
        got, out, err = self.place.run(*command, timeout=TIMEOUT, **({"env": environment} if environment else {}))
        if status is not None and got != status:
            check("%s: %s is recorded" % (self.mpi, name), False, err)
        return out

    def diff(self, a, b, *options, status, text=False):
        """The differences that are causally first, and the sum."""
        what = "%s: %s against %s %s" % (self.mpi, a, b, " ".join(options))
        a, b = (n if n.endswith(".hbdb") else self.name(n) for n in (a, b))
        got, out, err = self.place.run("diff", *options, *([] if text else ["--json"]), a, b, timeout=TIMEOUT)
        same(what + ": status", got, status)
        if text:
            return out, err
        told = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        if not told:
            check(what + ": told", False, err)
            return [], {}
        return told[:-1], told[-1]


# what: kind, function, text of the source line
BUGS = {
    "value": ("contents given", "MPI_Sendrecv", "MPI_Sendrecv(out"),
    "large": ("contents given", "MPI_Sendrecv", "MPI_Sendrecv(big"),
    "column": ("contents given", "MPI_Isend", "MPI_Isend"),
    "started": ("contents given", "MPI_Start", "MPI_Start(persistent"),
    "cast": ("contents given", "MPI_Bcast", "MPI_Bcast"),
    "tag": ("argument", "MPI_Sendrecv", "MPI_Sendrecv(out"),
    "count": ("argument", "MPI_Allreduce", "MPI_Allreduce(&one"),
    "call": ("call", "MPI_Allreduce", "MPI_Allreduce(&one"),
}


def first_is(runs, name, told, kind, rank, function, line):
    here = "%s: %s: " % (runs.mpi, name)
    same(here + "one difference is first", [d["difference"] for d in told], [kind])
    if len(told) == 1:
        a = told[0]["a"]
        same(here + "where", (a["event"].split(":")[0], a["function"], a.get("line")), (str(rank), function, line))


def bugs(runs):
    runs.record("steps", "steps", 4)
    runs.record("again", "steps", 4)
    told, total = runs.diff("steps", "again", status=0)
    same(runs.mpi + ": the same program", (told, total["same"], total["others"]), ([], True, 0))
    # per step and process: two of four kinds of messages, six of collectives, a file
    check(runs.mpi + ": contents are compared", total["by_64_bits"] >= 4 * RANKS * 15 and not total["contents_not_compared"], total)
    same(runs.mpi + ": nothing by 16 bits", total["by_16_bits"], 0)
    for what, (kind, function, text) in BUGS.items():
        runs.record(what, "steps", 4, what, 2, 2)
        told, total = runs.diff("steps", what, status=1)
        first_is(runs, what, told, kind, 2, function, line_of("steps.c", text))
        if what in ("value", "cast"):
            check("%s: %s: the others differ behind it" % (runs.mpi, what), total["others"] == RANKS - 1 and total["differing_contents"] > 3, total)
    runs.record("file", "steps", 4, "file", 1, 2)
    told, _ = runs.diff("steps", "file", status=1)
    same(runs.mpi + ": file", [(d["difference"], d["a"]["event"].split(":")[0]) for d in told], [("access", "1")])
    has(runs.mpi + ": file: the call", told[0]["sentence"], "rank 1 gives other contents to MPI_File_write_at")
    runs.record("polls", "steps", 4, "polls", 1, 2)
    told, total = runs.diff("steps", "polls", status=0)
    check(runs.mpi + ": polls are no difference", not told and total["polls_differ"] >= 1, total)
    crash(runs)


def crash(runs):
    runs.record("crash", "steps", 4, "crash", 1, 2, status=None)
    told, _ = runs.diff("steps", "crash", status=1)
    ends = [d for d in told if d["difference"] == "end"]
    check(runs.mpi + ": the process that ended by itself is first", any(d["a"]["event"].startswith("1:") for d in ends), told)
    if runs.mpi == "openmpi":  # the launcher of MPICH does not always tell who died first
        same(runs.mpi + ": who was ended by the launcher is not", len(told), 1)
    out, _ = runs.diff("steps", "crash", status=1, text=True)
    has(runs.mpi + ": crash: its last call", out, "rank 1 makes no more calls in B", "its last call")


def short(runs):
    """Recordings as they always were: checks of 16 bits."""
    for name, args in (("short", []), ("short-value", ["value", 2, 2]), ("short-large", ["large", 2, 2])):
        runs.record(name, "steps", 4, *args, options=())
    told, total = runs.diff("short", "short-value", status=1)
    first_is(runs, "16 bits", told, "contents given", 2, "MPI_Sendrecv", line_of("steps.c", "MPI_Sendrecv(out"))
    same(runs.mpi + ": by 16 bits", (told[0]["bits"] if told else None, total["by_64_bits"]), (16, 0))
    told, total = runs.diff("short", "short-large", status=0)
    check(runs.mpi + ": what 16 bits of a sample miss is said to be a sample", total["by_16_bits_of_a_sample"] >= 4 * RANKS, total)
    out, _ = runs.diff("short", "short-large", status=0, text=True)
    has(runs.mpi + ": and how to look further", out, "of which 3072 are checked", "record --digests whole")
    told, total = runs.diff("steps", "short", status=0)
    check(runs.mpi + ": one of each", total["by_16_bits"] > 0 and total["by_64_bits"] == 0, total)


def race(runs, name, how=None, options=WHOLE):
    """Two recordings: rank 1 comes first, rank 2 comes first."""
    for who in (1, 2):
        if os.path.exists(runs.place.path + "/came"):
            os.remove(runs.place.path + "/came")
        runs.record("%s%d" % (name, who), "race", runs.place.path, who, how or name, options=options)


def races(runs):
    kinds = {"race": ("race", "MPI_Recv", "MPI_Recv(&in"), "any": ("race", "MPI_Waitany", "MPI_Waitany("), "polls-race": ("poll", "MPI_Test", "MPI_Test(")}
    for name, args in (("race", ["any source"]), ("any", ["any"]), ("polls-race", ["polls"])):
        race(runs, name, *args)
        told, total = runs.diff(name + "1", name + "2", status=1)
        kind, function, text = kinds[name]
        first_is(runs, name, told, kind, 0, function, line_of("race.c", text))
        if kind == "race":
            check("%s: %s: the others differ behind it" % (runs.mpi, name), total["others"] == RANKS - 1, total)
            check("%s: %s: the line is walked to its end" % (runs.mpi, name), "parts_at" not in told[0] and (name == "any" or not total["parted"]), (told, total))
        forced = runs.name(name + "-forced")
        told, total = runs.diff(name + "1", name + "2", "--force", "-o", forced, status=0)
        same("%s: %s: in the order of the first the same" % (runs.mpi, name), (told, total["same"], total["forced"]), ([], True, True))
        check("%s: %s: by 64 bits, in the replay too" % (runs.mpi, name), total["by_64_bits"] >= 2 * RANKS, total)
        same("%s: %s: the forced run is a recording" % (runs.mpi, name), runs.place.run("verify", forced)[0], 0)
    race(runs, "matched", options=DATA[:4])
    told, _ = runs.diff("matched1", "matched2", status=1)
    first_is(runs, "matched, by values", told, "race", 0, "MPI_Mprobe", line_of("race.c", "MPI_Mprobe"))
    for name in ("branch", "exact", "shared", "exclusive"):
        race(runs, name)
    told, _ = runs.diff("branch1", "branch2", status=1)
    first_is(runs, "branch", told, "race", 0, "MPI_Recv", line_of("race.c", "MPI_Recv(&in"))
    same(runs.mpi + ": branch: how far the runs go on alike", [(d["parts_at"]["function"], d["parts_at"]["line"]) for d in told if "parts_at" in d], [("MPI_Bcast", line_of("race.c", "MPI_Bcast"))])
    has(runs.mpi + ": branch: and that is said", runs.diff("branch1", "branch2", status=1, text=True)[0], "part at  0:4  MPI_Bcast")
    told, total = runs.diff("shared1", "shared2", status=0)
    check(runs.mpi + ": shared locks have no order", total["by_64_bits"] == 2, total)
    told, total = runs.diff("exclusive1", "exclusive2", status=1)
    same(runs.mpi + ": exclusive locks have one", {(d["difference"], d["a"]["function"]) for d in told}, {("race", "MPI_Win_lock")})
    told, total = runs.diff("exact1", "exact2", status=1)
    same(runs.mpi + ": a race from which nothing follows", ([(d["difference"], d["advice"]) for d in told], total["others"], total["differing_contents"], total["parted"]),
         ([("race", "Nothing that was compared follows from it.")], 0, 0, 0))
    has(runs.mpi + ": and that is said", runs.diff("exact1", "exact2", status=1, text=True)[0], "1 causally first difference; behind it nothing differs")
    has(runs.mpi + ": it does not write over one", runs.diff("any1", "any2", "--force", "-o", runs.name("any1"), status=2, text=True)[1], "there already")
    # a computed difference stays one in the order of the other run
    told, _ = runs.diff("steps", "value", "--force", "-o", runs.name("value-forced"), status=1)
    first_is(runs, "forced value", told, "contents given", 2, "MPI_Sendrecv", line_of("steps.c", "MPI_Sendrecv(out"))


def rounding(runs):
    for level, options in (("whole", WHOLE), ("data", DATA)):
        out = [runs.record("reduce%d-%s" % (i, level), "reduce", options=options, ranks=4, launch=launch) for i, launch in enumerate(ADDING[runs.mpi])]
        check("%s: %s: the algorithms add otherwise" % (runs.mpi, level), out[0] != out[1], out)
        told, total = runs.diff("reduce0-" + level, "reduce1-" + level, status=1)
        first_is(runs, "rounding at " + level, told, "contents got", 0, "MPI_Allreduce", line_of("reduce.c", "MPI_Allreduce"))
        if len(told) != 1:
            continue
        same("%s: %s: all members" % (runs.mpi, level), (told[0]["members"], total["others"]), (4, 0))
        has("%s: %s: the sentence" % (runs.mpi, level), told[0]["sentence"], "the result of MPI_Allreduce(MPI_SUM), whose inputs agree at all processes, differs")
        same("%s: %s: it is innocent" % (runs.mpi, level), told[0]["innocent"], "rounding" if level == "data" else "maybe")
    if len(told) == 1:
        v = told[0]["values"]
        check(runs.mpi + ": by how much", 0 < v["relative"] < 1e-14 and 1 <= v["ulps"] < 16 and 0 < v["differing"] < 64 and v["a"] == 64, v)
    for tolerance in (("--rel", "1e-13"), ("--ulp", "20"), ("--abs", "1e-12")):
        told, total = runs.diff("reduce0-data", "reduce1-data", *tolerance, status=0)
        check("%s: within %s" % (runs.mpi, tolerance), not told and total["tolerated"] == 4 and 0 < total["relative"] < 1e-14, total)
    runs.diff("reduce0-data", "reduce1-data", "--abs", "1e-300", status=1)
    runs.record("reduce-off", "reduce", 0.001, options=DATA, ranks=4, launch=ADDING[runs.mpi][0])
    told, total = runs.diff("reduce0-data", "reduce-off", status=1)
    first_is(runs, "other input", told, "contents given", 1, "MPI_Allreduce", line_of("reduce.c", "MPI_Allreduce"))
    same(runs.mpi + ": other input: the others are behind it", total["others"], 3)
    told, total = runs.diff("reduce0-data", "reduce-off", "--abs", "1e-9", status=1)
    first_is(runs, "other input, with a tolerance", told, "contents got", 0, "MPI_Allreduce", line_of("reduce.c", "MPI_Allreduce"))
    has(runs.mpi + ": other input, with a tolerance: that is said", told[0]["sentence"] if told else "", "whose inputs differ by an amount")
    check(runs.mpi + ": other input, with a tolerance: not innocent", told and told[0]["innocent"] is None and total["given_not_compared"] == 1, (told, total))


def rounding_later(runs):
    """The same of a sum that is begun, and waited for."""
    for level, options in (("16", ()), ("whole", WHOLE), ("data", DATA)):
        out = [runs.record("sum%d-%s" % (i, level), "reduce", 0, "later", options=options, ranks=4, launch=launch) for i, launch in enumerate(ADDING_LATER[runs.mpi])]
        check("%s: later, %s: the algorithms add otherwise" % (runs.mpi, level), out[0] != out[1], out)
        told, total = runs.diff("sum0-" + level, "sum1-" + level, status=1)
        first_is(runs, "rounding later at " + level, told, "contents got", 0, "MPI_Wait", line_of("reduce.c", "MPI_Wait"))
        if len(told) != 1:
            continue
        same("%s: later, %s: all members" % (runs.mpi, level), (told[0]["members"], total["others"]), (4, 0))
        same("%s: later, %s: what began it" % (runs.mpi, level), (told[0]["begun"]["function"], told[0]["begun"]["line"]), ("MPI_Iallreduce", line_of("reduce.c", "MPI_Iallreduce")))
        has("%s: later, %s: the sentence" % (runs.mpi, level), told[0]["sentence"], "the result of MPI_Iallreduce(MPI_SUM), whose inputs agree")
        same("%s: later, %s: it is innocent" % (runs.mpi, level), told[0]["innocent"], "rounding" if level == "data" else "maybe")
    has(runs.mpi + ": later: both calls are shown", runs.diff("sum0-whole", "sum1-whole", status=1, text=True)[0], "MPI_Wait", "begun by  0:2  MPI_Iallreduce")


def later(runs):
    """What comes with a call that others began, and what is read."""
    names = ["same", "again", "second", "sum", "read", "halves", "fetch", "locked"] + (["part"] if runs.mpi == "mpich" else [])
    for name in names:
        runs.record("later-" + name, "later", runs.place.path, name)
    told, total = runs.diff("later-same", "later-again", status=0)
    # of each process: four of the messages and the sum, two reads, three fetches; and of parts
    wanted = RANKS * (5 + 1 + 2 + 1 + 2 + 1 + (1 if runs.mpi == "mpich" else 0))
    same(runs.mpi + ": later: contents that are compared", (total["by_64_bits"], total["contents_not_compared"], total["accesses_not_compared"]), (wanted, 0, 0))
    for name, function, text in (("second", "MPI_Isend", "MPI_Isend(&out[1]"), ("sum", "MPI_Iallreduce", "MPI_Iallreduce")):
        told, _ = runs.diff("later-same", "later-" + name, "--all", status=1)
        first_is(runs, "later: " + name, [d for d in told if d["first"]], "contents given", 1, function, line_of("later.c", text))
        behind = [d for d in told if not d["first"]]
        if name == "second":
            same(runs.mpi + ": later: the second message is the one", [(d.get("sender") or {}).get("line") for d in behind], [line_of("later.c", text)])
        else:
            same(runs.mpi + ": later: the sum is the one", [(d.get("begun") or {}).get("line") for d in behind], [line_of("later.c", text)] * (RANKS - 1))
    told, _ = runs.diff("later-same", "later-read", status=1)
    same(runs.mpi + ": later: read without a status", [(d["difference"], d["sentence"]) for d in told], [("access", "rank 1 gets other contents from MPI_File_read_at")])
    for name, rank, function, text in (("halves", 1, "MPI_File_read_at_all_end", "read_at_all_end"), ("fetch", 0, "MPI_Win_fence", "    MPI_Win_fence(0, win);"),
                                       ("locked", 0, "MPI_Win_unlock", "MPI_Win_unlock")):
        told, _ = runs.diff("later-same", "later-" + name, status=1)
        lines = [n for n, line in enumerate(open(os.path.join(HERE, "later.c")), 1) if text.strip() in line]
        first_is(runs, "later: " + name, told, "contents got", rank, function, lines[-1])
    if runs.mpi == "mpich":
        told, _ = runs.diff("later-same", "later-part", status=1)
        first_is(runs, "later: what came in parts", told, "contents got", 2, "MPI_Waitall", line_of("later.c", "MPI_Waitall(2"))
    runs.record("later-shared", "later", runs.place.path, "shared")
    has(runs.mpi + ": later: memory that is shared", runs.diff("later-shared", "later-shared", status=0, text=True)[0], "the same\n", "not compared: the memory that processes share by windows")
    same(runs.mpi + ": later: windows that share memory", [runs.diff("later-" + n, "later-" + n, status=0)[1]["shared_windows"] for n in ("shared", "same")], [RANKS, 0])
    # recordings of level data have no digests of accesses: there none of them is compared, and none is a difference
    runs.record("later-data", "later", runs.place.path, "same", options=("--level", "data", "--inputs", "off"))
    _, total = runs.diff("later-same", "later-data", status=0)
    same(runs.mpi + ": later: accesses without digests in one run", total["accesses_not_compared"], 6 * RANKS)
    has(runs.mpi + ": later: that is said", runs.diff("later-same", "later-data", status=0, text=True)[0], "not compared: the contents of %d calls of windows and files" % (6 * RANKS))


def values(runs):
    options = ("--level", "data", "--inputs", "off")
    runs.record("data", "steps", 4, options=options)
    for what in ("value", "column", "large"):
        runs.record("data-" + what, "steps", 4, what, 2, 2, options=options)
        told, _ = runs.diff("data", "data-" + what, status=1)
        kind, function, text = BUGS[what]
        first_is(runs, what + " at level data", told, kind, 2, function, line_of("steps.c", text))
        if len(told) != 1 or "values" not in told[0]:
            check("%s: %s: its values are told" % (runs.mpi, what), False, told)
            continue
        v = told[0]["values"]
        wanted = {"value": (8, 1, 1), "column": (8, 1, 5), "large": (4000, 1, 1200)}[what]
        same("%s: %s: how many differ, and which is the first" % (runs.mpi, what), (v["a"], v["differing"], v["first"]), wanted)
        size = {"value": 1e-3, "column": 1, "large": 1203}[what]
        check("%s: %s: by how much" % (runs.mpi, what), abs(v["absolute"] - size) < 1e-9 and abs(float(v["first_a"]) - float(v["first_b"])) - size < 1e-9, v)
    # integers are compared exactly, whatever is tolerated: what follows from the value is a sum of whole numbers
    told, total = runs.diff("data", "data-value", "--abs", "0.01", status=1)
    check(runs.mpi + ": the value is tolerated, the integers that follow are not",
          told and all(d["a"]["function"] == "MPI_Allreduce" for d in told) and total["tolerated"] >= 1, told)


def digests(runs):
    """What came in, whole, has the digest that stands beside it."""
    runs.record("both", "steps", 2, options=DATA)
    compared = 0
    for rank in range(RANKS):
        r = Reader("%s/%s/rank.%d.data" % (runs.place.path, runs.name("both"), rank))
        for thread in r.streams:
            came, earlier = {}, set()
            for event, call, pieces in r.items(thread):
                if call is None:
                    came[event] = [p for _, p in pieces]
                    earlier |= {digest_of(p) for what, p in pieces if what == 64}
                elif call == "digest:event":
                    told = {p[::-1].hex() for what, p in pieces if what == 1 or 64 <= what < 2**21}
                    # of a collective that was over when it had begun the contents stand there
                    here = {digest_of(p) for p in came.get(event, [])} | {d for d in earlier if d in told}
                    check("%s: %d:%d: digests of what came" % (runs.mpi, rank, event), told <= here, (told, here)) if told - here else None
                    compared += len(told & here)
    check(runs.mpi + ": digests are those of the contents", compared >= 2 * RANKS * 8, compared)
    same(runs.mpi + ": whole", runs.place.run("verify", runs.name("both"))[0], 0)
    status, out, err = runs.place.run("replay", "--alone", "1", runs.name("both"), timeout=TIMEOUT)
    check(runs.mpi + ": replayed alone from a recording with digests", status == 0 and "no difference" in err, err)


def builds(runs):
    for name, flags in (("dot0", ["-O0"]), ("dot3", ["-O3", "-ffast-math"])):
        runs.compile("dot", name, *flags)
    outs = [runs.record(name, name) for name in ("dot0", "dot3")]
    check(runs.mpi + ": the builds add otherwise", outs[0] != outs[1], outs)
    told, total = runs.diff("dot0", "dot3", status=1)
    same(runs.mpi + ": builds: each that computes is first", sorted((d["difference"], d["a"]["event"].split(":")[0], d["a"]["function"]) for d in told),
         [("contents given", str(r), "MPI_Send") for r in range(1, RANKS)])
    same(runs.mpi + ": builds: and they alone", total["first"], RANKS - 1)
    # another compiler that adds in the same order
    runs.compile("dot", "dotc", "-O0", compiler="clang")
    runs.record("dotc", "dotc")
    runs.diff("dot0", "dotc", status=0)
    # threads
    runs.compile("dot", "doto", "-O1", "-fopenmp")
    for threads in (1, 3):
        runs.record("dot-%d" % threads, "doto", environment={"OMP_NUM_THREADS": str(threads)})
    runs.diff("dot0", "dot-1", status=0)
    told, _ = runs.diff("dot-1", "dot-3", status=1)
    # by chance the sum of one of them may be the same
    check(runs.mpi + ": threads: processes that add are first", told and all((d["difference"], d["a"]["function"]) == ("contents given", "MPI_Send") for d in told), told)
    for name in ("dot0", "dot3"):
        runs.record(name + "-data", name, options=("--level", "data", "--inputs", "off"))
    told, total = runs.diff("dot0-data", "dot3-data", "--rel", "1e-4", status=0)
    check(runs.mpi + ": builds: the same within a tolerance", not told and total["tolerated"] >= RANKS - 1, total)
    runs.diff("dot0-data", "dot3-data", "--rel", "1e-9", status=1)


def refused(runs):
    place, a = runs.place, runs.name("steps")
    runs.record("two", "steps", 4, ranks=2)
    runs.record("order", "steps", 4, options=("--level", "order"))
    os.makedirs(place.path + "/empty.hbdb", exist_ok=True)
    for options, status, *words in (
            ([a, runs.name("two")], 2, "the first run has 3 processes and the second 2", "hbdb compare record, hbdb compare run"),
            ([a, runs.name("order")], 2, "level order"),
            ([a, "none.hbdb"], 3, "none.hbdb"),
            ([a, "empty.hbdb"], None, "empty.hbdb"),
            ([a], 2, "names of two recordings"),
            ([a, a, a], 2, "one too many"),
            (["--abs", "x", a, a], 2, "--abs takes a number"),
            (["--ulp", "-1", a, a], 2, "--ulp takes a number"),
            (["--rel", "1e-3", a, a], 2, "--level data"),
            ([a, a, "--", "true"], 2, "only with --force")):
        got, out, err = place.run("diff", *options)
        check("%s: diff %s: status" % (runs.mpi, " ".join(options)), got == status or (status is None and got in (2, 3)), (got, err))
        has("%s: diff %s: one clear line" % (runs.mpi, " ".join(options)), err, *words)
        check("%s: diff %s: nothing else" % (runs.mpi, " ".join(options)), not out and len(err.splitlines()) <= 3, err)


def damaged(runs):
    place, a = runs.place, runs.name("steps")

    def copy(name):
        shutil.rmtree(place.path + "/" + name, ignore_errors=True)
        shutil.copytree(place.path + "/" + a, place.path + "/" + name)
        return place.path + "/" + name

    folder = copy("cut.hbdb")
    with open(folder + "/rank.1.log", "r+b") as f:
        f.truncate(os.path.getsize(f.name) * 2 // 3)
    out, err = runs.diff(a, "cut.hbdb", status=3, text=True)
    has(runs.mpi + ": cut: how far", out, "the same, up to where the cut recording ends", "B is cut")
    runs.diff("value", "cut.hbdb", status=1)
    folder = copy("nolog.hbdb")
    os.remove(folder + "/rank.2.log")
    out, err = runs.diff(a, "nolog.hbdb", status=3, text=True)
    has(runs.mpi + ": a log is missing", out, "B is cut")
    folder = copy("nodata.hbdb")
    for rank in range(RANKS):
        os.remove("%s/rank.%d.data" % (folder, rank))
    told, total = runs.diff(a, "nodata.hbdb", status=0)
    check(runs.mpi + ": without digests by 16 bits", total.get("by_64_bits") == 0 and total.get("by_16_bits", 0) > 0 and total["contents_not_compared"] > 0, total)
    folder = copy("swapped.hbdb")
    shutil.copy(folder + "/rank.0.data", folder + "/rank.1.data")
    got, out, err = place.run("diff", a, "swapped.hbdb")
    check(runs.mpi + ": contents of another process", got == 3 and "is not of the process" in err, (got, err))
    folder = copy("garbage.hbdb")
    for name in os.listdir(folder):
        if name.endswith(".data"):
            with open(folder + "/" + name, "r+b") as f:
                f.seek(40)
                f.write(b"\xa5" * 60)
    got, out, err = place.run("diff", a, "garbage.hbdb")
    check(runs.mpi + ": damaged contents", got in (1, 3) and err, (got, err))


def foretold(rank):
    """The digests of process `rank` of two of later.c, in their order: what the call is where it is no event, and its pieces by hbdb-data(5)."""
    other = 1 - rank

    def real(*values):
        return digest_of(struct.pack("<%dd" % len(values), *values))

    def whole(*values):
        return digest_of(struct.pack("<%di" % len(values), *values))
    return [(None, [(0, real(rank + 2))]), (None, [(0, real(rank + 1))]), (None, [(0, real(rank))]),
            (None, [(64, real(other + 1)), (65, real(other + 2)), (68, real(1))]),
            ("MPI_File_read_at", [(1, whole(*((1, 2), (2, 3))[rank]))]), (None, [(1, whole((1, 4)[rank]))]),
            (None, [(64, real(other)), (65, real(other))]), (None, [(0, real(1))]), (None, [(64, real(other))]), (None, [(64, whole(other, 1, 2, 3))])]


def golden(place, runs):
    """Digests as they were written once: by the reader that was written from the page, and against a run of today."""
    shutil.copytree(GOLDEN, place.path + "/golden.hbdb")
    same("golden: whole", place.run("verify", "golden")[0], 0)
    for rank in range(2):
        r = Reader("%s/golden.hbdb/rank.%d.data" % (place.path, rank))
        read = [(None if call in ("digest:next", "digest:event") else call.replace("digest:", ""), [(what, p[::-1].hex()) for what, p in pieces])
                for thread in r.streams for _, call, pieces in r.items(thread) if call and call.startswith("digest:")]
        same("golden: rank %d: the second reader finds the digests that the page says" % rank, read, foretold(rank))
    if "mpich" not in runs:
        return
    for name, status in (("same", 0), ("fetch", 1)):
        runs["mpich"].record("golden-" + name, "later", place.path, name, ranks=2)
        told, total = runs["mpich"].diff("golden.hbdb", "golden-" + name, status=status)
        check("golden: %s: all digests are compared" % name, total.get("by_64_bits") == 26 and len(told) == status, (told, total))


def between(place, runs):
    """One library against the other."""
    told, total = runs["openmpi"].diff("steps", runs["mpich"].name("steps"), status=0)
    check("Open MPI against MPICH: the same", not told and total["by_64_bits"] > 100, (told, total))
    told, _ = runs["openmpi"].diff("steps", runs["mpich"].name("value"), status=1)
    first_is(runs["openmpi"], "against MPICH's value", told, "contents given", 2, "MPI_Sendrecv", line_of("steps.c", "MPI_Sendrecv(out"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", choices=sorted(LAUNCH) + ["spread"], help="spread: each part under one of them, another one at every commit")
    wanted = parser.parse_args().mpi
    with lib.Place(libraries=False) as place:
        runs = {}
        both = ["openmpi", "mpich"]
        for mpi in both if wanted in (None, "spread") else [wanted]:
            runs[mpi] = Runs(place, mpi)
            bugs(runs[mpi])
        for part in (short, races, rounding, rounding_later, later, values, digests, builds, refused, damaged):
            for mpi in [turn.pick(part.__name__, both)] if wanted == "spread" else runs:
                part(runs[mpi])
        golden(place, runs)
        if len(runs) > 1:
            between(place, runs)
    if wanted == "spread":
        print("table: each part under one MPI, " + turn.told(2))
    lib.finish()


main()
