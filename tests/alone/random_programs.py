#!/usr/bin/python3
"""Random programs of tests/order/oracle (programs/random.c), run by MPI and recorded at level data; then every rank of each alone, under
the library of the recording and under the other one.

usage: random_programs.py [--programs N] [--first SEED] [--jobs N]
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(TOP, "tests/robust"), os.path.join(TOP, "tests")]
from lib import HBDB, LAUNCH, MPIS

ORACLE = os.path.join(TOP, "tests/order/oracle")
BUILT = os.path.join(TOP, "build/tests/alone")
TO_FILE = 'exec "$@" > "$OUT.${OMPI_COMM_WORLD_RANK-$PMI_RANK}"'
SECONDS = 120


def build(mpi):
    os.makedirs(os.path.join(BUILT, mpi), exist_ok=True)
    sources = [os.path.join(HERE, "programs/random.c")] + [os.path.join(ORACLE, f + ".c") for f in ("generate", "program", "machine", "explore")]
    subprocess.run(["mpicc." + mpi, "-std=gnu17", "-O2", "-g", "-I" + ORACLE] + sources + ["-o", program(mpi)], check=True)


def program(mpi):
    return os.path.join(BUILT, mpi, "random")


def run(command, **env):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, env=dict(os.environ, **env))


def one(seed):
    """What failed, how many ranks were replayed, how many calls they made."""
    mpi, n = MPIS[seed % 2], 2 + seed % 3
    place = tempfile.mkdtemp(prefix="hbdb-random.")
    failures, ranks, calls = [], 0, 0
    try:
        recording = os.path.join(place, "r.hbdb")
        try:
            subprocess.run(LAUNCH[mpi] + ["-n", str(n), program(mpi), str(seed)], stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
        except subprocess.TimeoutExpired:
            print("skipped seed %d: without hbdb it does not end, either, under %s" % (seed, mpi), flush=True)
            return [], 0, 0
        done = run([HBDB, "record", "--level", "data", "-o", recording, "--"] + LAUNCH[mpi]
                   + ["-n", str(n), "/bin/bash", "-c", TO_FILE, "x", program(mpi), str(seed)], OUT=place + "/out")
        if done.returncode:
            return ["recording: status %d\n%s" % (done.returncode, done.stderr[-500:])], 0, 0
        other = MPIS[1 - MPIS.index(mpi)]
        for rank in range(n):
            with open("%s/out.%d" % (place, rank)) as f:
                wanted = f.read()
            for command in [], ["--mpi", other, "--", program(other), str(seed)]:
                done = run([HBDB, "replay", "--alone", str(rank), recording] + command)
                same = re.search(r"replayed 1 process, \d+ events: no difference", done.stderr) and "were compared differ" not in done.stderr
                if done.returncode or done.stdout != wanted or not wanted or not same:
                    failures.append("rank %d %s: status %d\n%s" % (rank, " ".join(command[:2]), done.returncode, done.stderr[-500:]))
            ranks += 1
            calls += wanted.count("\n")
    except subprocess.TimeoutExpired as late:
        failures.append("no end: %s" % " ".join(late.cmd)[:200])
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return failures, ranks, calls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=8)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    for mpi in MPIS:
        build(mpi)
    seeds = range(options.first, options.first + options.programs)
    passed = failed = ranks = calls = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, (failures, some, made) in zip(seeds, pool.map(one, seeds)):
            for failure in failures:
                print("FAIL seed %d: %s" % (seed, failure), flush=True)
            passed, failed, ranks, calls = passed + (some > 0 and not failures), failed + bool(failures), ranks + some, calls + made
    print("random programs: %d ranks alone, each under both libraries; %d calls" % (ranks, calls))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
