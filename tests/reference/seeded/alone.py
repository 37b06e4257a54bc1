#!/usr/bin/python3
"""Programs with seeded mistakes, and right variants of them, without hbdb: the tables against an oracle.

usage: alone.py [--share N] [PROGRAM...]      every Nth row of the tables, the first one by the day
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

import build
import oracle

count = {"passed": 0, "failed": 0}


def check(good, what, more=""):
    count["passed" if good else "failed"] += 1
    print("%s %s%s" % ("ok" if good else "FAIL", what, "" if good else "\n     " + str(more)[:2000].replace("\n", "\n     ")), flush=True)


def norms(text):
    return [float(x) for x in re.findall(r"[-+\d.]+[eE][-+]\d+", text)]


def near(a, b):
    return len(a) == len(b) > 0 and all(abs(x - y) <= 2e-9 * max(abs(x), abs(y)) for x, y in zip(a, b))


def told(folder, program, path, processes, threads=1):
    """What a program prints, and the constructs that each process tells."""
    done = oracle.run(folder, "plain", os.path.join(folder, "tracer.so"), build.launch("openmpi", processes, path, build.arguments(program)), threads, 0, values=False)
    return done, [oracle.Told(os.path.join(folder, "plain.%d" % i)).constructs for i in range(processes)]


def check_program(folder, program):
    """The same norm and the same constructs for every number of processes."""
    path = os.path.join(folder, program)
    want = None
    for processes in range(1, 9):
        done, constructs = told(folder, program, path, processes)
        want = want or (norms(done.stdout), constructs[0])
        check(done.returncode == 0 and not done.stderr and near(norms(done.stdout), want[0]), "%s: %d processes print the norm of one" % (program, processes),
              done.stdout + done.stderr)
        check(len(want[1]) >= 5 and all(c == want[1] for c in constructs), "%s: %d processes come by the constructs of one" % (program, processes))


def check_mistake(folder, row):
    what = "%(program)s %(mistake)s, %(processes)d processes" % row
    number = int(row["point"].split(".")[0])
    reference, other, out = oracle.tell(folder, row["program"], row["mistake"], row["processes"], row["threads"], row["size"], number,
                                        os.path.join(folder, row["program"]))
    found = oracle.compare(reference, other)
    name, line = build.statement(row["program"], row["statement"])[:2]
    if found is None or any("status" in x for x in out):
        check(False, what, out)
        return
    at, construct, wrong = found
    construct = "omp" if construct == "-" else construct
    check((at, construct, list(wrong)) == (number, row["construct"], [row["array"]]), "%s: first wrong is %s at %s (%s:%d)"
          % (what, row["array"], row["point"], name, line), found)
    box, first, elements = wrong.get(row["array"], ("", "", 0))[:3]
    if row["first"] == "-" and row["box"] != "-":
        inside = all(low >= wide_low and high <= wide_high for (low, high), (wide_low, wide_high)
                     in zip(*([map(int, x.split(":")) for x in text.split(",")] for text in (box, row["box"]))))
        check(inside, what + ": within the box", found)
    else:
        check((box, first) == (row["box"], row["first"]) and row["elements"] in ("-", str(elements)), what + ": its elements", found)


def check_variant(folder, row, number):
    words = "%s, %d processes, %s threads, %s %s %s" % (row["program"], row["processes"], row["threads"], row["mpi"], row["compiler"], " ".join(row["flags"]))
    path = build.build(folder, "variant%d" % number, row["program"], row["mpi"], row["compiler"], row["flags"])
    reference, other, out = oracle.tell(folder, row["program"], "-", row["processes"], row["threads"], path=path, mpi=row["mpi"],
                                        reference=os.path.join(folder, row["program"]))
    check(near(norms(out[0]), norms(out[1])), words + ": the norm", out)
    if not (row["program"] == "wave" and row["compiler"] == "clang"):  # whose regions the tracer does not see
        check(oracle.compare(reference, other) is None, words + ": no difference", oracle.compare(reference, other))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    chosen = options.programs or list(build.SOURCES)
    first = int(time.time() // 86400) % options.share
    share = lambda rows: [row for i, row in enumerate(r for r in rows if r["program"] in chosen) if i % options.share == first]  # noqa: E731
    with tempfile.TemporaryDirectory(prefix="hbdb-seeded.") as folder:
        for program in chosen:
            build.build(folder, program, program)
        subprocess.run(["gcc", "-O2", "-I", build.INCLUDE, "-shared", "-fPIC", "-o", folder + "/tracer.so", build.TRACER], check=True)
        for i, program in enumerate(chosen):
            if i % options.share == first % min(options.share, len(chosen)):
                check_program(folder, program)
        for row in share(build.mistakes()):
            check_mistake(folder, row)
        for number, row in enumerate(share(build.variants())):
            check_variant(folder, row, number)
    print("%d passed, %d failed" % (count["passed"], count["failed"]))
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
