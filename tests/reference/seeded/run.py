#!/usr/bin/python3
"""Programs with seeded mistakes, and right variants of them, under hbdb compare: what it finds against the tables.

usage: run.py [--share N] [--only mistakes|variants] [PROGRAM...]      every Nth row of the tables, the first one by the day
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import build
import oracle

HBDB = os.path.join(os.environ.get("BUILD", os.path.join(build.TOP, "build")), "hbdb")
count = {"passed": 0, "failed": 0}
found = {"mistakes": 0, "point": 0, "construct": 0, "array": 0, "place": 0, "line": 0}


def check(good, what, more=""):
    count["passed" if good else "failed"] += 1
    print("%s %s%s" % ("ok" if good else "FAIL", what, "" if good else "\n     " + str(more)[:3000].replace("\n", "\n     ")), flush=True)
    return good


def hbdb(folder, *words, threads=1):
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), XDG_STATE_HOME=folder + "/state")
    return subprocess.run([HBDB, "compare", *words], cwd=folder, env=env, capture_output=True, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL, timeout=900)


class References:
    """The recording of each program's right run in one process; made when it is first wanted."""

    def __init__(self, folder):
        self.folder, self.made = folder, {}

    def of(self, program, size="-"):
        if (program, size) not in self.made:
            name = "%s%s.hbdb" % (program, size)
            if not os.path.exists(os.path.join(self.folder, program)):
                build.build(self.folder, program, program, wrap=(HBDB,))
            done = hbdb(self.folder, "record", "-o", name, "--", *build.launch("openmpi", 1, "./" + program, build.arguments(program, "-", size)))
            check(done.returncode == 0 and "points" in done.stdout, "%s: the reference is recorded" % program, done.stdout + done.stderr)
            self.made[program, size] = name
        return self.made[program, size]


def compared(folder, reference, job, threads):
    """The status, the differences in their order and the sum, and all that was said."""
    shutil.rmtree(os.path.join(folder, "run.hbdb"), ignore_errors=True)
    done = hbdb(folder, "run", "--json", "-o", "run.hbdb", reference, "--", *job, threads=threads)
    told = []
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            told.append(json.loads(line))
    return done.returncode, [x for x in told if x.get("differs") or x.get("difference") == "only"], done.stdout + done.stderr


def in_tile(folder, row, tile):
    """Whether a tile has an element that is wrong by the oracle, or where that depends on the run, some of the box."""
    low, high = tile["first"], [f + c - 1 for f, c in zip(tile["first"], tile["count"])]
    if row["first"] == "-":
        box = [[int(x) for x in side.split(":")] for side in row["box"].split(",")]
        return all(a <= to and b >= begin for a, b, (begin, to) in zip(low, high, box))
    reference, other, _ = oracle.tell(folder, row["program"], row["mistake"], row["processes"], row["threads"], row["size"], int(row["point"].split(".")[0]),
                                      os.path.join(folder, row["program"]))
    wrong = oracle.compare(reference, other)[2][row["array"]][3]
    return any(all(a <= x <= b for a, x, b in zip(low, element, high)) for element in wrong)


def check_mistake(folder, references, row):
    what = "%(program)s %(mistake)s, %(processes)d processes" % row
    reference = references.of(row["program"], row["size"])
    job = build.launch("openmpi", row["processes"], "./" + row["program"], build.arguments(row["program"], row["mistake"], row["size"]))
    status, differences, said = compared(folder, reference, job, row["threads"])
    found["mistakes"] += 1
    if not check(status == 1 and differences, what + ": differs", "status %d\n%s" % (status, said)):
        return
    here = [d for d in differences if d["point"] == differences[0]["point"]]
    first = next((d for d in here if d.get("variable", d.get("array", {}).get("name")) == row["array"]), differences[0])
    array = first.get("variable", first.get("array", {}).get("name"))
    point = check(first["point"] == row["point"], "%s: first wrong at %s" % (what, row["point"]), first)
    construct = row["construct"] == "omp" or first["construct"]["name"] == row["construct"]
    named = check(array == row["array"] and len(here) == 1, "%s: only %s" % (what, row["array"]), here)
    check(construct, "%s: in the construct %s" % (what, row["construct"]), first)
    place = row["box"] == "-" or "tile" in first and in_tile(folder, row, first["tile"])
    check(place, what + ": in a tile that has a wrong element", first)
    for name, good in ("point", point), ("construct", construct), ("array", named), ("place", place):
        found[name] += bool(good)
    check_line(folder, row, first.get("correct"), first["point"])


def check_line(folder, row, correct, point):
    """Reads and writes of both runs between two points: the first that differs is at the statement. Of the usual size, that is enough.
    What accesses cannot show, or do not show yet, is counted where it is found, and no failure."""
    shutil.rmtree(os.path.join(folder, "values.hbdb"), ignore_errors=True)
    window = [*(["--start", correct] if correct else []), "--finish", point]
    path = "./" + row["program"]
    done = hbdb(folder, "record", "--level", "full", *window, "-o", "values.hbdb", "--", *build.launch("openmpi", 1, path, build.arguments(row["program"])))
    job = build.launch("openmpi", row["processes"], path, build.arguments(row["program"], row["mistake"]))
    _, differences, said = compared(folder, "values.hbdb", job, row["threads"])
    # a write that one of the runs alone has is named where no value differs
    values = [d for d in differences if d["difference"] == "value"] + [d for d in differences if d["difference"] == "only"]
    name, first, last = build.statement(row["program"], row["statement"])
    place = values[0].get("place", "") if values else ""
    inside = place in ["%s:%d" % (name, line) for line in range(first, last + 1)]
    found["line"] += inside
    what = "%(program)s %(mistake)s, %(processes)d processes" % row
    if row["seen"] != "access" and not inside:
        print("     not seen: %s: %s" % (what, [(d["difference"], d.get("place"), d["sentence"][:90]) for d in differences][:3]))
    if row["seen"] not in ("access", "missing", "additional"):
        return
    check(inside, "%s: first seen at %s:%d" % (what, name, first), (values[:1], done.stdout + done.stderr, said))


def check_variant(folder, references, row):
    what = "%s, %d processes, %s threads, %s %s %s" % (row["program"], row["processes"], row["threads"], row["mpi"], row["compiler"], " ".join(row["flags"]))
    reference = references.of(row["program"])
    build.build(folder, "variant", row["program"], row["mpi"], row["compiler"], row["flags"])
    status, differences, said = compared(folder, reference, build.launch(row["mpi"], row["processes"], "./variant", build.arguments(row["program"])), row["threads"])
    check(status == 0 and not [d for d in differences if d["differs"]], what + ": no difference", said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--only", choices=["mistakes", "variants"])
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    chosen = options.programs or list(build.SOURCES)
    first = int(time.time() // 86400) % options.share
    share = lambda rows: [row for i, row in enumerate(r for r in rows if r["program"] in chosen) if i % options.share == first]  # noqa: E731
    with tempfile.TemporaryDirectory(prefix="hbdb-seeded.") as folder:
        references = References(folder)
        for row in share(build.mistakes()) if options.only != "variants" else ():
            check_mistake(folder, references, row)
        for row in share(build.variants()) if options.only != "mistakes" else ():
            check_variant(folder, references, row)
    if found["mistakes"]:  # also where accesses cannot show the line
        print("of %(mistakes)d mistakes: at the right point %(point)d, in the right construct %(construct)d, the right array alone %(array)d, the right tile %(place)d, the right line %(line)d" % found)
    print("%d passed, %d failed" % (count["passed"], count["failed"]))
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
