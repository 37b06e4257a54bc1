#!/usr/bin/python3
"""hbdb compare find, zoom, control and picture; hbdb debug and replay of traced runs; OpenMP without marks.

usage: verbs.py [--mpi openmpi|mpich]
"""
import argparse
import json
import os
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree
import zlib

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import lib  # noqa: E402
from lib import TOP, check, has, same  # noqa: E402

TIMEOUT = 300
LAUNCH = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"],
    "mpich": ["mpirun.mpich"],
}
LU, HEAT = TOP + "/examples/lu/lu.c", HERE + "/programs/heat.c"
WATCH = TOP + "/tests/watch/programs/"


def line_of(source, text):
    """The line of a program that has this text first."""
    for number, line in enumerate(open(source), 1):
        if text in line:
            return number
    raise KeyError(text)


class Job:
    """A program under one MPI, or without one."""

    def __init__(self, place, mpi, source, *flags, watched=True):
        self.place, self.mpi = place, mpi
        self.name = "%s-%s%s%s" % (os.path.basename(source)[:-2], mpi, "" if watched else "-plain", "".join(flags))
        self.program = "%s/%s" % (place.path, self.name)
        compiler = "mpicc." + mpi if mpi in LAUNCH else mpi
        command = [compiler, "-g", *(flags or ["-O1"]), "-I", TOP + "/include", "-o", self.program, source, "-lm"]
        done = subprocess.run([lib.HBDB, "cc"] + command if watched else command, capture_output=True, text=True, env=place.env)
        check("%s is built" % self.name, not done.returncode, done.stderr)

    def command(self, ranks, *args):
        launch = [*LAUNCH[self.mpi], "-n", str(ranks)] if self.mpi in LAUNCH else []
        return ["--", *launch, self.program, *map(str, args)]


def hbdb(place, *args, status=0, env=None):
    got, out, err = place.run(*args, timeout=TIMEOUT, env=env)
    check("hbdb %s: status %d" % (" ".join(a for a in map(str, args) if a not in LAUNCH["openmpi"] + LAUNCH["mpich"])[:100], status),
          got == status, "got %d\n%s%s" % (got, out, err))
    return out, err


def objects(out):
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def find(place, mpi):
    lu = Job(place, mpi, LU)
    small = ["-n", 16, "-s", 1]
    wrong = [*small, "--without", "flux"]
    out, err = hbdb(place, "compare", "find", "-o", "lu", *lu.command(1, *small), *lu.command(2, *wrong), status=1)
    reports = re.findall(r"^different: \S+ differs from \S+, first at the point (\S+)$", out, re.M)
    same("%s: find tells of two pairs of runs, which part at one point" % mpi, reports, ["5.E", "5.E"])
    first, second = out[:out.find("First different value")], out[out.find("First different value"):]
    has("... the first: array, points, lines", first, 'array ("frct", "lu.c", ', "at the point 5.E; previous correct point is 4.E",
        'parallel loop "flux" (lu.c:%d)' % line_of(LU, 'hb_loop("flux")'), 'parallel loop "frct.y" (lu.c:%d)' % line_of(LU, "hb_loop(name)"))
    frct, rsd = first[first.find('("frct"'):first.find('("rsd"')], first[first.find('("rsd"'):first.find('("u"')]
    has("... between which nothing is sent", frct, "the edge of a process", "rank 0 neither sends nor receives between these points")
    check("... and of the next array what is: once in each direction", re.search(
        r"between these points rank 0 sends 1 to rank 1( of communicator \d+)? and receives 1 from it \(lu\.c:%d, lu\.c:%d\)" % (
            line_of(LU, "MPI_Sendrecv(at(a, 0, ly, 1)"), line_of(LU, "MPI_Sendrecv(at(a, 0, 1, 1), 1, face_j")), rsd), rsd)
    has("... the last: array, line, halo", second, "First different value: rank 0 reads flux[1, 8, 1, 0] = 0 != ",
        "at       lu.c:%d, iteration (1, 7) of parallel loop" % line_of(LU, "t[m] += sign"), "is in the halo of rank 0")
    has("... and the array is drawn, and kept", err, "lu-frct-5.E.svg", "lu.hbdb/frct.5.E.npy")
    out, _ = hbdb(place, "compare", "find", "-o", "right", *lu.command(1, *small), *lu.command(2, *small))
    check("two runs that do not differ are not run again", "same: no difference" in out and not os.path.exists(place.path + "/right.hbdb"), out)
    for args, word in ((["find"], "two commands"), (["find", *lu.command(1)], "two commands"), (["zoom", "lu-first.hbdb"], "two recordings"),
                       (["zoom", "--save", "u:lu.c:69", "a", "b"], "has no option --save"), (["picture", "lu-first.hbdb"], "two recordings"),
                       (["control"], "the command to run"), (["control", "--level", "full", "--", "true"], "has no option --level")):
        _, err = hbdb(place, "compare", *args, status=2)
        check("... in one line", word in err and err.count("\n") == 1, err)


def zoom(place, mpi):
    heat = Job(place, mpi, HEAT)
    hbdb(place, "compare", "record", "-o", "heat1.hbdb", *heat.command(1))
    hbdb(place, "compare", "run", "-o", "heat2.hbdb", "heat1.hbdb", *heat.command(2, "-h", 4), status=1)
    out, _ = hbdb(place, "compare", "zoom", "--json", "-o", "closer", "heat1.hbdb", "heat2.hbdb", status=1)
    first, total = objects(out)[0], objects(out)[-1]
    same("%s: zoom tells value, line, iteration, element" % mpi,
         (first["difference"], first["access"], first["place"], first["array"]["name"], first["halo"], first["iteration"], first["element"]),
         ("value", "read", "heat.c:%d" % line_of(HEAT, "factor * ("), "u", True, [5, 31], [32, 1]))
    check("... of the reads and writes between two points alone", 0 < total["values"] < 8 * 64 * 48, total)
    settings = open(place.path + "/closer.hbdb/trace.settings").read()
    has("... which its settings say", settings, "10.E", "11.E", "FULL")
    out, _ = hbdb(place, "compare", "zoom", "heat1.hbdb", "heat1.hbdb")
    has("of the same runs there is nothing to look into", out, "no difference to look into")


def bare(place):
    """Not built by hbdb cc, and without a reduction: the second pair has nothing to compare, and the runs differ all the same. One that fails."""
    source = place.path + "/bare.c"
    open(source, "w").write("".join(line for line in open(HEAT) if "hb_reduce" not in line))
    job = Job(place, "openmpi", source, watched=False)
    hbdb(place, "compare", "record", "-o", "bare1.hbdb", *job.command(1))
    hbdb(place, "compare", "run", "-o", "bare2.hbdb", "bare1.hbdb", *job.command(2, "-h", 4), status=1)
    _, err = hbdb(place, "compare", "zoom", "-o", "bare", "bare1.hbdb", "bare2.hbdb", status=1)
    has("zoom says what to do for reads and writes, and draws", err, "no reads and writes were seen: build the program with hbdb cc",
        "bare-v-11.E.svg: where the array differs, by elements")
    open(place.path + "/fails.c", "w").write(re.sub(r"return 0;\n}\s*$", "return argc > 2 ? 3 : 0;\n}\n", open(HEAT).read()))
    job = Job(place, "mpich", place.path + "/fails.c", watched=False)
    out, err = hbdb(place, "compare", "find", *job.command(1), *job.command(1, "-t", 8), status=3)
    check("of a run that failed find does not say that it is right", "the command ended with status 3" in err and "same: no difference" in out, out + err)


def control(place):
    at = {m[1]: n for n, line in enumerate(open(WATCH + "control.c"), 1) for m in [re.search(r"@(\w+)", line)] if m}
    wrong, right = Job(place, "gcc", WATCH + "control.c", "-O0"), Job(place, "gcc", WATCH + "control.c", "-O0", "-DRIGHT")
    plain = Job(place, "gcc", WATCH + "control.c", "-O0", watched=False)
    out, _ = hbdb(place, "compare", "control", "-o", "wrong.hbdb", "--json", *wrong.command(1), status=1)
    told, total = objects(out)[:-1], objects(out)[-1]
    same("control: findings, arrays, lines", sorted((t["finding"], t["array"], t["place"].split(":")[1]) for t in told), sorted(
        (f, a, str(at[l])) for f, a, l in (
            ("dependence", "f", "dependence"), ("dependence", "u", "neighbours"), ("read-only", "lookup", "constant"), ("shadow-write", "u", "shadow"),
            ("remote", "u", "remote"), ("shadow-stale", "u", "neighbours"), ("reduction", "total", "early"), ("unwritten", "w", "unwritten"),
            ("not-local", "f", "beyond"))))
    same("... and their sum", (total["findings"], total["exit"], total["cut"], total["reads"] > 0), (9, 1, 0, True))
    dependence = next(t for t in told if t["finding"] == "dependence" and t["array"] == "f")
    same("... a dependence: element, both iterations and lines, loop",
         (dependence["index"], dependence["iteration"], dependence["other_iteration"], dependence["other_place"], dependence["loops"][0]["name"]),
         ([1], [3], [2], "control.c:%d" % at["neighbours"], "sweep"))
    same("... what is beyond an array has no index", [(t.get("index"), t.get("element")) for t in told if t["finding"] == "not-local"], [(None, 8)])
    out, _ = hbdb(place, "compare", "control", *wrong.command(1), status=1)
    has("... in words", out, "dependence: two iterations of a parallel loop", "accessed rank 0, control.c:%d, iteration (3)" % at["dependence"],
        "before   control.c:%d, iteration (2)" % at["neighbours"], 'in       parallel loop "sweep"', "f, element 8 of 0 to 7", "9 findings in 1 process")
    out, _ = hbdb(place, "compare", "control", *right.command(1))
    said = re.match(r"0 findings in 1 process: (\d+) reads and (\d+) writes were looked at", out.splitlines()[-1])
    check("nothing of the right program, of which about 120 elements are read and 80 written", said and 100 < int(said[1]) < 150 and 60 < int(said[2]) < 100, out)
    _, err = hbdb(place, "compare", "control", *plain.command(1), status=2)
    has("a program that cannot be watched is not called right", err, "no reads and writes were seen, so nothing was looked at: build the program with hbdb cc")
    races = Job(place, "gcc", WATCH + "races.c", "-O1", "-fopenmp")
    out, _ = hbdb(place, "compare", "control", *races.command(1), status=1, env={"OMP_NUM_THREADS": "4"})
    kinds = {}
    for block in out.split("\n\n")[:-1]:
        kinds.setdefault("(" in block.split("accessed")[1].split("\n")[0], set()).add(block[block.index("dependence:"):].split("\n")[0])
    check("iterations are named where there are, else threads", all("two iterations" in k for k in kinds.get(True, ())) and
          all("two threads" in k for k in kinds.get(False, ["none"])), kinds)
    late = Job(place, "mpich", WATCH + "halo.c", "-O1", "-Wno-stringop-overflow", "-DLATE")
    out, _ = hbdb(place, "compare", "control", "--json", *late.command(2), status=1)
    same("two processes: a halo that comes late, found by both and told once", [(t["finding"], t["array"], t["processes"]) for t in objects(out)[:-1]],
         [("shadow-stale", "u", 2)])


def png_is_whole(path):
    data, at, kinds = open(path, "rb").read(), 8, []
    while at + 12 <= len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        good = zlib.crc32(data[at + 4:at + 8 + n]) == struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0]
        kinds.append(kind if good else b"bad")
        at += n + 12
    return data[:8] == b"\x89PNG\r\n\x1a\n" and at == len(data) and kinds[0] == b"IHDR" and kinds[-1] == b"IEND" and b"bad" not in kinds


def stored(path, kind, turned):
    """What a process of grid.c wrote itself, without the rows around what it owns."""
    flat = numpy.fromfile(path, kind)
    return flat.reshape((-1, 10), order="F" if turned else "C")[1:-1]


def picture(place, mpi):
    grid = Job(place, mpi, HERE + "/programs/grid.c")
    source = HERE + "/programs/grid.c"
    want = {"grid": (numpy.float64, [[100.25 * i + j for j in range(10)] for i in range(24)]),
            "turned": (numpy.int32, [[1000 * i + j for j in range(10)] for i in range(24)])}
    for name, (kind, right) in want.items():
        array = "%s:grid.c:%d" % (name, line_of(source, '.name = "%s"' % name))
        one, two, folder = name + "1.hbdb", name + "2.hbdb", place.path + "/" + name
        os.mkdir(folder)
        hbdb(place, "compare", "record", "-o", one, "--save", array, "--at", "1.E", *grid.command(1))
        hbdb(place, "compare", "run", "-o", two, one, *grid.command(2, folder, "wrong"), status=1)
        for rank in range(2):
            part = numpy.load("%s/%s/array.%s.1.E.%d.npy" % (place.path, two, name, rank))
            check("%s: numpy reads what rank %d saved of %s" % (mpi, rank, name),
                  part.dtype == kind and numpy.array_equal(part, stored("%s/%s.%d" % (folder, name, rank), kind, name == "turned")), part)
        _, err = hbdb(place, "compare", "picture", "-o", name + ".svg", "--save", array, "--at", "1.E", one, two)
        has("... a picture by elements", err, name + ".svg: where the array differs, by elements")
        for recording, wrong in ((one, False), (two, name == "grid")):
            whole, wanted = numpy.load("%s/%s/%s.1.E.npy" % (place.path, recording, name)), numpy.array(right, kind)
            if wrong:
                wanted[17][3] += 0.5
            check("... and %s as a whole" % name, whole.dtype == kind and whole.shape == (24, 10) and numpy.array_equal(whole, wanted), whole)
    svg = xml.etree.ElementTree.parse(place.path + "/grid.svg").getroot()
    words = " ".join(t.text or "" for t in svg.iter("{http://www.w3.org/2000/svg}text"))
    check("the SVG is one, and says how many elements differ, and which", svg.tag == "{http://www.w3.org/2000/svg}svg" and
          "1 of 240 elements" in words and "(17, 3)" in words, words)
    hbdb(place, "compare", "picture", "-o", "grid.png", "grid1.hbdb", "grid2.hbdb")
    check("the PNG is whole", png_is_whole(place.path + "/grid.png"))
    _, err = hbdb(place, "compare", "picture", "--save", "grid:grid.c:%d" % line_of(source, '.name = "grid"'), "--at", "1.E",
                  "turned1.hbdb", "turned2.hbdb")
    has("without elements by tiles; the name follows from the array", err, "grid-1.E.svg: where the array differs, by tiles")
    _, err = hbdb(place, "compare", "picture", "--save", "other:grid.c:1", "--at", "1.E", "grid1.hbdb", "grid2.hbdb", status=2)
    has("an array that is not there is told", err, 'neither elements nor checksums of "other" at 1.E are in both runs')
    _, err = hbdb(place, "compare", "picture", "--save", "grid:grid.c:%d" % line_of(source, '.name = "grid"'), "--at", "1.B",
                  "grid1.hbdb", "grid2.hbdb", status=2)
    has("... and what was saved at another point is not drawn", err, "at 1.B are in both runs: record them with --save grid:grid.c:")
    _, err = hbdb(place, "compare", "picture", "--save", "other:grid.c:1", "grid1.hbdb", "grid2.hbdb", status=2)
    has("... and so is a missing point", err, "--at POINT")
    out, _ = hbdb(place, "compare", "picture", "grid1.hbdb", "grid1.hbdb")
    has("... and that nothing differs", out, "there is nothing to draw")


def debug(place, mpi):
    heat = Job(place, mpi, HEAT, "-O0")
    hbdb(place, "compare", "record", "-o", "points.hbdb", *heat.command(2))
    before = sorted(os.listdir(place.path)), sorted(os.listdir(place.path + "/points.hbdb"))
    stamps = {f: os.stat(place.path + "/points.hbdb/" + f).st_mtime_ns for f in before[1]}
    _, err = hbdb(place, "replay", "points.hbdb")
    has("%s: a traced run is replayed, its points come as recorded" % mpi, err, "no difference", "64 came as recorded")
    same("... and nothing is traced", ((sorted(os.listdir(place.path)), sorted(os.listdir(place.path + "/points.hbdb"))),
         {f: os.stat(place.path + "/points.hbdb/" + f).st_mtime_ns for f in before[1]}), (before, stamps))
    dump, _ = hbdb(place, "dump", "points.hbdb")
    event = {(m[2], m[3], int(m[4])): int(m[1]) for m in re.finditer(r"^0:(\d+) .*?(begin|end) loop (\w+)\(point=(\d+)\)", dump, re.M)}
    end, begin = event["end", "sweep", 5], event["begin", "copy", 2]
    out, _ = hbdb(place, "debug", "points.hbdb", "--at", "point:5.E", "-c", "where; print rows; [1] print lo")
    has("%s: debug --at point:5.E" % mpi, out, "at point 5.E", "[0] held after 0:%d  loop sweep  heat.c:%d" % (end, line_of(HEAT, 'hb_loop_end("sweep")')),
        "[1] held after 1:%d  loop sweep" % end, "sweep (heat.c:", "rows = 32", "[1] lo = 32")
    out, _ = hbdb(place, "debug", "points.hbdb", "-c", "goto point:5.E; goto point:2.B; where; [0] print lo")
    has("%s: goto point:2.B, back" % mpi, out, "at point 2.B", "[0] held after 0:%d  loop copy  heat.c:%d" % (begin, line_of(HEAT, 'hb_loop("copy")')),
        "copy (heat.c:", "[0] lo = 0")
    for point, word in (("13", "put .B or .E behind it"), ("77.E", "no process of this recording comes by point 77.E"),
                        ("0.B", "constructs are numbered from 1"), ("x", "is no point")):
        _, err = hbdb(place, "debug", "points.hbdb", "--at", "point:" + point, "-c", "where", status=2)
        has("... is told", err, word)


def threads(place):
    job = Job(place, "gcc", HERE + "/programs/threads.c", "-O1", "-fopenmp")
    one, three = {"OMP_NUM_THREADS": "1"}, {"OMP_NUM_THREADS": "3"}
    hbdb(place, "compare", "record", "-o", "one.hbdb", *job.command(1), env=one)
    out, _ = hbdb(place, "compare", "run", "--json", "-o", "three.hbdb", "one.hbdb", *job.command(1), env=three)
    total = objects(out)[-1]
    same("OpenMP without marks, 1 thread and 3: the same", (len(objects(out)), total["same"], total["points"], total["arrays"]), (1, True, 18, 12))
    for wrong, element, name, mark, ordinal in (("v", 700, "v", "named", 0), ("part", 5, "part", "turns", 1)):
        out, _ = hbdb(place, "compare", "run", "--json", "-o", wrong + ".hbdb", "one.hbdb", *job.command(1, wrong, element), status=1, env=three)
        told = objects(out)[:-1]
        same("... %s is wrong: array, line, ordinal, points" % wrong, [
            (t["array"]["name"].split("[")[0], t["array"]["line"], t["array"]["ordinal"], t["point"], t["correct"]) for t in told],
            [(name, line_of(HERE + "/programs/threads.c", "@" + mark), ordinal, "5.E", "2.E")])
        tile = told[0]["tile"]
        check("... and the tile", told[0]["differing_tiles"] == 1 and tile["first"][0] <= element < tile["first"][0] + tile["count"][0], told)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--mpi", choices=sorted(LAUNCH))
    a = p.parse_args()
    for mpi in [a.mpi] if a.mpi else sorted(LAUNCH, reverse=True):
        with lib.Place(libraries=False) as place:
            find(place, mpi)
            debug(place, mpi)
            if mpi == "openmpi" or a.mpi:
                zoom(place, mpi)
                picture(place, mpi)
    with lib.Place(libraries=False) as place:
        bare(place)
        control(place)
        threads(place)
    print("%d passed, %d failed" % (lib.passed, lib.failed))
    return lib.failed != 0


if __name__ == "__main__":
    sys.exit(main())
