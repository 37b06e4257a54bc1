#!/usr/bin/python3
"""hbdb compare on real programs: a reference on one process, runs on several; mistakes, bad input.

usage: run.py [--mpi openmpi|mpich]
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import lib  # noqa: E402
from lib import TOP, check, has, same  # noqa: E402

TIMEOUT = 300
LAUNCH = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"],
    "mpich": ["mpirun.mpich"],
}
SOURCE = os.path.join(HERE, "programs", "heat.c")


def line_of(text):
    """The line of the program that has this text first."""
    for number, line in enumerate(open(SOURCE), 1):
        if text in line:
            return number
    raise KeyError(text)


class Heat:
    """The program under one MPI."""

    def __init__(self, place, mpi, flags=("-O1",), name="heat"):
        self.place, self.mpi = place, mpi
        self.program = "%s/%s-%s" % (place.path, name, mpi)
        subprocess.run(["mpicc." + mpi, "-g", *flags, "-I", TOP + "/include", "-o", self.program, SOURCE, "-lm"], check=True)

    def command(self, ranks, *args):
        return ["--", *LAUNCH[self.mpi], "-n", str(ranks), self.program, *map(str, args)]

    def record(self, name, ranks, *args, options=(), status=0):
        got, out, err = self.place.run("compare", "record", "-o", name, *options, *self.command(ranks, *args), timeout=TIMEOUT)
        same("%s: record %s" % (self.mpi, name), got, status)
        return out + err

    def run(self, reference, name, ranks, *args, options=(), status=0):
        """The differences, their sum, and what was said."""
        got, out, err = self.place.run("compare", "run", reference, "-o", name, "--json", *options, *self.command(ranks, *args),
                                       timeout=TIMEOUT)
        same("%s: run %s %s" % (self.mpi, name, " ".join(map(str, args))), got, status)
        if got != status:
            print("    " + (out + err).replace("\n", "\n    "))
        told = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        return (told[:-1], told[-1], err) if told else ([], {}, err)


def compare(place, *args, status):
    got, out, err = place.run("compare", *args, timeout=TIMEOUT)
    same("compare %s: status" % " ".join(args), got, status)
    return out, err


def right(heat):
    heat.record("ref.hbdb", 1)
    for ranks in (1, 2, 3) if heat.mpi == "openmpi" else (2,):
        told, total, err = heat.run("ref.hbdb", "same%d.hbdb" % ranks, ranks)
        same("%s: %d processes do not differ" % (heat.mpi, ranks), (told, total.get("same")), ([], True))
        same("... in all of it", (total.get("points"), total.get("arrays"), total.get("results")), (32, 32, 8 * ranks))
    out, _ = compare(heat.place, "report", "ref.hbdb", "same2.hbdb", status=0)
    has("the report says what was compared", out, "compared: 32 points, 32 checksums of arrays", "same: no difference")


def halo(heat):
    told, total, err = heat.run("ref.hbdb", "halo.hbdb", 2, "-h", 4, status=1)
    if not told:
        return
    first = told[0]
    same("%s: a halo that was not exchanged: array and point" % heat.mpi,
         (first["difference"], first["array"]["name"], first["point"], first["correct"]), ("checksum", "v", "11.E", "10.E"))
    same("... the lines of both ends", (first["construct"]["line"], first["correct_construct"]["line"]),
         (line_of('hb_loop("sweep")'), line_of('hb_loop("copy")')))
    tile = first["tile"]
    check("... the tile at the border of the processes", tile["first"][0] <= 32 <= tile["first"][0] + tile["count"][0] and first["edges"],
          first)
    has("... said at once", err, "hbdb: Different checksums for array (\"v\", \"heat.c\", %d, 0" % line_of('.name = "v"'),
        "at the point 11.E; previous correct point is 10.E")
    same("... and each array and result once as new", [(d["difference"], d["point"]) for d in told],
         [("checksum", "11.E"), ("checksum", "12.E"), ("result", "13.B")])
    out, _ = compare(heat.place, "report", "ref.hbdb", "halo.hbdb", status=1)
    has("the report says the same", out, "previous correct point is 10.E", "at the edge of a process".replace("at ", ""),
        "different: halo.hbdb differs from ref.hbdb, first at the point 11.E", "--all lists them")
    out, _ = compare(heat.place, "report", "--all", "ref.hbdb", "halo.hbdb", status=1)
    has("with --all the later ones stand there, too", out, "later: Different checksums", "at the point 15.E")
    told, total, err = heat.run("ref.hbdb", "stopped.hbdb", 2, "-h", 1, "-t", 2000000, options=["--stop"], status=1)
    same("--stop ends the job at the first difference", (told and told[0]["point"], "ended at the first difference" in err), ("5.E", True))


def tolerance(heat):
    heat.run("ref.hbdb", "off.hbdb", 2, "-f", "0.2500000001", status=0)
    told, total, _ = heat.run("ref.hbdb", "off2.hbdb", 2, "-f", "0.25001", status=1)
    same("another factor differs from the first sweep on", told and told[0]["point"], "1.E")
    out, _ = compare(heat.place, "report", "--tolerance", "1e-3", "ref.hbdb", "off2.hbdb", status=0)
    has("... and not under a larger tolerance", out, "within the tolerance of 0.001")
    compare(heat.place, "report", "--tolerance", "0", "ref.hbdb", "off.hbdb", status=1)
    compare(heat.place, "report", "--tolerance", "x", "ref.hbdb", "off.hbdb", status=2)


def others(heat):
    fast = Heat(heat.place, heat.mpi, ("-O3", "-march=native", "-ffast-math"), "fast")
    told, total, _ = fast.run("ref.hbdb", "fast.hbdb", 2)
    same("%s: another optimisation is the same within the tolerance" % heat.mpi, told, [])
    mpi = "mpich" if heat.mpi == "openmpi" else "openmpi"
    told, total, _ = Heat(heat.place, mpi, name="other").run("ref.hbdb", "other.hbdb", 2)
    same("%s: the other MPI, too" % heat.mpi, told, [])
    told, total, _ = heat.run("ref.hbdb", "input.hbdb", 2, "-n", 60, status=2)
    check("another input is told", any(d["difference"] == "box" and "same input" in d["sentence"] for d in told), told)
    told, total, _ = heat.run("ref.hbdb", "without.hbdb", 2, "-w", status=0)
    same("an array that is not registered is told, and not called the same", [(d["difference"], d["array"]["name"]) for d in told],
         [("unknown", "v")])
    told, total, _ = heat.run("ref.hbdb", "short.hbdb", 2, "-t", 5, status=1)
    same("a run that does less ends before", [(d["difference"], d["of"], d["point"]) for d in told], [("shorter", "run", "11.B")])


def settings(heat):
    place = heat.place
    out, err = compare(place, "config", "-o", "heat.settings", *heat.command(1), status=0)
    text = open(place.path + "/heat.settings").read()
    has("a dry run writes the constructs", text, 'SL 1 "time"', 'PL 1 "sweep"', " %d INHERITED" % line_of('hb_loop("sweep")'),
        "# 8 times, 512 iterations")
    out, _ = compare(place, "config", "heat.settings", status=0)
    has("... which are explained", out, "heat.settings is right", 'parallel loop "sweep" (heat.c:%d): CHECKSUM (inherited)'
        % line_of('hb_loop("sweep")'))
    open(place.path + "/less.settings", "w").write(re.sub(r'("copy".*)INHERITED', r"\1NONE", text))
    heat.record("less.hbdb", 1, options=["--settings", "less.settings"])
    told, total, _ = heat.run("less.hbdb", "less2.hbdb", 2)
    same("a construct that is left out is left out, in the run, too", (told, total.get("arrays")), ([], 16))
    open(place.path + "/wrong.settings", "w").write("level CHECKSUM\nlevle FULL\n")
    _, err = compare(place, "config", "wrong.settings", status=2)
    has("a mistake is told with its line", err, "wrong.settings", "line 2", "levle")
    _, err = compare(place, "record", "--start", "6.E", "--finish", "5.E", *heat.command(1), status=2)
    check("a start behind the finish is told", "6.E" in err and "5.E" in err, err)
    _, err = compare(place, "record", "--start", "6.X", *heat.command(1), status=2)
    has("a point that is none is told", err, "6.X")
    heat.record("part.hbdb", 1, options=["--start", "4.E", "--finish", "8.E"])
    told, total, _ = heat.run("part.hbdb", "part2.hbdb", 2)
    same("checksums of the ends from 4.E to 8.E alone are taken, and compared", (told, total.get("points"), total.get("arrays")), ([], 32, 10))


def saved(heat):
    line = line_of('.name = "u"')
    heat.record("saved.hbdb", 2, options=["--save", "u:heat.c:%d" % line, "--at", "4.E"])
    names = sorted(f for f in os.listdir(heat.place.path + "/saved.hbdb") if f.endswith(".npy"))
    same("an array is saved at a point, by each process", len(names), 2)
    out, _ = compare(heat.place, "report", "ref.hbdb", "saved.hbdb", status=0)
    has("... which the report tells", out, "saved array (\"u\"", names[0])
    _, err = compare(heat.place, "record", "--save", "u", "--at", "4.E", *heat.command(1), status=2)
    has("an array is named in full", err, "NAME:FILE:LINE")


def values(heat):
    """Built by hbdb cc: reads and writes between two points."""
    place, program = heat.place, heat.place.path + "/watched"
    for args in (["-c", "-o", program + ".o", SOURCE], ["-o", program, program + ".o", "-lm"]):
        got, _, err = place.run("cc", "mpicc." + heat.mpi, "-g", "-O1", "-I", TOP + "/include", *args, timeout=TIMEOUT)
        check("hbdb cc %s" % args[0], not got, err)
    watched = Heat.__new__(Heat)
    watched.place, watched.mpi, watched.program = place, heat.mpi, program
    watched.record("values.hbdb", 1, options=["--level", "full", "--start", "10.E", "--finish", "12.E"])
    told, total, _ = watched.run("values.hbdb", "values2.hbdb", 2)
    check("values of a right run are the same, one by one", not told and total.get("values", 0) > 4 * 64 * 48, (told, total))
    told, total, _ = watched.run("values.hbdb", "values3.hbdb", 2, "-h", 4, status=1)
    first = told[0] if told else {}
    same("... of a wrong one the first that differs is told: what, where, in which iteration",
         (first.get("difference"), first.get("access"), first.get("place"), first.get("array", {}).get("name"), first.get("halo"),
          first.get("iteration"), first.get("element")),
         ("value", "read", "heat.c:%d" % line_of("factor * ("), "u", True, [5, 31], [32, 1]))


def bad(heat):
    place = heat.place
    place.run("record", "-o", "plain.hbdb", *heat.command(1), timeout=TIMEOUT)
    _, err = compare(place, "report", "plain.hbdb", "same2.hbdb", status=2)
    has("a recording without traces is told, and what to do", err, "plain.hbdb has no traces: record it with 'hbdb compare record -- COMMAND'")
    other = Heat.__new__(Heat)
    other.place, other.mpi, other.program = place, heat.mpi, place.path + "/another"
    open(other.program + ".c", "w").write(
        "#include <mpi.h>\n#include <hbdb/compare.h>\n"
        "int main(int c, char **v) { MPI_Init(&c, &v); hb_loop(\"another\"); hb_loop_end(\"another\"); MPI_Finalize(); return 0; }\n")
    subprocess.run(["mpicc." + heat.mpi, "-I", TOP + "/include", "-o", other.program, other.program + ".c"], check=True)
    told, total, err = other.run("ref.hbdb", "another.hbdb", 2, status=2)
    check("another program is told", told and told[0]["difference"] == "construct" and total["points"] == 0 and "cut" not in err, (told, err))
    out, err = compare(place, "report", "ref.hbdb", "another.hbdb", status=2)
    check("... in words, and nothing is called cut", "are they of one program?" in out and "(another)" in out and not err, out + err)
    shutil.copytree(place.path + "/same2.hbdb", place.path + "/cut.hbdb")
    trace = place.path + "/cut.hbdb/rank.1.trace"
    whole = open(trace, "rb").read()
    open(trace, "wb").write(whole[:len(whole) * 2 // 3])
    out, err = compare(place, "report", "ref.hbdb", "cut.hbdb", status=1)
    has("a trace that is cut is told", err, "the trace of rank 1 is cut")
    open(trace, "wb").write(whole[:2000] + b"x" + whole[2001:])
    out, err = compare(place, "report", "ref.hbdb", "cut.hbdb", status=1)
    has("a damaged one, too", err, "rank 1 ends early", "damaged")
    open(trace, "wb").write(b"HBDBTRAX" + whole[8:])
    _, err = compare(place, "report", "ref.hbdb", "cut.hbdb", status=3)
    has("and what is none", err, "no trace of hbdb compare")
    for arguments, word in (([], "compare is told what to do"), (["reprot"], "did you mean 'report'"), (["report", "ref.hbdb"], "two recordings"),
                            (["run", "ref.hbdb"], "the reference and the command"), (["record"], "the command to run"),
                            (["config"], "takes a command"), (["report", "--stop", "a", "b"], "has no option --stop"),
                            (["report", "nowhere.hbdb", "ref.hbdb"], "nowhere.hbdb")):
        got, _, err = place.run("compare", *arguments)
        check("compare %s: %s" % (" ".join(arguments), word), got in (2, 3) and word in err and err.count("\n") == 1, err)


def dump(heat):
    status, out, err = heat.place.run("dump", "--compare", "same2.hbdb")
    same("a dump of traces", status, 0)
    has("... has the text form", out, "hbdb-trace 1\n", "process 0 of 2\n", "process 1 of 2\n", 'PL: 2(1) [1] "sweep"; {', "}, 1.B\n",
        'CS("v", "heat.c", %d, 0' % line_of('.name = "v"'), 'RV: [real8] ("norm", "heat.c"', "OVER\n")
    status, one, _ = heat.place.run("dump", "--compare", "--rank", "1", "same2.hbdb")
    check("--rank chooses", "process 0" not in one and "process 1 of 2" in one)
    status, lines, _ = heat.place.run("dump", "--compare", "--json", "same2.hbdb")
    told = [json.loads(line) for line in lines.splitlines()]
    sums = [t for t in told if t["record"] == "CS" and t["point"] == "1.E" and t["name"] == "u"]
    same("in JSON checksums have their tiles", sum(t["count"] for s in sums for t in s["tiles"]), 64 * 48)


def text(heat):
    """The text form as the reference, and as the run."""
    place = heat.place
    for name in ("ref", "same2", "halo", "values", "values3"):
        status, out, err = place.run("dump", "--compare", name + ".hbdb")
        same("%s as text" % name, status, 0)
        open("%s/%s.txt" % (place.path, name), "w").write(out)
    out, _ = compare(place, "report", "ref.txt", "same2.hbdb", status=0)
    has("a text is compared by whole arrays", out, "32 points, 32 checksums of arrays (32 tiles), 16 results")
    compare(place, "report", "ref.hbdb", "same2.txt", status=0)
    compare(place, "report", "same2.txt", "ref.txt", status=0)
    by_text, _ = compare(place, "report", "ref.txt", "halo.hbdb", status=1)
    by_trace, _ = compare(place, "report", "ref.hbdb", "halo.hbdb", status=1)
    same("... with the same differences", [line for line in by_text.splitlines() if line.startswith("different: D")],
         [line for line in by_trace.splitlines() if line.startswith("different: D")])
    has("... whose place is not known", by_text, "v, somewhere: the distance is about", "the text form has no tiles")
    out, _ = compare(place, "report", "--json", "values.txt", "values3.txt", status=1)
    first = json.loads(out.splitlines()[0])
    same("values are read back, too", (first["difference"], first["element"], first["halo"], first["iteration"]),
         ("value", [32, 1], True, [5, 31]))
    lines = open(place.path + "/ref.txt").read().splitlines()
    cut = next(i for i, line in enumerate(lines) if line.startswith("CS("))
    open(place.path + "/wrong.txt", "w").write("\n".join(lines[:cut] + [lines[cut][:40]] + lines[cut + 1:]))
    _, err = compare(place, "report", "wrong.txt", "same2.hbdb", status=1)
    has("a line that is none is told", err, "line %d is no record" % (cut + 1))
    open(place.path + "/other.txt", "w").write("hello\n")
    _, err = compare(place, "report", "other.txt", "same2.hbdb", status=3)
    has("and a file that is none", err, "other.txt is no text of traces")
    told, total, _ = heat.run("ref.txt", "by-text.hbdb", 2)
    same("a run is compared with a text", (told, total.get("points")), ([], 32))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--mpi", choices=sorted(LAUNCH))
    a = p.parse_args()
    for mpi in [a.mpi] if a.mpi else sorted(LAUNCH, reverse=True):
        with lib.Place(libraries=False) as place:
            heat = Heat(place, mpi)
            right(heat)
            halo(heat)
            if mpi == "openmpi" or a.mpi:
                for test in (tolerance, others, settings, saved, values, bad, dump, text):
                    test(heat)
    print("%d passed, %d failed" % (lib.passed, lib.failed))
    return lib.failed != 0


if __name__ == "__main__":
    sys.exit(main())
