#!/usr/bin/python3
"""Real applications (tests/apps), recorded at level data, then at least two ranks of each alone.

usage: apps.py [--full] [--app NAME] [--mpi openmpi|mpich] [--ranks N] [--dir FOLDER] [--keep]

What a rank prints alone must be what it printed when it was recorded, and no call may differ. Output files that the registry names are
compared, too: each belongs to one rank, and must be there again when that rank has run.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests/apps"))
import importlib.util

spec = importlib.util.spec_from_file_location("apps_run", os.path.join(TOP, "tests/apps/run.py"))
apps = importlib.util.module_from_spec(spec)
spec.loader.exec_module(apps)

HBDB = os.environ.get("HBDB", os.path.join(TOP, "build/hbdb"))
TO_FILE = 'exec "$@" > "$OUT.${OMPI_COMM_WORLD_RANK-$PMI_RANK}"'
# application -> why it cannot be replayed alone to its end, and what must be said then
NOT = {}
QUICK = ["lammps", "mumps", "hpcc", "scalapack-qr", "mpi4py-farm", "abyss"]


def run(command, folder, app, **options):
    env = dict(os.environ, OMP_NUM_THREADS="1", OUT=os.path.join(folder, "out"), PYTHONDONTWRITEBYTECODE="1")
    if "preload" in app:
        env["LD_PRELOAD"] = os.path.join(apps.BUILT, app["preload"])
    stdin = open(os.path.join(folder, app["stdin"])) if "stdin" in app else subprocess.DEVNULL
    return subprocess.run(command, cwd=folder, env=env, stdin=stdin, capture_output=True, text=True, errors="replace",
                          timeout=app.get("timeout", 300) * 2, **options)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def alone(app, folder, rank, outputs):
    """What is wrong with it, and what hbdb said at the end."""
    for name in outputs:
        os.rename(os.path.join(folder, name), os.path.join(folder, name + ".recorded"))
    done = run([HBDB, "replay", "--alone", str(rank), "x.hbdb"], folder, app)
    wanted = read("%s/out.%d" % (folder, rank)).decode(errors="replace")
    last = done.stderr.strip().splitlines()[-1:] or [""]
    wrong = []
    if done.returncode:
        wrong.append("status %d" % done.returncode)
    if not re.search(r"replayed 1 process, \d+ events: no difference", done.stderr):
        wrong.append("there is a difference")
    if re.search("it did not ask|is not the recorded program", done.stderr):
        wrong.append("inputs differ")
    if done.stdout != wanted:
        now, then = done.stdout.splitlines(), wanted.splitlines()
        at = next((i for i, (a, b) in enumerate(zip(now, then)) if a != b), min(len(now), len(then)))
        wrong.append("%d lines printed, %d recorded; line %d: %r, recorded %r" % (len(now), len(then), at + 1, now[at:at + 1], then[at:at + 1]))
    for name in outputs:
        made = os.path.join(folder, name)
        if os.path.exists(made) and read(made) != read(made + ".recorded"):
            wrong.append("%s differs" % name)
        if not os.path.exists(made) and rank == 0:
            wrong.append("%s is not there" % name)
        os.rename(made + ".recorded", made)
    return wrong and "; ".join(wrong) + "\n" + done.stderr[-900:], last[0]


def case(app, mpi, ranks, folder):
    apps.prepare(app, ranks, folder)
    line = apps.launch_line(app, mpi, ranks)
    at = len(apps.LAUNCHERS[mpi]) + 1
    recorded = run([HBDB, "record", "--level", "data", "-o", "x.hbdb", "--"] + line[:at] + ["/bin/bash", "-c", TO_FILE, "x"] + line[at:],
                   folder, app)
    if recorded.returncode:
        return ["recording: status %d\n%s" % (recorded.returncode, recorded.stderr[-900:])], ""
    outputs = [name for name in app.get("outputs", []) if os.path.exists(os.path.join(folder, name))]
    failures, said = [], ""
    # rank 0 of abyss reads what the others have written into files, and removes them: they come first
    for rank in sorted({0, 1, ranks - 1} if not ARGS.full else range(ranks), reverse=True):
        wrong, said = alone(app, folder, rank, outputs)
        if wrong:
            failures.append("rank %d: %s" % (rank, wrong))
    return failures, "%s | %s" % (recorded.stderr.strip().splitlines()[-1].replace("hbdb: ", ""), said.replace("hbdb: ", ""))


def main():
    global ARGS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="every application and every rank")
    parser.add_argument("--app", action="append")
    parser.add_argument("--mpi", choices=sorted(apps.LAUNCHERS))
    parser.add_argument("--ranks", type=int)
    parser.add_argument("--dir")
    parser.add_argument("--keep", action="store_true")
    ARGS = parser.parse_args()
    apps.ARGS = argparse.Namespace(app=ARGS.app or (None if ARGS.full else QUICK), full=ARGS.full, ranks=None, list=False, mpi=ARGS.mpi)
    subprocess.run(["sh", os.path.join(TOP, "tests/apps/build.sh"), apps.BUILT], stderr=subprocess.DEVNULL, check=False)
    with open(os.path.join(TOP, "tests/apps/apps.json")) as f:
        registry = json.load(f)["apps"]
    at = ARGS.dir or tempfile.mkdtemp(prefix="hbdb-alone-apps.")
    passed = failed = 0
    for app in registry:
        for mpi, counts in app["ranks"].items():
            if (ARGS.app or ([] if ARGS.full else QUICK)) and app["name"] not in (ARGS.app or QUICK):
                continue
            if ARGS.mpi not in (None, mpi):
                continue
            ranks = ARGS.ranks or counts[0]
            name = "%s %s %d" % (app["name"], mpi, ranks)
            why = apps.missing(app, mpi) or NOT.get(app["name"])
            if why:
                print("skipped %s: %s" % (name, why), flush=True)
                continue
            folder = os.path.join(at, name.replace(" ", "."))
            try:
                failures, said = case(app, mpi, ranks, folder)
            except subprocess.TimeoutExpired as late:
                failures, said = ["no end of %s" % " ".join(late.cmd)[:200]], ""
            for failure in failures:
                print("FAIL %s: %s" % (name, failure), flush=True)
            if not failures:
                print("ok %s: %s" % (name, said), flush=True)
            failed += bool(failures)
            passed += not failures
            if not failures and not ARGS.keep:
                shutil.rmtree(folder)
    if not ARGS.dir and not failed and not ARGS.keep:
        shutil.rmtree(at)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
