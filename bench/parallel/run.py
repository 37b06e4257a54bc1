#!/usr/bin/python3
"""What two processes of hbdb-mpi gain over hbdb: pairs of runs, one after the other, so that what else the machine does meets both.

bench/parallel/run.py [--pairs N] [--size N] [--mpi openmpi|mpich]. Recordings are made without MPI (bench/generate)."""
import sys

sys.dont_write_bytecode = True

import argparse
import os
import statistics
import subprocess
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "bench"))
from tables import columns

LAUNCH = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"],
          "mpich": ["mpirun.mpich"]}
RECORDINGS = [("farm", 1024, 1000000), ("random", 1024, 1000000), ("random", 64, 2000000), ("halo", 256, 2000000)]


def timed(command):
    begin = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return time.monotonic() - begin, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--size", type=int, default=2)
    parser.add_argument("--mpi", default="mpich", choices=sorted(LAUNCH))
    parser.add_argument("--build", default=os.path.join(TOP, "build"))
    options = parser.parse_args()
    start = LAUNCH[options.mpi] + ["-n", str(options.size)]
    lines, wrong = [], 0
    with tempfile.TemporaryDirectory(prefix="hbdb-parallel-") as folder:
        nothing = min(timed(start + [os.path.join(options.build, "hbdb-mpi." + options.mpi), "--version"])[0] for _ in range(3))
        for pattern, ranks, events in RECORDINGS:
            name = os.path.join(folder, f"{pattern}-{ranks}-{events}.hbdb")
            subprocess.run([os.path.join(options.build, "bench", "generate", "generate"), "-o", name, "-p", pattern, "-n", str(ranks), "-e",
                            str(events), "-j", "2"], stdout=subprocess.DEVNULL, check=True)
            alone, together = [], []
            for _ in range(options.pairs):
                a, one = timed([os.path.join(options.build, "hbdb"), "races", name])
                b, several = timed(start + [os.path.join(options.build, "hbdb-mpi." + options.mpi), "races", name])
                wrong += one != several
                alone.append(a)
                together.append(b)
            ratio = [a / b for a, b in zip(alone, together)]
            print(f"-- {pattern}, {ranks}: {min(alone):.2f} s and {min(together):.2f} s", file=sys.stderr, flush=True)
            lines.append([pattern, ranks, f"{events:.0e}", f"{min(alone):.2f}", f"{min(together):.2f}", f"{min(alone) / min(together):.2f}",
                          f"{statistics.median(ratio):.2f}", f"{min(alone) / max(min(together) - nothing, 1e-3):.2f}"])
    print(f"hbdb races against {options.size} processes of hbdb-mpi.{options.mpi}, {options.pairs} pairs; starting and ending them takes {nothing:.2f} s\n")
    print("\n".join(columns(["recording", "ranks", "events", "hbdb s", "hbdb-mpi s", "least/least", "median of pairs", "without the start"], lines)))
    if wrong:
        print(f"FAILED: {wrong} answers differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
