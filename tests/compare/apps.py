#!/usr/bin/python3
"""hbdb diff on real applications (tests/apps): what it says of two runs of each, and whether that is so.

usage: apps.py [--full] [--app NAME] [--dir FOLDER]

Programs whose messages race must be told to race, by nothing else, and be the same when they run in the order of the other run; the same program over another MPI
must be the same but for the times that it adds up, and with the times of the other run (--force) the same.
"""
import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests/apps"))
sys.path.insert(0, os.path.join(TOP, "tests/cli"))
spec = importlib.util.spec_from_file_location("apps_run", os.path.join(TOP, "tests/apps/run.py"))
apps = importlib.util.module_from_spec(spec)
spec.loader.exec_module(apps)
import lib  # noqa: E402
from lib import check, same  # noqa: E402

HBDB = os.environ.get("HBDB", os.path.join(TOP, "build/hbdb"))
RACES = {"race", "poll"}


class App:
    """Recordings of one application: of any MPI, in a folder for each."""

    def __init__(self, registry, name, at):
        self.app, self.at = next(a for a in registry if a["name"] == name), at
        self.name = name

    def folder(self, mpi):
        return "%s/%s.%s" % (self.at, self.name, mpi)

    def run(self, mpi, command):
        env = dict(os.environ, OMP_NUM_THREADS="1", XDG_STATE_HOME=self.at)
        if "preload" in self.app:
            env["LD_PRELOAD"] = os.path.join(apps.BUILT, self.app["preload"])
        stdin = open(os.path.join(self.folder(mpi), self.app["stdin"])) if "stdin" in self.app else subprocess.DEVNULL
        return subprocess.run(command, cwd=self.folder(mpi), env=env, stdin=stdin, capture_output=True, text=True, errors="replace",
                              timeout=self.app.get("timeout", 300) * 2)

    def record(self, mpi, ranks, *names):
        """What each printed."""
        if not os.path.isdir(self.folder(mpi)):
            apps.prepare(self.app, ranks, self.folder(mpi))
        out = []
        for name in names:
            done = self.run(mpi, [HBDB, "record", "--digests", "whole", "-o", name + ".hbdb", "--"] + apps.launch_line(self.app, mpi, ranks))
            same("%s: %s: %s is recorded" % (self.name, mpi, name), (done.returncode, done.stderr[-900:] if done.returncode else ""), (0, ""))
            out.append(done.stdout)
        return out

    def diff(self, mpi, a, b, *options):
        """(exit status, differences that are first, the sum, what the program printed when it was forced)"""
        done = self.run(mpi, [HBDB, "diff", "--json", *options, a, b])
        lines = done.stdout.splitlines()
        told = [json.loads(line) for line in lines if line.startswith('{"')]
        if not told:
            check("%s: %s: %s against %s is told" % (self.name, mpi, a, b), False, done.stderr[-900:])
            return done.returncode, [], {"same": False, "by_64_bits": 0}, ""
        print("   %s %s %s against %s: %s; %d pairs of events" % (self.name, mpi, " ".join(options[:1]), b, "; ".join(d["sentence"] for d in told[:-1]) or "the same",
                                                                told[-1]["events"]), flush=True)
        return done.returncode, told[:-1], told[-1], "".join(line + "\n" for line in lines if not line.startswith('{"'))

    def forced(self, mpi, a, b):
        shutil.rmtree(self.folder(mpi) + "/forced.hbdb", ignore_errors=True)
        return self.diff(mpi, a, b, "--force", "--trust", "-o", "forced.hbdb")


def times(app, mpi, ranks):
    """Its processes add up times; with those of the other run they compute the same. A LAMMPS adds up processor time as well, which nobody gives it."""
    app.record(mpi, ranks, "a", "b")
    _, told, total, _ = app.diff(mpi, "a.hbdb", "b.hbdb")
    same("%s: %s: times are the first difference" % (app.name, mpi), [(d["difference"], d["a"]["function"], "MPI_Wtime" in d["advice"]) for d in told],
         [("contents given", "MPI_Allreduce", True)])
    check("%s: %s: all calls are compared" % (app.name, mpi), total["events"] > 3000 and not total.get("parted"), total)
    status, told, total, _ = app.forced(mpi, "a.hbdb", "b.hbdb")
    if app.name == "lammps":
        at = [int(d["a"]["event"].split(":")[1]) for d in told]
        check("%s: %s: with the times of A but one sum is the same" % (app.name, mpi), len(at) == 1 and total["differing_contents"] == 2 * ranks, (told, total))
    else:
        same("%s: %s: with the times of A the same" % (app.name, mpi), (status, total["same"]), (0, True))


def races(app, mpi, ranks):
    """Whatever differs is a race, or behind one, and in the order of A all is as it was."""
    out = app.record(mpi, ranks, "a", "b", "c")
    for other in ("b", "c"):
        _, told, _, _ = app.diff(mpi, "a.hbdb", other + ".hbdb")
        check("%s: %s: nothing but races is first" % (app.name, mpi), {d["difference"] for d in told} <= RACES, told)
        status, told, total, printed = app.forced(mpi, "a.hbdb", other + ".hbdb")
        same("%s: %s: in the order of A the same" % (app.name, mpi), (status, total["same"]), (0, True))
        check("%s: %s: contents were compared" % (app.name, mpi), total["by_64_bits"] > 1000 and not total["contents_not_compared"], total)
        result = [[line for line in text.splitlines() if "Norm of error" in line or "Solution is" in line] for text in (out[0], printed)]
        check("%s: %s: and the result is that of A" % (app.name, mpi), result[0] and result[0] == result[1], [line[:200] for lines in result for line in lines])


def libraries(app, ranks):
    """Open MPI against MPICH."""
    app.record("openmpi", ranks, "two")
    app.record("mpich", ranks, "two")
    theirs = app.folder("mpich") + "/two.hbdb"
    _, told, total, _ = app.diff("openmpi", "two.hbdb", theirs)
    same("%s: over the other MPI times are the first difference" % app.name, [(d["difference"], "MPI_Wtime" in d["advice"]) for d in told], [("contents given", True)])
    check("%s: over the other MPI all calls are the same" % app.name, not total.get("parted") and total["events"] > 1000, total)
    status, _, total, _ = app.forced("openmpi", "two.hbdb", theirs)
    same("%s: over the other MPI, with the times of A, the same" % app.name, (status, total["same"]), (0, True))


CASES = {
    "lammps": lambda app: times(app, "openmpi", 4),
    "scalapack-qr": lambda app: (times(app, "openmpi", 4), libraries(app, 2)),
    "mumps": lambda app: races(app, "openmpi", 4),
    "petsc-ex2-mumps": lambda app: races(app, "openmpi", 4),
    "scalapack-lu": lambda app: (times(app, "openmpi", 2), libraries(app, 2)),
}
QUICK = ("lammps", "mumps", "petsc-ex2-mumps", "scalapack-qr")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--app", action="append", choices=sorted(CASES))
    parser.add_argument("--dir")
    args = parser.parse_args()
    subprocess.run(["sh", os.path.join(TOP, "tests/apps/build.sh"), apps.BUILT], stderr=subprocess.DEVNULL, check=False)
    with open(os.path.join(TOP, "tests/apps/apps.json")) as f:
        registry = json.load(f)["apps"]
    at = args.dir or tempfile.mkdtemp(prefix="hbdb-compare-apps.")
    for name in args.app or (sorted(CASES) if args.full else QUICK):
        app = App(registry, name, at)
        why = apps.missing(app.app, "openmpi")
        if why:
            print("skipped %s: %s" % (name, why), flush=True)
            continue
        CASES[name](app)
    if not args.dir:
        shutil.rmtree(at)
    lib.finish()


main()
