#!/usr/bin/python3
"""Arrays that programs register nowhere, and that hbdb compare has whole by what they tell MPI and ScaLAPACK: one process against four.

usage: run.py [--mpi openmpi|mpich|spread] [PROGRAM...]
--mpi spread: each case under one of them, another one at every commit.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import turn  # noqa: E402

TOP = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = os.path.join(HERE, "programs")
HBDB = os.path.join(os.environ.get("BUILD", os.path.join(TOP, "build")), "hbdb")
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-n"],
          "mpich": ["mpirun.mpich", "-n"]}
# source, how it is compiled, words of the right run, array that is wrong, point, global index of an element that is (as the program counts it from)
CASES = [
    ("view.c", "-O2", ["plain"], "u", "3.E", [17, 13]),
    ("view.c", "-O2", ["static"], "store", "3.E", [17, 13]),
    ("view.c", "-O2", ["halo"], "u", "3.E", [17, 13]),
    ("view.c", "-O2", ["rows"], "u", "3.E", [17, 13]),
    ("view.c", "-O2", ["darray"], "u", "3.E", [17, 13]),
    ("view.c", "-g0", ["halo"], "array", "3.E", [17, 13]),
    ("view.c", "watched", ["halo"], "u", "3.E", [17, 13]),
    ("view.f90", "-O2", [], "u", "3.E", [12, 16]),
    ("halo.c", "-O2", ["subarray"], "v", "5.E", [11, 4]),
    ("halo.c", "-O2", ["vector"], "v", "5.E", [11, 4]),
    ("halo.c", "-O2", ["neighbors"], "v", "5.E", [0, 9]),
    ("halo.c", "-g0", ["vector"], "array", "5.E", [11, 4]),
    ("halo.c", "watched", ["vector"], "v", "5.E", [11, 4]),
    ("halo.f90", "-O2", [], "v", "5.E", [0, 11]),
    ("solve.c", "-O2", [], "c", "2.E", [41, 22]),
    ("solve.f90", "-O2", [], "b", "2.E", [41, 22]),
]
# Extents that the number of processes does not divide, which they tell each other: from the first collective of the program on.
UNEVEN = [("halo.c", "-O2", ["vector", "norm"]), ("halo.c", "-O2", ["subarray", "norm"])]
# ... and right runs alone: words of the reference, of the run; status; what is told of it
OTHERS = [
    ("solve.c", "-O2", [], ["shifted"], 0, None),
    ("view.c", "-O2", ["plain"], ["gap"], 2, "pieces"),
    ("halo.c", "-O2", ["subarray", "uneven"], ["subarray", "uneven"], 2, "pieces"),
]
count = {"passed": 0, "failed": 0}
folder = tempfile.mkdtemp(prefix="hbdb-told.")


def check(good, what, more=""):
    count["passed" if good else "failed"] += 1
    print("%s %s%s" % ("ok" if good else "FAIL", what, "" if good else "\n     " + str(more)[:3000].replace("\n", "\n     ")), flush=True)
    return good


def hbdb(*words):
    env = dict(os.environ, XDG_STATE_HOME=folder + "/state")
    return subprocess.run([HBDB, *words], cwd=folder, env=env, capture_output=True, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL, timeout=600)


def compiled(source, how, mpi):
    """The program's name in the folder, or None: it has been told that it cannot be."""
    name = "%s%s.%s" % (source, how, mpi)
    if os.path.exists(os.path.join(folder, name)):
        return name
    fortran = source.endswith(".f90")
    words = ["mpifort." + mpi if fortran else "mpicc." + mpi]
    words += ["-O2"] + (["-g0"] if how == "-g0" else ["-g"]) + ["-I", os.path.join(TOP, "include"), "-o", name]
    words += ["-cpp", "-ffree-line-length-none", os.path.join(TOP, "include/hbdb/compare.f90")] if fortran else ["-Wall", "-Wextra"]
    words += [os.path.join(PROGRAMS, source)] + (["-l:libscalapack-%s.so.2.2" % mpi] if source.startswith("solve") else [])
    if how == "watched":
        done = hbdb("fc" if fortran else "cc", *words)
    else:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    return name if check(done.returncode == 0, "%s is compiled" % name, done.stdout + done.stderr) else None


def referred(name, mpi, words):
    shutil.rmtree(os.path.join(folder, "reference.hbdb"), ignore_errors=True)
    done = hbdb("compare", "record", "-o", "reference.hbdb", "--", *LAUNCH[mpi], "1", "./" + name, *words)
    return check(done.returncode == 0, "%s %s: the reference is recorded" % (name, " ".join(words)), done.stdout + done.stderr)


def compared(name, mpi, words, processes=4):
    """The status, what was told, and all that was said."""
    shutil.rmtree(os.path.join(folder, "run.hbdb"), ignore_errors=True)
    done = hbdb("compare", "run", "--json", "-o", "run.hbdb", "reference.hbdb", "--", *LAUNCH[mpi], str(processes), "./" + name, *words)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")], done.stdout + done.stderr


def summed(told):
    return next((t for t in told if "arrays" in t), {})


def has(tile, element):
    return all(f <= x < f + c for f, c, x in zip(tile["first"], tile["count"], element))


def one(mpi, source, how, words, array, point, element):
    name = compiled(source, how, mpi)
    if not name or not referred(name, mpi, words):
        return
    status, told, said = compared(name, mpi, words)
    check(status == 0 and summed(told).get("arrays", 0) > 0 and not any(t.get("differs") for t in told) and "pieces" not in [t.get("difference") for t in told],
          "%s %s: no difference, and arrays were compared" % (name, " ".join(words)), said)
    status, told, said = compared(name, mpi, words + ["wrong"])
    differences = [t for t in told if t.get("differs")]
    first = differences[0] if differences else {}
    check(status == 1 and first.get("point") == point and first.get("array", {}).get("name") == array and has(first["tile"], element),
          "%s %s: wrong at %s, %s%s" % (name, " ".join(words), point, array, element), said)


def uneven(mpi, source, how, words):
    name = compiled(source, how, mpi)
    if not name or not referred(name, mpi, words):
        return
    for processes, arrays in (2, 19), (4, 16):  # two of them cut the dimension that they share evenly
        status, told, said = compared(name, mpi, words, processes)
        compares = summed(told).get("arrays", 0)
        check(status == 0 and compares == arrays, "%s %s: no difference, from the first collective on, %d processes" % (name, " ".join(words), processes), said)
    status, told, said = compared(name, mpi, words[:-1] + ["norm-wrong"])
    first = next((t for t in told if t.get("differs")), {})
    check(status == 1 and first.get("point") == "5.E" and first["array"]["name"] == "v" and has(first["tile"], [11, 4]),
          "%s %s: wrong at 5.E, v" % (name, " ".join(words)), said)


def other(mpi, source, how, words, run, status, difference):
    name = compiled(source, how, mpi)
    if not name or not referred(name, mpi, words):
        return
    got, told, said = compared(name, mpi, run)
    kinds = [t["difference"] for t in told if "difference" in t]
    check(got == status and (difference in kinds if difference else not kinds) and not any(t.get("differs") for t in told),
          "%s %s: status %d, %s" % (name, " ".join(run), status, difference or "nothing told"), said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", choices=[*LAUNCH, "spread"])
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    try:
        for judge, cases in ((one, CASES), (uneven, UNEVEN), (other, OTHERS)):
            for case in cases:
                its = [args.mpi] if args.mpi in LAUNCH else [turn.pick(repr(case[:3]), list(LAUNCH))] if args.mpi else LAUNCH
                for mpi in its if not args.programs or case[0] in args.programs else ():
                    judge(mpi, *case)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if args.mpi == "spread":
        print("table: each case under one MPI, " + turn.told(2))
    print("%(passed)d passed, %(failed)d failed" % count)
    sys.exit(1 if count["failed"] else 0)


if __name__ == "__main__":
    main()
